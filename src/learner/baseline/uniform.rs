//! The random baseline of App. G: uniform over the active actions.

use super::{Frame, spread};
use crate::{Decision, LearnerError, Policy};
use problem::{ActionSpace, ActiveRef, Features, Feedback};

/// Plays every active action with probability `1/K`.
#[derive(Clone, Debug)]
pub(crate) struct Uniform(Frame);

impl Uniform {
    /// For the given actions.
    #[must_use]
    pub(crate) fn new(space: ActionSpace) -> Self {
        Uniform(Frame::new(space))
    }
}

impl Policy for Uniform {
    fn space(&self) -> ActionSpace {
        self.0.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.0.check(x, active)?;
        let decision = self.0.decide(active, |q| spread(q, 0..active.len()));
        Ok(Decision { gamma: 1.0, ..decision })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.0.observe(feedback)
    }
}

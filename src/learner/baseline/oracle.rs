//! Knows the scores `s`: what no learner can beat.

use super::{Frame, spread};
use crate::{Decision, LearnerError, Policy};
use problem::{ActionSpace, ActiveRef, Features, Feedback};

/// Plays an active action with the largest true score (the lowest index at a tie), as told by
/// [`Policy::inform`]; uniform when the stream does not know its law.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    frame: Frame,
    scores: Option<Vec<f64>>,
}

impl Oracle {
    /// For the given actions.
    #[must_use]
    pub(crate) fn new(space: ActionSpace) -> Self {
        Oracle { frame: Frame::new(space), scores: None }
    }
}

impl Policy for Oracle {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn inform(&mut self, scores: &[f64]) {
        let known = self.scores.get_or_insert_default();
        known.clear();
        known.extend_from_slice(scores);
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.frame.check(x, active)?;
        let scores = self.scores.take().filter(|s| s.len() == active.space().len());
        let decision = self.frame.decide(active, |q| match scores {
            Some(scores) => {
                let mut best = (0, f64::NEG_INFINITY);
                for (position, action) in active.iter().enumerate() {
                    if scores[action.index()] > best.1 {
                        best = (position, scores[action.index()]);
                    }
                }
                q[best.0] = 1.0;
            }
            None => spread(q, 0..active.len()),
        });
        Ok(decision)
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.observe(feedback)
    }
}

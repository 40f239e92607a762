//! Always asks the best expert who is there, whatever the input.

use super::{Frame, spread};
use crate::{Decision, LearnerError, Policy};
use problem::{ActionSpace, ActiveRef, Features, Feedback, ProblemError};

/// Defers to the available expert with the lowest mean cost; guesses a class if nobody is there.
#[derive(Clone, Debug)]
pub(crate) struct FixedExpert {
    frame: Frame,
    mean_costs: Vec<f64>,
}

impl FixedExpert {
    /// `mean_costs[j]` is what expert `j` costs on average, known in hindsight.
    ///
    /// # Errors
    /// Not one cost per expert, or a cost outside `[0, 1]`.
    pub(crate) fn new(space: ActionSpace, mean_costs: &[f64]) -> Result<Self, LearnerError> {
        if mean_costs.len() != space.experts() {
            let (got, expected) = (mean_costs.len(), space.experts());
            let field = "mean_costs".into();
            return Err(ProblemError::WrongLength { field, got, expected }.into());
        }
        if let Some(j) = mean_costs.iter().position(|c| !(0.0..=1.0).contains(c)) {
            let field = format!("mean_costs[{j}]");
            return Err(ProblemError::CostOutOfRange { field, value: mean_costs[j] }.into());
        }
        Ok(FixedExpert { frame: Frame::new(space), mean_costs: mean_costs.to_vec() })
    }
}

impl Policy for FixedExpert {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.frame.check(x, active)?;
        let n = active.space().classes();
        let costs = &self.mean_costs;
        let best = active.experts().enumerate().min_by(|a, b| costs[a.1].total_cmp(&costs[b.1]));
        Ok(self.frame.decide(active, |q| match best {
            Some((position, _)) => q[n + position] = 1.0,
            None => spread(q, 0..n),
        }))
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.observe(feedback)
    }
}

//! Policies to compare with, one file each.

mod classifier_only;
mod confidence;
mod fixed_expert;
mod lin_ucb;
mod oracle;
mod running_means;
mod thompson;
mod uniform;

pub use classifier_only::ClassifierOnly;
pub use confidence::ConfidenceThreshold;
pub use fixed_expert::FixedExpert;
pub use lin_ucb::LinUcb;
pub use oracle::Oracle;
pub use running_means::RunningMeans;
pub use thompson::LinearThompson;
pub use uniform::Uniform;

use super::scored::check_question;
use super::{Decision, LearnerError};
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback};

/// What baselines share: a distribution to hand out and a count of rounds.
#[derive(Clone, Debug)]
struct Frame {
    space: ActionSpace,
    t: u64,
    decided: bool,
    active: ActiveBuffer,
    q: Vec<f64>,
}

impl Frame {
    fn new(space: ActionSpace) -> Self {
        let active = ActiveBuffer::new(space);
        Frame { space, t: 1, decided: false, active, q: vec![0.0; space.len()] }
    }

    fn check(&self, x: Features<'_>, active: ActiveRef<'_>) -> Result<(), LearnerError> {
        check_question(self.t, self.space, x.dim(), x, active)?;
        x.check_finite().map_err(|source| LearnerError::Round { t: self.t, source })
    }

    /// Hands out `q`, filled by `fill` from zeros.
    fn decide(&mut self, active: ActiveRef<'_>, fill: impl FnOnce(&mut [f64])) -> Decision<'_> {
        self.decided = true;
        self.active.copy(active);
        let q = &mut self.q[..active.len()];
        q.fill(0.0);
        fill(q);
        let best = super::exploration::greedy_position(q);
        let greedy = active.nth(best).expect("a position among the active actions");
        Decision { active: self.active.get(), scores: &[], q, greedy, gamma: 0.0 }
    }

    /// Closes the round; a baseline still insists that the feedback can be true.
    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        if !self.decided {
            return Err(LearnerError::NothingDecided { t: self.t });
        }
        let active = self.active.get();
        let q = &self.q[..active.len()];
        let mut unused = vec![0.0; active.len()];
        super::estimator::estimate(&active, q, feedback, self.t, &mut unused)?;
        self.decided = false;
        self.t += 1;
        Ok(())
    }
}

/// Spreads `q` evenly over the positions `range`.
fn spread(q: &mut [f64], range: std::ops::Range<usize>) {
    let share = 1.0 / range.len() as f64;
    q[range].fill(share);
}

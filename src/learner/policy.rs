//! The interface every learner and baseline has.

use super::{Decision, LearnerError};
use problem::{ActionSpace, ActiveRef, Features, Feedback, FeedbackKind};

/// Something that can be asked to act and told what came of it.
pub trait Policy {
    /// The actions it chooses from.
    fn space(&self) -> ActionSpace;

    /// How much it wants to be told.
    fn feedback(&self) -> FeedbackKind {
        FeedbackKind::Bandit
    }

    /// A distribution over the active actions. Asking again before [`Policy::observe`] replaces
    /// the question; a round whose outcome never becomes known is simply not learned from.
    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError>;

    /// The outcome of the round decided last.
    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError>;

    /// The true scores `s` of all `N` actions in the coming round, told before [`Policy::decide`]
    /// when the stream knows them. Only an oracle may look.
    fn inform(&mut self, _scores: &[f64]) {}
}

//! What the learner is told after it acted.

use super::Action;
use serde::{Deserialize, Serialize};

/// How much the learner is told: the protocol of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackKind {
    /// Only whether the chosen action was right, and its cost if it was an expert.
    Bandit,
    /// The label and every expert's cost.
    Full,
}

/// What the learner is told in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback<'a> {
    /// Bandit feedback on the action that was played.
    Bandit {
        /// The action that was played.
        action: Action,
        /// `1{y' = y}` for a class, `1{g_j(x) = y}` for an expert.
        correct: bool,
        /// `c_j(x, y)`, present exactly when the action was an expert.
        cost: Option<f64>,
    },
    /// The label and `c_j(x, y)` for all `n_e` experts, available or not.
    Full {
        /// The true label `y`.
        label: usize,
        /// Costs of the experts `0..n_e` at that label.
        costs: &'a [f64],
    },
}

impl Feedback<'_> {
    /// The protocol this feedback belongs to.
    #[must_use]
    pub fn kind(&self) -> FeedbackKind {
        match self {
            Feedback::Bandit { .. } => FeedbackKind::Bandit,
            Feedback::Full { .. } => FeedbackKind::Full,
        }
    }
}

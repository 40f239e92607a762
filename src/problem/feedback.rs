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
    /// The bandit bit, and what the asked expert answered: a right answer names the label, a wrong
    /// one rules a label out. More than the paper's protocol grants.
    Answer,
    /// A graded reward of the chosen action, and what it cost in the user's own unit. The paper has
    /// no such thing.
    Reward,
}

/// The name in experiment files and reports.
impl std::fmt::Display for FeedbackKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FeedbackKind::Bandit => "bandit",
            FeedbackKind::Full => "full",
            FeedbackKind::Answer => "answer",
            FeedbackKind::Reward => "reward",
        })
    }
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
    /// Bandit feedback on an expert, with its answer.
    Answer {
        /// The expert that was asked.
        action: Action,
        /// The class it answered.
        answer: usize,
        /// Whether that is the label.
        correct: bool,
        /// `c_j(x, y)`.
        cost: f64,
    },
    /// A graded reward of the action that was played.
    Reward {
        /// The action that was played.
        action: Action,
        /// What it earned, in `[0, 1]`, before its cost.
        reward: f64,
        /// What it cost, in the user's own unit; not negative.
        cost: f64,
    },
}

impl Feedback<'_> {
    /// The protocol this feedback belongs to.
    #[must_use]
    pub fn kind(&self) -> FeedbackKind {
        match self {
            Feedback::Bandit { .. } => FeedbackKind::Bandit,
            Feedback::Full { .. } => FeedbackKind::Full,
            Feedback::Answer { .. } => FeedbackKind::Answer,
            Feedback::Reward { .. } => FeedbackKind::Reward,
        }
    }
}

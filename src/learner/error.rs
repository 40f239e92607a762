//! What can go wrong in a round. After any of these the learner is as it was before the call.

use crate::surrogate::Surrogate;
use problem::{FeedbackKind, ProblemError};
use thiserror::Error;

/// Bad configuration or bad input in a round.
#[expect(missing_docs, reason = "the message of a variant says what it is")]
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LearnerError {
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error("surrogate \"{name}\" is not known: expected one of {}", Surrogate::NAMES.join(", "))]
    UnknownSurrogate { name: String },
    #[error("alpha = {alpha}: comp_gce needs alpha in (0, 1)")]
    Alpha { alpha: f64 },
    #[error("tau = {tau}: the ramp needs a finite tau > 0")]
    Tau { tau: f64 },
    #[error("round {t}: {source}")]
    Round { t: u64, source: ProblemError },
    #[error(
        "n = 0: Algorithm 1 answers with classes and needs at least 2; between experts alone, use the recommended router (`auto`) or any other learner"
    )]
    NoClasses,
    #[error(
        "feedback = \"{got}\": this learner is told what came of its own action: bandit, answer or reward"
    )]
    NoSuchFeedback { got: FeedbackKind },
    #[error("{field} = {value}: expected {expected}")]
    Config { field: &'static str, value: f64, expected: &'static str },
    #[error("surrogate {name} is not convex: gradient steps need one that is")]
    NotConvex { name: &'static str },
    #[error("the {schedule} schedule is defined by the radius B: give a finite B")]
    ScheduleNeedsRadius { schedule: &'static str },
    #[error(
        "round {t}: the round belongs to {got_n} classes and {got_e} experts, the learner to {n} and {n_e}"
    )]
    OtherSpace { t: u64, got_n: usize, got_e: usize, n: usize, n_e: usize },
    #[error(
        "round {t}: nobody is available and there are no classes: at least one expert is needed"
    )]
    NobodyAvailable { t: u64 },
    #[error("round {t}: full feedback needs the label, and the round has none")]
    NoLabel { t: u64 },
    #[error("round {t}: observe was called without a decide")]
    NothingDecided { t: u64 },
    #[error("round {t}: action {action} (expert {expert}) was not available")]
    Unavailable { t: u64, action: usize, expert: usize },
    #[error("round {t}: action {action} had probability 0 and cannot have been sampled")]
    ImpossibleAction { t: u64, action: usize },
    #[error("round {t}: expert action {action} needs the cost that was observed")]
    MissingCost { t: u64, action: usize },
    #[error("round {t}: action {action} is a class: only an expert gives an answer")]
    AnswerOfClass { t: u64, action: usize },
    #[error("round {t}: class action {action} has no expert cost, but {cost} was given")]
    UnexpectedCost { t: u64, action: usize, cost: f64 },
    #[error("round {t}: this learner was set up for {expected} feedback, got {got}")]
    WrongFeedback { t: u64, expected: FeedbackKind, got: FeedbackKind },
    #[error("round {t}: gamma = {gamma}: bandit estimates need exploration in (0, 1]")]
    NoExploration { t: u64, gamma: f64 },
    #[error(
        "round {t}: the step is not finite (scores or features too large): scale the features, or bound W by a smaller radius"
    )]
    Overflow { t: u64 },
    #[error("round {t}: {message}")]
    Outside { t: u64, message: String },
    #[error("saved learner state does not fit together: {0}")]
    BadState(String),
}

//! Bad input to the theory module. How a computation ended is a status in its result, not an error.

use crate::SurrogateId;
use problem::ProblemError;
use thiserror::Error;

/// A value that no quantity of the paper is defined for.
#[expect(missing_docs, reason = "the message of a variant says what it is")]
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TheoryError {
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error("{field} = {value}: expected {expected}")]
    OutOfRange { field: String, value: f64, expected: &'static str },
    #[error("{field} has {got} entries, expected {expected}")]
    WrongLength { field: &'static str, got: usize, expected: usize },
    #[error("{field} sums to {sum}, expected {expected}")]
    WrongSum { field: &'static str, sum: f64, expected: f64 },
    #[error("{field}: {value:?} is not a surrogate, expected one of {expected}")]
    UnknownSurrogate { field: &'static str, value: String, expected: &'static str },
    #[error("{field}: the law speaks of other classes and experts than the active set")]
    SpaceMismatch { field: &'static str },
    #[error("stream is empty: at least one item is needed")]
    EmptyStream,
    #[error("{field} = {value}: a weight must be finite and not negative")]
    Weight { field: String, value: f64 },
    #[error("the weights stream[..].w sum to {sum}, expected a positive finite number")]
    TotalWeight { sum: f64 },
    #[error("{field} = {value}: features must be finite")]
    Feature { field: String, value: f64 },
    #[error("{field} has {got} entries, expected {expected}")]
    Length { field: String, got: usize, expected: usize },
    #[error("{field} = {value}: a score must lie in [0, 1]")]
    Score { field: String, value: f64 },
    #[error("{field}: the class scores sum to {sum}, expected 1")]
    ClassScores { field: String, sum: f64 },
    #[error("{field} belongs to another action space than the stream")]
    Space { field: String },
    #[error("B = {value}: the radius of the ball must be positive and finite")]
    Ball { value: f64 },
    #[error("surrogate = {surrogate}: its risk is not convex in the scores, no convex program")]
    NotConvex { surrogate: SurrogateId },
}

impl TheoryError {
    /// Shorthand for the commonest case.
    pub(crate) fn out_of_range(
        field: impl Into<String>,
        value: f64,
        expected: &'static str,
    ) -> Self {
        TheoryError::OutOfRange { field: field.into(), value, expected }
    }
}

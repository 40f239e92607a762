//! Bad input to the theory module. How a computation ended is a status in its result, not an error.

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

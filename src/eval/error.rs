//! What is wrong with a request.

use crate::problem::ProblemError;
use crate::theory::TheoryError;
use thiserror::Error;

/// A bad request; the message starts with or contains the name of the field.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub(super) struct EvalError(String);

impl EvalError {
    /// `problem` with the value of `field`.
    pub(crate) fn new(field: impl AsRef<str>, problem: impl AsRef<str>) -> Self {
        EvalError(format!("{}: {}", field.as_ref(), problem.as_ref()))
    }

    pub(super) fn missing(field: &str) -> Self {
        EvalError::new(field, "missing field")
    }

    /// The same error, found inside `place`.
    pub(super) fn within(self, place: impl AsRef<str>) -> Self {
        EvalError(format!("{}.{}", place.as_ref(), self.0))
    }
}

impl From<ProblemError> for EvalError {
    fn from(error: ProblemError) -> Self {
        EvalError(error.to_string())
    }
}

impl From<TheoryError> for EvalError {
    fn from(error: TheoryError) -> Self {
        EvalError(error.to_string())
    }
}

/// The message of a JSON error without its line and column, which are those of a fragment.
pub(super) fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    }
}

//! Rust's errors as Python exceptions, with the same words.

use deferlab::learner::{LearnerError, NamedError};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyError, PyValueError};
use std::fmt::Display;

/// Bad input.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Bad configuration or bad input in a round.
pub(crate) fn learner_error(error: LearnerError) -> PyErr {
    value_error(error)
}

/// The same, or a name nobody has.
pub(crate) fn named_error(error: NamedError) -> PyErr {
    match error {
        NamedError::Unknown { .. } => PyKeyError::new_err(error.to_string()),
        _ => value_error(error),
    }
}

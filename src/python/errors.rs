//! Rust's errors as Python exceptions, with the same words: bad input is a `ValueError`.

use deferlab::learner::{LearnerError, NamedError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
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
    value_error(error)
}

/// The name that was probably meant, as the end of a sentence.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    deferlab::lab::nearest(given, known)
        .map_or(String::new(), |near| format!(", did you mean {near:?}?"))
}

/// What kind of object it is, for a message.
pub(crate) fn kind(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".into(), |name| name.to_string())
}

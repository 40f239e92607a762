//! A Python object under the checks of the implementation.

use crate::errors::value_error;
use pyo3::prelude::*;

/// Puts a learner through all checks. `reply` takes a line of the subject protocol and returns the line
/// that answers it. The findings come back as JSON, those of `deferlab verify --subject`.
#[pyfunction]
#[pyo3(signature = (reply, /, seed = 1))]
pub(crate) fn examine(py: Python<'_>, reply: Py<PyAny>, seed: u64) -> PyResult<String> {
    // An exception that is no answer of the subject, such as Ctrl-C, ends it all.
    let mut escaped: Option<PyErr> = None;
    let mut findings = Vec::new();
    {
        let escaped = std::cell::RefCell::new(&mut escaped);
        let ask = |line: &str| -> Option<String> {
            if escaped.borrow().is_some() {
                return None;
            }
            let answered = py.check_signals().and_then(|()| reply.call1(py, (line,)));
            match answered.and_then(|answer| answer.extract::<String>(py)) {
                Ok(answer) => Some(answer),
                Err(error) => {
                    **escaped.borrow_mut() = Some(error);
                    None
                }
            }
        };
        for finding in deferlab::subject::examine(&ask, seed) {
            findings.push(finding);
            if escaped.borrow().is_some() {
                break;
            }
        }
    }
    match escaped {
        Some(error) => Err(error),
        None => serde_json::to_string(&findings).map_err(value_error),
    }
}

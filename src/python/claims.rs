//! Claims of the paper: what was recorded, and their checks.

use crate::errors::{did_you_mean, value_error};
use deferlab::claims::{self, Entry};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The recorded verdicts of this version, as JSON.
#[pyfunction]
pub(crate) fn recorded_ledger() -> &'static str {
    include_str!("../../reports/ledger.json")
}

/// Runs the check of one claim and returns its entry as JSON. `reports` is the folder with the record of
/// the proofs, in a checkout.
#[pyfunction]
#[pyo3(signature = (id, /, seed = 1, reports = None))]
pub(crate) fn check(
    py: Python<'_>,
    id: &str,
    seed: u64,
    reports: Option<PathBuf>,
) -> PyResult<String> {
    let all = claims::all();
    let Some(claim) = all.iter().find(|claim| claim.id == id) else {
        let near = did_you_mean(id, all.iter().map(|c| c.id));
        return Err(value_error(format!("claim {id:?} is not known{near}")));
    };
    let theorems = reports.map(|folder| claims::theorems(&folder).map_err(value_error));
    let theorems = theorems.transpose()?.unwrap_or_default();
    let done = py.detach(|| claims::run(&[*claim], seed, &theorems, |_, _| ()));
    let done = &done[0];
    let outcome = done.result.as_ref().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    serde_json::to_string(&Entry::new(done, outcome)).map_err(value_error)
}

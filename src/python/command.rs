//! The `deferlab` command, run in this process.

use pyo3::prelude::*;

/// Runs the command with its arguments, the name of the program first, and returns its exit code.
#[pyfunction]
#[pyo3(signature = (argv, /))]
pub(crate) fn command(py: Python<'_>, argv: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| deferlab::cli::run(argv))
}

//! What is wrong with a file.

use problem::ProblemError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that could not be used; rows count from 1, like the lines of an editor.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: row {row}, field {field}: {problem}", path.display())]
    Field { path: PathBuf, row: usize, field: usize, problem: String },
    #[error("{}: row {row}: {source}", path.display())]
    Row { path: PathBuf, row: usize, source: ProblemError },
    #[error("{}: {problem}", path.display())]
    Shape { path: PathBuf, problem: String },
    #[error("{name} was not found: put it under the folder named by DEFERLAB_DATA, or under data/")]
    NotFound { name: String },
}

impl DataError {
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> DataError {
        let path = path.to_owned();
        move |source| DataError::Io { path, source }
    }

    pub(super) fn field(path: &Path, row: usize, field: usize, problem: impl Into<String>) -> Self {
        DataError::Field { path: path.to_owned(), row, field, problem: problem.into() }
    }

    pub(super) fn shape(path: &Path, problem: impl Into<String>) -> Self {
        DataError::Shape { path: path.to_owned(), problem: problem.into() }
    }
}

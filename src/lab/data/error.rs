//! What is wrong with a file.

use crate::limits::LimitExceeded;
use problem::ProblemError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that could not be used; rows count from 1, like the lines of an editor.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A field that cannot be used.
    #[error("{}: row {row}, field {field}: {problem}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        field: usize,
        /// What was found and expected.
        problem: String,
    },
    /// A row that cannot be part of a problem.
    #[error("{}: row {row}: {source}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        row: usize,
        /// Why not.
        source: ProblemError,
    },
    /// A file that is not what it should be as a whole.
    #[error("{}: {problem}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What was found and expected.
        problem: String,
    },
    /// A file that is not there.
    #[error("{name} was not found: put it under the folder named by DEFERLAB_DATA, or under data/")]
    NotFound {
        /// Its name under the data folder.
        name: String,
    },
    /// More than is accepted.
    #[error("{}: {source}", path.display())]
    Limit {
        /// The file.
        path: PathBuf,
        /// Which limit.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that is not the one that was read before: results would carry the wrong hash.
    #[error(
        "{name} changed while it was in use: its SHA-256 was {first} and is {now}; run again when it stays as it is"
    )]
    Changed {
        /// Its name.
        name: String,
        /// `SHA-256` of what was read first.
        first: String,
        /// `SHA-256` of what was read last.
        now: String,
    },
}

impl DataError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> DataError {
        let path = path.to_owned();
        move |source| DataError::Io { path, source }
    }

    pub(super) fn field(path: &Path, row: usize, field: usize, problem: impl Into<String>) -> Self {
        DataError::Field { path: path.to_owned(), row, field, problem: problem.into() }
    }

    pub(crate) fn limit(path: &Path) -> impl FnOnce(LimitExceeded) -> DataError {
        let path = path.to_owned();
        move |limit| DataError::Limit { path, source: limit.into() }
    }

    pub(crate) fn shape(path: &Path, problem: impl Into<String>) -> Self {
        DataError::Shape { path: path.to_owned(), problem: problem.into() }
    }
}

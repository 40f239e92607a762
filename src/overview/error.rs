//! What can go wrong when the pages about everything are made.

use lab::experiment::{SpecError, StoreError};
use report::ReportError;
use thiserror::Error;

/// A page that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OverviewError {
    /// An experiment file is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The stored runs do not make the report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] StoreError),
    /// A computation that should always succeed did not.
    #[error("{what}: {source}")]
    Computation {
        /// Of what.
        what: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl OverviewError {
    /// For `map_err`: a computation of `what` failed.
    pub(super) fn computing<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        what: &str,
    ) -> impl Fn(E) -> Self + '_ {
        move |error| OverviewError::Computation { what: what.into(), source: error.into() }
    }
}

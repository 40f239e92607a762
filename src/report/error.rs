//! What can go wrong when a report is made.

use lab::experiment::{Key, SpecError, StoreError};
use std::path::PathBuf;
use thiserror::Error;

/// A report or a page that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A run is missing.
    #[error(
        "no record for {0:?}: the stored runs are not those of this experiment (run it again with --fresh)"
    )]
    NoRecord(Key),
    /// A job kept something else than what was asked of it.
    #[error(
        "`{policy}` has a trace where a series is expected: the stored runs are damaged (run the experiment again with --fresh)"
    )]
    NotASeries {
        /// Whose runs.
        policy: String,
    },
    /// A policy that a document is about was not run.
    #[error("{stream}: no runs of `{policy}`, which this document is about")]
    NoRuns {
        /// On which stream.
        stream: String,
        /// Whose runs.
        policy: String,
    },
    /// A stream that a document is about is not there.
    #[error("there is no stream `{0}`, which this document is about")]
    NoStream(&'static str),
    /// A document is made from a fixed list of experiments.
    #[error("expected the runs of {expected} experiments, got {got}")]
    Experiments {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// Regret was asked for where it is not known.
    #[error("{0}: a report on rates needs a stream that knows its law")]
    NoLaw(String),
    /// An experiment file is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Something that is said of a stream or a claim cannot be computed.
    #[error("{what}: {source}")]
    Computation {
        /// Of what.
        what: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A stored measurement of somebody else's program cannot be used.
    #[error(
        "{path}: not a measurement of a peer: {source} (write it again with experiments/peers/vowpal_wabbit.py)"
    )]
    Peer {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The recorded ledger, or the record of the proofs, is not one.
    #[error(transparent)]
    Ledger(#[from] ledger::LedgerError),
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A `report.json` is not one.
    #[error(
        "{path}: not a report: {source} (write it again with `deferlab report`, or move the folder away)"
    )]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A document refers to a figure that is not there.
    #[error("{path}: refers to {figure:?}, which cannot be read: {source}")]
    Figure {
        /// The document.
        path: PathBuf,
        /// What it refers to.
        figure: String,
        /// Why it cannot be read.
        source: std::io::Error,
    },
    /// A template does not fit what it is given.
    #[error("a template of the report: {0:#}")]
    Template(#[from] minijinja::Error),
    /// A template of the page does not.
    #[error("a template of the page: {0:#}")]
    PageTemplate(#[source] minijinja::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] StoreError),
}

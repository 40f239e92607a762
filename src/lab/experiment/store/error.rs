//! What can be wrong with a store.

use crate::experiment::record::{Key, LineFault};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Something is wrong with the store, and it was left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error("{path}: cannot {action}: {source}; what was stored before is intact")]
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Another process has it.
    #[error(
        "{path}: another process is running this experiment; wait for it, or use another --store"
    )]
    Busy {
        /// Its folder.
        path: PathBuf,
    },
    /// Its runs are those of another experiment.
    #[error(
        "{path} holds runs of another configuration, which cannot be continued:\n{differences}\nuse another --store folder or another name, or --fresh to move those runs aside"
    )]
    OtherConfiguration {
        /// Its folder.
        path: PathBuf,
        /// What differs.
        differences: String,
    },
    /// A line that was damaged.
    #[error(
        "{path}, line {line}: {source}; the file is corrupt and is not used: restore it from a copy, keep what is good of it with --repair, or start again with --fresh"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with the line.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A configuration that was damaged.
    #[error(
        "{path}: {problem}; the file is corrupt and is not used: restore it from a copy, make it again with --repair, or start again with --fresh"
    )]
    CorruptConfiguration {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Records without the configuration they belong to.
    #[error(
        "{path} has records.jsonl but no config.json{}: --fresh moves the rest aside too and starts again, --repair keeps the runs that belong to this experiment",
        aside.as_ref().map_or(String::new(), |a| format!(
            ", because an earlier --fresh was interrupted after it had moved config.json to {}", a.display()
        ))
    )]
    Headless {
        /// Its folder.
        path: PathBuf,
        /// Where an interrupted `--fresh` moved the configuration.
        aside: Option<PathBuf>,
    },
    /// Two files of a store that cannot both be right.
    #[error(
        "{path}, line {line}: it contradicts what another file of the store says of {key:?}; nothing was merged: find out which of the two is wrong and move it away"
    )]
    Contradiction {
        /// The file that was to be merged.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The job.
        key: Key,
    },
    /// Somebody else is at work on the same part.
    #[error("{path}: another process is running this shard; wait for it, or let it run alone")]
    ShardBusy {
        /// Its segment.
        path: PathBuf,
    },
    /// No runs.
    #[error("{path}: there are no stored runs; run the experiment first")]
    Nothing {
        /// The folder where they should be.
        path: PathBuf,
    },
    /// Not all runs.
    #[error(
        "{path}: {missing} of {total} runs are missing; run the experiment again, it continues where it was"
    )]
    Incomplete {
        /// Its folder.
        path: PathBuf,
        /// How many are missing.
        missing: usize,
        /// Of how many.
        total: usize,
    },
}

impl StoreError {
    pub(super) fn corrupt(path: &std::path::Path, line: usize, fault: LineFault) -> Self {
        StoreError::Corrupt { path: path.into(), line, source: fault.into() }
    }
}

//! What is kept of one job, and its line in the store.

use super::metrics::{Series, Trace};
use crate::hash::sha256_hex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which job. The order is that of the finished store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Combination of swept settings.
    pub point: usize,
    /// Position among the streams.
    pub stream: usize,
    /// Position among the policies; none for the stream itself.
    pub policy: Option<usize>,
    /// Which run.
    pub run: u32,
}

/// One finished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Which.
    pub key: Key,
    /// The seed of its stream.
    pub seed: u64,
    /// What was measured.
    pub outcome: RunOutcome,
}

/// What a job gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// A policy on a stream.
    Series(Series),
    /// The stream itself.
    Trace(Trace),
}

/// What is wrong with a line of the store.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineFault {
    /// A process was killed, or the disk was full, while it was written.
    #[error("it has no end")]
    NoEnd,
    /// It was damaged.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It was damaged.
    #[error("it has no checksum")]
    NoChecksum,
    /// It was damaged, or belongs to another configuration.
    #[error("its checksum does not fit")]
    Checksum,
    /// Another version of this program wrote it.
    #[error("its checksum fits, but {0}")]
    Json(#[from] serde_json::Error),
    /// Both cannot be right.
    #[error("it contradicts another line for {0:?}")]
    Contradicts(Key),
}

impl Record {
    /// `checksum json`, without a line end. The checksum covers the hash of the configuration, so
    /// that a line cannot move to the store of another one.
    pub(super) fn to_line(&self, configuration: &str) -> String {
        let json = serde_json::to_string(self).expect("a record is plain data");
        format!("{} {json}", checksum(configuration, &json))
    }

    /// The record of a line, which includes its end.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub(super) fn from_line(line: &[u8], configuration: &str) -> Result<Record, LineFault> {
        let line = line.strip_suffix(b"\n").ok_or(LineFault::NoEnd)?;
        let line = std::str::from_utf8(line).map_err(|_| LineFault::NotText)?;
        let (sum, json) = line.split_once(' ').ok_or(LineFault::NoChecksum)?;
        if sum != checksum(configuration, json) {
            return Err(LineFault::Checksum);
        }
        Ok(serde_json::from_str(json)?)
    }
}

fn checksum(configuration: &str, json: &str) -> String {
    let hash = sha256_hex(format!("{configuration}\n{json}").as_bytes());
    hash[..32].to_string()
}

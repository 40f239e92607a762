//! What is kept of one job, and its line in the store.

use super::metrics::{Series, Trace};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
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
pub(super) enum LineFault {
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
    /// Another version of this program wrote it.
    #[error("its checksum fits, but the experiment has no {0:?}")]
    NoSuchJob(Key),
}

impl Record {
    /// `checksum json` with a line end, and the checksum. It covers the hash of the configuration, so
    /// that a line cannot move to the store of another one.
    pub(super) fn to_line(&self, configuration: &str) -> (String, u128) {
        let json = serde_json::to_string(self).expect("a record is plain data");
        sealed(configuration, &json)
    }

    /// The record of a line, which includes its end, and the checksum.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub(super) fn from_line(line: &[u8], configuration: &str) -> Result<(Record, u128), LineFault> {
        let (json, sum) = unsealed(line, configuration)?;
        Ok((serde_json::from_str(json)?, sum))
    }
}

/// The job and the checksum of a line, without making the rest of what it says.
///
/// # Errors
/// What is wrong with the line.
pub(super) fn key_of_line(line: &[u8], configuration: &str) -> Result<(Key, u128), LineFault> {
    #[derive(Deserialize)]
    struct OnlyKey {
        key: Key,
    }
    let (json, sum) = unsealed(line, configuration)?;
    let OnlyKey { key } = serde_json::from_str(json)?;
    Ok((key, sum))
}

/// Characters of a checksum.
const SUM: usize = 32;

/// `checksum json` with a line end, and the checksum.
pub(super) fn sealed(configuration: &str, json: &str) -> (String, u128) {
    let sum = checksum(configuration, json);
    (format!("{sum:0SUM$x} {json}\n"), sum)
}

/// What [`sealed`] closed.
pub(super) fn unsealed<'a>(
    line: &'a [u8],
    configuration: &str,
) -> Result<(&'a str, u128), LineFault> {
    let line = line.strip_suffix(b"\n").ok_or(LineFault::NoEnd)?;
    let line = std::str::from_utf8(line).map_err(|_| LineFault::NotText)?;
    let (text, json) = line.split_once(' ').ok_or(LineFault::NoChecksum)?;
    let sum = checksum(configuration, json);
    match text == format!("{sum:0SUM$x}") {
        true => Ok((json, sum)),
        false => Err(LineFault::Checksum),
    }
}

/// The first half of a SHA-256.
fn checksum(configuration: &str, json: &str) -> u128 {
    let mut hash = Sha256::new();
    for part in [configuration, "\n", json] {
        hash.update(part.as_bytes());
    }
    let bytes = hash.finalize();
    bytes[..16].iter().fold(0, |sum, &byte| sum << 8 | u128::from(byte))
}

//! What is kept of one job, and its line in the store.

use super::metrics::{Series, Trace};
use super::seed::sha256_hex;
use serde::{Deserialize, Serialize};

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
    pub outcome: Outcome,
}

/// What a job gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A policy on a stream.
    Series(Series),
    /// The stream itself.
    Trace(Trace),
}

impl Record {
    /// `checksum json`, without a line end. The checksum covers the hash of the configuration, so
    /// that a line cannot move to the store of another one.
    pub fn to_line(&self, configuration: &str) -> String {
        let json = serde_json::to_string(self).expect("a record is plain data");
        format!("{} {json}", checksum(configuration, &json))
    }

    /// The record of a line.
    ///
    /// # Errors
    /// In words, what is wrong with the line.
    pub fn from_line(line: &[u8], configuration: &str) -> Result<Record, String> {
        let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8 text".to_string())?;
        let (sum, json) = line.split_once(' ').ok_or("it has no checksum")?;
        if sum != checksum(configuration, json) {
            return Err("its checksum does not fit".into());
        }
        serde_json::from_str(json).map_err(|e| format!("its checksum fits, but {e}"))
    }
}

fn checksum(configuration: &str, json: &str) -> String {
    let hash = sha256_hex(format!("{configuration}\n{json}").as_bytes());
    hash[..32].to_string()
}

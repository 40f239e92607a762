//! Limits: what is refused before it takes the machine down, each with its reason.
//!
//! They are far above what experiments need, and far below what memory holds. Every message about
//! one says the limit and the reason that stands here.

use crate::experiment::RunError;
use thiserror::Error;

/// The most of something that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    what: &'static str,
    /// The number itself.
    pub(crate) most: u64,
    reason: &'static str,
}

/// More of something than is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{value} {}: at most {} are accepted, because {}", limit.what, limit.most, limit.reason)]
pub(crate) struct LimitExceeded {
    value: u64,
    limit: Limit,
}

impl Limit {
    /// # Errors
    /// `value` is more than this.
    pub(crate) fn check(self, value: u64) -> Result<(), LimitExceeded> {
        match value <= self.most {
            true => Ok(()),
            false => Err(LimitExceeded { value, limit: self }),
        }
    }
}

const fn limit(what: &'static str, most: u64, reason: &'static str) -> Limit {
    Limit { what, most, reason }
}

/// Bytes of an experiment file.
pub(crate) const EXPERIMENT_BYTES: Limit =
    limit("bytes in an experiment file", 1 << 22, "it is read into memory before it is checked");

/// Jobs of an experiment: sweep points times streams times policies times runs.
pub(crate) const JOBS: Limit =
    limit("jobs (points x streams x policies x runs)", 1_000_000, "each is kept in memory");

/// Rounds of a run.
pub(crate) const ROUNDS: Limit =
    limit("rounds", 1_000_000_000_000, "that takes days at a million rounds a second");

/// Checkpoints along a run.
pub(crate) const CHECKPOINTS: Limit =
    limit("checkpoints", 100_000, "every run stores its totals at each");

/// Combinations of swept settings.
pub(crate) const SWEEP_POINTS: Limit =
    limit("sweep points", 10_000, "each has a specification of its own in memory");

/// Bytes of one line of a data file.
pub(crate) const LINE_BYTES: Limit =
    limit("bytes in one line", 1 << 22, "a file without line breaks would be read for ever");

/// Bytes of one line that another program answers with, or asks us with: the weights of 128 actions
/// and 25,000 features in full precision have room.
pub(crate) const REPLY_BYTES: Limit =
    limit("bytes in one line of a program", 1 << 26, "the line is held in memory until it ends");

/// Bytes of a data file that is held in memory, unpacked.
pub(crate) const FILE_BYTES: Limit = limit(
    "bytes in one file",
    1 << 32,
    "all of it is held in memory (not that of a `recorded` stream with `disk = true`)",
);

/// Features of an input.
pub(crate) const FEATURES: Limit =
    limit("features (dim)", 1 << 24, "a learner keeps a column of weights for each");

/// Weights of a learner.
pub(crate) const WEIGHTS: Limit =
    limit("weights (features x actions)", 1 << 28, "a learner keeps them all in memory, 2 GiB");

/// Threads of the runner.
pub(crate) const THREADS: Limit =
    limit("threads", 1024, "each has a stack, and more than cores are of no use");

/// Whether the runner can have so many threads.
///
/// # Errors
/// They are more than is accepted.
pub fn check_threads(threads: usize) -> Result<(), RunError> {
    Ok(THREADS.check(threads as u64)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_told_with_its_reason() {
        assert_eq!(THREADS.check(1024), Ok(()));
        let message = THREADS.check(65_535).unwrap_err().to_string();
        assert!(message.starts_with("65535 threads: at most 1024 are accepted, because each"));
    }
}

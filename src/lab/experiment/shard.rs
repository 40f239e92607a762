//! Parts of an experiment for many workers.

use super::record::Key;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Part `index` of `count`, counted from 1. A job belongs to the part that its own hash says, so that
/// any number of parts covers all jobs, each once, and a part that was lost can be run again anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    count: u32,
    index: u32,
}

/// Not a part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected I/N with 1 <= I <= N <= {}, such as 3/10", Shard::MOST)]
pub struct ShardError;

impl Shard {
    /// More parts than this are more files than a folder should have.
    pub const MOST: u32 = 100_000;

    /// # Errors
    /// Unless `1 <= index <= count`.
    pub(crate) fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        let fits = 1 <= index && index <= count && count <= Shard::MOST;
        fits.then_some(Shard { count, index }).ok_or(ShardError)
    }

    /// Which part, counted from 1.
    #[must_use]
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// Whether the job belongs to this part.
    #[must_use]
    pub(crate) fn owns(self, key: &Key) -> bool {
        let Key { point, stream, policy, run } = key;
        let policy = policy.map_or("trace".into(), |p| p.to_string());
        let hash = Sha256::digest(format!("{point} {stream} {policy} {run}"));
        let number = hash[..8].iter().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
        number % u64::from(self.count) == u64::from(self.index - 1)
    }

    /// Such as `3-of-10`.
    pub(super) fn file_name(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }

    /// The part that [`Shard::file_name`] names.
    pub(super) fn from_file_name(name: &str) -> Option<Self> {
        let (index, count) = name.split_once("-of-")?;
        Shard::new(index.parse().ok()?, count.parse().ok()?).ok()
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.parse().map_err(|_| ShardError);
        Shard::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_belongs_to_one_part_whatever_their_number() {
        let key = |run| Key { point: 0, stream: 1, policy: (run % 3 > 0).then_some(2), run };
        for count in [1, 2, 7, 200] {
            let parts: Vec<Shard> = (1..=count).map(|i| Shard::new(i, count).unwrap()).collect();
            for run in 0..500 {
                assert_eq!(parts.iter().filter(|part| part.owns(&key(run))).count(), 1);
            }
            let most = parts.iter().map(|p| (0..500).filter(|&r| p.owns(&key(r))).count()).max();
            // Fair up to chance: 500 jobs over 200 parts, six standard deviations.
            let mean = 500.0 / f64::from(count);
            assert!((most.unwrap() as f64) <= mean + 6.0 * mean.sqrt());
        }
    }

    #[test]
    fn parts_are_written_as_people_write_them() {
        let shard: Shard = "3/10".parse().unwrap();
        assert_eq!((shard.index(), shard.count, shard.to_string()), (3, 10, "3/10".into()));
        assert_eq!(Shard::from_file_name(&shard.file_name()), Some(shard));
        for wrong in ["", "3", "0/10", "11/10", "-1/2", "1/0", "1/1000000", "a/b", "1/2/3"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ShardError), "{wrong}");
        }
    }
}

//! A job that is stopped in the middle and goes on later, to the same bits.
//!
//! Policy, metrics and the generator of the actions are saved. The stream is not: it does not depend on
//! what is played, so that it is opened again with its seed and the rounds that were played are passed
//! over. What cannot be saved (networks, other programs), or plays against an adversary, starts again.

use super::error::JobError;
use super::metrics::Metrics;
use super::record::{Key, sealed, unsealed};
use super::store::{PARTIAL, StoreError, write_whole};
use crate::rounds::play_after;
use crate::stream::Stream;
use learner::Policy;
use rand_pcg::Pcg64;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Rounds between two looks at the flag: short for the slowest policy, and nothing for the fastest.
pub(super) const STRETCH: u64 = 256;

/// How far a job is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Position {
    done: u64,
    rng: Pcg64,
    metrics: Metrics,
}

impl Position {
    pub(super) fn start(rng: Pcg64, metrics: Metrics) -> Self {
        Position { done: 0, rng, metrics }
    }

    /// Passes over the rounds that were played.
    pub(super) fn catch_up<S: Stream + ?Sized>(&self, stream: &mut S) -> Result<(), JobError> {
        for played in 0..self.done {
            if stream.next_round().is_none() {
                return Err(JobError::ended(stream, played, self.done));
            }
        }
        Ok(())
    }

    /// Plays on to `rounds`; false if it was asked to stop before.
    pub(super) fn play<P: Policy + ?Sized, S: Stream + ?Sized>(
        &mut self,
        policy: &mut P,
        stream: &mut S,
        rounds: u64,
        stop: &AtomicBool,
    ) -> Result<bool, JobError> {
        while self.done < rounds {
            let stretch = STRETCH.min(rounds - self.done);
            let (rng, metrics) = (&mut self.rng, &mut self.metrics);
            let played = play_after(self.done, policy, stream, rng, stretch, metrics)?;
            self.done += played;
            if played < stretch {
                return Err(JobError::ended(stream, self.done, rounds));
            }
            if self.done < rounds && stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn into_metrics(self) -> Metrics {
        self.metrics
    }
}

/// The file of a job that was stopped.
#[derive(Debug)]
pub(super) struct Partial<'a> {
    path: PathBuf,
    configuration: &'a str,
}

#[derive(Serialize)]
struct Saving<'a, P> {
    key: Key,
    position: &'a Position,
    policy: &'a P,
}

#[derive(Deserialize)]
struct Saved<P> {
    key: Key,
    position: Position,
    policy: P,
}

impl<'a> Partial<'a> {
    /// Of a job in the store in `folder`.
    pub(super) fn new(folder: &Path, configuration: &'a str, key: Key) -> Self {
        let Key { point, stream, policy, run } = key;
        let policy = policy.map_or("trace".into(), |p| p.to_string());
        let path = folder.join(PARTIAL).join(format!("{point}-{stream}-{policy}-{run}.json"));
        Partial { path, configuration }
    }

    /// What was saved. None if there is nothing, or nothing that can be used: the job then starts again.
    pub(super) fn load<P: DeserializeOwned>(&self, key: Key) -> Option<(P, Position)> {
        let bytes = fs::read(&self.path).ok()?;
        let (json, _) = unsealed(&bytes, self.configuration).ok()?;
        let saved: Saved<P> = serde_json::from_str(json).ok()?;
        (saved.key == key).then_some((saved.policy, saved.position))
    }

    /// Saves where the job is.
    pub(super) fn save<P: Serialize>(
        &self,
        key: Key,
        policy: &P,
        position: &Position,
    ) -> Result<(), StoreError> {
        let saving = Saving { key, position, policy };
        let json = serde_json::to_string(&saving).expect("a state is plain data");
        write_whole(&self.path, sealed(self.configuration, &json).0.as_bytes())
    }

    /// The job is done.
    pub(super) fn remove(&self) {
        // What stays is not looked at again.
        let _ = fs::remove_file(&self.path);
    }
}

/// Jobs of a store that were stopped in the middle.
pub(super) fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join(PARTIAL)).into_iter().flatten().flatten();
    entries.filter(|e| e.path().extension().is_some_and(|e| e == "json")).count()
}

//! Segments: the lines of workers that each run a part of the jobs.
//!
//! ```text
//! shards/2-of-9.jsonl    its lines
//! shards/2-of-9.lock     held while it runs; says where
//! shards/2-of-9.failed   its jobs that failed, with the reason, one JSON a line
//! ```

use super::StoreError;
use super::files::{Lock, SHARDS, failed, write_whole};
use crate::experiment::record::Key;
use crate::experiment::shard::Shard;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A job that failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FailedJob {
    /// Which.
    pub key: Key,
    /// The job and the reason, for a person.
    pub what: String,
}

/// A process that ran, or runs, a part of the jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Worker {
    /// Its part; all jobs without it.
    pub shard: Option<Shard>,
    /// It is still at it.
    pub running: bool,
    /// Machine and process, as it wrote itself.
    pub place: String,
    /// What failed there.
    pub failures: Vec<FailedJob>,
}

/// The segment of a worker.
pub(super) fn path(folder: &Path, shard: Shard) -> PathBuf {
    folder.join(SHARDS).join(format!("{}.jsonl", shard.file_name()))
}

/// Every segment of a store, in the order of their names.
pub(super) fn all(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    files(folder, "jsonl")
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, StoreError> {
    let inside = folder.join(SHARDS);
    let entries = match fs::read_dir(&inside) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(&inside, "read")(e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed(&inside, "read"))?.path();
        if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Holds the lock of a segment, and says in it who does.
pub(super) fn hold(segment: &Path) -> Result<Lock, StoreError> {
    let path = segment.with_extension("lock");
    let lock = Lock::hold(&path)?.ok_or_else(|| StoreError::ShardBusy { path: segment.into() })?;
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut place = format!("{} process {}", host.trim(), std::process::id());
    if let Ok(job) = std::env::var("SLURM_JOB_ID") {
        place += &format!(" Slurm job {job}");
    }
    // Only for people: whether it is held does not depend on it.
    let _ = fs::write(&path, place);
    Ok(lock)
}

/// Writes what failed beside a file of lines; removes the list when nothing did.
pub(super) fn write_failures(lines: &Path, all: &[FailedJob]) -> Result<(), StoreError> {
    let path = lines.with_extension("failed");
    if all.is_empty() {
        return match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(&path, "remove")(e)),
            _ => Ok(()),
        };
    }
    let line = |failure| serde_json::to_string(failure).expect("plain data") + "\n";
    write_whole(&path, all.iter().map(line).collect::<String>().as_bytes())
}

fn read_failures(lines: &Path) -> Vec<FailedJob> {
    let text = fs::read_to_string(lines.with_extension("failed")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Every worker that a store knows of; the one without a part, if it ran, first.
pub(super) fn workers(folder: &Path, records: &Path) -> Result<Vec<Worker>, StoreError> {
    let mut all = Vec::new();
    let main = folder.join("lock");
    if main.exists() {
        let running = Lock::is_held(&main)?;
        let failures = read_failures(records);
        all.push(Worker { shard: None, running, place: String::new(), failures });
    }
    for lock in files(folder, "lock")? {
        let name = lock.file_stem().and_then(|name| name.to_str());
        let Some(shard) = name.and_then(Shard::from_file_name) else { continue };
        let place = fs::read_to_string(&lock).unwrap_or_default();
        let running = Lock::is_held(&lock)?;
        let failures = read_failures(&lock);
        all.push(Worker { shard: Some(shard), running, place, failures });
    }
    all.sort_by_key(|worker| worker.shard);
    Ok(all)
}

/// Removes the segments of workers that are not running: everything they have was merged. What cannot be
/// removed only takes room.
pub(super) fn remove(folder: &Path) {
    for segment in all(folder).unwrap_or_default() {
        let lock = segment.with_extension("lock");
        if let Ok(Some(_held)) = Lock::hold(&lock) {
            for file in [&segment, &segment.with_extension("failed"), &lock] {
                let _ = fs::remove_file(file);
            }
        }
    }
    // Only if it is empty.
    let _ = fs::remove_dir(folder.join(SHARDS));
}

//! Finished runs on disk: append-only while running, sorted when complete.
//!
//! ```text
//! runs/NAME/config.json          the configuration and its SHA-256
//! runs/NAME/records.jsonl        one line per job: checksum, space, JSON
//! runs/NAME/lock                 held by the process that writes
//! runs/NAME/shards/2-of-9.jsonl  lines of a worker with its part of the jobs, until they are merged
//! runs/NAME/partial              jobs that were stopped in the middle
//! runs/NAME/before-1             what --fresh moved aside, or what was there before --repair
//! ```
//! A damaged line blocks the store until it is repaired ([`StoreMode::Repair`]), so that nothing is
//! dropped in silence. A process may be killed at any moment: what a line says is either whole or dropped and said.
//! When every job is there the lines are sorted, so that the bytes do not depend on the order in
//! which jobs ended, nor on who ran them. In memory a store is an index: where the line of each job is, with
//! room for all of them from the start.

mod differences;
mod error;
mod files;
mod lines;
mod repair;
mod segments;

pub use error::StoreError;
pub(super) use files::PARTIAL;
pub use files::write_whole;
pub use segments::FailedJob;
pub(super) use segments::Worker;

use super::parse::Plan;
use super::record::{Key, LineFault, Record};
use super::run::jobs;
use super::shard::Shard;
use crate::hash::sha256_hex;
use differences::differences;
use files::{CONFIG, Lock, RECORDS, failed, interrupted, move_aside, remove_parts, write_whole_by};
use lines::{Index, LINES_A_THREAD, PerJob};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What to do about runs that are there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreMode {
    /// Go on where they end.
    #[default]
    Continue,
    /// Move them aside and start again.
    Fresh,
    /// Keep every good record of a damaged store, say what was dropped, and go on.
    Repair,
    /// Go on as one of many workers: only with this part of the jobs, in a segment of its own. Other workers
    /// may be at theirs at the same time, on this machine or another that sees the folder.
    Shard(Shard),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    sha256: String,
    configuration: Json,
}

impl Header {
    /// What the file says, if it is whole.
    fn read(path: &Path) -> Result<Header, StoreError> {
        // A flipped bit may leave no text.
        let text = fs::read(path).map_err(failed(path, "read"))?;
        let corrupt =
            |problem: String| StoreError::CorruptConfiguration { path: path.into(), problem };
        let header: Header = serde_json::from_slice(&text).map_err(|e| corrupt(e.to_string()))?;
        if sha256_hex(header.configuration.to_string().as_bytes()) != header.sha256 {
            return Err(corrupt("sha256 does not fit the configuration".into()));
        }
        Ok(header)
    }

    fn write(path: &Path, plan: &Plan) -> Result<(), StoreError> {
        let header = Header { sha256: plan.hash(), configuration: plan.canonical.clone() };
        let text = serde_json::to_string_pretty(&header).expect("plain data");
        write_whole(path, (text + "\n").as_bytes())
    }
}

/// The runs of one experiment, open for more.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    hash: String,
    /// The part of the jobs that this process runs; all of them without it.
    shard: Option<Shard>,
    /// Where new lines go.
    path: PathBuf,
    file: File,
    /// The lines of that file.
    index: Index,
    /// Every job of the plan, in order.
    jobs: Arc<[Key]>,
    /// Checksums of jobs that other files of the store have.
    elsewhere: PerJob<u128>,
    _lock: Lock,
    /// What was found and repaired on opening, for the user.
    pub notes: Vec<String>,
}

/// What the bytes of a file of records say; messages call it `path`. `configuration`: the hash that
/// checksums cover. `jobs`: those of the plan, in order.
///
/// # Errors
/// A line that is damaged, contradicts another, or belongs to another configuration.
fn records_in(
    path: &Path,
    bytes: &[u8],
    configuration: &str,
    jobs: &[Key],
) -> Result<BTreeMap<Key, Record>, StoreError> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let found: Vec<Result<(Record, u128), LineFault>> = lines
        .into_par_iter()
        .with_min_len(LINES_A_THREAD)
        .map(|line| Record::from_line(line, configuration))
        .collect();
    let (count, mut records, mut sums) = (found.len(), BTreeMap::new(), BTreeMap::new());
    for (i, found) in found.into_iter().enumerate() {
        let corrupt = |fault| Err(StoreError::corrupt(path, i + 1, fault));
        match found {
            Ok((Record { key, .. }, sum))
                if sums.insert(key, sum).is_some_and(|known| known != sum) =>
            {
                return corrupt(LineFault::Contradicts(key));
            }
            Ok((Record { key, .. }, _)) if jobs.binary_search(&key).is_err() => {
                return corrupt(LineFault::NoSuchJob(key));
            }
            Ok((record, _)) => drop(records.insert(record.key, record)),
            // A last line that is not whole is that of a process that was killed, or is writing.
            Err(_) if i + 1 == count => {}
            Err(fault) => return corrupt(fault),
        }
    }
    Ok(records)
}

impl Store {
    /// Opens the store of `plan` under `root` for writing and makes it if there is none. What workers
    /// left in segments is merged, unless this is one of them.
    ///
    /// # Errors
    /// A folder that cannot be written, another process, another configuration, a corrupt file.
    pub fn open(root: &Path, plan: &Plan, mode: StoreMode) -> Result<Self, StoreError> {
        if let StoreMode::Shard(shard) = mode {
            return Store::open_shard(root, plan, shard);
        }
        let folder = root.join(&plan.spec.name);
        fs::create_dir_all(&folder).map_err(failed(&folder, "make the folder"))?;
        let lock = Lock::hold(&folder.join("lock"))?
            .ok_or_else(|| StoreError::Busy { path: folder.clone() })?;
        // Nobody else is writing here: every part was left by a process that was killed.
        remove_parts(&folder, Duration::ZERO);
        let mut notes = Vec::new();
        match mode {
            StoreMode::Continue | StoreMode::Shard(_) => {}
            StoreMode::Fresh => notes.extend(move_aside(&folder)?),
            StoreMode::Repair => notes.extend(repair::repair(&folder, plan)?),
        }
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            Header::write(&folder.join(CONFIG), plan)?;
        }
        check_header(&folder, plan)?;
        let (hash, path) = (plan.hash(), folder.join(RECORDS));
        let jobs: Arc<[Key]> = jobs(plan).into();
        let (index, file) = Index::open(&path, jobs.clone(), &hash, &mut notes)?;
        let (shard, elsewhere) = (None, PerJob::new(Arc::default()));
        let mut store =
            Store { folder, hash, shard, path, file, index, jobs, elsewhere, _lock: lock, notes };
        for segment in segments::all(&store.folder)? {
            store.absorb(&segment)?;
        }
        Ok(store)
    }

    /// Opens the segment of a worker that runs a part of the jobs.
    ///
    /// # Errors
    /// As [`Store::open`]; another process runs the same shard.
    fn open_shard(root: &Path, plan: &Plan, shard: Shard) -> Result<Self, StoreError> {
        let folder = root.join(&plan.spec.name);
        let path = segments::path(&folder, shard);
        let inside = path.parent().unwrap_or(&folder);
        fs::create_dir_all(inside).map_err(failed(inside, "make the folder"))?;
        let lock = segments::hold(&path)?;
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            // All workers write the same bytes.
            Header::write(&folder.join(CONFIG), plan)?;
        }
        check_header(&folder, plan)?;
        let (hash, mut notes) = (plan.hash(), Vec::new());
        let jobs: Arc<[Key]> = jobs(plan).into();
        let (index, file) = Index::open(&path, jobs.clone(), &hash, &mut notes)?;
        let mut elsewhere = PerJob::new(jobs.clone());
        let others = segments::all(&folder)?.into_iter().filter(|other| *other != path);
        for other in std::iter::once(folder.join(RECORDS)).chain(others) {
            let found = Index::read(&other, jobs.clone(), &hash, &mut Vec::new())?;
            for (key, place) in found.places().iter() {
                elsewhere.set(key, place.sum);
            }
        }
        let shard = Some(shard);
        Ok(Store { folder, hash, shard, path, file, index, jobs, elsewhere, _lock: lock, notes })
    }

    /// The complete runs of `plan` under `root`, by key; writes nothing.
    ///
    /// # Errors
    /// No store, another configuration, a corrupt file, or jobs that are missing.
    pub fn read(
        root: &Path,
        plan: &Plan,
        jobs: &[Key],
    ) -> Result<BTreeMap<Key, Record>, StoreError> {
        let folder = root.join(&plan.spec.name);
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            return Err(StoreError::Nothing { path: folder });
        }
        check_header(&folder, plan)?;
        let path = folder.join(RECORDS);
        let bytes = match fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(failed(&path, "read"))?,
        };
        let stored = records_in(&path, &bytes, &plan.hash(), jobs)?;
        let missing = jobs.iter().filter(|key| !stored.contains_key(key)).count();
        if missing > 0 {
            return Err(StoreError::Incomplete { path: folder, missing, total: jobs.len() });
        }
        Ok(stored)
    }

    /// The records of this file, read again.
    ///
    /// # Errors
    /// The file cannot be read, or was damaged meanwhile.
    #[cfg(test)]
    pub(crate) fn stored(&self) -> Result<BTreeMap<Key, Record>, StoreError> {
        let bytes = fs::read(&self.path).map_err(failed(&self.path, "read"))?;
        records_in(&self.path, &bytes, &self.hash, &self.jobs)
    }

    /// Takes over every record of `other`, a file of lines, that is not here yet; how many there were.
    /// What does not belong here is refused: its checksum covers the configuration.
    ///
    /// # Errors
    /// A corrupt line, one that contradicts what is here (nothing is taken over then), a full disk.
    pub(super) fn absorb(&mut self, other: &Path) -> Result<usize, StoreError> {
        let found = Index::read(other, self.jobs.clone(), &self.hash, &mut self.notes)?;
        for (key, place) in found.places().iter() {
            if self.index.places().get(key).is_some_and(|known| known.sum != place.sum) {
                let (path, line, key) = (other.into(), place.line, *key);
                return Err(StoreError::Contradiction { path, line, key });
            }
        }
        let known = self.index.places();
        let new = || found.places().iter().filter(|(key, _)| known.get(key).is_none());
        let count = new().count();
        if count == 0 {
            return Ok(0);
        }
        self.write(|file| lines::copy(other, new(), &self.hash, file, &self.path))?;
        for (key, place) in found.places().iter() {
            if self.index.places().get(key).is_none() {
                self.index.add(*key, place.sum, place.length).map_err(self.corrupt_end())?;
            }
        }
        self.notes.push(format!("{}: {count} runs merged", other.display()));
        Ok(count)
    }

    /// Takes over what the store of the same experiment in another folder has; how many runs.
    ///
    /// # Errors
    /// As [`Store::open`], for that folder; nothing is written there.
    pub fn merge(&mut self, root: &Path, plan: &Plan) -> Result<usize, StoreError> {
        let folder = root.join(&plan.spec.name);
        if !folder.join(CONFIG).exists() {
            return Err(StoreError::Nothing { path: folder });
        }
        check_header(&folder, plan)?;
        let mut taken = 0;
        let records = folder.join(RECORDS);
        for file in records.exists().then_some(records).into_iter().chain(segments::all(&folder)?) {
            taken += self.absorb(&file)?;
        }
        Ok(taken)
    }

    /// Its folder.
    #[must_use]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the job is done.
    #[must_use]
    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.index.places().get(key).is_some() || self.elsewhere.get(key).is_some()
    }

    /// How many jobs are done and in this file.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.index.places().iter().count()
    }

    /// Whether this process is to run the job.
    pub(super) fn owns(&self, key: &Key) -> bool {
        self.shard.is_none_or(|shard| shard.owns(key))
    }

    /// The hash of the configuration.
    pub(super) fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether what is stored for the job is this record; none if nothing is.
    pub(in crate::experiment) fn agrees(&self, record: &Record) -> Option<bool> {
        let key = &record.key;
        let known = self.index.places().get(key).map(|place| place.sum);
        let known = known.or(self.elsewhere.get(key).copied())?;
        Some(record.to_line(&self.hash).1 == known)
    }

    /// Adds a record and sees it on the disk.
    ///
    /// # Errors
    /// The disk is full or gone; the store then ends with the record before.
    pub(in crate::experiment) fn append(&mut self, record: &Record) -> Result<(), StoreError> {
        let (line, sum) = record.to_line(&self.hash);
        self.write(|file| file.write_all(line.as_bytes()).map_err(failed(&self.path, "write")))?;
        self.index.add(record.key, sum, line.len()).map_err(self.corrupt_end())
    }

    /// Adds lines to the file and sees them on the disk, or leaves it as it was.
    fn write(
        &self,
        lines: impl FnOnce(&mut BufWriter<&File>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut buffer = BufWriter::new(&self.file);
        let written = lines(&mut buffer).and_then(|()| {
            let synced = buffer.flush().and_then(|()| self.file.sync_data());
            synced.map_err(failed(&self.path, "write"))
        });
        written.inspect_err(|_| {
            // What is still in the buffer must not follow.
            drop(buffer.into_parts());
            // A second failure leaves a torn line, which the next opening drops.
            let _ = self.file.set_len(self.index.length());
        })
    }

    /// What is wrong with a line that was added just now.
    fn corrupt_end(&self) -> impl FnOnce(LineFault) -> StoreError {
        let (path, line) = (self.path.clone(), self.index.next_line());
        move |fault| StoreError::corrupt(&path, line, fault)
    }

    /// Keeps what failed for whoever asks, or that nothing did.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub(in crate::experiment) fn keep_failures(&self, all: &[FailedJob]) -> Result<(), StoreError> {
        segments::write_failures(&self.path, all)
    }

    /// Sorts the lines if none of `jobs` is missing; how many are.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub fn complete(&mut self, jobs: &[Key]) -> Result<usize, StoreError> {
        let missing = jobs.iter().filter(|key| self.index.places().get(key).is_none()).count();
        if missing == 0 {
            self.finalise()?;
        }
        Ok(missing)
    }

    /// Every process that is known to have worked on the store of `plan` under `root`, and the jobs that
    /// are done; writes nothing.
    ///
    /// # Errors
    /// No store, another configuration, a corrupt file.
    pub(super) fn survey(
        root: &Path,
        plan: &Plan,
    ) -> Result<(PerJob<()>, Vec<Worker>), StoreError> {
        let folder = root.join(&plan.spec.name);
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            return Err(StoreError::Nothing { path: folder });
        }
        check_header(&folder, plan)?;
        let jobs: Arc<[Key]> = jobs(plan).into();
        let mut done = PerJob::new(jobs.clone());
        for file in std::iter::once(folder.join(RECORDS)).chain(segments::all(&folder)?) {
            let index = Index::read(&file, jobs.clone(), &plan.hash(), &mut Vec::new())?;
            for (key, _) in index.places().iter() {
                done.set(key, ());
            }
        }
        let workers = segments::workers(&folder, &folder.join(RECORDS))?;
        Ok((done, workers))
    }

    /// Sorts the lines of a store that is complete; the old file stays until the new one is whole. The
    /// segments, all of which is in it then, go. A worker has nothing to sort.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub(in crate::experiment) fn finalise(&mut self) -> Result<(), StoreError> {
        if self.shard.is_some() {
            return Ok(());
        }
        if !self.index.is_sorted() {
            let (path, all) = (&self.path, self.index.places().iter());
            write_whole_by(path, |to| lines::copy(path, all, &self.hash, to, path))?;
            let file = OpenOptions::new().append(true).open(path);
            self.file = file.map_err(failed(path, "write"))?;
            self.index = self.index.sorted();
        }
        segments::remove(&self.folder);
        Ok(())
    }
}

/// The configuration of the store in `folder` is that of `plan`.
fn check_header(folder: &Path, plan: &Plan) -> Result<(), StoreError> {
    if !folder.join(CONFIG).exists() {
        let aside = interrupted(folder);
        return Err(StoreError::Headless { path: folder.into(), aside });
    }
    let header = Header::read(&folder.join(CONFIG))?;
    if header.sha256 == plan.hash() {
        return Ok(());
    }
    let mut lines = Vec::new();
    differences("", &header.configuration, &plan.canonical, &mut lines);
    let more = lines.len().saturating_sub(10);
    lines.truncate(10);
    lines.extend((more > 0).then(|| format!("  and {more} more")));
    Err(StoreError::OtherConfiguration { path: folder.into(), differences: lines.join("\n") })
}

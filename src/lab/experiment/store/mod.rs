//! Finished runs on disk: append-only while running, sorted when complete.
//!
//! ```text
//! runs/NAME/config.json     the configuration and its SHA-256
//! runs/NAME/records.jsonl   one line per job: checksum, space, JSON
//! runs/NAME/lock            held by the process that writes
//! runs/NAME/before-1        what --fresh moved aside, or what was there before --repair
//! ```
//! A damaged line blocks the store until it is repaired ([`StoreMode::Repair`]), so that nothing is
//! dropped in silence. A process may be killed at any moment: what a line says is either whole or dropped and said.
//! When every job is there the lines are sorted, so that the bytes do not depend on the order in
//! which jobs ended.

mod differences;
mod files;
mod repair;

pub use files::write_whole;

use super::parse::Plan;
use super::record::{Key, LineFault, Record};
use crate::hash::sha256_hex;
use differences::differences;
use files::{CONFIG, Lock, RECORDS, failed, interrupted, move_aside, remove_parts};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
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
        source: LineFault,
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
        let text = fs::read_to_string(path).map_err(failed(path, "read"))?;
        let corrupt =
            |problem: String| StoreError::CorruptConfiguration { path: path.into(), problem };
        let header: Header = serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))?;
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

/// The runs of one experiment.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    hash: String,
    records: BTreeMap<Key, Record>,
    /// For appending, with the length up to which it is whole.
    writer: Option<(File, u64)>,
    _lock: Option<Lock>,
    notes: Vec<String>,
}

impl Store {
    /// Opens the store of `plan` under `root` for writing and makes it if there is none.
    ///
    /// # Errors
    /// A folder that cannot be written, another process, another configuration, a corrupt file.
    pub fn open(root: &Path, plan: &Plan, mode: StoreMode) -> Result<Self, StoreError> {
        let folder = root.join(&plan.spec.name);
        fs::create_dir_all(&folder).map_err(failed(&folder, "make the folder"))?;
        let lock = Lock::hold(&folder)?;
        // Nobody else is writing here: every part was left by a process that was killed.
        remove_parts(&folder, Duration::ZERO);
        let mut notes = Vec::new();
        match mode {
            StoreMode::Continue => {}
            StoreMode::Fresh => notes.extend(move_aside(&folder)?),
            StoreMode::Repair => notes.extend(repair::repair(&folder, plan)?),
        }
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            Header::write(&folder.join(CONFIG), plan)?;
        }
        let mut store = Store::load(folder, plan, notes)?;
        store._lock = Some(lock);
        let path = store.records_path();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(failed(&path, "write"))?;
        let whole = store.writer.take().map_or(0, |(_, whole)| whole);
        file.set_len(whole).map_err(failed(&path, "write"))?;
        store.writer = Some((file, whole));
        Ok(store)
    }

    /// Reads the complete store of `plan` under `root`, and writes nothing.
    ///
    /// # Errors
    /// No store, another configuration, a corrupt file, or jobs that are missing.
    pub fn read(root: &Path, plan: &Plan, jobs: &[Key]) -> Result<Self, StoreError> {
        let folder = root.join(&plan.spec.name);
        if !folder.join(CONFIG).exists() && !folder.join(RECORDS).exists() {
            return Err(StoreError::Nothing { path: folder });
        }
        let mut store = Store::load(folder, plan, Vec::new())?;
        store.writer = None;
        let missing = jobs.iter().filter(|key| !store.records.contains_key(key)).count();
        if missing > 0 {
            let (path, total) = (store.folder, jobs.len());
            return Err(StoreError::Incomplete { path, missing, total });
        }
        Ok(store)
    }

    fn load(folder: PathBuf, plan: &Plan, notes: Vec<String>) -> Result<Self, StoreError> {
        if !folder.join(CONFIG).exists() {
            let aside = interrupted(&folder);
            return Err(StoreError::Headless { path: folder, aside });
        }
        let header = Header::read(&folder.join(CONFIG))?;
        let hash = plan.hash();
        if hash != header.sha256 {
            let mut lines = Vec::new();
            differences("", &header.configuration, &plan.canonical, &mut lines);
            let more = lines.len().saturating_sub(10);
            lines.truncate(10);
            lines.extend((more > 0).then(|| format!("  and {more} more")));
            let differences = lines.join("\n");
            return Err(StoreError::OtherConfiguration { path: folder, differences });
        }
        let records = BTreeMap::new();
        let mut store = Store { folder, hash, records, writer: None, _lock: None, notes };
        store.load_records()?;
        Ok(store)
    }

    fn load_records(&mut self) -> Result<(), StoreError> {
        let path = self.records_path();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(failed(&path, "read")(e)),
        };
        let mut whole = 0;
        for (i, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            let last = whole + line.len() == bytes.len();
            let record = Record::from_line(line, &self.hash);
            let corrupt = |source| StoreError::Corrupt { path: path.clone(), line: i + 1, source };
            match record {
                Ok(record) => {
                    let key = record.key;
                    if self.records.insert(key, record.clone()).is_some_and(|r| r != record) {
                        return Err(corrupt(LineFault::Contradicts(key)));
                    }
                    whole += line.len();
                }
                // What a process that was killed leaves behind.
                Err(fault) if last => self.notes.push(format!(
                    "{}, line {}: {fault}; the run it was for is done again",
                    path.display(),
                    i + 1
                )),
                Err(fault) => return Err(corrupt(fault)),
            }
        }
        let file = File::open(&path).map_err(failed(&path, "read"))?;
        self.writer = Some((file, whole as u64));
        Ok(())
    }

    fn records_path(&self) -> PathBuf {
        self.folder.join(RECORDS)
    }

    /// Its folder.
    #[must_use]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was found and repaired on opening, for the user.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The records so far, by key.
    #[must_use]
    pub fn records(&self) -> &BTreeMap<Key, Record> {
        &self.records
    }

    /// Adds a record and sees it on the disk.
    ///
    /// # Errors
    /// The disk is full or gone; the store then ends with the record before.
    pub(in crate::experiment) fn append(&mut self, record: Record) -> Result<(), StoreError> {
        let path = self.records_path();
        let line = record.to_line(&self.hash) + "\n";
        let Some((file, whole)) = &mut self.writer else {
            let source = io::Error::other("the store was opened for reading");
            return Err(failed(&path, "write")(source));
        };
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        if let Err(source) = written {
            // A second failure leaves a torn line, which the next opening drops.
            let _ = file.set_len(*whole);
            return Err(failed(&path, "write")(source));
        }
        *whole += line.len() as u64;
        self.records.insert(record.key, record);
        Ok(())
    }

    /// Sorts the lines. The old file stays until the new one is whole.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub(in crate::experiment) fn finalise(&mut self) -> Result<(), StoreError> {
        let path = self.records_path();
        let lines = self.records.values().map(|r| r.to_line(&self.hash) + "\n");
        let text: String = lines.collect();
        let old = fs::read(&path).map_err(failed(&path, "read"))?;
        if old != text.as_bytes() {
            write_whole(&path, text.as_bytes())?;
            let file = OpenOptions::new().append(true).open(&path);
            let file = file.map_err(failed(&path, "write"))?;
            self.writer = Some((file, text.len() as u64));
        }
        Ok(())
    }
}

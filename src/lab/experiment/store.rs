//! Finished runs on disk: append-only while running, sorted when complete.
//!
//! ```text
//! runs/NAME/config.json     the configuration and its SHA-256
//! runs/NAME/records.jsonl   one line per job: checksum, space, JSON
//! runs/NAME/lock            held by the process that writes
//! ```
//! A process may be killed at any moment: what a line says is either whole or dropped and said.
//! When every job is there the lines are sorted, so that the bytes do not depend on the order in
//! which jobs ended.

use super::parse::Plan;
use super::record::{Key, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Something is wrong with the store, and it was left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("{path}: cannot {action}: {source}; what was stored before is intact")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error(
        "{path}: another process is running this experiment; wait for it, or use another --store"
    )]
    Busy { path: PathBuf },
    #[error(
        "{path} holds runs of another configuration, which cannot be continued:\n{differences}\nuse another --store folder or another name, or --fresh to move those runs aside"
    )]
    OtherConfiguration { path: PathBuf, differences: String },
    #[error(
        "{path}, line {line}: {what}; the file is corrupt and is not used: restore it from a copy, or start again with --fresh"
    )]
    Corrupt { path: PathBuf, line: usize, what: String },
    #[error("{path}: there are no stored runs; run the experiment first")]
    Nothing { path: PathBuf },
    #[error(
        "{path}: {missing} of {total} runs are missing; run the experiment again, it continues where it was"
    )]
    Incomplete { path: PathBuf, missing: usize, total: usize },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    sha256: String,
    configuration: Json,
}

/// A lock that is given back by name: closing the file alone does not free it while a child process
/// that some other thread is just starting has a copy of the descriptor.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the end of the process frees it as well.
        let _ = self.0.unlock();
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
    /// Opens the store of `plan` under `root` for writing and makes it if there is none. With
    /// `fresh`, runs that are there are moved aside first.
    ///
    /// # Errors
    /// A folder that cannot be written, another process, another configuration, a corrupt file.
    pub fn open(root: &Path, plan: &Plan, fresh: bool) -> Result<Self, StoreError> {
        let folder = root.join(&plan.spec.name);
        fs::create_dir_all(&folder).map_err(failed(&folder, "make the folder"))?;
        let path = folder.join("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(failed(&path, "write"))?;
        let lock = match lock.try_lock() {
            Ok(()) => Lock(lock),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { path: folder }),
            Err(TryLockError::Error(e)) => return Err(failed(&path, "lock")(e)),
        };
        let mut notes = Vec::new();
        if fresh {
            notes.extend(move_aside(&folder)?);
        }
        let header = folder.join("config.json");
        if !header.exists() && !folder.join("records.jsonl").exists() {
            let text = serde_json::to_string_pretty(&Header {
                sha256: plan.hash(),
                configuration: plan.canonical.clone(),
            });
            write_whole(&header, (text.expect("plain data") + "\n").as_bytes())?;
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
        if !folder.join("config.json").exists() {
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
        let path = folder.join("config.json");
        let text = fs::read_to_string(&path).map_err(failed(&path, "read"))?;
        let corrupt =
            |path: &Path, line, what: String| StoreError::Corrupt { path: path.into(), line, what };
        let header: Header =
            serde_json::from_str(&text).map_err(|e| corrupt(&path, e.line(), e.to_string()))?;
        let hash = super::seed::sha256_hex(header.configuration.to_string().as_bytes());
        if hash != header.sha256 {
            return Err(corrupt(&path, 1, "sha256 does not fit the configuration".into()));
        }
        if hash != plan.hash() {
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
            let record = match line.strip_suffix(b"\n") {
                Some(line) => Record::from_line(line, &self.hash),
                None => Err("it has no end".to_string()),
            };
            let corrupt = |what| StoreError::Corrupt { path: path.clone(), line: i + 1, what };
            match record {
                Ok(record) => {
                    let key = record.key;
                    if self.records.insert(key, record.clone()).is_some_and(|r| r != record) {
                        return Err(corrupt(format!("it contradicts another line for {key:?}")));
                    }
                    whole += line.len();
                }
                // What a process that was killed leaves behind.
                Err(what) if last => self.notes.push(format!(
                    "{}, line {}: {what}; the run it was for is done again",
                    path.display(),
                    i + 1
                )),
                Err(what) => return Err(corrupt(what)),
            }
        }
        let file = File::open(&path).map_err(failed(&path, "read"))?;
        self.writer = Some((file, whole as u64));
        Ok(())
    }

    fn records_path(&self) -> PathBuf {
        self.folder.join("records.jsonl")
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was found and repaired on opening, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The records so far, by key.
    pub fn records(&self) -> &BTreeMap<Key, Record> {
        &self.records
    }

    /// Adds a record and sees it on the disk.
    ///
    /// # Errors
    /// The disk is full or gone; the store then ends with the record before.
    pub fn append(&mut self, record: Record) -> Result<(), StoreError> {
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
    pub fn finalise(&mut self) -> Result<(), StoreError> {
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

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Io { path, action, source }
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// The folder cannot be written or the disk is full; a file that was there before is untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        // Temporary files are private; reports and runs are not.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    write().map_err(failed(path, "write"))
}

/// Moves the files of a store to `before-N` inside its folder.
fn move_aside(folder: &Path) -> Result<Option<String>, StoreError> {
    let files = ["config.json", "records.jsonl"].map(|name| (name, folder.join(name)));
    if files.iter().all(|(_, path)| !path.exists()) {
        return Ok(None);
    }
    let free = (1..).map(|i| folder.join(format!("before-{i}"))).find(|path| !path.exists());
    let aside = free.expect("there is always another number");
    fs::create_dir(&aside).map_err(failed(&aside, "make the folder"))?;
    for (name, path) in files.iter().filter(|(_, path)| path.exists()) {
        fs::rename(path, aside.join(name)).map_err(failed(path, "move"))?;
    }
    Ok(Some(format!("earlier runs were moved to {}", aside.display())))
}

/// `path: old -> new` for everything that differs.
fn differences(at: &str, old: &Json, new: &Json, out: &mut Vec<String>) {
    let inside = |key: &str| if at.is_empty() { key.to_string() } else { format!("{at}.{key}") };
    match (old, new) {
        (Json::Object(a), Json::Object(b)) => {
            let added = b.keys().filter(|k| !a.contains_key(*k));
            for key in a.keys().chain(added) {
                let of = |side: &serde_json::Map<String, Json>| side.get(key).cloned();
                let (a, b) = (of(a).unwrap_or(Json::Null), of(b).unwrap_or(Json::Null));
                differences(&inside(key), &a, &b, out);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}[{i}]"), a, b, out);
            }
        }
        _ if old != new => out.push(format!("  {at}: stored {old}, now {new}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a child process holds between its fork and its exec.
    #[test]
    fn a_copied_descriptor_does_not_keep_the_lock() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || OpenOptions::new().write(true).open(file.path()).unwrap();
        let first = open();
        first.try_lock().unwrap();
        let copy = first.try_clone().unwrap();
        let lock = Lock(first);
        assert!(matches!(open().try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        open().try_lock().unwrap();
        drop(copy);
    }
}

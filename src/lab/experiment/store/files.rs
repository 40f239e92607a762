//! Files of a store: whole or not there, moved aside and never deleted, locked while written.

use super::StoreError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The configuration and its `SHA-256`.
pub(super) const CONFIG: &str = "config.json";

/// One line per job.
pub(super) const RECORDS: &str = "records.jsonl";

/// Segments of workers.
pub(super) const SHARDS: &str = "shards";

/// Jobs that were stopped in the middle.
pub(in crate::experiment) const PARTIAL: &str = "partial";

/// How the name of a file begins while it is written.
const PART: &str = ".part-";

/// A part that was not written to for so long belongs to a process that is gone.
const STALE: Duration = Duration::from_secs(3600);

/// A lock that is given back by name: closing the file alone does not free it while a child process
/// that some other thread is just starting has a copy of the descriptor.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the end of the process frees it as well.
        let _ = self.0.unlock();
    }
}

impl Lock {
    /// Holds the lock of a file for as long as this lives; none if somebody else does.
    pub(super) fn hold(path: &Path) -> Result<Option<Lock>, StoreError> {
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let lock = lock.map_err(failed(path, "write"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Lock(lock))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(failed(path, "lock")(e)),
        }
    }

    /// Whether somebody holds the lock of a file that is there.
    pub(super) fn is_held(path: &Path) -> Result<bool, StoreError> {
        let lock = File::open(path).map_err(failed(path, "read"))?;
        match lock.try_lock_shared() {
            Ok(()) => {
                drop(Lock(lock));
                Ok(false)
            }
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(e)) => Err(failed(path, "lock")(e)),
        }
    }
}

pub(super) fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Io { path, action, source }
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// The folder cannot be written or the disk is full; a file that was there before is untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_whole_by(path, |file| file.write_all(bytes).map_err(failed(path, "write")))
}

/// As [`write_whole`], with what `content` writes.
pub(super) fn write_whole_by(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<&File>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = || -> io::Result<NamedTempFile> {
        fs::create_dir_all(folder)?;
        remove_parts(folder, STALE);
        tempfile::Builder::new().prefix(PART).tempfile_in(folder)
    };
    let file = part().map_err(failed(path, "write"))?;
    let mut buffer = BufWriter::new(file.as_file());
    content(&mut buffer)?;
    let written = buffer.flush();
    drop(buffer);
    let keep = || -> io::Result<()> {
        written?;
        file.as_file().sync_data()?;
        // Temporary files are private; reports and runs are not.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|e| e.error)?;
        // So that the new name outlives a power cut too; folders that cannot be synced are none of ours.
        let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    keep().map_err(failed(path, "write"))
}

/// Removes what processes that were killed left of files they were writing. `age`: for how long
/// nothing was written to them; nothing at all where a lock says that nobody else is writing.
pub(super) fn remove_parts(folder: &Path, age: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let part = entry.file_name().to_string_lossy().starts_with(PART);
        let changed = entry.metadata().and_then(|about| about.modified()).ok();
        let old = changed.and_then(|at| at.elapsed().ok()).is_none_or(|since| since >= age);
        if part && old {
            // What stays behind is no reason to stop.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The folders `before-N` inside `folder`, in order, and the first that is free.
fn before(folder: &Path) -> (Option<PathBuf>, PathBuf) {
    let mut last = None;
    for i in 1.. {
        let path = folder.join(format!("before-{i}"));
        if !path.exists() {
            return (last, path);
        }
        last = Some(path);
    }
    unreachable!("there is always another number")
}

/// Where an interrupted `--fresh` moved the configuration of the records that are still here.
pub(super) fn interrupted(folder: &Path) -> Option<PathBuf> {
    let (last, _) = before(folder);
    last.filter(|last| last.join(CONFIG).exists() && !last.join(RECORDS).exists())
}

/// Moves the files of a store to `before-N` inside its folder; what an earlier call moved before it was
/// interrupted gets the rest.
pub(super) fn move_aside(folder: &Path) -> Result<Option<String>, StoreError> {
    let files: Vec<&str> = [CONFIG, RECORDS, SHARDS, PARTIAL]
        .into_iter()
        .filter(|f| folder.join(f).exists())
        .collect();
    if files.is_empty() {
        return Ok(None);
    }
    let aside = match interrupted(folder) {
        Some(aside) if !files.contains(&CONFIG) => aside,
        _ => make_before(folder)?,
    };
    for name in files {
        let path = folder.join(name);
        fs::rename(&path, aside.join(name)).map_err(failed(&path, "move"))?;
    }
    Ok(Some(format!("earlier runs were moved to {}", aside.display())))
}

/// Copies the files of a store to `before-N` inside its folder, before they are repaired.
pub(super) fn copy_aside(folder: &Path) -> Result<PathBuf, StoreError> {
    let aside = make_before(folder)?;
    for name in [CONFIG, RECORDS] {
        let path = folder.join(name);
        if path.exists() {
            fs::copy(&path, aside.join(name)).map_err(failed(&path, "copy"))?;
        }
    }
    Ok(aside)
}

fn make_before(folder: &Path) -> Result<PathBuf, StoreError> {
    let (_, aside) = before(folder);
    fs::create_dir(&aside).map_err(failed(&aside, "make the folder"))?;
    Ok(aside)
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

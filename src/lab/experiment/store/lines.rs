//! Where the line of each job is in a file of lines.
//!
//! Nothing here grows with the jobs that are done: an index has room for every job of its plan from the
//! start, and a file is read a block of lines at a time.

use super::StoreError;
use super::files::failed;
use crate::experiment::record::{Key, LineFault, key_of_line};
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Fewer lines are read faster than another thread wakes up.
pub(super) const LINES_A_THREAD: usize = 64;

/// Bytes that are read at a time: some thousand lines, so that all threads have work.
const BLOCK: u64 = 1 << 20;

/// One value for each job of a plan.
#[derive(Debug)]
pub(in crate::experiment) struct PerJob<T> {
    /// In order.
    jobs: Arc<[Key]>,
    values: Vec<Option<T>>,
}

impl<T: Clone> PerJob<T> {
    /// None for any of `jobs`, which are sorted.
    pub(super) fn new(jobs: Arc<[Key]>) -> Self {
        debug_assert!(jobs.is_sorted(), "jobs come in the order of the finished store");
        let values = vec![None; jobs.len()];
        PerJob { jobs, values }
    }

    pub(in crate::experiment) fn get(&self, key: &Key) -> Option<&T> {
        self.values[self.jobs.binary_search(key).ok()?].as_ref()
    }

    /// Sets the value of a job; what it was before. None if the plan has no such job.
    pub(super) fn set(&mut self, key: &Key, value: T) -> Option<Option<T>> {
        let at = self.jobs.binary_search(key).ok()?;
        Some(self.values[at].replace(value))
    }

    /// Jobs that have a value, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &T)> {
        self.jobs.iter().zip(&self.values).filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its checksum, which is that of the same record anywhere.
    pub sum: u128,
    start: u64,
    /// With its end.
    pub length: usize,
    /// Counted from 1.
    pub line: usize,
}

/// Every job of a plan, and where its line is in a file.
#[derive(Debug)]
pub(super) struct Index {
    places: PerJob<Place>,
    /// Up to which the file is whole.
    length: u64,
    lines: usize,
}

impl Index {
    /// Of an empty file.
    fn new(jobs: Arc<[Key]>) -> Self {
        Index { places: PerJob::new(jobs), length: 0, lines: 0 }
    }

    /// Reads a file, which need not be there. A last line that is not whole, left by a process that was
    /// killed or is still writing, is told and not counted.
    pub(super) fn read(
        path: &Path,
        jobs: Arc<[Key]>,
        configuration: &str,
        notes: &mut Vec<String>,
    ) -> Result<Index, StoreError> {
        let mut index = Index::new(jobs);
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(index),
            Err(e) => return Err(failed(path, "read")(e)),
        };
        // Of the line before, which was not the last if there is another.
        let mut fault: Option<LineFault> = None;
        let mut block = Vec::new();
        loop {
            let more = Read::by_ref(&mut file).take(BLOCK).read_to_end(&mut block);
            let ended = more.map_err(failed(path, "read"))? == 0;
            let whole = block.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
            let end = if ended { block.len() } else { whole };
            let lines: Vec<&[u8]> = block[..end].split_inclusive(|&b| b == b'\n').collect();
            let found: Vec<_> = lines
                .par_iter()
                .with_min_len(LINES_A_THREAD)
                .map(|line| (line.len(), key_of_line(line, configuration)))
                .collect();
            for (length, found) in found {
                if let Some(fault) = fault.take() {
                    return Err(StoreError::corrupt(path, index.next_line(), fault));
                }
                fault = found.and_then(|(key, sum)| index.add_new(key, sum, length)).err();
            }
            block.drain(..end);
            if ended {
                break;
            }
        }
        match fault {
            // Its checksum fits, so it was not torn.
            Some(fault @ (LineFault::Contradicts(_) | LineFault::NoSuchJob(_))) => {
                return Err(StoreError::corrupt(path, index.next_line(), fault));
            }
            Some(fault) => notes.push(format!(
                "{}, line {}: {fault}; the run it was for is done again",
                path.display(),
                index.next_line()
            )),
            None => {}
        }
        Ok(index)
    }

    /// Reads a file and opens it for more lines after the last whole one.
    pub(super) fn open(
        path: &Path,
        jobs: Arc<[Key]>,
        configuration: &str,
        notes: &mut Vec<String>,
    ) -> Result<(Index, File), StoreError> {
        let index = Index::read(path, jobs, configuration, notes)?;
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(failed(path, "write"))?;
        file.set_len(index.length).map_err(failed(path, "write"))?;
        Ok((index, file))
    }

    /// Notes a line at the end of the file, unless it contradicts another or is for no job.
    fn add_new(&mut self, key: Key, sum: u128, length: usize) -> Result<(), LineFault> {
        if self.places.get(&key).is_some_and(|known| known.sum != sum) {
            return Err(LineFault::Contradicts(key));
        }
        self.add(key, sum, length)
    }

    /// Notes a line at the end of the file.
    pub(super) fn add(&mut self, key: Key, sum: u128, length: usize) -> Result<(), LineFault> {
        let place = Place { sum, start: self.length, length, line: self.lines + 1 };
        self.places.set(&key, place).ok_or(LineFault::NoSuchJob(key))?;
        self.lines += 1;
        self.length += length as u64;
        Ok(())
    }

    pub(super) fn places(&self) -> &PerJob<Place> {
        &self.places
    }

    /// The number of the line that comes next, counted from 1.
    pub(super) fn next_line(&self) -> usize {
        self.lines + 1
    }

    /// Bytes of the whole lines.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Every job has one line, and they are in order.
    pub(super) fn is_sorted(&self) -> bool {
        let mut end = 0;
        let follows = |(_, place): (&Key, &Place)| {
            let start = std::mem::replace(&mut end, place.start + place.length as u64);
            place.start == start
        };
        self.places.iter().all(follows) && end == self.length
    }

    /// The index of the lines that [`copy`] writes of this one.
    pub(super) fn sorted(&self) -> Index {
        let mut sorted = Index::new(self.places.jobs.clone());
        for (key, place) in self.places.iter() {
            sorted.add(*key, place.sum, place.length).expect("the same jobs");
        }
        sorted
    }
}

/// Writes lines of the file `from`. They are read a second time here: what is no longer what the index saw
/// is refused.
pub(super) fn copy<'a>(
    from: &Path,
    lines: impl Iterator<Item = (&'a Key, &'a Place)>,
    configuration: &str,
    to: &mut impl Write,
    destination: &Path,
) -> Result<(), StoreError> {
    let mut file = BufReader::new(File::open(from).map_err(failed(from, "read"))?);
    let (mut at, mut line) = (0, Vec::new());
    for (key, place) in lines {
        let skip = place.start.wrapping_sub(at) as i64;
        line.resize(place.length, 0);
        let read = file.seek_relative(skip).and_then(|()| file.read_exact(&mut line));
        read.map_err(failed(from, "read"))?;
        at = place.start + place.length as u64;
        let corrupt = |fault| StoreError::corrupt(from, place.line, fault);
        if key_of_line(&line, configuration).map_err(corrupt)? != (*key, place.sum) {
            return Err(corrupt(LineFault::Contradicts(*key)));
        }
        to.write_all(&line).map_err(failed(destination, "write"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::metrics::Series;
    use crate::experiment::record::{Record, RunOutcome};

    fn record(run: u32) -> Record {
        let key = Key { point: 0, stream: 0, policy: Some(0), run };
        Record { key, seed: 1, outcome: RunOutcome::Series(Series::default()) }
    }

    /// Lines are copied in the order of their jobs, and none that was exchanged after it was checked.
    #[test]
    fn what_is_copied_is_what_was_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let line = |run| record(run).to_line("c").0;
        std::fs::write(&path, line(1) + &line(0)).unwrap();
        let jobs = [record(0).key, record(1).key];
        let index = Index::read(&path, Arc::new(jobs), "c", &mut Vec::new()).unwrap();
        assert!(!index.is_sorted() && index.sorted().is_sorted());
        let copied = || {
            let mut to = Vec::new();
            copy(&path, index.places().iter(), "c", &mut to, &path).map(|()| to)
        };
        assert_eq!(copied().unwrap(), (line(0) + &line(1)).into_bytes());
        let exchanged = line(1) + &line(1);
        std::fs::write(&path, exchanged).unwrap();
        assert!(copied().unwrap_err().to_string().contains("line 2"));
        std::fs::write(&path, (line(1) + &line(0)).replace("\"seed\":1", "\"seed\":2")).unwrap();
        assert!(copied().unwrap_err().to_string().contains("line 2"));
    }
}

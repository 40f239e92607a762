//! Where the line of each job is in a file of lines.

use super::StoreError;
use super::files::failed;
use crate::experiment::record::{Key, LineFault, key_of_line};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Fewer lines are read faster than another thread wakes up.
pub(super) const LINES_A_THREAD: usize = 64;

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

impl Place {
    /// The line among the bytes of its file.
    pub(super) fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start as usize..][..self.length]
    }
}

/// Every job of a file, and where its line is.
#[derive(Debug, Default)]
pub(super) struct Index {
    places: BTreeMap<Key, Place>,
    /// Up to which the file is whole.
    length: u64,
    lines: usize,
}

impl Index {
    /// Reads a file, which need not be there; its bytes too.
    pub(super) fn read(
        path: &Path,
        configuration: &str,
        notes: &mut Vec<String>,
    ) -> Result<(Index, Vec<u8>), StoreError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(failed(path, "read")(e)),
        };
        Ok((Index::of(path, &bytes, configuration, notes)?, bytes))
    }

    /// The index of the bytes of a file. A last line that is not whole, left by a process that was killed
    /// or is still writing, is told and not counted.
    pub(super) fn of(
        path: &Path,
        bytes: &[u8],
        configuration: &str,
        notes: &mut Vec<String>,
    ) -> Result<Index, StoreError> {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
        let found: Vec<Result<(Key, u128), LineFault>> = lines
            .par_iter()
            .with_min_len(LINES_A_THREAD)
            .map(|line| key_of_line(line, configuration))
            .collect();
        let mut index = Index::default();
        for (i, (line, found)) in lines.iter().zip(found).enumerate() {
            let corrupt = |fault| StoreError::corrupt(path, i + 1, fault);
            match found {
                Ok((key, sum)) => {
                    if index.add(key, sum, line.len()).is_some_and(|known| known != sum) {
                        return Err(corrupt(LineFault::Contradicts(key)));
                    }
                }
                Err(fault) if i + 1 == lines.len() => notes.push(format!(
                    "{}, line {}: {fault}; the run it was for is done again",
                    path.display(),
                    i + 1
                )),
                Err(fault) => return Err(corrupt(fault)),
            }
        }
        Ok(index)
    }

    /// Reads a file and opens it for more lines after the last whole one.
    pub(super) fn open(
        path: &Path,
        configuration: &str,
        notes: &mut Vec<String>,
    ) -> Result<(Index, File), StoreError> {
        let (index, _) = Index::read(path, configuration, notes)?;
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(failed(path, "write"))?;
        file.set_len(index.length).map_err(failed(path, "write"))?;
        Ok((index, file))
    }

    /// Notes a line at the end of the file; the checksum of the line that was known for the job before.
    pub(super) fn add(&mut self, key: Key, sum: u128, length: usize) -> Option<u128> {
        self.lines += 1;
        let place = Place { sum, start: self.length, length, line: self.lines };
        self.length += length as u64;
        self.places.insert(key, place).map(|known| known.sum)
    }

    pub(super) fn contains(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn places(&self) -> &BTreeMap<Key, Place> {
        &self.places
    }

    /// Bytes of the whole lines.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Every line once, in the order of the jobs.
    pub(super) fn sorted(&self, bytes: &[u8]) -> Vec<u8> {
        self.places.values().flat_map(|place| place.of(bytes)).copied().collect()
    }

    /// The index of what [`Index::sorted`] gives.
    pub(super) fn sort(&mut self) {
        let old = std::mem::take(self);
        for (key, place) in old.places {
            self.add(key, place.sum, place.length);
        }
    }
}

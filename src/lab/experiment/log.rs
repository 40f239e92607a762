//! A log of every round, on request: one JSON object a line.
//!
//! ```text
//! {"stream":"tickets","policy":"belief","run":0,"round":1,"available":["ann","bot"],
//!  "q":[0.2,0.2,0.2,0.2,0.2],"action":"bot","outcome":{"loss":0.09,"correct":true}}
//! ```
//! `q` has the classes first, then who is available. What is not known is not there: `correct` without a
//! label, `reward` and `price` where the stream has none. Every job writes a part of its own, and the
//! parts are put together in the order of the jobs, so that the file is the same whatever the threads.

use super::names::Names;
use super::record::Key;
use super::store::StoreError;
use crate::rounds::{Event, Observer};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The log of an experiment, part by part.
#[derive(Debug)]
pub(super) struct Logs {
    path: PathBuf,
    parts: tempfile::TempDir,
}

impl Logs {
    /// A log that will be at `path`.
    ///
    /// # Errors
    /// Nothing can be written beside it.
    pub(super) fn new(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parts = tempfile::Builder::new().prefix(".log-").tempdir_in(folder);
        let parts = parts.map_err(|source| failed(path, source))?;
        Ok(Logs { path: path.into(), parts })
    }

    fn part(&self, key: &Key) -> PathBuf {
        let Key { point, stream, policy, run } = key;
        self.parts.path().join(format!("{point}-{stream}-{}-{run}", policy.unwrap_or(usize::MAX)))
    }

    /// The part of one job.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn start<'a>(
        &self,
        key: &Key,
        head: Head<'a>,
        names: &'a Names,
    ) -> Result<RoundLog<'a>, StoreError> {
        let file = File::create(self.part(key)).map_err(|source| failed(&self.path, source))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(RoundLog { path: self.path.clone(), out, head, names, line: Vec::new(), failed: None })
    }

    /// Puts the parts of `keys` together, in that order.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub(super) fn finish(self, keys: &[Key]) -> Result<(), StoreError> {
        let whole = || -> io::Result<()> {
            let mut all = tempfile::NamedTempFile::new_in(self.parts.path())?;
            for key in keys {
                match File::open(self.part(key)) {
                    Ok(mut part) => io::copy(&mut part, &mut all).map(drop)?,
                    // A job that was not run, or not as far as its first round.
                    Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                    Err(e) => return Err(e),
                }
            }
            all.as_file().sync_data()?;
            all.persist(&self.path)?;
            Ok(())
        };
        whole().map_err(|source| failed(&self.path, source))
    }
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { path: path.into(), action: "write", source }
}

/// Whose rounds they are.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Head<'a> {
    /// Swept settings, where there are any.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) settings: &'a str,
    pub(super) stream: &'a str,
    pub(super) policy: &'a str,
    pub(super) run: u32,
}

/// The rounds of one job.
#[derive(Debug)]
pub(super) struct RoundLog<'a> {
    path: PathBuf,
    out: BufWriter<File>,
    head: Head<'a>,
    names: &'a Names,
    line: Vec<u8>,
    failed: Option<io::Error>,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    round: u64,
    available: Vec<&'a str>,
    q: &'a [f64],
    action: &'a str,
    outcome: Outcome,
}

#[derive(Serialize)]
struct Outcome {
    /// Of the sampled action, in `[0, 1]`.
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    correct: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reward: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
}

impl RoundLog<'_> {
    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let (round, names) = (event.round, self.names);
        let earned = round.earned(event.action);
        let line = Line {
            head: self.head,
            round: event.t,
            available: round.active.experts().map(|j| names.experts[j].as_str()).collect(),
            q: event.decision.q,
            action: names.action(event.action),
            outcome: Outcome {
                loss: event.loss,
                correct: round.is_right(event.action),
                reward: earned.map(|(reward, _)| reward),
                price: earned.map(|(_, price)| price),
            },
        };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &line)?;
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }

    /// Sees the rest on the disk.
    ///
    /// # Errors
    /// A round could not be written.
    pub(super) fn end(mut self) -> Result<(), StoreError> {
        let flushed = self.out.flush();
        let outcome = self.failed.map_or(flushed, Err);
        outcome.map_err(|source| failed(&self.path, source))
    }
}

impl Observer for RoundLog<'_> {
    fn see(&mut self, event: &Event<'_>) {
        if self.failed.is_none() {
            self.failed = self.write(event).err();
        }
    }
}

//! Requests and replies as JSON lines: what every conversation has in common.

use crate::limits::REPLY_BYTES;
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, BufRead};
use std::marker::PhantomData;

/// Reads a line into `line`, which is emptied first; false at the end of the input.
///
/// # Errors
/// The line is longer than any request or reply, or cannot be read.
pub fn read_line(reader: impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = reader.take(REPLY_BYTES.most + 1).read_until(b'\n', line)?;
    // What follows would not be a request either.
    let checked = REPLY_BYTES.check(line.len() as u64);
    checked.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    Ok(read > 0)
}

/// Writes plain data as JSON.
pub(crate) fn write(reply: &mut Vec<u8>, value: &impl Serialize) {
    // Numbers, strings and arrays into memory: nothing that serde_json could refuse.
    serde_json::to_writer(reply, value).expect("plain data is JSON");
}

/// The reply to a request that asks for nothing back.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Acknowledged {
    /// Whether it was done.
    pub(crate) ok: bool,
}

/// The reply to a request that cannot be answered.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErrorReply<'a> {
    /// Why not.
    #[serde(borrow)]
    pub error: std::borrow::Cow<'a, str>,
}

/// Where a line is not what it should be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Such as `scores[2]`; empty when it is the line as a whole.
    pub place: String,
    /// What was found and expected.
    pub problem: String,
}

impl Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place.as_str() {
            "" => write!(f, "{}", self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

/// Reads a line, and only when that fails reads it again to name the place.
///
/// # Errors
/// Where the line is not what it should be.
pub fn parse_line<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, BadLine> {
    parse_as(PhantomData::<T>, line)
}

/// The same for what takes more than its type to read.
///
/// # Errors
/// As [`parse_line`].
pub(crate) fn parse_as<'a, S: DeserializeSeed<'a> + Copy>(
    seed: S,
    line: &'a [u8],
) -> Result<S::Value, BadLine> {
    let mut from = serde_json::Deserializer::from_slice(line);
    let read = seed.deserialize(&mut from).and_then(|value| from.end().map(|()| value));
    read.map_err(|first| {
        let (mut again, mut track) =
            (serde_json::Deserializer::from_slice(line), serde_path_to_error::Track::new());
        let tracked = serde_path_to_error::Deserializer::new(&mut again, &mut track);
        let failed = seed.deserialize(tracked).is_err();
        let place = if failed { track.path().to_string() } else { String::new() };
        let place = if place == "." { String::new() } else { place };
        // Lines and columns of a single line tell nothing.
        let problem = first.to_string();
        let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
        BadLine { place, problem }
    })
}

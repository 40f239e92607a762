//! Requests and replies as lines of JSON, seen from the one who answers.

use lab::read_line;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, BufReader, Read, Write};

/// Answers every request of `reader` on `writer` until `answer` says that it was the last, or the input
/// ends. `answer` gets the line and writes the reply; what it refuses gets `{"error":".."}`, and the
/// conversation goes on.
///
/// # Errors
/// Only those of reading and writing.
pub(super) fn serve<E: Display>(
    reader: impl Read,
    mut writer: impl Write,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Result<bool, E>,
) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    loop {
        reply.clear();
        if !read_line(&mut reader, &mut line)? {
            return Ok(());
        }
        let request = line.trim_ascii();
        if request.is_empty() {
            continue;
        }
        let more = answer(request, &mut reply).unwrap_or_else(|refusal| {
            reply.clear();
            write(&mut reply, &serde_json::json!({ "error": refusal.to_string() }));
            true
        });
        reply.push(b'\n');
        writer.write_all(&reply)?;
        writer.flush()?;
        if !more {
            return Ok(());
        }
    }
}

/// Writes plain data as JSON.
pub(super) fn write(reply: &mut Vec<u8>, value: &impl Serialize) {
    // Numbers, strings and arrays into memory: nothing that serde_json could refuse.
    serde_json::to_writer(reply, value).expect("plain data is JSON");
}

/// The reply to a request that asks for nothing back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Acknowledged {
    /// Whether it was done.
    pub(super) ok: bool,
}

/// The first look at a request: reading only `op` skips over the rest without storing it.
#[derive(Debug, Deserialize)]
pub(super) struct OpLine<'a> {
    /// What is asked for.
    #[serde(borrow)]
    pub(super) op: std::borrow::Cow<'a, str>,
}

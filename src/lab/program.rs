//! Another program that answers JSON lines: one request, one reply. What is said is up to the caller:
//! `verify --subject` talks to implementations of Algorithm 1 this way, an experiment to policies that
//! are programs.

use crate::json_lines::{self, Acknowledged, BadLine, ErrorReply};
use crate::process::{LineProcess, ProcessError, TimeLimits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use thiserror::Error;

/// The program did not answer, or not with an answer. Messages are verdicts: they are shown as they
/// are to the person whose program it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// No such shell, or no more processes.
    #[error("the program cannot be started: {0}")]
    NotStarted(String),
    /// It replied `{"error":".."}`.
    #[error("the program refused {request}: {message}")]
    Refused {
        /// What it was asked.
        request: String,
        /// Its reason.
        message: String,
    },
    /// It ended.
    #[error("the program crashed: it ended ({status}) when asked to {request}{last_words}")]
    Crashed {
        /// What it was asked.
        request: String,
        /// How it ended.
        status: String,
        /// The end of what it wrote to its standard error.
        last_words: String,
    },
    /// It took longer than its limit.
    #[error("the program hangs: no reply to {request} within {seconds} s")]
    Hung {
        /// What it was asked.
        request: String,
        /// The limit.
        seconds: String,
    },
    /// All of its answers together took longer than their limit.
    #[error(
        "the program is too slow: the time for everything was over before it replied to {request}"
    )]
    TooSlow {
        /// What it was asked.
        request: String,
    },
    /// Not a line of JSON with the expected fields.
    #[error("the program sent invalid JSON in reply to {request}: {line} ({problem})")]
    InvalidJson {
        /// What it was asked.
        request: String,
        /// The beginning of what it printed.
        line: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A number that is none.
    #[error("the program's reply to {request} has {value} at {place}: expected a finite number")]
    NotFinite {
        /// What it was asked.
        request: String,
        /// Such as `q[2]`.
        place: String,
        /// What stands there.
        value: String,
    },
    /// Lists of the wrong length, numbers that are not probabilities.
    #[error("the program's reply to {request} has the wrong shape: {problem}")]
    WrongShape {
        /// What it was asked.
        request: String,
        /// What was found and expected.
        problem: String,
    },
}

/// A running program. Ends with the value, together with everything it started; before that it is told
/// `{"op":"bye"}`.
#[derive(Debug)]
pub struct Program {
    process: LineProcess,
    line: Vec<u8>,
}

impl Program {
    /// Starts `sh -c command` in `folder`, or where this process is.
    ///
    /// # Errors
    /// The shell itself cannot be started. A command that does not exist shows at the first request, as
    /// a crash with the shell's words.
    pub fn start(
        command: &str,
        folder: Option<&Path>,
        limits: TimeLimits,
    ) -> Result<Self, ProgramError> {
        let process = LineProcess::start(command, folder, limits);
        let process = process.map_err(|error| ProgramError::NotStarted(error.to_string()))?;
        Ok(Program { process, line: Vec::new() })
    }

    /// Sends `request`, which messages call `name`, and reads the reply.
    ///
    /// # Errors
    /// It crashed, hangs, refused, or replied with something else.
    pub fn ask<T: DeserializeOwned>(
        &mut self,
        name: &str,
        request: &impl Serialize,
    ) -> Result<T, ProgramError> {
        self.line.clear();
        json_lines::write(&mut self.line, request);
        self.line.push(b'\n');
        let number = self.process.requests() + 1;
        let request_name = || format!("{name} (request {number})");
        match self.process.ask(&self.line) {
            Ok(line) => read_reply(request_name, line),
            Err(error) => Err(no_reply(request_name(), error)),
        }
    }

    /// The same where the reply is `{"ok":true}`.
    ///
    /// # Errors
    /// As [`Program::ask`].
    pub fn tell(&mut self, name: &str, request: &impl Serialize) -> Result<(), ProgramError> {
        let Acknowledged { ok } = self.ask(name, request)?;
        if ok {
            return Ok(());
        }
        let request = format!("{name} (request {})", self.process.requests());
        Err(ProgramError::Refused { request, message: "it replied {\"ok\":false}".into() })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.tell(b"{\"op\":\"bye\"}\n");
    }
}

/// What is said of a process that gave no line.
fn no_reply(request: String, error: ProcessError) -> ProgramError {
    match error {
        ProcessError::Crashed { status, last_words } => {
            ProgramError::Crashed { request, status, last_words }
        }
        ProcessError::Hung { seconds } => {
            ProgramError::Hung { request, seconds: seconds.to_string() }
        }
        ProcessError::TooSlow => ProgramError::TooSlow { request },
        other => ProgramError::InvalidJson {
            request,
            line: "no line".into(),
            problem: other.to_string(),
        },
    }
}

/// Reads the reply to what `request` calls it.
///
/// # Errors
/// It is a refusal, or not the expected reply.
pub fn read_reply<T: DeserializeOwned>(
    request: impl FnOnce() -> String,
    line: &[u8],
) -> Result<T, ProgramError> {
    json_lines::parse_line::<T>(line).map_err(|problem| unreadable(request(), line, problem))
}

/// What to make of a reply that is not the expected one.
fn unreadable(request: String, line: &[u8], bad: BadLine) -> ProgramError {
    if let Ok(reply) = json_lines::parse_line::<ErrorReply<'_>>(line) {
        return ProgramError::Refused { request, message: reply.error.into_owned() };
    }
    let text = String::from_utf8_lossy(line);
    let place = if bad.place.is_empty() { "some place" } else { &bad.place };
    let not_finite = |value: &str| ProgramError::NotFinite {
        request: request.clone(),
        place: place.to_owned(),
        value: value.to_owned(),
    };
    if let Some(word) = ["NaN", "nan", "Infinity", "inf"].iter().find(|word| text.contains(**word))
        && bad.problem.contains("expected")
        && text.trim_start().starts_with('{')
    {
        return not_finite(word);
    }
    if bad.problem.contains("number out of range") {
        return not_finite("a number too large");
    }
    if bad.problem.contains("invalid type: null") {
        return not_finite("null");
    }
    let shown: String = text.trim().chars().take(80).collect();
    let line = if shown.is_empty() { "an empty line".into() } else { format!("{shown:?}") };
    ProgramError::InvalidJson { request, line, problem: bad.to_string() }
}

//! Another program as a subject, spoken to through its standard input and output.

use super::protocol::{self, Acknowledged, BadLine, ErrorReply, Request, WeightsReply};
use super::{Answer, Observation, Subject, SubjectError, SubjectSpec};
use lab::process::{LineProcess, ProcessError, TimeLimits};
use serde::de::DeserializeOwned;

/// A running program that speaks the protocol. Ends with the value, together with everything it
/// started.
#[derive(Debug)]
pub struct External {
    process: LineProcess,
    line: Vec<u8>,
}

impl External {
    /// Starts `sh -c command`.
    ///
    /// # Errors
    /// The shell itself cannot be started. A command that does not exist shows at the first
    /// request, as a crash with the shell's words.
    pub fn start(command: &str, limits: TimeLimits) -> Result<Self, SubjectError> {
        let process = LineProcess::start(command, limits);
        let process = process.map_err(|error| SubjectError::NotStarted(error.to_string()))?;
        Ok(External { process, line: Vec::new() })
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        name: &str,
        request: &Request<'_>,
    ) -> Result<T, SubjectError> {
        self.line.clear();
        // JSON has no NaN and no infinity, but plain data is never refused.
        serde_json::to_writer(&mut self.line, request).expect("plain data is JSON");
        self.line.push(b'\n');
        let number = self.process.requests() + 1;
        let request_name = || format!("{name} (request {number})");
        match self.process.ask(&self.line) {
            Ok(line) => protocol::parse::<T>(line)
                .map_err(|problem| unreadable(request_name(), line, problem)),
            Err(error) => Err(no_reply(request_name(), error)),
        }
    }

    fn acknowledged(&mut self, name: &str, request: &Request<'_>) -> Result<(), SubjectError> {
        let Acknowledged { ok } = self.ask(name, request)?;
        if ok {
            return Ok(());
        }
        let request = format!("{name} (request {})", self.process.requests());
        Err(SubjectError::Refused { request, message: "it replied {\"ok\":false}".into() })
    }
}

impl Subject for External {
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
        self.acknowledged("init", &Request::Init(spec))
    }

    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
        self.ask("decide", &Request::Decide { x, available })
    }

    fn observe(&mut self, outcome: Observation<'_>) -> Result<(), SubjectError> {
        self.acknowledged("observe", &Request::Observe(outcome))
    }

    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError> {
        self.ask("weights", &Request::Weights).map(|reply: WeightsReply| reply.w)
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.process.tell(b"{\"op\":\"bye\"}\n");
    }
}

/// What the subject is told of a process that gave no line.
fn no_reply(request: String, error: ProcessError) -> SubjectError {
    match error {
        ProcessError::Crashed { status, last_words } => {
            SubjectError::Crashed { request, status, last_words }
        }
        ProcessError::Hung { seconds } => {
            SubjectError::Hung { request, seconds: seconds.to_string() }
        }
        ProcessError::TooSlow => SubjectError::TooSlow { request },
        other => {
            SubjectError::Rubbish { request, line: "no line".into(), problem: other.to_string() }
        }
    }
}

/// What to make of a reply that is not the expected one.
pub(super) fn unreadable(request: String, line: &[u8], bad: BadLine) -> SubjectError {
    if let Ok(reply) = protocol::parse::<ErrorReply<'_>>(line) {
        return SubjectError::Refused { request, message: reply.error.into_owned() };
    }
    let text = String::from_utf8_lossy(line);
    let place = if bad.place.is_empty() { "some place" } else { &bad.place };
    let not_finite = |value: &str| SubjectError::NotFinite {
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
    SubjectError::Rubbish { request, line, problem: bad.to_string() }
}

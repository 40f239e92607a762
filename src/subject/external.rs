//! Another program as a subject, spoken to through its standard input and output.

use super::protocol::{Acknowledged, Request, WeightsReply, read_reply};
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
            Ok(line) => read_reply(&request_name(), line),
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

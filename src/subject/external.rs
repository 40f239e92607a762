//! Another program as a subject, spoken to through its standard input and output.

use super::protocol::{self, Acknowledged, BadLine, ErrorReply, Request, WeightsReply};
use super::{Answer, Observation, Subject, SubjectError, SubjectSpec};
use serde::de::DeserializeOwned;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a subject may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// For the first reply, which includes starting the program.
    pub first: Duration,
    /// For every other reply.
    pub reply: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits { first: Duration::from_secs(15), reply: Duration::from_secs(5) }
    }
}

/// A reply longer than this is not a reply: 64 MiB hold the weights of 128 actions and 25,000
/// features in full precision.
const LONGEST_LINE: u64 = 64 << 20;

/// How much of what the program wrote on its standard error is kept.
const LAST_WORDS: usize = 400;

/// How long a program may take to end after `bye`, and after its output has ended.
const FAREWELL: Duration = Duration::from_millis(500);

/// Why the program's output gives no line.
#[derive(Debug, Error)]
enum NoLine {
    #[error("a line without end")]
    Endless,
    #[error(transparent)]
    Io(io::Error),
}

/// A running program that speaks the protocol. Ends with the value, together with everything it
/// started.
#[derive(Debug)]
pub struct External {
    child: Child,
    stdin: Option<ChildStdin>,
    replies: Receiver<Result<Vec<u8>, NoLine>>,
    /// Buffers on their way back to the reading thread.
    spare: Sender<Vec<u8>>,
    last_words: Arc<Mutex<Vec<u8>>>,
    listener: std::thread::JoinHandle<()>,
    limits: TimeLimits,
    requests: u64,
    line: Vec<u8>,
    /// It no longer listens: there is no point in saying goodbye.
    broken: bool,
}

impl External {
    /// Starts `sh -c command`.
    ///
    /// # Errors
    /// The shell itself cannot be started. A command that does not exist shows at the first
    /// request, as a crash with the shell's words.
    pub fn start(command: &str, limits: TimeLimits) -> Result<Self, SubjectError> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| SubjectError::NotStarted(format!("sh -c {command:?}: {error}")))?;
        let missing = || SubjectError::NotStarted("no pipe to it".into());
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let (lines, replies) = mpsc::channel();
        let (spare, buffers) = mpsc::channel();
        let last_words = Arc::new(Mutex::new(Vec::new()));
        // A thread each: a blocking read has no time limit of its own. They end with the pipes.
        std::thread::spawn(move || read_lines(stdout, &lines, &buffers));
        let kept = Arc::clone(&last_words);
        let listener = std::thread::spawn(move || keep_tail(stderr, &kept));
        Ok(External {
            child,
            stdin,
            replies,
            spare,
            last_words,
            listener,
            limits,
            requests: 0,
            line: Vec::new(),
            broken: false,
        })
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        name: &str,
        request: &Request<'_>,
    ) -> Result<T, SubjectError> {
        self.requests += 1;
        let request_name = || format!("{name} (request {})", self.requests);
        self.line.clear();
        // JSON has no NaN and no infinity, but plain data is never refused.
        serde_json::to_writer(&mut self.line, request).expect("plain data is JSON");
        self.line.push(b'\n');
        let sent = self.stdin.as_mut().is_some_and(|pipe| pipe.write_all(&self.line).is_ok());
        if !sent {
            return Err(self.crashed(name));
        }
        let limit = if self.requests == 1 { self.limits.first } else { self.limits.reply };
        let line = match self.replies.recv_timeout(limit) {
            Ok(Ok(line)) => line,
            Ok(Err(fault)) => {
                let (request, problem) = (request_name(), fault.to_string());
                self.broken = true;
                return Err(SubjectError::Rubbish { request, line: "no line".into(), problem });
            }
            Err(RecvTimeoutError::Timeout) => {
                let (request, seconds) = (request_name(), limit.as_secs_f64().to_string());
                self.broken = true;
                return Err(SubjectError::Hung { request, seconds });
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.crashed(name)),
        };
        let reply = protocol::parse::<T>(&line)
            .map_err(|problem| unreadable(request_name(), &line, problem));
        // The reading thread may be gone already, then nobody needs the buffer.
        let _ = self.spare.send(line);
        reply
    }

    fn acknowledged(&mut self, name: &str, request: &Request<'_>) -> Result<(), SubjectError> {
        let Acknowledged { ok } = self.ask(name, request)?;
        if ok {
            return Ok(());
        }
        let request = format!("{name} (request {})", self.requests);
        Err(SubjectError::Refused { request, message: "it replied {\"ok\":false}".into() })
    }

    fn crashed(&mut self, name: &str) -> SubjectError {
        self.broken = true;
        let status = match self.wait(FAREWELL) {
            Some(status) => status.to_string(),
            None => "its output is closed but it still runs".into(),
        };
        // Its last words may still be on their way; whoever inherited the pipe is not waited for.
        let end = Instant::now() + FAREWELL;
        while !self.listener.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        let words = self.last_words.lock().map(|kept| kept.clone()).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        let last_words =
            if words.is_empty() { String::new() } else { format!("; its last words: {words:?}") };
        SubjectError::Crashed {
            request: format!("{name} (request {})", self.requests),
            status,
            last_words,
        }
    }

    fn wait(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
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
        if !self.broken
            && let Some(pipe) = self.stdin.as_mut()
        {
            let _ = pipe.write_all(b"{\"op\":\"bye\"}\n");
        }
        self.stdin = None;
        if self.broken || self.wait(FAREWELL).is_none() {
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _ = self.child.wait();
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

fn read_lines(
    stdout: impl Read,
    lines: &Sender<Result<Vec<u8>, NoLine>>,
    buffers: &Receiver<Vec<u8>>,
) {
    let mut reader = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let mut line = buffers.try_recv().unwrap_or_default();
        line.clear();
        let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let message = match read {
            Ok(0) => return,
            Ok(_) if line.len() as u64 == LONGEST_LINE => Err(NoLine::Endless),
            Ok(_) => Ok(line),
            Err(error) => Err(NoLine::Io(error)),
        };
        let ends = message.is_err();
        if lines.send(message).is_err() || ends {
            return;
        }
    }
}

fn keep_tail(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&chunk[..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}

//! Another program, asked and answering line by line, that can neither hang us nor outlive us.
//!
//! Everything is bounded: the time for an answer, also when the program does not read what it is asked;
//! the length of a line; what is kept of its standard error. What it prints beyond the answer stays in
//! the pipe, where the kernel makes it wait. It runs in a process group of its own, and the whole group
//! ends with the value. Should this process be killed, a guard, a shell that waits for our end of a pipe
//! to close, ends the group.

use crate::limits::{self, LimitExceeded};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a program may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// For the first answer, which includes starting the program.
    pub first: Duration,
    /// For every other answer.
    pub reply: Duration,
    /// When all of it must have ended, if ever: many slow answers are slow too.
    pub until: Option<Instant>,
}

impl Default for TimeLimits {
    fn default() -> Self {
        let (first, reply) = (Duration::from_secs(15), Duration::from_secs(5));
        TimeLimits { first, reply, until: None }
    }
}

/// How much of what the program wrote on its standard error is kept.
const LAST_WORDS: usize = 400;

/// How long a program may take to end after its input or its output has ended.
const FAREWELL: Duration = Duration::from_millis(500);

/// What is read at once: as much as a pipe holds.
const CHUNK: usize = 1 << 16;

/// No answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum ProcessError {
    /// The shell cannot be started.
    #[error("sh -c {command:?}: {source}")]
    NotStarted {
        /// What was to be run.
        command: String,
        /// Why it was not.
        source: io::Error,
    },
    /// It ended, or closed its output.
    #[error("it ended ({status}){last_words}")]
    Crashed {
        /// How it ended.
        status: String,
        /// The end of what it wrote on its standard error.
        last_words: String,
    },
    /// The time for one answer is over.
    #[error("no reply within {seconds} s")]
    Hung {
        /// The limit.
        seconds: f64,
    },
    /// The time for all of its answers is over.
    #[error("it answers, but not within the limit for everything")]
    TooSlow,
    /// More than an answer can have.
    #[error("a line without end: {0}")]
    Endless(LimitExceeded),
    /// The pipes fail.
    #[error(transparent)]
    Io(io::Error),
}

/// A running program. Ends with the value, together with everything it started.
#[derive(Debug)]
pub(crate) struct LineProcess {
    child: Child,
    guard: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    chunk: Box<[u8]>,
    /// Read and not yet given out, except for the first `taken` bytes.
    received: Vec<u8>,
    taken: usize,
    last_words: Vec<u8>,
    limits: TimeLimits,
    requests: u64,
    /// It no longer listens: there is no point in waiting for it.
    broken: bool,
    ended: Option<ExitStatus>,
}

impl LineProcess {
    /// Starts `sh -c command` in `folder`, or where this process is.
    ///
    /// # Errors
    /// The shell itself cannot be started. A command that does not exist shows at the first request, as
    /// a crash with the shell's words.
    pub(crate) fn start(
        command: &str,
        folder: Option<&Path>,
        limits: TimeLimits,
    ) -> Result<Self, ProcessError> {
        let failed = |source| ProcessError::NotStarted { command: command.into(), source };
        // An empty path means the current folder too.
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let mut child = waiting(command)
            .current_dir(folder.unwrap_or(Path::new(".")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let guard = guard(child.id()).map_err(|error| {
            end_group(&child);
            let _ = child.wait();
            failed(error)
        })?;
        let mut stdin = child.stdin.take();
        // Should it be gone already, the first request says so.
        let _ = stdin.as_mut().map(|pipe| pipe.write_all(b"\n"));
        let mut process = LineProcess {
            stdin,
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            guard,
            chunk: vec![0; CHUNK].into(),
            received: Vec::new(),
            taken: 0,
            last_words: Vec::new(),
            limits,
            requests: 0,
            broken: false,
            ended: None,
        };
        process.never_block().map_err(failed)?;
        Ok(process)
    }

    fn never_block(&mut self) -> io::Result<()> {
        use rustix::io::ioctl_fionbio;
        self.stdin.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        self.stdout.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        self.stderr.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        Ok(())
    }

    /// How many requests were sent.
    #[must_use]
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Sends `request`, a line with its end, and returns the next line of the answer, with its end.
    ///
    /// # Errors
    /// There is no such line within the limits. Nothing more can be asked then.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Result<&[u8], ProcessError> {
        self.requests += 1;
        self.received.drain(..self.taken);
        self.taken = 0;
        match self.converse(request) {
            Ok(length) => {
                self.taken = length;
                Ok(&self.received[..length])
            }
            Err(error) => {
                self.broken = true;
                Err(error)
            }
        }
    }

    /// Says something that needs no answer, such as goodbye, if the program still listens.
    pub(crate) fn tell(&mut self, line: &[u8]) {
        if let (false, Some(pipe)) = (self.broken, &mut self.stdin) {
            // A pipe that is full is that of a program that does not listen.
            let _ = pipe.write(line);
        }
    }

    /// Sends all of `unsent` and reads until there is a line; its length.
    fn converse(&mut self, mut unsent: &[u8]) -> Result<usize, ProcessError> {
        let limit = if self.requests == 1 { self.limits.first } else { self.limits.reply };
        let end = Instant::now() + limit;
        let end = self.limits.until.map_or(end, |until| until.min(end));
        let mut searched = 0;
        loop {
            if !self.send(&mut unsent) {
                return Err(self.crashed());
            }
            let line = self.received[searched..].iter().position(|&byte| byte == b'\n');
            let line = line.map(|at| searched + at);
            searched = self.received.len();
            match line {
                Some(at) if unsent.is_empty() => return Ok(at + 1),
                Some(at) => searched = at,
                None => limits::REPLY_BYTES
                    .check(self.received.len() as u64)
                    .map_err(ProcessError::Endless)?,
            }
            if self.stdout.is_none() {
                // A last line may lack its end.
                match self.received.len() {
                    0 => return Err(self.crashed()),
                    length if unsent.is_empty() => return Ok(length),
                    _ => {}
                }
            }
            let writing = !unsent.is_empty();
            if !self.wait_for_pipes(end, writing, line.is_none()).map_err(ProcessError::Io)? {
                let over = self.limits.until.is_some_and(|until| until <= Instant::now());
                let seconds = limit.as_secs_f64();
                return Err(if over {
                    ProcessError::TooSlow
                } else {
                    ProcessError::Hung { seconds }
                });
            }
        }
    }

    /// Writes what the pipe takes; whether the program still has its end of it.
    fn send(&mut self, unsent: &mut &[u8]) -> bool {
        while !unsent.is_empty() {
            let Some(pipe) = &mut self.stdin else { return false };
            match pipe.write(unsent) {
                Ok(0) => return false,
                Ok(count) => *unsent = &unsent[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// Waits until a pipe has something to read, or takes something if `writing`, and reads it. False
    /// when `end` comes first. Standard output waits unless `reading`.
    fn wait_for_pipes(&mut self, end: Instant, writing: bool, reading: bool) -> io::Result<bool> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        let mut pipes = Vec::with_capacity(3);
        if let (true, Some(pipe)) = (writing, &self.stdin) {
            pipes.push(PollFd::new(pipe, PollFlags::OUT));
        }
        if let (true, Some(pipe)) = (reading, &self.stdout) {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.stderr {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        match poll(&mut pipes, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(pipes);
        if reading {
            read_some(&mut self.stdout, &mut self.chunk, &mut self.received)?;
        }
        read_some(&mut self.stderr, &mut self.chunk, &mut self.last_words)?;
        let surplus = self.last_words.len().saturating_sub(LAST_WORDS);
        self.last_words.drain(..surplus);
        Ok(true)
    }

    fn crashed(&mut self) -> ProcessError {
        self.broken = true;
        let status = match self.wait() {
            true => self.end().map_or_else(|| "unknown".into(), |status| status.to_string()),
            false => "its output is closed but it still runs".into(),
        };
        let words = String::from_utf8_lossy(&self.last_words);
        let last_words = match words.trim() {
            "" => String::new(),
            words => format!("; its last words: {words:?}"),
        };
        ProcessError::Crashed { status, last_words }
    }

    /// Waits for the program to end, and takes in its last words. It stays a zombie, so that its group
    /// keeps its number.
    fn wait(&mut self) -> bool {
        let end = Instant::now() + FAREWELL;
        let child = WaitId::Pid(Pid::from_child(&self.child));
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let pause = Duration::from_millis(2);
        loop {
            let ended = !matches!(waitid(child.clone(), look), Ok(None));
            // Whoever inherited the pipe is not waited for.
            let soon = Instant::now() + pause;
            let _ = self.wait_for_pipes(soon, false, true);
            // Nothing but the tail of its output is of interest now.
            self.received.clear();
            self.taken = 0;
            if ended || Instant::now() >= end {
                return ended;
            }
            if self.stderr.is_none() && self.stdout.is_none() {
                std::thread::sleep(pause);
            }
        }
    }

    /// Ends the program, everything in its group, and the guard.
    fn end(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            end_group(&self.child);
            let _ = self.guard.kill();
            let _ = self.guard.wait();
            self.ended = self.child.wait().ok();
        }
        self.ended
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        self.stdin = None;
        if !self.broken && self.ended.is_none() {
            self.wait();
        }
        self.end();
    }
}

/// Reads what is there; a pipe that has ended is given up.
fn read_some(pipe: &mut Option<impl Read>, chunk: &mut [u8], into: &mut Vec<u8>) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    match open.read(chunk) {
        Ok(0) => *pipe = None,
        Ok(count) => into.extend_from_slice(&chunk[..count]),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Ends everything in the group that `leader` leads. Call it before the leader was waited for: until
/// then nobody else can have its number.
fn end_group(leader: &Child) {
    // Nothing left to end is what is wanted.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

/// A shell that becomes `sh -c command` when it has read a line, and ends if there is none: nothing runs
/// before there is a guard, whenever we are killed.
fn waiting(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "read -r line || exit; exec sh -c \"$1\"", "sh", command]);
    shell
}

/// A shell that ends `group` when our end of its pipe closes, as it does however we die.
fn guard(group: u32) -> io::Result<Child> {
    Command::new("sh")
        .args(["-c", "read -r line; kill -s KILL -- \"-$1\"", "guard", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: TimeLimits = TimeLimits {
        first: Duration::from_millis(400),
        reply: Duration::from_millis(400),
        until: None,
    };

    fn started(command: &str) -> LineProcess {
        LineProcess::start(command, None, QUICK).unwrap()
    }

    /// Whether the process with that number is gone, or soon is.
    fn gone(pid: &str) -> bool {
        let stat = Path::new("/proc").join(pid.trim()).join("stat");
        (0..250).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            // One that nobody has waited for yet is still listed, as a zombie.
            std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))
        })
    }

    #[test]
    fn questions_are_answered() {
        let mut process = started("while read -r line; do echo \"<$line>\"; done");
        for word in ["a", "", "c"] {
            let reply = process.ask(format!("{word}\n").as_bytes()).unwrap();
            assert_eq!(reply, format!("<{word}>\n").as_bytes());
        }
        assert_eq!(process.requests(), 3);
        let mut last = started("printf 'no end'; cat > /dev/null");
        assert!(matches!(last.ask(b"\n"), Err(ProcessError::Hung { .. })));
        let mut last = started("read -r line; printf 'no end'");
        assert_eq!(last.ask(b"\n").unwrap(), b"no end");
        assert!(matches!(last.ask(b"\n"), Err(ProcessError::Crashed { .. })));
    }

    /// A long question and a long answer at the same time: neither side waits for the other.
    #[test]
    fn long_lines_do_not_block_each_other() {
        let limits = TimeLimits { first: Duration::from_secs(30), ..QUICK };
        let mut process = LineProcess::start("cat", None, limits).unwrap();
        let line = [vec![b'x'; 3 << 20], vec![b'\n']].concat();
        assert!(process.ask(&line).unwrap() == line);
    }

    /// It answers for ever and reads nothing: the limit holds, and what is kept of it is bounded.
    #[test]
    fn a_program_that_does_not_read_is_a_hang() {
        let mut process = started("yes '{\"ok\":true}'");
        for _ in 0..100 {
            assert_eq!(process.ask(b"small\n").unwrap(), b"{\"ok\":true}\n");
            assert!(process.received.len() <= 2 * CHUNK, "{}", process.received.len());
        }
        let start = Instant::now();
        let error = process.ask(&vec![b'x'; 1 << 20]).unwrap_err();
        assert!(matches!(error, ProcessError::Hung { seconds: 0.4 }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(process.received.len() <= 2 * CHUNK);
    }

    #[test]
    fn many_slow_answers_are_too_slow() {
        let until = Instant::now().checked_add(Duration::from_millis(600));
        let slow = "while read -r line; do sleep 0.1; echo ok; done";
        let limits =
            TimeLimits { first: Duration::from_secs(9), reply: Duration::from_secs(9), until };
        let mut process = LineProcess::start(slow, None, limits).unwrap();
        let failed = (0..100).find_map(|_| process.ask(b"?\n").err()).unwrap();
        assert!(matches!(failed, ProcessError::TooSlow), "{failed}");
    }

    /// What a program started ends with it, also when it ends well itself.
    #[test]
    fn children_of_a_program_that_ends_well_do_not_survive() {
        let command = "sleep 1000 > /dev/null 2>&1 & echo $!; read -r line";
        let mut process = started(command);
        let child = String::from_utf8(process.ask(b"\n").unwrap().to_vec()).unwrap();
        assert!(Path::new("/proc").join(child.trim()).exists());
        drop(process);
        assert!(gone(&child), "process {child}");
    }

    /// As the guard sees it: our end of its pipe closes.
    #[test]
    fn the_guard_ends_the_group_when_we_are_gone() {
        let mut process = started("echo $$; exec sleep 1000");
        let pid = String::from_utf8(process.ask(b"\n").unwrap().to_vec()).unwrap();
        drop(process.guard.stdin.take());
        assert!(gone(&pid), "process {pid}");
    }

    /// As a program sees it that we started and could not guard any more.
    #[test]
    fn without_a_guard_nothing_runs() {
        let run = |line: &[u8]| {
            let (stdin, stdout) = (Stdio::piped(), Stdio::piped());
            let mut child = waiting("echo it runs").stdin(stdin).stdout(stdout).spawn().unwrap();
            child.stdin.take().unwrap().write_all(line).unwrap();
            child.wait_with_output().unwrap().stdout
        };
        assert_eq!(run(b"").len(), 0);
        assert_eq!(run(b"\n"), b"it runs\n");
    }

    #[test]
    fn last_words_are_kept() {
        let mut process = started("seq 100000 >&2; echo the end >&2; exit 3");
        let error = process.ask(b"\n").unwrap_err().to_string();
        assert!(error.starts_with("it ended (exit status: 3); its last words: "), "{error}");
        assert!(error.ends_with("the end\"") && error.len() < 2 * LAST_WORDS, "{error}");
    }
}

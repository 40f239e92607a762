//! How far a run is: a line with the time left on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Told about jobs that are pending now; what was stored before does not count.
pub trait Progress: Sync {
    /// `jobs` pending jobs with `work` rounds in all; `stored` were there already.
    fn start(&self, name: &str, jobs: usize, work: u64, stored: usize);
    /// A job of `work` rounds ended.
    fn done(&self, work: u64);
    /// Something to be said.
    fn say(&self, message: &str);
    /// Nothing is pending any more.
    fn end(&self);
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: usize, _: u64, _: usize) {}
    fn done(&self, _: u64) {}
    fn say(&self, _: &str) {}
    fn end(&self) {}
}

/// Writes to standard error.
pub struct Lines {
    terminal: bool,
    state: Mutex<State>,
}

struct State {
    name: String,
    jobs: usize,
    ended: usize,
    work: u64,
    worked: u64,
    said: u64,
    start: Instant,
}

impl Default for Lines {
    fn default() -> Self {
        let start = Instant::now();
        let state =
            State { name: String::new(), jobs: 0, ended: 0, work: 0, worked: 0, said: 0, start };
        Lines { terminal: io::stderr().is_terminal(), state: Mutex::new(state) }
    }
}

impl Lines {
    fn with(&self, f: impl FnOnce(&mut State)) {
        // A job that panicked while printing must not silence the others.
        f(&mut self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    }

    fn write(&self, text: &str) {
        // Progress that cannot be shown is not worth failing for.
        let _ = write!(io::stderr(), "{text}");
    }
}

/// `elapsed * pending / done`.
fn time_left(elapsed: Duration, done: u64, work: u64) -> Duration {
    elapsed.mul_f64(work.saturating_sub(done) as f64 / done.max(1) as f64)
}

impl Progress for Lines {
    fn start(&self, name: &str, jobs: usize, work: u64, stored: usize) {
        self.with(|s| {
            let start = Instant::now();
            *s = State { name: name.into(), jobs, ended: 0, work, worked: 0, said: 0, start };
            self.write(&format!("{name}: {jobs} jobs to run, {stored} already stored\n"));
        });
    }

    fn done(&self, work: u64) {
        self.with(|s| {
            s.ended += 1;
            s.worked += work;
            let percent = 100 * s.worked / s.work.max(1);
            let left = time_left(s.start.elapsed(), s.worked, s.work).as_secs();
            let text =
                format!("{}: {}/{} jobs, {percent}%, {left} s left", s.name, s.ended, s.jobs);
            if self.terminal {
                self.write(&format!("\r\x1b[2K{text}"));
            } else if percent / 10 > s.said {
                s.said = percent / 10;
                self.write(&format!("{text}\n"));
            }
        });
    }

    fn say(&self, message: &str) {
        let clear = if self.terminal { "\r\x1b[2K" } else { "" };
        self.with(|_| self.write(&format!("{clear}{message}\n")));
    }

    fn end(&self) {
        if self.terminal {
            self.with(|_| self.write("\r\x1b[2K"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_counts_pending_work_only() {
        let second = Duration::from_secs(1);
        assert_eq!(time_left(10 * second, 25, 100), 30 * second);
        assert_eq!(time_left(10 * second, 100, 100), Duration::ZERO);
    }
}

//! How far a run is: a bar with the time left on a terminal, plain lines elsewhere.

use crate::lab::experiment::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::terminal;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::Duration;

/// A bar on standard error that counts to `length`, hidden when that is not a terminal: whoever moves
/// it then writes lines instead. The one look of progress in this project.
pub(super) fn progress_bar(name: &str, length: u64) -> ProgressBar {
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(length), target).with_prefix(terminal(name));
    if let Ok(style) =
        ProgressStyle::with_template("{prefix} {bar:30} {percent}%, {eta} left  {msg}")
    {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Shown on standard error.
#[derive(Debug, Default)]
pub(super) struct Shown {
    state: Mutex<Option<State>>,
}

#[derive(Debug)]
struct State {
    bar: ProgressBar,
    jobs: usize,
    ended: usize,
    /// Tenths of the work that lines were written for.
    said: u64,
}

impl Shown {
    fn with(&self, f: impl FnOnce(&mut Option<State>)) {
        // A job that panicked while printing must not silence the others.
        f(&mut self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    }
}

fn line(text: &str) {
    // Progress that cannot be shown is not worth failing for.
    let _ = writeln!(io::stderr(), "{}", terminal(text));
}

/// `elapsed * pending / done`.
fn time_left(elapsed: Duration, done: u64, work: u64) -> Duration {
    elapsed.mul_f64(work.saturating_sub(done) as f64 / done.max(1) as f64)
}

impl Progress for Shown {
    fn start(&self, name: &str, jobs: usize, work: u64, stored: usize) {
        line(&format!("{name}: {jobs} jobs to run, {stored} already stored"));
        let bar = progress_bar(name, work);
        self.with(|state| *state = Some(State { bar, jobs, ended: 0, said: 0 }));
    }

    fn done(&self, work: u64) {
        self.with(|state| {
            let Some(s) = state else { return };
            s.ended += 1;
            s.bar.inc(work);
            let jobs = format!("{}/{} jobs", s.ended, s.jobs);
            let (done, all) = (s.bar.position(), s.bar.length().unwrap_or(0).max(1));
            let percent = 100 * done / all;
            if !s.bar.is_hidden() {
                s.bar.set_message(jobs);
            } else if percent / 10 > s.said {
                s.said = percent / 10;
                let left = time_left(s.bar.elapsed(), done, all).as_secs();
                line(&format!("{}: {jobs}, {percent}%, {left} s left", s.bar.prefix()));
            }
        });
    }

    fn say(&self, message: &str) {
        self.with(|state| match state {
            Some(s) if !s.bar.is_hidden() => s.bar.println(terminal(message)),
            _ => line(message),
        });
    }

    fn end(&self) {
        self.with(|state| {
            if let Some(s) = state.take() {
                s.bar.finish_and_clear();
            }
        });
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

//! `deferlab verify --subject CMD`: somebody's learner under the checks of the implementation.

use super::screen::{Ink, paint, width, wrapped};
use super::{End, print};
use crate::claims::implementation::{Standing, SubjectFinding, examine};
use crate::problem::FeedbackKind;
use crate::subject::{
    External, OptimizerName, ScheduleName, Subject, SubjectError, SubjectSpec, TimeLimits,
    rounds_per_second,
};
use lab::terminal;
use std::time::{Duration, Instant};

/// How long the subject may take.
#[derive(clap::Args)]
pub(super) struct Limits {
    /// Seconds a subject may take for a reply [default: 15 for the first, then 5].
    #[arg(long, value_name = "SECONDS", requires = "subject", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Seconds a subject may take for everything: our own takes one, one in Python ten.
    #[arg(long, value_name = "SECONDS", requires = "subject", value_parser = seconds,
          default_value = "1800")]
    total_limit: Duration,
}

/// A time above zero.
fn seconds(text: &str) -> Result<Duration, SecondsError> {
    let time = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    time.filter(|time| !time.is_zero()).ok_or(SecondsError)
}

/// Why a time is not accepted.
#[derive(Debug, thiserror::Error)]
#[error("expected seconds above 0")]
struct SecondsError;

/// Prints what each check says, as JSON if asked to, and fails unless all of them pass.
pub(super) fn run(command: &str, seed: u64, limits: &Limits, json: bool) -> End {
    let mut times = TimeLimits::default();
    if let Some(reply) = limits.time_limit {
        (times.first, times.reply) = (reply, reply);
    }
    times.until = Instant::now().checked_add(limits.total_limit);
    let mut start = || -> Result<Box<dyn Subject>, _> {
        External::start(command, times).map(|subject| Box::new(subject) as Box<dyn Subject>)
    };
    if let Some(why) = cannot_start(&mut start) {
        let why = terminal(&why.to_string());
        return End::bad_input(format!(
            "the subject {command:?} does not answer its first request, so nothing was checked: {why}; \
             run the command by hand in this folder to see what it prints"
        ));
    }
    let mut reports = Vec::new();
    for report in examine(&mut start, seed) {
        // As they come: a slow subject takes a while.
        if !json && let Err(end) = print(&(line(&report) + "\n")) {
            return end;
        }
        reports.push(report);
    }
    let good = reports.iter().all(|r| r.standing == Standing::Passed || r.is_outside_protocol());
    // A subject that broke off has no speed worth telling.
    let speed = start().ok().filter(|_| good).and_then(|mut s| rounds_per_second(s.as_mut()).ok());
    let text = if json {
        let value = serde_json::json!({
            "subject": command, "seed": seed, "passed": good, "checks": reports,
            "rounds_per_second": speed,
        });
        format!("{value:#}")
    } else {
        let speed = speed.map_or_else(String::new, |r| format!(", {r:.0} rounds a second"));
        format!("{}{speed}", summary(&reports))
    };
    if let Err(end) = print(&(text + "\n")) {
        return end;
    }
    if good { End::Ok } else { End::CheckFailed }
}

/// Why the program never gets as far as an answer, if it does not: it is not there, or it ends at once.
fn cannot_start(
    start: &mut dyn FnMut() -> Result<Box<dyn Subject>, SubjectError>,
) -> Option<SubjectError> {
    let first = SubjectSpec {
        n: 2,
        n_e: 1,
        d: 1,
        radius: 3.0,
        rho: 2.0,
        surrogate: "cstnd_hinge".into(),
        optimizer: OptimizerName::Ogd,
        schedule: ScheduleName::General,
        feedback: FeedbackKind::Bandit,
    };
    match start().and_then(|mut subject| subject.init(&first)) {
        Err(error @ (SubjectError::NotStarted(_) | SubjectError::Crashed { .. })) => Some(error),
        _ => None,
    }
}

fn line(report: &SubjectFinding) -> String {
    let word = match report.standing {
        Standing::Passed => paint(Ink::Green, "passed "),
        Standing::Wrong => paint(Ink::Red, "FAILED "),
        Standing::Broken => paint(Ink::Red, "BROKEN "),
        Standing::NotRun => paint(Ink::Faint, "not run"),
    };
    // A subject's own words must not steer the terminal.
    let finding = wrapped(&terminal(&report.finding), 34, width());
    format!("{word}  {:24} {finding}", report.check)
}

fn summary(reports: &[SubjectFinding]) -> String {
    let is_bad = |r: &&SubjectFinding| matches!(r.standing, Standing::Wrong | Standing::Broken);
    let passed = reports.iter().filter(|r| r.standing == Standing::Passed).count();
    let failed = reports.iter().filter(is_bad).count();
    let not_run = reports.len() - passed - failed;
    let hint = match reports.iter().find(is_bad) {
        Some(first) if failed > 1 => {
            format!("\nstart with {}: later failures may be its consequences", first.check)
        }
        _ => String::new(),
    };
    format!("{passed} passed, {failed} failed, {not_run} not run{hint}")
}

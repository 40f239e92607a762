//! `deferlab verify --subject CMD`: somebody's learner under the checks of the implementation.

use super::End;
use crate::claims::implementation::{Report, Standing, examine};
use crate::subject::{External, Subject, TimeLimits};
use std::io::Write;
use std::time::Duration;

/// Prints what each check says, as JSON if asked to, and fails unless all of them pass.
pub(super) fn run(command: &str, seed: u64, limit: Option<f64>, json: bool) -> End {
    let limits = match limit {
        None => TimeLimits::default(),
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(reply) if !reply.is_zero() => TimeLimits { first: reply, reply },
            _ => {
                return End::bad_input(format!("--time-limit {seconds}: expected seconds above 0"));
            }
        },
    };
    let mut start = || -> Result<Box<dyn Subject>, _> {
        External::start(command, limits).map(|subject| Box::new(subject) as Box<dyn Subject>)
    };
    let mut reports = Vec::new();
    let mut stdout = std::io::stdout();
    for report in examine(&mut start, seed) {
        // As they come: a slow subject takes a while.
        if !json && writeln!(stdout, "{}", line(&report)).is_err() {
            return End::Ok;
        }
        reports.push(report);
    }
    let count = |standing| reports.iter().filter(|report| report.standing == standing).count();
    let (passed, skipped) = (count(Standing::Passed), count(Standing::NotRun));
    let failed = reports.len() - passed - skipped;
    let not_run_on_purpose = reports.iter().filter(|report| report.is_outside_protocol()).count();
    let good = failed == 0 && skipped == not_run_on_purpose;
    let text = if json {
        let value = serde_json::json!({
            "subject": command, "seed": seed, "passed": good, "checks": reports,
        });
        format!("{value:#}")
    } else {
        format!("{passed} passed, {failed} failed, {skipped} not run")
    };
    if let Err(error) = writeln!(stdout, "{text}")
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return End::bad_input(format!("standard output: {error}"));
    }
    if good { End::Ok } else { End::CheckFailed }
}

fn line(report: &Report) -> String {
    let word = match report.standing {
        Standing::Passed => "passed ",
        Standing::Wrong => "FAILED ",
        Standing::Broken => "BROKEN ",
        Standing::NotRun => "not run",
    };
    format!("{word}  {:24} {}", report.check, report.words)
}

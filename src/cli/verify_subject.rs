//! `deferlab verify --subject CMD`: somebody's learner under the checks of the implementation.

use super::End;
use crate::claims::implementation::{Standing, SubjectFinding, examine};
use crate::subject::{External, Subject, TimeLimits, rounds_per_second};
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
    if let Err(error) = writeln!(stdout, "{text}")
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return End::bad_input(format!("standard output: {error}"));
    }
    if good { End::Ok } else { End::CheckFailed }
}

fn line(report: &SubjectFinding) -> String {
    let word = match report.standing {
        Standing::Passed => "passed ",
        Standing::Wrong => "FAILED ",
        Standing::Broken => "BROKEN ",
        Standing::NotRun => "not run",
    };
    format!("{word}  {:24} {}", report.check, report.finding)
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

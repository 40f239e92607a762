//! The committed reports, as the checks read them: results of runs that are too long for a check.

use super::CheckFailure;
use crate::report::{Cell, Observation, Report};
use std::sync::OnceLock;

/// Name and text of every report that a check reads.
const REPORTS: [(&str, &str); 10] = [
    ("synthetic-1", include_str!("../../reports/synthetic-1/report.json")),
    ("synthetic-2", include_str!("../../reports/synthetic-2/report.json")),
    ("synthetic-3", include_str!("../../reports/synthetic-3/report.json")),
    ("synthetic-settings", include_str!("../../reports/synthetic-settings/report.json")),
    ("reuters4-1", include_str!("../../reports/reuters4-1/report.json")),
    ("reuters4-2", include_str!("../../reports/reuters4-2/report.json")),
    ("reuters4-3", include_str!("../../reports/reuters4-3/report.json")),
    ("reuters4-settings", include_str!("../../reports/reuters4-settings/report.json")),
    ("cifar10h", include_str!("../../reports/cifar10h/report.json")),
    ("cifar10h-readings", include_str!("../../reports/cifar10h-readings/report.json")),
];

/// The stored report called `name`, parsed once a process.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn report(name: &str) -> Result<&'static Report, CheckFailure> {
    static PARSED: [OnceLock<Result<Report, serde_json::Error>>; REPORTS.len()] =
        [const { OnceLock::new() }; REPORTS.len()];
    let at = REPORTS.iter().position(|(known, _)| *known == name);
    let at = at.ok_or_else(|| CheckFailure(format!("no report {name} is stored")))?;
    let parse = || serde_json::from_str(REPORTS[at].1);
    PARSED[at].get_or_init(parse).as_ref().map_err(|e| CheckFailure(format!("report {name}: {e}")))
}

/// The observation `stem`, once for every learner of the report (`stem/learner`).
///
/// # Errors
/// The report has none.
pub(crate) fn readings<'a>(
    report: &'a Report,
    stem: &str,
) -> Result<Vec<&'a Observation>, CheckFailure> {
    let of = |o: &&Observation| {
        o.id.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let found: Vec<&Observation> = report.observations.iter().filter(of).collect();
    if found.is_empty() {
        return Err(CheckFailure(format!("report {} does not say {stem}", report.name)));
    }
    Ok(found)
}

/// The mean in `column` of the first row of table `table` whose name ends with `row`.
///
/// # Errors
/// There is no such number.
pub(crate) fn mean(
    report: &Report,
    table: &str,
    row: &str,
    column: &str,
) -> Result<Spread, CheckFailure> {
    let missing = || {
        let name = &report.name;
        CheckFailure(format!("report {name}: no {column} of {row} in table {table}"))
    };
    let table = report.tables.iter().find(|t| t.id == table).ok_or_else(missing)?;
    let at = table.columns.iter().position(|c| c == column).ok_or_else(missing)?;
    let named = |cells: &&Vec<Cell>| matches!(&cells[0], Cell::Text(name) if name.ends_with(row));
    match table.rows.iter().find(named).and_then(|cells| cells.get(at)) {
        Some(&Cell::Spread { mean, sd, .. }) if mean.is_finite() => {
            Ok(Spread { mean, sd: sd.unwrap_or(f64::NAN) })
        }
        Some(&Cell::Number { value, .. }) if value.is_finite() => {
            Ok(Spread { mean: value, sd: f64::NAN })
        }
        _ => Err(missing()),
    }
}

/// Mean over runs and sample standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub mean: f64,
    pub sd: f64,
}

/// How many runs a report has.
pub(crate) fn runs(report: &Report) -> Option<u64> {
    report.provenance.configuration["runs"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_reports_are_read_by_name() {
        for (name, _) in REPORTS {
            let stored = report(name).unwrap();
            assert_eq!(stored.name, name);
            assert!(runs(stored).is_some_and(|runs| runs >= 5));
        }
        assert!(report("no-such-report").is_err());
    }

    #[test]
    fn an_observation_is_found_for_every_learner_and_only_under_its_name() {
        let reuters = report("reuters4-3").unwrap();
        assert_eq!(readings(reuters, "loss-stable").unwrap().len(), 3);
        assert!(readings(reuters, "loss").is_err());
        assert!(mean(reuters, "summary", "B = N", "loss").unwrap().sd > 0.0);
        assert!(mean(reuters, "summary", "B = N", "no such column").is_err());
    }
}

//! Did the experiments replicate? The table on the first screen.

use super::sources::Sources;
use super::view::{ClaimView, claim};
use super::{number, tables};
use crate::{Observation, Report};
use ledger::Entry;
use serde::Serialize;
use serde_json::Value as Json;

/// What became of an experiment of the paper in our runs: a row of the table on the first screen.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReplicationView<'a> {
    claim: ClaimView<'a>,
    title: &'a str,
    report: Option<&'a str>,
    /// What was looked at: statements about it, or numbers.
    unit: &'static str,
    /// How many there are, and how many our runs show.
    looked_at: usize,
    shown: usize,
    /// Those that they do not show.
    missing: Vec<&'a str>,
    /// Published numbers beside ours, where there are any.
    numbers: Option<Numbers>,
}

/// The first row of a table of published numbers, cell by cell.
#[derive(Clone, Debug, Serialize)]
struct Numbers {
    metric: String,
    file: String,
    base: String,
    published: Vec<NamedCell>,
    ours: Vec<NamedCell>,
}

#[derive(Clone, Debug, Serialize)]
struct NamedCell {
    name: String,
    cell: tables::CellView,
}

/// Claims about experiments list in their evidence the statements or the numbers of the paper and whether
/// our stored runs show them.
pub(super) fn replication<'a>(
    claims: &'a [Entry],
    sources: &'a Sources,
) -> Vec<ReplicationView<'a>> {
    let row = |entry: &'a Entry| {
        let name = entry.id.strip_prefix("replication-")?;
        let listed = |key: &str| entry.evidence.get(key).and_then(Json::as_array);
        let (unit, rows) = match listed("numbers") {
            Some(rows) => ("numbers", rows.as_slice()),
            None => ("statements", listed("statements").map_or(&[][..], Vec::as_slice)),
        };
        let report = sources.reports.iter().find(|r| r.name == name);
        let is_shown = |row: &&Json| {
            row["hit"] == true || row["shown_by"].as_u64().is_some_and(|count| count > 0)
        };
        let rule = |row: &'a Json| row["rule"].as_str();
        Some(ReplicationView {
            claim: claim(entry, claims, None),
            title: report.map_or(name, |r| &r.title),
            report: report.map(|r| r.name.as_str()),
            unit,
            looked_at: rows.len(),
            shown: rows.iter().filter(is_shown).count(),
            missing: rows.iter().filter(|r| !is_shown(r)).filter_map(rule).collect(),
            numbers: report.and_then(|r| numbers(r).or_else(|| expert_accuracies(r))),
        })
    };
    let mut rows: Vec<ReplicationView<'a>> = claims.iter().filter_map(row).collect();
    // As the experiments are shown below.
    rows.sort_by_key(|row| {
        sources.reports.iter().position(|r| Some(r.name.as_str()) == row.report)
    });
    rows
}

/// A table with published numbers: what it is called, and how its columns of both kinds begin.
const TABLES: [[&str; 3]; 2] =
    [["published", "published:", "ours:"], ["nearest", "published", "nearest reading"]];

fn numbers(report: &Report) -> Option<Numbers> {
    TABLES.iter().find_map(|[id, published, ours]| first_row(report, id, published, ours))
}

fn first_row(report: &Report, id: &str, published: &str, ours: &str) -> Option<Numbers> {
    let (t, table) = report.tables.iter().enumerate().find(|(_, t)| t.id == id)?;
    let view = tables::view(table, t);
    let cells = |beginning: &str| {
        let named = view.columns.iter().zip(view.rows.first()?).filter_map(|(column, cell)| {
            let name = column.strip_prefix(beginning)?.trim().to_string();
            Some(NamedCell { name, cell: cell.clone() })
        });
        Some(named.collect::<Vec<_>>())
    };
    Some(Numbers {
        metric: view.rows.first()?.first()?.text.clone()?,
        file: format!("{}/report.json", report.name),
        base: view.base.clone(),
        published: cells(published)?,
        ours: cells(ours)?,
    })
}

/// Published accuracies of experts beside ours, in percent: the check that compares them has both.
fn expert_accuracies(report: &Report) -> Option<Numbers> {
    let is_it = |o: &&Observation| o.id.starts_with("published-expert-accuracy");
    let i = report.observations.iter().position(|o| is_it(&o))?;
    let cells = |ending: &str| {
        let numbers = report.observations[i].numbers.iter();
        let named = numbers.filter_map(|(key, value)| {
            key.strip_suffix(ending)?;
            let value = serde_json::Number::from_f64(*value)?;
            let numbers = vec![number::Shown::new(&value, key.clone(), Some(2))];
            let cell = tables::CellView { text: None, numbers };
            Some(NamedCell { name: String::new(), cell })
        });
        named.collect::<Vec<_>>()
    };
    Some(Numbers {
        metric: "accuracy of the experts, %".into(),
        file: format!("{}/report.json", report.name),
        base: format!("/observations/{i}/numbers"),
        published: cells(" published"),
        ours: cells(" ours"),
    })
}

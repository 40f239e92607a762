//! The report a person reads.

use super::{Exporter, Observation, Report, Table};
use lab::experiment::parse::STAND_IN;

/// `README.md`, which code forges show with the folder.
pub struct Markdown;

impl Exporter for Markdown {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        vec![("README.md".into(), text(report))]
    }
}

fn text(report: &Report) -> String {
    let mut text = format!("# {}\n\n", report.title);
    for note in &report.notes {
        text += &format!("{note}\n\n");
    }
    if !report.observations.is_empty() {
        text += "## What the runs say\n\n| observation | holds | numbers |\n|---|---|---|\n";
        report.observations.iter().for_each(|o| text += &row(o));
        text += "\n";
    }
    if !report.tables.is_empty() {
        text += "## Tables\n\n";
        report.tables.iter().for_each(|t| text += &format!("{}\n", table(t)));
    }
    if !report.figures.is_empty() {
        text += "## Figures\n\n";
    }
    for figure in &report.figures {
        text += &format!("![{}](figure-{}.svg)\n\n{}\n\n", figure.title, figure.id, figure.caption);
    }
    text + &provenance(report)
}

/// Title, tables, and the observations that do not hold: what a terminal gets.
pub fn summary(report: &Report) -> String {
    let mut text = format!("{}\n\n", report.title);
    report.tables.iter().for_each(|t| text += &format!("{}\n", table(t)));
    let failing: Vec<&Observation> = report.observations.iter().filter(|o| !o.holds).collect();
    let all = report.observations.len();
    text += &format!("{} of {all} observations hold\n", all - failing.len());
    for o in failing {
        text += &format!("does not hold: {}: {} ({})\n", o.id, o.statement, numbers(o));
    }
    text
}

fn numbers(o: &Observation) -> String {
    let one = |(name, value): (&String, &f64)| format!("{name} {}", short(*value));
    o.numbers.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Four digits, or an integer as it is.
fn short(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value}");
    }
    if value.abs() >= 1000.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

fn row(o: &Observation) -> String {
    let verdict = if o.holds { "yes" } else { "**no**" };
    let cell = |text: &str| text.replace('|', "\\|");
    format!("| `{}`: {} | {verdict} | {} |\n", o.id, cell(&o.statement), cell(&numbers(o)))
}

fn table(table: &Table) -> String {
    let cells: Vec<Vec<String>> = std::iter::once(table.columns.clone())
        .chain(table.rows.iter().map(|r| r.iter().map(|c| c.show(" ± ")).collect()))
        .collect();
    let width = |c: usize| cells.iter().map(|row| row[c].chars().count()).max().unwrap_or(0).max(3);
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |row: &[String]| {
        let padded: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(i, (cell, &w))| {
                    if i == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") }
                },
            )
            .collect();
        format!("| {} |\n", padded.join(" | "))
    };
    let mut text = format!("{}\n\n{}", table.caption, line(&cells[0]));
    let rule: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(i, &w)| if i == 0 { "-".repeat(w) } else { "-".repeat(w - 1) + ":" })
        .collect();
    text += &line(&rule);
    cells[1..].iter().for_each(|row| text += &line(row));
    text
}

fn provenance(report: &Report) -> String {
    let p = &report.provenance;
    let data = if p.data_sha256.is_empty() {
        "generated, no file".to_string()
    } else {
        let one = |(file, hash): (&String, &serde_json::Value)| {
            format!("`{file}` {}", hash.as_str().unwrap_or(""))
        };
        p.data_sha256.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    format!(
        "## Provenance\n\n- deferlab {}, engine {}\n- master seed {}, run seeds from the name `{}`\n- configuration SHA-256 `{}` (in full in `report.json`)\n- data: {data}\n- again: `deferlab reproduce {}`; every number is in `report.json`, tables and figures also as CSV, tables as LaTeX\n",
        p.version,
        p.engine,
        p.seed,
        p.seed_name,
        p.configuration_sha256,
        report.name.strip_suffix(STAND_IN).unwrap_or(&report.name)
    )
}

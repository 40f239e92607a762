//! The report a person reads, and tables in Markdown.

use super::escape::{markdown as escaped, terminal};
use super::{Exporter, Observation, Report, ReportTable, number, template};
use lab::experiment::STAND_IN;
use serde_json::json;
use std::fmt;

/// `README.md`, which code forges show with the folder.
pub(crate) struct Markdown;

impl Exporter for Markdown {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        vec![("README.md".into(), text(report))]
    }
}

fn text(report: &Report) -> String {
    let p = &report.provenance;
    let observation = |o: &Observation| json!({ "id": o.id, "statement": o.statement, "holds": o.holds, "numbers": numbers(o) });
    let data = p.data_sha256.iter().map(|(file, hash)| json!({ "file": file, "hash": hash }));
    let context = json!({
        "title": report.title,
        "notes": report.notes,
        "observations": report.observations.iter().map(observation).collect::<Vec<_>>(),
        "tables": report.tables.iter()
            .map(|t| json!({ "caption": t.caption, "text": report_table(t) }))
            .collect::<Vec<_>>(),
        "figures": report.figures.iter()
            .map(|f| json!({ "id": f.id, "title": f.title, "caption": f.caption }))
            .collect::<Vec<_>>(),
        "version": p.version,
        "engine": p.engine,
        "seed": p.seed,
        "seed_name": p.seed_name,
        "configuration_sha256": p.configuration_sha256,
        "data": data.collect::<Vec<_>>(),
        "again": again(report),
    });
    template::markdown(include_str!("templates/README.md"), &context)
        .expect("the template has everything it asks for; a test renders it")
}

/// The command that runs it again.
pub(crate) fn again(report: &Report) -> String {
    match &report.provenance.file {
        Some(file) => format!("deferlab run {file}"),
        None => {
            let name = report.name.strip_suffix(STAND_IN).unwrap_or(&report.name);
            format!("deferlab reproduce {name}")
        }
    }
}

/// Title, tables, and the observations that do not hold: what a terminal gets.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", terminal(&self.title))?;
        for table in &self.tables {
            writeln!(f, "{}\n\n{}", terminal(&table.caption), report_table(table))?;
        }
        let failing: Vec<&Observation> = self.observations.iter().filter(|o| !o.holds).collect();
        let all = self.observations.len();
        if all > 0 {
            writeln!(f, "{} of {all} checks passed", all - failing.len())?;
        }
        for o in failing {
            let said = format!("not passed: {}: {} ({})", o.id, o.statement, numbers(o));
            writeln!(f, "{}", terminal(&said))?;
        }
        Ok(())
    }
}

fn numbers(o: &Observation) -> String {
    let one = |(name, value): (&String, &f64)| format!("{name} {}", number::short(*value));
    o.numbers.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn report_table(table: &ReportTable) -> String {
    let head: Vec<String> = table.columns.iter().map(|c| escaped(c)).collect();
    let cells = |row: &Vec<super::Cell>| row.iter().map(|c| escaped(&c.show(" ± "))).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    self::table(&head, &rows, Layout::Padded)
}

/// How a table is laid out in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As few characters as possible; columns of numbers stand on the right.
    Compact,
    /// Columns line up, so that the source can be read too; all but the first stand on the right.
    Padded,
}

/// A table whose cells are Markdown: words of others go through [`crate::escape::markdown`] first.
/// A `|` that is not escaped yet is.
#[must_use]
pub(crate) fn table<S: AsRef<str>>(head: &[S], rows: &[Vec<String>], layout: Layout) -> String {
    let cells: Vec<Vec<String>> = std::iter::once(head.iter().map(|h| cell(h.as_ref())).collect())
        .chain(rows.iter().map(|row| row.iter().map(|c| cell(c)).collect()))
        .collect();
    let columns = head.len();
    let (widths, right): (Vec<usize>, Vec<bool>) = match layout {
        Layout::Compact => {
            let numbers = |c: usize| cells[1..].iter().all(|row| is_number(&row[c]));
            (vec![0; columns], (0..columns).map(numbers).collect())
        }
        Layout::Padded => {
            let width = |c: usize| cells.iter().map(|row| row[c].chars().count()).max();
            let widths = (0..columns).map(|c| width(c).unwrap_or(0).max(3)).collect();
            (widths, (0..columns).map(|c| c > 0).collect())
        }
    };
    let line = |row: &[String]| {
        let padded = row.iter().enumerate().map(|(c, text)| match right[c] {
            true => format!("{text:>w$}", w = widths[c]),
            false => format!("{text:<w$}", w = widths[c]),
        });
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule = (0..columns).map(|c| match (right[c], layout) {
        (true, Layout::Compact) => "---:".to_string(),
        (true, Layout::Padded) => "-".repeat(widths[c] - 1) + ":",
        (false, _) => "-".repeat(widths[c].max(3)),
    });
    let mut text = line(&cells[0]) + &line(&rule.collect::<Vec<_>>());
    cells[1..].iter().for_each(|row| text += &line(row));
    text
}

fn is_number(cell: &str) -> bool {
    let first = cell.chars().find(|c| *c != '*' && *c != '-');
    first.is_none_or(|c| c.is_ascii_digit() || c == '[')
}

/// On one line, with every `|` escaped once.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in terminal(text).chars() {
        if c == '|' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(a: &str, b: &str) -> Vec<String> {
        vec![a.to_string(), b.to_string()]
    }

    #[test]
    fn numbers_stand_on_the_right() {
        let rows = [row("a|b", "0.5 ± 0.1"), row("c", "**7**")];
        assert_eq!(
            table(&["who", "how much"], &rows, Layout::Compact),
            "| who | how much |\n| --- | ---: |\n| a\\|b | 0.5 ± 0.1 |\n| c | **7** |\n"
        );
        assert_eq!(
            table(&["who", "how much"], &rows, Layout::Padded),
            "| who  |  how much |\n| ---- | --------: |\n| a\\|b | 0.5 ± 0.1 |\n| c    |     **7** |\n"
        );
    }

    #[test]
    fn a_bar_is_escaped_once() {
        assert_eq!(cell("a|b \\| c \\\\| d\n"), "a\\|b \\| c \\\\\\| d ");
    }
}

//! Two pages for a review or a rebuttal: verdicts, what fails with its witness and repair, what became of
//! the experiments, questions to the authors, and a list of errata by theorem.
//!
//! Everything comes from the recorded ledger. What can be said about a claim that fails is in the
//! templates, and is only printed while that claim fails.

use crate::template::environment;
use crate::{ReportError, escape};
use ledger::{Entry, Grade, Ledger, Owner, Verdict};
use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;
use serde_json::Value as Json;
use std::path::Path;

/// How the summary is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryFormat {
    /// Markdown.
    Markdown,
    /// LaTeX, with `booktabs`.
    Latex,
    /// One HTML file.
    Html,
}

#[derive(Serialize)]
struct Context<'a> {
    version: &'static str,
    seed: u64,
    paper: usize,
    own: usize,
    machine_checked: usize,
    verdicts: Vec<Count>,
    failing: Vec<Failing<'a>>,
    /// Published numbers that contradict each other, the protocol or our runs.
    inconsistent: Vec<Failing<'a>>,
    replication: Vec<Row<'a>>,
    loose: Vec<Failing<'a>>,
}

#[derive(Serialize)]
struct Count {
    word: String,
    meaning: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct Failing<'a> {
    id: &'a str,
    reference: &'a str,
    statement: &'a str,
    verdict: String,
    grade: String,
    summary: &'a str,
    witness: Option<String>,
}

#[derive(Serialize)]
struct Row<'a> {
    experiment: &'a str,
    reference: &'a str,
    outcome: &'a str,
}

/// The summary of a reports folder.
///
/// # Errors
/// The recorded ledger is missing or not one.
pub fn summary(folder: &Path, format: SummaryFormat) -> Result<String, ReportError> {
    let ledger = Ledger::read(&folder.join("ledger.json"))?;
    let context = context(&ledger);
    let (name, text) = match format {
        SummaryFormat::Markdown => ("summary.md", include_str!("templates/summary.md")),
        SummaryFormat::Latex => ("summary.tex", include_str!("templates/summary.tex")),
        SummaryFormat::Html => ("summary.html", include_str!("templates/summary.html")),
    };
    let escaped = match format {
        SummaryFormat::Markdown => escape::markdown,
        SummaryFormat::Latex => escape::latex,
        // The template escapes by itself.
        SummaryFormat::Html => str::to_string,
    };
    render(name, text, escaped, &context).map_err(ReportError::PageTemplate)
}

fn render(
    name: &str,
    text: &str,
    escaped: fn(&str) -> String,
    context: &Context<'_>,
) -> Result<String, minijinja::Error> {
    let mut environment = environment()?;
    environment.add_filter("text", move |text: &str| escaped(text));
    environment.add_template("remarks", include_str!("templates/summary_remarks.txt"))?;
    environment.add_template(name, text)?;
    environment.get_template(name)?.render(Value::from(Serde(context)))
}

fn context(ledger: &Ledger) -> Context<'_> {
    let of_paper = || ledger.claims.iter().filter(|e| e.owner == Owner::Paper);
    let verdicts = Verdict::ALL.into_iter().map(|verdict| Count {
        word: verdict.to_string(),
        meaning: verdict.meaning(),
        count: of_paper().filter(|e| e.verdict == verdict).count(),
    });
    let is = |e: &&Entry, which: &[Verdict]| which.contains(&e.verdict);
    let replication = ledger.claims.iter().filter_map(|entry| {
        let experiment = entry.id.strip_prefix("replication-")?;
        Some(Row { experiment, reference: &entry.reference, outcome: &entry.summary })
    });
    let not_replication = |e: &&Entry| !e.id.starts_with("replication-");
    let failing = of_paper().filter(|e| is(e, &[Verdict::Fails]));
    let inconsistent = of_paper().filter(|e| is(e, &[Verdict::Inconsistent]));
    Context {
        version: env!("CARGO_PKG_VERSION"),
        seed: ledger.seed,
        paper: of_paper().count(),
        own: ledger.claims.iter().filter(|e| e.owner == Owner::Project).count(),
        machine_checked: of_paper().filter(|e| e.grade == Grade::MachineChecked).count(),
        verdicts: verdicts.filter(|v| v.count > 0).collect(),
        failing: failing.filter(not_replication).map(row).collect(),
        inconsistent: inconsistent.filter(not_replication).map(row).collect(),
        replication: replication.collect(),
        loose: of_paper().filter(|e| is(e, &[Verdict::Loose])).map(row).collect(),
    }
}

fn row(entry: &Entry) -> Failing<'_> {
    /// A witness that is longer is named, not printed.
    const LONGEST: usize = 240;
    let witness = entry.witness.as_ref().map(in_short);
    Failing {
        id: &entry.id,
        reference: &entry.reference,
        statement: &entry.statement,
        verdict: entry.verdict.to_string(),
        grade: entry.grade.to_string(),
        summary: &entry.summary,
        witness: witness.filter(|w| w.len() <= LONGEST),
    }
}

/// A witness on one line: `s = (1/2, 1/2), u = (0, 1)`.
fn in_short(witness: &Json) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match witness {
        Json::Object(fields) => {
            let one = |(key, value): (&String, &Json)| {
                format!("{} = {}", key.replace('_', " "), in_short(value))
            };
            list(fields.iter().map(one).collect())
        }
        Json::Array(items) => format!("({})", list(items.iter().map(in_short).collect())),
        Json::String(text) => text.clone(),
        Json::Number(n) if n.is_f64() => ledger::markdown::number(n.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said about a claim disappears when the claim no longer fails.
    #[test]
    fn remarks_are_only_about_what_fails() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |id: &str, verdict: Verdict| {
            serde_json::json!({ "id": id, "owner": "paper", "grade": "machine-checked",
                "reference": "App. E", "kind": "theorem", "statement": "a_b <c>",
                "hypotheses": [], "verdict": verdict, "summary": "50 % off", "evidence": {},
                "witness": { "u": ["1/2"] }, "tightness": null })
        };
        let write = |verdict: Verdict| {
            let ledger =
                serde_json::json!({ "seed": 1, "claims": [entry("gamma-sum-sq", verdict)] });
            std::fs::write(folder.path().join("ledger.json"), ledger.to_string()).unwrap();
        };
        let formats = [SummaryFormat::Markdown, SummaryFormat::Latex, SummaryFormat::Html];
        write(Verdict::Fails);
        for format in formats {
            let text = summary(folder.path(), format).unwrap();
            assert!(text.contains("gamma-sum-sq") && text.contains("Repair"), "{text}");
            assert!(text.contains("u = (1/2)"), "{text}");
        }
        assert!(summary(folder.path(), SummaryFormat::Latex).unwrap().contains("50 \\%"));
        assert!(summary(folder.path(), SummaryFormat::Html).unwrap().contains("&lt;c&gt;"));
        write(Verdict::Proved);
        for format in formats {
            let text = summary(folder.path(), format).unwrap();
            assert!(!text.contains("Repair"), "{text}");
        }
        assert!(summary(&folder.path().join("nowhere"), SummaryFormat::Html).is_err());
    }

    /// What would stop LaTeX, or print as something else: special characters that are not escaped,
    /// letters that the fonts lack, braces, dollars and environments that do not match.
    fn faults(tex: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let (mut depth, mut open) = (0i32, Vec::new());
        for (number, line) in tex.lines().enumerate().filter(|(_, l)| !l.starts_with('%')) {
            let mut fault = |what: &str| faults.push(format!("line {}: {what}", number + 1));
            let in_table = open.last().is_some_and(|e: &String| e == "tabularx");
            let (mut chars, mut dollars) = (line.chars().peekable(), 0);
            while let Some(c) = chars.next() {
                match c {
                    // A character that is escaped, or the name of a command.
                    '\\' => {
                        let command = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
                        while command && chars.next_if(char::is_ascii_alphabetic).is_some() {}
                    }
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    '$' => dollars += 1,
                    '&' if in_table => {}
                    '%' | '#' | '_' | '^' | '~' | '&' => fault(&format!("{c} is not escaped")),
                    '<' | '>' if dollars % 2 == 0 && !line.contains("\\begin") => {
                        fault(&format!("{c} outside of a formula"));
                    }
                    c if !c.is_ascii() => fault(&format!("{c} is not ASCII")),
                    _ => {}
                }
            }
            if dollars % 2 != 0 {
                fault("a formula without an end");
            }
            if depth < 0 {
                fault("a brace too many");
            }
            let name = |rest: &str| rest.split('}').next().unwrap_or_default().to_owned();
            for rest in line.split("\\begin{").skip(1) {
                open.push(name(rest));
            }
            for rest in line.split("\\end{").skip(1) {
                if open.pop() != Some(name(rest)) {
                    fault("an end without its beginning");
                }
            }
        }
        if depth != 0 || !open.is_empty() {
            faults.push(format!("{depth} braces and {open:?} are not closed"));
        }
        faults
    }

    #[test]
    fn the_summary_of_the_stored_ledger_is_latex() {
        let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports");
        let tex = summary(&reports, SummaryFormat::Latex).unwrap();
        assert_eq!(faults(&tex), [""; 0]);
        assert!(tex.len() > 5_000);
        for (good, bad) in [
            ("\\_", "_"),
            ("\\%", "%"),
            ("\\textasciicircum{}", "^"),
            ("$<$", "<"),
            ("\\end{itemize}", ""),
            ("\\end{itemize}", "\\end{tabularx}"),
            ("\\textbf{", "\\textbf"),
            ("\\begin{tabularx}", "\\begin{itemize}"),
            ("at least", "\u{2265}"),
            ("$>$", "$>"),
        ] {
            let spoilt = tex.replacen(good, bad, 1);
            assert!(spoilt != tex && !faults(&spoilt).is_empty(), "{good} became {bad} unseen");
        }
    }
}

//! The ledger for people, as Markdown.

use super::{Entry, Grade, Ledger, Owner, Verdict};
use serde_json::Value;
use std::fmt::Write;

/// The whole ledger as Markdown. `not_checkable` are statements without a verdict, each with the reason;
/// `command` is what runs the checks.
#[must_use]
pub fn ledger(ledger: &Ledger, not_checkable: &[(&str, &str)], command: &str) -> String {
    let mut out = String::from("# Ledger\n\n");
    let count = ledger.claims.len();
    let _ = writeln!(
        out,
        "What `{command}` found for each of {count} claims (seed {}). Every verdict is \
         computed; `{command} --claim ID` tells the story of one and reruns it.\n",
        ledger.seed
    );
    out.push_str(
        "| verdict | paper | project | implementation | meaning |\n|---|---|---|---|---|\n",
    );
    for verdict in Verdict::ALL {
        let count = |owner| {
            ledger.claims.iter().filter(|e| e.verdict == verdict && e.owner == owner).count()
        };
        let [paper, project, implementation] = Owner::ALL.map(count);
        let _ = writeln!(
            out,
            "| {verdict} | {paper} | {project} | {implementation} | {} |",
            verdict.meaning()
        );
    }
    out.push_str(
        "\nClaims of the paper, of this project (theorems of our own, and what the hypotheses of the \
         paper amount to) and of the implementation are counted apart.\n\n",
    );
    out.push_str("| grade of the evidence | claims | meaning |\n|---|---|---|\n");
    for grade in Grade::ALL {
        let count = ledger.claims.iter().filter(|e| e.grade == grade).count();
        let _ = writeln!(out, "| {grade} | {count} | {} |", grade.meaning());
    }
    out.push_str("\n| claim | owner | reference | verdict | grade | evidence |\n");
    out.push_str("|---|---|---|---|---|---|\n");
    for e in &ledger.claims {
        let anchor = e.id.replace('.', "");
        let summary = e.summary.replace('|', "\\|");
        let _ = writeln!(
            out,
            "| [{}](#{anchor}) | {} | {} | {} | {} | {summary} |",
            e.id, e.owner, e.reference, e.verdict, e.grade
        );
    }
    for e in &ledger.claims {
        section(&mut out, e);
    }
    if !not_checkable.is_empty() {
        out.push_str(
            "\n## Not checkable\n\nStatements of the paper that have no verdict here.\n\n",
        );
    }
    for (what, why) in not_checkable {
        let _ = writeln!(out, "- {what}: {why}.");
    }
    out
}

/// What the ledger says about one claim.
fn section(out: &mut String, e: &Entry) {
    let _ = writeln!(out, "\n## {}\n", e.id);
    let _ = writeln!(out, "**{}**, {} ({}). {}\n", e.verdict, e.grade, e.reference, e.statement);
    if !e.hypotheses.is_empty() {
        let _ = writeln!(out, "Assumes: {}.\n", e.hypotheses.join("; "));
    }
    let _ = writeln!(out, "{}.\n", e.summary.trim_end_matches('.'));
    if let Some(t) = &e.tightness {
        let _ = writeln!(
            out,
            "Tightness ({}): stated {}, attained {}.\n",
            t.what,
            number(t.stated),
            number(t.attained)
        );
    }
    if !e.proofs.is_empty() {
        let names: Vec<String> = e.proofs.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "Theorems in the proof files: {}.\n", names.join(", "));
    }
    for line in false_variants(e) {
        let _ = writeln!(out, "{line}.\n");
    }
    for (key, value) in &e.evidence {
        let _ = writeln!(out, "- {}: {}", words(key), inline(value));
    }
    if let Some(witness) = &e.witness {
        let text = serde_json::to_string_pretty(witness).unwrap_or_default();
        let _ = writeln!(out, "\nWitness:\n\n```json\n{text}\n```");
    }
}

/// The false variants that the check refutes, and those it cannot tell from the truth.
fn false_variants(e: &Entry) -> Vec<String> {
    let refuted: Vec<&str> = e
        .false_variants
        .iter()
        .filter(|v| v.cannot_tell.is_none())
        .map(|v| v.falsified.as_str())
        .collect();
    let mut lines = Vec::new();
    if !refuted.is_empty() {
        lines.push(format!("The check refutes these false variants: {}", refuted.join("; ")));
    }
    for variant in &e.false_variants {
        if let Some(why) = &variant.cannot_tell {
            lines.push(format!("The check would not notice: {} ({why})", variant.falsified));
        }
    }
    lines
}

/// Strings without quotes, everything else as JSON.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The name of a number in the evidence, in words: `least_margin` is "smallest margin", `n_e` stays a letter
/// of the paper.
#[must_use]
pub fn words(key: &str) -> String {
    match key {
        "n_e" => key.into(),
        "least_margin" => "smallest margin".into(),
        "least_margin_decimal" => "smallest margin as a decimal".into(),
        _ => key.replace('_', " "),
    }
}

/// Four significant digits; whole numbers in full.
#[must_use]
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) {
        let digits = (3 - libm::log10(value.abs().max(1e-300)).floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').into()
        } else {
            text
        }
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_not_wrong() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1234.5678, "1235"),
            (-0.001234, "-0.001234"),
            (200000.0, "200000"),
            (5.3e10, "5.300e10"),
            (1e-9, "1.000e-9"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}

//! Everything about one claim, for a person at a terminal.

use super::screen::{Ink, ink, paint, width, wrapped};
use crate::claims::{Entry, PROOFS, Verdict, in_paper, markdown};
use crate::proofs::Proofs;
use lab::terminal;
use ledger::Stance;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Where the text of a part starts.
const INDENT: usize = 12;

/// What an entry says, part by part, and how to run its check again.
pub(super) fn story(
    e: &Entry,
    recorded: Option<Verdict>,
    proofs: Option<&Proofs>,
    rerun: &str,
) -> String {
    let mut out = Page { text: String::new(), width: width() };
    let verdict = paint(ink(e.verdict), e.verdict);
    let _ = writeln!(out.text, "{}: {verdict}\n", paint(Ink::Bold, &e.id));
    out.part("claim", &format!("{} (a claim of the {}: {})", e.statement, e.owner, e.reference));
    if let Some(says) = in_paper(&e.id) {
        out.part("paper", says);
    }
    e.hypotheses.iter().for_each(|hypothesis| out.part("assumes", hypothesis));
    out.part("found", &e.summary);
    out.part("verdict", &format!("{}: {}", e.verdict, e.verdict.meaning()));
    match recorded {
        Some(before) if before != e.verdict => out.part("recorded", &before.to_string()),
        Some(_) => {}
        None => out.part("recorded", "nothing"),
    }
    out.part("evidence", &format!("{}: {}", e.grade, e.grade.meaning()));
    if let Some(t) = &e.tightness {
        let (stated, attained) = (markdown::number(t.stated), markdown::number(t.attained));
        out.part("tightness", &format!("{}: stated {stated}, attained {attained}", t.what));
    }
    for variant in &e.false_variants {
        match &variant.cannot_tell {
            None => out.part("also", &format!("refuted when made false: {}", variant.falsified)),
            Some(why) => out.part("also", &format!("not noticed: {} ({why})", variant.falsified)),
        }
    }
    for theorem in proofs.map(|p| p.theorems_of(&e.id)).unwrap_or_default() {
        let says = match theorem.stance {
            Stance::Proves => "proves it",
            Stance::Refutes => "refutes it",
            Stance::About => "says more about it",
        };
        out.part("proof", &format!("{PROOFS}/{}: {} ({says})", theorem.file, theorem.name));
    }
    if let Some(witness) = &e.witness {
        out.text.push_str("\nwitness\n");
        out.lines("  ", witness);
    }
    if !e.evidence.is_empty() {
        out.text.push_str("\nnumbers\n");
        out.lines("  ", &Value::Object(e.evidence.clone()));
    }
    let _ = writeln!(out.text, "\nrun it again: {rerun}\n(--format json has every digit)");
    out.text
}

struct Page {
    text: String,
    width: Option<usize>,
}

impl Page {
    fn part(&mut self, name: &str, text: &str) {
        let text = wrapped(&terminal(text), INDENT, self.width);
        let name = paint(Ink::Faint, format!("{name:<INDENT$}"));
        let _ = writeln!(self.text, "{name}{text}");
    }

    /// One line for every value; what is inside another value is moved to the right.
    fn lines(&mut self, indent: &str, value: &Value) {
        match value {
            Value::Object(fields) if inline_fields(fields).is_none() => {
                for (key, value) in fields {
                    self.field(indent, key, value);
                }
            }
            Value::Array(items) if inline(value).is_none() => {
                items.iter().for_each(|item| self.field(indent, "-", item));
            }
            other => {
                let text = inline(other).unwrap_or_default();
                let text = wrapped(&text, indent.len() + 2, self.width);
                let _ = writeln!(self.text, "{indent}{text}");
            }
        }
    }

    fn field(&mut self, indent: &str, key: &str, value: &Value) {
        let key = terminal(&markdown::words(key));
        let colon = if key == "-" { "" } else { ":" };
        match inline(value) {
            Some(text) => {
                let line = format!("{key}{colon} {text}");
                let _ =
                    writeln!(self.text, "{indent}{}", wrapped(&line, indent.len() + 4, self.width));
            }
            None => {
                let _ = writeln!(self.text, "{indent}{key}{colon}");
                self.lines(&format!("{indent}  "), value);
            }
        }
    }
}

/// A value on one line: numbers with four digits, lists as `(a, b)`. None for what needs lines of its own.
fn inline(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("none".into()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.into()),
        Value::Number(n) if n.is_f64() => n.as_f64().map(markdown::number),
        Value::Number(n) => Some(n.to_string()),
        Value::String(text) => Some(terminal(text)),
        Value::Object(fields) => inline_fields(fields),
        Value::Array(items) => {
            let nested = items.iter().any(Value::is_object);
            let parts: Option<Vec<String>> = items.iter().map(inline).collect();
            parts.filter(|_| !nested).map(|parts| format!("({})", parts.join(", ")))
        }
    }
}

/// A few plain fields on one line.
fn inline_fields(fields: &Map<String, Value>) -> Option<String> {
    let plain = |value: &Value| !value.is_object() && !value.is_array();
    if fields.is_empty() || fields.len() > 6 || !fields.values().all(plain) {
        return fields.is_empty().then(|| "none".into());
    }
    let one = |(key, value): (&String, &Value)| {
        Some(format!("{} {}", terminal(&markdown::words(key)), inline(value)?))
    };
    fields.iter().map(one).collect::<Option<Vec<_>>>().map(|parts| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_shown_without_brackets_of_json() {
        assert_eq!(inline(&json!(["4/5", "1/5", 0.3333333333])).unwrap(), "(4/5, 1/5, 0.3333)");
        assert_eq!(
            inline(&json!({ "n": 2, "least_margin": 0.5 })).unwrap(),
            "n 2, smallest margin 0.5"
        );
        assert_eq!(inline(&json!([{ "n": 2 }])), None);
        let mut page = Page { text: String::new(), width: Some(60) };
        page.lines("  ", &json!({ "scores": [[1, 2], [3]], "rows": [{ "a_b": 1 }, { "a_b": 2 }] }));
        assert_eq!(page.text, "  scores: ((1, 2), (3))\n  rows:\n    - a b 1\n    - a b 2\n");
    }
}

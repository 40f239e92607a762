//! Everybody on every stream, held against the subject run by run.
//!
//! All policies of an experiment meet the same streams, so the difference of two policies in one run is
//! free of what both met. Its mean over runs has a Student interval.

use super::measure::risks;
use super::peer::{self, Measured};
use super::{SUBJECT, compact};
use crate::ReportError;
use crate::case::Case;
use crate::escape::markdown;
use crate::number::fixed;
use crate::prec;
use lab::experiment::Plan;
use serde_json::{Value as Json, json};
use stats::{mean, mean_interval};

/// Whom the subject has to keep up with, besides the programs of others.
const RIVALS: [&str; 2] = ["lin-ucb", "means"];
/// How much worse than the best rival, and than its own best setting, is allowed.
const ALLOWED: (f64, f64) = (1.02, 1.03);
/// Differences below this are not worth a word: one mistake in a thousand rounds.
const SLIGHT: f64 = 0.001;

/// One learner on one stream.
struct Entry {
    name: String,
    label: String,
    /// Expected loss a round, run by run; mean loss where no law is known.
    risks: Vec<f64>,
}

/// Everybody on the stream of `case`, the least loss first.
fn entries(case: &Case<'_>, peers: Vec<Measured>) -> Vec<Entry> {
    let ours = case.policies.iter().map(|(i, runs)| {
        let policy = case.policy(*i);
        Entry { name: policy.name.clone(), label: policy.label().into(), risks: risks(runs) }
    });
    let theirs = peers.into_iter().map(|p| Entry {
        name: p.label.into(),
        label: format!("{} {}", p.label, p.version),
        risks: p.risks,
    });
    let mut all: Vec<Entry> = ours.chain(theirs).collect();
    all.sort_by(|a, b| mean(&a.risks).total_cmp(&mean(&b.risks)));
    all
}

/// What the template is told: the table of everybody, of rivals, and of the subject's own settings.
pub(super) fn context(all: &[(&Plan, &[Case<'_>])]) -> Result<Json, ReportError> {
    let (mut rows, mut rivals, mut settings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut kept_up, mut tuned, mut against) = (0, 0, 0);
    for (plan, cases) in all {
        for case in *cases {
            let entries = entries(case, peer::read(plan, case)?);
            let missing =
                || ReportError::NoRuns { stream: case.label(), policy: SUBJECT.to_string() };
            let subject = entries.iter().find(|e| e.name == SUBJECT).ok_or_else(missing)?;
            let stream = format!("`{}`: {}", plan.spec.name, markdown(&case.label()));
            rows.extend(entries.iter().map(|e| everybody(&stream, e, subject)));
            let is_rival = |e: &&Entry| {
                RIVALS.contains(&&*e.name) || peer::PEERS.iter().any(|p| p.1 == e.name)
            };
            let found = entries.iter().filter(is_rival).count();
            against = against.max(found);
            if let Some(rival) = entries.iter().find(is_rival) {
                let (row, fine) = held(&stream, subject, rival, ALLOWED.0);
                kept_up += usize::from(fine);
                rivals.push([row, vec![found.to_string()]].concat());
            }
            let own = format!("{SUBJECT}-");
            if let Some(best) =
                entries.iter().find(|e| e.name == SUBJECT || e.name.starts_with(&own))
                && entries.iter().any(|e| e.name.starts_with(&own))
            {
                let (row, fine) = held(&stream, subject, best, ALLOWED.1);
                tuned += usize::from(fine);
                settings.push(row);
            }
        }
    }
    let everybody_head =
        ["stream", "learner", "loss a round", "more than the router", "95% from", "to", ""];
    let head = |best: &'static str, word: &'static str| {
        ["stream", "router", best, "its loss", "router's share of it", word, "run by run"]
    };
    let rivals_head =
        [&head("best of the others", "within 2 %")[..], &["others measured"][..]].concat();
    Ok(json!({
        "table": compact(&everybody_head, &rows),
        "rivals": { "table": compact(&rivals_head, &rivals), "streams": rivals.len(),
            "kept_up": kept_up },
        "settings": { "table": compact(&head("best setting", "within 3 %"), &settings),
            "streams": settings.len(), "tuned": tuned },
        "vowpal_wabbit": against > RIVALS.len(),
    }))
}

/// The subject beside somebody, and whether it loses at most `allowed` times as much, or hardly more.
fn held(stream: &str, subject: &Entry, other: &Entry, allowed: f64) -> (Vec<String>, bool) {
    let (ours, theirs) = (mean(&subject.risks), mean(&other.risks));
    let fine = ours <= allowed * theirs;
    let word = match fine {
        true => "yes",
        false if ours - theirs < SLIGHT => "no, by less than 0.001",
        false => "**no**",
    };
    let label = markdown(&other.label);
    let share = fixed(ours / theirs, 3);
    // The word is about means over runs; the runs themselves may not tell the two apart.
    let told = match subject.risks.len() == other.risks.len() && subject.name != other.name {
        true => told_apart(&subject.risks, &other.risks).2,
        false => "-",
    };
    let row = [stream, &fixed(ours, 4), &label, &fixed(theirs, 4), &share, word, told];
    (row.map(String::from).to_vec(), fine)
}

fn everybody(stream: &str, entry: &Entry, subject: &Entry) -> Vec<String> {
    let mut row = vec![stream.into(), markdown(&entry.label), fixed(mean(&entry.risks), 4)];
    if entry.name == SUBJECT || entry.risks.len() != subject.risks.len() {
        row.extend(vec!["-".to_string(); 4]);
    } else {
        row.extend(compared(&entry.risks, &subject.risks));
    }
    row
}

/// Differences run by run, the interval of their mean, and what it says about the first.
fn told_apart(
    risks: &[f64],
    others: &[f64],
) -> (Vec<f64>, (Option<f64>, Option<f64>), &'static str) {
    let differences: Vec<f64> = risks.iter().zip(others).map(|(p, s)| p - s).collect();
    let (low, high) = mean_interval(&differences, prec::INTERVAL_OUTSIDE).unzip();
    let said = match (low, high) {
        (Some(low), _) if low > 0.0 => "worse",
        (_, Some(high)) if high < 0.0 => "**better**",
        _ => "not told apart",
    };
    (differences, (low, high), said)
}

/// Mean difference, its interval, and what the interval says.
fn compared(risks: &[f64], subject: &[f64]) -> Vec<String> {
    let (differences, (low, high), said) = told_apart(risks, subject);
    let number = |v: Option<f64>| v.map_or("-".into(), |v| fixed(v, 4));
    vec![fixed(mean(&differences), 4), number(low), number(high), said.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences 1, 2, 3: the interval is 2 -+ 4.30265 / sqrt(3).
    #[test]
    fn differences_by_hand() {
        let row = compared(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert_eq!(row, ["2.0000", "-0.4841", "4.4841", "not told apart"]);
        assert_eq!(compared(&[2.0, 2.1, 2.2], &[1.0, 1.0, 1.0])[3], "worse");
        assert_eq!(compared(&[0.0, 0.1, 0.2], &[1.0, 1.0, 1.0])[3], "**better**");
        assert_eq!(compared(&[2.0], &[1.0])[1..], ["-", "-", "not told apart"]);
    }

    #[test]
    fn two_percent_by_hand() {
        let entry = |risk: f64| Entry { name: "a".into(), label: "A".into(), risks: vec![risk; 2] };
        let word =
            |ours: f64, theirs: f64| held("s", &entry(ours), &entry(theirs), 1.02).0[5].clone();
        assert_eq!(word(0.102, 0.1), "yes");
        assert_eq!(word(0.103, 0.1), "**no**");
        assert_eq!(word(0.0005, 0.0001), "no, by less than 0.001");
        assert_eq!(held("s", &entry(0.05), &entry(0.1), 1.02).0[4], "0.500");
        // Run by run: 0.03 more each time, or 0.09 more and 0.03 less.
        let of = |name: &str, risks: [f64; 2]| Entry {
            name: name.into(),
            label: "A".into(),
            risks: risks.to_vec(),
        };
        let told = |risks| held("s", &of("a", risks), &of("b", [0.1, 0.2]), 1.02).0[6].clone();
        assert_eq!(told([0.13, 0.23]), "worse");
        assert_eq!(told([0.19, 0.17]), "not told apart");
        assert_eq!(held("s", &entry(0.1), &entry(0.1), 1.02).0[6], "-");
    }
}

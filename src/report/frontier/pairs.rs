//! Everybody on every stream, held against the subject run by run.
//!
//! All policies of an experiment meet the same streams, so the difference of two policies in one run is
//! free of what both met. Its mean over runs has a Student interval.
//!
//! The least of several noisy means is smaller than any of them deserves, so the best rival, and the best
//! of the subject's own settings, is picked on one half of the runs and held against on the other half,
//! and the other way round ([`best_of`]).

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
use stats::{jackknife_interval, mean, mean_interval};

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
        Entry { name: policy.name.clone(), label: policy.label.clone(), risks: risks(runs) }
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
            if let Some(best) = best_of(subject, entries.iter().filter(is_rival)) {
                let (row, fine) = held(&stream, &best, ALLOWED.0);
                kept_up += usize::from(fine);
                rivals.push([row, vec![found.to_string()]].concat());
            }
            let own = format!("{SUBJECT}-");
            let is_setting = |e: &&Entry| e.name == SUBJECT || e.name.starts_with(&own);
            if entries.iter().any(|e| e.name.starts_with(&own))
                && let Some(best) = best_of(subject, entries.iter().filter(is_setting))
            {
                let (row, fine) = held(&stream, &best, ALLOWED.1);
                tuned += usize::from(fine);
                settings.push(row);
            }
        }
    }
    let everybody_head =
        ["stream", "learner", "loss a round", "more than the router", "95% from", "to", ""];
    let head = |best: &'static str, word: &'static str| {
        ["stream", "router", best, "its loss", "router's share of it", "95%", word, "run by run"]
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

/// The subject and the best of several, in the runs that did not pick it.
struct Best {
    /// Who was picked, by one half of the runs and by the other.
    label: String,
    /// What the subject and who was picked lost, run by run.
    pairs: Vec<[f64; 2]>,
    /// Whether both halves picked the subject itself.
    itself: bool,
}

/// Picks the best of `entries` on every second run and pairs it with the subject in the other runs, and the
/// other way round. Whoever was measured in the first runs only is compared in those. Fewer than four runs
/// pick and compare at once.
fn best_of<'a>(subject: &Entry, entries: impl Iterator<Item = &'a Entry>) -> Option<Best> {
    let entries: Vec<&Entry> = entries.collect();
    let ours = &subject.risks;
    let halves = |run: usize, half: usize| ours.len() < 4 || run % 2 == half;
    let in_half = |entry: &Entry, half: usize| -> Vec<[f64; 2]> {
        let runs = ours.iter().zip(&entry.risks).enumerate();
        runs.filter(|(run, _)| halves(*run, half)).map(|(_, (&a, &b))| [a, b]).collect()
    };
    let share = |entry: &Entry, half: usize| {
        let [a, b] = means(&in_half(entry, half));
        // The same in every run, also where both lose nothing.
        if a == b { 1.0 } else { b / a }
    };
    let pick = |half: usize| {
        let better = |a: &&&Entry, b: &&&Entry| share(a, half).total_cmp(&share(b, half));
        entries.iter().min_by(better).copied()
    };
    let picked = [pick(0)?, pick(1)?];
    let pairs = [in_half(picked[0], 1), in_half(picked[1], 0)].concat();
    let labels = picked.map(|e| markdown(&e.label));
    let label = if labels[0] == labels[1] { labels[0].clone() } else { labels.join(" / ") };
    Some(Best { label, pairs, itself: picked.iter().all(|e| e.name == subject.name) })
}

fn means(pairs: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|i| mean(&pairs.iter().map(|pair| pair[i]).collect::<Vec<_>>()))
}

/// The subject beside the best of several, and whether it loses at most `allowed` times as much, or hardly
/// more.
fn held(stream: &str, best: &Best, allowed: f64) -> (Vec<String>, bool) {
    let [ours, theirs] = means(&best.pairs);
    let fine = ours <= allowed * theirs;
    let word = match fine {
        true => "yes",
        false if ours - theirs < SLIGHT => "no, by less than 0.001",
        false => "**no**",
    };
    let share = fixed(ours / theirs, 3);
    let pairs: Vec<Vec<f64>> = best.pairs.iter().map(|pair| pair.to_vec()).collect();
    let ratio = |means: &[f64]| Some(means[0] / means[1]).filter(|share| share.is_finite());
    let interval = jackknife_interval(&pairs, prec::INTERVAL_OUTSIDE, ratio);
    let interval = interval.map(|(low, high)| format!("{} to {}", fixed(low, 3), fixed(high, 3)));
    // The word is about means over runs; the runs themselves may not tell the two apart.
    let [a, b] = [0, 1].map(|i| pairs.iter().map(|pair| pair[i]).collect::<Vec<_>>());
    let (told, interval) = match (best.itself, interval) {
        (false, Some(interval)) => (told_apart(&a, &b).2, interval),
        _ => ("-", "-".into()),
    };
    let (ours, theirs) = (fixed(ours, 4), fixed(theirs, 4));
    let row = [stream, &ours, &best.label, &theirs, &share, &interval, word, told];
    (row.map(String::from).to_vec(), fine)
}

fn everybody(stream: &str, entry: &Entry, subject: &Entry) -> Vec<String> {
    let mut row = vec![stream.into(), markdown(&entry.label), fixed(mean(&entry.risks), 4)];
    if entry.name == SUBJECT {
        row.extend(vec!["-".to_string(); 4]);
    } else {
        row.extend(compared(&entry.risks, &subject.risks));
    }
    row
}

/// Differences run by run in the runs of both, the interval of their mean, and what it says about the first.
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

    fn entry(name: &str, risks: &[f64]) -> Entry {
        Entry { name: name.into(), label: name.to_uppercase(), risks: risks.to_vec() }
    }

    #[test]
    fn two_percent_by_hand() {
        let row = |ours: &[f64], theirs: &[f64]| {
            let best = best_of(&entry("a", ours), [&entry("b", theirs)].into_iter()).unwrap();
            held("s", &best, 1.02).0
        };
        let word = |ours: f64, theirs: f64| row(&[ours; 2], &[theirs; 2])[6].clone();
        assert_eq!(word(0.102, 0.1), "yes");
        assert_eq!(word(0.103, 0.1), "**no**");
        assert_eq!(word(0.0005, 0.0001), "no, by less than 0.001");
        assert_eq!(row(&[0.05; 2], &[0.1; 2])[4], "0.500");
        // Run by run: 0.03 more each time, or 0.09 more and 0.03 less.
        assert_eq!(row(&[0.13, 0.13, 0.23, 0.23], &[0.1, 0.1, 0.2, 0.2])[7], "worse");
        assert_eq!(row(&[0.19, 0.17], &[0.1, 0.2])[7], "not told apart");
        let itself = best_of(&entry("a", &[0.1; 4]), [&entry("a", &[0.1; 4])].into_iter()).unwrap();
        assert_eq!(held("s", &itself, 1.02).0[4..], ["1.000", "-", "yes", "-"]);
    }

    /// `b` is best in the runs 0 and 2, `c` in the runs 1 and 3: neither is held against in the runs that
    /// picked it. In hindsight both would have been better than `a`.
    #[test]
    fn the_best_is_picked_by_other_runs() {
        let a = entry("a", &[0.2, 0.2, 0.2, 0.2]);
        let (b, c) = (entry("b", &[0.1, 0.3, 0.1, 0.3]), entry("c", &[0.3, 0.1, 0.3, 0.1]));
        let best = best_of(&a, [&a, &b, &c].into_iter()).unwrap();
        assert_eq!((best.label.as_str(), best.itself), ("B / C", false));
        assert_eq!(best.pairs, [[0.2, 0.3]; 4]);
        // Who was measured in the first two runs only is compared there.
        let best = best_of(&a, [&a, &entry("d", &[0.1, 0.1])].into_iter()).unwrap();
        assert_eq!(best.pairs, [[0.2, 0.1]; 2]);
        assert!(best_of(&a, [].into_iter()).is_none());
    }
}

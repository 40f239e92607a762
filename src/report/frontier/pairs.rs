//! Everybody on every stream, held against the subject run by run.
//!
//! All policies of an experiment meet the same streams and the same draws of actions, so the difference
//! of two policies in one run is free of what both met. Its mean over runs has a Student interval.

use super::measure::{losses, regrets};
use super::{SUBJECT, compact};
use crate::case::Case;
use crate::escape::markdown;
use crate::number::fixed;
use crate::prec;
use lab::experiment::{Plan, Series};
use stats::{mean, mean_interval};

/// What each run cost a round: exact excess risk where the law is known, else the mean loss.
fn prices(runs: &[&Series], rounds: f64) -> Vec<f64> {
    let exact = regrets(runs);
    if exact.iter().any(|v| v.is_nan()) {
        return losses(runs);
    }
    exact.iter().map(|regret| regret / rounds).collect()
}

/// One row per stream and policy, streams in the order of the page, the best policy of a stream first.
pub(super) fn table(all: &[(&Plan, Vec<Case<'_>>)]) -> String {
    let mut rows = Vec::new();
    for (plan, cases) in all {
        for case in cases {
            rows.extend(case_rows(&plan.spec.name, case));
        }
    }
    let head = ["stream", "learner", "a round", "more than the subject", "95% from", "to", ""];
    compact(&head, &rows)
}

fn case_rows(experiment: &str, case: &Case<'_>) -> Vec<Vec<String>> {
    let rounds = case.spec.rounds as f64;
    let subject = case.runs_of(SUBJECT).map(|runs| prices(runs, rounds));
    let mut policies: Vec<(f64, &str, &str, Vec<f64>)> = Vec::new();
    for (i, runs) in &case.policies {
        let (policy, prices) = (case.policy(*i), prices(runs, rounds));
        policies.push((mean(&prices), &policy.name, policy.label(), prices));
    }
    policies.sort_by(|a, b| a.0.total_cmp(&b.0));
    let row = |(at, name, label, prices): &(f64, &str, &str, Vec<f64>)| {
        let stream = format!("`{experiment}`: {}", markdown(&case.label()));
        let mut row = vec![stream, markdown(label), fixed(*at, 4)];
        let subject = subject.as_ref().filter(|s| s.len() == prices.len() && *name != SUBJECT);
        row.extend(
            subject.map_or_else(|| vec!["-".into(); 4], |subject| compared(prices, subject)),
        );
        row
    };
    policies.iter().map(row).collect()
}

/// Mean difference, its interval, and what the interval says.
fn compared(prices: &[f64], subject: &[f64]) -> Vec<String> {
    let differences: Vec<f64> = prices.iter().zip(subject).map(|(p, s)| p - s).collect();
    let (low, high) = mean_interval(&differences, prec::INTERVAL_OUTSIDE).unzip();
    let said = match (low, high) {
        (Some(low), _) if low > 0.0 => "worse",
        (_, Some(high)) if high < 0.0 => "**better**",
        _ => "not told apart",
    };
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
}

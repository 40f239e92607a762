//! What is said of the learning curves, decided by numbers.

use super::Observation;
use super::curves::{Case, column, rounds, windows};
use super::stats::mean_sd;
use crate::experiment::metrics::Series;
use std::collections::BTreeMap;

fn observation(id: String, statement: String, holds: bool, numbers: &[(&str, f64)]) -> Observation {
    let numbers: BTreeMap<String, f64> =
        numbers.iter().filter(|(_, v)| v.is_finite()).map(|(k, v)| (k.to_string(), *v)).collect();
    Observation { id, statement, holds, numbers }
}

fn mean(values: &[f64]) -> f64 {
    mean_sd(values).0
}

/// Means of a total over the first and the last tenth of the checkpoints.
fn tenths(totals: &[f64], t: &[u64]) -> (f64, f64) {
    let (n, t) = (totals.len(), rounds(t));
    let part = (n / 10).max(1);
    let first = totals[part - 1] / t[part - 1];
    let before = if part < n { (totals[n - 1 - part], t[n - 1 - part]) } else { (0.0, 0.0) };
    (first, (totals[n - 1] - before.0) / (t[n - 1] - before.1))
}

/// Means over runs of a quantity early and late, and in how many runs it is larger late.
fn early_late(runs: &[&Series], f: &dyn Fn(&Series) -> Vec<f64>) -> (f64, f64, f64) {
    let pairs: Vec<(f64, f64)> = runs.iter().map(|s| tenths(&f(s), &s.t)).collect();
    let rises = pairs.iter().filter(|(a, b)| b > a).count() as f64;
    let (early, late): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    (mean(&early), mean(&late), rises)
}

/// Share of all rounds in which expert `j` was asked, mean over runs.
fn asked(runs: &[&Series], j: usize) -> f64 {
    let one = |s: &&Series| {
        let (asked, t) = (column(&s.asked, j), rounds(&s.t));
        asked[asked.len() - 1] / t[t.len() - 1]
    };
    mean(&runs.iter().map(one).collect::<Vec<_>>())
}

/// What App. G says of its figures, for every learner of the case.
pub(super) fn curves(case: &Case<'_>) -> Vec<Observation> {
    let mut out = Vec::new();
    let report = &case.spec.report;
    let baseline = report.baseline.as_deref().and_then(|name| case.runs_of(name));
    for (i, runs) in &case.policies {
        let policy = case.policy(*i);
        if policy.algorithm1.is_none() {
            continue;
        }
        let id = |what: &str| format!("{what}{}/{}", case.suffix, policy.name);
        let of_runs = runs.len() as f64;

        let right = |s: &Series| s.right.iter().map(|&r| r as f64).collect::<Vec<_>>();
        let (early, late, rises) = early_late(runs, &right);
        out.push(observation(
            id("accuracy-rises"),
            "accuracy in the last tenth of the rounds is above that of the first tenth (means over runs)".into(),
            late > early,
            &[("first tenth", early), ("last tenth", late), ("runs in which it rises", rises), ("runs", of_runs)],
        ));
        let (early, late, rises) = early_late(runs, &|s| s.loss.clone());
        out.push(observation(
            id("loss-falls"),
            "loss in the last tenth of the rounds is below that of the first tenth (means over runs)".into(),
            late < early,
            &[("first tenth", early), ("last tenth", late), ("runs in which it falls", of_runs - rises), ("runs", of_runs)],
        ));
        if runs.iter().all(|s| s.exact.is_some()) {
            let excess = |s: &Series| s.exact.as_ref().map_or(vec![], |e| e.excess.clone());
            let (early, late, rises) = early_late(runs, &excess);
            out.push(observation(
                id("excess-falls"),
                "excess risk over the best action of each round is lower in the last tenth than in the first (what is left when the drift of the noise is taken out)".into(),
                late < early,
                &[("first tenth", early), ("last tenth", late), ("runs in which it falls", of_runs - rises), ("runs", of_runs)],
            ));
        }
        if let Some(baseline) = baseline {
            let final_of = |runs: &[&Series], f: &dyn Fn(&Series) -> f64| {
                mean(&runs.iter().map(|s| f(s) / s.t[s.t.len() - 1] as f64).collect::<Vec<_>>())
            };
            let loss = |s: &Series| s.loss[s.loss.len() - 1];
            let acc = |s: &Series| s.right[s.right.len() - 1] as f64;
            let (ours, theirs) = (final_of(runs, &loss), final_of(baseline, &loss));
            let (a, b) = (final_of(runs, &acc), final_of(baseline, &acc));
            out.push(observation(
                id("beats-baseline"),
                "lower mean loss and higher mean accuracy than the baseline over all rounds".into(),
                ours < theirs && a > b,
                &[
                    ("loss", ours),
                    ("loss of baseline", theirs),
                    ("accuracy", a),
                    ("accuracy of baseline", b),
                ],
            ));
        }
        let Some(synthetic) = &case.spec.stream[case.stream].synthetic else { continue };
        let shares: Vec<f64> = (0..case.experts()).map(|j| asked(runs, j)).collect();
        let region = |j: &usize| !synthetic.knows[*j].is_empty();
        let (knowing, guessing): (Vec<usize>, Vec<usize>) = (0..shares.len()).partition(region);
        let names: Vec<String> = (0..shares.len()).map(|j| format!("g{}", j + 1)).collect();
        let numbers: Vec<(&str, f64)> =
            names.iter().map(String::as_str).zip(shares.iter().copied()).collect();
        if knowing.is_empty() || guessing.is_empty() {
            continue;
        }
        out.push(observation(
            id("knowing-experts-asked-most"),
            "every expert with a region is asked more often than every expert without one (share of rounds)".into(),
            knowing.iter().all(|&k| guessing.iter().all(|&g| shares[k] > shares[g])),
            &numbers,
        ));
        if let Some(baseline) = baseline {
            let ours = guessing.iter().map(|&g| shares[g]).fold(0.0, f64::max);
            let theirs = guessing.iter().map(|&g| asked(baseline, g)).fold(1.0, f64::min);
            let early = |g: usize| {
                let one = |s: &&Series| windows(&column(&s.asked, g), &rounds(&s.t));
                let last: Vec<f64> =
                    runs.iter().map(|s| *one(s).last().unwrap_or(&f64::NAN)).collect();
                mean(&last)
            };
            let late = guessing.iter().map(|&g| early(g)).fold(0.0, f64::max);
            out.push(observation(
                id("guessing-expert-hardly-asked"),
                "an expert without a region is asked in less than half as many rounds as the baseline asks it".into(),
                ours < theirs / 2.0,
                &[("share", ours), ("share of baseline", theirs), ("share in the last window", late)],
            ));
        }
        if let Some(rows) = unconditional(case) {
            let when_asked = |j: usize| {
                let one = |s: &&Series| {
                    let (right, asked) = (column(&s.asked_right, j), column(&s.asked, j));
                    right[right.len() - 1] / asked[asked.len() - 1]
                };
                mean(&runs.iter().map(one).collect::<Vec<_>>())
            };
            let mut numbers = Vec::new();
            for &j in &knowing {
                numbers.push((format!("g{} when asked", j + 1), when_asked(j)));
                numbers.push((format!("g{} always", j + 1), rows[j]));
            }
            let numbers: Vec<(&str, f64)> = numbers.iter().map(|(k, v)| (k.as_str(), *v)).collect();
            out.push(observation(
                id("asked-where-they-know"),
                "every expert with a region is right more often when asked than over all rounds"
                    .into(),
                knowing.iter().all(|&j| when_asked(j) > rows[j]),
                &numbers,
            ));
        }
    }
    out
}

/// Accuracy of each expert over all rounds, mean over runs.
fn unconditional(case: &Case<'_>) -> Option<Vec<f64>> {
    (!case.traces.is_empty()).then(|| {
        let share = |j: usize| {
            let one = |trace: &&crate::experiment::metrics::Trace| {
                let (right, t) = (column(&trace.expert_right, j), rounds(&trace.t));
                right[right.len() - 1] / t[t.len() - 1]
            };
            mean(&case.traces.iter().map(one).collect::<Vec<_>>())
        };
        (0..case.experts()).map(share).collect()
    })
}

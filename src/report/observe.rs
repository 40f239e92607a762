//! What is said of the learning curves, decided by numbers.

use super::curves::{Case, column, rounds, windows};
use super::stats::mean_sd;
use super::{Observation, observe_reuters4};
use lab::experiment::metrics::Series;
use lab::experiment::spec::{PolicyKind, StreamKind};
use std::collections::BTreeMap;

pub(super) fn observation(
    id: String,
    statement: String,
    holds: bool,
    numbers: &[(&str, f64)],
) -> Observation {
    let numbers: BTreeMap<String, f64> =
        numbers.iter().filter(|(_, v)| v.is_finite()).map(|(k, v)| (k.to_string(), *v)).collect();
    Observation { id, statement, holds, numbers }
}

pub(super) fn mean(values: &[f64]) -> f64 {
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
pub(super) fn early_late(runs: &[&Series], f: &dyn Fn(&Series) -> Vec<f64>) -> (f64, f64, f64) {
    let pairs: Vec<(f64, f64)> = runs.iter().map(|s| tenths(&f(s), &s.t)).collect();
    let rises = pairs.iter().filter(|(a, b)| b > a).count() as f64;
    let (early, late): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    (mean(&early), mean(&late), rises)
}

/// Share of all rounds in which expert `j` was asked, mean over runs.
pub(super) fn asked(runs: &[&Series], j: usize) -> f64 {
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
    out.extend(radius_matters(case));
    out.extend(published_accuracy(case));
    for (i, runs) in &case.policies {
        let policy = case.policy(*i);
        if !matches!(policy.kind, PolicyKind::Algorithm1(_) | PolicyKind::Network(_)) {
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
        let stream = &case.spec.stream[case.stream];
        if matches!(stream.kind, StreamKind::Reuters4(_)) {
            out.extend(observe_reuters4::of(case, &policy.name, runs, baseline));
        }
        let StreamKind::Synthetic(synthetic) = &stream.kind else { continue };
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

/// Published accuracies of experts against ours, in standard errors of as many binomial rounds.
fn published_accuracy(case: &Case<'_>) -> Option<Observation> {
    let published = &case.spec.report.published_expert_accuracy;
    let ours = unconditional(case).filter(|ours| ours.len() == published.len())?;
    let rounds = (case.traces.len() as u64 * case.spec.rounds) as f64;
    let mut numbers = Vec::new();
    let mut far = 0.0f64;
    for (j, (m, p)) in ours.iter().zip(published).enumerate() {
        let z = (p / 100.0 - m) / (m * (1.0 - m) / rounds).sqrt();
        far = far.max(z.abs());
        numbers.push((format!("g{} ours", j + 1), 100.0 * m));
        numbers.push((format!("g{} published", j + 1), *p));
        numbers.push((format!("g{} standard errors apart", j + 1), z));
    }
    let numbers: Vec<(&str, f64)> = numbers.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    Some(observation(
        format!("published-expert-accuracy{}", case.suffix),
        "published accuracies of the experts are within five standard errors of ours".into(),
        far <= 5.0,
        &numbers,
    ))
}

/// Accuracy of the subject on every stream but the first against the first, run by run: the streams
/// of one experiment meet the same seeds.
pub(super) fn against_first(cases: &[Case<'_>]) -> Vec<Observation> {
    let Some((first, others)) = cases.split_first() else { return Vec::new() };
    let accuracy = |case: &Case<'_>| -> Option<Vec<f64>> {
        let subject = case.spec.report.subject.as_deref()?;
        let one = |s: &&Series| s.right[s.right.len() - 1] as f64 / s.t[s.t.len() - 1] as f64;
        Some(case.runs_of(subject)?.iter().map(one).collect())
    };
    let mut out = Vec::new();
    for case in others.iter().filter(|case| case.settings == first.settings) {
        let (Some(a), Some(b)) = (accuracy(first), accuracy(case)) else { continue };
        let lower = a.iter().zip(&b).filter(|(a, b)| b < a).count() as f64;
        out.push(observation(
            format!("accuracy-below-first{}", case.suffix),
            format!("mean accuracy on {} is below that on {}", case.label(), first.label()),
            mean(&b) < mean(&a),
            &[
                ("accuracy", mean(&b)),
                ("accuracy on the first", mean(&a)),
                ("runs in which it is lower", lower),
                ("runs", a.len() as f64),
            ],
        ));
    }
    out
}

/// Whether learners that differ in their ball alone differ in anything.
fn radius_matters(case: &Case<'_>) -> Option<Observation> {
    let without_radius = |i: usize| {
        let learner = case.policy(i).algorithm1().cloned()?;
        Some(lab::experiment::spec::LearnerSpec { radius: Default::default(), ..learner })
    };
    let learners: Vec<&(usize, Vec<&Series>)> =
        case.policies.iter().filter(|(i, _)| without_radius(*i).is_some()).collect();
    let (first, runs) = learners.first()?;
    let twins: Vec<_> = learners[1..]
        .iter()
        .filter(|(i, _)| without_radius(*i) == without_radius(*first))
        .collect();
    let equal = twins.iter().filter(|(_, other)| other == runs).count() as f64;
    (!twins.is_empty()).then(|| {
        observation(
            format!("ball-never-binds{}", case.suffix),
            "learners that differ only in the radius B give the same totals in every run".into(),
            equal == twins.len() as f64,
            &[("learners", 1.0 + twins.len() as f64), ("equal to the first", equal)],
        )
    })
}

/// Accuracy of each expert over all rounds, mean over runs.
pub(super) fn unconditional(case: &Case<'_>) -> Option<Vec<f64>> {
    (!case.traces.is_empty()).then(|| {
        let share = |j: usize| {
            let one = |trace: &&lab::experiment::metrics::Trace| {
                let (right, t) = (column(&trace.expert_right, j), rounds(&trace.t));
                right[right.len() - 1] / t[t.len() - 1]
            };
            mean(&case.traces.iter().map(one).collect::<Vec<_>>())
        };
        (0..case.experts()).map(share).collect()
    })
}

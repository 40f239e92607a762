//! What Sec. 7.2 and App. G.3 say of the Reuters4 figures, decided by numbers.

use super::Observation;
use super::curves::Case;
use super::observe::{asked, early_late, mean, observation, unconditional};
use lab::experiment::metrics::Series;

/// A change of the mean loss below this, from the first to the last tenth of a run, counts as none.
const STABLE: f64 = 0.05;

/// The observations for the learner `name` with these runs.
pub(super) fn of(
    case: &Case<'_>,
    name: &str,
    runs: &[&Series],
    baseline: Option<&[&Series]>,
) -> Vec<Observation> {
    let id = |what: &str| format!("{what}{}/{name}", case.suffix);
    let experts = case.experts();
    let right = |s: &Series| s.right.iter().map(|&r| r as f64).collect::<Vec<_>>();
    let shares: Vec<f64> = (0..experts).map(|j| asked(runs, j)).collect();
    let mut out = Vec::new();

    let (early, late, _) = early_late(runs, &|s| s.loss.clone());
    out.push(observation(
        id("loss-stable"),
        format!("mean loss of the last tenth of the rounds is within {STABLE} of the first tenth"),
        (late - early).abs() < STABLE,
        &[("first tenth", early), ("last tenth", late)],
    ));

    let (most, least) = shares.iter().fold((0.0f64, 1.0f64), |(m, l), &s| (m.max(s), l.min(s)));
    let names: Vec<String> = (0..experts).map(|j| format!("g{}", j + 1)).collect();
    let by_expert: Vec<(&str, f64)> =
        names.iter().map(String::as_str).zip(shares.iter().copied()).collect();
    out.push(observation(
        id("routing-not-uniform"),
        "the expert that is asked most is asked at least twice as often as the one asked least"
            .into(),
        most >= 2.0 * least,
        &by_expert,
    ));

    if let Some(baseline) = baseline {
        let (a, b, _) = early_late(runs, &right);
        let (c, d, _) = early_late(baseline, &right);
        out.push(observation(
            id("accuracy-rises-faster-than-baseline"),
            "accuracy gains more from the first to the last tenth of the rounds than that of the baseline".into(),
            b - a > d - c,
            &[("gain", b - a), ("gain of baseline", d - c)],
        ));
        let theirs: f64 = (0..experts).map(|j| asked(baseline, j)).sum();
        let ours: f64 = shares.iter().sum();
        out.push(observation(
            id("defers-more-than-baseline"),
            "experts together are asked in more rounds than the baseline asks them".into(),
            ours > theirs,
            &[("share of rounds", ours), ("share of baseline", theirs)],
        ));
    }

    if let Some(always) = unconditional(case) {
        let last = |totals: &[Vec<u64>], j: usize| totals[totals.len() - 1][j] as f64;
        let when_asked = |j: usize| {
            let one = |s: &&Series| last(&s.asked_right, j) / last(&s.asked, j);
            mean(&runs.iter().map(one).collect::<Vec<_>>())
        };
        let of_all = |s: &&Series| {
            let sum = |totals: &[Vec<u64>]| (0..experts).map(|j| last(totals, j)).sum::<f64>();
            sum(&s.asked_right) / sum(&s.asked)
        };
        let queried = mean(&runs.iter().map(of_all).collect::<Vec<_>>());
        let best = always.iter().copied().fold(0.0, f64::max);
        out.push(observation(
            id("queried-accuracy-high"),
            "answers of the experts that are asked are right more often than those of the best expert over all rounds".into(),
            queried > best,
            &[("when asked", queried), ("best expert, always", best)],
        ));
        let numbers: Vec<(String, f64)> = (0..experts)
            .flat_map(|j| {
                [
                    (format!("g{} when asked", j + 1), when_asked(j)),
                    (format!("g{} always", j + 1), always[j]),
                ]
            })
            .collect();
        let numbers: Vec<(&str, f64)> = numbers.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        out.push(observation(
            id("asked-where-they-know"),
            "every expert is right more often when asked than over all rounds".into(),
            (0..experts).all(|j| when_asked(j) > always[j]),
            &numbers,
        ));
    }
    out
}

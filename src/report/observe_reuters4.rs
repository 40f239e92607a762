//! What Sec. 7.2 and App. G.3 say of the Reuters4 figures, decided by numbers.

use super::Observation;
use super::case::{expert, mean_over};
use super::observe::{Learner, Tenths};
use crate::totals::{Total, Totals};
use lab::experiment::Series;

/// A change of the mean loss below this, from the first to the last tenth of a run, counts as none.
const STABLE: f64 = 0.05;

/// The observations for one learner.
pub(crate) fn of(learner: &Learner<'_>) -> Vec<Observation> {
    let experts: Vec<usize> = (0..learner.case.experts()).collect();
    let shares: Vec<f64> = experts.iter().map(|&j| learner.asked(j)).collect();
    let loss = Tenths::of(learner.runs, Total::Loss);
    let (most, least) = shares.iter().fold((0.0f64, 1.0f64), |(m, l), &s| (m.max(s), l.min(s)));
    let mut out = vec![
        learner.observation(
            "loss-stable",
            format!(
                "mean loss of the last tenth of the rounds is within {STABLE} of the first tenth"
            ),
            loss.gain().abs() < STABLE,
            [("first tenth", loss.early), ("last tenth", loss.late)],
        ),
        learner.observation(
            "routing-not-uniform",
            "the expert that is asked most is asked at least twice as often as the one asked least",
            most >= 2.0 * least,
            shares.iter().enumerate().map(|(j, &share)| (expert(j), share)),
        ),
    ];
    if let Some(baseline) = learner.baseline {
        out.extend(against(learner, baseline, &shares));
    }
    if let Some(always) = learner.case.expert_accuracies() {
        let queried = mean_over(learner.runs, |s| s.share(Total::AnyAskedRight, Total::AnyAsked));
        let best = always.iter().copied().fold(0.0, f64::max);
        out.push(learner.observation(
            "queried-accuracy-high",
            "answers of the experts that are asked are right more often than those of the best expert over all rounds",
            queried > best,
            [("when asked", queried), ("best expert, always", best)],
        ));
        out.push(learner.asked_where_they_know(
            "every expert is right more often when asked than over all rounds",
            &experts,
            &always,
        ));
    }
    out
}

fn against(learner: &Learner<'_>, baseline: &[&Series], shares: &[f64]) -> [Observation; 2] {
    let gain = Tenths::of(learner.runs, Total::Right).gain();
    let gain_of_baseline = Tenths::of(baseline, Total::Right).gain();
    let ours: f64 = shares.iter().sum();
    let theirs: f64 =
        (0..shares.len()).map(|j| mean_over(baseline, |s| s.mean(Total::Asked(j)))).sum();
    [
        learner.observation(
            "accuracy-rises-faster-than-baseline",
            "accuracy gains more from the first to the last tenth of the rounds than that of the baseline",
            gain > gain_of_baseline,
            [("gain", gain), ("gain of baseline", gain_of_baseline)],
        ),
        learner.observation(
            "defers-more-than-baseline",
            "experts together are asked in more rounds than the baseline asks them",
            ours > theirs,
            [("share of rounds", ours), ("share of baseline", theirs)],
        ),
    ]
}

//! What App. G.2 says of the synthetic figures, decided by numbers.

use super::Observation;
use super::case::{expert, mean_over};
use super::observe::Learner;
use crate::totals::{Total, Totals};

/// Whom a learner asks: experts with a region, or those who guess.
pub(crate) fn of(learner: &Learner<'_>, knows: &[Vec<usize>]) -> Vec<Observation> {
    let shares: Vec<f64> = (0..learner.case.experts()).map(|j| learner.asked(j)).collect();
    let region = |j: &usize| !knows[*j].is_empty();
    let (knowing, guessing): (Vec<usize>, Vec<usize>) = (0..shares.len()).partition(region);
    if knowing.is_empty() || guessing.is_empty() {
        return Vec::new();
    }
    let mut out = vec![learner.observation(
        "knowing-experts-asked-most",
        "every expert with a region is asked more often than every expert without one (share of rounds)",
        knowing.iter().all(|&k| guessing.iter().all(|&g| shares[k] > shares[g])),
        shares.iter().enumerate().map(|(j, &share)| (expert(j), share)),
    )];
    if let Some(baseline) = learner.baseline {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let ours = largest(&mut guessing.iter().map(|&g| shares[g]));
        let theirs = guessing
            .iter()
            .map(|&g| mean_over(baseline, |s| s.mean(Total::Asked(g))))
            .fold(1.0, f64::min);
        let in_last_window = |g: usize| {
            let windows = |s: &lab::experiment::Series| {
                s.windows(Total::Asked(g), Total::Rounds).last().copied().unwrap_or(f64::NAN)
            };
            mean_over(learner.runs, windows)
        };
        let late = largest(&mut guessing.iter().map(|&g| in_last_window(g)));
        out.push(learner.observation(
            "guessing-expert-hardly-asked",
            "an expert without a region is asked in less than half as many rounds as the baseline asks it",
            ours < theirs / 2.0,
            [("share", ours), ("share of baseline", theirs), ("share in the last window", late)],
        ));
    }
    if let Some(always) = learner.case.expert_accuracies() {
        out.push(learner.asked_where_they_know(
            "every expert with a region is right more often when asked than over all rounds",
            &knowing,
            &always,
        ));
    }
    out
}

//! Unbiasedness by sampling: labels from a known law, actions from the subject's own `q`.
//!
//! The mean weight of target `a` must be `s_a` (class: `p(a|x)`, expert: `1 - E c_j`). A weight
//! lies in `[0, 1/q_a]`, so `q_a` times it is a `[0, 1]` variable with mean `s_a q_a`, and
//! Hoeffding's inequality in its relative-entropy form,
//! `P(mean beyond m) <= exp(-M kl(m, s_a q_a))` on either side, gives an interval that is valid
//! for every sample size `M`: no normal approximation, no tables.

use super::estimate::replay;
use super::rounds::{ProbeRound, Rounds};
use super::{CheckEvidence, Failure, sentences, wide_ball};
use crate::prec;
use crate::problem::{ActionSpace, RoundLaw};
use crate::subject::Subject;
use crate::theory::Scores;

/// Samples: no importance weight, or a cost used for a reward, is far outside the interval.
const SAMPLES: usize = 4000;

/// The round that is sampled.
const T: u64 = 2;

/// Replays a first round, then samples the second.
pub(crate) fn unbiased(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 20);
    let prefix = [(rounds.next_round(), rounds.quantile())];
    let last = rounds.next_with(vec![0, 1, 2]);
    let p = [0.5, 0.3, 0.2];
    let costs: Vec<Vec<f64>> = (0..spec.n_e).map(|_| rounds.next_round().costs).collect();
    let space = ActionSpace::new(spec.n, spec.n_e).map_err(harness)?;
    let law = RoundLaw::new(space, &p, &costs).map_err(harness)?;
    let scores = Scores::from_law(&law, space.all_active())
        .map_err(|error| Failure::Wrong(format!("harness: {error}")))?;

    let mut sums = vec![0.0; spec.actions()];
    // Probabilities and which weights can be seen in a step: the same in every replay.
    let mut q = vec![0.0; spec.actions()];
    let mut visible = vec![true; spec.actions()];
    for sample in 0..SAMPLES {
        let y = quantile_of(&p, rounds.quantile());
        let costs = costs.iter().map(|by_label| by_label[y]).collect();
        let round = ProbeRound { label: y, costs, ..last.clone() };
        let quantile = rounds.quantile();
        // The action comes from q, which the first replay has yet to show.
        let action = if sample == 0 { 0 } else { quantile_of(&q, quantile) };
        let replayed = replay(subject, &spec, &prefix, &round, action)?;
        if sample == 0 {
            q.clone_from(&replayed.seen.q);
            for (a, visible) in visible.iter_mut().enumerate() {
                *visible = replayed.weight(&spec, &round, a, T).is_some();
            }
            continue;
        }
        if let Some(weight) = replayed.weight(&spec, &round, action, T) {
            sums[action] += weight;
        }
    }

    let samples = (SAMPLES - 1) as f64;
    let level = prec::MONTE_CARLO_FALSE_ALARM / spec.actions() as f64;
    let mut widest = 0.0f64;
    for (a, &s) in scores.s.iter().enumerate().filter(|(a, _)| visible[*a]) {
        let (low, high) = interval(sums[a] * q[a] / samples, samples, level);
        let (low, high) = (low / q[a], high / q[a]);
        if !(low..=high).contains(&s) {
            return Err(Failure::Wrong(format!(
                "the estimate is biased for {}: expected {}, got {} on average over {samples} \
                 samples, with certainty between {} and {}",
                sentences::action(&spec, a),
                sentences::number(s, 3),
                sentences::number(sums[a] / samples, 3),
                sentences::number(low, 3),
                sentences::number(high, 3)
            )));
        }
        widest = widest.max(high - low);
    }
    Ok(format!(
        "{samples} samples, every mean within its interval (widest {widest:.2}; an unbiased \
         subject fails with probability at most {:.0e})",
        prec::MONTE_CARLO_FALSE_ALARM
    ))
}

fn harness(error: crate::problem::ProblemError) -> Failure {
    Failure::Wrong(format!("harness: {error}"))
}

fn quantile_of(p: &[f64], quantile: f64) -> usize {
    let mut below = 0.0;
    p.iter()
        .position(|p| {
            below += p;
            quantile < below
        })
        .unwrap_or(p.len() - 1)
}

/// All means that `mean` of `samples` observations in `[0, 1]` is compatible with, at error
/// probability `level` for both sides together.
fn interval(mean: f64, samples: f64, level: f64) -> (f64, f64) {
    if !(0.0..=1.0).contains(&mean) {
        // Outside what is possible at all: only itself.
        return (mean, mean);
    }
    let limit = libm::log(2.0 / level) / samples;
    let end = |mut outside: f64| {
        let mut inside = mean;
        for _ in 0..prec::BISECTIONS {
            let middle = 0.5 * (inside + outside);
            if relative_entropy(mean, middle) <= limit {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    };
    (end(0.0), end(1.0))
}

/// `kl(p, q)` of two coins.
fn relative_entropy(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * libm::log(p / q) } else { 0.0 };
    term(p, q) + term(1.0 - p, 1.0 - q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_by_hand() {
        // No success in M samples: (1 - q)^M = level/2, so q = 1 - (level/2)^(1/M).
        let (low, high) = interval(0.0, 100.0, 0.02);
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.01f64.powf(0.01))).abs() < 1e-12, "{high}");
        let (low, high) = interval(0.5, 100.0, 0.02);
        assert!((low + high - 1.0).abs() < 1e-12 && low > 0.3 && low < 0.4, "{low}");
        assert_eq!(interval(1.5, 100.0, 0.02), (1.5, 1.5));
    }

    #[test]
    fn quantiles_of_a_law() {
        assert_eq!(
            [0.0, 0.49, 0.5, 0.99, 1.0].map(|u| quantile_of(&[0.5, 0.5], u)),
            [0, 0, 1, 1, 1]
        );
    }
}

//! What is measured along a run: running totals, kept at checkpoints.
//!
//! Totals and not means, so that any window is a difference of two checkpoints.

use super::partial::STRETCH;
use crate::rounds::{Event, Observer};
use crate::stream::{Earnings, Right, Stream, StreamRound};
use problem::ActionSpace;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Totals over rounds `1..=t`, one entry per checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The checkpoints.
    pub t: Vec<u64>,
    /// Normalized cost of the sampled action.
    pub loss: Vec<f64>,
    /// Rounds with the right final answer.
    pub right: Vec<u64>,
    /// Rounds in which expert `j` (inner) was asked.
    pub asked: Vec<Vec<u64>>,
    /// Those in which it was right.
    pub asked_right: Vec<Vec<u64>>,
    /// Whether there were rounds in which nobody can say what is right: then accuracies do not exist.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub graded: bool,
    /// What the played actions earned and took, for streams that have rewards and prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earnings: Option<Earnings<Vec<f64>>>,
    /// Exact sums, for streams that know their law.
    pub exact: Option<Exact>,
}

/// Sums of conditional expectations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// `sum_t sum_a q_t(a) (1 - s_t(a))`.
    pub risk: Vec<f64>,
    /// `sum_t (max_a s_t(a) - sum_a q_t(a) s_t(a))`: regret against the best action of each round.
    pub excess: Vec<f64>,
    /// The part of it that exploration costs: `sum_t gamma_t mean_a (max s_t - s_t(a))`.
    pub exploration: Vec<f64>,
}

/// Accumulates a [`Series`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Metrics {
    grid: Vec<u64>,
    next: u64,
    classes: usize,
    loss: f64,
    right: u64,
    asked: Vec<u64>,
    asked_right: Vec<u64>,
    risk: f64,
    excess: f64,
    exploration: f64,
    exact: bool,
    /// Rewards and prices so far, once there are any.
    earned: Option<(f64, f64)>,
    series: Series,
}

impl Metrics {
    /// Keeps totals at the rounds of `grid`, which increase.
    #[must_use]
    pub(crate) fn new(space: ActionSpace, grid: Vec<u64>) -> Self {
        let experts = vec![0; space.experts()];
        Metrics {
            next: grid.first().copied().unwrap_or(u64::MAX),
            grid,
            classes: space.classes(),
            loss: 0.0,
            right: 0,
            asked: experts.clone(),
            asked_right: experts,
            risk: 0.0,
            excess: 0.0,
            exploration: 0.0,
            exact: true,
            earned: None,
            series: Series::default(),
        }
    }

    /// What was kept.
    #[must_use]
    pub(crate) fn finish(mut self) -> Series {
        if !self.exact {
            self.series.exact = None;
        }
        self.series
    }

    #[cold]
    fn keep(&mut self, t: u64) {
        let s = &mut self.series;
        s.t.push(t);
        s.loss.push(self.loss);
        s.right.push(self.right);
        s.asked.push(self.asked.clone());
        s.asked_right.push(self.asked_right.clone());
        if let Some((reward, price)) = self.earned {
            let earnings = s.earnings.get_or_insert_default();
            earnings.reward.push(reward);
            earnings.price.push(price);
        }
        let exact = s.exact.get_or_insert_default();
        exact.risk.push(self.risk);
        exact.excess.push(self.excess);
        exact.exploration.push(self.exploration);
        self.next = self.grid.get(s.t.len()).copied().unwrap_or(u64::MAX);
    }
}

impl Observer for Metrics {
    // Always: see `rounds::play_after`.
    #[inline(always)]
    fn see(&mut self, event: &Event<'_>) {
        let round = event.round;
        let right = round.is_right(event.action);
        self.series.graded |= right.is_none();
        let right = u64::from(right == Some(true));
        self.loss += event.loss;
        if let Some((reward, price)) = round.earned(event.action) {
            let (rewards, prices) = self.earned.get_or_insert_default();
            *rewards += reward;
            *prices += price;
        }
        self.right += right;
        if let Some(j) = round.active.space().expert_of(event.action) {
            self.asked[j] += 1;
            self.asked_right[j] += right;
        }
        match round.scores {
            None => self.exact = false,
            Some(scores) => {
                let (mut best, mut sum, mut mean) = (0.0f64, 0.0, 0.0);
                let q = event.decision.q;
                let mut add = |q: f64, s: f64| {
                    // No score is NaN, and this is one instruction.
                    best = if s > best { s } else { best };
                    sum += s;
                    mean += q * s;
                };
                if round.active.len() == round.active.space().len() {
                    q.iter().zip(scores).for_each(|(&q, &s)| add(q, s));
                } else {
                    let (class_q, expert_q) = q.split_at(self.classes);
                    class_q.iter().zip(scores).for_each(|(&q, &s)| add(q, s));
                    for (&q, j) in expert_q.iter().zip(round.active.experts()) {
                        add(q, scores[self.classes + j]);
                    }
                }
                self.risk += 1.0 - mean;
                self.excess += best - mean;
                self.exploration += event.decision.gamma * (best - sum / q.len() as f64);
            }
        }
        if event.t == self.next {
            self.keep(event.t);
        }
    }
}

/// Totals that belong to a stream, whoever acts on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The checkpoints.
    pub t: Vec<u64>,
    /// Rounds in which expert `j` (inner) was available.
    pub available: Vec<Vec<u64>>,
    /// Rounds in which its answer was, or would have been, right.
    pub expert_right: Vec<Vec<u64>>,
    /// Rounds with label `y` (inner).
    pub label: Vec<Vec<u64>>,
    /// Probability that expert `j` is right in region `r` at the checkpoint, `[checkpoint][j][r]`.
    pub regional: Option<Vec<Vec<Vec<f64>>>>,
    /// What expert `j` (inner) earns and takes in the rounds in which it is available, for streams that have
    /// rewards and prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earnings: Option<Earnings<Vec<Vec<f64>>>>,
}

impl Trace {
    /// Plays `stream` to nobody; none if it was asked to stop.
    pub(crate) fn record(
        stream: &mut dyn Stream,
        rounds: u64,
        grid: &[u64],
        stop: &AtomicBool,
    ) -> Option<Trace> {
        let space = stream.space();
        let mut trace = Trace::default();
        let mut available = vec![0; space.experts()];
        let (mut right, mut label) = (available.clone(), vec![0; space.classes()]);
        let (mut judged, mut earned) = (true, None);
        for t in 1..=rounds {
            if t % STRETCH == 0 && stop.load(Ordering::Relaxed) {
                return None;
            }
            let Some(round) = stream.next_round() else { break };
            count(&round, &mut available, &mut right, &mut label);
            judged &= !matches!(round.right, Right::Graded(_) | Right::Unknown);
            add_earnings(&round, &mut earned);
            if grid.get(trace.t.len()) == Some(&t) {
                trace.t.push(t);
                trace.available.push(available.clone());
                trace.expert_right.push(right.clone());
                trace.label.push(label.clone());
                if let Some((reward, price)) = &earned {
                    let earnings = trace.earnings.get_or_insert_default();
                    earnings.reward.push(reward.clone());
                    earnings.price.push(price.clone());
                }
                if let Some(table) = stream.regional_accuracy() {
                    trace.regional.get_or_insert_default().push(table);
                }
            }
        }
        if !judged {
            // Counts of right answers would be counts of what nobody knows.
            trace.expert_right.clear();
        }
        Some(trace)
    }
}

/// Adds what each available expert earns and takes, where there are grades.
fn add_earnings(round: &StreamRound<'_>, sums: &mut Option<(Vec<f64>, Vec<f64>)>) {
    if round.right.grades().is_none() {
        return;
    }
    let zeros = || vec![0.0; round.active.space().experts()];
    for j in round.active.experts() {
        let action = round.active.space().expert(j).ok();
        let Some((reward, price)) = action.and_then(|a| round.earned(a)) else { continue };
        let (rewards, prices) = sums.get_or_insert_with(|| (zeros(), zeros()));
        rewards[j] += reward;
        prices[j] += price;
    }
}

fn count(round: &StreamRound<'_>, available: &mut [u64], right: &mut [u64], label: &mut [u64]) {
    round.active.experts().for_each(|j| available[j] += 1);
    for (j, right) in right.iter_mut().enumerate() {
        *right += u64::from(round.right.expert(j) == Some(true));
    }
    // Labels that only judge answers are of classes that nobody can play.
    if let Some(count) = round.label.and_then(|y| label.get_mut(y)) {
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play;
    use crate::stream::{StreamRound, Synthetic, SyntheticConfig};
    use learner::Baseline;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    /// Metrics without a known law say so instead of guessing.
    #[test]
    fn streams_without_a_law_have_no_exact_sums() {
        struct Mute(Synthetic);
        impl Stream for Mute {
            fn space(&self) -> ActionSpace {
                self.0.space()
            }
            fn dim(&self) -> usize {
                self.0.dim()
            }
            fn next_round(&mut self) -> Option<StreamRound<'_>> {
                Some(StreamRound { scores: None, ..self.0.next_round()? })
            }
        }
        let mut stream = Mute(Synthetic::new(&SyntheticConfig::default(), 1).unwrap());
        let mut policy = Baseline::Uniform(stream.space()).policy().unwrap();
        let mut metrics = Metrics::new(stream.space(), vec![10]);
        let mut rng = Pcg64::seed_from_u64(1);
        play(policy.as_mut(), &mut stream, &mut rng, 10, &mut [&mut metrics]).unwrap();
        let series = metrics.finish();
        assert_eq!((series.t.len(), series.exact), (1, None));
    }
}

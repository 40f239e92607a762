//! What is measured along a run: running totals, kept at checkpoints.
//!
//! Totals and not means, so that any window is a difference of two checkpoints.

use crate::learner::rounds::{Event, Observer};
use crate::problem::ActionSpace;
use crate::stream::{Round, Stream};
use serde::{Deserialize, Serialize};

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
#[derive(Debug)]
pub struct Metrics {
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
    series: Series,
}

impl Metrics {
    /// Keeps totals at the rounds of `grid`, which increase.
    pub fn new(space: ActionSpace, grid: Vec<u64>) -> Self {
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
            series: Series::default(),
        }
    }

    /// What was kept.
    pub fn finish(mut self) -> Series {
        if !self.exact {
            self.series.exact = None;
        }
        self.series
    }

    fn keep(&mut self, t: u64) {
        let s = &mut self.series;
        s.t.push(t);
        s.loss.push(self.loss);
        s.right.push(self.right);
        s.asked.push(self.asked.clone());
        s.asked_right.push(self.asked_right.clone());
        let exact = s.exact.get_or_insert_default();
        exact.risk.push(self.risk);
        exact.excess.push(self.excess);
        exact.exploration.push(self.exploration);
        self.next = self.grid.get(s.t.len()).copied().unwrap_or(u64::MAX);
    }
}

impl Observer for Metrics {
    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        let round = event.round;
        let right = u64::from(round.is_right(event.action));
        self.loss += event.loss;
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
                if round.active.is_full() {
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
}

impl Trace {
    /// Plays `stream` to nobody.
    pub fn record(stream: &mut dyn Stream, rounds: u64, grid: &[u64]) -> Trace {
        let space = stream.space();
        let mut trace = Trace::default();
        let mut available = vec![0; space.experts()];
        let (mut right, mut label) = (available.clone(), vec![0; space.classes()]);
        for t in 1..=rounds {
            let Some(round) = stream.next_round() else { break };
            count(&round, &mut available, &mut right, &mut label);
            if grid.get(trace.t.len()) == Some(&t) {
                trace.t.push(t);
                trace.available.push(available.clone());
                trace.expert_right.push(right.clone());
                trace.label.push(label.clone());
                if let Some(table) = stream.regional_accuracy() {
                    trace.regional.get_or_insert_default().push(table);
                }
            }
        }
        trace
    }
}

fn count(round: &Round<'_>, available: &mut [u64], right: &mut [u64], label: &mut [u64]) {
    round.active.experts().for_each(|j| available[j] += 1);
    for (j, right) in right.iter_mut().enumerate() {
        *right += (round.right >> j & 1) as u64;
    }
    label[round.label] += 1;
}

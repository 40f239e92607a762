//! What is measured along a run: running totals, kept at checkpoints.
//!
//! Totals and not means, so that any window is a difference of two checkpoints.

use super::partial::STRETCH;
use crate::rounds::{Event, Observer};
use crate::stream::{Right, Stream, StreamRound};
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
    /// Rewards and prices, for streams that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earnings: Option<Earnings>,
    /// Exact sums, for streams that know their law.
    pub exact: Option<Exact>,
}

/// Sums of what the played actions earned and took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earnings {
    /// Rewards, in `[0, 1]` each.
    pub reward: Vec<f64>,
    /// Prices, in the unit of the stream.
    pub price: Vec<f64>,
}

/// Sums of what each expert earns and takes in the rounds in which it is available.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpertEarnings {
    /// Of expert `j` (inner) at every checkpoint.
    pub reward: Vec<Vec<f64>>,
    /// Likewise.
    pub price: Vec<Vec<f64>>,
}

/// A running total that a [`Series`] holds or implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// All rounds.
    Rounds,
    /// Normalized cost.
    Loss,
    /// Right final answers.
    Right,
    /// Rounds in which expert `j` was asked.
    Asked(usize),
    /// Those in which it was right.
    AskedRight(usize),
    /// Rounds in which any expert was asked.
    AnyAsked,
    /// Those in which it was right.
    AnyAskedRight,
    /// Rounds answered with a class.
    Own,
    /// Those in which it was right.
    OwnRight,
    /// Conditional expectation of the cost; only where the law is known, like the next two.
    Risk,
    /// Regret against the best action of each round.
    Excess,
    /// The part of it that exploration costs.
    Exploration,
    /// Rewards; only where there are grades, like the next.
    Reward,
    /// Prices, in the unit of the stream.
    Price,
}

/// Summaries. What does not exist (no round, no such expert, no law) is not a number.
impl Series {
    /// Experts of the stream.
    #[must_use]
    pub fn experts(&self) -> usize {
        self.asked.first().map_or(0, Vec::len)
    }

    fn at(&self, what: Total, i: usize) -> Option<f64> {
        let of = |rows: &[Vec<u64>], j: usize| rows.get(i)?.get(j).map(|&v| v as f64);
        let sum = |rows: &[Vec<u64>]| rows.get(i).map(|row| row.iter().sum::<u64>() as f64);
        match what {
            Total::Rounds => self.t.get(i).map(|&t| t as f64),
            Total::Loss => self.loss.get(i).copied(),
            Total::Right | Total::AskedRight(_) | Total::AnyAskedRight | Total::OwnRight
                if self.graded =>
            {
                None
            }
            Total::Right => self.right.get(i).map(|&r| r as f64),
            Total::Asked(j) => of(&self.asked, j),
            Total::AskedRight(j) => of(&self.asked_right, j),
            Total::AnyAsked => sum(&self.asked),
            Total::AnyAskedRight => sum(&self.asked_right),
            Total::Own => Some(self.at(Total::Rounds, i)? - sum(&self.asked)?),
            Total::OwnRight => Some(self.at(Total::Right, i)? - sum(&self.asked_right)?),
            Total::Risk => self.exact.as_ref()?.risk.get(i).copied(),
            Total::Excess => self.exact.as_ref()?.excess.get(i).copied(),
            Total::Exploration => self.exact.as_ref()?.exploration.get(i).copied(),
            Total::Reward => self.earnings.as_ref()?.reward.get(i).copied(),
            Total::Price => self.earnings.as_ref()?.price.get(i).copied(),
        }
    }

    /// A total at every checkpoint.
    #[must_use]
    pub fn totals(&self, what: Total) -> Vec<f64> {
        (0..self.t.len()).map(|i| self.at(what, i).unwrap_or(f64::NAN)).collect()
    }

    /// A total at the end.
    #[must_use]
    pub fn total(&self, what: Total) -> f64 {
        let end = self.t.len().checked_sub(1);
        end.and_then(|i| self.at(what, i)).unwrap_or(f64::NAN)
    }

    /// One total divided by another, at the end.
    #[must_use]
    pub fn share(&self, what: Total, of: Total) -> f64 {
        self.total(what) / self.total(of)
    }

    /// A total per round, over all rounds.
    #[must_use]
    pub fn mean(&self, what: Total) -> f64 {
        self.share(what, Total::Rounds)
    }

    /// Mean loss of all rounds.
    #[must_use]
    pub fn mean_loss(&self) -> f64 {
        self.mean(Total::Loss)
    }

    /// Share of all rounds with the right final answer.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.mean(Total::Right)
    }

    /// A total per round over rounds `1..=t`, at every checkpoint `t`.
    #[must_use]
    pub fn averages(&self, what: Total) -> Vec<f64> {
        self.totals(what).into_iter().zip(&self.t).map(|(total, &t)| total / t as f64).collect()
    }

    /// One total divided by another between each checkpoint and the one before.
    #[must_use]
    pub fn windows(&self, what: Total, of: Total) -> Vec<f64> {
        windows(&self.totals(what), &self.totals(of))
    }

    /// Rounds from the change in round `at` until the exact regret between two checkpoints is at most
    /// `level` a round; `None` if that never happens or the law is not known.
    #[must_use]
    pub fn rounds_to_recovery(&self, at: u64, level: f64) -> Option<u64> {
        let windows = self.windows(Total::Excess, Total::Rounds);
        let after = (1..self.t.len()).filter(|&i| self.t[i - 1] >= at);
        after.into_iter().find(|&i| windows[i] <= level).map(|i| self.t[i] - at)
    }

    /// A total per round over the first and over the last tenth of the checkpoints.
    #[must_use]
    pub fn tenths(&self, what: Total) -> (f64, f64) {
        let (totals, t) = (self.totals(what), self.totals(Total::Rounds));
        let n = totals.len();
        if n == 0 {
            return (f64::NAN, f64::NAN);
        }
        let part = (n / 10).max(1);
        let first = totals[part - 1] / t[part - 1];
        let before = if part < n { (totals[n - 1 - part], t[n - 1 - part]) } else { (0.0, 0.0) };
        (first, (totals[n - 1] - before.0) / (t[n - 1] - before.1))
    }
}

/// Differences of totals divided by differences of other totals.
fn windows(above: &[f64], below: &[f64]) -> Vec<f64> {
    let before = |v: &[f64], i: usize| if i == 0 { 0.0 } else { v[i - 1] };
    let one = |i| (above[i] - before(above, i)) / (below[i] - before(below, i));
    (0..above.len()).map(one).collect()
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
    /// Rewards and prices, for streams that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earnings: Option<ExpertEarnings>,
}

/// Summaries; what does not exist is not a number.
impl Trace {
    fn end(rows: &[Vec<u64>], j: usize) -> f64 {
        rows.last().and_then(|row| row.get(j)).map_or(f64::NAN, |&v| v as f64)
    }

    /// Rounds of the stream.
    #[must_use]
    pub fn rounds(&self) -> f64 {
        self.t.last().map_or(f64::NAN, |&t| t as f64)
    }

    /// Rounds in which expert `j` was available.
    #[must_use]
    pub fn rounds_available(&self, j: usize) -> f64 {
        Self::end(&self.available, j)
    }

    /// Rounds in which the answer of expert `j` was, or would have been, right.
    #[must_use]
    pub fn rounds_right(&self, j: usize) -> f64 {
        Self::end(&self.expert_right, j)
    }

    /// What expert `j` earns in the rounds in which it is available.
    #[must_use]
    pub fn earned(&self, j: usize) -> f64 {
        let total = self.earnings.as_ref().and_then(|e| e.reward.last()?.get(j));
        total.copied().unwrap_or(f64::NAN)
    }

    /// What it takes for that.
    #[must_use]
    pub fn paid(&self, j: usize) -> f64 {
        let total = self.earnings.as_ref().and_then(|e| e.price.last()?.get(j));
        total.copied().unwrap_or(f64::NAN)
    }

    /// Share of rounds in which expert `j` was available, between each checkpoint and the one before.
    #[must_use]
    pub fn availability_windows(&self, j: usize) -> Vec<f64> {
        let number = |v: Option<&u64>| v.map_or(f64::NAN, |&v| v as f64);
        let available: Vec<f64> = self.available.iter().map(|row| number(row.get(j))).collect();
        let t: Vec<f64> = self.t.iter().map(|&t| t as f64).collect();
        windows(&available, &t)
    }
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
    use learner::baseline::Uniform;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn series() -> Series {
        Series {
            t: vec![10, 20],
            loss: vec![4.0, 6.0],
            right: vec![6, 15],
            asked: vec![vec![2, 1], vec![4, 1]],
            asked_right: vec![vec![1, 1], vec![3, 1]],
            graded: false,
            earnings: None,
            exact: Some(Exact {
                risk: vec![5.0, 8.0],
                excess: vec![3.0, 4.0],
                exploration: vec![1.0, 1.5],
            }),
        }
    }

    #[test]
    fn summaries_by_hand() {
        let s = series();
        assert_eq!((s.experts(), s.mean_loss(), s.accuracy()), (2, 0.3, 0.75));
        assert_eq!(
            (s.mean(Total::Asked(0)), s.share(Total::AskedRight(0), Total::Asked(0))),
            (0.2, 0.75)
        );
        assert_eq!(
            (s.share(Total::AnyAskedRight, Total::AnyAsked), s.share(Total::OwnRight, Total::Own)),
            (0.8, 11.0 / 15.0)
        );
        assert_eq!((s.total(Total::Excess), s.mean(Total::Risk)), (4.0, 0.4));
        assert_eq!(s.averages(Total::Loss), [0.4, 0.3]);
        assert_eq!(s.windows(Total::Right, Total::Rounds), [0.6, 0.9]);
        assert_eq!(s.windows(Total::AskedRight(0), Total::Asked(0)), [0.5, 1.0]);
        assert_eq!(s.tenths(Total::Loss), (0.4, 0.2));
        // Nobody asked expert 1 in the second window.
        assert!(s.windows(Total::AskedRight(1), Total::Asked(1))[1].is_nan());
    }

    /// Regret per round 0.3, 0.1, 0.5, 0.2 between checkpoints: after round 20 the last is the first
    /// to be at most 0.2.
    #[test]
    fn recovery_by_hand() {
        let excess = vec![3.0, 4.0, 9.0, 11.0];
        let exact = Exact { risk: vec![0.0; 4], exploration: vec![0.0; 4], excess };
        let s = Series { t: vec![10, 20, 30, 40], exact: Some(exact), ..Series::default() };
        assert_eq!(s.rounds_to_recovery(20, 0.2), Some(20));
        assert_eq!(s.rounds_to_recovery(10, 0.2), Some(10));
        assert_eq!(s.rounds_to_recovery(20, 0.1), None);
        assert_eq!(series().rounds_to_recovery(15, 1.0), None);
    }

    /// Means of windows, weighted by what they are means of, are the mean over everything.
    #[test]
    fn windows_add_up() {
        let s = series();
        let windows = s.windows(Total::Loss, Total::Rounds);
        assert!((windows.iter().sum::<f64>() / 2.0 - s.mean_loss()).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_exist_is_not_a_number() {
        let (empty, no_law) = (Series::default(), Series { exact: None, ..series() });
        assert!(empty.mean_loss().is_nan() && empty.tenths(Total::Loss).0.is_nan());
        assert_eq!((empty.experts(), empty.totals(Total::Right).len()), (0, 0));
        assert!(no_law.total(Total::Excess).is_nan() && no_law.totals(Total::Risk)[1].is_nan());
        assert!(series().mean(Total::Asked(7)).is_nan());
        let graded = Series { graded: true, ..series() };
        assert!(
            graded.accuracy().is_nan()
                && graded.share(Total::AskedRight(0), Total::Asked(0)).is_nan()
        );
        assert!(graded.share(Total::OwnRight, Total::Own).is_nan() && graded.mean_loss() == 0.3);
    }

    #[test]
    fn traces_by_hand() {
        let trace = Trace {
            t: vec![10, 20],
            available: vec![vec![5], vec![6]],
            expert_right: vec![vec![4], vec![8]],
            ..Trace::default()
        };
        assert_eq!(
            (trace.rounds(), trace.rounds_available(0), trace.rounds_right(0)),
            (20.0, 6.0, 8.0)
        );
        assert_eq!(trace.availability_windows(0), [0.5, 0.1]);
        assert!(trace.rounds_right(1).is_nan());
    }

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
        let mut policy = Uniform::new(stream.space());
        let mut metrics = Metrics::new(stream.space(), vec![10]);
        let mut rng = Pcg64::seed_from_u64(1);
        play(&mut policy, &mut stream, &mut rng, 10, &mut [&mut metrics]).unwrap();
        let series = metrics.finish();
        assert_eq!((series.t.len(), series.exact), (1, None));
    }
}

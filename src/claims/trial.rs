//! Runs of the learner on small streams whose law is known, with exact conditional risks.

use super::CheckFailure;
use crate::lab::stream::{Right, Stream, StreamRound};
use crate::learner::Surrogate;
use crate::learner::{Algorithm1, Config, Schedule};
use crate::problem::{ActionSpace, ActiveSet, Features, RoundLaw};
use crate::theory::{ExactGap, Rational, StreamItem, SurrogateId, exact_hinge_gap};
use lab::{Event, play};
use num_traits::ToPrimitive;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// One kind of round, in exact numbers.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub x: Vec<Rational>,
    pub active: ActiveSet,
    pub law: super::exact::ExactLaw,
}

/// A sequence of rounds that repeats the same items in the same order: fixed in advance, as the
/// protocol asks; only labels are drawn.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub name: &'static str,
    pub space: ActionSpace,
    pub items: Vec<Item>,
    /// How many rounds an item stays before the next one comes.
    pub hold: u64,
}

/// An item in floating point, with what is asked of it every round.
#[derive(Clone, Debug)]
struct Prepared {
    x: Vec<f64>,
    active: ActiveSet,
    law: RoundLaw,
    /// At each label: the costs of all experts, and bits of those that count as right.
    costs: Vec<(Vec<f64>, u128)>,
    /// Scores of all actions, available or not.
    scores: Vec<f64>,
    /// Scores of the active ones.
    s: Vec<f64>,
}

impl Cycle {
    /// `rho`: the largest `|(x, 1)|`.
    pub(crate) fn rho(&self) -> f64 {
        let norm2 = |item: &Item| -> Rational { item.x.iter().map(|v| v * v).sum() };
        let largest = self.items.iter().map(norm2).max().unwrap_or_default();
        (float(&largest) + 1.0).sqrt()
    }

    /// The minimizability gap of the constrained hinge per round, as a fraction.
    ///
    /// # Errors
    /// No exact optimum was found.
    pub(crate) fn exact_gap(&self) -> Result<ExactGap, CheckFailure> {
        let items: Vec<StreamItem<Rational>> = self.items.iter().map(Item::exact).collect();
        exact_hinge_gap(self.space, &items)?
            .ok_or_else(|| CheckFailure(format!("no exact hinge optimum for \"{}\"", self.name)))
    }

    fn prepare(&self) -> Result<Vec<Prepared>, CheckFailure> {
        let floats = |v: &[Rational]| v.iter().map(float).collect::<Vec<f64>>();
        let one = |item: &Item| {
            let costs: Vec<Vec<f64>> = item.law.c.iter().map(|c| floats(c)).collect();
            let law = RoundLaw::new(self.space, &floats(&item.law.p), &costs)?;
            let at_label = |y: usize| {
                let costs: Vec<f64> = costs.iter().map(|c| c[y]).collect();
                let bit = |(j, &cost): (usize, &f64)| u128::from(cost < 1.0) << j;
                let right = costs.iter().enumerate().map(bit).sum();
                (costs, right)
            };
            let costs = (0..self.space.classes()).map(at_label).collect();
            let scores = floats(&item.law.scores());
            let s = item.active.iter().map(|a| scores[a.index()]).collect();
            Ok(Prepared { x: floats(&item.x), active: item.active, law, costs, scores, s })
        };
        self.items.iter().map(one).collect()
    }
}

impl Item {
    /// The scores of the active actions, in fractions.
    pub(crate) fn scores(&self) -> Vec<Rational> {
        let scores = self.law.scores();
        self.active.iter().map(|a| scores[a.index()].clone()).collect()
    }

    fn exact(&self) -> StreamItem<Rational> {
        let weight = Rational::from_integer(1.into());
        StreamItem { weight, x: self.x.clone(), active: self.active, s: self.scores() }
    }
}

pub(super) fn float(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// The stream of a [`Cycle`]; the seed decides about labels only.
struct CycleStream<'a> {
    space: ActionSpace,
    items: &'a [Prepared],
    clock: Clock,
    rng: Pcg64,
}

/// Which item a round belongs to.
#[derive(Clone, Copy, Debug)]
struct Clock {
    at: usize,
    left: u64,
    items: usize,
    hold: u64,
}

impl Clock {
    fn new(cycle: &Cycle) -> Self {
        Clock { at: 0, left: cycle.hold, items: cycle.items.len(), hold: cycle.hold }
    }

    /// The item of this round; the next call is about the next round.
    #[inline]
    fn tick(&mut self) -> usize {
        if self.left == 0 {
            (self.at, self.left) = ((self.at + 1) % self.items, self.hold);
        }
        self.left -= 1;
        self.at
    }
}

impl Stream for CycleStream<'_> {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.items[0].x.len()
    }

    // Always: otherwise a round is written to memory only to be copied from there.
    #[inline(always)]
    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let item = &self.items[self.clock.tick()];
        let label = item.law.label_at(self.rng.random());
        let (costs, right) = &item.costs[label];
        Some(StreamRound {
            x: Features::Dense(&item.x),
            active: item.active,
            label: Some(label),
            costs,
            right: Right::Bits(*right),
            answers: None,
            scores: Some(&item.scores),
        })
    }
}

/// Algorithm 1 on a cycle.
#[derive(Clone, Debug)]
pub(super) struct Trial<'a> {
    pub cycle: &'a Cycle,
    pub surrogate: Surrogate,
    /// `B`.
    pub radius: f64,
    pub schedule: Schedule,
    pub rounds: u64,
}

/// What an observer of a trial sees: the event, and the scores `s` of the active actions.
pub(super) type Seen<'a, 'b> = (&'a Event<'b>, &'a [f64]);

impl<'a> Trial<'a> {
    /// Constrained hinge and `B = N`.
    pub(crate) fn new(cycle: &'a Cycle, schedule: Schedule, rounds: u64) -> Self {
        let (surrogate, radius) = (Surrogate::CstndHinge, cycle.space.len() as f64);
        Trial { cycle, surrogate, radius, schedule, rounds }
    }

    /// The configuration of the learner.
    pub(crate) fn config(&self) -> Config {
        let dim = self.cycle.items[0].x.len();
        Config {
            radius: Some(self.radius),
            rho: self.cycle.rho(),
            schedule: self.schedule,
            surrogate: self.surrogate,
            ..Config::new(self.cycle.space, dim)
        }
    }

    /// One run.
    ///
    /// # Errors
    /// The learner refused a round.
    pub(crate) fn run(
        &self,
        seed: u64,
        mut see: impl FnMut(Seen<'_, '_>),
    ) -> Result<(), CheckFailure> {
        let items = self.cycle.prepare()?;
        let mut learner = Algorithm1::new(self.config())?;
        let mut stream = CycleStream {
            space: self.cycle.space,
            items: &items,
            clock: Clock::new(self.cycle),
            rng: Pcg64::seed_from_u64(seed),
        };
        let mut actions = Pcg64::new(seed.into(), 0x00ac_7104);
        let mut clock = Clock::new(self.cycle);
        let mut observer = |event: &Event<'_>| see((event, &items[clock.tick()].s));
        play(&mut learner, &mut stream, &mut actions, self.rounds, &mut [&mut observer])?;
        Ok(())
    }

    /// Exact conditional risks of one run, summed up to each checkpoint.
    pub(crate) fn risks(&self, seed: u64, checkpoints: &[u64]) -> Result<Vec<Risks>, CheckFailure> {
        let hinge = SurrogateId::CstndHinge;
        let (mut sum, mut out) = (Risks::default(), Vec::with_capacity(checkpoints.len()));
        self.run(seed, |(event, s)| {
            let d = event.decision;
            sum.truth += d.q.iter().zip(s).map(|(q, s)| q * (1.0 - s)).sum::<f64>();
            sum.surrogate += hinge.conditional_risk(s, d.scores);
            let largest = s.iter().copied().fold(0.0, f64::max);
            let mass: f64 = s.iter().sum();
            sum.best_truth += 1.0 - largest;
            sum.best_surrogate += s.len() as f64 * (mass - largest);
            if checkpoints.binary_search(&event.t).is_ok() {
                out.push(Risks { rounds: event.t, ..sum });
            }
        })?;
        Ok(out)
    }

    /// [`Trial::risks`] of `runs` runs, seeds from `seed_of`.
    pub(crate) fn many(
        &self,
        runs: u64,
        checkpoints: &[u64],
        seed_of: impl Fn(u64) -> u64 + Sync,
    ) -> Result<Vec<Vec<Risks>>, CheckFailure> {
        (0..runs).into_par_iter().map(|i| self.risks(seed_of(i), checkpoints)).collect()
    }
}

/// Cumulative conditional risks after some rounds, and the pointwise optima of the same rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Risks {
    pub rounds: u64,
    /// `sum_t C_def(q_t)`.
    pub truth: f64,
    /// `sum_t C_Phi(u_t)`.
    pub surrogate: f64,
    /// `sum_t (1 - max s_t)`.
    pub best_truth: f64,
    /// `sum_t K_t (S_t - max s_t)`.
    pub best_surrogate: f64,
}

impl Risks {
    /// True regret against the pointwise optimum.
    pub(crate) fn regret(&self) -> f64 {
        self.truth - self.best_truth
    }
}

/// A mean over independent runs and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub mean: f64,
    interval: [f64; 2],
}

impl Estimate {
    /// Of at least two values.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mean = stats::mean(values);
        let interval = stats::mean_interval(values, crate::prec::LEDGER_FALSE_ALARM);
        let (low, high) = interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Estimate { mean, interval: [low, high] }
    }

    /// Student's t; it misses with probability [`crate::prec::LEDGER_FALSE_ALARM`].
    pub(crate) fn interval(&self) -> [f64; 2] {
        self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_as_long_as_they_are_held() {
        let mut cycle = super::super::streams::two_regions().unwrap();
        cycle.hold = 3;
        let mut clock = Clock::new(&cycle);
        let seen: Vec<usize> = (0..8).map(|_| clock.tick()).collect();
        assert_eq!(seen, [0, 0, 0, 1, 1, 1, 0, 0]);
        cycle.hold = 1;
        let mut clock = Clock::new(&cycle);
        assert_eq!([0; 3].map(|_: i32| clock.tick()), [0, 1, 0]);
    }

    #[test]
    fn estimates_by_hand() {
        let e = Estimate::of(&[1.0, 2.0, 3.0]);
        assert_eq!(e.mean, 2.0);
        let half = stats::student_t(2, crate::prec::LEDGER_FALSE_ALARM) / 3.0f64.sqrt();
        assert_eq!(e.interval(), [2.0 - half, 2.0 + half]);
        assert_eq!(Estimate::of(&[1.0]).interval()[0], f64::NEG_INFINITY);
    }
}

//! A made-up environment for tests that drive learners round by round.
#![allow(dead_code)] // each test binary uses its own part

use problem::{Action, ActionSpace, ActiveSet, ExpertCost, Features, Feedback, SparseRow};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Linearly separable-ish clusters with noise, experts that know half of the classes, random
/// availability (often nobody), unit-norm sparse inputs. Everything follows from the seed.
#[derive(Clone, Copy)]
pub struct Scenario {
    pub space: ActionSpace,
    pub dim: usize,
    pub seed: u64,
}

pub struct Source {
    scenario: Scenario,
    rng: Pcg64,
    centres: Vec<Vec<f64>>,
}

/// One round with everything the harness knows about it.
#[derive(Clone)]
pub struct TestRound {
    pub x: Vec<f64>,
    pub indices: Vec<u32>,
    pub values: Vec<f64>,
    pub active: ActiveSet,
    pub label: usize,
    pub costs: Vec<f64>,
    pub right: Vec<bool>,
    /// The uniform draw that picks the action.
    pub quantile: f64,
}

impl Scenario {
    pub fn new(n: usize, n_e: usize, dim: usize, seed: u64) -> Self {
        Scenario { space: ActionSpace::new(n, n_e).unwrap(), dim, seed }
    }

    pub fn start(self) -> Source {
        let mut rng = Pcg64::seed_from_u64(self.seed);
        let centre = |rng: &mut Pcg64| (0..self.dim).map(|_| rng.random_range(-1.0..1.0)).collect();
        let centres = (0..self.space.classes()).map(|_| centre(&mut rng)).collect();
        Source { scenario: self, rng, centres }
    }
}

impl Source {
    pub fn next_round(&mut self) -> TestRound {
        let Scenario { space, dim, .. } = self.scenario;
        let rng = &mut self.rng;
        let cluster = rng.random_range(0..space.classes());
        let noisy = rng.random_bool(0.2);
        let label = if noisy { rng.random_range(0..space.classes()) } else { cluster };
        let mut x: Vec<f64> = (0..dim)
            .map(|j| {
                let value = self.centres[cluster][j] + rng.random_range(-0.5..0.5);
                if rng.random_bool(0.6) { value } else { 0.0 }
            })
            .collect();
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-3);
        x.iter_mut().for_each(|v| *v /= norm);
        let stored = |&(_, v): &(usize, &f64)| *v != 0.0;
        let (indices, values) =
            x.iter().enumerate().filter(stored).map(|(j, &v)| (j as u32, v)).unzip();

        let cost = ExpertCost::new(1.0, 0.1).unwrap();
        let right: Vec<bool> = (0..space.experts())
            .map(|j| {
                let knows = (cluster + j) % 2 == 0;
                knows || rng.random_range(0..space.classes()) == label
            })
            .collect();
        let costs = right.iter().map(|&r| cost.normalized(r)).collect();
        let available = (0..space.experts()).filter(|_| rng.random_bool(0.5));
        let active = space.active(available.collect::<Vec<_>>()).unwrap();
        let quantile = rng.random();
        TestRound { x, indices, values, active, label, costs, right, quantile }
    }
}

impl TestRound {
    pub fn dense(&self) -> Features<'_> {
        Features::Dense(&self.x)
    }

    pub fn sparse(&self) -> Features<'_> {
        SparseRow::new(self.x.len(), &self.indices, &self.values).unwrap().into()
    }

    pub fn bandit(&self, action: Action) -> Feedback<'static> {
        match self.active.space().expert_of(action) {
            None => Feedback::Bandit { action, correct: action.index() == self.label, cost: None },
            Some(j) => {
                Feedback::Bandit { action, correct: self.right[j], cost: Some(self.costs[j]) }
            }
        }
    }
}

/// `|a - b|_F / |b|_F`, or `|a|_F` when `b` is zero.
pub fn relative_distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let norm = |rows: &mut dyn Iterator<Item = f64>| rows.map(|w| w * w).sum::<f64>().sqrt();
    let difference = norm(&mut a.iter().flatten().zip(b.iter().flatten()).map(|(p, q)| p - q));
    let size = norm(&mut b.iter().flatten().copied());
    if size > 0.0 { difference / size } else { difference }
}

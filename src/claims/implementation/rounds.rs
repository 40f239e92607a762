//! Rounds to put a subject through. The harness owns all randomness; it follows from a seed.

use crate::subject::{SubjectFeedback, SubjectSpec};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One round with everything the harness knows about it.
#[derive(Clone, Debug)]
pub(crate) struct ProbeRound {
    /// Input with `|x| <= 1`.
    pub(crate) x: Vec<f64>,
    /// Available experts, increasing.
    pub(crate) available: Vec<usize>,
    /// The true label.
    pub(crate) label: usize,
    /// Every expert's cost at that label, strictly between 0 and 1.
    pub(crate) costs: Vec<f64>,
    /// Whether each expert is right. Independent of the costs: only the cost may be used.
    pub(crate) right: Vec<bool>,
}

impl ProbeRound {
    /// What the subject is told when `action` was played.
    pub(crate) fn outcome(&self, spec: &SubjectSpec, action: usize) -> SubjectFeedback<'static> {
        match action.checked_sub(spec.n) {
            None => SubjectFeedback::Bandit { action, correct: action == self.label, cost: None },
            Some(j) => SubjectFeedback::Bandit {
                action,
                correct: self.right[j],
                cost: Some(self.costs[j]),
            },
        }
    }

    /// The same round with a label that makes `action` earn something.
    pub(crate) fn rewarding(mut self, spec: &SubjectSpec, action: usize) -> ProbeRound {
        if action < spec.n {
            self.label = action;
        }
        self
    }
}

/// A source of rounds for one problem.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    rng: Pcg64,
    n: usize,
    n_e: usize,
    d: usize,
    one_sided: bool,
}

impl Rounds {
    /// Rounds for `spec`; `purpose` keeps the rounds of different checks apart.
    pub(crate) fn new(spec: &SubjectSpec, seed: u64, purpose: u64) -> Self {
        let rng = Pcg64::new(u128::from(seed), u128::from(purpose));
        let mut rng = Pcg64::seed_from_u64({ rng }.random());
        // The first draws of neighbouring seeds look alike.
        let _: u64 = rng.random();
        Rounds { rng, n: spec.n, n_e: spec.n_e, d: spec.d, one_sided: false }
    }

    /// The same source, with label 0 in nine rounds of ten and costs of at least 0.75: steps then
    /// push in one direction, until the ball stops them.
    pub(crate) fn one_sided(mut self) -> Self {
        self.one_sided = true;
        self
    }

    /// A round in which each expert is available with probability 0.6.
    pub(crate) fn next_round(&mut self) -> ProbeRound {
        let available = (0..self.n_e).filter(|_| self.rng.random_bool(0.6)).collect();
        self.next_with(available)
    }

    /// A round with the given experts.
    pub(crate) fn next_with(&mut self, available: Vec<usize>) -> ProbeRound {
        let scale = 1.0 / (self.d.max(1) as f64).sqrt();
        let rng = &mut self.rng;
        let label = rng.random_range(0..self.n);
        let (label, cheapest) =
            if self.one_sided && rng.random_bool(0.9) { (0, 0.75) } else { (label, 0.05) };
        ProbeRound {
            x: (0..self.d).map(|_| scale * rng.random_range(-1.0..1.0)).collect(),
            available,
            label,
            costs: (0..self.n_e).map(|_| rng.random_range(cheapest..0.95)).collect(),
            right: (0..self.n_e).map(|_| rng.random_bool(0.5)).collect(),
        }
    }

    /// A uniform draw from `[0, 1)`.
    pub(crate) fn quantile(&mut self) -> f64 {
        self.rng.random()
    }
}

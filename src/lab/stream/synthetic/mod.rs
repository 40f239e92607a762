//! The synthetic streams of App. G: SynSep clusters, label noise, experts that come, go and drift.
//!
//! Round `t` of a stream, each line from random numbers of its own, so that two settings with the
//! same seed meet the same inputs:
//! ```text
//! noise      p_{y,t} = walk of p_{y,0} after t steps of N(0, sigma^2)
//! cluster    y ~ U{0..n},  x ~ SynSep(y)
//! label      y with probability 1 - p_{y,t}, else a uniformly chosen other class
//! experts    come, answer and drift as in [`super::crew`], the cluster being the region
//! ```
//! `x` identifies the cluster, so the scores given `x` are known exactly: `s_y = 1 - p`,
//! `s_{y'} = p/(n-1)`, and `s_{n+j} = 1 - a c(right) - (1 - a) c(wrong)`.

mod synsep;
#[cfg(test)]
mod tests;

use synsep::{Recipe, SynSep};

use super::crew::{Availability, Crew, CrewConfig, CrewError, Drift, not_negative, probability};
use super::walk::{Boundary, Walks};
use super::{Right, Stream, StreamRound};
use crate::experiment::RunError;
use problem::{ActionSpace, ExpertCost, Features, ProblemError, SparseRow};
use rand::RngExt;
use rand_pcg::Pcg64;
use seed::Draws;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A synthetic stream that cannot be made: which setting, what was expected.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum SyntheticFault {
    /// A setting out of range.
    #[error("{field} = {value}: expected {expected}")]
    Range {
        /// Which.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// More clusters than there are prototypes far enough apart.
    #[error("{clusters} clusters cannot be told apart by {keywords} keywords: raise n_prime")]
    TooManyClusters {
        /// How many clusters.
        clusters: usize,
        /// How many keywords.
        keywords: usize,
    },
    /// Experts that cannot be.
    #[error(transparent)]
    Experts(#[from] CrewError),
    /// Classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Everything that defines a synthetic stream but its seed. Defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SyntheticConfig {
    /// How inputs are made.
    pub(crate) recipe: Recipe,
    /// `n'`; the dimension is `40 n'`.
    pub(crate) n_prime: usize,
    /// Noise `p_{y,0}` of each class; their number is the number of classes.
    pub noise: Vec<f64>,
    /// Standard deviation of a step of the noise.
    pub noise_sigma: f64,
    /// The clusters each expert knows at the start.
    pub knows: Vec<Vec<usize>>,
    /// How expertise drifts; constant without.
    pub(crate) drift: Option<Drift>,
    /// Random availability; without it everybody is always there.
    pub(crate) availability: Option<Availability>,
    /// What walks and bridges do at the ends of `[0, 1]`.
    pub(crate) boundary: Boundary,
    /// What experts cost.
    pub cost: ExpertCost,
}

impl Default for SyntheticConfig {
    fn default() -> Self {
        SyntheticConfig {
            recipe: Recipe::VanDerHoeven,
            n_prime: 3,
            noise: vec![0.3, 0.3, 0.3, 0.3, 0.0, 0.0],
            noise_sigma: 2e-3,
            knows: vec![vec![0, 1], vec![2, 3], vec![]],
            drift: None,
            availability: None,
            boundary: Boundary::Reflect,
            cost: ExpertCost::new(1.0, 0.1).expect("the paper's cost"),
        }
    }
}

impl SyntheticConfig {
    fn crew(&self) -> CrewConfig {
        CrewConfig {
            knows: self.knows.clone(),
            drift: self.drift.clone(),
            availability: self.availability,
            boundary: self.boundary,
            cost: self.cost,
        }
    }
}

/// A synthetic stream. Endless.
#[derive(Clone, Debug)]
pub struct Synthetic {
    space: ActionSpace,
    inputs: SynSep,
    noise: Walks,
    crew: Crew,
    rng: Sources,
    costs: Vec<f64>,
    scores: Vec<f64>,
}

/// One source of random numbers for each thing that is random; the experts have their own.
#[derive(Clone, Debug)]
struct Sources {
    input: Pcg64,
    label: Pcg64,
    noise: Pcg64,
}

impl Sources {
    fn new(seed: u64) -> Self {
        Sources {
            input: Draws::Inputs.generator(seed),
            label: Draws::Labels.generator(seed),
            noise: Draws::Noise.generator(seed),
        }
    }
}

impl Synthetic {
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: &SyntheticConfig, seed: u64) -> Result<Self, RunError> {
        Synthetic::make(config, seed).map_err(|fault| RunError::Game(fault.into()))
    }

    pub(crate) fn make(config: &SyntheticConfig, seed: u64) -> Result<Self, SyntheticFault> {
        let (n, n_e) = (config.noise.len(), config.knows.len());
        let space = ActionSpace::new(n, n_e)?.of_the_paper()?;
        for &p in &config.noise {
            probability("noise", p)?;
        }
        not_negative("noise_sigma", config.noise_sigma)?;
        let mut rng = Sources::new(seed);
        let boundary = config.boundary;
        Ok(Synthetic {
            space,
            inputs: SynSep::new(config.recipe, config.n_prime, n, &mut rng.input)?,
            noise: Walks::new(config.noise.clone(), config.noise_sigma, boundary),
            crew: Crew::new(space, &config.crew(), seed)?,
            rng,
            costs: vec![0.0; n_e],
            scores: vec![0.0; n + n_e],
        })
    }

    /// The most `|(x, 1)|` can be.
    #[must_use]
    pub fn rho(&self) -> f64 {
        self.inputs.rho()
    }

    /// `p_{y,t}` of the round that came last.
    #[must_use]
    pub fn noise(&self) -> &[f64] {
        self.noise.values()
    }

    /// Probability of each expert to be available in the round that came last.
    #[cfg(test)]
    fn availability(&self) -> Vec<f64> {
        self.crew.availability()
    }
}

impl Stream for Synthetic {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.inputs.dim()
    }

    fn regional_accuracy(&self) -> Option<Vec<Vec<f64>>> {
        Some(self.crew.accuracy())
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let (n, dim) = (self.space.classes(), self.inputs.dim());
        self.noise.step(&mut self.rng.noise);
        let active = self.crew.step();
        let cluster = self.rng.input.random_range(0..n as u32) as usize;
        let (indices, values) = self.inputs.draw(cluster, &mut self.rng.input);
        let p = self.noise.values()[cluster];
        let flipped = self.rng.label.random::<f64>() < p;
        let other = self.rng.label.random_range(0..n as u32 - 1) as usize;
        let label = match flipped {
            true => other + usize::from(other >= cluster),
            false => cluster,
        };

        self.scores[..n].fill(p / (n - 1) as f64);
        self.scores[cluster] = 1.0 - p;
        let right = self.crew.answer(cluster, &mut self.costs, &mut self.scores[n..]);
        Some(StreamRound {
            x: Features::Sparse(SparseRow { dim, indices, values }),
            active,
            label: Some(label),
            costs: &self.costs,
            right: Right::Bits(right),
            answers: None,
            scores: Some(&self.scores),
        })
    }
}

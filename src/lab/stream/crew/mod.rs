//! The generated experts of App. G: who knows what, who is there, what they answer.
//!
//! Round `t`, each line from random numbers of its own:
//! ```text
//! expertise  a_{j,r,t} = bridge after t steps, or constant
//! available  G_{j,t}   ~ Bern(walk of 0.7 after t steps), or always
//! expert j   answers with the label with probability a_{j,r,t} in region r
//! ```
//! so that the score of an expert given the region is known: `1 - a c(right) - (1 - a) c(wrong)`.

mod expertise;

pub(crate) use expertise::Drift;
#[cfg(test)]
pub(crate) use expertise::Moving;

use expertise::Expertise;

use super::walk::{Boundary, Walks};
use problem::{ActionSpace, ActiveSet, ExpertCost};
use rand::RngExt;
use rand_pcg::Pcg64;
use seed::Draws;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Experts that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub(crate) enum CrewError {
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
    /// Drift of more or fewer experts than there are.
    #[error("drift.to lists {got} experts, knows lists {expected}: give both ends for each expert")]
    Experts {
        /// How many drift.
        got: usize,
        /// How many there are.
        expected: usize,
    },
    /// A region that does not exist.
    #[error("{field}[{expert}] names region {region}: regions are 0..{regions}")]
    NoSuchRegion {
        /// Which list.
        field: &'static str,
        /// Whose.
        expert: usize,
        /// Which region.
        region: usize,
        /// How many there are.
        regions: usize,
    },
}

pub(super) fn not_negative(field: &'static str, value: f64) -> Result<(), CrewError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(CrewError::Range { field, value, expected: "a finite number, not negative" })
}

pub(super) fn probability(field: &'static str, value: f64) -> Result<(), CrewError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(CrewError::Range { field, value, expected: "a number in [0, 1]" })
}

/// Who is there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Availability {
    /// Probability of being available before the first step.
    pub(crate) start: f64,
    /// Standard deviation of a step.
    pub(crate) sigma: f64,
}

/// Everything that defines the experts but their seed. Regions are the classes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CrewConfig {
    /// The regions each expert knows at the start.
    pub(crate) knows: Vec<Vec<usize>>,
    /// How expertise drifts; constant without.
    pub(crate) drift: Option<Drift>,
    /// Random availability; without it everybody is always there.
    pub(crate) availability: Option<Availability>,
    /// What walks and bridges do at the ends of `[0, 1]`.
    pub(crate) boundary: Boundary,
    /// What experts cost.
    pub(crate) cost: ExpertCost,
}

/// Generated experts at some round.
#[derive(Clone, Debug)]
pub(super) struct Crew {
    space: ActionSpace,
    expertise: Expertise,
    available: Option<Walks>,
    /// Costs of a right and of a wrong answer.
    cost: (f64, f64),
    answer_rng: Pcg64,
    available_rng: Pcg64,
    expertise_rng: Pcg64,
}

impl Crew {
    /// The experts of `space` before the first round.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub(super) fn new(
        space: ActionSpace,
        config: &CrewConfig,
        seed: u64,
    ) -> Result<Self, CrewError> {
        if let Some(availability) = &config.availability {
            probability("availability.start", availability.start)?;
            not_negative("availability.sigma", availability.sigma)?;
        }
        let CrewConfig { knows, drift, boundary, cost, .. } = config;
        let walks =
            |a: Availability| Walks::new(vec![a.start; space.experts()], a.sigma, *boundary);
        Ok(Crew {
            space,
            expertise: Expertise::new(space.classes(), knows, drift.as_ref(), *boundary)?,
            available: config.availability.map(walks),
            cost: (cost.normalized(true), cost.normalized(false)),
            answer_rng: Draws::Answers.generator(seed),
            available_rng: Draws::Availability.generator(seed),
            expertise_rng: Draws::Expertise.generator(seed),
        })
    }

    /// The next round begins: expertise drifts, and these are there.
    #[inline]
    pub(super) fn step(&mut self) -> ActiveSet {
        self.expertise.step(&mut self.expertise_rng);
        let Some(walks) = &mut self.available else { return self.space.all_active() };
        walks.step(&mut self.available_rng);
        let mut experts = 0;
        for (j, &p) in walks.values().iter().enumerate() {
            experts |= u128::from(self.available_rng.random::<f64>() < p) << j;
        }
        self.space.active_from_mask(experts).expect("a mask over these experts")
    }

    /// Everybody answers in `region`: fills in what each costs and the score of each, and returns
    /// who is right.
    #[inline]
    pub(super) fn answer(&mut self, region: usize, costs: &mut [f64], scores: &mut [f64]) -> u128 {
        let mut right = 0;
        for (j, (cost, score)) in costs.iter_mut().zip(scores).enumerate() {
            let accuracy = self.expertise.accuracy(j, region);
            let correct = self.answer_rng.random::<f64>() < accuracy;
            right |= u128::from(correct) << j;
            *cost = if correct { self.cost.0 } else { self.cost.1 };
            *score = 1.0 - (accuracy * self.cost.0 + (1.0 - accuracy) * self.cost.1);
        }
        right
    }

    /// Probability of a right answer now, one row per expert, one column per region.
    #[must_use]
    pub(super) fn accuracy(&self) -> Vec<Vec<f64>> {
        self.expertise.table()
    }

    /// Probability of each expert to be available in the round that came last.
    #[cfg(test)]
    pub(super) fn availability(&self) -> Vec<f64> {
        match &self.available {
            Some(walks) => walks.values().to_vec(),
            None => vec![1.0; self.space.experts()],
        }
    }
}

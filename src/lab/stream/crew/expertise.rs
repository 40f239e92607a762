//! What experts know: some regions, and perhaps others later.

use super::CrewError;
use crate::stream::walk::{Boundary, Bridge, Normal};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Which accuracies move while expertise drifts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Moving {
    /// Every region of an expert that has a region at either end; an expert without one guesses
    /// throughout, as the paper says of its third expert.
    #[default]
    ExpertsWithRegions,
    /// Every expert and region.
    All,
    /// Only where the two ends differ.
    EndsThatDiffer,
}

/// How expertise drifts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drift {
    /// The regions each expert knows at the end.
    pub(crate) to: Vec<Vec<usize>>,
    /// How many rounds it takes.
    #[serde(default = "Drift::default_rounds")]
    pub(crate) rounds: u64,
    /// Standard deviation of one round.
    #[serde(default = "Drift::default_sigma")]
    pub(crate) sigma: f64,
    /// What moves.
    #[serde(default)]
    pub(crate) moving: Moving,
}

impl Drift {
    fn default_rounds() -> u64 {
        100_000
    }

    fn default_sigma() -> f64 {
        2e-3
    }
}

/// The probability that each expert answers right on each region, now.
///
/// An expert answers with the label (noise included) with that probability and with a uniformly
/// chosen other class otherwise: 1 copies the label, `1/n` is a uniform guess over all classes.
#[derive(Clone, Debug)]
pub(super) struct Expertise {
    regions: usize,
    /// Row-major, expert by region.
    accuracy: Vec<f64>,
    /// Which entry of `accuracy` each bridge moves.
    bridges: Vec<(usize, Bridge)>,
    normal: Normal,
}

impl Expertise {
    /// Experts that know the regions listed in `knows`.
    ///
    /// # Errors
    /// A region that does not exist, as many ends as experts, a bad sigma.
    pub(super) fn new(
        regions: usize,
        knows: &[Vec<usize>],
        drift: Option<&Drift>,
        boundary: Boundary,
    ) -> Result<Self, CrewError> {
        let start = accuracies("knows", regions, knows)?;
        let mut bridges = Vec::new();
        if let Some(drift) = drift {
            if drift.to.len() != knows.len() {
                let (got, expected) = (drift.to.len(), knows.len());
                return Err(CrewError::Experts { got, expected });
            }
            super::not_negative("drift.sigma", drift.sigma)?;
            let end = accuracies("drift.to", regions, &drift.to)?;
            for (i, (&a, &b)) in start.iter().zip(&end).enumerate() {
                let j = i / regions;
                let moves = match drift.moving {
                    Moving::All => true,
                    Moving::EndsThatDiffer => a != b,
                    Moving::ExpertsWithRegions => !knows[j].is_empty() || !drift.to[j].is_empty(),
                };
                if moves {
                    bridges.push((i, Bridge::new(a, b, drift.rounds, drift.sigma, boundary)));
                }
            }
        }
        Ok(Expertise { regions, accuracy: start, bridges, normal: Normal::default() })
    }

    /// One round of drift.
    #[inline]
    pub(super) fn step(&mut self, rng: &mut impl Rng) {
        for (entry, bridge) in &mut self.bridges {
            bridge.step(&mut self.normal, rng);
            self.accuracy[*entry] = bridge.value();
        }
    }

    /// Accuracy of expert `j` on `region`.
    #[inline]
    #[must_use]
    pub(super) fn accuracy(&self, j: usize, region: usize) -> f64 {
        self.accuracy[j * self.regions + region]
    }

    /// All of them, one row per expert.
    pub(super) fn table(&self) -> Vec<Vec<f64>> {
        self.accuracy.chunks(self.regions).map(<[f64]>::to_vec).collect()
    }
}

fn accuracies(
    field: &'static str,
    regions: usize,
    knows: &[Vec<usize>],
) -> Result<Vec<f64>, CrewError> {
    let mut table = vec![1.0 / regions as f64; regions * knows.len()];
    for (expert, known) in knows.iter().enumerate() {
        for &region in known {
            if region >= regions {
                return Err(CrewError::NoSuchRegion { field, expert, region, regions });
            }
            table[expert * regions + region] = 1.0;
        }
    }
    Ok(table)
}

//! Experts that know some clusters, and may drift from some to others.

use super::SyntheticError;
use crate::stream::walk::{Boundary, Bridge, Normal};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Which accuracies move while expertise drifts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moving {
    /// Every cluster of an expert that has a region at either end; an expert without one guesses
    /// throughout, as the paper says of its third expert.
    #[default]
    ExpertsWithRegions,
    /// Every expert and cluster.
    All,
    /// Only where the two ends differ.
    EndsThatDiffer,
}

/// How expertise drifts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// The clusters each expert knows at the end.
    pub to: Vec<Vec<usize>>,
    /// How many rounds it takes.
    #[serde(default = "Drift::default_rounds")]
    pub rounds: u64,
    /// Standard deviation of one round.
    #[serde(default = "Drift::default_sigma")]
    pub sigma: f64,
    /// What moves.
    #[serde(default)]
    pub moving: Moving,
}

impl Drift {
    fn default_rounds() -> u64 {
        100_000
    }

    fn default_sigma() -> f64 {
        2e-3
    }
}

/// The probability that each expert answers right on each cluster, now.
///
/// An expert answers with the label (noise included) with that probability and with a uniformly
/// chosen other class otherwise: 1 copies the label, `1/n` is a uniform guess over all classes.
#[derive(Clone, Debug)]
pub struct Experts {
    clusters: usize,
    /// Row-major, expert by cluster.
    accuracy: Vec<f64>,
    /// Which entry of `accuracy` each bridge moves.
    bridges: Vec<(usize, Bridge)>,
    normal: Normal,
}

impl Experts {
    /// Experts that know the clusters listed in `knows`.
    ///
    /// # Errors
    /// A cluster that does not exist, as many ends as experts, a bad sigma.
    pub fn new(
        clusters: usize,
        knows: &[Vec<usize>],
        drift: Option<&Drift>,
        boundary: Boundary,
    ) -> Result<Self, SyntheticError> {
        let start = accuracies("knows", clusters, knows)?;
        let mut bridges = Vec::new();
        if let Some(drift) = drift {
            if drift.to.len() != knows.len() {
                let (got, expected) = (drift.to.len(), knows.len());
                return Err(SyntheticError::Experts { got, expected });
            }
            super::not_negative("drift.sigma", drift.sigma)?;
            let end = accuracies("drift.to", clusters, &drift.to)?;
            for (i, (&a, &b)) in start.iter().zip(&end).enumerate() {
                let j = i / clusters;
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
        Ok(Experts { clusters, accuracy: start, bridges, normal: Normal::default() })
    }

    /// One round of drift.
    #[inline]
    pub fn step(&mut self, rng: &mut impl Rng) {
        for (entry, bridge) in &mut self.bridges {
            bridge.step(&mut self.normal, rng);
            self.accuracy[*entry] = bridge.value();
        }
    }

    /// Accuracy of expert `j` on `cluster`.
    #[inline]
    pub fn accuracy(&self, j: usize, cluster: usize) -> f64 {
        self.accuracy[j * self.clusters + cluster]
    }

    /// All of them, one row per expert.
    pub fn table(&self) -> Vec<Vec<f64>> {
        self.accuracy.chunks(self.clusters).map(<[f64]>::to_vec).collect()
    }
}

fn accuracies(
    field: &'static str,
    clusters: usize,
    knows: &[Vec<usize>],
) -> Result<Vec<f64>, SyntheticError> {
    let mut table = vec![1.0 / clusters as f64; clusters * knows.len()];
    for (expert, known) in knows.iter().enumerate() {
        for &cluster in known {
            if cluster >= clusters {
                return Err(SyntheticError::NoSuchCluster { field, expert, cluster, clusters });
            }
            table[expert * clusters + cluster] = 1.0;
        }
    }
    Ok(table)
}

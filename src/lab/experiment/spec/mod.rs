//! What an experiment file can say. Every key is known; an unknown one is an error.

mod kinds;
mod peers;
mod policies;
mod questions;
mod streams;
mod words;

pub use kinds::{PolicyKind, StreamKind};
pub(super) use kinds::{PolicySettings, StreamSettings};
pub(super) use peers::{
    EpsilonGreedySpec, GammaSpec, LinUcbSpec, RidgeCbSpec, RunningMeansSpec, ThompsonSpec,
};
pub use policies::NetworkPolicySpec;
pub(super) use policies::{
    AutoSpec, BeliefSpec, CommandSpec, FixedExpertSpec, LearnerSpec, NetworkConfidenceSpec, Radius,
    SquareCbSpec,
};
pub use questions::{PolicyFacts, PolicySpec, StreamFacts, StreamSpec};
pub(super) use streams::{LawItemSpec, PhaseSpec, PhasesSpec, RecordedSpec};
pub(super) use streams::{or_paper_cost, paper_cost};

use super::network_spec::NetworkSpec;
use crate::limits::{self, LimitExceeded};
use serde::{Deserialize, Serialize};

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentSpec {
    /// Letters, digits, `-` and `_`: also the name of its folders.
    pub name: String,
    /// For the reader.
    #[serde(default)]
    pub title: String,
    /// The name seeds are made from, if not `name`: experiments of one family meet the same
    /// random numbers and can be compared run by run.
    #[serde(default)]
    pub family: Option<String>,
    /// Master seed.
    pub seed: u64,
    /// Independent runs of everything.
    pub runs: u32,
    /// Rounds of each run.
    pub rounds: u64,
    /// Where along a run the metrics are kept.
    #[serde(default)]
    pub(crate) checkpoints: Checkpoints,
    /// Whether the streams themselves are recorded too (availability, accuracy of experts).
    #[serde(default = "yes")]
    pub trace: bool,
    /// Whether "classifier only" and "best fixed expert" are played on tables of one's own, where the
    /// file does not name such policies itself.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(crate) baselines: bool,
    /// Where rounds come from.
    pub stream: Vec<StreamSpec>,
    /// Who acts.
    pub policy: Vec<PolicySpec>,
    /// The scorer of policies on images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSpec>,
    /// `"path.to.setting" = [values]`: everything is run for every combination. A list is entered
    /// by the `name` of its element or by position.
    #[serde(default)]
    pub(crate) sweep: toml::Table,
    /// What is made of the runs; changing it needs no new run.
    #[serde(default)]
    pub report: ReportSpec,
}

fn yes() -> bool {
    true
}

/// Left out of the canonical configuration, so that hashes of older files stay.
fn is_yes(value: &bool) -> bool {
    *value
}

/// The grid on which metrics are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Checkpoints {
    /// So many, evenly spaced, the last at the end.
    Linear(u64),
    /// So many to each power of ten, the last at the end.
    PerDecade(u32),
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints::Linear(50)
    }
}

impl Checkpoints {
    /// # Errors
    /// More of them than is accepted.
    pub(super) fn check(self) -> Result<(), LimitExceeded> {
        limits::CHECKPOINTS.check(match self {
            Checkpoints::Linear(count) => count,
            // Rounds have fewer than twenty digits.
            Checkpoints::PerDecade(count) => 20 * u64::from(count),
        })
    }

    /// The rounds, increasing.
    #[must_use]
    pub(crate) fn grid(self, rounds: u64) -> Vec<u64> {
        match self {
            Checkpoints::Linear(count) => {
                let count = count.clamp(1, rounds.max(1));
                let at = |i: u64| (u128::from(rounds) * u128::from(i) / u128::from(count)) as u64;
                (1..=count).map(at).collect()
            }
            Checkpoints::PerDecade(count) => {
                let rounds = usize::try_from(rounds).unwrap_or(usize::MAX);
                let points = log_checkpoints(rounds, count as usize);
                points.into_iter().map(|t| t as u64).collect()
            }
        }
    }
}

/// Horizons spaced evenly in the logarithm, `per_decade` of them from one power of ten to the next,
/// with 1 and `horizon` included. Empty for a horizon of zero.
fn log_checkpoints(horizon: usize, per_decade: usize) -> Vec<usize> {
    let mut points = Vec::new();
    for i in 0.. {
        let value = libm::exp10(i as f64 / per_decade.max(1) as f64).round();
        if value >= horizon as f64 {
            break;
        }
        points.push(value as usize);
    }
    points.extend((horizon > 0).then_some(horizon));
    points.dedup();
    points
}

/// What is made of the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSpec {
    /// Which figures and tables.
    pub kind: ReportKind,
    /// Whether figures are drawn.
    pub figures: bool,
    /// Sentences for the reader, printed under the title.
    pub notes: Vec<String>,
    /// The policy that observations are about; the first without it.
    pub subject: Option<String>,
    /// The policy it is compared with.
    pub baseline: Option<String>,
    /// The policy that knows the scores.
    pub oracle: Option<String>,
    /// Published accuracy of each expert in percent, shown beside ours.
    pub published_expert_accuracy: Vec<f64>,
    /// A published table of results, shown beside ours.
    pub published_results: Option<PublishedResults>,
    /// Slopes are fitted to horizons from here on.
    pub slope_from: Option<u64>,
}

impl Default for ReportSpec {
    fn default() -> Self {
        ReportSpec {
            kind: ReportKind::Curves,
            figures: true,
            notes: Vec::new(),
            subject: None,
            baseline: None,
            oracle: None,
            published_expert_accuracy: Vec::new(),
            published_results: None,
            slope_from: None,
        }
    }
}

/// Published tables of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishedResults {
    /// App. G.4.
    Cifar10h,
}

/// Kinds of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    /// Learning curves: loss, accuracy, deferral.
    #[default]
    Curves,
    /// Expected regret against horizons, log-log slopes and explicit bounds.
    Rates,
    /// The sweep point and the number of rounds that come nearest to the published table of CIFAR10H.
    Readings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_log_spaced_and_complete() {
        assert_eq!(log_checkpoints(1000, 1), [1, 10, 100, 1000]);
        assert_eq!(log_checkpoints(60, 3), [1, 2, 5, 10, 22, 46, 60]);
        assert_eq!(log_checkpoints(1, 5), [1]);
        assert!(log_checkpoints(0, 5).is_empty());
        let many = log_checkpoints(100_000, 20);
        assert!(many.windows(2).all(|w| w[0] < w[1]) && *many.last().unwrap() == 100_000);
        assert_eq!(Checkpoints::Linear(4).grid(10), [2, 5, 7, 10]);
        assert_eq!(Checkpoints::Linear(9).grid(3), [1, 2, 3]);
        assert_eq!(Checkpoints::PerDecade(1).grid(500), [1, 10, 100, 500]);
    }
}

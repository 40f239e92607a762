//! What an experiment file can say. Every key is known; an unknown one is an error.

use super::data::{LabelMeSpec, Reuters4Spec, TableSpec};
use super::network_spec::{NetworkSpec, Trained};
use crate::stream::cifar10h::Cifar10hConfig;
use crate::stream::synthetic::SyntheticConfig;
use learner::Surrogate;
use learner::{Exploration, Optimizer, Regression, Schedule};
use problem::{ExpertCost, FeedbackKind};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use std::path::PathBuf;

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
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
    pub checkpoints: Checkpoints,
    /// Whether the streams themselves are recorded too (availability, accuracy of experts).
    #[serde(default = "yes")]
    pub trace: bool,
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
    pub sweep: toml::Table,
    /// What is made of the runs; changing it needs no new run.
    #[serde(default)]
    pub report: ReportSpec,
}

fn yes() -> bool {
    true
}

/// The grid on which metrics are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checkpoints {
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
    /// The rounds, increasing.
    pub fn grid(self, rounds: u64) -> Vec<u64> {
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

/// A source of rounds: exactly one of the kinds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamSpec {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// For the reader.
    #[serde(default)]
    pub label: Option<String>,
    /// The streams of App. G.
    #[serde(default)]
    pub synthetic: Option<SyntheticConfig>,
    /// Independent draws from a list of conditional laws.
    #[serde(default)]
    pub law: Option<LawSpec>,
    /// Rounds recorded in a file of JSON lines.
    #[serde(default)]
    pub recorded: Option<RecordedSpec>,
    /// Corrupted images and human experts (App. G.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cifar10h: Option<Cifar10hConfig>,
    /// Reuters4 with generated experts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuters4: Option<Reuters4Spec>,
    /// LabelMe with its annotators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labelme: Option<LabelMeSpec>,
    /// A table of one's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableSpec>,
}

impl StreamSpec {
    /// What a reader sees.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// A stream given by its law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawSpec {
    /// Kinds of rounds.
    pub item: Vec<LawItemSpec>,
}

/// One kind of round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawItemSpec {
    /// Relative frequency.
    pub weight: f64,
    /// The input.
    pub x: Vec<f64>,
    /// Available experts; everybody without it.
    #[serde(default)]
    pub available: Option<Vec<usize>>,
    /// Label probabilities.
    pub p: Vec<f64>,
    /// Cost of expert `j` (row) at label `y` (column).
    #[serde(default)]
    pub cost: Vec<Vec<f64>>,
}

/// A recorded stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedSpec {
    /// The file, relative to the experiment file.
    pub file: PathBuf,
    /// Number of classes.
    pub classes: usize,
    /// A new order for each run, epoch after epoch, until the rounds are played; without it the
    /// order of the file, once.
    #[serde(default)]
    pub shuffle: bool,
    /// What an answer costs, where the file has answers and not costs.
    #[serde(default = "paper_cost")]
    pub cost: ExpertCost,
}

pub(super) fn paper_cost() -> ExpertCost {
    ExpertCost::new(1.0, 0.1).expect("the paper's cost")
}

/// A policy: exactly one of the kinds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySpec {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// For the reader.
    #[serde(default)]
    pub label: Option<String>,
    /// Names of the streams it is run on; all without it.
    #[serde(default)]
    pub only: Option<Vec<String>>,
    /// The paper's learner.
    #[serde(default)]
    pub algorithm1: Option<LearnerSpec>,
    /// Estimates scores, with one belief over the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belief: Option<BeliefSpec>,
    /// Estimates scores, with one regression per action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub square_cb: Option<SquareCbSpec>,
    /// Never defers.
    #[serde(default)]
    pub classifier_only: Option<LearnerSpec>,
    /// Defers when the classifier is not sure.
    #[serde(default)]
    pub confidence: Option<ConfidenceSpec>,
    /// The paper's learner on the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkPolicySpec>,
    /// The network as it was trained beforehand, which defers when it is not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_confidence: Option<NetworkConfidenceSpec>,
    /// Asks experts in a fixed order.
    #[serde(default)]
    pub fixed_expert: Option<FixedExpertSpec>,
    /// Uniform over the active actions.
    #[serde(default)]
    pub uniform: Option<Nothing>,
    /// Knows the scores.
    #[serde(default)]
    pub oracle: Option<Nothing>,
}

impl PolicySpec {
    /// What a reader sees.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Whether it scores with the network.
    pub fn has_network(&self) -> bool {
        self.network.is_some() || self.network_confidence.is_some()
    }

    /// Whether it is run on the stream of that name.
    pub fn runs_on(&self, stream: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == stream))
    }
}

/// `{}`: no settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Settings of a learner; defaults are Algorithm 1 as Thm 6.3 runs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearnerSpec {
    /// `B`.
    pub radius: Radius,
    /// `rho`; without it the largest `|(x, 1)|` of the stream.
    pub rho: Option<f64>,
    /// The loss.
    pub surrogate: Surrogate,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// Learning and exploration rates.
    pub schedule: Schedule,
    /// What the learner is told.
    pub feedback: FeedbackKind,
}

impl Default for LearnerSpec {
    fn default() -> Self {
        LearnerSpec {
            radius: Radius::Actions,
            rho: None,
            surrogate: Surrogate::CstndHinge,
            optimizer: Optimizer::Ogd,
            schedule: Schedule::General,
            feedback: FeedbackKind::Bandit,
        }
    }
}

/// Settings of [`learner::BeliefRouter`]; what is not said is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeliefSpec {
    /// AdaGrad's base rate for an input of norm one.
    pub rate: Option<f64>,
    /// Whether a wrong class counts for what it rules out.
    pub wrong_answers: Option<bool>,
    /// Whether the belief is corrected by how often it turned out right.
    pub calibrate: Option<bool>,
    /// How much is played besides the action that looks best.
    pub exploration: Option<Exploration>,
}

/// Settings of [`learner::SquareCb`]; what is not said is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SquareCbSpec {
    /// The regression.
    pub regression: Option<Regression>,
    /// AdaGrad's base rate for an input of norm one.
    pub rate: Option<f64>,
    /// How much is played besides the action that looks best.
    pub exploration: Option<Exploration>,
}

/// The radius `B` of the ball.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Radius {
    /// `"N"`: as many as there are actions.
    #[default]
    Actions,
    /// `"none"`: no ball.
    None,
    /// A number.
    Of(f64),
}

impl Radius {
    /// For `actions = N`.
    pub fn value(self, actions: usize) -> Option<f64> {
        match self {
            Radius::Actions => Some(actions as f64),
            Radius::None => None,
            Radius::Of(radius) => Some(radius),
        }
    }
}

impl Serialize for Radius {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Radius::Actions => serializer.serialize_str("N"),
            Radius::None => serializer.serialize_str("none"),
            Radius::Of(radius) => serializer.serialize_f64(*radius),
        }
    }
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Radius;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, \"N\" or \"none\"")
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Radius, E> {
                Ok(Radius::Of(value))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Radius, E> {
                Ok(Radius::Of(value as f64))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Radius, E> {
                Ok(Radius::Of(value as f64))
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Radius, E> {
                match value {
                    "N" => Ok(Radius::Actions),
                    "none" => Ok(Radius::None),
                    _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Settings of the confidence baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceSpec {
    /// Below this confidence it defers.
    pub threshold: f64,
    /// Its classifier.
    #[serde(default)]
    pub learner: LearnerSpec,
}

/// Settings of Algorithm 1 on the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPolicySpec {
    /// Whether it starts from the weights trained beforehand; otherwise from random ones.
    #[serde(default = "yes")]
    pub pretrained: bool,
    /// Which weights learn.
    #[serde(default)]
    pub train: Trained,
    /// Learning and exploration rates.
    pub schedule: Schedule,
}

/// Settings of the confidence baseline on the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfidenceSpec {
    /// Below this confidence it defers; 0 never defers.
    pub threshold: f64,
}

/// Settings of the fixed-expert baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedExpertSpec {
    /// The cheapest available one is asked. Without it: what each expert costs on average in the
    /// recorded rounds, which nobody knows beforehand.
    #[serde(default)]
    pub mean_costs: Option<Vec<f64>>,
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
    }
}

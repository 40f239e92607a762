//! Settings of streams that are given in the experiment file or recorded beside it.

use crate::data::Classes;
use problem::ExpertCost;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A stream given by its law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LawSpec {
    /// Kinds of rounds.
    pub(crate) item: Vec<LawItemSpec>,
}

/// One kind of round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LawItemSpec {
    /// Relative frequency.
    pub(crate) weight: f64,
    /// The input.
    pub(crate) x: Vec<f64>,
    /// Available experts; everybody without it.
    #[serde(default)]
    pub(crate) available: Option<Vec<usize>>,
    /// Label probabilities.
    pub(crate) p: Vec<f64>,
    /// Cost of expert `j` (row) at label `y` (column).
    #[serde(default)]
    pub(crate) cost: Vec<Vec<f64>>,
}

/// A stream whose law changes from phase to phase, over and over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PhasesSpec {
    /// How many times as long all phases are each time they come again.
    #[serde(default = "one")]
    pub(crate) grow: f64,
    /// What comes after what.
    pub(crate) phase: Vec<PhaseSpec>,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PhaseSpec {
    /// How long it lasts the first time.
    pub(crate) rounds: u64,
    /// Kinds of rounds.
    pub(crate) item: Vec<LawItemSpec>,
}

fn one() -> f64 {
    1.0
}

/// A recorded stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedSpec {
    /// The file, relative to the experiment file; it may be gzipped.
    pub(crate) file: PathBuf,
    /// How many classes there are, or their names; 0 where there are only experts to choose from, and
    /// no labels.
    #[serde(default = "no_classes")]
    pub(crate) classes: Classes,
    /// Names of the experts, which the file may use in place of positions. Without them those that it
    /// uses, in the order in which they come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) experts: Option<Vec<String>>,
    /// The classes only judge answers, they cannot be played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) experts_only: bool,
    /// Key of the numbers of an input (`x` without it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) x: Option<String>,
    /// Key of the text of an input (`text` without it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Keys of the file that mean nothing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignore: Vec<String>,
    /// Features of sparse inputs, or the dimension that texts are hashed into (4096 without it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dim: Option<usize>,
    /// Whether inputs are divided by their norm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unit_norm: bool,
    /// What one unit of a price is worth in reward, where there are prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exchange: Option<f64>,
    /// What asking each expert costs, in one's own unit, where the file does not say it round by round.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prices: BTreeMap<String, f64>,
    /// First round of experts who are not there from the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) comes: BTreeMap<String, u64>,
    /// Last round of experts who leave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) goes: BTreeMap<String, u64>,
    /// A new order for each run, epoch after epoch, until the rounds are played; without it the
    /// order of the file, once.
    #[serde(default)]
    pub(crate) shuffle: bool,
    /// Read block by block while it is played, for files that are larger than memory; not with
    /// `shuffle`, and experts with names must be listed. The numbers are the same, and so is the
    /// experiment.
    #[serde(default, skip_serializing)]
    pub(crate) disk: bool,
    /// What an answer costs, where the file has answers and neither costs nor prices; the paper's
    /// without it.
    #[serde(default, serialize_with = "or_paper_cost")]
    pub(crate) cost: Option<ExpertCost>,
}

fn no_classes() -> Classes {
    Classes::Count(0)
}

/// The paper's cost is written out where nothing was said, as it was when it could not be left out: no
/// hash changes.
pub(in crate::experiment) fn or_paper_cost<S: Serializer>(
    cost: &Option<ExpertCost>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    cost.unwrap_or_else(paper_cost).serialize(serializer)
}

pub(in crate::experiment) fn paper_cost() -> ExpertCost {
    ExpertCost::new(1.0, 0.1).expect("the paper's cost")
}

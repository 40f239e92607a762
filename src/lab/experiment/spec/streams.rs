//! Settings of streams that are given in the experiment file or recorded beside it.

use problem::ExpertCost;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

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

/// A stream whose law changes from phase to phase, over and over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhasesSpec {
    /// How many times as long all phases are each time they come again.
    #[serde(default = "one")]
    pub grow: f64,
    /// What comes after what.
    pub phase: Vec<PhaseSpec>,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSpec {
    /// How long it lasts the first time.
    pub rounds: u64,
    /// Kinds of rounds.
    pub item: Vec<LawItemSpec>,
}

fn one() -> f64 {
    1.0
}

/// A recorded stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedSpec {
    /// The file, relative to the experiment file; it may be gzipped.
    pub file: PathBuf,
    /// Number of classes; 0 where there are only experts to choose from, and no labels.
    pub classes: usize,
    /// Names of the experts; the file may then use them in place of positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<Vec<String>>,
    /// The classes only judge answers, they cannot be played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub experts_only: bool,
    /// Features of sparse inputs, or the dimension that texts are hashed into (4096 without it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dim: Option<usize>,
    /// Whether inputs are divided by their norm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unit_norm: bool,
    /// What one unit of a price is worth in reward, where the file has prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<f64>,
    /// First round of experts who are not there from the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub comes: BTreeMap<String, u64>,
    /// Last round of experts who leave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub goes: BTreeMap<String, u64>,
    /// A new order for each run, epoch after epoch, until the rounds are played; without it the
    /// order of the file, once.
    #[serde(default)]
    pub shuffle: bool,
    /// Read block by block while it is played, for files that are larger than memory; not with
    /// `shuffle`. The numbers are the same, and so is the experiment.
    #[serde(default, skip_serializing)]
    pub disk: bool,
    /// What an answer costs, where the file has answers and not costs.
    #[serde(default = "paper_cost")]
    pub cost: ExpertCost,
}

pub(in crate::experiment) fn paper_cost() -> ExpertCost {
    ExpertCost::new(1.0, 0.1).expect("the paper's cost")
}

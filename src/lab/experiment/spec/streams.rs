//! Settings of streams that are given in the experiment file or recorded beside it.

use problem::ExpertCost;
use serde::{Deserialize, Serialize};
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

pub(in crate::experiment) fn paper_cost() -> ExpertCost {
    ExpertCost::new(1.0, 0.1).expect("the paper's cost")
}

//! Somebody else's program on the same rounds: measured by a script of `experiments/peers`, whose
//! output is kept with what is needed to measure again.

use crate::ReportError;
use crate::case::Case;
use lab::experiment::Plan;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Where the measurement is kept, from the folder of the experiment files on.
const FILE: &str = "peers/vowpal-wabbit.json";

/// What the script wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peer {
    /// Name and version.
    peer: String,
    version: String,
    python: String,
    /// The options it was given.
    arguments: String,
    /// How to measure again.
    command: String,
    /// Whose rounds.
    experiment: String,
    stream: String,
    seed: u64,
    rounds: u64,
    data_sha256: Map<String, Json>,
    /// Of the exported rounds, run by run.
    rounds_sha256: Vec<String>,
    mean_loss: Vec<f64>,
    accuracy: Vec<f64>,
}

/// What the template is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Measured {
    version: String,
    arguments: String,
    loss: f64,
    text: String,
    runs: usize,
}

/// The measurement, if there is one of exactly these rounds.
pub(super) fn read(plan: &Plan, case: &Case<'_>) -> Result<Option<Measured>, ReportError> {
    let path = plan.folder.join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    let peer: Peer = serde_json::from_str(&text)
        .map_err(|source| ReportError::Peer { path: path.display().to_string(), source })?;
    let data = plan.canonical["data"].as_object().cloned().unwrap_or_default();
    let same = peer.experiment == plan.spec.name
        && peer.stream == case.spec.stream[case.stream].name
        && peer.seed == case.spec.seed
        && peer.rounds == case.spec.rounds
        && peer.mean_loss.len() == case.spec.runs as usize
        && peer.data_sha256 == data;
    Ok(same.then(|| Measured {
        loss: stats::mean(&peer.mean_loss),
        text: crate::number::spread(&peer.mean_loss, 4),
        runs: peer.mean_loss.len(),
        version: peer.version,
        arguments: peer.arguments,
    }))
}

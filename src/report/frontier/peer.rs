//! Somebody else's program on the same rounds: measured by a script of `experiments/peers`, whose
//! output is kept with what is needed to measure again.

use crate::ReportError;
use crate::case::Case;
use lab::experiment::Plan;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Where measurements are kept, from the folder of the experiment files on, and what to call them.
pub(super) const PEERS: [(&str, &str); 2] = [
    ("peers/vw-squarecb.json", "Vowpal Wabbit, squarecb"),
    ("peers/vw-epsilon.json", "Vowpal Wabbit, epsilon-greedy"),
];

/// What the script wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    /// Name and version.
    peer: String,
    version: String,
    python: String,
    /// The options it was given.
    arguments: String,
    /// How to measure again.
    command: String,
    measured: Vec<Measurement>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurement {
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
    /// Expected loss given each round's law; empty where it is not known.
    risk: Vec<f64>,
}

/// One program on one stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) label: &'static str,
    pub(super) version: String,
    pub(super) arguments: String,
    pub(super) losses: Vec<f64>,
    /// As [`super::measure::risks`].
    pub(super) risks: Vec<f64>,
}

/// The measurements of exactly the rounds of `case`: of all its runs, or of the first few.
pub(super) fn read(plan: &Plan, case: &Case<'_>) -> Result<Vec<Measured>, ReportError> {
    let data = plan.canonical["data"].as_object().cloned().unwrap_or_default();
    let runs = case.spec.runs as usize;
    let same = |m: &Measurement| {
        m.experiment == plan.spec.name
            && m.stream == case.spec.stream[case.stream].name
            && (m.seed, m.rounds) == (case.spec.seed, case.spec.rounds)
            && m.mean_loss.len() <= runs
            && (m.risk.is_empty() || m.risk.len() == m.mean_loss.len())
            && m.data_sha256 == data
    };
    let mut all = Vec::new();
    for (file, label) in PEERS {
        let path = plan.folder.join(file);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let peer: Peer = serde_json::from_str(&text)
            .map_err(|source| ReportError::Peer { path: path.display().to_string(), source })?;
        let Some(found) = peer.measured.into_iter().find(same) else { continue };
        let risks = if found.risk.is_empty() { found.mean_loss.clone() } else { found.risk };
        let (version, arguments, losses) = (peer.version, peer.arguments, found.mean_loss);
        all.push(Measured { label, version, arguments, losses, risks });
    }
    Ok(all)
}

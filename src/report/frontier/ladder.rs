//! From Algorithm 1 to the recommended learner on Reuters4, one change at a time.

use super::measure::{losses, runs};
use super::{SUBJECT, peer};
use crate::ReportError;
use crate::case::Case;
use crate::number::spread;
use lab::experiment::Plan;
use serde_json::{Map, Value as Json, json};
use stats::mean;

/// A change by this share of the loss is one that matters.
const MATTERS: f64 = 0.05;

/// The router with one rate.
const BELIEF: &str = "belief";

/// The changes: name in the template, from which policy, to which.
const STEPS: [(&str, &str, &str); 16] = [
    ("ball", "alg1-n", "alg1-free"),
    ("step", "alg1-free", "alg1-free-rate"),
    ("loss", "alg1-free", "alg1-log"),
    ("loss_at_rate", "alg1-free-rate", "alg1-log-rate"),
    ("weights", "alg1-log-rate", "square-cb-share"),
    ("less_exploration", "square-cb-share", "square-cb-epsilon"),
    ("less_exploration_hinge", "alg1-free", "alg1-free-epsilon"),
    ("less_exploration_logistic", "alg1-log", "alg1-log-epsilon"),
    ("which_regression", "squared-epsilon", "square-cb-epsilon"),
    ("inverse_gaps", "square-cb-epsilon", "square-cb"),
    ("belief", "square-cb", BELIEF),
    ("only_right", BELIEF, "belief-right"),
    ("not_corrected", BELIEF, "belief-raw"),
    ("half_rate", BELIEF, "belief-slow"),
    ("twice_rate", BELIEF, "belief-fast"),
    ("several_rates", BELIEF, SUBJECT),
];

/// What the template says about Reuters4.
pub(super) fn context(plan: &Plan, case: &Case<'_>) -> Result<Json, ReportError> {
    let at = |name: &str| -> Result<f64, ReportError> { Ok(mean(&losses(runs(case, name)?))) };
    let mut steps = Map::new();
    for (name, from, to) in STEPS {
        let (before, after) = (at(from)?, at(to)?);
        let word = if after < before { "better" } else { "worse" };
        let text = format!("{before:.3} to {after:.3}, {word} by {:.3}", (after - before).abs());
        let matters = (after - before).abs() > MATTERS * before;
        steps.insert(
            name.into(),
            json!({ "text": text, "better": after < before, "matters": matters }),
        );
    }
    let explored = (1..=case.spec.rounds).map(|t| (10.0 / (t as f64).sqrt()).min(0.5)).sum::<f64>()
        / case.spec.rounds as f64;
    let data = plan.canonical["data"].as_object().cloned().unwrap_or_default();
    let peers: Vec<Json> = peer::read(plan, case)?
        .iter()
        .map(|p| {
            let text = spread(&p.losses, 4);
            json!({ "label": p.label, "version": p.version, "arguments": p.arguments,
                "text": text, "runs": p.losses.len() })
        })
        .collect();
    Ok(json!({
        "rounds": case.spec.rounds,
        "runs": case.spec.runs,
        "steps": steps,
        "explored_percent": 100.0 * explored,
        "plain_regression": at("square-cb-epsilon")?,
        "algorithm1": at("alg1-n")?,
        "peers": peers,
        "data": data.iter().map(|(f, h)| json!({ "file": f, "hash": h })).collect::<Vec<_>>(),
    }))
}

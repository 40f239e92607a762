//! Whether a stream has what the regret theorems assume, from its law.

use lab::experiment::build::Source;
use lab::stream::LawItem;
use problem::prec;
use theory::concentration::Concentration;
use theory::gap::{self, GapStatus};
use theory::stream::{FiniteStream, StreamItem};
use theory::{Scores, SurrogateId, comparator};

/// The hypotheses of Thm 6.4 and 6.5 on one stream with one radius.
pub(super) struct Hypotheses {
    pub radius: Option<f64>,
    /// Minimizability gap of the constrained hinge over the ball, per round.
    pub gap: f64,
    /// Its primal-dual certificate is tight.
    pub certified: bool,
    /// True regret of the hinge optimum against the best action of each round, per round.
    pub optimum_regret: f64,
    /// Upper end of the minimizability gap of the true loss, per round.
    pub true_gap: f64,
    /// Smallest normalized score of a best action.
    pub concentration: f64,
    /// Whether every round is concentrated enough for the horizon.
    pub concentrated: bool,
}

/// Only a stream given by its law can be checked.
pub(super) fn check(
    source: &Source,
    radius: Option<f64>,
    horizon: u64,
) -> Result<Option<Hypotheses>, String> {
    let Source::Law(items) = source else { return Ok(None) };
    let Some(first) = items.first() else { return Ok(None) };
    let stream_items: Vec<StreamItem> = items.iter().map(stream_item).collect();
    let mut concentration = f64::INFINITY;
    let mut concentrated = true;
    for item in &stream_items {
        let scores = Scores::from_slice(item.active, &item.s).map_err(|e| e.to_string())?;
        let best = item.s.iter().copied().fold(0.0, f64::max);
        concentration = concentration.min(best / item.s.iter().sum::<f64>());
        let exact = Concentration::of(&scores).map_err(|e| e.to_string())?;
        concentrated &= exact.holds(horizon);
    }
    let stream = FiniteStream::new(first.law.space(), stream_items).map_err(|e| e.to_string())?;
    let found = gap::solve(&stream, SurrogateId::CstndHinge, radius).map_err(|e| e.to_string())?;
    let best = comparator::bracket(&stream, comparator::ComparatorEffort::default());
    let round = |v: f64| (v / prec::REPORTED_GAP).round() * prec::REPORTED_GAP + 0.0;
    Ok(Some(Hypotheses {
        radius,
        gap: round(found.gap_per_round),
        certified: found.status == GapStatus::Certified,
        optimum_regret: round(found.true_regret_per_round),
        true_gap: round((best.upper - best.pointwise) / stream.total_weight()),
        concentration,
        concentrated,
    }))
}

fn stream_item(item: &LawItem) -> StreamItem {
    let p = item.law.p();
    let expert = |j| 1.0 - p.iter().zip(item.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
    let s = p.iter().copied().chain(item.active.experts().map(expert)).collect();
    StreamItem { weight: item.weight, x: item.x.clone(), active: item.active, s }
}

//! Whether a stream has what the regret theorems assume, from its law: gap programs, solved.

use super::computing;
use crate::claims::quantities::concentration::Concentration;
use crate::prec;
use lab::experiment::{Game, Plan, StreamKind};
use lab::stream::LawItem;
use learner::{Config, Schedule};
use report::{Assumption, ReportError};
use theory::{
    ComparatorEffort, FiniteStream, Scores, StreamItem, SurrogateId, bracket, minimizability_gap,
};

/// The hypotheses of Thm 6.4 and 6.5 for every setting of Algorithm 1 that `keep` keeps, on every stream
/// of a plan that is given by its law.
pub(super) fn assumptions(
    plan: &Plan,
    keep: impl Fn(&Config) -> bool,
) -> Result<Vec<Assumption>, ReportError> {
    let mut all = Vec::new();
    for (p, point) in plan.points.iter().enumerate() {
        let spec = &point.spec;
        let streams = spec.stream.iter().enumerate();
        for (s, stream) in streams.filter(|(_, stream)| stream.kind() == StreamKind::Law) {
            let game = Game::new(plan, p, s, 0).map_err(computing(&stream.label))?;
            let items: Vec<&LawItem> = game.law_items().collect();
            for policy in spec.policy.iter().filter(|p| p.runs_on(&stream.name)) {
                let Some(learner) = policy.algorithm1(game.shape).filter(&keep) else {
                    continue;
                };
                let name = match point.label.as_str() {
                    "" => stream.label.clone(),
                    settings => format!("{}, {settings}", stream.label),
                };
                let found = Assumption {
                    label: format!("{name}: {}", policy.label),
                    stream: stream.name.clone(),
                    policy: policy.name.clone(),
                    ..check(&items, &learner, spec.rounds).map_err(computing(&stream.label))?
                };
                all.push(found);
            }
        }
    }
    Ok(all)
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a learner on a stream of these items has of what its theorem assumes, without their names.
fn check(items: &[&LawItem], learner: &Config, horizon: u64) -> Result<Assumption, Failure> {
    let stream_items: Vec<StreamItem> = items.iter().map(|item| stream_item(item)).collect();
    let mut concentration = f64::INFINITY;
    let mut concentrated = true;
    for item in &stream_items {
        let scores = Scores::from_slice(item.active, &item.s)?;
        let best = item.s.iter().copied().fold(0.0, f64::max);
        concentration = concentration.min(best / item.s.iter().sum::<f64>());
        let exact = Concentration::of(&scores)?;
        concentrated &= exact.holds(horizon);
    }
    let stream = FiniteStream::new(items[0].law.space, stream_items)?;
    let found = minimizability_gap(&stream, SurrogateId::CstndHinge, learner.radius)?;
    let best = bracket(&stream, ComparatorEffort::default());
    let round = |v: f64| (v / prec::REPORTED_GAP).round() * prec::REPORTED_GAP + 0.0;
    let gap = round(found.gap_per_round);
    let rates = learner.schedule != Schedule::Concentrated || concentrated;
    Ok(Assumption {
        label: String::new(),
        stream: String::new(),
        policy: String::new(),
        radius: learner.radius,
        gap,
        certified: found.certified,
        optimum_regret: round(found.true_regret_per_round),
        true_gap: round((best.upper - best.pointwise) / stream.total_weight),
        concentration,
        concentrated,
        holds: found.certified && gap == 0.0 && rates,
    })
}

fn stream_item(item: &LawItem) -> StreamItem {
    let p = &item.law.p;
    let expert = |j| 1.0 - p.iter().zip(item.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
    let s = p.iter().copied().chain(item.active.experts().map(expert)).collect();
    StreamItem { weight: item.weight, x: item.x.clone(), active: item.active, s }
}

//! Whether a stream has what the regret theorems assume, from its law: gap programs, solved.

use super::OverviewError;
use crate::claims::quantities::concentration::Concentration;
use crate::prec;
use lab::experiment::{Game, Plan, PolicySpec, StreamKind, StreamSpec};
use lab::stream::LawItem;
use learner::{Config, Schedule, Surrogate};
use report::frontier::Assumption;
use report::{Cell, ReportTable};
use theory::{
    ComparatorEffort, FiniteStream, Scores, StreamItem, SurrogateId, bracket, minimizability_gap,
};

/// The hypotheses of Thm 6.4 and 6.5 on one stream with one radius.
struct Hypotheses {
    radius: Option<f64>,
    /// Minimizability gap of the constrained hinge over the ball, per round.
    gap: f64,
    /// Its primal-dual certificate is tight.
    certified: bool,
    /// True regret of the hinge optimum against the best action of each round, per round.
    optimum_regret: f64,
    /// Upper end of the minimizability gap of the true loss, per round.
    true_gap: f64,
    /// Smallest normalized score of a best action.
    concentration: f64,
    /// Whether every round is concentrated enough for the horizon.
    concentrated: bool,
}

/// One learner of the paper on one stream.
struct Checked<'a> {
    label: String,
    stream: &'a StreamSpec,
    policy: &'a PolicySpec,
    schedule: Schedule,
    found: Hypotheses,
}

/// Every setting of Algorithm 1 that `keep` keeps, on every stream of a plan that is given by its law.
fn checked<'a>(
    plan: &'a Plan,
    keep: impl Fn(&Config) -> bool,
) -> Result<Vec<Checked<'a>>, OverviewError> {
    let mut all = Vec::new();
    for (p, point) in plan.points.iter().enumerate() {
        let spec = &point.spec;
        let streams = spec.stream.iter().enumerate();
        for (s, stream) in streams.filter(|(_, stream)| stream.kind() == StreamKind::Law) {
            let game = Game::new(plan, p, s, 0).map_err(OverviewError::computing(&stream.label))?;
            let items: Vec<&LawItem> = game.law_items().collect();
            for policy in spec.policy.iter().filter(|p| p.runs_on(&stream.name)) {
                let Some(learner) = policy.algorithm1(game.shape).filter(&keep) else {
                    continue;
                };
                let found = check(&items, learner.radius, spec.rounds);
                let found = found.map_err(OverviewError::computing(&stream.label))?;
                let schedule = learner.schedule;
                let settings = &point.label;
                let name = match settings.is_empty() {
                    true => stream.label.clone(),
                    false => format!("{}, {settings}", stream.label),
                };
                let label = format!("{name}: {}", policy.label);
                all.push(Checked { label, stream, policy, schedule, found });
            }
        }
    }
    Ok(all)
}

/// What the page about the frontier has to know about the streams of `plan`.
pub(super) fn assumptions(plan: &Plan) -> Result<Vec<Assumption>, OverviewError> {
    let hinge = |learner: &Config| learner.surrogate == Surrogate::CstndHinge;
    let one = |c: &Checked<'_>| {
        let concentrated = c.schedule != Schedule::Concentrated || c.found.concentrated;
        Assumption {
            stream: c.stream.name.clone(),
            policy: c.policy.name.clone(),
            gap: c.found.gap,
            holds: c.found.certified && c.found.gap == 0.0 && concentrated,
        }
    };
    Ok(checked(plan, hinge)?.iter().map(one).collect())
}

/// The hypotheses as a table; none when no stream is given by its law.
pub(super) fn table(plan: &Plan) -> Result<Option<ReportTable>, OverviewError> {
    let found = checked(plan, |_| true)?;
    Ok((!found.is_empty()).then(|| hypotheses_table(&found)))
}

fn hypotheses_table(found: &[Checked<'_>]) -> ReportTable {
    let columns = [
        "stream and policy",
        "B",
        "hinge gap per round",
        "certified",
        "regret per round of the hinge optimum",
        "true-loss gap per round",
        "smallest s-bar(y_max)",
        "concentrated at T",
    ];
    let yes = |holds: bool| Cell::text(if holds { "yes" } else { "no" });
    let row = |c: &Checked<'_>| {
        let h = &c.found;
        vec![
            Cell::text(&c.label),
            h.radius.map_or(Cell::text("none"), |b| Cell::number(b, 2)),
            Cell::number(h.gap, 6),
            yes(h.certified),
            Cell::number(h.optimum_regret, 6),
            Cell::number(h.true_gap, 6),
            Cell::number(h.concentration, 6),
            yes(h.concentrated),
        ]
    };
    ReportTable {
        id: "hypotheses".into(),
        caption: "What the theorems assume, computed from the law of the stream: the minimizability gap of the constrained hinge over the ball (with its certificate), what the best matrix for the hinge loses in true loss, how far the best fixed matrix is from the best action of each round (0: the regret shown is the regret), and the concentration of scores.".into(),
        columns: columns.map(String::from).into(),
        rows: found.iter().map(row).collect(),
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn check(items: &[&LawItem], radius: Option<f64>, horizon: u64) -> Result<Hypotheses, Failure> {
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
    let found = minimizability_gap(&stream, SurrogateId::CstndHinge, radius)?;
    let best = bracket(&stream, ComparatorEffort::default());
    let round = |v: f64| (v / prec::REPORTED_GAP).round() * prec::REPORTED_GAP + 0.0;
    Ok(Hypotheses {
        radius,
        gap: round(found.gap_per_round),
        certified: found.certified,
        optimum_regret: round(found.true_regret_per_round),
        true_gap: round((best.upper - best.pointwise) / stream.total_weight),
        concentration,
        concentrated,
    })
}

fn stream_item(item: &LawItem) -> StreamItem {
    let p = &item.law.p;
    let expert = |j| 1.0 - p.iter().zip(item.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
    let s = p.iter().copied().chain(item.active.experts().map(expert)).collect();
    StreamItem { weight: item.weight, x: item.x.clone(), active: item.active, s }
}

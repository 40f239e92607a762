//! Expected regret against the horizon: slopes, explicit bounds, and which hypotheses hold.
//!
//! The regret of a run is its exact excess over the best action of each round,
//! `sum_t (max_a s_t(a) - <q_t, s_t>)`: an upper end of the true regret, and equal to it on streams
//! where one matrix is best in every round, which the table of hypotheses says.

use super::curves::{Case, cases, hyper_parameters, rounds};
use super::hypotheses::{self, Hypotheses};
use super::stats::{Bootstrap, log_slope, mean_curve};
use super::{Cell, Figure, Line, Observation, Report, Style, Table};
use lab::experiment::build::{Shape, Source};
use lab::experiment::data::Loaded;
use lab::experiment::metrics::Series;
use lab::experiment::spec::{LearnerSpec, PolicySpec};
use lab::experiment::{Key, Plan, Record};
use learner::Schedule;
use problem::prec;
use seed::Purpose;
use std::collections::BTreeMap;
use theory::bounds::{self, Bound, Exploration};
use theory::schedule::Parameters;

/// The theorem behind a schedule.
struct Theorem {
    name: &'static str,
    exponent: f64,
    bound: Bound,
    parameters: Parameters,
}

fn theorem(learner: &LearnerSpec, shape: Shape) -> Option<Theorem> {
    let n = shape.space.len();
    let rho = learner.rho.unwrap_or(shape.rho);
    let parameters = Parameters::new(learner.radius.value(n)?, n, rho).ok()?;
    let (name, exponent, bound) = match learner.schedule {
        Schedule::General => ("Thm 6.4", 2.0 / 3.0, Bound::True),
        Schedule::Concentrated => ("Thm 6.5", 0.5, Bound::Concentrated(Exploration::Stated)),
        _ => return None,
    };
    Some(Theorem { name, exponent, bound, parameters })
}

/// `sum_{t <= T} gamma_t` at each horizon.
fn explored_by(theorem: &Theorem, horizons: &[f64]) -> Vec<f64> {
    let p = theorem.parameters;
    let at = |&t: &f64| match theorem.bound {
        Bound::Concentrated(_) => bounds::concentrated(p, t as u64, Exploration::Exact).exploration,
        _ => bounds::true_regret(p, t as u64).exploration,
    };
    horizons.iter().map(at).collect()
}

/// One learner on one stream.
struct Curve<'a> {
    label: String,
    id: String,
    policy: &'a PolicySpec,
    t: Vec<f64>,
    mean: Vec<f64>,
    band: Vec<(f64, f64)>,
    slope: Option<f64>,
    slope_interval: Option<(f64, f64)>,
    /// Share of the regret that exploration costs, at the end.
    exploration: f64,
    /// Slope of `sum_t gamma_t` on the same horizons: what exploration alone, which no horizon
    /// sees as an exact power, would show.
    gamma_slope: Option<f64>,
    theorem: Option<Theorem>,
}

/// Fills in a report on rates.
pub(super) fn fill(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    report: &mut Report,
) -> Result<(), String> {
    let cases = cases(plan, records)?;
    let mut curves = Vec::new();
    let mut hypotheses = Vec::new();
    for case in &cases {
        let source =
            Source::new(&case.spec.stream[case.stream], &plan.folder, &mut Loaded::default())
                .map_err(|e| e.to_string())?;
        let shape = source.shape().map_err(|e| e.to_string())?;
        for (i, runs) in &case.policies {
            let policy = case.policy(*i);
            curves.push(curve(case, policy, runs, shape)?);
            if let Some(learner) = policy.algorithm1() {
                let radius = learner.radius.value(shape.space.len());
                let found = hypotheses::check(&source, radius, case.spec.rounds)?;
                hypotheses.extend(found.map(|h| (label(case, policy), policy, h)));
            }
        }
    }
    report.tables.push(regret_table(&curves));
    if !hypotheses.is_empty() {
        report.tables.push(hypotheses_table(&hypotheses));
    }
    report.observations.extend(curves.iter().flat_map(observations));
    if plan.spec.report.figures {
        report.figures.push(figure(&curves, plan.spec.runs));
    }
    Ok(())
}

fn label(case: &Case<'_>, policy: &PolicySpec) -> String {
    format!("{}: {}", case.label(), policy.label())
}

fn curve<'a>(
    case: &Case<'a>,
    policy: &'a PolicySpec,
    runs: &[&Series],
    shape: Shape,
) -> Result<Curve<'a>, String> {
    let spec = case.spec;
    let exact: Option<Vec<_>> = runs.iter().map(|s| s.exact.as_ref()).collect();
    let exact = exact.ok_or_else(|| {
        format!("{}: rates need a stream that knows its law", label(case, policy))
    })?;
    let excess: Vec<Vec<f64>> = exact.iter().map(|e| e.excess.clone()).collect();
    let t = rounds(&runs[0].t);
    let mean = mean_curve(&excess);
    let experiment = spec.family.as_ref().unwrap_or(&spec.name);
    let seed = seed::derive(spec.seed, experiment, 0, Purpose::Bootstrap);
    let resampled = Bootstrap::new(&excess, seed);
    let from = t.iter().position(|&t| t >= spec.report.slope_from.unwrap_or(1) as f64).unwrap_or(0);
    let slope = |mean: &[f64]| log_slope(&t[from..], &mean[from..]);
    let point = |i: usize| resampled.interval(|m| Some(m[i])).unwrap_or((mean[i], mean[i]));
    let last = |curves: &dyn Fn(usize) -> f64| (0..runs.len()).map(curves).sum::<f64>();
    let explored = last(&|r| *exact[r].exploration.last().unwrap_or(&0.0));
    let all = last(&|r| *exact[r].excess.last().unwrap_or(&0.0));
    let learner = policy.algorithm1();
    let theorem = learner.and_then(|l| theorem(l, shape));
    Ok(Curve {
        label: label(case, policy),
        id: format!("{}{}", policy.name, case.suffix),
        policy,
        band: (0..t.len()).map(point).collect(),
        slope: slope(&mean),
        slope_interval: resampled.interval(slope),
        exploration: explored / all,
        gamma_slope: theorem.as_ref().and_then(|th| slope(&explored_by(th, &t))),
        theorem,
        mean,
        t,
    })
}

impl Curve<'_> {
    fn last(&self) -> (f64, f64) {
        (self.t[self.t.len() - 1], self.mean[self.mean.len() - 1])
    }

    fn bounds(&self) -> Option<Vec<f64>> {
        let Theorem { bound, parameters, .. } = self.theorem.as_ref()?;
        Some(self.t.iter().map(|&t| bound.total(*parameters, t as u128)).collect())
    }
}

fn regret_table(curves: &[Curve<'_>]) -> Table {
    let columns = [
        "stream and policy",
        "T",
        "regret",
        "95% from",
        "to",
        "slope",
        "95% from",
        "to",
        "share of exploration",
        "theorem",
        "exponent",
        "slope of sum gamma_t",
        "bound at T",
        "bound / regret",
        "bound below T from",
    ];
    let row = |c: &Curve<'_>| {
        let (t, regret) = c.last();
        let (low, high) = c.band[c.band.len() - 1];
        let number = |v: Option<f64>, d| v.map_or(Cell::Missing, |v| Cell::number(v, d));
        let bound = c.bounds().and_then(|b| b.last().copied());
        let horizon = c.theorem.as_ref().and_then(|th| bounds::horizon(th.parameters, th.bound));
        vec![
            Cell::text(&c.label),
            Cell::number(t, 0),
            Cell::number(regret, 1),
            Cell::number(low, 1),
            Cell::number(high, 1),
            number(c.slope, 4),
            number(c.slope_interval.map(|i| i.0), 4),
            number(c.slope_interval.map(|i| i.1), 4),
            Cell::number(c.exploration, 4),
            c.theorem.as_ref().map_or(Cell::Missing, |th| Cell::text(th.name)),
            number(c.theorem.as_ref().map(|th| th.exponent), 4),
            number(c.gamma_slope, 4),
            number(bound, 0),
            number(bound.map(|b| b / regret), 1),
            number(horizon.map(|h| h.at_most as f64), 0),
        ]
    };
    Table {
        id: "regret".into(),
        caption: "Expected regret, exact given each round's law and averaged over runs; intervals are percentile bootstraps over runs. Slope: least squares of ln regret on ln T from the first fitted horizon on. Share of exploration: the part of the regret that uniform exploration costs. Slope of sum gamma_t: the same fit to the sum of the exploration rates, which is no exact power of T. Bound: with every constant of the proof.".into(),
        columns: columns.map(String::from).into(),
        rows: curves.iter().map(row).collect(),
    }
}

fn hypotheses_table(found: &[(String, &PolicySpec, Hypotheses)]) -> Table {
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
    let row = |(label, _, h): &(String, &PolicySpec, Hypotheses)| {
        vec![
            Cell::text(label),
            h.radius.map_or(Cell::text("none"), |b| Cell::number(b, 2)),
            Cell::number(h.gap, 6),
            yes(h.certified),
            Cell::number(h.optimum_regret, 6),
            Cell::number(h.true_gap, 6),
            Cell::number(h.concentration, 6),
            yes(h.concentrated),
        ]
    };
    Table {
        id: "hypotheses".into(),
        caption: "What the theorems assume, computed from the law of the stream: the minimizability gap of the constrained hinge over the ball (with its certificate), what the best matrix for the hinge loses in true loss, how far the best fixed matrix is from the best action of each round (0: the regret shown is the regret), and the concentration of scores.".into(),
        columns: columns.map(String::from).into(),
        rows: found.iter().map(row).collect(),
    }
}

fn observations(c: &Curve<'_>) -> Vec<Observation> {
    let Some(theorem) = &c.theorem else { return Vec::new() };
    let mut out = Vec::new();
    let numbers = |pairs: &[(&str, Option<f64>)]| -> BTreeMap<String, f64> {
        pairs.iter().filter_map(|(k, v)| Some((k.to_string(), (*v)?))).collect()
    };
    let (name, exponent) = (theorem.name, theorem.exponent);
    let (low, high) = (c.slope_interval.map(|i| i.0), c.slope_interval.map(|i| i.1));
    out.push(Observation {
        id: format!("rate/{}", c.id),
        statement: format!(
            "{}: the 95% interval of the log-log slope stays below the exponent of {name}, or the slope of the sum of its exploration rates on these horizons if that is larger, plus {}",
            c.label,
            prec::RATE_SLOPE
        ),
        holds: high.is_some_and(|high| {
            high <= c.gamma_slope.unwrap_or(exponent).max(exponent) + prec::RATE_SLOPE
        }),
        numbers: numbers(&[
            ("slope", c.slope),
            ("low", low),
            ("high", high),
            ("exponent", Some(exponent)),
            ("slope of sum gamma_t", c.gamma_slope),
        ]),
    });
    let bounds = c.bounds().unwrap_or_default();
    let worst = c.mean.iter().zip(&bounds).map(|(r, b)| r / b).fold(0.0, f64::max);
    out.push(Observation {
        id: format!("below-bound/{}", c.id),
        statement: format!(
            "{}: mean regret is below the explicit bound of {name} at every checkpoint",
            c.label
        ),
        holds: worst <= 1.0,
        numbers: numbers(&[("largest regret / bound", Some(worst))]),
    });
    out
}

fn figure(curves: &[Curve<'_>], runs: u32) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for (i, c) in curves.iter().enumerate() {
        let (x, y, band) = (c.t.clone(), c.mean.clone(), Some(c.band.clone()));
        lines.push(Line { label: c.label.clone(), style: Style::Data(i), x, y, band });
    }
    let t = curves.iter().map(|c| &c.t).max_by_key(|t| t.len()).cloned().unwrap_or_default();
    let power = |exponent: f64| t.iter().map(|&t| libm::pow(t, exponent)).collect::<Vec<_>>();
    let mut references = vec![
        ("T^(2/3)".to_string(), t.clone(), power(2.0 / 3.0)),
        ("sqrt(T)".to_string(), t.clone(), power(0.5)),
        ("T".to_string(), t.clone(), power(1.0)),
    ];
    for c in curves {
        if let (Some(th), Some(bounds)) = (&c.theorem, c.bounds()) {
            let p = th.parameters;
            let label = format!("bound of {}, B = {}, rho = {:.3}", th.name, p.b(), p.rho());
            // Curves with the same theorem and parameters share their bound.
            if !references.iter().any(|(known, ..)| *known == label) {
                references.push((label, c.t.clone(), bounds));
            }
        }
    }
    for (i, (label, x, y)) in references.into_iter().enumerate() {
        lines.push(Line { label, style: Style::Reference(i), x, y, band: None });
    }
    let settings: Vec<String> = curves.iter().filter_map(|c| hyper_parameters(c.policy)).collect();
    let mut settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    settings.dedup();
    Figure {
        id: "regret".into(),
        title: "Expected true deferral regret".into(),
        caption: format!(
            "Mean over {runs} runs of the exact regret; bands: 95% percentile bootstrap of the mean. {}.",
            settings.join("; ")
        ),
        x_label: "horizon T".into(),
        y_label: "regret".into(),
        log: true,
        y_range: None,
        lines,
    }
}

//! Expected regret against the horizon: slopes, explicit bounds, and which hypotheses hold.
//!
//! The regret of a run is its exact excess over the best action of each round,
//! `sum_t (max_a s_t(a) - <q_t, s_t>)`: an upper end of the true regret, and equal to it on streams
//! where one matrix is best in every round. Whether it is, and whether the theorems assume what is so,
//! is a matter of solving programs and is added by whoever may do that. The ridge learner's theorem asks
//! for linear scores, which is read off the law here; where they are not, there is no bound, and the
//! table says by how much they miss.

use super::case::{Case, cases};
use super::schema::Style;
use super::{Cell, Figure, Line, Observation, Report, ReportError, ReportTable};
use crate::prec;
use crate::totals::{Total, Totals};
use lab::experiment::{Game, Key, Plan, PolicyKind, PolicySpec, Record, Series};
use learner::{Config, Gamma, RidgeCbConfig, Schedule};
use stats::{jackknife_interval, log_slope, mean_curve};
use std::collections::BTreeMap;
use theory::{Bound, GammaRule, LinearFit, Parameters, RidgeParameters, linear_fit};

/// The theorem behind the rates of a learner.
struct Theorem {
    name: &'static str,
    exponent: f64,
    /// How far above the exponent a fitted slope may lie; none where the regret before the horizon
    /// follows no power.
    allowed: Option<f64>,
    /// What the bound depends on, for the legend.
    sizes: String,
    /// The bound of what was played.
    bound: Bound,
    /// The bound that says from which horizon on it is below `T`.
    judged: Bound,
}

/// `sum_{t <= T} gamma_t`, where exploration has a rate of its own.
fn exploration_sum(bound: Bound, t: f64) -> Option<f64> {
    let exact = match bound {
        Bound::Concentrated(p) | Bound::ConcentratedExact(p) => Bound::ConcentratedExact(p),
        Bound::Surrogate(p) | Bound::True(p) => Bound::True(p),
        Bound::Ridge(..) => return None,
    };
    Some(exact.at(t as u128)["exploration"])
}

fn paper_theorem(learner: &Config) -> Option<Theorem> {
    let p = Parameters::new(learner.radius?, learner.space.len(), learner.rho).ok()?;
    let (name, exponent, bound) = match learner.schedule {
        Schedule::General => ("Thm 6.4", 2.0 / 3.0, Bound::True(p)),
        Schedule::Concentrated => ("Thm 6.5", 0.5, Bound::Concentrated(p)),
        _ => return None,
    };
    let sizes = format!("B = {}, rho = {:.3}", p.b, p.rho);
    let allowed = Some(prec::RATE_SLOPE);
    Some(Theorem { name, exponent, allowed, sizes, bound, judged: bound })
}

/// Scores that a linear function misses by less than this count as linear: rounding of the fit.
const LINEAR: f64 = 1e-6;

/// How far the scores of a stream that is given by its law are from linear; none of another.
fn linear_scores(game: &Game<'_>) -> Option<LinearFit> {
    let (mut inputs, mut scores) = (Vec::new(), Vec::new());
    for item in game.law_items() {
        inputs.push(item.x.clone());
        scores.push(item.scores());
    }
    (!inputs.is_empty()).then(|| linear_fit(&inputs, &scores))
}

/// The bound of the ridge learner, where scores are linear.
fn ridge_theorem(learner: &RidgeCbConfig, game: &Game<'_>) -> Option<Theorem> {
    let fit = linear_scores(game).filter(|fit| fit.off <= LINEAR)?;
    let (linear, shape) = (learner.linear, game.shape);
    let actions = shape.space.len();
    let p = RidgeParameters {
        actions,
        active: game.law_items().map(|item| item.active.len()).max()?,
        dim: shape.dim + 1,
        rho: shape.rho,
        lambda: linear.lambda,
        weights: fit.weights,
        centred: learner.centred,
    };
    // Hashed features are other features: nothing is known about weights for them.
    if linear.hashed.is_some() || p.check().is_err() {
        return None;
    }
    let (played, judged) = match learner.gamma {
        Gamma::Growing { c } => (GammaRule::Growing(c), GammaRule::Growing(c)),
        Gamma::Horizon { rounds, weights, rho } => {
            // The learner takes all actions for active and what it was told for the norms.
            let told = RidgeParameters { active: actions, weights, rho, ..p };
            let gamma = Bound::Ridge(told, GammaRule::Known).at(rounds.into())["gamma"];
            (GammaRule::Constant(gamma), GammaRule::Known)
        }
    };
    let sizes = format!("W = {:.3}, rho = {:.3}, lambda = {}", p.weights, p.rho, p.lambda);
    let (bound, judged) = (Bound::Ridge(p, played), Bound::Ridge(p, judged));
    let allowed = matches!(played, GammaRule::Growing(_)).then_some(prec::RIDGE_SLOPE);
    Some(Theorem { name: "ridge forecasts", exponent: 0.5, allowed, sizes, bound, judged })
}

fn theorem(policy: &PolicySpec, game: &Game<'_>, rounds: u64) -> Option<Theorem> {
    match policy.ridge_cb(game.shape, rounds) {
        Some(ridge) => ridge_theorem(&ridge, game),
        None => paper_theorem(&policy.algorithm1(game.shape)?),
    }
}

/// One learner on one stream.
struct Curve<'a> {
    label: String,
    id: String,
    policy: &'a PolicySpec,
    t: Vec<f64>,
    mean: Vec<f64>,
    /// Interval of the mean at each point; none for a single run.
    band: Option<Vec<(f64, f64)>>,
    slope: Option<f64>,
    slope_interval: Option<(f64, f64)>,
    /// Share of the regret that exploration costs, at the end.
    exploration: f64,
    /// Slope of `sum_t gamma_t` on the same horizons: what exploration alone, which no horizon
    /// sees as an exact power, would show.
    gamma_slope: Option<f64>,
    theorem: Option<Theorem>,
    /// How far scores are from linear, where the learner's theorem asks for that and does not get it.
    off: Option<f64>,
}

/// Fills in a report on rates.
pub(crate) fn fill(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    report: &mut Report,
) -> Result<(), ReportError> {
    let cases = cases(plan, records)?;
    let mut curves = Vec::new();
    for case in &cases {
        let game = Game::new(plan, case.point, case.stream, 0)
            .map_err(|e| ReportError::Computation { what: case.label(), source: e.into() })?;
        for (i, runs) in &case.policies {
            curves.push(curve(case, case.policy(*i), runs, &game)?);
        }
    }
    report.tables.push(regret_table(&curves));
    report.observations.extend(curves.iter().flat_map(observations));
    if plan.spec.report.figures {
        report.figures.push(figure(&curves, plan.spec.runs));
    }
    Ok(())
}

fn label(case: &Case<'_>, policy: &PolicySpec) -> String {
    format!("{}: {}", case.label(), policy.label)
}

fn curve<'a>(
    case: &Case<'a>,
    policy: &'a PolicySpec,
    runs: &[&Series],
    game: &Game<'_>,
) -> Result<Curve<'a>, ReportError> {
    if runs.iter().any(|s| s.exact.is_none()) {
        return Err(ReportError::NoLaw(label(case, policy)));
    }
    let spec = case.spec;
    let excess: Vec<Vec<f64>> = runs.iter().map(|s| s.totals(Total::Excess)).collect();
    let t = runs[0].totals(Total::Rounds);
    let mean = mean_curve(&excess);
    let from = t.iter().position(|&t| t >= spec.report.slope_from.unwrap_or(1) as f64).unwrap_or(0);
    let slope = |mean: &[f64]| log_slope(&t[from..], &mean[from..]);
    let interval = |i: usize| {
        let values: Vec<f64> = excess.iter().map(|curve| curve[i]).collect();
        stats::mean_interval(&values, prec::INTERVAL_OUTSIDE)
    };
    let explored = runs.iter().map(|s| s.total(Total::Exploration)).sum::<f64>();
    let all = runs.iter().map(|s| s.total(Total::Excess)).sum::<f64>();
    let theorem = theorem(policy, game, spec.rounds);
    // Nothing of the kind is assumed by the paper's learner.
    let off = (policy.kind() == PolicyKind::RidgeCb)
        .then(|| linear_scores(game).map(|fit| fit.off))
        .flatten();
    let explored_by = |th: &Theorem| -> Option<Vec<f64>> {
        t.iter().map(|&t| exploration_sum(th.bound, t)).collect()
    };
    Ok(Curve {
        label: label(case, policy),
        id: format!("{}{}", policy.name, case.suffix),
        policy,
        band: (0..t.len()).map(interval).collect(),
        slope: slope(&mean),
        slope_interval: jackknife_interval(&excess, prec::INTERVAL_OUTSIDE, slope),
        exploration: explored / all,
        gamma_slope: theorem.as_ref().and_then(explored_by).and_then(|sums| slope(&sums)),
        off: off.filter(|&off| off > LINEAR),
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
        let bound = &self.theorem.as_ref()?.bound;
        Some(self.t.iter().map(|&t| bound.at(t as u128).total).collect())
    }
}

fn regret_table(curves: &[Curve<'_>]) -> ReportTable {
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
        let (low, high) = c.band.as_ref().and_then(|band| band.last().copied()).unzip();
        let number = Cell::maybe;
        let bound = c.bounds().and_then(|b| b.last().copied());
        let horizon = c.theorem.as_ref().and_then(|th| th.judged.horizon());
        let assumed = match (&c.theorem, c.off) {
            (Some(th), _) => Cell::text(th.name),
            (None, Some(off)) => Cell::text(format!("none: scores off linear by {off:.4}")),
            (None, None) => Cell::Missing,
        };
        vec![
            Cell::text(&c.label),
            Cell::number(t, 0),
            Cell::number(regret, 1),
            number(low, 1),
            number(high, 1),
            number(c.slope, 4),
            number(c.slope_interval.map(|i| i.0), 4),
            number(c.slope_interval.map(|i| i.1), 4),
            Cell::number(c.exploration, 4),
            assumed,
            number(c.theorem.as_ref().map(|th| th.exponent), 4),
            number(c.gamma_slope, 4),
            number(bound, 0),
            number(bound.map(|b| b / regret), 1),
            number(horizon.map(|h| *h.end() as f64), 0),
        ]
    };
    ReportTable {
        id: "regret".into(),
        caption: "Expected regret, exact given each round's law and averaged over runs. Intervals: 95% Student-t intervals over runs, of the mean regret and, with the standard error of the jackknife, of the slope. Slope: least squares of ln regret on ln T from the first fitted horizon on. Share of exploration: the part of the regret that uniform exploration costs. Slope of sum gamma_t: the same fit to the sum of the exploration rates, which is no exact power of T. Bound: with every constant of the proof.".into(),
        columns: columns.map(String::from).into(),
        rows: curves.iter().map(row).collect(),
    }
}

fn observations(c: &Curve<'_>) -> Vec<Observation> {
    let Some(theorem) = &c.theorem else { return Vec::new() };
    let (name, exponent) = (theorem.name, theorem.exponent);
    let mut out = Vec::new();
    if let (Some((low, high)), Some(allowed)) = (c.slope_interval, theorem.allowed) {
        let rates = c.gamma_slope.unwrap_or(exponent).max(exponent);
        out.push(Observation::new(
            format!("rate/{}", c.id),
            format!(
                "{}: the 95% interval of the log-log slope stays below the exponent of {name}, or the slope of the sum of its exploration rates on these horizons if that is larger, plus {}",
                c.label, allowed
            ),
            high <= rates + allowed,
            [
                ("slope", c.slope.unwrap_or(f64::NAN)),
                ("low", low),
                ("high", high),
                ("exponent", exponent),
                ("slope of sum gamma_t", c.gamma_slope.unwrap_or(f64::NAN)),
            ],
        ));
    }
    let bounds = c.bounds().unwrap_or_default();
    let worst = c.mean.iter().zip(&bounds).map(|(r, b)| r / b).fold(0.0, f64::max);
    out.push(Observation::new(
        format!("below-bound/{}", c.id),
        format!(
            "{}: mean regret is below the explicit bound of {name} at every checkpoint",
            c.label
        ),
        worst <= 1.0,
        [("largest regret / bound", worst)],
    ));
    out
}

fn figure(curves: &[Curve<'_>], runs: u32) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for (i, c) in curves.iter().enumerate() {
        let (x, y, band) = (c.t.clone(), c.mean.clone(), c.band.clone());
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
            let label = format!("bound of {}, {}", th.name, th.sizes);
            // Curves with the same theorem and parameters share their bound.
            if !references.iter().any(|(known, ..)| *known == label) {
                references.push((label, c.t.clone(), bounds));
            }
        }
    }
    for (i, (label, x, y)) in references.into_iter().enumerate() {
        lines.push(Line { label, style: Style::Reference(i), x, y, band: None });
    }
    let settings: Vec<String> = curves.iter().filter_map(|c| c.policy.facts().in_words).collect();
    let mut settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    settings.dedup();
    Figure {
        id: "regret".into(),
        title: "Expected true deferral regret".into(),
        caption: format!(
            "Mean over {runs} runs of the exact regret; bands: 95% Student-t interval of the mean over {runs} runs. {}.",
            settings.join("; ")
        ),
        x_label: "horizon T".into(),
        y_label: "regret".into(),
        log: true,
        y_range: None,
        lines,
    }
}

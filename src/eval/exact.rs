//! Requests about the law of a round, answered by the theory module.

use super::EvalError;
use super::fields::{active_set, finite, length};
use crate::claims::quantities::risk::{
    action_risks, best_risk, loss_given_label, mixture_risk, phi_def_from_phi01,
};
use crate::prec;
use crate::problem::{Action, ExpertCost, RoundLaw};
use crate::theory::{
    Bound, BoundTerms, GammaRule, Parameters, RidgeParameters, Scores, StatedRates, SurrogateId,
    TheoryError, argmax, infimum,
};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoresInput {
    n: usize,
    n_e: usize,
    #[serde(rename = "A")]
    available: Vec<usize>,
    p: Vec<f64>,
    c: Vec<Vec<f64>>,
}

#[derive(Serialize)]
pub(super) struct ScoresOutput {
    active: Vec<usize>,
    s: Vec<f64>,
    #[serde(rename = "S")]
    mass: f64,
    sbar: Vec<f64>,
    y_max: usize,
}

pub(super) fn scores(input: ScoresInput) -> Result<ScoresOutput, EvalError> {
    let active = active_set(input.n, input.n_e, &input.available)?;
    let scores = Scores::from_law(&RoundLaw::new(active.space(), &input.p, &input.c)?, active)?;
    Ok(ScoresOutput {
        active: active.iter().map(Action::index).collect(),
        s: scores.s.clone(),
        mass: scores.mass,
        sbar: scores.s.iter().map(|s| s / scores.mass).collect(),
        y_max: active.nth(argmax(&scores.s)).map_or(0, Action::index),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrueRiskInput {
    n: usize,
    n_e: usize,
    #[serde(rename = "A")]
    available: Vec<usize>,
    p: Vec<f64>,
    c: Vec<Vec<f64>>,
    q: Vec<f64>,
}

#[derive(Serialize)]
#[allow(non_snake_case)]
pub(super) struct TrueRiskOutput {
    C_action: Vec<f64>,
    C_q: f64,
    C_star: f64,
    ell_q_given_y: Vec<f64>,
}

pub(super) fn true_risk(input: TrueRiskInput) -> Result<TrueRiskOutput, EvalError> {
    let active = active_set(input.n, input.n_e, &input.available)?;
    let law = RoundLaw::new(active.space(), &input.p, &input.c)?;
    let scores = Scores::from_law(&law, active)?;
    Ok(TrueRiskOutput {
        C_action: action_risks(&scores),
        C_q: mixture_risk(&scores, &input.q)?,
        C_star: best_risk(&scores),
        ell_q_given_y: loss_given_label(&law, active, &input.q)?,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CostInput {
    alpha: f64,
    beta: f64,
}

#[derive(Serialize)]
pub(super) struct CostOutput {
    correct: f64,
    wrong: f64,
}

pub(super) fn normalized_cost(input: CostInput) -> Result<CostOutput, EvalError> {
    let cost = ExpertCost::new(input.alpha, input.beta)?;
    Ok(CostOutput { correct: cost.normalized(true), wrong: cost.normalized(false) })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SurrogateInput {
    name: String,
    alpha: Option<f64>,
    tau: Option<f64>,
    n: usize,
    n_e: usize,
    #[serde(rename = "A")]
    available: Vec<usize>,
    p: Vec<f64>,
    c: Vec<Vec<f64>>,
    u: Vec<f64>,
}

#[derive(Serialize)]
#[allow(non_snake_case)]
pub(super) struct SurrogateOutput {
    phi01: Vec<f64>,
    phi_def: Vec<f64>,
    C_phi: f64,
    C_phi_star: f64,
    #[serde(serialize_with = "super::or_null")]
    minimizer: Option<Vec<f64>>,
}

pub(super) fn surrogate(input: SurrogateInput) -> Result<SurrogateOutput, EvalError> {
    let id = SurrogateId::parse(&input.name, input.alpha, input.tau)?;
    let active = active_set(input.n, input.n_e, &input.available)?;
    let law = RoundLaw::new(active.space(), &input.p, &input.c)?;
    let scores = Scores::from_law(&law, active)?;
    length("u", input.u.len(), active.len())?;
    finite("u", &input.u)?;
    if id.is_constrained() {
        let sum: f64 = input.u.iter().sum();
        let size: f64 = input.u.iter().map(|u| u.abs()).sum();
        if sum.abs() > prec::ZERO_SUM * (1.0 + size) {
            let problem = format!("sums to {sum}, but {id} is defined for scores that sum to 0");
            return Err(EvalError::new("u", problem));
        }
    }
    let phi01: Vec<f64> = (0..input.u.len()).map(|a| id.phi01(&input.u, a)).collect();
    if phi01.iter().any(|phi| !phi.is_finite()) {
        return Err(EvalError::new("u", format!("so far apart that {id} overflows")));
    }
    let best = infimum(id, &scores.s)?;
    if best.gap > prec::POINTWISE_GAP * (1.0 + best.value) {
        let problem = format!("the least value is only known to within {}", best.gap);
        return Err(EvalError::new("C_phi_star", problem));
    }
    Ok(SurrogateOutput {
        phi_def: phi_def_from_phi01(&law, active, &phi01),
        C_phi: id.conditional_risk(&scores.s, &input.u),
        phi01,
        C_phi_star: best.value,
        minimizer: best.minimizer,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoundsInput {
    #[serde(rename = "B")]
    b: f64,
    #[serde(rename = "N")]
    actions: usize,
    rho: f64,
    #[serde(rename = "T")]
    horizon: u64,
    /// Asks for the bound of the ridge learner too.
    ridge: Option<RidgeInput>,
}

/// What that bound depends on besides `N`, `rho` and `T`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RidgeInput {
    /// The most active actions; all of them without it.
    #[serde(rename = "K")]
    active: Option<usize>,
    /// `d + 1`.
    dim: usize,
    lambda: f64,
    #[serde(rename = "W")]
    weights: f64,
    #[serde(default)]
    centred: bool,
    /// Of `gamma_t = c sqrt(t)`; the best one for `T` without it.
    c: Option<f64>,
}

/// The first `T` at which a bound is below `T` lies between these two.
#[derive(Serialize)]
struct BelowFrom {
    at_least: u128,
    at_most: u128,
}

impl BelowFrom {
    fn of(bound: Bound) -> Option<Self> {
        let (at_least, at_most) = bound.horizon()?.into_inner();
        Some(BelowFrom { at_least, at_most })
    }
}

#[derive(Serialize)]
struct RidgeOutput {
    anytime: BoundTerms,
    #[serde(rename = "anytime_below_T")]
    anytime_from: Option<BelowFrom>,
    known_horizon: BoundTerms,
    #[serde(rename = "known_horizon_below_T")]
    known_from: Option<BelowFrom>,
}

fn ridge(input: &RidgeInput, actions: usize, rho: f64, t: u64) -> Result<RidgeOutput, EvalError> {
    let RidgeInput { active, dim, lambda, weights, centred, c } = *input;
    let active = active.unwrap_or(actions);
    let p = RidgeParameters { actions, active, dim, rho, lambda, weights, centred };
    p.check()?;
    if let Some(c) = c.filter(|c| !(*c > 0.0 && c.is_finite())) {
        return Err(EvalError::new("ridge.c", format!("{c}: expected a finite number above 0")));
    }
    let growing = c.map_or(GammaRule::GrowingTuned, GammaRule::Growing);
    let (anytime, known) = (Bound::Ridge(p, growing), Bound::Ridge(p, GammaRule::Known));
    Ok(RidgeOutput {
        anytime: anytime.at(t.into()),
        anytime_from: BelowFrom::of(anytime),
        known_horizon: known.at(t.into()),
        known_from: BelowFrom::of(known),
    })
}

#[derive(Serialize)]
pub(super) struct BoundsOutput {
    surrogate: BoundTerms,
    r#true: BoundTerms,
    concentrated: BoundTerms,
    concentrated_exact_gamma: BoundTerms,
    #[serde(skip_serializing_if = "Option::is_none")]
    ridge: Option<RidgeOutput>,
}

pub(super) fn bounds(input: BoundsInput) -> Result<BoundsOutput, EvalError> {
    let p = Parameters::new(input.b, input.actions, input.rho)?;
    let t = input.horizon;
    if t == 0 {
        let (field, expected) = ("T".into(), "at least 1 round");
        return Err(TheoryError::OutOfRange { field, value: 0.0, expected }.into());
    }
    Ok(BoundsOutput {
        surrogate: Bound::Surrogate(p).at(t.into()),
        r#true: Bound::True(p).at(t.into()),
        concentrated: Bound::Concentrated(p).at(t.into()),
        concentrated_exact_gamma: Bound::ConcentratedExact(p).at(t.into()),
        ridge: input.ridge.map(|r| ridge(&r, input.actions, input.rho, t)).transpose()?,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchedulesInput {
    #[serde(rename = "B")]
    b: f64,
    #[serde(rename = "N")]
    actions: usize,
    rho: f64,
    t: Vec<u64>,
}

#[derive(Serialize)]
pub(super) struct SchedulesOutput {
    general: Vec<[f64; 2]>,
    concentrated: Vec<[f64; 2]>,
    experiment: Vec<[f64; 2]>,
}

pub(super) fn schedules(input: SchedulesInput) -> Result<SchedulesOutput, EvalError> {
    let p = Parameters::new(input.b, input.actions, input.rho)?;
    let rates = |schedule: StatedRates| {
        let pair = |(i, &t): (usize, &u64)| {
            let rates = schedule.rates(p, t);
            rates
                .map(|(eta, gamma)| [eta, gamma])
                .map_err(|_| EvalError::new(format!("t[{i}]"), format!("{t}: rounds count from 1")))
        };
        input.t.iter().enumerate().map(pair).collect::<Result<Vec<_>, _>>()
    };
    Ok(SchedulesOutput {
        general: rates(StatedRates::General)?,
        concentrated: rates(StatedRates::Concentrated)?,
        experiment: rates(StatedRates::Experiment)?,
    })
}

//! Requests about the algorithm, checked here and answered by [`engine`].

use super::EvalError;
use super::engine;
use super::fields::{active_action, active_set, finite, length, matrix, radius};
use super::request::{
    EstimateAnswer, EstimateRequest, GapReport, GapRequest, GapRow, StepSchedule, Trajectory,
    TrajectoryRequest, TrajectoryRound,
};
use crate::problem::{Action, ActiveSet, FeedbackKind, RoundLaw};
use crate::theory::{Parameters, Scores};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjKaInput {
    n: usize,
    n_e: usize,
    #[serde(rename = "A")]
    available: Vec<usize>,
    #[serde(rename = "W")]
    w: Vec<Vec<f64>>,
}

#[derive(Serialize)]
pub(super) struct MatrixOutput {
    #[serde(rename = "W")]
    w: Vec<Vec<f64>>,
}

pub(super) fn proj_ka(input: ProjKaInput) -> Result<MatrixOutput, EvalError> {
    let active = active_set(input.n, input.n_e, &input.available)?;
    matrix("W", &input.w, active.space().len())?;
    finite_matrix(engine::project_active(active, &input.w))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjBallInput {
    #[serde(rename = "W")]
    w: Vec<Vec<f64>>,
    #[serde(rename = "B")]
    b: f64,
}

pub(super) fn proj_ball(input: ProjBallInput) -> Result<MatrixOutput, EvalError> {
    matrix("W", &input.w, input.w.len())?;
    finite_matrix(engine::project_ball(&input.w, radius(input.b)?))
}

/// JSON has no infinity: a result that overflowed must not turn into `null`.
fn finite_matrix(w: Vec<Vec<f64>>) -> Result<MatrixOutput, EvalError> {
    if w.iter().flatten().all(|v| v.is_finite()) {
        Ok(MatrixOutput { w })
    } else {
        Err(EvalError::new("W", "so large that the projection overflows"))
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FeedbackName {
    Bandit,
    Full,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EstimatorInput {
    n: usize,
    n_e: usize,
    #[serde(rename = "A")]
    available: Vec<usize>,
    #[serde(rename = "W")]
    w: Vec<Vec<f64>>,
    x: Vec<f64>,
    y: usize,
    yprime: usize,
    gamma: f64,
    c: Vec<Vec<f64>>,
    feedback: FeedbackName,
}

pub(super) fn estimator(input: EstimatorInput) -> Result<EstimateAnswer, EvalError> {
    let active = active_set(input.n, input.n_e, &input.available)?;
    let columns = matrix("W", &input.w, active.space().len())?;
    if !(0.0..=1.0).contains(&input.gamma) {
        return Err(EvalError::new("gamma", format!("{} is not in [0, 1]", input.gamma)));
    }
    let (played, costs) = round(active, &input.x, columns - 1, input.y, input.yprime, &input.c)?;
    let estimate = engine::estimate(&EstimateRequest {
        active,
        w: input.w,
        x: input.x,
        label: input.y,
        played,
        gamma: input.gamma,
        costs,
        feedback: match input.feedback {
            FeedbackName::Bandit => FeedbackKind::Bandit,
            FeedbackName::Full => FeedbackKind::Full,
        },
    })?;
    let gradients = estimate.gradient.iter().chain(&estimate.projected_gradient);
    let all = gradients.flatten().chain(&estimate.u).chain([&estimate.value]);
    if all.into_iter().any(|v| !v.is_finite()) {
        return Err(EvalError::new("W", "so large that the estimate overflows"));
    }
    Ok(estimate)
}

/// Checks one round; returns the action played and what every expert costs at the label.
fn round(
    active: ActiveSet,
    x: &[f64],
    d: usize,
    label: usize,
    yprime: usize,
    c: &[Vec<f64>],
) -> Result<(Action, Vec<f64>), EvalError> {
    let space = active.space();
    length("x", x.len(), d)?;
    finite("x", x)?;
    space.class(label).map_err(|error| EvalError::new("y", error.to_string()))?;
    let played = active_action("yprime", active, yprime)?;
    let mut certain = vec![0.0; space.classes()];
    certain[label] = 1.0;
    let law = RoundLaw::new(space, &certain, c)?;
    Ok((played, (0..space.experts()).map(|j| law.cost(j)[label]).collect()))
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScheduleName {
    General,
    Concentrated,
    Experiment,
    Adagrad,
    Full,
}

/// The widest matrix a run may ask for: a run without rounds gives no `x` to hold `d` against.
const MAX_DIMENSION: usize = 1 << 17;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundInput {
    x: Vec<f64>,
    #[serde(rename = "A")]
    available: Vec<usize>,
    y: usize,
    c: Vec<Vec<f64>>,
    yprime: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrajectoryInput {
    schedule: ScheduleName,
    n: usize,
    n_e: usize,
    d: usize,
    #[serde(rename = "B")]
    b: f64,
    rho: f64,
    rounds: Vec<RoundInput>,
    ada_lr: Option<f64>,
    ada_eps: Option<f64>,
}

pub(super) fn trajectory(input: TrajectoryInput) -> Result<Trajectory, EvalError> {
    let actions = active_set(input.n, input.n_e, &[])?.space().len();
    Parameters::new(input.b, actions, input.rho)?;
    if input.d > MAX_DIMENSION {
        let problem = format!("{} is above {MAX_DIMENSION}, the most this can hold", input.d);
        return Err(EvalError::new("d", problem));
    }
    let schedule = match input.schedule {
        ScheduleName::General => StepSchedule::General,
        ScheduleName::Concentrated => StepSchedule::Concentrated,
        ScheduleName::Experiment => StepSchedule::Experiment,
        ScheduleName::Full => StepSchedule::Full,
        ScheduleName::Adagrad => StepSchedule::Adagrad {
            rate: positive("ada_lr", input.ada_lr)?,
            epsilon: positive("ada_eps", input.ada_eps)?,
        },
    };
    let mut rounds = Vec::with_capacity(input.rounds.len());
    for (t, row) in input.rounds.into_iter().enumerate() {
        let checked = active_set(input.n, input.n_e, &row.available).and_then(|active| {
            let (played, costs) = round(active, &row.x, input.d, row.y, row.yprime, &row.c)?;
            Ok(TrajectoryRound { active, x: row.x, label: row.y, played, costs })
        });
        rounds.push(checked.map_err(|error| error.within(format!("rounds[{t}]")))?);
    }
    let (d, n, n_e, b, rho) = (input.d, input.n, input.n_e, input.b, input.rho);
    let run = engine::trajectory(&TrajectoryRequest { schedule, d, n, n_e, b, rho, rounds })?;
    if run.w_final.iter().flatten().any(|v| !v.is_finite()) {
        return Err(EvalError::new("rounds", "the matrix overflows"));
    }
    Ok(run)
}

fn positive(field: &str, value: Option<f64>) -> Result<f64, EvalError> {
    match value {
        Some(value) if value > 0.0 && value.is_finite() => Ok(value),
        Some(value) => Err(EvalError::new(field, format!("{value} is not a positive number"))),
        None => Err(EvalError::missing(field)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GapRowInput {
    w: f64,
    x: Vec<f64>,
    #[serde(rename = "A")]
    available: Vec<usize>,
    s: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GapInput {
    n: usize,
    n_e: usize,
    #[serde(rename = "B")]
    b: Option<f64>,
    stream: Vec<GapRowInput>,
}

pub(super) fn min_gap(input: GapInput) -> Result<GapReport, EvalError> {
    let b = input.b.map(radius).transpose()?;
    let d = match input.stream.first() {
        Some(row) => row.x.len(),
        None => return Err(EvalError::new("stream", "has no rows")),
    };
    let mut rows = Vec::with_capacity(input.stream.len());
    for (i, row) in input.stream.into_iter().enumerate() {
        let checked = active_set(input.n, input.n_e, &row.available).and_then(|active| {
            if !(row.w >= 0.0 && row.w.is_finite()) {
                return Err(EvalError::new("w", format!("{} is not a weight", row.w)));
            }
            length("x", row.x.len(), d)?;
            finite("x", &row.x)?;
            let scores = Scores::from_slice(active, &row.s)?;
            Ok(GapRow { weight: row.w, x: row.x, scores })
        });
        rows.push(checked.map_err(|error| error.within(format!("stream[{i}]")))?);
    }
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    if !(total > 0.0 && total.is_finite()) {
        let problem = format!("the weights w sum to {total}, expected a positive number");
        return Err(EvalError::new("stream", problem));
    }
    engine::min_gap(&GapRequest { b, rows })
}

//! The project's own answers: the learner for what it does, the gap program for minimizability.

use super::EvalError;
use super::request::{
    EstimateAnswer, EstimateRequest, GapReport, GapRequest, StepSchedule, Trajectory,
    TrajectoryRequest, TrajectoryStep,
};
use crate::learner::{
    Algorithm1, Config, LearnerError, Optimizer, Policy, Schedule, estimate_round,
};
use crate::problem::{Action, ActionSpace, ActiveSet, Features, Feedback, FeedbackKind};
use crate::theory::{FiniteStream, StreamItem, SurrogateId, minimizability_gap};

/// `Pi_{K_A} W` (Prop. 6.1): the mean of the active rows is taken from each of them, the others stay.
pub(super) fn project_active(active: ActiveSet, w: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows = w.to_vec();
    for j in 0..rows.first().map_or(0, Vec::len) {
        let mean = active.iter().map(|a| w[a.index()][j]).sum::<f64>() / active.len() as f64;
        active.iter().for_each(|a| rows[a.index()][j] -= mean);
    }
    rows
}

/// Projection on the Frobenius ball.
pub(super) fn project_ball(w: &[Vec<f64>], radius: f64) -> Vec<Vec<f64>> {
    let norm = w.iter().flatten().map(|w| w * w).sum::<f64>().sqrt();
    let factor = if norm > radius { radius / norm } else { 1.0 };
    w.iter().map(|row| row.iter().map(|w| w * factor).collect()).collect()
}

/// One estimated surrogate and its gradients (Sec. 6.1).
pub(super) fn estimate(request: &EstimateRequest) -> Result<EstimateAnswer, EvalError> {
    let active = request.active;
    let score = |a: Action| {
        let (bias, row) = request.w[a.index()].split_last().expect("a bias column");
        row.iter().zip(&request.x).map(|(w, x)| w * x).sum::<f64>() + bias
    };
    let scores = active.iter().map(score).collect();
    let feedback =
        feedback(request.feedback, request.played, request.label, active, &request.costs);
    let round = estimate_round(active, scores, request.gamma, feedback).map_err(refused)?;
    Ok(EstimateAnswer {
        y_star: active.nth(round.greedy).map_or(0, Action::index),
        value: round.value,
        gradient: outer(active, &round.gradient, &request.x),
        projected_gradient: outer(active, &round.projected_gradient, &request.x),
        u: round.u,
        q: round.q,
    })
}

/// Algorithm 1 from `W = 0` on given rounds and given actions.
pub(super) fn trajectory(request: &TrajectoryRequest) -> Result<Trajectory, EvalError> {
    let space = ActionSpace::new(request.n, request.n_e)?.of_the_paper()?;
    let (schedule, kind) = match request.schedule {
        StepSchedule::General => (Schedule::General, FeedbackKind::Bandit),
        StepSchedule::Concentrated => (Schedule::Concentrated, FeedbackKind::Bandit),
        StepSchedule::Experiment | StepSchedule::Adagrad { .. } => {
            (Schedule::EXPERIMENT, FeedbackKind::Bandit)
        }
        StepSchedule::Full => (Schedule::General, FeedbackKind::Full),
    };
    let optimizer = match request.schedule {
        StepSchedule::Adagrad { rate, epsilon } => Optimizer::Adagrad { rate, epsilon },
        _ => Optimizer::Ogd,
    };
    let mut learner = Algorithm1::new(Config {
        radius: Some(request.b),
        rho: request.rho,
        optimizer,
        schedule,
        feedback: kind,
        ..Config::new(space, request.d)
    })
    .map_err(refused)?;
    let mut rounds = Vec::with_capacity(request.rounds.len());
    for round in &request.rounds {
        let decision = learner.decide(Features::Dense(&round.x), round.active).map_err(refused)?;
        let (y_star, q) = (decision.greedy.index(), decision.q.to_vec());
        let feedback = feedback(kind, round.played, round.label, round.active, &round.costs);
        learner.observe(feedback).map_err(refused)?;
        rounds.push(TrajectoryStep { y_star, q, w_norm: learner.norm() });
    }
    Ok(Trajectory { rounds, w_final: learner.weights() })
}

/// Minimizability gap of the projected class on a weighted stream.
pub(super) fn min_gap(request: &GapRequest) -> Result<GapReport, EvalError> {
    let items = request.rows.iter().map(|row| StreamItem {
        weight: row.weight,
        x: row.x.clone(),
        active: row.scores.active,
        s: row.scores.s.clone(),
    });
    let space = request.rows[0].scores.active.space();
    let stream = FiniteStream::new(space, items.collect())
        .map_err(|error| EvalError::new("stream", error.to_string()))?;
    let gap = minimizability_gap(&stream, SurrogateId::CstndHinge, request.b)
        .map_err(|error| EvalError::new("stream", error.to_string()))?;
    if !gap.certified {
        let (low, high) = (gap.certificate.dual, gap.certificate.primal);
        let problem = format!("no optimum could be certified: it is between {low} and {high}");
        return Err(EvalError::new("stream", problem));
    }
    // Weighted averages: per unit of weight, like the gap.
    let total = stream.total_weight;
    // The infimum of a ball class is over the class (C*_H): a small ball cannot reach every vector.
    let pointwise = gap.pointwise_in_ball.unwrap_or(gap.pointwise);
    Ok(GapReport {
        gap_per_round: gap.gap_in_ball_per_round.unwrap_or(gap.gap_per_round),
        best_value: gap.best_value / total,
        pointwise: pointwise / total,
        w_star_actions: gap.actions.iter().map(|a| a.index()).collect(),
        w_star_true_regret: gap.true_regret_per_round,
    })
}

fn feedback(
    kind: FeedbackKind,
    played: Action,
    label: usize,
    active: ActiveSet,
    costs: &[f64],
) -> Feedback<'_> {
    match kind {
        FeedbackKind::Full => Feedback::Full { label, costs },
        _ => {
            let expert = active.space().expert_of(played);
            // A request gives costs, not answers; the learner only looks at an expert's cost.
            let correct = expert.map_or(played.index() == label, |j| costs[j] < 1.0);
            Feedback::Bandit { action: played, correct, cost: expert.map(|j| costs[j]) }
        }
    }
}

/// `g (x, 1)^T`, one row per action.
fn outer(active: ActiveSet, g: &[f64], x: &[f64]) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; x.len() + 1]; active.space().len()];
    for (&c, action) in g.iter().zip(active) {
        let row = &mut rows[action.index()];
        row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(entry, x)| *entry = c * x);
    }
    rows
}

fn refused(error: LearnerError) -> EvalError {
    let field = match &error {
        LearnerError::ImpossibleAction { .. } => "yprime",
        LearnerError::Config { field, .. } => field,
        _ => "rounds",
    };
    EvalError::new(field, error.to_string())
}

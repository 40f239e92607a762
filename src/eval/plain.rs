//! The algorithm in its plainest form: dense loops over rows, nothing shared with the learner.

use super::EvalError;
use super::backend::{
    Backend, Estimate, EstimateRequest, GapReport, GapRequest, StepSchedule, Trajectory,
    TrajectoryRequest, TrajectoryStep,
};
use crate::problem::{Action, ActiveSet, FeedbackKind};
use crate::theory::risk::exploration_mixture;
use crate::theory::schedule::{Parameters, Schedule};
use crate::theory::scores::argmax;

/// A backend that reads like the paper; it has no solver for minimizability gaps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Backend for Plain {
    fn project_active(&self, active: ActiveSet, w: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let k = active.len() as f64;
        let mut projected = w.to_vec();
        for column in 0..w[0].len() {
            let mean = active.iter().map(|a| w[a.index()][column]).sum::<f64>() / k;
            for a in active {
                projected[a.index()][column] -= mean;
            }
        }
        projected
    }

    fn project_ball(&self, w: &[Vec<f64>], radius: f64) -> Vec<Vec<f64>> {
        let norm = frobenius(w);
        let scale = if norm > radius { radius / norm } else { 1.0 };
        w.iter().map(|row| row.iter().map(|v| v * scale).collect()).collect()
    }

    fn estimate(&self, request: &EstimateRequest) -> Result<Estimate, EvalError> {
        let EstimateRequest { active, w, x, .. } = request;
        let projected = self.project_active(*active, w);
        let score = |a: Action| {
            let row = &projected[a.index()];
            x.iter().zip(row).map(|(x, w)| x * w).sum::<f64>() + row[x.len()]
        };
        let u: Vec<f64> = active.iter().map(score).collect();
        let greedy = argmax(&u);
        let q = exploration_mixture(u.len(), greedy, request.gamma);
        let weights = target_weights(request, &q)?;
        // Phi_01(u, a) = sum_{b != a} [1 + u_b]_+: row b is pulled by all targets but itself.
        let total: f64 = weights.iter().sum();
        let mut value = 0.0;
        let mut gradient = vec![vec![0.0; x.len() + 1]; w.len()];
        for (b, action) in active.iter().enumerate() {
            if 1.0 + u[b] > 0.0 {
                let pull = total - weights[b];
                value += pull * (1.0 + u[b]);
                let row = &mut gradient[action.index()];
                row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(g, x)| *g = pull * x);
            }
        }
        let projected_gradient = self.project_active(*active, &gradient);
        let y_star = active.nth(greedy).map_or(0, Action::index);
        Ok(Estimate { u, y_star, q, value, gradient, projected_gradient })
    }

    fn trajectory(&self, request: &TrajectoryRequest) -> Result<Trajectory, EvalError> {
        let columns = request.d + 1;
        let rows = request.n + request.n_e;
        let mut w = vec![vec![0.0; columns]; rows];
        let mut squares = vec![vec![0.0; columns]; rows];
        let parameters = Parameters::new(request.b, rows, request.rho)?;
        let (schedule, feedback) = match request.schedule {
            StepSchedule::General => (Schedule::General, FeedbackKind::Bandit),
            StepSchedule::Concentrated => (Schedule::Concentrated, FeedbackKind::Bandit),
            StepSchedule::Experiment | StepSchedule::Adagrad { .. } => {
                (Schedule::Experiment, FeedbackKind::Bandit)
            }
            StepSchedule::Full => (Schedule::General, FeedbackKind::Full),
        };
        let mut steps = Vec::with_capacity(request.rounds.len());
        for (t, round) in (1u64..).zip(&request.rounds) {
            let rates = schedule.rates(parameters, t)?;
            let estimate = self.estimate(&EstimateRequest {
                active: round.active,
                w: w.clone(),
                x: round.x.clone(),
                label: round.label,
                played: round.played,
                gamma: if feedback == FeedbackKind::Full { 0.0 } else { rates.gamma },
                costs: round.costs.clone(),
                feedback,
            })?;
            for (row, g_row) in estimate.projected_gradient.iter().enumerate() {
                for (column, g) in g_row.iter().enumerate() {
                    let step = match request.schedule {
                        StepSchedule::Adagrad { rate, epsilon } => {
                            let square = &mut squares[row][column];
                            *square += g * g;
                            rate / (f64::sqrt(*square) + epsilon)
                        }
                        _ => rates.eta,
                    };
                    w[row][column] -= step * g;
                }
            }
            w = self.project_ball(&w, request.b);
            let Estimate { y_star, q, .. } = estimate;
            steps.push(TrajectoryStep { y_star, q, w_norm: frobenius(&w) });
        }
        Ok(Trajectory { rounds: steps, w_final: w })
    }

    fn min_gap(&self, _: &GapRequest) -> Result<GapReport, EvalError> {
        Err(EvalError::new("kind", "min_gap needs the gap solver, which this backend lacks"))
    }
}

/// How much each active target weighs in the loss the learner builds (Sec. 6.1).
fn target_weights(request: &EstimateRequest, q: &[f64]) -> Result<Vec<f64>, EvalError> {
    let EstimateRequest { active, label, played, costs, .. } = request;
    let space = active.space();
    let mut weights = vec![0.0; active.len()];
    if request.feedback == FeedbackKind::Full || active.label_is_identified() {
        // With two classes alone, right or wrong tells the label: nothing is estimated.
        weights[*label] = 1.0;
        for (j, weight) in active.experts().zip(&mut weights[space.classes()..]) {
            *weight = 1.0 - costs[j];
        }
        return Ok(weights);
    }
    let gain = match space.expert_of(*played) {
        Some(j) => 1.0 - costs[j],
        None => f64::from(u8::from(played.index() == *label)),
    };
    let position = active.position(*played).unwrap_or_default();
    if q[position] == 0.0 {
        let problem = format!("action {} is never played when gamma = 0", played.index());
        return Err(EvalError::new("yprime", problem));
    }
    weights[position] = gain / q[position];
    Ok(weights)
}

fn frobenius(w: &[Vec<f64>]) -> f64 {
    w.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

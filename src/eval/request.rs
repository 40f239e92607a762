//! Requests about the algorithm after they were checked, and what is answered: shapes fit, numbers are
//! finite, actions are active.

use crate::problem::{Action, ActiveSet, FeedbackKind};
use crate::theory::Scores;
use serde::Serialize;

/// One round at a given matrix.
#[derive(Clone, Debug)]
pub(super) struct EstimateRequest {
    pub(super) active: ActiveSet,
    /// `N x (d + 1)`, bias last.
    pub(super) w: Vec<Vec<f64>>,
    pub(super) x: Vec<f64>,
    pub(super) label: usize,
    /// The action that was played.
    pub(super) played: Action,
    pub(super) gamma: f64,
    /// Cost of every expert at the label.
    pub(super) costs: Vec<f64>,
    pub(super) feedback: FeedbackKind,
}

/// Answer to [`EstimateRequest`]; `u` and `q` follow the active actions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct EstimateAnswer {
    pub(super) u: Vec<f64>,
    pub(super) y_star: usize,
    pub(super) q: Vec<f64>,
    pub(super) value: f64,
    #[serde(rename = "G")]
    pub(super) gradient: Vec<Vec<f64>>,
    #[serde(rename = "Gproj")]
    pub(super) projected_gradient: Vec<Vec<f64>>,
}

/// Rates and update rule of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StepSchedule {
    /// Thm. 6.3.
    General,
    /// Thm. 6.5.
    Concentrated,
    /// App. G with OGD.
    Experiment,
    /// App. G with diagonal AdaGrad.
    Adagrad { rate: f64, epsilon: f64 },
    /// Full feedback: `gamma = 0`, `eta` of Thm. 6.3.
    Full,
}

/// A run from `W = 0`.
#[derive(Clone, Debug)]
pub(super) struct TrajectoryRequest {
    pub(super) schedule: StepSchedule,
    /// Dimension of `x`, without the bias.
    pub(super) d: usize,
    pub(super) n: usize,
    pub(super) n_e: usize,
    pub(super) b: f64,
    pub(super) rho: f64,
    pub(super) rounds: Vec<TrajectoryRound>,
}

/// One round of a run.
#[derive(Clone, Debug)]
pub(super) struct TrajectoryRound {
    pub(super) active: ActiveSet,
    pub(super) x: Vec<f64>,
    pub(super) label: usize,
    pub(super) played: Action,
    /// Cost of every expert at the label.
    pub(super) costs: Vec<f64>,
}

/// Answer to [`TrajectoryRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Trajectory {
    pub(super) rounds: Vec<TrajectoryStep>,
    #[serde(rename = "W_final")]
    pub(super) w_final: Vec<Vec<f64>>,
}

/// What the learner did in a round; the norm is that of the matrix after the update.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct TrajectoryStep {
    pub(super) y_star: usize,
    pub(super) q: Vec<f64>,
    #[serde(rename = "W_norm")]
    pub(super) w_norm: f64,
}

/// A weighted stream of `(x, A, s)`.
#[derive(Clone, Debug)]
pub(super) struct GapRequest {
    /// `None`: no ball.
    pub(super) b: Option<f64>,
    pub(super) rows: Vec<GapRow>,
}

/// One distinct `(x, A)` with its weight.
#[derive(Clone, Debug)]
pub(super) struct GapRow {
    pub(super) weight: f64,
    pub(super) x: Vec<f64>,
    pub(super) scores: Scores,
}

/// Answer to [`GapRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct GapReport {
    pub(super) gap_per_round: f64,
    pub(super) best_value: f64,
    pub(super) pointwise: f64,
    #[serde(rename = "W_star_actions")]
    pub(super) w_star_actions: Vec<usize>,
    #[serde(rename = "W_star_true_regret")]
    pub(super) w_star_true_regret: f64,
}

//! What `eval` asks of whoever implements the algorithm and the gap program.

use super::EvalError;
use crate::problem::{Action, ActiveSet, FeedbackKind};
use crate::theory::Scores;
use serde::Serialize;

/// The learner's side of `eval`. All inputs are checked before they get here: shapes fit, numbers
/// are finite, actions are active.
pub trait Backend {
    /// `Pi_{K_A} W` (Prop. 6.1).
    fn project_active(&self, active: ActiveSet, w: &[Vec<f64>]) -> Vec<Vec<f64>>;

    /// Projection on the Frobenius ball.
    fn project_ball(&self, w: &[Vec<f64>], radius: f64) -> Vec<Vec<f64>>;

    /// One estimated surrogate and its gradients (Sec. 6.1).
    fn estimate(&self, request: &EstimateRequest) -> Result<Estimate, EvalError>;

    /// Algorithm 1 from `W = 0` on given rounds and given actions.
    fn trajectory(&self, request: &TrajectoryRequest) -> Result<Trajectory, EvalError>;

    /// Minimizability gap of the projected class on a weighted stream.
    fn min_gap(&self, request: &GapRequest) -> Result<GapReport, EvalError>;
}

/// One round at a given matrix.
#[derive(Clone, Debug)]
pub struct EstimateRequest {
    pub active: ActiveSet,
    /// `N x (d + 1)`, bias last.
    pub w: Vec<Vec<f64>>,
    pub x: Vec<f64>,
    pub label: usize,
    /// The action that was played.
    pub played: Action,
    pub gamma: f64,
    /// Cost of every expert at the label.
    pub costs: Vec<f64>,
    pub feedback: FeedbackKind,
}

/// Answer to [`EstimateRequest`]; `u` and `q` follow the active actions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub u: Vec<f64>,
    pub y_star: usize,
    pub q: Vec<f64>,
    pub value: f64,
    #[serde(rename = "G")]
    pub gradient: Vec<Vec<f64>>,
    #[serde(rename = "Gproj")]
    pub projected_gradient: Vec<Vec<f64>>,
}

/// Rates and update rule of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSchedule {
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
pub struct TrajectoryRequest {
    pub schedule: StepSchedule,
    /// Dimension of `x`, without the bias.
    pub d: usize,
    pub n: usize,
    pub n_e: usize,
    pub b: f64,
    pub rho: f64,
    pub rounds: Vec<TrajectoryRound>,
}

/// One round of a run.
#[derive(Clone, Debug)]
pub struct TrajectoryRound {
    pub active: ActiveSet,
    pub x: Vec<f64>,
    pub label: usize,
    pub played: Action,
    /// Cost of every expert at the label.
    pub costs: Vec<f64>,
}

/// Answer to [`TrajectoryRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trajectory {
    pub rounds: Vec<TrajectoryStep>,
    #[serde(rename = "W_final")]
    pub w_final: Vec<Vec<f64>>,
}

/// What the learner did in a round; the norm is that of the matrix after the update.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrajectoryStep {
    pub y_star: usize,
    pub q: Vec<f64>,
    #[serde(rename = "W_norm")]
    pub w_norm: f64,
}

/// A weighted stream of `(x, A, s)`.
#[derive(Clone, Debug)]
pub struct GapRequest {
    /// `None`: no ball.
    pub b: Option<f64>,
    pub rows: Vec<GapRow>,
}

/// One distinct `(x, A)` with its weight.
#[derive(Clone, Debug)]
pub struct GapRow {
    pub weight: f64,
    pub x: Vec<f64>,
    pub scores: Scores,
}

/// Answer to [`GapRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapReport {
    pub gap_per_round: f64,
    pub best_value: f64,
    pub pointwise: f64,
    #[serde(rename = "W_star_actions")]
    pub w_star_actions: Vec<usize>,
    #[serde(rename = "W_star_true_regret")]
    pub w_star_true_regret: f64,
}

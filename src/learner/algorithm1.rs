//! Algorithm 1: projected gradient steps on an estimated surrogate, `O(N nnz)` a round.

use super::weights::{SavedWeights, ScaledWeights, restore_columns, save_columns};
use super::{Config, Decision, LearnerError, Optimizer, Policy, Rates, estimator, exploration};
use crate::kernels::{self, Columns, Cpu};
use crate::problem::{
    Action, ActionSpace, ActiveSet, Features, Feedback, FeedbackKind, ProblemError, SparseRow,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The paper's online learner.
///
/// # Formula
/// ```text
/// u     = scores of Pi_{K_A} W_t on (x_t, 1), zero-sum over the active actions
/// q_t   = (1 - gamma_t) e_{argmax u} + gamma_t / K 1
/// W_t+1 = Pi_{H_B}( W_t - eta_t Pi_{K_A} G_t ),   G_t a subgradient of the estimated loss
/// ```
///
/// With serde it is saved and restored to the bit, also between a decision and its outcome.
///
/// ```
/// use deferlab::learner::{Algorithm1, Config, Policy};
/// use deferlab::problem::{ActionSpace, Features, Feedback};
///
/// let space = ActionSpace::new(2, 1)?; // two classes, one expert
/// let mut learner = Algorithm1::new(Config::new(space, 1))?;
/// let decision = learner.decide(Features::Dense(&[0.5]), space.active([0])?)?;
/// assert_eq!(decision.q, [2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0]);
/// let action = decision.sample(0.9); // the caller owns the randomness
/// assert_eq!(space.expert_of(action), Some(0));
/// learner.observe(Feedback::Bandit { action, correct: true, cost: Some(0.1) })?;
/// assert_eq!(learner.round(), 2);
/// # Ok::<(), deferlab::learner::LearnerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Algorithm1 {
    config: Config,
    rates: Rates,
    cpu: Cpu,
    t: u64,
    weights: ScaledWeights,
    /// Squared gradients summed so far, for AdaGrad.
    accumulator: Option<Columns>,
    pending: Pending,
}

/// The round between decide and observe, in buffers that are allocated once.
#[derive(Clone, Debug)]
struct Pending {
    open: bool,
    active: ActiveSet,
    sparse: bool,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// `|(x, 1)|^2`
    x_norm2: f64,
    eta: f64,
    /// Scores of all lanes, in units of `V`.
    lanes: Vec<f64>,
    /// Aligned with the active actions: projected scores, distribution, target weights, gradient.
    u: Vec<f64>,
    q: Vec<f64>,
    targets: Vec<f64>,
    g: Vec<f64>,
    /// The gradient coefficients or the step, in lanes.
    step: Vec<f64>,
}

impl Pending {
    fn new(space: ActionSpace, lanes: usize) -> Self {
        let per_action = || vec![0.0; space.len()];
        Pending {
            open: false,
            active: space.classes_only(),
            sparse: false,
            indices: Vec::new(),
            values: Vec::new(),
            x_norm2: 1.0,
            eta: 0.0,
            lanes: vec![0.0; lanes],
            u: per_action(),
            q: per_action(),
            targets: per_action(),
            g: per_action(),
            step: vec![0.0; lanes],
        }
    }

    #[inline]
    fn keep(&mut self, x: Features<'_>) {
        self.values.clear();
        self.values.extend_from_slice(x.values());
        self.sparse = false;
        if let Features::Sparse(row) = x {
            self.sparse = true;
            self.indices.clear();
            self.indices.extend_from_slice(row.indices());
        }
    }

    fn features(&self, dim: usize) -> Features<'_> {
        stored_features(self.sparse, dim, &self.indices, &self.values)
    }
}

#[inline]
fn stored_features<'a>(
    sparse: bool,
    dim: usize,
    indices: &'a [u32],
    values: &'a [f64],
) -> Features<'a> {
    if sparse {
        Features::Sparse(SparseRow::trusted(dim, indices, values))
    } else {
        Features::Dense(values)
    }
}

impl Algorithm1 {
    /// A learner at `W = 0`, `t = 1`.
    ///
    /// # Errors
    /// Names the setting that is out of range; see [`Config::check`].
    pub fn new(config: Config) -> Result<Self, LearnerError> {
        let rates = config.check()?;
        let weights = ScaledWeights::zeros(config.space.len(), config.dim);
        let accumulator = matches!(config.optimizer, Optimizer::Adagrad { .. })
            .then(|| Columns::zeros(config.space.len(), config.dim + 1));
        let pending = Pending::new(config.space, weights.lanes());
        Ok(Algorithm1 { config, rates, cpu: Cpu::detect(), t: 1, weights, accumulator, pending })
    }

    /// The same learner on another instruction set. The bits do not change.
    pub fn on(mut self, cpu: Cpu) -> Self {
        self.cpu = cpu;
        self
    }

    /// What it was set up with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// `t`: the round that the next observation completes.
    pub fn round(&self) -> u64 {
        self.t
    }

    /// `W_t`, one row per action, bias last.
    pub fn weights(&self) -> Vec<Vec<f64>> {
        self.weights.rows()
    }

    /// `W_t` at one action and column; column `d` is the bias.
    pub fn weight(&self, action: Action, column: usize) -> f64 {
        self.weights.entry(action.index(), column)
    }

    /// `|W_t|_F`.
    pub fn norm(&self) -> f64 {
        self.weights.norm(self.cpu)
    }

    /// `(eta_t, gamma_t)` of the coming round: AdaGrad's base rate replaces `eta_t`, full feedback
    /// needs no exploration.
    fn rates_now(&self) -> (f64, f64) {
        let (eta, gamma) = self.rates.at(self.t);
        let eta = match self.config.optimizer {
            Optimizer::Ogd => eta,
            Optimizer::Adagrad { rate, .. } => rate,
        };
        match self.config.feedback {
            FeedbackKind::Bandit => (eta, gamma),
            FeedbackKind::Full => (eta, 0.0),
        }
    }

    /// Everything that can be wrong with a question, before anything is touched. Returns `|x~|^2`.
    #[inline]
    fn check_question(&self, x: Features<'_>, active: ActiveSet) -> Result<f64, LearnerError> {
        let (t, space) = (self.t, self.config.space);
        let other = active.space();
        if other != space {
            let (got_n, got_e) = (other.classes(), other.experts());
            let (n, n_e) = (space.classes(), space.experts());
            return Err(LearnerError::OtherSpace { t, got_n, got_e, n, n_e });
        }
        if x.dim() != self.config.dim {
            let (got, expected) = (x.dim(), self.config.dim);
            let source = ProblemError::DimensionMismatch { got, expected };
            return Err(LearnerError::Round { t, source });
        }
        let x_norm2 = kernels::sum_of_squares(self.cpu, x.values()) + 1.0;
        // |score| <= |V| |x~|, so a finite product means finite scores.
        if !(x_norm2 * self.weights.unscaled_norm2()).is_finite() {
            x.check_finite().map_err(|source| LearnerError::Round { t, source })?;
            return Err(LearnerError::Overflow { t });
        }
        Ok(x_norm2)
    }
}

impl Policy for Algorithm1 {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn feedback(&self) -> FeedbackKind {
        self.config.feedback
    }

    fn decide(&mut self, x: Features<'_>, active: ActiveSet) -> Result<Decision<'_>, LearnerError> {
        let x_norm2 = self.check_question(x, active)?;
        let (eta, gamma) = self.rates_now();
        let bandit = self.config.feedback == FeedbackKind::Bandit;
        if bandit && !(gamma > 0.0 || active.label_is_identified()) {
            return Err(LearnerError::NoExploration { t: self.t, gamma });
        }

        let p = &mut self.pending;
        p.keep(x);
        self.weights.unscaled_scores(self.cpu, x, &mut p.lanes);
        let scale = self.weights.scale();
        let k = active.len();
        for (u, action) in p.u.iter_mut().zip(active) {
            *u = scale * p.lanes[action.index()];
        }
        super::zero_sum::center(&mut p.u[..k]);
        let greedy = exploration::greedy_position(&p.u[..k]);
        exploration::mix(greedy, gamma, &mut p.q[..k]);
        (p.open, p.active, p.x_norm2, p.eta) = (true, active, x_norm2, eta);

        let greedy = active.nth(greedy).expect("a position among the active actions");
        Ok(Decision { active, scores: &p.u[..k], q: &p.q[..k], greedy, gamma })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let (t, surrogate) = (self.t, self.config.surrogate);
        let p = &mut self.pending;
        if !p.open {
            return Err(LearnerError::NothingDecided { t });
        }
        if feedback.kind() != self.config.feedback {
            let (expected, got) = (self.config.feedback, feedback.kind());
            return Err(LearnerError::WrongFeedback { t, expected, got });
        }
        let k = p.active.len();
        let (u, g) = (&p.u[..k], &mut p.g[..k]);
        estimator::target_weights(p.active, &p.q[..k], feedback, t, &mut p.targets[..k])?;
        estimator::gradient(surrogate, &p.targets[..k], u, g);

        // A zero estimate has a zero gradient, and W already lies in the ball.
        if g.iter().any(|&c| c != 0.0) {
            estimator::project_gradient(surrogate, g);
            let x = stored_features(p.sparse, self.config.dim, &p.indices, &p.values);
            p.step.fill(0.0);
            match (self.config.optimizer, &mut self.accumulator) {
                (Optimizer::Adagrad { rate, epsilon }, Some(accumulator)) => {
                    let g_norm2: f64 = g.iter().map(|c| c * c).sum();
                    if !(g_norm2 * p.x_norm2).is_finite() {
                        return Err(LearnerError::Overflow { t });
                    }
                    for (&c, action) in g.iter().zip(p.active) {
                        p.step[action.index()] = c;
                    }
                    let hyper = (rate, epsilon);
                    self.weights.adagrad_step(self.cpu, accumulator, x, &p.step, hyper);
                }
                _ => {
                    for (&c, action) in g.iter().zip(p.active) {
                        p.step[action.index()] = -p.eta * c;
                    }
                    self.weights
                        .add_rank_one(self.cpu, x, p.x_norm2, &p.lanes, &mut p.step)
                        .ok_or(LearnerError::Overflow { t })?;
                }
            }
            if let Some(radius) = self.config.radius {
                self.weights.project_ball(radius);
            }
            self.weights.refresh_if_due(self.cpu);
        }
        p.open = false;
        self.t += 1;
        Ok(())
    }
}

/// A learner written down. The question that may be open is asked again on restoring, which
/// gives the same decision because everything it depends on is restored to the bit.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    format: u32,
    config: Config,
    t: u64,
    weights: SavedWeights,
    accumulator: Option<Vec<Vec<f64>>>,
    question: Option<Question>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    indices: Option<Vec<u32>>,
    values: Vec<f64>,
    available: Vec<usize>,
}

const FORMAT: u32 = 1;

impl Algorithm1 {
    fn save(&self) -> Saved {
        let question = self.pending.open.then(|| {
            let indices = match self.pending.features(self.config.dim) {
                Features::Sparse(row) => Some(row.indices().to_vec()),
                Features::Dense(_) => None,
            };
            let available = self.pending.active.experts().collect();
            Question { indices, values: self.pending.values.clone(), available }
        });
        Saved {
            format: FORMAT,
            config: self.config.clone(),
            t: self.t,
            weights: self.weights.save(),
            accumulator: self.accumulator.as_ref().map(save_columns),
            question,
        }
    }

    fn restore(saved: Saved) -> Result<Self, LearnerError> {
        let bad = |what: String| LearnerError::BadState(what);
        if saved.format != FORMAT {
            return Err(bad(format!("format {}, this version reads {FORMAT}", saved.format)));
        }
        if saved.t == 0 {
            return Err(bad("t = 0, rounds count from 1".into()));
        }
        let mut learner = Algorithm1::new(saved.config)?;
        let (actions, dim) = (learner.config.space.len(), learner.config.dim);
        learner.t = saved.t;
        learner.weights = ScaledWeights::restore(saved.weights, actions, dim)?;
        learner.accumulator = match (&learner.accumulator, saved.accumulator) {
            (None, None) => None,
            (Some(_), Some(columns)) => {
                Some(restore_columns("accumulator", &columns, actions, dim + 1)?)
            }
            _ => return Err(bad("accumulator does not fit the optimizer".into())),
        };
        if let Some(question) = saved.question {
            let active = learner.config.space.active(question.available)?;
            let x = match &question.indices {
                Some(indices) => SparseRow::new(dim, indices, &question.values)?.into(),
                None => Features::Dense(&question.values),
            };
            learner.decide(x, active)?;
        }
        Ok(learner)
    }
}

impl Serialize for Algorithm1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.save().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Algorithm1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Algorithm1::restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

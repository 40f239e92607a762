//! Algorithm 1: projected gradient steps on an estimated surrogate, `O(N nnz)` a round.

use super::schedule::RatesInOrder;
use super::scored::{Question, Scored, check_question};
use super::weights::{SavedWeights, ScaledWeights, restore_columns, save_columns};
use super::{Config, Decision, LearnerError, Optimizer, Policy, estimator};
use crate::active::ActiveExt;
use crate::estimator::Estimate;
use crate::kernels::{self, Chosen, Columns, Cpu, Gradient, Motion};
use crate::surrogate::Surrogate;
use problem::{ActionSpace, ActiveRef, ActiveSet, Features, Feedback, FeedbackKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

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
/// use deferlab_learner::{Algorithm1, Config, Policy};
/// use deferlab_learner::problem::{ActionSpace, Features, Feedback};
///
/// let space = ActionSpace::new(2, 1)?; // two classes, one expert
/// let mut learner = Algorithm1::new(Config::new(space, 1))?;
/// let decision = learner.decide(Features::Dense(&[0.5]), space.active([0])?)?;
/// assert_eq!(decision.q, [2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0]);
/// let action = decision.sample(0.9); // the caller owns the randomness
/// assert_eq!(space.expert_of(action), Some(0));
/// learner.observe(Feedback::Bandit { action, correct: true, cost: Some(0.1) })?;
/// # Ok::<(), deferlab_learner::LearnerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Algorithm1 {
    config: Config,
    rates: RatesInOrder,
    /// `(eta_t, gamma_t)` of round `t`, worked out while the step of the round before is written.
    rates_now: (f64, f64),
    cpu: Cpu,
    t: u64,
    weights: ScaledWeights,
    /// Squared gradients summed so far, for AdaGrad.
    accumulator: Option<Columns>,
    pending: Pending,
    /// The pending input, and where the next one is looked at before it replaces that.
    inputs: [Scored; 2],
    /// Their active actions. They are written here before the scores are worked out, and read after: a
    /// processor that reads what it has just written piece by piece has to wait.
    actives: [ActiveSet; 2],
    /// Gradient coefficients or step, in lanes.
    step: Vec<f64>,
    /// Whether `step`, taken at the input of `pending`, is announced and not yet in the weights:
    /// the next decision reads every entry anyway, and carries it out on the way.
    announced: bool,
}

/// The round between decide and observe. The arrays are as long as the lanes, and aligned with the
/// active actions.
#[derive(Clone, Debug)]
struct Pending {
    open: bool,
    /// The place of its input and of its active actions, 0 or 1.
    x: usize,
    /// Projected scores and the mixture. Whoever was the best one in a round often is in the next, and
    /// is tried first.
    chosen: Chosen,
    /// Weights of the loss over target actions, under full feedback.
    targets: Vec<f64>,
    /// Coefficients of its gradient.
    g: Vec<f64>,
}

impl Pending {
    fn new(lanes: usize) -> Self {
        let aligned = || vec![0.0; lanes];
        let (chosen, targets, g) = (Chosen::new(lanes), aligned(), aligned());
        Pending { open: false, x: 0, chosen, targets, g }
    }
}

impl Algorithm1 {
    /// A learner at `W = 0`, `t = 1`.
    ///
    /// # Errors
    /// Names the setting that is out of range. The paper's algorithm needs classes of its own, the paper's
    /// feedback and a small space.
    pub fn new(config: Config) -> Result<Self, LearnerError> {
        let rates = config.rates()?;
        let nobody = config.space.active([])?;
        let weights = ScaledWeights::zeros(config.space.len(), config.dim);
        let accumulator = matches!(config.optimizer, Optimizer::Adagrad { .. })
            .then(|| Columns::zeros(config.space.len(), config.dim + 1));
        let step = vec![0.0; weights.lanes()];
        let input = Scored::new(step.len());
        let mut learner = Algorithm1 {
            rates: RatesInOrder::new(rates),
            rates_now: (0.0, 0.0),
            cpu: Cpu::detect(),
            t: 1,
            weights,
            accumulator,
            pending: Pending::new(step.len()),
            inputs: [input.clone(), input],
            actives: [nobody; 2],
            step,
            announced: false,
            config,
        };
        learner.enter_round(1);
        Ok(learner)
    }

    /// The same learner on the instructions that every machine has. The bits do not change.
    #[must_use]
    pub fn portable(mut self) -> Self {
        self.cpu = Cpu::portable();
        self
    }

    /// `t`: the round that the next observation completes.
    #[cfg(test)]
    pub(crate) fn round(&self) -> u64 {
        self.t
    }

    /// `W_t`, one row per action, bias last.
    #[must_use]
    pub fn weights(&self) -> Vec<Vec<f64>> {
        self.settled().rows()
    }

    /// `|W_t|_F`.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.settled().norm(self.cpu)
    }

    fn input(&self) -> &Scored {
        &self.inputs[self.pending.x]
    }

    /// The weights with the announced step carried out.
    fn settled(&self) -> Cow<'_, ScaledWeights> {
        if !self.announced {
            return Cow::Borrowed(&self.weights);
        }
        let mut weights = self.weights.clone();
        weights.apply(self.cpu, (self.input().features(self.config.dim), &self.step));
        Cow::Owned(weights)
    }

    /// Takes the step in `step`, or announces it, and projects on the ball. `of_c` is what the norm needs.
    #[inline(always)]
    fn take_step(&mut self, of_c: Motion) -> Result<(), LearnerError> {
        let input = &self.inputs[self.pending.x];
        let x = input.features(self.config.dim);
        let (weights, step) = (&mut self.weights, &self.step);
        let finite = match (self.config.optimizer, &mut self.accumulator) {
            (Optimizer::Adagrad { rate, epsilon }, Some(accumulator)) => {
                let finite = (of_c.norm2 * input.x_norm2).is_finite();
                if finite {
                    weights.adagrad_step(self.cpu, accumulator, x, step, (rate, epsilon));
                }
                finite
            }
            _ => {
                self.announced = weights.announce_rank_one(x, input.x_norm2, of_c);
                self.announced
            }
        };
        if !finite {
            return Err(LearnerError::Overflow { t: self.t });
        }
        if let Some(radius) = self.config.radius {
            weights.project_ball(radius);
        }
        let due = weights.is_due();
        // The next sparse input has other columns: nothing is gained by waiting.
        if self.announced && (due || matches!(x, Features::Sparse(_))) {
            weights.apply(self.cpu, (x, step));
            self.announced = false;
        }
        if due {
            weights.refresh(self.cpu);
        }
        Ok(())
    }

    /// Moves on to round `t`. AdaGrad's base rate replaces `eta_t`, full feedback needs no
    /// exploration.
    #[inline]
    fn enter_round(&mut self, t: u64) {
        let (eta, gamma) = self.rates.at(t);
        let eta = match self.config.optimizer {
            Optimizer::Ogd => eta,
            Optimizer::Adagrad { rate, .. } => rate,
        };
        let gamma = match self.config.feedback {
            FeedbackKind::Full => 0.0,
            _ => gamma,
        };
        (self.t, self.rates_now) = (t, (eta, gamma));
    }
}

impl Policy for Algorithm1 {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn feedback(&self) -> FeedbackKind {
        self.config.feedback
    }

    // Always: where the learner's type is known, its answer need not go through memory.
    #[inline(always)]
    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let (t, (_, gamma)) = (self.t, self.rates_now);
        check_question(t, self.config.space, self.config.dim, x, active)?;
        let active = active.small()?;
        let bandit = self.config.feedback == FeedbackKind::Bandit;
        if bandit && !(gamma > 0.0 || active.label_is_identified()) {
            return Err(LearnerError::NoExploration { t, gamma });
        }
        let p = &mut self.pending;
        self.actives[1 - p.x] = active;
        let [first, second] = &mut self.inputs;
        let (before, next) = if p.x == 0 { (first, second) } else { (second, first) };
        let (weights, step) = (&mut self.weights, &self.step);
        let announced = std::mem::take(&mut self.announced);
        let announced = announced.then(|| (before.dense(), &step[..]));
        let choice = (&self.actives[1 - p.x], gamma, &mut p.chosen);
        let squares = weights.choose(self.cpu, announced, x, next, choice);
        // AdaGrad's step will want its sums of the same columns.
        if let (Some(accumulator), Features::Sparse(row)) = (&self.accumulator, x) {
            accumulator.fetch(row.indices);
        }
        next.complete(t, x, squares)?;
        (p.open, p.x) = (true, 1 - p.x);
        let Chosen { greedy, ref u, ref q, .. } = p.chosen;
        let greedy = self.config.space.action(greedy).expect("a lane of an action");
        let k = active.len();
        Ok(Decision { active, scores: &u[..k], q: &q[..k], greedy, gamma })
    }

    #[inline(always)]
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
        let (input, active) = (&self.inputs[p.x], &self.actives[p.x]);
        let k = active.len();
        let (u, q) = (&p.chosen.u[..k], &p.chosen.q[..k]);
        let (targets, g) = (&mut p.targets[..k], &mut p.g[..k]);
        let short = match feedback {
            Feedback::Bandit { action, correct, cost } => {
                estimator::of_a_bit(active, q, action, (correct, cost))
            }
            _ => None,
        };
        let estimate = match short {
            Some((target, weight)) => Estimate::One { target, weight },
            None => estimator::estimate(active, q, feedback, t, targets)?,
        };
        let step = &mut self.step;
        let gradient = match (estimate, feedback) {
            (Estimate::One { weight, target }, Feedback::Bandit { action, .. })
                if surrogate == Surrogate::CstndHinge =>
            {
                // Where a wrong answer names the other class, positions are actions.
                let target = if active.label_is_identified() { target } else { action.index() };
                Some(Gradient::Hinge { centred: &p.chosen.centred, target, weight })
            }
            _ => {
                estimate.gradient(surrogate, u, g);
                g.iter().any(|&c| c != 0.0).then(|| {
                    estimator::project_gradient(surrogate, g);
                    active.scatter(1.0, g, step);
                    Gradient::There
                })
            }
        };
        // AdaGrad's own kernel wants the gradient as it is.
        let factors = match self.config.optimizer {
            Optimizer::Ogd => (self.rates_now.0, 1.0 / self.weights.scale()),
            Optimizer::Adagrad { .. } => (-1.0, 1.0),
        };
        let of_c = gradient.map_or(Motion::NONE, |gradient| {
            kernels::step(self.cpu, gradient, active, factors, &input.lanes, step)
        });
        // A zero estimate has a zero gradient, and W already lies in the ball.
        if of_c != Motion::NONE {
            self.take_step(of_c)?;
        }
        self.pending.open = false;
        self.enter_round(t + 1);
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

const FORMAT: u32 = 1;

impl Algorithm1 {
    fn save(&self) -> Saved {
        let question =
            self.pending.open.then(|| Question::new(self.input(), self.actives[self.pending.x]));
        Saved {
            format: FORMAT,
            config: self.config.clone(),
            t: self.t,
            weights: self.settled().save(),
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
        learner.enter_round(saved.t);
        learner.weights = ScaledWeights::restore(saved.weights, actions, dim)?;
        learner.accumulator = match (&learner.accumulator, saved.accumulator) {
            (None, None) => None,
            (Some(_), Some(columns)) => {
                Some(restore_columns("accumulator", &columns, actions, dim + 1)?)
            }
            _ => return Err(bad("accumulator does not fit the optimizer".into())),
        };
        if let Some(question) = saved.question {
            let (space, dim) = (learner.config.space, learner.config.dim);
            question.ask(space, dim, |x, active| learner.decide(x, active).map(|_| ()))?;
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

//! Learners that estimate the score of every action and play the active one with the best estimate.
//!
//! The scores `s_a(x)` do not depend on who else is available, so a learner that estimates them
//! never has to unlearn when an expert comes or goes. What the estimates look like and what an
//! observation says about them is a [`ScoreModel`]; the rest of a round is the same for all:
//!
//! ```text
//! decide    z = W x~,  estimates of all N scores,  exploration over the active ones
//! observe   gradient of the model's loss in z,  AdaGrad step on W at rate / |x~|
//! ```
//!
//! AdaGrad moves every entry by up to its rate whatever the features' scale, so that inputs with
//! many or large entries move `z` the most. Dividing by the norm of the input lets one rate serve
//! unit vectors and raw counts alike.
//!
//! Estimates are not weighted by `1/q`: an action that is played rarely is learned about slowly,
//! but no single observation can throw the weights about.

use super::calibration::{self, Calibration};
use super::config::check_size;
use super::scored::{Question, Scored, check_question};
use super::weights::{restore_columns, save_columns};
use super::{Decision, LearnerError, Policy, estimator, exploration};
use crate::active::ActiveExt;
use crate::kernels::{self, Columns, Cpu};
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback, FeedbackKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How much is played besides the action that looks best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Exploration {
    /// Foster and Rakhlin's SquareCB: an action whose estimate is `D` behind the best one is
    /// played with probability `1 / (K + greed sqrt(t) D)`.
    InverseGap {
        /// How fast exploration is given up.
        greed: f64,
    },
    /// The share `min(1/2, gamma0 t^-power)` is played uniformly over the active actions.
    Uniform {
        /// Share at `t = 1`, before the cap.
        gamma0: f64,
        /// How fast it falls; 0 keeps it constant.
        power: f64,
    },
}

impl Exploration {
    pub(super) fn check(self) -> Result<(), LearnerError> {
        let (field, value, fine) = match self {
            Exploration::InverseGap { greed } => ("exploration.greed", greed, greed > 0.0),
            Exploration::Uniform { gamma0, power } if gamma0 > 0.0 && gamma0.is_finite() => {
                ("exploration.power", power, power >= 0.0)
            }
            Exploration::Uniform { gamma0, .. } => ("exploration.gamma0", gamma0, false),
        };
        if fine && value.is_finite() {
            return Ok(());
        }
        Err(LearnerError::Config { field, value, expected: "a finite number above 0" })
    }

    /// Fills `q` and returns the share that does not go to `best`, or is uniform.
    pub(super) fn fill(self, t: u64, scores: &[f64], best: usize, q: &mut [f64]) -> f64 {
        match self {
            Exploration::InverseGap { greed } => {
                exploration::inverse_gap(scores, best, greed * (t as f64).sqrt(), q);
                1.0 - q[best]
            }
            Exploration::Uniform { gamma0, power } => {
                let gamma = (gamma0 * libm::pow(t as f64, -power)).min(0.5);
                exploration::mix(best, gamma, q);
                gamma
            }
        }
    }
}

/// What a [`Router`] needs to know of its estimates. Implemented by their configurations.
pub(crate) trait ScoreModel: Clone + std::fmt::Debug + Serialize + DeserializeOwned {
    /// Classes and experts.
    fn space(&self) -> ActionSpace;
    /// `d`, without the bias.
    fn dim(&self) -> usize;
    /// AdaGrad's base rate for an input of norm one.
    fn rate(&self) -> f64;
    /// How much is played besides the action that looks best.
    fn exploration(&self) -> Exploration;
    /// Estimates of all `N` scores from the linear functions `z = W x~` (at least `N` of them).
    fn estimate(&self, z: &[f64], estimates: &mut [f64]);
    /// Whether the estimates of classes are corrected by what playing them has shown.
    fn calibrates(&self) -> bool {
        false
    }
    /// Gradient in `z` of the loss of one observation; `g` comes in zero.
    fn gradient(&self, z: &[f64], estimates: &[f64], seen: Seen, g: &mut [f64]);
}

/// What a bandit round shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    /// The action that was played.
    pub action: usize,
    /// Whether its answer was right.
    pub correct: bool,
    /// Its cost, if it was an expert.
    pub cost: Option<f64>,
}

impl Seen {
    /// What the action earned: `1{y' = y}` for a class, `1 - c_j` for an expert.
    pub(crate) fn reward(self) -> f64 {
        self.cost.map_or(f64::from(self.correct), |cost| 1.0 - cost)
    }
}

/// Added to the root of AdaGrad's accumulator, as everywhere.
pub(super) const EPSILON: f64 = 1e-10;

/// Estimates scores and explores; see [`super::BeliefRouter`] and [`super::SquareCb`].
#[derive(Clone, Debug)]
pub struct Router<M> {
    model: M,
    cpu: Cpu,
    /// The round that the next observation completes.
    pub(super) t: u64,
    weights: Columns,
    squares: Columns,
    calibration: Calibration,
    open: bool,
    active: ActiveBuffer,
    x: Scored,
    incoming: Scored,
    /// Estimated scores of all `N` actions, as the model has them and as they are played.
    estimates: Vec<f64>,
    values: Vec<f64>,
    /// Logits of the estimates of the classes, where these are corrected.
    logits: Vec<f64>,
    /// The same for the active ones, and the distribution over them.
    scores: Vec<f64>,
    q: Vec<f64>,
    step: Vec<f64>,
}

/// A learner with zero weights.
///
/// # Errors
/// Names the setting that is out of range.
pub(crate) fn start<M: ScoreModel>(model: M) -> Result<Router<M>, LearnerError> {
    let (field, value) = ("rate", model.rate());
    if !(value > 0.0 && value.is_finite()) {
        let expected = "a finite number above 0";
        return Err(LearnerError::Config { field, value, expected });
    }
    model.exploration().check()?;
    check_size(model.space(), model.dim(), 2)?;
    let (space, actions) = (model.space(), model.space().len());
    let weights = Columns::zeros(actions, model.dim() + 1);
    let lanes = weights.lanes();
    Ok(Router {
        cpu: Cpu::detect(),
        t: 1,
        squares: weights.clone(),
        weights,
        calibration: Calibration::new(),
        open: false,
        active: ActiveBuffer::new(space),
        x: Scored::new(lanes),
        incoming: Scored::new(lanes),
        estimates: vec![0.0; actions],
        values: vec![0.0; actions],
        logits: vec![0.0; space.classes()],
        scores: vec![0.0; actions],
        q: vec![0.0; actions],
        step: vec![0.0; lanes],
        model,
    })
}

impl<M: ScoreModel> Policy for Router<M> {
    fn space(&self) -> ActionSpace {
        self.model.space()
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let t = self.t;
        check_question(t, self.model.space(), self.model.dim(), x, active)?;
        let weights = &self.weights;
        kernels::scores(self.cpu, weights, x, &mut self.incoming.lanes);
        let copy = &mut self.incoming.values;
        let squares = kernels::copy_and_square(self.cpu, x.values(), copy);
        self.incoming.complete(t, x, squares)?;
        std::mem::swap(&mut self.x, &mut self.incoming);
        self.open = true;
        self.active.copy(active);
        self.model.estimate(&self.x.lanes, &mut self.estimates);
        self.values.copy_from_slice(&self.estimates);
        if self.model.calibrates() {
            let classes = self.model.space().classes();
            for (value, logit) in self.values[..classes].iter_mut().zip(&mut self.logits) {
                *logit = calibration::logit(*value);
                *value = self.calibration.value(*logit);
            }
        }
        let active = self.active.get();
        let k = active.len();
        let (scores, q) = (&mut self.scores[..k], &mut self.q[..k]);
        active.gather(1.0, &self.values, scores);
        let best = exploration::greedy_position(scores);
        let gamma = self.model.exploration().fill(t, scores, best, q);
        let greedy = active.nth(best).expect("a position among the active actions");
        Ok(Decision { active, scores, q, greedy, gamma })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.t;
        if !self.open {
            return Err(LearnerError::NothingDecided { t });
        }
        let Feedback::Bandit { action, correct, cost } = feedback else {
            let (expected, got) = (FeedbackKind::Bandit, feedback.kind());
            return Err(LearnerError::WrongFeedback { t, expected, got });
        };
        // The estimate itself is not used, its checks of the feedback are.
        let active = self.active.get();
        estimator::estimate(&active, &self.q[..active.len()], feedback, t, &mut [])?;

        self.step.fill(0.0);
        let seen = Seen { action: action.index(), correct, cost };
        self.model.gradient(&self.x.lanes, &self.estimates, seen, &mut self.step);
        let x = self.x.features(self.model.dim());
        let hyper = (self.model.rate() / self.x.x_norm2.sqrt(), EPSILON, 1.0);
        kernels::adagrad_step(self.cpu, &mut self.weights, &mut self.squares, x, &self.step, hyper);
        if cost.is_none() && self.model.calibrates() {
            let (logit, value) = (self.logits[seen.action], self.values[seen.action]);
            self.calibration.learn(logit, value, correct, self.model.rate());
        }
        self.open = false;
        self.t += 1;
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<M> {
    config: M,
    t: u64,
    weights: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
    calibration: Calibration,
    question: Option<Question>,
}

impl<M: ScoreModel> Serialize for Router<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = Saved {
            config: self.model.clone(),
            t: self.t,
            weights: save_columns(&self.weights),
            squares: save_columns(&self.squares),
            calibration: self.calibration,
            question: self.open.then(|| Question::new(&self.x, self.active.get())),
        };
        saved.serialize(serializer)
    }
}

impl<'de, M: ScoreModel> Deserialize<'de> for Router<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore<M: ScoreModel>(saved: Saved<M>) -> Result<Router<M>, LearnerError> {
    if saved.t == 0 {
        return Err(LearnerError::BadState("t = 0, rounds count from 1".into()));
    }
    let mut router = start(saved.config)?;
    let (space, dim) = (router.model.space(), router.model.dim());
    router.t = saved.t;
    router.weights = restore_columns("weights", &saved.weights, space.len(), dim + 1)?;
    router.squares = restore_columns("squares", &saved.squares, space.len(), dim + 1)?;
    router.calibration = saved.calibration.check()?;
    if let Some(question) = saved.question {
        question.ask(space, dim, |x, active| router.decide(x, active).map(|_| ()))?;
    }
    Ok(router)
}

/// The logistic function, without overflow.
pub(super) fn logistic(z: f64) -> f64 {
    let e = libm::exp(-z.abs());
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up_rounds::{Scenario, Source};
    use crate::{BeliefConfig, BeliefRouter, SquareCbConfig};

    #[test]
    fn exploration_out_of_range_is_refused() {
        let refused = |e: Exploration| e.check().unwrap_err().to_string();
        assert!(refused(Exploration::InverseGap { greed: 0.0 }).contains("greed = 0"));
        assert!(refused(Exploration::Uniform { gamma0: 0.0, power: 0.5 }).contains("gamma0 = 0"));
        assert!(
            refused(Exploration::Uniform { gamma0: 1.0, power: -0.5 }).contains("power = -0.5")
        );
        assert!(Exploration::Uniform { gamma0: 1.0, power: 0.0 }.check().is_ok());
    }

    /// Estimates 0.25 apart at `t = 9` with greed 2: the worse of two is played with probability
    /// `1 / (2 + 2 sqrt(9) 0.25) = 2/7`.
    #[test]
    fn inverse_gaps_by_hand() {
        let mut q = [0.0; 2];
        let share = Exploration::InverseGap { greed: 2.0 }.fill(9, &[0.5, 0.75], 1, &mut q);
        assert!((q[0] - 2.0 / 7.0).abs() < 1e-15 && (share - q[0]).abs() < 1e-15);
    }

    /// `2 t^(-1/2)` is capped at 1/2 until `t = 16` and is 0.2 at `t = 100`.
    #[test]
    fn uniform_exploration_by_hand() {
        let rule = Exploration::Uniform { gamma0: 2.0, power: 0.5 };
        let mut q = [0.0; 4];
        assert_eq!(rule.fill(9, &[0.0; 4], 2, &mut q), 0.5);
        assert!((rule.fill(100, &[0.0; 4], 2, &mut q) - 0.2).abs() < 1e-15);
        assert!((q[0] - 0.05).abs() < 1e-15 && (q[2] - 0.85).abs() < 1e-15);
    }

    /// An expert's answer moves that expert's weights, and says nothing about how far to believe
    /// the classes.
    #[test]
    fn experts_do_not_calibrate_the_classes() {
        let space = ActionSpace::new(2, 1).unwrap();
        let mut router = BeliefRouter::new(BeliefConfig::new(space, 1)).unwrap();
        router.decide(Features::Dense(&[0.5]), space.all_active()).unwrap();
        let action = space.expert(0).unwrap();
        router.observe(Feedback::Bandit { action, correct: true, cost: Some(0.0) }).unwrap();
        assert_eq!(router.calibration, Calibration::new());
        // AdaGrad's first step is the rate over |(0.5, 1)|, in every entry of the expert's row.
        let step = 0.6 / 1.25f64.sqrt();
        for (column, action) in [(0, 2), (1, 2)] {
            assert!((router.weights.column(column)[action] - step).abs() < 1e-9);
        }
        assert_eq!((router.weights.column(0)[0], router.weights.column(1)[1]), (0.0, 0.0));
        assert_eq!(router.t, 2);
    }

    /// Plays `rounds` rounds of a scenario; the decisions, to the bit.
    fn advance<M: ScoreModel>(
        router: &mut Router<M>,
        source: &mut Source,
        rounds: usize,
    ) -> Vec<u64> {
        let mut seen = Vec::new();
        for t in 0..rounds {
            let round = source.next_round();
            let x = if t % 2 == 0 { round.sparse() } else { round.dense() };
            let decision = router.decide(x, round.active).unwrap();
            seen.extend(decision.q.iter().chain(decision.scores).map(|v| v.to_bits()));
            let action = decision.sample(round.quantile);
            router.observe(round.bandit(action)).unwrap();
        }
        seen
    }

    /// `model` makes the model of a space and a dimension.
    fn restores_and_repeats<M: ScoreModel>(model: fn(ActionSpace, usize) -> M) {
        let scenario = Scenario::new(5, 3, 12, 31);
        let begin = || start(model(scenario.space, scenario.dim)).unwrap();
        let (mut router, mut portable) = (begin(), Router { cpu: Cpu::portable(), ..begin() });
        let mut source = scenario.start();
        let first = advance(&mut router, &mut source, 400);
        assert_eq!(advance(&mut portable, &mut scenario.start(), 400), first);
        let round = source.next_round();
        router.decide(round.sparse(), round.active).unwrap();
        let saved = serde_json::to_string(&router).unwrap();
        let mut restored: Router<M> = serde_json::from_str(&saved).unwrap();
        let action = scenario.space.class(1).unwrap();
        router.observe(round.bandit(action)).unwrap();
        restored.observe(round.bandit(action)).unwrap();
        let mut again = scenario.start();
        (0..401).for_each(|_| drop(again.next_round()));
        assert_eq!(advance(&mut restored, &mut again, 100), advance(&mut router, &mut source, 100));
    }

    #[test]
    fn routers_restore_to_the_bit_and_run_the_same_on_every_path() {
        restores_and_repeats(BeliefConfig::new);
        restores_and_repeats(SquareCbConfig::new);
    }
}

//! A learner for varying experts that estimates what each action is worth.
//!
//! Algorithm 1 fits one zero-sum score vector per active set, and the vector its loss asks for
//! changes with the set. This learner fits the scores `s_a(x)` themselves, which do not: a soft-max
//! belief over the labels for the classes, and a logistic estimate of `1 - E[c_j | x]` for each
//! expert. Whatever set is active, its best action is the active one with the largest estimate.
//!
//! The bit it is told says more about the classes than whether the played one was right: a right
//! answer names the label, and a wrong one rules a label out. Both are likelihoods of the same
//! belief, so every class learns from every class round, without importance weights:
//!
//! ```text
//! class a right    -log p_a            gradient  p_b - 1{b = a}
//! class a wrong    -log(1 - p_a)       gradient  p_a at a,  -p_a p_b / (1 - p_a) elsewhere
//! expert j         cross-entropy of 1 - c_j,  gradient  s_{n+j} - (1 - c_j)
//! ```
//!
//! The price: the estimates are linear in the features before the link, and where the true scores are
//! not (a label that is a coin flip exactly when two features interact, say) the belief is confident
//! when it should not be. Algorithm 1 only ranks actions and can do better there, at its own price.
//!
//! Steps are AdaGrad's. Exploration is inverse-gap weighting over the active actions (Foster and
//! Rakhlin's SquareCB): an action is played the less, the further its estimate is behind.

use super::scored::{Question, Scored, check_question};
use super::weights::{restore_columns, save_columns};
use super::{Decision, LearnerError, Policy, estimator, exploration};
use crate::kernels::{self, Columns, Cpu};
use crate::problem::{ActionSpace, ActiveSet, Features, Feedback, FeedbackKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Configuration of [`BeliefRouter`]. One set of defaults is meant for all streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeliefConfig {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// AdaGrad's base rate.
    pub rate: f64,
    /// Greed `g` of the exploration: a gap `D` is played with probability
    /// `1 / (K + g sqrt(t) D)`.
    pub greed: f64,
}

impl BeliefConfig {
    /// The defaults.
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        BeliefConfig { space, dim, rate: 0.5, greed: 30.0 }
    }

    fn check(&self) -> Result<(), LearnerError> {
        for (field, value) in [("rate", self.rate), ("greed", self.greed)] {
            if !(value > 0.0 && value.is_finite()) {
                let expected = "a finite number above 0";
                return Err(LearnerError::Config { field, value, expected });
            }
        }
        Ok(())
    }
}

/// Added to the root of AdaGrad's accumulator, as everywhere.
const EPSILON: f64 = 1e-10;

/// Estimates scores, explores by inverse gaps.
#[derive(Clone, Debug)]
pub struct BeliefRouter {
    config: BeliefConfig,
    cpu: Cpu,
    t: u64,
    weights: Columns,
    squares: Columns,
    open: bool,
    active: ActiveSet,
    x: Scored,
    incoming: Scored,
    /// Estimated scores of all `N` actions.
    estimates: Vec<f64>,
    /// The same for the active ones, and the distribution over them.
    scores: Vec<f64>,
    q: Vec<f64>,
    step: Vec<f64>,
}

impl BeliefRouter {
    /// A learner that believes nothing yet: every class equally likely, every expert worth 1/2.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: BeliefConfig) -> Result<Self, LearnerError> {
        config.check()?;
        let (space, actions) = (config.space, config.space.len());
        let weights = Columns::zeros(actions, config.dim + 1);
        let lanes = weights.lanes();
        Ok(BeliefRouter {
            cpu: Cpu::detect(),
            t: 1,
            squares: weights.clone(),
            weights,
            open: false,
            active: space.classes_only(),
            x: Scored::new(lanes),
            incoming: Scored::new(lanes),
            estimates: vec![0.0; actions],
            scores: vec![0.0; actions],
            q: vec![0.0; actions],
            step: vec![0.0; lanes],
            config,
        })
    }

    /// The same learner on another instruction set. The bits do not change.
    pub fn on(mut self, cpu: Cpu) -> Self {
        self.cpu = cpu;
        self
    }

    /// What it was set up with.
    pub fn config(&self) -> &BeliefConfig {
        &self.config
    }

    /// `t`: the round that the next observation completes.
    pub fn round(&self) -> u64 {
        self.t
    }
}

/// Soft-max of the class lanes, logistic function of the expert lanes.
fn estimate(space: ActionSpace, lanes: &[f64], estimates: &mut [f64]) {
    let (classes, experts) = estimates.split_at_mut(space.classes());
    softmax(lanes, classes);
    for (estimate, &z) in experts.iter_mut().zip(&lanes[classes.len()..]) {
        // Both branches keep the exponent negative: no overflow.
        let e = libm::exp(-z.abs());
        *estimate = if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    }
}

fn softmax(z: &[f64], p: &mut [f64]) {
    let top = z[..p.len()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for (p, &z) in p.iter_mut().zip(z) {
        *p = libm::exp(z - top);
        total += *p;
    }
    p.iter_mut().for_each(|p| *p /= total);
}

/// Inverse-gap weighting: `q_a = 1 / (K + greed (best - score_a))`, the rest to the best.
fn inverse_gap(scores: &[f64], best: usize, greed: f64, q: &mut [f64]) {
    let k = scores.len() as f64;
    let mut others = 0.0;
    for (a, (q, &score)) in q.iter_mut().zip(scores).enumerate() {
        *q = if a == best { 0.0 } else { 1.0 / (k + greed * (scores[best] - score)) };
        others += *q;
    }
    q[best] = 1.0 - others;
}

/// Gradient in the class lanes of what a class round tells about the label.
fn class_gradient(played: usize, correct: bool, z: &[f64], p: &[f64], g: &mut [f64]) {
    if correct {
        g.copy_from_slice(p);
        g[played] -= 1.0;
        return;
    }
    // p_b / (1 - p_a) is the soft-max over the other classes, without cancellation.
    softmax_without(played, z, g);
    let ruled_out = p[played];
    g.iter_mut().for_each(|g| *g *= -ruled_out);
    g[played] = ruled_out;
}

fn softmax_without(left_out: usize, z: &[f64], p: &mut [f64]) {
    let others = || (0..p.len()).filter(|&b| b != left_out);
    let top = others().map(|b| z[b]).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = others().map(|b| libm::exp(z[b] - top)).sum();
    for (b, p) in p.iter_mut().enumerate() {
        *p = if b == left_out { 0.0 } else { libm::exp(z[b] - top) / total };
    }
}

impl Policy for BeliefRouter {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn decide(&mut self, x: Features<'_>, active: ActiveSet) -> Result<Decision<'_>, LearnerError> {
        let (t, space) = (self.t, self.config.space);
        check_question(t, space, self.config.dim, x, active)?;
        self.incoming.take(t, self.cpu, x, &self.weights)?;
        std::mem::swap(&mut self.x, &mut self.incoming);
        (self.open, self.active) = (true, active);
        estimate(space, &self.x.lanes, &mut self.estimates);
        let k = active.len();
        let (scores, q) = (&mut self.scores[..k], &mut self.q[..k]);
        active.gather(1.0, &self.estimates, scores);
        let best = exploration::greedy_position(scores);
        let greed = self.config.greed * (t as f64).sqrt();
        inverse_gap(scores, best, greed, q);
        let greedy = active.nth(best).expect("a position among the active actions");
        Ok(Decision { active, scores, q, greedy, gamma: 1.0 - q[best] })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.t;
        if !self.open {
            return Err(LearnerError::NothingDecided { t });
        }
        let Feedback::Bandit { action, correct, cost } = feedback else {
            let (expected, got) = (FeedbackKind::Bandit, FeedbackKind::Full);
            return Err(LearnerError::WrongFeedback { t, expected, got });
        };
        let k = self.active.len();
        estimator::estimate(self.active, &self.q[..k], feedback, t, &mut [])?;

        self.step.fill(0.0);
        let (n, a) = (self.config.space.classes(), action.index());
        match cost {
            None => {
                let (p, g) = (&self.estimates[..n], &mut self.step[..n]);
                class_gradient(a, correct, &self.x.lanes, p, g);
            }
            Some(cost) => self.step[a] = self.estimates[a] - (1.0 - cost),
        }
        let x = self.x.features(self.config.dim);
        let hyper = (self.config.rate, EPSILON, 1.0);
        kernels::adagrad_step(self.cpu, &mut self.weights, &mut self.squares, x, &self.step, hyper);
        self.open = false;
        self.t += 1;
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    config: BeliefConfig,
    t: u64,
    weights: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
    question: Option<Question>,
}

impl Serialize for BeliefRouter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = Saved {
            config: self.config.clone(),
            t: self.t,
            weights: save_columns(&self.weights),
            squares: save_columns(&self.squares),
            question: self.open.then(|| Question::new(&self.x, self.active)),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BeliefRouter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore(saved: Saved) -> Result<BeliefRouter, LearnerError> {
    if saved.t == 0 {
        return Err(LearnerError::BadState("t = 0, rounds count from 1".into()));
    }
    let mut router = BeliefRouter::new(saved.config)?;
    let (space, dim) = (router.config.space, router.config.dim);
    router.t = saved.t;
    router.weights = restore_columns("weights", &saved.weights, space.len(), dim + 1)?;
    router.squares = restore_columns("squares", &saved.squares, space.len(), dim + 1)?;
    if let Some(question) = saved.question {
        question.ask(space, dim, |x, active| router.decide(x, active).map(|_| ()))?;
    }
    Ok(router)
}

#[cfg(test)]
mod tests {
    use super::*;

    const Z: [f64; 4] = [0.3, -1.2, 0.9, 0.1];

    /// Central differences of the two likelihoods.
    #[test]
    fn class_gradients_match_finite_differences() {
        let loss = |z: &[f64], played: usize, correct: bool| {
            let mut p = [0.0; 4];
            softmax(z, &mut p);
            -(if correct { p[played] } else { 1.0 - p[played] }).ln()
        };
        for played in 0..4 {
            for correct in [true, false] {
                let (mut p, mut g) = ([0.0; 4], [0.0; 4]);
                softmax(&Z, &mut p);
                class_gradient(played, correct, &Z, &p, &mut g);
                for b in 0..4 {
                    let shifted = |by: f64| {
                        let mut z = Z;
                        z[b] += by;
                        loss(&z, played, correct)
                    };
                    let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                    assert!(
                        (slope - g[b]).abs() < 1e-8,
                        "{played} {correct} {b}: {slope} {}",
                        g[b]
                    );
                }
            }
        }
    }

    #[test]
    fn certainty_does_not_break_the_gradient() {
        let z = [800.0, -800.0, 0.0];
        let (mut p, mut g) = ([0.0; 3], [0.0; 3]);
        softmax(&z, &mut p);
        class_gradient(0, false, &z, &p, &mut g);
        assert_eq!(g, [1.0, 0.0, -1.0]);
        class_gradient(1, false, &z, &p, &mut g);
        assert_eq!(g, [0.0, 0.0, 0.0]);
    }

    #[test]
    fn inverse_gaps_by_hand() {
        let mut q = [0.0; 3];
        inverse_gap(&[0.5, 0.75, 0.25], 1, 8.0, &mut q);
        assert_eq!(q, [1.0 / 5.0, 1.0 - (1.0 / 5.0 + 1.0 / 7.0), 1.0 / 7.0]);
        // Equal estimates are played equally.
        inverse_gap(&[0.5; 3], 0, 8.0, &mut q);
        assert!(q.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn experts_are_worth_a_half_before_anything_is_known() {
        let space = ActionSpace::new(2, 1).unwrap();
        let mut router = BeliefRouter::new(BeliefConfig::new(space, 1)).unwrap();
        let decision = router.decide(Features::Dense(&[0.3]), space.all_active()).unwrap();
        assert_eq!(decision.scores, [0.5, 0.5, 0.5]);
    }
}

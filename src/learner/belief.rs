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
//! not, the belief is confident when it should not be. So it is not taken at its word: two numbers
//! learned on the side (`calibration`) turn a class's probability into what such probabilities have
//! turned out to be worth.
//!
//! Steps are AdaGrad's. Exploration is inverse-gap weighting over the active actions (Foster and
//! Rakhlin's SquareCB): an action is played the less, the further its estimate is behind.

use super::exp::{exp_all, logistic_all};
use super::router::{self, Exploration, Router, ScoreModel, Seen};
use crate::LearnerError;
use problem::ActionSpace;
use serde::{Deserialize, Serialize};

/// Configuration of [`BeliefRouter`]. One set of defaults is meant for all streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeliefConfig {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// AdaGrad's base rate for an input of norm one, bias included.
    pub rate: f64,
    /// Whether a wrong class counts for what it rules out, or is passed over as Algorithm 1 does.
    pub wrong_answers: bool,
    /// Whether the belief is corrected by how often it turned out right.
    pub calibrate: bool,
    /// How much is played besides the action that looks best.
    pub exploration: Exploration,
}

impl BeliefConfig {
    /// The defaults.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        let exploration = Exploration::InverseGap { greed: 30.0 };
        BeliefConfig { space, dim, rate: 0.6, wrong_answers: true, calibrate: true, exploration }
    }
}

/// Estimates scores, explores by inverse gaps. It starts believing nothing: every class equally
/// likely, every expert worth 1/2.
pub type BeliefRouter = Router<BeliefConfig>;

impl BeliefRouter {
    /// A learner with zero weights.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: BeliefConfig) -> Result<Self, LearnerError> {
        router::start(config)
    }
}

impl ScoreModel for BeliefConfig {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn exploration(&self) -> Exploration {
        self.exploration
    }

    fn calibrates(&self) -> bool {
        self.calibrate
    }

    /// Soft-max of the class lanes, logistic function of the expert lanes.
    fn estimate(&self, z: &[f64], estimates: &mut [f64]) {
        let (classes, experts) = estimates.split_at_mut(self.space.classes());
        softmax(z, classes);
        let of_experts = &z[classes.len()..][..experts.len()];
        experts.copy_from_slice(of_experts);
        logistic_all(experts);
    }

    fn gradient(&self, z: &[f64], estimates: &[f64], seen: Seen, g: &mut [f64]) {
        let (n, a) = (self.space.classes(), seen.action);
        match seen.cost {
            None if seen.correct || self.wrong_answers => {
                class_gradient(a, seen.correct, z, &estimates[..n], &mut g[..n]);
            }
            None => {}
            Some(cost) => g[a] = estimates[a] - (1.0 - cost),
        }
    }
}

pub(super) fn softmax(z: &[f64], p: &mut [f64]) {
    let top = z[..p.len()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    p.iter_mut().zip(z).for_each(|(p, z)| *p = z - top);
    exp_all(p);
    p.iter().for_each(|p| total += p);
    p.iter_mut().for_each(|p| *p /= total);
}

/// Gradient in the class lanes of what a class round tells about the label.
pub(super) fn class_gradient(played: usize, correct: bool, z: &[f64], p: &[f64], g: &mut [f64]) {
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
    let mut total = 0.0;
    p.iter_mut().zip(z).for_each(|(p, z)| *p = z - top);
    p[left_out] = f64::NEG_INFINITY;
    exp_all(p);
    p.iter().for_each(|p| total += p);
    p.iter_mut().for_each(|p| *p /= total);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use problem::{Features, Feedback};

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
    fn experts_are_worth_a_half_before_anything_is_known() {
        let space = ActionSpace::new(2, 1).unwrap();
        let mut router = BeliefRouter::new(BeliefConfig::new(space, 1)).unwrap();
        let decision = router.decide(Features::Dense(&[0.3]), space.all_active()).unwrap();
        assert_eq!(decision.scores, [0.5, 0.5, 0.5]);
    }

    /// Plays class 0 for some rounds in which it is `correct`, then asks what the classes are worth.
    fn class_scores_after(rounds: u64, correct: bool, config: BeliefConfig) -> Vec<f64> {
        let space = config.space;
        let mut router = BeliefRouter::new(config).unwrap();
        let x = Features::Dense(&[0.3]);
        for t in 1..=rounds {
            assert_eq!(router.t, t);
            router.decide(x, space.all_active()).unwrap();
            let action = space.class(0).unwrap();
            router.observe(Feedback::Bandit { action, correct, cost: None }).unwrap();
        }
        router.decide(x, space.all_active()).unwrap().scores[..space.classes()].to_vec()
    }

    fn config(wrong_answers: bool, calibrate: bool) -> BeliefConfig {
        let space = ActionSpace::new(3, 1).unwrap();
        BeliefConfig { wrong_answers, calibrate, ..BeliefConfig::new(space, 1) }
    }

    #[test]
    fn only_a_corrected_belief_stops_adding_up_to_one() {
        let total = |calibrate| -> f64 {
            class_scores_after(5, true, config(true, calibrate)).iter().sum()
        };
        assert!((total(false) - 1.0).abs() < 1e-12);
        assert!((total(true) - 1.0).abs() > 1e-3);
    }

    #[test]
    fn a_wrong_answer_counts_only_where_it_should() {
        let third = 1.0 / 3.0;
        let passed_over = class_scores_after(1, false, config(false, false));
        assert!(passed_over.iter().all(|s| (s - third).abs() < 1e-12));
        let ruled_out = class_scores_after(1, false, config(true, false));
        assert!(ruled_out[0] < third - 0.1 && ruled_out[1] > third);
    }
}

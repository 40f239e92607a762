//! SquareCB (Foster and Rakhlin 2020) for actions that come and go: regression of every action's
//! score, exploration by inverse gaps over the active ones.
//!
//! Each action has a regression of its own, which learns in the rounds that play it:
//!
//! ```text
//! logistic   s_a(x) = 1 / (1 + exp(-z_a)),         loss: cross-entropy of the reward
//! squared    s_a(x) = 1/2 + z_a, cut to [0, 1],    loss: (1/2 + z_a - reward)^2 / 2
//! ```
//!
//! with `z = W x~` and the reward `1{y' = y}` of a class or `1 - c_j` of an expert. Nothing is said
//! about the other actions; [`super::BeliefRouter`] ties the classes together.

use super::exp::logistic_all;
use super::router::{self, Exploration, Router, ScoreModel, Seen};
use crate::LearnerError;
use problem::ActionSpace;
use serde::{Deserialize, Serialize};

/// How rewards are regressed on features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regression {
    /// Logistic link, cross-entropy.
    Logistic,
    /// Linear, squared error.
    Squared,
}

/// Configuration of [`SquareCb`]. One set of defaults is meant for all streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SquareCbConfig {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// The regression.
    pub regression: Regression,
    /// AdaGrad's base rate for an input of norm one, bias included.
    pub rate: f64,
    /// How much is played besides the action that looks best.
    pub exploration: Exploration,
}

impl SquareCbConfig {
    /// The defaults.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        let exploration = Exploration::InverseGap { greed: 30.0 };
        SquareCbConfig { space, dim, regression: Regression::Logistic, rate: 0.6, exploration }
    }
}

/// One regression per action, inverse-gap exploration.
pub type SquareCb = Router<SquareCbConfig>;

impl SquareCb {
    /// A learner with zero weights.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: SquareCbConfig) -> Result<Self, LearnerError> {
        router::start(config)
    }
}

impl ScoreModel for SquareCbConfig {
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

    fn estimate(&self, z: &[f64], estimates: &mut [f64]) {
        let z = &z[..estimates.len()];
        match self.regression {
            Regression::Logistic => {
                estimates.copy_from_slice(z);
                logistic_all(estimates);
            }
            Regression::Squared => {
                estimates.iter_mut().zip(z).for_each(|(e, z)| *e = (0.5 + z).clamp(0.0, 1.0));
            }
        }
    }

    fn gradient(&self, z: &[f64], estimates: &[f64], seen: Seen, g: &mut [f64]) {
        let a = seen.action;
        // The squared error is of the line itself: a cut line has no slope to learn from.
        let predicted = match self.regression {
            Regression::Logistic => estimates[a],
            Regression::Squared => 0.5 + z[a],
        };
        g[a] = predicted - seen.reward();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x = 0`, so that only the biases move, by AdaGrad with rate 0.6. A right answer of class 1: the
    /// gradient is 1/2 - 1, the first step of AdaGrad is the whole rate, the estimate
    /// `1 / (1 + exp(-0.6))`. Then 0.1 of all play is uniform over three actions.
    #[test]
    fn epsilon_greedy_by_hand() {
        use crate::Policy;
        use problem::{Features, Feedback};
        let space = ActionSpace::new(2, 1).unwrap();
        let exploration = Exploration::Uniform { gamma0: 0.1, power: 0.0 };
        let config = SquareCbConfig { exploration, ..SquareCbConfig::new(space, 1) };
        let mut policy = SquareCb::new(config).unwrap();
        let (x, all) = (Features::Dense(&[0.0]), space.all_active());
        policy.decide(x, all).unwrap();
        let action = space.class(1).unwrap();
        policy.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
        let decision = policy.decide(x, all).unwrap();
        let after = 1.0 / (1.0 + (-0.6f64).exp());
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        decision.scores.iter().zip([0.5, after, 0.5]).for_each(|(a, b)| close(*a, b));
        let share = 0.1 / 3.0;
        decision.q.iter().zip([share, 0.9 + share, share]).for_each(|(a, b)| close(*a, b));
    }

    #[test]
    fn gradients_match_finite_differences() {
        let space = ActionSpace::new(2, 1).unwrap();
        for regression in [Regression::Logistic, Regression::Squared] {
            let model = SquareCbConfig { regression, ..SquareCbConfig::new(space, 1) };
            let loss = |z: f64, reward: f64| match regression {
                Regression::Logistic => {
                    let p = 1.0 / (1.0 + (-z).exp());
                    -reward * p.ln() - (1.0 - reward) * (1.0 - p).ln()
                }
                Regression::Squared => 0.5 * (0.5 + z - reward).powi(2),
            };
            for (action, correct, cost) in [(0, true, None), (1, false, None), (2, true, Some(0.3))]
            {
                let z = [0.4, -0.9, 1.7];
                let seen = Seen { action, correct, cost };
                let (mut estimates, mut g) = ([0.0; 3], [0.0; 3]);
                model.estimate(&z, &mut estimates);
                model.gradient(&z, &estimates, seen, &mut g);
                let at = |by: f64| loss(z[action] + by, seen.reward());
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((slope - g[action]).abs() < 1e-8, "{regression:?} {action}");
                let others = (0..3).filter(|&b| b != action);
                assert!(others.clone().count() == 2 && others.into_iter().all(|b| g[b] == 0.0));
            }
        }
    }
}

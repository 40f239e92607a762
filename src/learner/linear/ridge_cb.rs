//! Ridge forecasts and inverse-gap weights: regret of order `sqrt(T)` for any availability, if scores
//! are linear.
//!
//! Every action has a forecaster of Vovk, Azoury and Warmuth: the input at hand is part of the matrix
//! while it is forecast, and stays in it only if the action is played.
//!
//! ```text
//! g_a = cut to [0, 1] of  m + b_a^T (A_a + x~ x~^T)^-1 x~      m = 0, or 1/2 when rewards are centred
//!     = cut of            m + <w_a, x~> / (1 + x~^T A_a^-1 x~)
//! q_a = 1 / (K + gamma_t (g_b - g_a))   for a != b, a largest g;   q_b = the rest
//! ```
//!
//! Let rewards (correctness of a class, `1 - cost` of an expert) lie in `[0, 1]` with
//! `E[reward of a | past, x, A] = <w_a, x~>`, `|w_a| <= W`, whoever is available. Then for any
//! inputs and active sets, chosen from the past as an adversary likes, the expected regret against the
//! best active action of every round is at most
//!
//! ```text
//! gamma_t = c sqrt(t)      4 (K - 1) sqrt(T) / c + c sqrt(T) Reg / 4
//! known horizon            sqrt(2 (K - 1) T Reg)            gamma = sqrt(8 (K - 1) T / Reg)
//! Reg = N (lambda W^2 + Y d~ ln(1 + rho^2 T / (N d~ lambda)))
//! ```
//! with `Y = 1`; when centred `Y = 1/4`, and `W + 1/2` stands for `W`: the bias moves by `1/2`.
//!
//! No gap, no concentration and nothing about availability is assumed (ledger: `igw-lemma`,
//! `ridge-regret`, `ridge-cb-regret`; numbers: `theory::bounds`).

use super::input::Input;
use super::{Linear, LinearConfig, Rule, positive};
use crate::{Decision, LearnerError, Policy, exploration};
use problem::{ActionSpace, ActiveRef, Features, Feedback};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How greedy the weights are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Gamma {
    /// `gamma_t = c sqrt(t)`.
    Growing {
        /// How fast exploration is given up.
        c: f64,
    },
    /// One `gamma = sqrt(8 (N - 1) T / Reg)` for a horizon that is known.
    Horizon {
        /// `T`.
        rounds: u64,
        /// `W`: the true score of every action is `<w_a, x~>` with `|w_a| <= W`.
        weights: f64,
        /// The bound on `|x~|`.
        rho: f64,
    },
}

/// Configuration of [`RidgeCb`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeCbConfig {
    /// The linear models.
    pub linear: LinearConfig,
    /// Whether `reward - 1/2` is forecast: the targets are half as large, the logarithmic part of
    /// the bound a quarter.
    pub centred: bool,
    /// How greedy the weights are.
    pub gamma: Gamma,
}

impl RidgeCbConfig {
    /// `lambda = 1`, rewards centred, `gamma_t = sqrt(t)`.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        let linear = LinearConfig::new(space, dim);
        RidgeCbConfig { linear, centred: true, gamma: Gamma::Growing { c: 1.0 } }
    }

    /// The factor of the gaps in round `t`.
    fn gamma_at(&self, t: u64) -> f64 {
        match self.gamma {
            Gamma::Growing { c } => c * (t as f64).sqrt(),
            Gamma::Horizon { rounds, weights, rho } => {
                let (n, d) = (self.linear.space.len() as f64, self.linear.size() as f64);
                let (rounds, lambda) = (rounds as f64, self.linear.lambda);
                let (target, weights) =
                    if self.centred { (0.25, weights + 0.5) } else { (1.0, weights) };
                let log = libm::log1p(rho * rho * rounds / (n * d * lambda));
                let reg = n * (lambda * weights * weights + target * d * log);
                (8.0 * (n - 1.0) * rounds / reg).sqrt()
            }
        }
    }

    fn check(&self) -> Result<(), LearnerError> {
        match self.gamma {
            Gamma::Growing { c } => positive("gamma.c", c),
            Gamma::Horizon { rounds, weights, rho } => {
                positive("gamma.rounds", rounds as f64)?;
                positive("gamma.weights", weights)?;
                positive("gamma.rho", rho)
            }
        }
    }
}

/// One ridge forecaster per action, inverse-gap weights.
#[derive(Clone, Debug)]
pub struct RidgeCb(pub(super) Linear<Forecasts>);

/// The rule of [`RidgeCb`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecasts(RidgeCbConfig);

impl Forecasts {
    fn middle(self) -> f64 {
        if self.0.centred { 0.5 } else { 0.0 }
    }
}

impl Rule for Forecasts {
    fn score(&mut self, mean: f64, width: f64) -> f64 {
        (self.middle() + mean / (1.0 + width)).clamp(0.0, 1.0)
    }

    fn fill(&mut self, t: u64, scores: &[f64], best: usize, q: &mut [f64]) -> f64 {
        exploration::inverse_gap(scores, best, self.0.gamma_at(t), q);
        1.0 - q[best]
    }

    fn target(&self, reward: f64) -> f64 {
        reward - self.middle()
    }
}

impl RidgeCb {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: RidgeCbConfig) -> Result<Self, LearnerError> {
        config.check()?;
        Linear::with_rule(config.linear, Forecasts(config)).map(RidgeCb)
    }
}

impl Policy for RidgeCb {
    fn space(&self) -> ActionSpace {
        self.0.space()
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.0.decide(x, active)
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.0.observe(feedback)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    config: RidgeCbConfig,
    t: u64,
    inverses: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
    /// `x~` and the available experts of an open question.
    question: Option<(Vec<f64>, Vec<usize>)>,
}

impl Serialize for RidgeCb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = &self.0;
        let question = || (inner.x.values.clone(), inner.active.get().experts().collect());
        let saved = Saved {
            config: inner.rule.0,
            t: inner.t,
            inverses: inner.models.inverses.clone(),
            weights: inner.models.weights.clone(),
            question: inner.open.then(question),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RidgeCb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore(saved: Saved) -> Result<RidgeCb, LearnerError> {
    let mut made = RidgeCb::new(saved.config)?;
    let learner = &mut made.0;
    let size = saved.config.linear.size();
    let bad = |what: &str| Err(LearnerError::BadState(what.into()));
    if saved.t == 0 {
        return bad("t = 0, rounds count from 1");
    }
    let fits = |kept: &[Vec<f64>], length: usize| {
        kept.len() == saved.config.linear.space.len()
            && kept.iter().all(|v| v.len() == length && v.iter().all(|v| v.is_finite()))
    };
    if !fits(&saved.inverses, size * size) || !fits(&saved.weights, size) {
        return bad("one finite matrix and one finite vector per action are needed");
    }
    learner.t = saved.t;
    learner.models.inverses = saved.inverses;
    learner.models.weights = saved.weights;
    if let Some((x, available)) = saved.question {
        if x.len() != size || x.iter().any(|v| !v.is_finite()) {
            return bad(
                "the open question has an input of another length, or one that is not finite",
            );
        }
        learner.active.fill(available)?;
        learner.x = Input::new(saved.config.linear.hashed, size);
        learner.x.restore(&x);
        learner.answer()?;
        learner.open = true;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(centred: bool, gamma: Gamma) -> RidgeCbConfig {
        let space = ActionSpace::new(2, 1).unwrap();
        RidgeCbConfig { centred, gamma, ..RidgeCbConfig::new(space, 1) }
    }

    /// `x = 1`, so `x~ = (1, 1)` and `lambda = 1`. A right answer of class 1 makes
    /// `A = ((2, 1), (1, 2))`, `b = (1, 1)`: with the input at hand `((3, 2), (2, 3))`, whose inverse
    /// takes `(1, 1)` to `(1/5, 1/5)`. The forecast is 2/5, the others' 0.
    #[test]
    fn a_round_by_hand() {
        let mut learner = RidgeCb::new(config(false, Gamma::Growing { c: 1.0 })).unwrap();
        let space = learner.space();
        let (x, all) = (Features::Dense(&[1.0]), space.all_active());
        let q = learner.decide(x, all).unwrap().q.to_vec();
        assert!(q.iter().all(|q| (q - 1.0 / 3.0).abs() < 1e-15));
        let action = space.class(1).unwrap();
        learner.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
        let decision = learner.decide(x, all).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        decision.scores.iter().zip([0.0, 0.4, 0.0]).for_each(|(a, b)| close(*a, b));
        let other = 1.0 / (3.0 + 2f64.sqrt() * 0.4);
        decision.q.iter().zip([other, 1.0 - 2.0 * other, other]).for_each(|(a, b)| close(*a, b));
        assert_eq!(decision.greedy, action);
        // Without the expert: K = 2.
        let other = 1.0 / (2.0 + 2f64.sqrt() * 0.4);
        close(learner.decide(x, space.classes_only()).unwrap().q[0], other);
    }

    /// Centred, the same answer is a target of 1/2: forecasts 1/2 + 1/5 and 1/2.
    #[test]
    fn centred_by_hand() {
        let mut learner = RidgeCb::new(config(true, Gamma::Growing { c: 1.0 })).unwrap();
        let space = learner.space();
        let (x, all) = (Features::Dense(&[1.0]), space.all_active());
        learner.decide(x, all).unwrap();
        let action = space.expert(0).unwrap();
        learner.observe(Feedback::Bandit { action, correct: true, cost: Some(0.0) }).unwrap();
        let scores = learner.decide(x, all).unwrap().scores.to_vec();
        assert!((scores[2] - 0.7).abs() < 1e-15 && scores[..2] == [0.5, 0.5], "{scores:?}");
    }

    /// `N = 3`, `d~ = 2`, `T = 6`, `rho = 1`, `lambda = W = 1`: `Reg = 3 (1 + 2 ln 2)`.
    #[test]
    fn the_horizon_sets_one_gamma() {
        let gamma = Gamma::Horizon { rounds: 6, weights: 1.0, rho: 1.0 };
        let reg = 3.0 * (1.0 + 2.0 * 2f64.ln());
        let expected = (8.0 * 2.0 * 6.0 / reg).sqrt();
        for t in [1, 5] {
            assert!((config(false, gamma).gamma_at(t) - expected).abs() < 1e-14);
        }
        let quarter = (8.0 * 2.0 * 6.0 / (3.0 * (2.25 + 0.5 * 2f64.ln()))).sqrt();
        assert!((config(true, gamma).gamma_at(1) - quarter).abs() < 1e-14);
    }

    #[test]
    fn a_restored_learner_goes_on_bit_for_bit() {
        let mut learner = RidgeCb::new(config(true, Gamma::Growing { c: 2.0 })).unwrap();
        let space = learner.space();
        for t in 0..40u32 {
            let x = [f64::from(t % 7) / 7.0];
            let active = if t % 3 == 0 { space.classes_only() } else { space.all_active() };
            let action = learner.decide(Features::Dense(&x), active).unwrap().sample(0.7);
            if t == 17 {
                let text = serde_json::to_string(&learner).unwrap();
                let before = learner.decide(Features::Dense(&x), active).unwrap().q.to_vec();
                learner = serde_json::from_str(&text).unwrap();
                assert_eq!(learner.0.q[..active.len()], before);
            }
            let cost = space.expert_of(action).map(|_| 0.25);
            learner.observe(Feedback::Bandit { action, correct: t % 2 == 0, cost }).unwrap();
            let text = serde_json::to_string(&learner).unwrap();
            let again: RidgeCb = serde_json::from_str(&text).unwrap();
            assert_eq!(text, serde_json::to_string(&again).unwrap());
        }
        let text = serde_json::to_string(&learner).unwrap();
        let broken = text.replacen("\"t\":41", "\"t\":0", 1);
        assert!(serde_json::from_str::<RidgeCb>(&broken).is_err());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let refused = |c: RidgeCbConfig| RidgeCb::new(c).unwrap_err().to_string();
        let base = RidgeCbConfig::new(ActionSpace::new(2, 1).unwrap(), 3);
        let linear = |lambda, dim, hashed| RidgeCbConfig {
            linear: LinearConfig { lambda, dim, hashed, ..base.linear },
            ..base
        };
        assert!(refused(linear(0.0, 3, None)).starts_with("lambda = 0"));
        assert!(refused(linear(1.0, 3, Some(0))).starts_with("hashed = 0"));
        assert!(refused(linear(1.0, 47_236, None)).contains("hash them"));
        assert!(RidgeCb::new(linear(1.0, 47_236, Some(64))).is_ok());
        assert!(refused(config(true, Gamma::Growing { c: 0.0 })).starts_with("gamma.c = 0"));
        let gamma = Gamma::Horizon { rounds: 0, weights: 1.0, rho: 1.0 };
        assert!(refused(config(true, gamma)).starts_with("gamma.rounds = 0"));
    }
}

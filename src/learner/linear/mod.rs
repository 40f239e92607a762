//! Learners with one linear model per action: `s_a(x) = <w_a, x~>`, fitted by ridge regression in the
//! rounds that play `a`.
//!
//! ```text
//! A_a = lambda I + sum of x~ x~^T,   w_a = A_a^-1 (sum of reward x~)      over the rounds that played a
//! decide    mean_a = <w_a, x~>,  width_a = x~^T A_a^-1 x~,  then the rule of the learner
//! observe   A_a^-1 and w_a of the played action, by one rank-one update (Sherman and Morrison)
//! ```
//!
//! What differs is how mean and width become a decision, a [`Rule`]: [`super::RidgeCb`] forecasts and
//! weights by inverse gaps, [`super::baseline::LinUcb`] adds a width,
//! [`super::baseline::LinearThompson`] draws from the posterior. None of it knows who else is
//! available, so nothing has to be unlearned when an expert comes or goes.
//!
//! A round costs `O(K d~^2)` and a learner holds `N d~^2` numbers. The loops are written by hand: lanes
//! run down a column, columns follow one another, nothing is fused, so the bits are the same on every
//! x86-64 machine. faer's own product uses fused multiply-adds where a machine has them, and serves
//! only in the plain twin, which solves the normal equations anew each round (`cargo bench --bench
//! ridge` measures both).

mod input;
mod models;
mod ridge_cb;
#[cfg(test)]
mod twin;

pub use ridge_cb::{Gamma, RidgeCb, RidgeCbConfig};

use crate::scored::check_question;
use crate::{Decision, LearnerError, Policy, estimator, exploration};
use input::Input;
use models::Models;
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback, FeedbackKind};
use serde::{Deserialize, Serialize};

/// What the linear models of a learner are made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearConfig {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// The ridge parameter.
    pub lambda: f64,
    /// Throws the features into this many buckets, each with a sign: matrices grow with the square
    /// of the dimension, and sparse inputs with thousands of features need shorter ones.
    pub hashed: Option<usize>,
}

/// Numbers in all matrices together: 1 GiB.
const MOST_ENTRIES: usize = 1 << 27;

impl LinearConfig {
    /// `lambda = 1`, features as they are.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        LinearConfig { space, dim, lambda: 1.0, hashed: None }
    }

    /// `d~`: features, or buckets, and the bias.
    pub(super) fn size(&self) -> usize {
        self.hashed.unwrap_or(self.dim) + 1
    }

    fn check(&self) -> Result<(), LearnerError> {
        let refuse = |field, value, expected| Err(LearnerError::Config { field, value, expected });
        if !(self.lambda > 0.0 && self.lambda.is_finite()) {
            return refuse("lambda", self.lambda, "a finite number above 0");
        }
        if self.hashed == Some(0) {
            return refuse("hashed", 0.0, "at least one bucket");
        }
        let size = self.size();
        if size.saturating_mul(size).saturating_mul(self.space.len()) > MOST_ENTRIES {
            let expected = "N (d + 1)^2 numbers in at most 1 GiB: give fewer features, or hash them \
                            (hashed = 256)";
            return refuse("dim", (size - 1) as f64, expected);
        }
        Ok(())
    }
}

/// Refuses a setting that is not a finite number above 0.
pub(crate) fn positive(field: &'static str, value: f64) -> Result<(), LearnerError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(LearnerError::Config { field, value, expected: "a finite number above 0" }),
    }
}

/// How the means and widths of the active actions become a decision.
pub(crate) trait Rule {
    /// What an action is ranked by.
    fn score(&mut self, mean: f64, width: f64) -> f64;

    /// Fills `q`, which comes in zero, and returns the share that does not go to `best`: by default
    /// everything goes there.
    fn fill(&mut self, _t: u64, _scores: &[f64], best: usize, q: &mut [f64]) -> f64 {
        q[best] = 1.0;
        0.0
    }

    /// What the models are fitted to.
    fn target(&self, reward: f64) -> f64 {
        reward
    }
}

/// One linear model per action and a rule to act by.
#[derive(Clone, Debug)]
pub(crate) struct Linear<R> {
    config: LinearConfig,
    rule: R,
    t: u64,
    models: Models,
    open: bool,
    active: ActiveBuffer,
    x: Input,
    scores: Vec<f64>,
    q: Vec<f64>,
}

impl<R: Rule> Linear<R> {
    pub(crate) fn with_rule(config: LinearConfig, rule: R) -> Result<Self, LearnerError> {
        config.check()?;
        let (actions, size) = (config.space.len(), config.size());
        Ok(Linear {
            rule,
            t: 1,
            models: Models::new(actions, size, config.lambda),
            open: false,
            active: ActiveBuffer::new(config.space),
            x: Input::new(config.hashed, size),
            scores: vec![0.0; actions],
            q: vec![0.0; actions],
            config,
        })
    }

    /// The same learner on another instruction set. The bits do not change.
    #[cfg(test)]
    pub(crate) fn on(mut self, cpu: crate::kernels::Cpu) -> Self {
        self.models.cpu = cpu;
        self
    }

    /// Scores and `q` at the input in hand, over the active actions in hand.
    fn answer(&mut self) -> Result<f64, LearnerError> {
        let active = self.active.get();
        let (t, k) = (self.t, active.len());
        for (score, action) in self.scores[..k].iter_mut().zip(active.iter()) {
            let (mean, width) = self.models.mean_and_width(action.index(), &self.x);
            *score = self.rule.score(mean, width);
            if !(score.is_finite() && width.is_finite()) {
                return Err(LearnerError::Overflow { t });
            }
        }
        let (scores, q) = (&self.scores[..k], &mut self.q[..k]);
        q.fill(0.0);
        Ok(self.rule.fill(t, scores, exploration::greedy_position(scores), q))
    }
}

impl<R: Rule> Policy for Linear<R> {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let t = self.t;
        check_question(t, self.config.space, self.config.dim, x, active)?;
        x.check_finite().map_err(|source| LearnerError::Round { t, source })?;
        self.open = false;
        self.x.take(x);
        self.active.copy(active);
        let gamma = self.answer()?;
        self.open = true;
        let active = self.active.get();
        let (scores, q) = (&self.scores[..active.len()], &self.q[..active.len()]);
        let best = exploration::greedy_position(scores);
        let greedy = active.nth(best).expect("a position among the active actions");
        Ok(Decision { active, scores, q, greedy, gamma })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.t;
        if !self.open {
            return Err(LearnerError::NothingDecided { t });
        }
        let active = self.active.get();
        let Feedback::Bandit { action, correct, cost } = feedback else {
            let (expected, got) = (FeedbackKind::Bandit, feedback.kind());
            return Err(LearnerError::WrongFeedback { t, expected, got });
        };
        // The estimate itself is not used, its checks of the feedback are.
        estimator::estimate(&active, &self.q[..active.len()], feedback, t, &mut [])?;
        let seen = crate::router::Seen { action: action.index(), correct, cost };
        self.models.learn(seen.action, &self.x, self.rule.target(seen.reward()));
        self.open = false;
        self.t += 1;
        Ok(())
    }
}

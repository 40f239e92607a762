//! What a learner is set up with.

use super::{LearnerError, Schedule};
use crate::schedule::Rates;
use crate::surrogate::Surrogate;
use problem::{ActionSpace, FeedbackKind};
use serde::{Deserialize, Serialize};

/// How a gradient becomes a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Optimizer {
    /// One learning rate `eta_t` for all entries: Algorithm 1.
    Ogd,
    /// Diagonal AdaGrad on the projected gradient, the variant of the Reuters4 experiments; its
    /// rate replaces the schedule's `eta_t`.
    Adagrad {
        /// Base rate; the paper uses 0.1.
        rate: f64,
        /// Added to the root of the accumulator.
        epsilon: f64,
    },
}

impl Optimizer {
    /// The paper's AdaGrad: base rate 0.1.
    pub const ADAGRAD: Optimizer = Optimizer::Adagrad { rate: 0.1, epsilon: 1e-10 };
}

/// Configuration of [`super::Algorithm1`] and of its plain twin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// `B`: radius of the Frobenius ball, bias column included. `None` is no ball.
    pub radius: Option<f64>,
    /// `rho`: the bound on `|(x, 1)|` that schedules are tuned to. It is not enforced.
    pub rho: f64,
    /// The loss; must be convex.
    pub surrogate: Surrogate,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// Learning and exploration rates.
    pub schedule: Schedule,
    /// What the learner is told.
    pub feedback: FeedbackKind,
}

impl Config {
    /// Algorithm 1 as Thm 6.3 runs it: constrained hinge, OGD, `B = N`, unit-norm inputs
    /// (`rho = sqrt 2`), bandit feedback. Change fields to taste.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        Config {
            space,
            dim,
            radius: Some(space.len() as f64),
            rho: std::f64::consts::SQRT_2,
            surrogate: Surrogate::CstndHinge,
            optimizer: Optimizer::Ogd,
            schedule: Schedule::General,
            feedback: FeedbackKind::Bandit,
        }
    }

    /// Checks every field and works out the rates.
    ///
    /// # Errors
    /// Names the setting that is out of range. The paper's algorithm needs classes of its own and the
    /// paper's feedback.
    pub(crate) fn rates(&self) -> Result<Rates, LearnerError> {
        if self.space.classes() == 0 {
            return Err(LearnerError::NoClasses);
        }
        if let FeedbackKind::Answer | FeedbackKind::Reward = self.feedback {
            let got = self.feedback;
            return Err(LearnerError::WrongFeedback { t: 1, expected: FeedbackKind::Bandit, got });
        }
        let positive = |field, value: f64| {
            if value > 0.0 && value.is_finite() {
                return Ok(());
            }
            Err(LearnerError::Config { field, value, expected: "a finite number above 0" })
        };
        if let Some(radius) = self.radius {
            positive("radius", radius)?;
        }
        positive("rho", self.rho)?;
        self.surrogate.check()?;
        if !self.surrogate.is_convex() {
            return Err(LearnerError::NotConvex { name: self.surrogate.name() });
        }
        if let Optimizer::Adagrad { rate, epsilon } = self.optimizer {
            positive("optimizer.rate", rate)?;
            positive("optimizer.epsilon", epsilon)?;
        }
        check_size(self.space, self.dim, 1)?;
        self.schedule.rates(self.space.len(), self.radius, self.rho)
    }
}

/// Weights of a learner: 2 GiB of them.
const MOST_WEIGHTS: usize = 1 << 28;

/// Whether `sets` sets of weights, one row of `dim` features and a bias for every action and one more,
/// find room.
pub(super) fn check_size(space: ActionSpace, dim: usize, sets: usize) -> Result<(), LearnerError> {
    let columns = dim.saturating_add(1);
    let weights = columns.saturating_mul(space.len() + 1).saturating_mul(sets);
    // Indices of features have 32 bits.
    if columns <= u32::MAX as usize && weights <= MOST_WEIGHTS {
        return Ok(());
    }
    let expected =
        "weights of all actions together in at most 2 GiB: fewer features, or hashed ones";
    Err(LearnerError::Config { field: "dim", value: dim as f64, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_named() {
        let space = ActionSpace::new(3, 1).unwrap();
        let good = Config::new(space, 2);
        assert!(good.rates().is_ok());
        let message = |change: fn(&mut Config)| {
            let mut config = good.clone();
            change(&mut config);
            config.rates().unwrap_err().to_string()
        };
        assert!(message(|c| c.radius = Some(0.0)).contains("radius = 0"));
        assert!(message(|c| c.radius = Some(f64::NAN)).contains("radius = NaN"));
        assert!(message(|c| c.radius = None).contains("finite B"));
        assert!(message(|c| c.rho = -1.0).contains("rho = -1"));
        assert!(message(|c| c.surrogate = Surrogate::CompMae).contains("comp_mae is not convex"));
        assert!(message(|c| c.surrogate = Surrogate::SumTau { tau: 0.0 }).contains("tau = 0"));
        assert!(
            message(|c| c.optimizer = Optimizer::Adagrad { rate: 0.0, epsilon: 1e-10 })
                .contains("optimizer.rate")
        );
        assert!(
            message(|c| c.optimizer = Optimizer::Adagrad { rate: 0.1, epsilon: 0.0 })
                .contains("optimizer.epsilon")
        );
        assert!(message(|c| c.dim = usize::MAX).contains("dim"));
        assert!(message(|c| c.space = ActionSpace::new(0, 3).unwrap()).contains("n = 0"));
        let many = ActionSpace::new(2, 4094).unwrap();
        assert!(Config::new(many, 2).rates().is_ok());
        assert!(message(|c| c.feedback = FeedbackKind::Answer).contains("got answer"));
    }
}

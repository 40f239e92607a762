//! Settings of the ridge learner and of the textbook policies to compare with; what is not said is the
//! default.

use learner::Exploration;
use serde::{Deserialize, Serialize};

/// Settings of [`learner::RidgeCb`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RidgeCbSpec {
    /// The ridge parameter (1).
    pub(crate) lambda: Option<f64>,
    /// Whether the reward minus 1/2 is forecast (yes).
    pub(crate) centred: Option<bool>,
    /// Number of buckets that features are thrown into (features as they are).
    pub(crate) hashed: Option<usize>,
    /// How greedy the weights are (`sqrt(t)`).
    pub(crate) gamma: Option<GammaSpec>,
}

/// How greedy the weights of [`learner::RidgeCb`] are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum GammaSpec {
    /// `c sqrt(t)`.
    Growing {
        /// How fast exploration is given up.
        c: f64,
    },
    /// One value for a horizon that is known.
    Horizon {
        /// Without it, the rounds of the experiment.
        #[serde(default)]
        rounds: Option<u64>,
        /// `W`: the norm of the true weights of every action (1).
        #[serde(default)]
        weights: Option<f64>,
        /// Without it, the largest `|(x, 1)|` of the stream.
        #[serde(default)]
        rho: Option<f64>,
    },
}

/// Settings of [`learner::Baseline::LinUcb`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinUcbSpec {
    /// How many widths are added to the mean (0.5).
    pub(crate) alpha: Option<f64>,
    /// The ridge parameter (1).
    pub(crate) lambda: Option<f64>,
    /// Number of buckets that features are thrown into (features as they are).
    pub(crate) hashed: Option<usize>,
}

/// Settings of [`learner::Baseline::LinearThompson`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThompsonSpec {
    /// `v`: the standard deviation of the draws in widths (0.25).
    pub(crate) scale: Option<f64>,
    /// The ridge parameter (1).
    pub(crate) lambda: Option<f64>,
    /// Number of buckets that features are thrown into (features as they are).
    pub(crate) hashed: Option<usize>,
}

/// Settings of the epsilon-greedy policy with one logistic model per action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpsilonGreedySpec {
    /// The share that is played uniformly (0.05).
    pub(crate) epsilon: Option<f64>,
    /// AdaGrad's base rate for an input of norm one (0.6).
    pub(crate) rate: Option<f64>,
}

/// Settings of [`learner::Baseline::RunningMeans`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunningMeansSpec {
    /// How much is played besides the action that looks best (inverse gaps with greed 30).
    pub(crate) exploration: Option<Exploration>,
}

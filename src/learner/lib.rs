//! Algorithm 1 of the paper, what it is made of, and the policies it is compared with.
//!
//! A round is two calls on a [`Policy`]: [`Policy::decide`] returns a distribution over the active
//! actions, whoever runs the round samples from it, and [`Policy::observe`] hands back what may be
//! known about the outcome. All randomness stays outside.
//!
//! | what | where | paper |
//! |---|---|---|
//! | the algorithm | [`Algorithm1`] | Alg. 1 |
//! | centring over the active rows | `zero_sum` | Prop. 6.1 |
//! | importance-weighted estimate of a round | [`estimate_round`] | Sec. 6.1 |
//! | exploration mixture | `exploration` | Sec. 4.1 |
//! | Frobenius ball on `W = scale * V` | `weights` | Sec. 6.1 |
//! | learning and exploration rates | [`Schedule`] | Thm 6.3, 6.5, App. G |
//! | the same, written plainly | [`PlainLearner`] | Alg. 1 |
//! | learners that estimate scores, whoever is available | [`BeliefRouter`], [`SquareCb`] on [`Router`] | none |
//! | one ridge forecaster per action, with a regret bound for any availability | [`RidgeCb`] | none |
//! | the recommended learner, and the same with names | [`AutoRouter`], [`NamedRouter`] | none |
//! | policies to compare with | [`Baseline`] | App. G |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod active;
mod algorithm1;
mod auto;
mod bare;
mod baseline;
mod belief;
mod calibration;
mod config;
mod cube_roots;
mod decision;
mod error;
mod estimator;
mod exp;
mod exploration;
mod kernels;
mod linear;
mod named;
mod nearest;
mod plain;
mod policy;
mod prec;
mod router;
mod schedule;
mod scored;
mod scorer;
mod square_cb;
mod surrogate;
mod weights;
mod zero_sum;

/// What a program that routes a stream needs: `use deferlab::prelude::*`.
pub mod prelude {
    pub use crate::{
        Algorithm1, AutoConfig, AutoRouter, BeliefConfig, BeliefRouter, Choice, Config, Decision,
        LearnerError, NamedRouter, Observed, Policy, RouterOptions,
    };
    pub use problem::{Action, ActionSpace, ExpertCost, Features, Feedback};
}

pub use algorithm1::Algorithm1;
pub use auto::{AutoConfig, AutoRouter};
pub use bare::BarePass;
pub use baseline::Baseline;
pub use belief::{BeliefConfig, BeliefRouter};
pub use config::{Config, Optimizer};
pub use decision::Decision;
pub use error::LearnerError;
pub use estimator::{EstimatedRound, estimate_round};
pub use linear::{Gamma, LinearConfig, RidgeCb, RidgeCbConfig};
pub use named::{Choice, NamedError, NamedRouter, Observed, Offer, RouterOptions};
pub use nearest::nearest;
pub use plain::PlainLearner;
pub use policy::Policy;
/// What a round is made of: inputs, actions, feedback.
pub use problem;
pub use router::{Exploration, Router};
pub use schedule::Schedule;
pub use scorer::{ConfidentScorer, OnScorer, Scorer};
pub use square_cb::{Regression, SquareCb, SquareCbConfig};
pub use surrogate::Surrogate;

#[cfg(test)]
#[allow(unreachable_pub)] // test binaries use it too
#[path = "../../theory_tests/made_up_rounds/mod.rs"]
mod made_up_rounds;
#[cfg(test)]
#[path = "../../theory_tests/twin.rs"]
mod twin;

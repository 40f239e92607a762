//! Algorithm 1 of the paper, what it is made of, and the policies it is compared with.
//!
//! A round is two calls on a [`Policy`]: [`Policy::decide`] returns a distribution over the active
//! actions, whoever runs the round samples from it, and [`Policy::observe`] hands back what may be
//! known about the outcome. All randomness stays outside.
//!
//! | what | where | paper |
//! |---|---|---|
//! | the algorithm | [`Algorithm1`] | Alg. 1 |
//! | centring over the active rows | [`zero_sum`] | Prop. 6.1 |
//! | importance-weighted estimate | [`estimator`] | Sec. 6.1 |
//! | exploration mixture | [`exploration`] | Sec. 4.1 |
//! | Frobenius ball on `W = scale * V` | [`weights`] | Sec. 6.1 |
//! | learning and exploration rates | [`Schedule`] | Thm 6.3, 6.5, App. G |
//! | the same, written plainly | [`plain`] | Alg. 1 |
//! | learners that estimate scores, whoever is available | [`BeliefRouter`], [`SquareCb`] on [`router`] | none |
//! | policies to compare with | [`baseline`] | App. G |
#![forbid(unsafe_code)]

mod algorithm1;
pub mod baseline;
mod belief;
mod calibration;
mod config;
mod decision;
mod error;
pub mod estimator;
pub mod exploration;
pub mod kernels;
pub mod plain;
mod policy;
pub mod router;
mod schedule;
mod scored;
mod scorer;
mod square_cb;
pub mod surrogate;
pub mod weights;
pub mod zero_sum;

pub use algorithm1::Algorithm1;
pub use belief::{BeliefConfig, BeliefRouter};
pub use config::{Config, Optimizer};
pub use decision::Decision;
pub use error::LearnerError;
pub use policy::Policy;
/// What a round is made of: inputs, actions, feedback.
pub use problem;
pub use router::Exploration;
pub use schedule::{Rates, Schedule};
pub use scorer::{ConfidentScorer, OnScorer, Scorer};
pub use square_cb::{Regression, SquareCb, SquareCbConfig};

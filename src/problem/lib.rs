//! What a round of online learning-to-defer is made of. Nothing here knows an algorithm.
//!
//! Round `t` of the paper's protocol (Sec. 4.1): an input `x_t` and the set `A_t` of available
//! experts are revealed; a label `y_t ~ p(.|x_t, A_t)` is drawn in secret; the learner samples an
//! action from a distribution over `Y_A = {0..n} + {n+j : j in A}`; it learns whether that action
//! was right and, for an expert, what it cost.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod action;
mod cost;
mod error;
mod features;
mod feedback;
mod law;
pub mod prec;
mod text;

pub use action::{
    Action, ActionSpace, ActiveBuffer, ActiveRef, ActiveSet, MAX_ACTIONS, SMALL_ACTIONS,
};
pub use cost::ExpertCost;
pub use error::ProblemError;
pub use features::{Features, SparseRow};
pub use feedback::{Feedback, FeedbackKind};
pub use law::RoundLaw;
pub use law::check_distribution;
pub use text::{TEXT_DIM, hash_named, hash_text};

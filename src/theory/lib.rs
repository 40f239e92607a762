//! Exact quantities of the paper, computed from the conditional law of a round.
//!
//! A round has active actions `Y_A` (all classes and the available experts, `K` of them). What an
//! action is worth is its score, and everything else follows from the scores:
//!
//! ```text
//! s_a   = p(y = a | x)                    class a
//! s_n+j = 1 - sum_y p(y | x) c_j(x, y)    expert j          [Sec. 6]
//! S     = sum_a s_a                       score mass, 1 <= S <= K
//! C(a)  = 1 - s_a                         risk of playing a (Lem. D.1)
//! C_Phi(u) = sum_a s_a Phi_01(u, a)       surrogate risk of scores u (Lem. D.2)
//! ```
//!
//! Nothing here uses the learner, its kernels or its surrogates: a fault must not be able to hide
//! by being on both sides of a comparison.
//!
//! | question | module |
//! |---|---|
//! | what is each action worth? | [`scores`] |
//! | what does an action or a mixture cost in expectation? | [`risk`] |
//! | what does a surrogate say about a score vector? | [`loss`] |
//! | which score vector does a surrogate want, how good is it? | [`pointwise`] |
//! | what do the theorems promise, in numbers? | [`bounds`] |
//! | which learning and exploration rates? | [`schedule`] |
//! | how loose are the constants inside the proofs? | [`constants`] |
//! | do the stated calibration functions hold? | [`calibration`] |
//! | what does the concentrated-score condition demand? | [`concentration`] |
//! | over which finite sequence of rounds? | [`stream`] |
//! | what does one matrix for all rounds cost the surrogate? | [`gap`] |
//! | which surrogates can serve experts who come and go? | [`availability`] |
//! | how good is the best fixed hypothesis for the true loss? | [`comparator`] |
//! | does the transfer theorem hold along a run? | [`transfer`] |
//! | what does a linear program say about convex losses for them? | [`repair`] |
//! | what does a ridge forecaster say, in small dimensions? | [`ridge`] |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod availability;
pub mod bounds;
pub mod calibration;
pub mod comparator;
pub mod concentration;
pub mod constants;
mod error;
pub mod gap;
pub mod loss;
pub mod matrix;
pub mod pointwise;
mod prec;
pub mod rational;
pub mod repair;
pub mod ridge;
pub mod risk;
pub mod schedule;
pub mod scores;
mod series;
mod simplest;
pub mod stream;
pub mod transfer;

pub use error::TheoryError;
pub use loss::SurrogateId;
pub use scores::Scores;

#[cfg(test)]
#[path = "../../theory_tests/theory/mod.rs"]
mod theory_tests;

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
//! | what is each action worth? | [`Scores`] |
//! | what does a surrogate say about a score vector? | [`SurrogateId`], [`Piecewise`] |
//! | which score vector does a surrogate want, how good is it? | [`infimum`], [`calibration_gap`] |
//! | what do the theorems promise, in numbers? | [`Bound`] |
//! | which learning and exploration rates? | [`StatedRates`] |
//! | do the stated calibration functions hold? | [`calibration`] |
//! | over which finite sequence of rounds? | [`FiniteStream`] |
//! | what does one matrix for all rounds cost the surrogate? | [`minimizability_gap`], [`exact_hinge_gap`] |
//! | which surrogates can serve experts who come and go? | [`availability`] |
//! | how good is the best fixed hypothesis for the true loss? | [`bracket`] |
//! | what does a linear program say about convex losses for them? | [`largest_constant`] |
//! | what does ridge regression say, in small dimensions? | [`ridge_regression`] |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod availability;
mod bounds;
pub mod calibration;
mod comparator;
mod error;
mod gap;
mod loss;
mod matrix;
mod pointwise;
mod prec;
mod rational;
mod repair;
mod ridge;
mod schedule;
mod scores;
mod series;
mod simplest;
mod stream;

pub use bounds::{Bound, BoundTerms, GammaRule, RidgeParameters, concentrated_rounds_at_half};
pub use comparator::{Comparator, ComparatorEffort, bracket};
pub use error::TheoryError;
pub use gap::{Certificate, CertificateKind, ExactGap, Gap, exact_hinge_gap, minimizability_gap};
pub use loss::{Piecewise, SurrogateId};
pub use matrix::ScoreMatrix;
pub use pointwise::{PointwiseMinimum, calibration_gap, infimum, infimum_in_ball};
pub use rational::{Rational, ratio};
pub use repair::{ClassPart, LargestConstant, largest_constant};
pub use ridge::{LinearFit, linear_fit, ridge_regression};
pub use schedule::{Parameters, StatedRates};
pub use scores::{Scores, argmax};
pub use stream::{FiniteStream, StreamItem};

#[cfg(test)]
#[path = "../../theory_tests/theory/mod.rs"]
mod theory_tests;

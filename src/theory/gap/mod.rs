//! Minimizability gaps over the projected Frobenius-ball class (Thm F.4), as convex programs.
//!
//! ```text
//! M = min_{||W||_F <= B} sum_t w_t C_phi(Pi_A W x~_t)  -  sum_t w_t inf_u C_phi(u)
//! ```
//! The program has the entries of `W`, one score per distinct input and action, one mean per
//! distinct `(x, A)`, and the epigraph variables of the surrogate: sparse, whatever the number of
//! rounds. Both ends of the certificate are recomputed by plain code.

mod certificate;
mod program;
mod surrogates;

pub use certificate::{Certificate, CertificateKind};

use super::matrix::ScoreMatrix;
use super::stream::FiniteStream;
use crate::prec;
use crate::problem::Action;
use certificate::{Minorant, free_radius, objective};
use program::{Outcome, Program, Variable};
use surrogates::Convex;
use thiserror::Error;

/// Bad input to [`solve`].
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GapError {
    #[error("B = {value}: the radius of the ball must be positive and finite")]
    Ball { value: f64 },
}

/// Whether the answer may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapStatus {
    /// The relative primal-dual gap is at most [`prec::CERTIFIED`].
    Certified,
    /// It is not: the bracket `[dual, primal]` still holds, but is wide. Without a ball this also
    /// happens when the infimum is not attained by any matrix.
    NotCertified,
}

/// A minimizability gap with everything that is known about its optimum.
#[derive(Clone, Debug)]
pub struct Gap {
    /// `(best_value - pointwise) / sum w`.
    pub gap_per_round: f64,
    /// `sum_t w_t C_phi(Pi_A W* x~_t)`, recomputed from the matrix.
    pub best_value: f64,
    /// `sum_t w_t inf_u C_phi(u)` over all (zero-sum) score vectors; for the constrained hinge
    /// `sum_t w_t K_t (S_t - s_t,max)`.
    pub pointwise: f64,
    /// The same with the infimum over the scores the ball can reach at `x_t`,
    /// `||u||_2 <= B ||x~_t||_2`. Equal to `pointwise` for the hinge when `B >= N` (App. C).
    pub pointwise_in_ball: Option<f64>,
    /// `W*`. Among several optima, the one of least Frobenius norm where it could be told apart,
    /// see [`Gap::minimum_norm`].
    pub matrix: ScoreMatrix,
    /// Whether `matrix` is the optimum of least norm: always for the hinge unless the selecting
    /// program failed its own check; never claimed for the other surrogates.
    pub minimum_norm: bool,
    /// Greedy action of `W*` on every item of the stream; scores within [`prec::GREEDY_TIE`] count
    /// as tied and the lowest index wins.
    pub actions: Vec<Action>,
    /// True risk of those actions minus the pointwise optimum, per unit of weight.
    pub true_regret_per_round: f64,
    /// Per-round bounds on the infimum: multiply by the total weight for `best_value`.
    pub certificate: Certificate,
    /// Whether the certificate is tight enough.
    pub status: GapStatus,
}

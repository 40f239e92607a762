//! Lower bounds that can be checked without trusting the solver.

use super::surrogates::Convex;
use crate::prec;
use crate::theory::matrix::{ScoreMatrix, norm};
use crate::theory::stream::FiniteStream;

/// How the lower bound was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateKind {
    /// Constrained hinge: the solver's multipliers, clipped to `[0, w (S - s_a)]`, give
    /// `sum alpha - r ||sum_t Pi_A(alpha_t) x~_t^T||_F`; any multipliers in the box would do.
    ClippedMultipliers,
    /// Smooth surrogates: the tangent plane of the convex objective at the matrix returned,
    /// minimised over the ball of radius `r`. Nothing comes from the solver but the matrix.
    TangentPlane,
}

/// `dual <= infimum over ||W||_F <= radius <= primal`, both ends recomputed by plain code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Where the lower bound comes from.
    pub kind: CertificateKind,
    /// The objective at the matrix returned.
    pub primal: f64,
    /// The lower bound.
    pub dual: f64,
    /// The matrices the lower bound speaks of: the ball given, or, without one, a radius far
    /// beyond the matrix returned, stated because a residual of rounding size times an unbounded
    /// norm bounds nothing.
    pub radius: f64,
}

impl Certificate {
    /// `(primal - dual) / max(1, |primal|)` of the per-round values the caller scaled to.
    pub fn relative_gap(&self) -> f64 {
        (self.primal - self.dual) / self.primal.abs().max(1.0)
    }
}

/// `constant + <slope, W>`, a minorant of the objective.
pub(super) struct Minorant {
    constant: f64,
    slope: Vec<f64>,
}

impl Minorant {
    /// `c max(0, 1 + u) >= alpha (1 + u)` for every `alpha` in `[0, c]`, cell by cell.
    /// `multipliers[cell][a]` is aligned with the active actions and scaled per round.
    pub fn from_multipliers(stream: &FiniteStream, multipliers: &[Vec<f64>]) -> Self {
        let mut constant = 0.0;
        let mut slope = ScoreMatrix::zeros(stream.space(), stream.dim());
        for (cell, given) in stream.cells().iter().zip(multipliers) {
            let weight = cell.weight / stream.total_weight();
            let clip = |(&alpha, c): (&f64, f64)| alpha.clamp(0.0, weight * c);
            let alpha: Vec<f64> = given.iter().zip(cell.complements()).map(clip).collect();
            constant += alpha.iter().sum::<f64>();
            add_outer(&mut slope, stream.input(cell), cell.active.iter(), centred(alpha));
        }
        Minorant { constant, slope: slope.values().to_vec() }
    }

    /// `f(W_0) + <f'(W_0), W - W_0>`.
    pub fn tangent(stream: &FiniteStream, surrogate: Convex, at: &ScoreMatrix) -> Self {
        let mut slope = ScoreMatrix::zeros(stream.space(), stream.dim());
        for cell in stream.cells() {
            let weight = cell.weight / stream.total_weight();
            let u = at.projected_scores(stream.input(cell), cell.active);
            let mut g = surrogate.slope(&cell.s, &u);
            g.iter_mut().for_each(|v| *v *= weight);
            add_outer(&mut slope, stream.input(cell), cell.active.iter(), centred(g));
        }
        let inner: f64 = slope.values().iter().zip(at.values()).map(|(g, w)| g * w).sum();
        let constant = objective(stream, surrogate, at) - inner;
        Minorant { constant, slope: slope.values().to_vec() }
    }

    /// Its least value over `||W||_F <= radius`.
    pub fn least(&self, radius: f64) -> f64 {
        self.constant - radius * norm(&self.slope)
    }
}

/// The radius of a statement about all matrices, when no ball was given.
pub(super) fn free_radius(w: &ScoreMatrix) -> f64 {
    prec::FREE_RADIUS_FACTOR * w.frobenius_norm().max(1.0)
}

/// `(1 / sum w) sum_t w_t C_phi(Pi_A W x~_t)`, the objective per round.
pub(super) fn objective(stream: &FiniteStream, surrogate: Convex, w: &ScoreMatrix) -> f64 {
    stream
        .cells()
        .iter()
        .map(|cell| {
            let u = w.projected_scores(stream.input(cell), cell.active);
            cell.weight / stream.total_weight() * surrogate.value(&cell.s, &u)
        })
        .sum()
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|v| *v -= mean);
    values
}

fn add_outer(
    into: &mut ScoreMatrix,
    x: &[f64],
    active: impl Iterator<Item = crate::problem::Action>,
    coefficients: Vec<f64>,
) {
    for (action, c) in active.zip(coefficients) {
        let row = into.row_mut(action.index());
        let last = row.len() - 1;
        row[..last].iter_mut().zip(x).for_each(|(r, x)| *r += c * x);
        row[last] += c;
    }
}

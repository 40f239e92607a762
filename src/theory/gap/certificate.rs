//! Lower bounds that can be checked without trusting the solver.

use super::polish::{accumulate, total_slope};
use super::surrogates::{Convex, Piece, gather};
use crate::SurrogateId;
use crate::matrix::{ScoreMatrix, norm};
use crate::prec;
use crate::stream::FiniteStream;

/// How the lower bound was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateKind {
    /// Weak duality at the solver's multipliers, clipped into their range. For the constrained
    /// hinge, any `alpha` in `[0, w (S - s_a)]` gives
    /// `sum alpha - r ||sum_t Pi_A(alpha_t) x~_t^T||_F`; the squared hinges subtract their
    /// conjugate `alpha^2 / (4 c)`.
    ClippedMultipliers,
    /// The tangent plane of the smooth convex objective at the matrix returned, minimised over the
    /// ball of radius `r`. Nothing comes from the solver but the matrix.
    TangentPlane,
    /// The sum of the pointwise infima, where it is the better bound: it holds for every
    /// hypothesis, linear or not, and meets the primal value when the stream is realisable.
    Pointwise,
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
    /// The matrices the lower bound speaks of: all (infinite) for [`CertificateKind::Pointwise`];
    /// else the ball given, or, without one, a radius far
    /// beyond the matrix returned, stated because a residual of rounding size times an unbounded
    /// norm bounds nothing.
    pub radius: f64,
}

impl Certificate {
    /// `(primal - dual) / max(1, |primal|)` of the per-round values the caller scaled to.
    #[must_use]
    pub(crate) fn relative_gap(&self) -> f64 {
        (self.primal - self.dual) / self.primal.abs().max(1.0)
    }
}

/// `constant + <slope, W>`, a minorant of the objective.
pub(super) struct Minorant {
    constant: f64,
    slope: Vec<f64>,
}

impl Minorant {
    /// From any multipliers, clipped into their range, with `m = 1 + u_up - u_down`:
    /// ```text
    /// c max(0, m)   >= alpha m                       0 <= alpha <= c
    /// c max(0, m)^2 >= alpha m - alpha^2 / (4 c)     0 <= alpha
    /// ```
    pub(crate) fn from_multipliers(
        stream: &FiniteStream,
        surrogate: Convex,
        pieces: &[Vec<Piece>],
        multipliers: &[Vec<f64>],
    ) -> Self {
        let mut constant = 0.0;
        let mut cells = pieces.iter().zip(multipliers);
        let slope = accumulate(stream, |_, cell| {
            let Some((pieces, given)) = cells.next() else {
                return vec![0.0; cell.active.len()];
            };
            let linear = surrogate == Convex::CstndHinge;
            let mut gain = 0.0;
            let clip = |(piece, a): (&Piece, &f64)| {
                let alpha = a.clamp(0.0, if linear { piece.weight } else { f64::INFINITY });
                gain += alpha - if linear { 0.0 } else { alpha * alpha / (4.0 * piece.weight) };
                alpha
            };
            let alpha: Vec<f64> = pieces.iter().zip(given).map(clip).collect();
            constant += cell.weight / stream.total_weight * gain;
            gather(pieces, &alpha, cell.active.len())
        });
        Minorant { constant, slope }
    }

    /// `f(W_0) + <f'(W_0), W - W_0>`.
    pub(crate) fn tangent(stream: &FiniteStream, surrogate: Convex, at: &ScoreMatrix) -> Self {
        let slope = total_slope(stream, surrogate, at);
        let inner: f64 = slope.iter().zip(&at.values).map(|(g, w)| g * w).sum();
        Minorant { constant: objective(stream, surrogate.id(), at) - inner, slope }
    }

    /// Its least value over `||W||_F <= radius`.
    pub(crate) fn least(&self, radius: f64) -> f64 {
        self.constant - radius * norm(&self.slope)
    }
}

/// The radius of a statement about all matrices, when no ball was given.
pub(super) fn free_radius(w: &ScoreMatrix) -> f64 {
    prec::FREE_RADIUS_FACTOR * w.frobenius_norm().max(1.0)
}

/// `(1 / sum w) sum_t w_t C_phi(Pi_A W x~_t)`, the objective per round.
pub(super) fn objective(stream: &FiniteStream, surrogate: SurrogateId, w: &ScoreMatrix) -> f64 {
    stream
        .cells()
        .iter()
        .map(|cell| {
            let u = w.projected_scores(stream.input(cell), cell.active);
            cell.weight / stream.total_weight * surrogate.conditional_risk(&cell.s, &u)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::*;
    use crate::stream::StreamItem;
    use problem::ActionSpace;

    #[test]
    fn the_gap_is_relative_to_large_values_and_absolute_below_one() {
        let kind = CertificateKind::TangentPlane;
        let gap = |primal, dual| Certificate { kind, primal, dual, radius: 1.0 }.relative_gap();
        assert_eq!(gap(4.0, 3.0), 0.25);
        assert_eq!(gap(-4.0, -5.0), 0.25);
        assert_eq!(gap(0.5, 0.25), 0.25);
        assert_eq!(gap(0.0, f64::NEG_INFINITY), f64::INFINITY);
    }

    #[test]
    fn the_multipliers_of_a_matrix_give_its_tangent_plane() {
        let space = ActionSpace::new(2, 1).unwrap();
        let items = [
            (1.0, space.classes_only(), vec![0.75, 0.25]),
            (3.0, space.all_active(), vec![0.5, 0.5, 0.75]),
        ];
        let item = |(weight, active, s)| StreamItem { weight, x: vec![0.5], active, s };
        let stream = FiniteStream::new(space, items.map(item).into()).unwrap();
        let zero = ScoreMatrix::zeros(space, 1);
        for surrogate in [Convex::CstndHinge, Convex::CstndSq, Convex::SumSq] {
            let pieces = Layout::new(&stream, surrogate, None).pieces;
            // The slope of c max(0, m)^2 at m = 1; for the hinge it is clipped to c.
            let alpha: Vec<Vec<f64>> = pieces
                .iter()
                .map(|cell| cell.iter().map(|piece| 2.0 * piece.weight).collect())
                .collect();
            let dual = Minorant::from_multipliers(&stream, surrogate, &pieces, &alpha);
            let plane = Minorant::tangent(&stream, surrogate, &zero);
            assert!((dual.constant - plane.constant).abs() < 1e-15, "{surrogate:?}");
            assert!(dual.slope.iter().zip(&plane.slope).all(|(a, b)| (a - b).abs() < 1e-15));
            assert!(norm(&plane.slope) > 0.1);
        }
    }

    #[test]
    fn without_a_ball_the_statement_reaches_a_hundred_times_as_far_as_the_matrix() {
        let space = ActionSpace::new(2, 0).unwrap();
        let at = |w: [f64; 2]| free_radius(&ScoreMatrix::from_values(space, 0, w.into()).unwrap());
        assert_eq!(at([3.0, -4.0]), 500.0);
        assert_eq!(at([0.0, 0.5]), 100.0);
    }
}

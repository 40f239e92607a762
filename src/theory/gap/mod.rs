//! Minimizability gaps over the projected Frobenius-ball class (Thm F.4), as convex programs.
//!
//! ```text
//! M = min_{||W||_F <= B} sum_t w_t C_phi(Pi_A W x~_t)  -  sum_t w_t inf_u C_phi(u)
//! ```
//! The program has the entries of `W`, one score per distinct input and action, one mean per
//! distinct `(x, A)`, and the epigraph variables of the surrogate: sparse, whatever the number of
//! rounds. Both ends of the certificate are recomputed by plain code.

mod certificate;
mod exact;
mod layout;
mod polish;
pub(super) mod program;
mod surrogates;
#[cfg(test)]
mod tests;

pub use certificate::{Certificate, CertificateKind};
pub use exact::{ExactGap, exact_hinge_gap};

use super::matrix::{ScoreMatrix, augmented_norm, norm};
use super::stream::{Cell, FiniteStream, StreamItem};
use super::{SurrogateId, TheoryError, pointwise};
use crate::prec;
use certificate::{Minorant, free_radius, objective};
use layout::Layout;
use problem::{Action, ActiveSet};
use surrogates::Convex;

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
    /// `(best_value - pointwise_in_ball) / sum w`: the gap in the class's own pointwise optima, which
    /// a ball too small for the canonical vectors raises. `None` without a ball.
    pub gap_in_ball_per_round: Option<f64>,
    /// `W*`. Among several optima, the one of least Frobenius norm where it could be told apart,
    /// see [`Gap::minimum_norm`].
    pub matrix: ScoreMatrix,
    /// Whether `matrix` is the optimum of least norm: always for the hinge unless the selecting
    /// program failed its own check; never claimed for the other surrogates.
    pub minimum_norm: bool,
    /// Greedy action of `W*` on every item of the stream; scores within `prec::GREEDY_TIE` count
    /// as tied and the lowest index wins.
    pub actions: Vec<Action>,
    /// True risk of those actions minus the pointwise optimum, per unit of weight.
    pub true_regret_per_round: f64,
    /// Per-round bounds on the infimum: multiply by the total weight for `best_value`.
    pub certificate: Certificate,
    /// Whether it is tight: its ends are within `prec::CERTIFIED` of each other. If not, the bracket
    /// `[dual, primal]` still holds, but is wide; without a ball this also happens when the infimum is
    /// not attained by any matrix.
    pub certified: bool,
}

/// The minimizability gap of `surrogate` on `stream`, over `||W||_F <= ball` or over all matrices
/// (Thm F.4), as a convex program. Both ends of its certificate are recomputed by plain code.
///
/// # Formula
/// ```text
/// M = min_{||W||_F <= B} sum_t w_t C_phi(Pi_A W x~_t)  -  sum_t w_t inf_u C_phi(u)
/// ```
///
/// # Errors
/// A radius that is not positive and finite, or a surrogate that is not convex in the scores.
pub fn minimizability_gap(
    stream: &FiniteStream,
    surrogate: SurrogateId,
    ball: Option<f64>,
) -> Result<Gap, TheoryError> {
    report(stream, surrogate, ball, best_matrix(stream, surrogate, ball)?)
}

/// The minimiser alone, without what is said about it.
struct Best {
    matrix: ScoreMatrix,
    minimum_norm: bool,
    certificate: Certificate,
}

fn best_matrix(
    stream: &FiniteStream,
    surrogate: SurrogateId,
    ball: Option<f64>,
) -> Result<Best, TheoryError> {
    let convex = Convex::of(surrogate).ok_or(TheoryError::NotConvex { surrogate })?;
    if let Some(value) = ball.filter(|b| !(*b > 0.0 && b.is_finite())) {
        return Err(TheoryError::Ball { value });
    }
    let layout = Layout::new(stream, convex, ball);
    let outcome = layout.program.solve();
    let found = layout.matrix(stream, &outcome, ball);
    let mut best = Best::new(stream, surrogate, ball, found);
    if convex == Convex::CstndHinge
        && let Some(selected) = least_norm(stream, ball, best.certificate.primal)
    {
        best = Best::new(stream, surrogate, ball, selected);
        best.minimum_norm = true;
    }
    let mut alpha = layout.multipliers(stream, &outcome);
    let kind = CertificateKind::ClippedMultipliers;
    let bound =
        |alpha: &[Vec<f64>]| Minorant::from_multipliers(stream, convex, &layout.pieces, alpha);
    if convex.has_pieces() {
        best.improve(kind, &bound(&alpha));
    }
    for damping in prec::DAMPINGS {
        if best.is_tight() {
            break;
        }
        if convex == Convex::CstndHinge {
            // Where no ball binds, the multipliers have to be stationary, and to rounding.
            polish::make_stationary(stream, &layout.pieces, &mut alpha, damping);
            best.improve(kind, &bound(&alpha));
        } else {
            best = polished(stream, convex, best, ball, damping);
        }
    }
    Ok(best)
}

impl Best {
    /// A matrix about which nothing is known but its value.
    fn new(
        stream: &FiniteStream,
        surrogate: SurrogateId,
        ball: Option<f64>,
        matrix: ScoreMatrix,
    ) -> Self {
        let certificate = Certificate {
            kind: CertificateKind::TangentPlane,
            primal: objective(stream, surrogate, &matrix),
            dual: f64::NEG_INFINITY,
            radius: ball.unwrap_or_else(|| free_radius(&matrix)),
        };
        Best { matrix, minimum_norm: false, certificate }
    }

    /// Takes a lower bound if it is better than the one there is.
    fn improve(&mut self, kind: CertificateKind, minorant: &Minorant) {
        let dual = minorant.least(self.certificate.radius);
        if dual > self.certificate.dual {
            (self.certificate.kind, self.certificate.dual) = (kind, dual);
        }
    }

    /// Tight enough to leave it at that.
    fn is_tight(&self) -> bool {
        self.certificate.relative_gap() <= prec::CERTIFIED / 10.0
    }
}

/// The best of what is there, its tangent plane, and a matrix that Newton's method made of it.
fn polished(
    stream: &FiniteStream,
    convex: Convex,
    mut best: Best,
    ball: Option<f64>,
    damping: f64,
) -> Best {
    let plane = |w: &ScoreMatrix| Minorant::tangent(stream, convex, w);
    best.improve(CertificateKind::TangentPlane, &plane(&best.matrix));
    let mut matrix = best.matrix.clone();
    polish::newton(stream, convex, &mut matrix, damping);
    // Where the ball binds, the free optimum lies outside.
    if let Some(radius) = ball.filter(|&b| matrix.frobenius_norm() > b) {
        matrix = best.matrix.clone();
        polish::newton_on_sphere(stream, convex, &mut matrix, damping, radius);
    }
    let mut moved = Best::new(stream, convex.id(), ball, matrix);
    moved.improve(CertificateKind::TangentPlane, &plane(&moved.matrix));
    let gain = moved.certificate.relative_gap() < best.certificate.relative_gap();
    if gain { moved } else { best }
}

fn report(
    stream: &FiniteStream,
    surrogate: SurrogateId,
    ball: Option<f64>,
    best: Best,
) -> Result<Gap, TheoryError> {
    let Best { matrix, minimum_norm, mut certificate } = best;
    let total = stream.total_weight;
    let pointwise = |limit: Option<f64>| -> Result<f64, TheoryError> {
        let value = |item: &StreamItem| {
            let reach = limit.map(|b| b * augmented_norm(&item.x));
            Ok(item.weight * pointwise_value(surrogate, item.active, &item.s, reach)?)
        };
        stream.items().iter().map(value).sum()
    };
    let tie = prec::GREEDY_TIE * (1.0 + largest_score(stream, &matrix));
    let by_cell: Vec<Action> = stream
        .cells()
        .iter()
        .map(|cell| matrix.greedy(stream.input(cell), cell.active, tie))
        .collect();
    let best_value = total * certificate.primal;
    let unrestricted = pointwise(None)?;
    let pointwise_in_ball = ball.map(|b| pointwise(Some(b))).transpose()?;
    if unrestricted / total > certificate.dual {
        certificate.kind = CertificateKind::Pointwise;
        certificate.dual = unrestricted / total;
        certificate.radius = f64::INFINITY;
    }
    Ok(Gap {
        gap_per_round: (best_value - unrestricted) / total,
        best_value,
        pointwise: unrestricted,
        pointwise_in_ball,
        gap_in_ball_per_round: pointwise_in_ball.map(|reached| (best_value - reached) / total),
        actions: stream.cell_of().iter().map(|&cell| by_cell[cell]).collect(),
        true_regret_per_round: (stream.true_risk(&matrix, tie) - stream.pointwise_true_risk())
            / total,
        certified: certificate.relative_gap() <= prec::CERTIFIED,
        matrix,
        minimum_norm,
        certificate,
    })
}

/// `inf C_phi(u)` over all (zero-sum) score vectors, or over those with `||u||_2 <= reach`.
fn pointwise_value(
    surrogate: SurrogateId,
    active: ActiveSet,
    s: &[f64],
    reach: Option<f64>,
) -> Result<f64, TheoryError> {
    let free = pointwise::infimum(surrogate, s)?;
    let Some(reach) = reach else {
        return Ok(free.value);
    };
    if free.minimizer.is_some_and(|u| norm(&u) <= reach) {
        return Ok(free.value);
    }
    if surrogate.is_constrained() {
        return Ok(pointwise::infimum_in_ball(surrogate, s, reach)?.value);
    }
    // One input without features: the scores are the biases, and the ball is theirs.
    let item = StreamItem { weight: 1.0, x: vec![], active, s: s.to_vec() };
    let alone = FiniteStream::new(active.space(), vec![item])?;
    Ok(best_matrix(&alone, surrogate, Some(reach))?.certificate.primal)
}

fn largest_score(stream: &FiniteStream, w: &ScoreMatrix) -> f64 {
    let cell_largest = |cell: &Cell| {
        let u = w.projected_scores(stream.input(cell), cell.active);
        u.iter().fold(0.0f64, |top, v| top.max(v.abs()))
    };
    stream.cells().iter().map(cell_largest).fold(0.0, f64::max)
}

/// The optimum of least norm of the hinge program. Adding `delta ||W||^2` to a linear program
/// moves it to its solution of least norm, and nowhere else, once `delta` is small enough; small
/// enough is checked by the objective. When the ball is active the optimum is unique already.
fn least_norm(stream: &FiniteStream, ball: Option<f64>, best: f64) -> Option<ScoreMatrix> {
    let delta = prec::LEAST_NORM_WEIGHT / stream.cells().len() as f64;
    let mut layout = Layout::new(stream, Convex::CstndHinge, ball);
    layout.add_squared_norm(delta);
    let matrix = layout.matrix(stream, &layout.program.solve(), ball);
    let value = objective(stream, SurrogateId::CstndHinge, &matrix);
    (value - best <= prec::LEAST_NORM_EXCESS * best.max(1.0)).then_some(matrix)
}

//! The hinge gap of a small stream as an exact fraction.
//!
//! The solver only points at the optimal face. From there a rational matrix and rational
//! multipliers are worked out by exact elimination, and linear programming duality is checked in
//! rationals: multipliers in their boxes, stationary to the last digit, and of the same value as
//! the matrix. No floating-point number enters the check.

use super::layout::Layout;
use super::surrogates::{Convex, gather};
use super::{GapError, least_norm, objective};
use crate::prec;
use crate::problem::{ActionSpace, ActiveSet};
use crate::theory::SurrogateId;
use crate::theory::matrix::ScoreMatrix;
use crate::theory::rational::Rational;
use crate::theory::simplest::{simplest_near, solve_near};
use crate::theory::stream::{FiniteStream, StreamItem};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A [`StreamItem`] in exact numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactItem {
    /// Weight.
    pub weight: Rational,
    /// The input, without the bias.
    pub x: Vec<Rational>,
    /// `Y_A`.
    pub active: ActiveSet,
    /// Action scores, aligned with `active`.
    pub s: Vec<Rational>,
}

/// A hinge minimizability gap over all matrices, proved by a primal-dual pair.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactGap {
    /// `(best_value - pointwise) / sum w`.
    pub gap_per_round: Rational,
    /// `min_W sum_t w_t C(Pi_A W x~_t)`.
    pub best_value: Rational,
    /// `sum_t w_t K_t (S_t - s_t,max)`.
    pub pointwise: Rational,
    /// An optimal `W`, `N` rows of `d + 1`. The same gap holds over every ball that contains it.
    pub matrix: Vec<Vec<Rational>>,
    /// `||W||_F^2`, to be compared with `B^2`.
    pub squared_norm: Rational,
    /// `alpha_{t,a}` in `[0, w_t (S_t - s_t,a)]`, one row per item, whose sum is `best_value`.
    pub multipliers: Vec<Vec<Rational>>,
}

/// Solves in floating point, rounds to the face, and proves optimality in rationals. `None` when
/// no rounding passes the exact check (a large or badly scaled stream): nothing is then claimed.
///
/// # Errors
/// The same as for [`FiniteStream::new`].
pub fn exact_hinge_gap(
    space: ActionSpace,
    items: &[ExactItem],
) -> Result<Option<ExactGap>, GapError> {
    let stream = FiniteStream::new(space, items.iter().map(to_float).collect())?;
    let layout = Layout::new(&stream, Convex::CstndHinge, None);
    let outcome = layout.program.solve();
    let interior = layout.matrix(&stream, &outcome, None);
    let best = objective(&stream, SurrogateId::CstndHinge, &interior);
    // Per unit of weight, aligned with the active actions of each cell.
    let multipliers: Vec<Vec<f64>> = layout
        .multipliers(&stream, &outcome)
        .iter()
        .zip(layout.pieces.iter().zip(stream.cells()))
        .map(|(alpha, (pieces, cell))| gather(pieces, alpha, cell.active.len()))
        .collect();
    let starts: Vec<ScoreMatrix> =
        least_norm(&stream, None, best).into_iter().chain([interior.clone()]).collect();
    for accuracy in prec::RATIONAL_ROUNDING {
        let Some(alpha) = exact_multipliers(items, &stream, &interior, &multipliers, accuracy)
        else {
            continue;
        };
        for start in &starts {
            let gap = exact_matrix(items, start, accuracy)
                .and_then(|matrix| certify(items, matrix, alpha.clone()));
            if gap.is_some() {
                return Ok(gap);
            }
        }
    }
    Ok(None)
}

fn to_float(item: &ExactItem) -> StreamItem {
    let float = |v: &Rational| v.to_f64().unwrap_or(f64::NAN);
    StreamItem {
        weight: float(&item.weight),
        x: item.x.iter().map(float).collect(),
        active: item.active,
        s: item.s.iter().map(float).collect(),
    }
}

/// `S - s_a`.
fn complement(item: &ExactItem, a: usize) -> Rational {
    item.s.iter().enumerate().filter(|&(b, _)| b != a).map(|(_, v)| v).sum()
}

/// Coefficients of `W` (row-major) in `u_a = <w_a, x~> - mean over the active actions`.
fn score_row(item: &ExactItem, position: usize) -> Vec<Rational> {
    let columns = item.x.len() + 1;
    let mut row = vec![Rational::zero(); item.active.space().len() * columns];
    let share = Rational::new(1.into(), item.active.len().into());
    for (p, action) in item.active.iter().enumerate() {
        let factor = if p == position { Rational::one() - &share } else { -share.clone() };
        let start = action.index() * columns;
        for (j, x) in item.x.iter().chain([&Rational::one()]).enumerate() {
            row[start + j] = &factor * x;
        }
    }
    row
}

/// The matrix near `start` whose kinks `1 + u = 0` are exact.
fn exact_matrix(items: &[ExactItem], start: &ScoreMatrix, accuracy: f64) -> Option<Vec<Rational>> {
    let (mut rows, mut rhs) = (Vec::new(), Vec::new());
    for item in items {
        let u = start.projected_scores(&to_float(item).x, item.active);
        for position in (0..u.len()).filter(|&a| (1.0 + u[a]).abs() < prec::KINK) {
            rows.push(score_row(item, position));
            rhs.push(-Rational::one());
        }
    }
    solve_near(rows, rhs, start.values(), accuracy)
}

/// Multipliers near the solver's, stationary exactly: those at a bound stay there, the others
/// solve `sum_t Pi_A(alpha_t) x~_t^T = 0`.
fn exact_multipliers(
    items: &[ExactItem],
    stream: &FiniteStream,
    interior: &ScoreMatrix,
    found: &[Vec<f64>],
    accuracy: f64,
) -> Option<Vec<Vec<Rational>>> {
    let entries = interior.values().len();
    let (mut columns, mut near, mut place) = (Vec::new(), Vec::new(), Vec::new());
    let mut rhs = vec![Rational::zero(); entries];
    let mut alpha: Vec<Vec<Rational>> = Vec::with_capacity(items.len());
    for (t, item) in items.iter().enumerate() {
        let cell = &stream.cells()[stream.cell_of()[t]];
        let u = interior.projected_scores(stream.input(cell), item.active);
        let mut row = Vec::with_capacity(u.len());
        for (a, &u_a) in u.iter().enumerate() {
            let top = &item.weight * complement(item, a);
            let share = found[stream.cell_of()[t]][a] / cell.complements()[a];
            let kink = 1.0 + u_a;
            // Strict complementarity: away from the kink the multiplier sits at a bound.
            let fixed = match () {
                _ if top.is_zero() => Some(Rational::zero()),
                _ if kink > 0.0 && kink > 1.0 - share => Some(top.clone()),
                _ if kink < 0.0 && -kink > share => Some(Rational::zero()),
                _ => None,
            };
            let direction = score_row(item, a);
            match &fixed {
                Some(value) => rhs.iter_mut().zip(&direction).for_each(|(r, d)| *r -= value * d),
                None => {
                    columns.push(direction);
                    near.push(share * top.to_f64().unwrap_or(f64::NAN));
                    place.push((t, a));
                }
            }
            row.push(fixed.unwrap_or_else(Rational::zero));
        }
        alpha.push(row);
    }
    let rows = (0..entries).map(|e| columns.iter().map(|c| c[e].clone()).collect()).collect();
    let free = solve_near(rows, rhs, &near, accuracy)?;
    place.into_iter().zip(free).for_each(|((t, a), value)| alpha[t][a] = value);
    Some(alpha)
}

/// Weak duality holds for every pair; equal values prove both optimal.
fn certify(
    items: &[ExactItem],
    matrix: Vec<Rational>,
    multipliers: Vec<Vec<Rational>>,
) -> Option<ExactGap> {
    let mut stationarity = vec![Rational::zero(); matrix.len()];
    let [mut primal, mut dual, mut pointwise, mut weight] =
        std::array::from_fn(|_| Rational::zero());
    for (item, alpha) in items.iter().zip(&multipliers) {
        let mut least: Option<Rational> = None;
        for (a, alpha) in alpha.iter().enumerate() {
            let (row, c) = (score_row(item, a), complement(item, a));
            let top = &item.weight * &c;
            if alpha.is_negative() || *alpha > top {
                return None;
            }
            let u: Rational = row.iter().zip(&matrix).map(|(r, w)| r * w).sum();
            let kink = u + Rational::one();
            if kink.is_positive() {
                primal += &top * kink;
            }
            dual += alpha;
            stationarity.iter_mut().zip(&row).for_each(|(g, r)| *g += alpha * r);
            least = Some(least.map_or(c.clone(), |l| l.min(c)));
        }
        let actions = Rational::from_integer(item.s.len().into());
        pointwise += &item.weight * actions * least?;
        weight += &item.weight;
    }
    if primal != dual || stationarity.iter().any(|g| !g.is_zero()) {
        return None;
    }
    let columns = items.first()?.x.len() + 1;
    Some(ExactGap {
        gap_per_round: (&primal - &pointwise) / weight,
        best_value: primal,
        pointwise,
        squared_norm: matrix.iter().map(|w| w * w).sum(),
        matrix: matrix.chunks(columns).map(<[Rational]>::to_vec).collect(),
        multipliers,
    })
}

/// A fraction for a decimal number as it was typed: the simplest within a relative `1e-12`.
pub fn from_decimal(value: f64) -> Option<Rational> {
    value.is_finite().then(|| simplest_near(value, 1e-12 * value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(p: i64, q: i64) -> Rational {
        Rational::new(p.into(), q.into())
    }

    /// One input, `p = (4/5, 1/5)`, a free expert that is always right, there half of the time.
    pub(super) fn witness() -> (ActionSpace, Vec<ExactItem>) {
        let space = ActionSpace::new(2, 1).unwrap();
        let p = [ratio(4, 5), ratio(1, 5), ratio(1, 1)];
        let item = |active: ActiveSet, s: &[Rational]| ExactItem {
            weight: ratio(1, 2),
            x: vec![Rational::zero()],
            active,
            s: s.to_vec(),
        };
        (space, vec![item(space.all_active(), &p), item(space.classes_only(), &p[..2])])
    }

    #[test]
    fn a_perfect_expert_that_is_there_half_of_the_time_leaves_a_gap_of_one_fifth() {
        let (space, items) = witness();
        let gap = exact_hinge_gap(space, &items).unwrap().expect("certified");
        assert_eq!(gap.gap_per_round, ratio(1, 5));
        assert_eq!((gap.best_value, gap.pointwise), (ratio(19, 10), ratio(17, 10)));
        let bias: Vec<Rational> = gap.matrix.iter().map(|row| row[1].clone()).collect();
        assert_eq!(bias, [ratio(1, 1), ratio(-1, 1), ratio(0, 1)]);
        assert_eq!(gap.squared_norm, ratio(2, 1));
    }

    #[test]
    fn a_wrong_multiplier_or_matrix_is_refused() {
        let (space, items) = witness();
        let gap = exact_hinge_gap(space, &items).unwrap().unwrap();
        let flat: Vec<Rational> = gap.matrix.concat();
        assert!(certify(&items, flat.clone(), gap.multipliers.clone()).is_some());
        let mut moved = flat.clone();
        moved[1] += ratio(1, 100);
        assert!(certify(&items, moved, gap.multipliers.clone()).is_none());
        let mut alpha = gap.multipliers.clone();
        alpha[0][2] += ratio(1, 1_000_000);
        assert!(certify(&items, flat, alpha).is_none());
    }

    #[test]
    fn decimals_become_the_fractions_they_were_typed_as() {
        assert_eq!(from_decimal(0.8), Some(ratio(4, 5)));
        assert_eq!(from_decimal(-0.875), Some(ratio(-7, 8)));
        assert_eq!(from_decimal(0.0), Some(ratio(0, 1)));
        assert_eq!(from_decimal(f64::NAN), None);
    }
}

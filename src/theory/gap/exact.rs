//! The hinge gap of a small stream as an exact fraction.
//!
//! The solver only points at the optimal face. From there a rational matrix and rational
//! multipliers are worked out by exact elimination, and linear programming duality is checked in
//! rationals: multipliers in their boxes, stationary to the last digit, and of the same value as
//! the matrix. No floating-point number enters the check.

use super::layout::Layout;
use super::surrogates::{Convex, gather};
use super::{least_norm, objective};
use crate::matrix::ScoreMatrix;
use crate::prec;
use crate::rational::Rational;
use crate::simplest::solve_near;
use crate::stream::{FiniteStream, StreamItem};
use crate::{SurrogateId, TheoryError};
use num_traits::{One, Signed, ToPrimitive, Zero};
use problem::ActionSpace;

type ExactItem = StreamItem<Rational>;

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
) -> Result<Option<ExactGap>, TheoryError> {
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

fn add_multiple(total: &mut [Rational], factor: &Rational, row: &[Rational]) {
    total.iter_mut().zip(row).for_each(|(t, r)| *t += factor * r);
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
    solve_near(rows, rhs, &start.values, accuracy)
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
    let entries = interior.values.len();
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
                Some(value) => add_multiple(&mut rhs, &-value, &direction),
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
            add_multiple(&mut stationarity, alpha, &row);
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

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActiveSet;

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
    fn a_proof_needs_multipliers_inside_their_boxes_and_stationary() {
        // Complements 1/4 and 3/4. W = 0 costs 1, which is not the optimum: that is 2 * 1/4.
        let space = ActionSpace::new(2, 0).unwrap();
        let s = vec![ratio(3, 4), ratio(1, 4)];
        let item = ExactItem { weight: ratio(1, 1), x: vec![], active: space.all_active(), s };
        let certified = |w: [Rational; 2], alpha: [Rational; 2]| {
            certify(std::slice::from_ref(&item), w.to_vec(), vec![alpha.to_vec()])
        };
        let zero = || [ratio(0, 1), ratio(0, 1)];
        let margin = || [ratio(1, 1), ratio(-1, 1)];
        let proof = certified(margin(), [ratio(1, 4), ratio(1, 4)]).expect("optimal");
        assert_eq!((proof.best_value, proof.gap_per_round), (ratio(1, 2), ratio(0, 1)));
        // Stationary and of the value of W = 0, but 1/2 is more than 1/4.
        assert_eq!(certified(zero(), [ratio(1, 2), ratio(1, 2)]), None);
        // In the boxes and of the same value, but not stationary.
        assert_eq!(certified(zero(), [ratio(1, 4), ratio(3, 4)]), None);
        assert_eq!(certified(margin(), [ratio(1, 8), ratio(3, 8)]), None);
    }

    #[test]
    fn numbers_too_long_to_be_guessed_are_worked_out() {
        // The witness at two inputs, the classes swapped at the second, with p = (q, 1 - q): half
        // of the time 3 * 1 pointwise, half of the time 2 (1 - q), against 2 (2 - q) + 1 and
        // 2 (1 - q) for one matrix, a gap of 1 - q. At a third input beyond the first the label is
        // certain and costs nothing; it comes up as often as the other two together.
        let space = ActionSpace::new(2, 1).unwrap();
        let q = ratio(80_021, 100_003);
        let one = ratio(1, 1);
        let input = |p: i64| vec![ratio(p, 1_000_003)];
        let item = |weight: i64, x: i64, active: ActiveSet, s: &[&Rational]| ExactItem {
            weight: ratio(weight, 1),
            x: input(x),
            active,
            s: s.iter().map(|&v| v.clone()).collect(),
        };
        let (all, classes) = (space.all_active(), space.classes_only());
        let (r, zero) = (&one - &q, Rational::zero());
        let items = [
            item(4, 900_001, classes, &[&one, &zero]),
            item(1, 700_001, all, &[&q, &r, &one]),
            item(1, 700_001, classes, &[&q, &r]),
            item(1, -300_007, all, &[&r, &q, &one]),
            item(1, -300_007, classes, &[&r, &q]),
        ];
        let gap = exact_hinge_gap(space, &items).unwrap().expect("certified");
        assert_eq!(gap.gap_per_round, r / ratio(2, 1));
    }
}

//! From floating-point solutions to exact ones: simple fractions and linear systems.

use super::rational::Rational;
use num_traits::{One, Signed, Zero};

/// The fraction of least denominator within `accuracy` of `value` (0 if `value` is not finite).
pub(crate) fn simplest_near(value: f64, accuracy: f64) -> Rational {
    let (Some(value), Some(accuracy)) =
        (Rational::from_float(value), Rational::from_float(accuracy.abs()))
    else {
        return Rational::zero();
    };
    simplest_between(&value - &accuracy, value + accuracy)
}

/// Continued fractions: descend the Stern-Brocot tree to the first fraction in `[low, high]`.
fn simplest_between(low: Rational, high: Rational) -> Rational {
    if !low.is_positive() && !high.is_negative() {
        return Rational::zero();
    }
    if high.is_negative() {
        return -simplest_between(-high, -low);
    }
    let floor = Rational::from_integer(low.floor().to_integer());
    if floor == low {
        return floor;
    }
    let next = &floor + Rational::one();
    if next <= high {
        return next;
    }
    &floor + simplest_between((high - &floor).recip(), (low - &floor).recip()).recip()
}

/// A solution of `rows v = rhs` close to `near`: unknowns the system leaves open become the
/// simplest fractions within `accuracy`, the others follow. `None` if the system has no solution.
pub(crate) fn solve_near(
    mut rows: Vec<Vec<Rational>>,
    mut rhs: Vec<Rational>,
    near: &[f64],
    accuracy: f64,
) -> Option<Vec<Rational>> {
    let unknowns = near.len();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..unknowns {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|&r| !rows[r][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, found);
        rhs.swap(rank, found);
        let factor = rows[rank][column].recip();
        rows[rank].iter_mut().for_each(|v| *v *= &factor);
        rhs[rank] *= &factor;
        for r in (0..rows.len()).filter(|&r| r != rank) {
            let factor = rows[r][column].clone();
            if !factor.is_zero() {
                let (pivot_row, pivot_rhs) = (rows[rank].clone(), rhs[rank].clone());
                rows[r].iter_mut().zip(&pivot_row).for_each(|(v, p)| *v -= &factor * p);
                rhs[r] -= &factor * pivot_rhs;
            }
        }
        pivots.push(column);
    }
    if rhs[pivots.len()..].iter().any(|v| !v.is_zero()) {
        return None;
    }
    let mut solution: Vec<Rational> = near.iter().map(|&v| simplest_near(v, accuracy)).collect();
    for (r, &pivot) in pivots.iter().enumerate() {
        let open = (0..unknowns).filter(|c| !pivots.contains(c));
        let rest: Rational = open.map(|c| &rows[r][c] * &solution[c]).sum();
        solution[pivot] = &rhs[r] - rest;
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::ratio;

    #[test]
    fn the_simplest_fraction_is_found_by_trying_all_denominators() {
        for (value, accuracy) in [
            (0.333, 1e-2),
            (std::f64::consts::E, 1e-6),
            (-0.142857, 1e-5),
            (2.0, 0.1),
            (1e-9, 1e-8),
        ] {
            let found = simplest_near(value, accuracy);
            let brute = (1i64..2000)
                .find_map(|q| {
                    let p = (value * q as f64).round() as i64;
                    ((p as f64 / q as f64 - value).abs() <= accuracy).then(|| ratio(p, q))
                })
                .unwrap();
            assert_eq!(found.denom(), brute.denom(), "{value}");
        }
        assert_eq!(simplest_near(f64::NAN, 1.0), ratio(0, 1));
    }

    #[test]
    fn open_unknowns_are_rounded_and_the_rest_is_exact() {
        // x + y + z = 1, x - y = 1/3: one unknown is open.
        let rows = vec![
            vec![ratio(1, 1), ratio(1, 1), ratio(1, 1)],
            vec![ratio(1, 1), ratio(-1, 1), ratio(0, 1)],
        ];
        let rhs = vec![ratio(1, 1), ratio(1, 3)];
        let v = solve_near(rows, rhs, &[0.541, 0.209, 0.2501], 1e-3).unwrap();
        assert_eq!(v[2], ratio(1, 4));
        assert_eq!(&v[0] + &v[1] + &v[2], ratio(1, 1));
        assert_eq!(&v[0] - &v[1], ratio(1, 3));
        let impossible = vec![vec![ratio(1, 1)], vec![ratio(2, 1)]];
        assert!(solve_near(impossible, vec![ratio(1, 1), ratio(1, 1)], &[1.0], 0.1).is_none());
    }
}

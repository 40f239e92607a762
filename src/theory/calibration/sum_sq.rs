//! Minimises the conditional risk of the squared-hinge sum loss when some scores must be equal.
//!
//! ```text
//! C(u) = sum_{a != b} s_a [1 - (u_a - u_b)]_+^2
//! ```
//! is convex, once differentiable and piecewise quadratic, so Newton's method ends at an exact
//! minimiser after finitely many steps, also in rational arithmetic, and a vanishing gradient is a
//! certificate of the global minimum.

use crate::loss::{Piecewise, Scalar};

/// More steps than any problem in the tests needs by a factor of ten.
const MAX_STEPS: usize = 200;

/// Minimises `C` over score vectors that are constant on each group; `group[a]` in `0..s.len()`
/// says which score action `a` has. The first group with mass gets score 0. `None` when Newton's
/// method has not settled after [`MAX_STEPS`] steps.
///
/// Settled means: the quadratic piece no longer changes (then the point is exact up to rounding), or
/// the gradient is at most `tolerance` (zero in exact arithmetic).
///
/// A group without mass goes one below the lowest score of the others, where it costs nothing.
pub(crate) fn minimise<T: Scalar>(s: &[T], group: &[usize], tolerance: &T) -> Option<Vec<T>> {
    let weightless = |g: usize| (0..s.len()).filter(|&a| group[a] == g).all(|a| s[a].is_zero());
    let kept: Vec<usize> = (0..s.len()).filter(|&g| !weightless(g)).collect();
    let free = kept.len();
    let slot: Vec<Option<usize>> =
        group.iter().map(|g| kept.iter().position(|kept| kept == g)).collect();
    let massive: Vec<usize> = (0..s.len()).filter(|&a| slot[a].is_some()).collect();
    let mass: Vec<T> = massive.iter().map(|&a| s[a].clone()).collect();
    let member: Vec<usize> = massive.iter().filter_map(|&a| slot[a]).collect();

    let mut level = vec![T::zero(); free];
    for _ in 0..MAX_STEPS {
        let scores = spread(&level, &member);
        let target = newton_target(&mass, &member, &scores, free)?;
        let there = spread(&target, &member);
        if same_pieces(&scores, &there) || is_flat(&mass, &member, &there, free, tolerance) {
            let lowest = lowest(&target);
            return Some(
                slot.iter()
                    .map(|slot| match slot {
                        Some(g) => target[*g].clone(),
                        None => lowest.clone() - T::one(),
                    })
                    .collect(),
            );
        }
        level = descend(&mass, &member, level, target);
    }
    None
}

fn spread<T: Scalar>(level: &[T], member: &[usize]) -> Vec<T> {
    member.iter().map(|&g| level[g].clone()).collect()
}

fn lowest<T: Scalar>(values: &[T]) -> T {
    let smaller = |low: T, v: &T| if *v < low { v.clone() } else { low };
    values.iter().fold(values[0].clone(), smaller)
}

/// Whether term `(a, b)`, `s_a [1 - (u_a - u_b)]_+^2`, is on its quadratic piece.
fn is_active<T: Scalar>(u: &[T], a: usize, b: usize) -> bool {
    T::one() > u[a].clone() - u[b].clone()
}

fn same_pieces<T: Scalar>(u: &[T], v: &[T]) -> bool {
    (0..u.len()).all(|a| (0..u.len()).all(|b| is_active(u, a, b) == is_active(v, a, b)))
}

/// Minimiser of the quadratic that `C` is at `scores`, with the first level held at 0.
fn newton_target<T: Scalar>(
    s: &[T],
    member: &[usize],
    scores: &[T],
    free: usize,
) -> Option<Vec<T>> {
    let mut matrix = vec![vec![T::zero(); free + 1]; free];
    for a in 0..s.len() {
        for b in (0..s.len()).filter(|&b| member[b] != member[a] && is_active(scores, a, b)) {
            // Half the gradient of s_a (1 - u_a + u_b)^2 and its constant, moved to the right.
            let (g, h, w) = (member[a], member[b], s[a].clone());
            matrix[g][g] = matrix[g][g].clone() + w.clone();
            matrix[h][h] = matrix[h][h].clone() + w.clone();
            matrix[g][h] = matrix[g][h].clone() - w.clone();
            matrix[h][g] = matrix[h][g].clone() - w.clone();
            matrix[g][free] = matrix[g][free].clone() + w.clone();
            matrix[h][free] = matrix[h][free].clone() - w;
        }
    }
    // Adding a constant to all scores changes nothing: the first level stays where it is.
    let mut rows: Vec<Vec<T>> =
        matrix.into_iter().skip(1).map(|row| row.into_iter().skip(1).collect()).collect();
    let mut level = vec![T::zero()];
    level.extend(solve(&mut rows)?);
    Some(level)
}

/// Gaussian elimination on `[matrix | right side]`. Graph Laplacians need no pivoting.
fn solve<T: Scalar>(rows: &mut [Vec<T>]) -> Option<Vec<T>> {
    let n = rows.len();
    for i in 0..n {
        let (done, below) = rows.split_at_mut(i + 1);
        let pivot = &done[i];
        if pivot[i] <= T::zero() {
            return None;
        }
        for row in below {
            let factor = row[i].clone() / pivot[i].clone();
            for (entry, above) in row.iter_mut().zip(pivot).skip(i) {
                *entry = entry.clone() - factor.clone() * above.clone();
            }
        }
    }
    let mut x = vec![T::zero(); n];
    for i in (0..n).rev() {
        // x_i itself is still zero.
        let known =
            (i..n).fold(rows[i][n].clone(), |sum, c| sum - rows[i][c].clone() * x[c].clone());
        x[i] = known / rows[i][i].clone();
    }
    Some(x)
}

/// Whether the gradient along every group is at most `tolerance`.
fn is_flat<T: Scalar>(s: &[T], member: &[usize], u: &[T], free: usize, tolerance: &T) -> bool {
    let mut slope = vec![T::zero(); free];
    for (g, &m) in gradient(s, u).into_iter().zip(member) {
        slope[m] = slope[m].clone() + g;
    }
    slope.iter().all(|g| *g <= *tolerance && T::zero() - g.clone() <= *tolerance)
}

/// Halves the way to `target` until the risk falls; only rounding can keep it from falling.
fn descend<T: Scalar>(s: &[T], member: &[usize], from: Vec<T>, target: Vec<T>) -> Vec<T> {
    let risk = |level: &[T]| Piecewise::SumSq.conditional_risk(s, &spread(level, member));
    let before = risk(&from);
    let two = T::one() + T::one();
    let mut to = target.clone();
    for _ in 0..60 {
        if risk(&to) < before {
            return to;
        }
        to = to.into_iter().zip(&from).map(|(t, f)| (t + f.clone()) / two.clone()).collect();
    }
    target
}

/// Gradient of `C`; zero exactly at the minimisers.
pub(crate) fn gradient<T: Scalar>(s: &[T], u: &[T]) -> Vec<T> {
    let mut g = vec![T::zero(); u.len()];
    let two = T::one() + T::one();
    for a in 0..u.len() {
        for b in (0..u.len()).filter(|&b| b != a && is_active(u, a, b)) {
            let slope = two.clone() * s[a].clone() * (T::one() - u[a].clone() + u[b].clone());
            g[a] = g[a].clone() - slope.clone();
            g[b] = g[b].clone() + slope;
        }
    }
    g
}

/// `C(u) - C(best)` where the gradient vanishes at `best`, as the sum of the non-negative
/// distances of each term from its tangent at `best`: no cancellation, however small.
pub(crate) fn excess(s: &[f64], u: &[f64], best: &[f64]) -> f64 {
    let mut sum = 0.0;
    for a in 0..u.len() {
        for b in (0..u.len()).filter(|&b| b != a) {
            let (x, y) = (1.0 - (u[a] - u[b]), 1.0 - (best[a] - best[b]));
            let tangent_distance = match (x > 0.0, y > 0.0) {
                (true, true) => (x - y) * (x - y),
                (true, false) => x * x,
                (false, true) => y * (y - 2.0 * x),
                (false, false) => 0.0,
            };
            sum += s[a] * tangent_distance;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::{Rational, ratio};
    use num_traits::Zero;

    #[test]
    fn two_actions_have_their_textbook_minimum() {
        // (s_0 - s_1) / (s_0 + s_1) and 4 s_0 s_1 / (s_0 + s_1).
        let s = [ratio(3, 8), ratio(5, 8)];
        let u = minimise(&s, &[0, 1], &ratio(0, 1)).unwrap();
        assert_eq!(u, [ratio(0, 1), ratio(1, 4)]);
        assert_eq!(Piecewise::SumSq.conditional_risk(&s, &u), ratio(15, 16));
    }

    #[test]
    fn rational_minimisers_have_gradient_zero_and_floats_agree() {
        for s in [[1, 2, 3, 4], [22, 27, 1, 50], [97, 1, 1, 1], [10, 10, 10, 10], [1, 0, 3, 0]] {
            let total: i64 = s.iter().sum();
            let exact: Vec<Rational> = s.iter().map(|&v| ratio(v, total)).collect();
            let u = minimise(&exact, &[0, 1, 2, 3], &ratio(0, 1)).unwrap();
            assert!(gradient(&exact, &u).iter().all(Rational::is_zero), "{s:?} {u:?}");
            let float: Vec<f64> = s.iter().map(|&v| v as f64 / total as f64).collect();
            let v = minimise(&float, &[0, 1, 2, 3], &0.0).unwrap();
            assert!(gradient(&float, &v).iter().all(|g| g.abs() < 1e-14), "{s:?} {v:?}");
        }
    }

    #[test]
    fn the_gradient_by_hand_and_flat_means_in_both_directions() {
        // C = [1 - (u_2 - u_0)]^2 + [1 - (u_2 - u_1)]^2 at u = 0.
        let (s, u) = ([0, 0, 1].map(|v| ratio(v, 1)), [0; 3].map(|v| ratio(v, 1)));
        assert_eq!(gradient(&s, &u), [2, 2, -4].map(|v| ratio(v, 1)));
        assert!(is_flat(&s, &[0, 1, 2], &u, 3, &ratio(4, 1)));
        assert!(!is_flat(&s, &[0, 1, 2], &u, 3, &ratio(3, 1)));
        // Tied, the first two move together: slopes 4 and -4. All tied: nothing changes.
        assert!(!is_flat(&s, &[0, 0, 1], &u, 2, &ratio(3, 1)));
        assert!(is_flat(&s, &[0, 0, 0], &u, 1, &ratio(0, 1)));
    }

    #[test]
    fn a_step_too_long_is_halved_until_the_risk_falls() {
        // Two equal actions: C = ([1 + d]^2 + [1 - d]^2) / 2 at distance d, which is 2 at d = 1.
        let s = [ratio(1, 2), ratio(1, 2)];
        let from_one_to = |to: i64| {
            let at = |d: i64| vec![ratio(0, 1), ratio(d, 1)];
            descend(&s, &[0, 1], at(1), at(to)).remove(1)
        };
        // -8, -7/2, -5/4, -1/8.
        assert_eq!(from_one_to(-8), ratio(-1, 8));
        // -7, -3, -1, 0, and as much as before is no fall.
        assert_eq!(from_one_to(-7), ratio(0, 1));
        assert_eq!(from_one_to(0), ratio(0, 1));
    }

    #[test]
    fn ties_are_respected_and_the_excess_is_the_difference() {
        let s = [0.44f64, 0.54, 0.02];
        let best = minimise(&s, &[0, 1, 2], &0.0).unwrap();
        let tied = minimise(&s, &[0, 0, 1], &0.0).unwrap();
        assert_eq!(tied[0], tied[1]);
        // With a tie the third score is (1 - 3 s_2) / (1 + s_2) lower.
        assert!((tied[2] + 0.94 / 1.02).abs() < 1e-14);
        let risk = |u: &[f64]| Piecewise::SumSq.conditional_risk(&s, u);
        for u in [&tied[..], &[0.0, 3.0, -4.0], &[2.0, 0.0, 0.5], &[0.0; 3]] {
            let difference = risk(u) - risk(&best);
            assert!((excess(&s, u, &best) - difference).abs() < 1e-13 * (1.0 + difference));
        }
    }
}

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

    let mut newton = Newton::new(mass, member, free);
    let mut level = vec![T::zero(); free];
    for _ in 0..MAX_STEPS {
        newton.aim(&level)?;
        if newton.same_pieces(&level) || newton.is_flat(tolerance) {
            let target = &newton.target;
            let lowest = lowest(target);
            return Some(
                slot.iter()
                    .map(|slot| match slot {
                        Some(g) => target[*g].clone(),
                        None => lowest.clone() - T::one(),
                    })
                    .collect(),
            );
        }
        newton.descend(&mut level);
    }
    None
}

fn lowest<T: Scalar>(values: &[T]) -> T {
    let smaller = |low: T, v: &T| if *v < low { v.clone() } else { low };
    values.iter().fold(values[0].clone(), smaller)
}

/// Whether term `(a, b)`, `s_a [1 - (u_a - u_b)]_+^2`, is on its quadratic piece.
fn is_active<T: Scalar>(u: &[T], a: usize, b: usize) -> bool {
    T::one() > u[a].clone() - u[b].clone()
}

/// Newton's method on the levels of groups, with its buffers: a search takes millions of steps.
struct Newton<T> {
    mass: Vec<T>,
    /// The group of each action.
    member: Vec<usize>,
    free: usize,
    /// Where the step leads: the minimiser of the quadratic that `C` is at the current levels.
    target: Vec<T>,
    /// `[matrix | right side]` without the first level, row after row.
    system: Vec<T>,
    scores: Vec<T>,
    slopes: Vec<T>,
}

impl<T: Scalar> Newton<T> {
    fn new(mass: Vec<T>, member: Vec<usize>, free: usize) -> Self {
        let zeros = |count: usize| vec![T::zero(); count];
        Newton {
            target: zeros(free.max(1)),
            system: zeros(free.saturating_sub(1) * free),
            scores: zeros(member.len()),
            slopes: zeros(member.len() + free),
            mass,
            member,
            free,
        }
    }

    /// Minimiser of the quadratic that `C` is at `level`, with the first level held at 0.
    fn aim(&mut self, level: &[T]) -> Option<()> {
        let Newton { mass: s, member, free, system, .. } = self;
        let width = *free;
        system.fill(T::zero());
        // Adding a constant to all scores changes nothing: the first level stays where it is, and
        // has neither row nor column.
        let mut add = |g: usize, h: usize, w: T| {
            if g > 0 && h > 0 {
                let entry = &mut system[(g - 1) * width + h - 1];
                *entry = entry.clone() + w;
            }
        };
        for a in 0..s.len() {
            for b in 0..s.len() {
                let (g, h) = (member[a], member[b]);
                if g == h || !is_active(level, g, h) {
                    continue;
                }
                // Half the gradient of s_a (1 - u_a + u_b)^2 and its constant, moved to the right.
                let (w, less) = (s[a].clone(), T::zero() - s[a].clone());
                add(g, g, w.clone());
                add(h, h, w.clone());
                add(g, h, less.clone());
                add(h, g, less.clone());
                add(g, width, w);
                add(h, width, less);
            }
        }
        self.target[0] = T::zero();
        solve(system, &mut self.target[1..])
    }

    fn same_pieces(&self, level: &[T]) -> bool {
        let groups = || 0..self.free;
        let same = |g, h| is_active(level, g, h) == is_active(&self.target, g, h);
        groups().all(|g| groups().all(|h| same(g, h)))
    }

    /// Whether the gradient at the target along every group is at most `tolerance`.
    fn is_flat(&mut self, tolerance: &T) -> bool {
        spread(&self.target, &self.member, &mut self.scores);
        let (gradient, slope) = self.slopes.split_at_mut(self.member.len());
        add_gradient(&self.mass, &self.scores, gradient);
        slope.fill(T::zero());
        for (g, &m) in gradient.iter().zip(&self.member) {
            slope[m] = slope[m].clone() + g.clone();
        }
        slope.iter().all(|g| *g <= *tolerance && T::zero() - g.clone() <= *tolerance)
    }

    /// Halves the way to the target until the risk falls; only rounding can keep it from falling.
    fn descend(&mut self, level: &mut [T]) {
        let (mass, member, scores) = (&self.mass, &self.member, &mut self.scores);
        let mut risk = |level: &[T]| {
            spread(level, member, scores);
            Piecewise::SumSq.conditional_risk(mass, scores)
        };
        let before = risk(level);
        let two = T::one() + T::one();
        let mut to = self.target.clone();
        for _ in 0..60 {
            if risk(&to) < before {
                return level.clone_from_slice(&to);
            }
            for (to, from) in to.iter_mut().zip(level.iter()) {
                *to = (to.clone() + from.clone()) / two.clone();
            }
        }
        level.clone_from_slice(&self.target);
    }
}

fn spread<T: Scalar>(level: &[T], member: &[usize], scores: &mut [T]) {
    for (score, &g) in scores.iter_mut().zip(member) {
        *score = level[g].clone();
    }
}

/// Gaussian elimination on `[matrix | right side]`, row after row. Graph Laplacians need no pivoting.
fn solve<T: Scalar>(system: &mut [T], x: &mut [T]) -> Option<()> {
    let n = x.len();
    let width = n + 1;
    for i in 0..n {
        let (done, below) = system.split_at_mut((i + 1) * width);
        let pivot = &done[i * width..];
        if pivot[i] <= T::zero() {
            return None;
        }
        for row in below.chunks_exact_mut(width) {
            let factor = row[i].clone() / pivot[i].clone();
            for (entry, above) in row.iter_mut().zip(pivot).skip(i) {
                *entry = entry.clone() - factor.clone() * above.clone();
            }
        }
    }
    x.fill(T::zero());
    for i in (0..n).rev() {
        let row = &system[i * width..][..width];
        // x_i itself is still zero.
        let known = (i..n).fold(row[n].clone(), |sum, c| sum - row[c].clone() * x[c].clone());
        x[i] = known / row[i].clone();
    }
    Some(())
}

/// Gradient of `C`; zero exactly at the minimisers.
pub(crate) fn gradient<T: Scalar>(s: &[T], u: &[T]) -> Vec<T> {
    let mut g = vec![T::zero(); u.len()];
    add_gradient(s, u, &mut g);
    g
}

fn add_gradient<T: Scalar>(s: &[T], u: &[T], g: &mut [T]) {
    g.fill(T::zero());
    let two = T::one() + T::one();
    for a in 0..u.len() {
        for b in (0..u.len()).filter(|&b| b != a && is_active(u, a, b)) {
            let slope = two.clone() * s[a].clone() * (T::one() - u[a].clone() + u[b].clone());
            g[a] = g[a].clone() - slope.clone();
            g[b] = g[b].clone() + slope;
        }
    }
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
        let is_flat = |member: [usize; 3], free: usize, tolerance: i64| {
            Newton::new(s.to_vec(), member.to_vec(), free).is_flat(&ratio(tolerance, 1))
        };
        assert!(is_flat([0, 1, 2], 3, 4) && !is_flat([0, 1, 2], 3, 3));
        // Tied, the first two move together: slopes 4 and -4. All tied: nothing changes.
        assert!(!is_flat([0, 0, 1], 2, 3) && is_flat([0, 0, 0], 1, 0));
    }

    #[test]
    fn a_step_too_long_is_halved_until_the_risk_falls() {
        // Two equal actions: C = ([1 + d]^2 + [1 - d]^2) / 2 at distance d, which is 2 at d = 1.
        let s = [ratio(1, 2), ratio(1, 2)];
        let from_one_to = |to: i64| {
            let at = |d: i64| vec![ratio(0, 1), ratio(d, 1)];
            let mut newton = Newton::new(s.to_vec(), vec![0, 1], 2);
            newton.target = at(to);
            let mut level = at(1);
            newton.descend(&mut level);
            level.remove(1)
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

//! Least conditional risk of the constrained surrogates over zero-sum vectors in a ball.
//!
//! At one input the projected Frobenius-ball class reaches exactly the zero-sum `u` with
//! `|u|_2 <= r = B |x~|` (App. C), so this is what `C*_Phi` means for that class.
//!
//! ```text
//! min sum_a f_a(u_a)   subject to sum_a u_a = 0, |u|^2 <= r^2
//! max sum_a min_v { f_a(v) + lambda v^2 / 2 - mu v } - lambda r^2 / 2     over lambda >= 0, mu
//! ```
//! Each inner minimum has a closed form `v_a(lambda, mu)`, non-decreasing in `mu`; `mu` makes the
//! sum zero, `lambda` the norm `r`; the dual value at the end is the certificate. `mu` is written
//! `base + lambda z` with `base` the least slope at 0: when two weights nearly tie, `lambda` is
//! tiny and `mu / lambda` alone would keep few digits.

use super::{PointwiseMinimum, argmax, centred, check_weights, constrained_square, weights};
use crate::prec;
use crate::{SurrogateId, TheoryError};

/// One coordinate's share of the objective.
#[derive(Clone, Copy, Debug)]
enum Term {
    /// `w [1 + v]_+`.
    Hinge(f64),
    /// `w [1 + v]_+^2`.
    Square(f64),
    /// `w Phi_tau(-v)` restricted to `-tau <= v <= 0`, where it is `w (1 + v / tau)`.
    Slope(f64, f64),
    /// `w Phi_tau(-v)` restricted to `v >= 0`, where it is `w`.
    Flat(f64),
}

impl Term {
    fn value(self, v: f64) -> f64 {
        match self {
            Term::Hinge(w) => w * (1.0 + v).max(0.0),
            Term::Square(w) => w * (1.0 + v).max(0.0) * (1.0 + v).max(0.0),
            Term::Slope(w, tau) => w * (1.0 + v / tau),
            Term::Flat(w) => w,
        }
    }

    /// Slope of `f` at 0: the prox is not negative from this `mu` on.
    fn slope_at_zero(self) -> f64 {
        match self {
            Term::Hinge(w) => w,
            Term::Square(w) => 2.0 * w,
            Term::Slope(w, tau) => w / tau,
            Term::Flat(_) => 0.0,
        }
    }

    /// `argmin_v f(v) + lambda v^2 / 2 - mu v` with `mu = base + lambda z >= 0`.
    fn prox(self, lambda: f64, base: f64, z: f64) -> f64 {
        let drop = base - self.slope_at_zero();
        match self {
            Term::Hinge(_) => (drop / lambda + z).max(-1.0),
            Term::Square(w) => (drop + lambda * z) / (2.0 * w + lambda),
            Term::Slope(_, tau) => (drop / lambda + z).clamp(-tau, 0.0),
            Term::Flat(_) => drop / lambda + z,
        }
    }
}

/// `inf { C_Phi(u) : sum u = 0, |u|_2 <= radius }` for `cstnd_hinge`, `cstnd_sq`, `cstnd_tau`. The
/// minimiser, which is always there, is feasible: zero-sum and inside the ball.
///
/// # Errors
/// A surrogate that is not constrained; a radius that is negative or NaN; bad weights `s`.
pub fn infimum_in_ball(
    id: SurrogateId,
    s: &[f64],
    radius: f64,
) -> Result<PointwiseMinimum, TheoryError> {
    check_weights(s)?;
    if radius.is_nan() || radius < 0.0 {
        return Err(TheoryError::out_of_range("radius", radius, "a radius that is not negative"));
    }
    let w = weights(s);
    let (u, bound) = match id {
        SurrogateId::CstndHinge => {
            let terms: Vec<Term> = w.iter().map(|&w| Term::Hinge(w)).collect();
            solve(&terms, shared_canonical_vector(s), radius)
        }
        SurrogateId::CstndSq => {
            let terms: Vec<Term> = w.iter().map(|&w| Term::Square(w)).collect();
            let free = constrained_square(s).minimizer.unwrap_or_default();
            solve(&terms, free, radius)
        }
        SurrogateId::CstndTau { tau } => solve_ramp(&w, tau, radius),
        _ => {
            return Err(TheoryError::UnknownSurrogate {
                field: "surrogate",
                value: id.to_string(),
                expected: "cstnd_hinge, cstnd_sq, cstnd_tau",
            });
        }
    };
    let value = id.conditional_risk(s, &u);
    let gap = value - bound;
    Ok(PointwiseMinimum {
        value,
        minimizer: Some(u),
        gap: if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) },
    })
}

/// The hinge minimiser of least norm: the actions that tie for `y_max` share the margin, so that
/// `|u|^2 = K (K - m) / m` with `m` of them.
fn shared_canonical_vector(s: &[f64]) -> Vec<f64> {
    let top = s[argmax(s)];
    let ties = s.iter().filter(|&&v| v == top).count();
    let margin = s.len() as f64 / ties as f64 - 1.0;
    s.iter().map(|&v| if v == top { margin } else { -1.0 }).collect()
}

/// The ramp is not convex, but once the set of actions with `u_a >= 0` is fixed the rest is. By an
/// exchange of two scores that set can be taken to be those with the `m` smallest weights, so
/// trying every `m` is exhaustive.
fn solve_ramp(w: &[f64], tau: f64, radius: f64) -> (Vec<f64>, f64) {
    let k = w.len();
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| w[a].total_cmp(&w[b]));
    let mut best = (vec![0.0; k], w.iter().sum::<f64>());
    let mut best_value = best.1;
    for m in 1..k {
        let mut terms: Vec<Term> = w.iter().map(|&w| Term::Slope(w, tau)).collect();
        let mut free = vec![-tau; k];
        for &a in &order[..m] {
            terms[a] = Term::Flat(w[a]);
            free[a] = tau * (k - m) as f64 / m as f64;
        }
        let (u, bound) = solve(&terms, free, radius);
        let value: f64 = terms.iter().zip(&u).map(|(term, &v)| term.value(v)).sum();
        best.1 = best.1.min(bound);
        if value < best_value {
            best_value = value;
            best.0 = u;
        }
    }
    best
}

/// A feasible vector and a lower bound on the infimum. `free` is the minimiser of least norm when
/// there is no ball.
fn solve(terms: &[Term], free: Vec<f64>, radius: f64) -> (Vec<f64>, f64) {
    let total = |u: &[f64]| terms.iter().zip(u).map(|(term, &v)| term.value(v)).sum::<f64>();
    if norm(&free) <= radius {
        let value = total(&free);
        return (free, value);
    }
    if radius == 0.0 {
        let zero = vec![0.0; terms.len()];
        let value = total(&zero);
        return (zero, value);
    }
    let slopes = || terms.iter().map(|term| term.slope_at_zero());
    let base = slopes().fold(f64::INFINITY, f64::min);
    let last = slopes().fold(0.0, f64::max);
    let at = |lambda: f64| {
        // Between z = 0, where no coordinate is positive, and mu = last, where none is negative.
        let sum = |z: f64| terms.iter().map(|term| term.prox(lambda, base, z)).sum::<f64>();
        let z = bisect(0.0, (last - base) / lambda, |z| sum(z) >= 0.0);
        let v: Vec<f64> = terms.iter().map(|term| term.prox(lambda, base, z)).collect();
        (z, v)
    };
    // |v(lambda)| falls from |free| > r to 0: bracket the crossing within a factor of two, then
    // halve until the bracket is one rounding wide.
    let inside = |lambda: f64| norm(&at(lambda).1) <= radius;
    let mut high = 1.0;
    while !inside(high) && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    let mut low = high;
    while inside(low) && low > f64::MIN_POSITIVE {
        (low, high) = (low / 2.0, low);
    }
    let lambda = bisect(low, high, inside);
    let (z, v) = at(lambda);
    let mut u = centred(v);
    let shrink = (radius / norm(&u)).min(1.0);
    u.iter_mut().for_each(|v| *v *= shrink);
    (u, dual_value(terms, base, lambda, z, radius))
}

/// The dual value at `lambda` and `mu = base + lambda z`: a lower bound wherever it is taken.
fn dual_value(terms: &[Term], base: f64, lambda: f64, z: f64, radius: f64) -> f64 {
    let mu = base + lambda * z;
    let least = |term: &Term| {
        let v = term.prox(lambda, base, z);
        term.value(v) + lambda * v * v / 2.0 - mu * v
    };
    terms.iter().map(least).sum::<f64>() - lambda * radius * radius / 2.0
}

/// The smallest number in `(low, high]` for which the monotone `holds` is true.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..prec::BISECTIONS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

fn norm(u: &[f64]) -> f64 {
    u.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_ball_leaves_the_hinge_linear() {
        // Below |u| = 1 no coordinate can pass the kink, so the best step goes straight down:
        // sum w - r |w - mean w|.
        let s = [0.5, 0.25, 0.25, 0.75];
        let w = [1.25, 1.5, 1.5, 1.0];
        let mean = 5.25 / 4.0;
        let spread = w.iter().map(|w: &f64| (w - mean) * (w - mean)).sum::<f64>().sqrt();
        for r in [0.0, 0.25, 0.5] {
            let best = infimum_in_ball(SurrogateId::CstndHinge, &s, r).unwrap();
            assert!((best.value - (5.25 - r * spread)).abs() < 1e-14);
            assert!(best.gap < 1e-14, "{}", best.gap);
        }
    }

    #[test]
    fn a_large_ball_changes_nothing() {
        let s = [0.5, 0.25, 0.25];
        let hinge = infimum_in_ball(SurrogateId::CstndHinge, &s, 6f64.sqrt()).unwrap();
        assert_eq!((hinge.value, hinge.gap), (1.5, 0.0));
        let short = infimum_in_ball(SurrogateId::CstndHinge, &s, 2.4).unwrap();
        assert!(short.value > 1.5 + 1e-3 && short.gap < 1e-13, "{short:?}");
        // Two actions that tie need a radius of sqrt(3 * 1 / 2) only.
        let tie =
            infimum_in_ball(SurrogateId::CstndHinge, &[0.5, 0.5, 0.0], 1.5f64.sqrt()).unwrap();
        assert_eq!((tie.value, tie.minimizer), (1.5, Some(vec![0.5, 0.5, -1.0])));
    }

    #[test]
    fn two_actions_can_be_done_by_hand() {
        // u = (z, -z): the hinge is w_0 (1 + z) + w_1 (1 - z) for z <= 1.
        let s = [0.75, 0.25];
        let z = 0.5 / 2f64.sqrt();
        let best = infimum_in_ball(SurrogateId::CstndHinge, &s, 0.5).unwrap();
        assert!((best.value - (1.0 - 0.5 * z)).abs() < 1e-15);
        // The ramp with tau = 2: w_0 + w_1 (1 - z / 2).
        let best = infimum_in_ball(SurrogateId::CstndTau { tau: 2.0 }, &s, 0.5).unwrap();
        assert!((best.value - (0.25 + 0.75 * (1.0 - z / 2.0))).abs() < 1e-15, "{best:?}");
    }

    #[test]
    fn only_constrained_surrogates_and_real_radii() {
        assert!(infimum_in_ball(SurrogateId::SumSq, &[0.5, 0.5], 1.0).is_err());
        let message = infimum_in_ball(SurrogateId::CstndSq, &[0.5, 0.5], f64::NAN).unwrap_err();
        assert!(message.to_string().contains("radius"));
    }

    #[test]
    fn the_terms_add_up_to_the_conditional_risk() {
        let s = [0.5, 0.25, 0.25, 0.75];
        let w = weights(&s);
        for u in [[0.5, -1.5, 0.25, 0.75], [-0.5, 1.75, -0.25, -1.0]] {
            let total = |term: &dyn Fn(f64, f64) -> Term| -> f64 {
                w.iter().zip(u).map(|(&w, v)| term(w, v).value(v)).sum()
            };
            let close = |sum: f64, id: SurrogateId| {
                assert!((sum - id.conditional_risk(&s, &u)).abs() < 1e-14, "{id} {u:?}");
            };
            close(total(&|w, _| Term::Hinge(w)), SurrogateId::CstndHinge);
            close(total(&|w, _| Term::Square(w)), SurrogateId::CstndSq);
            // No score is below -tau.
            let ramp = |w, v| if v < 0.0 { Term::Slope(w, 2.0) } else { Term::Flat(w) };
            close(total(&ramp), SurrogateId::CstndTau { tau: 2.0 });
        }
    }

    #[test]
    fn each_coordinate_is_minimised_and_the_dual_value_adds_them_up() {
        // The terms with the interval on which they are what they say.
        let terms = [
            (Term::Hinge(0.75), -8.0, 8.0),
            (Term::Square(0.75), -8.0, 8.0),
            (Term::Slope(0.75, 2.0), -2.0, 0.0),
            (Term::Flat(0.75), 0.0, 8.0),
        ];
        for (term, from, to) in terms {
            let left = if from < 0.0 { -1e-6 } else { 1e-6 };
            let slope = (term.value(left) - term.value(0.0)) / left;
            assert!((slope - term.slope_at_zero()).abs() < 1e-5, "{term:?}");
            for (lambda, base, z) in
                [(0.5, 0.0, 0.25), (0.5, 0.25, 0.0), (0.75, 0.5, 1.25), (2.0, 0.75, 0.5)]
            {
                let mu = base + lambda * z;
                let at = |v: f64| term.value(v) + lambda * v * v / 2.0 - mu * v;
                let v = term.prox(lambda, base, z);
                assert!((from..=to).contains(&v), "{term:?}: {v}");
                for step in 0..=1000 {
                    let other = from + (to - from) * f64::from(step) / 1000.0;
                    assert!(at(v) <= at(other) + 1e-14, "{term:?}: {v} {other}");
                }
                // Twice the same term, in a ball of radius 3: lambda 9 / 2 less.
                let bound = dual_value(&[term, term], base, lambda, z, 3.0);
                assert!((bound - (2.0 * at(v) - 4.5 * lambda)).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_vector_of_huge_scores_stays_in_its_tiny_ball() {
        // No multiplier a double can hold shortens the minimiser that much.
        let (s, radius) = ([1e300, 0.0, 5e299], 1e-20);
        for id in [SurrogateId::CstndHinge, SurrogateId::CstndSq] {
            let best = infimum_in_ball(id, &s, radius).unwrap();
            assert!(norm(best.minimizer.as_ref().unwrap()) <= radius * (1.0 + 1e-15), "{best:?}");
            assert!(best.value <= id.conditional_risk(&s, &[0.0; 3]));
        }
    }

    #[test]
    fn bisection_ends_above_its_lower_end() {
        let next = 1.0 + f64::EPSILON;
        assert_eq!(bisect(1.0, next, |_| true), next);
        assert_eq!(bisect(0.0, 8.0, |v| v >= 0.3), 0.3);
        assert_eq!(bisect(0.0, 8.0, |_| false), 8.0);
    }
}

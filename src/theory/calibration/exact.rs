//! Infima of the piecewise polynomial surrogates in exact arithmetic.

use super::sum_sq;
use crate::loss::Piecewise;
use crate::rational::{Rational, ratio};
use num_traits::{One, Zero};

/// `inf C_Phi` over all score vectors (zero-sum ones for the constrained surrogates), for a
/// distribution `s`. `None` only if Newton's method for the squared-hinge sum did not end.
///
/// ```text
/// sum_tau      sum over pairs of min(s_a, s_b)
/// cstnd_hinge  K (1 - max s)
/// cstnd_sq     K^2 / sum_a 1/(1 - s_a), zero if some s_a = 1
/// cstnd_tau    1 - max s
/// ```
pub(crate) fn infimum(surrogate: &Piecewise<Rational>, s: &[Rational]) -> Option<Rational> {
    let k = ratio(s.len() as i64, 1);
    let rest = Rational::one() - s.iter().max().cloned().unwrap_or_default();
    Some(match surrogate {
        Piecewise::SumSq => surrogate.conditional_risk(s, &minimiser(surrogate, s)?),
        Piecewise::SumTau(_) => pairs(s).map(|(a, b)| a.min(b).clone()).sum(),
        Piecewise::CstndHinge => k * rest,
        Piecewise::CstndSq if rest.is_zero() => rest,
        Piecewise::CstndSq => {
            let inverse: Rational = s.iter().map(|s_a| (Rational::one() - s_a).recip()).sum();
            &k * &k / inverse
        }
        Piecewise::CstndTau(_) => rest,
    })
}

fn pairs(s: &[Rational]) -> impl Iterator<Item = (&Rational, &Rational)> {
    s.iter().enumerate().flat_map(|(a, s_a)| s[a + 1..].iter().map(move |s_b| (s_a, s_b)))
}

/// The exact minimiser of one of the two squared surrogates; `None` for the others.
pub(crate) fn minimiser(surrogate: &Piecewise<Rational>, s: &[Rational]) -> Option<Vec<Rational>> {
    let k = s.len();
    match surrogate {
        Piecewise::SumSq => {
            let alone: Vec<usize> = (0..k).collect();
            sum_sq::minimise(s, &alone, &Rational::zero())
        }
        Piecewise::CstndSq => {
            let total = Rational::one();
            if let Some(sure) = s.iter().position(|s_a| *s_a == total) {
                let top = |a| if a == sure { k as i64 - 1 } else { -1 };
                return Some((0..k).map(|a| ratio(top(a), 1)).collect());
            }
            let inverses: Vec<Rational> = s.iter().map(|s_a| (&total - s_a).recip()).collect();
            let sum: Rational = inverses.iter().sum();
            let scale = ratio(k as i64, 1) / sum;
            Some(inverses.into_iter().map(|inverse| inverse * &scale - &total).collect())
        }
        _ => None,
    }
}

/// Whether the first-order condition holds exactly at `u`: gradient zero, or for zero-sum vectors
/// gradient constant. Both squared surrogates are convex and differentiable, so then `u` is a
/// global minimiser.
pub(crate) fn is_stationary(
    surrogate: &Piecewise<Rational>,
    s: &[Rational],
    u: &[Rational],
) -> bool {
    match surrogate {
        Piecewise::SumSq => sum_sq::gradient(s, u).iter().all(Rational::is_zero),
        Piecewise::CstndSq => {
            let slope = |a: usize| {
                let v = (Rational::one() + &u[a]).max(Rational::zero());
                v * (Rational::one() - &s[a])
            };
            let balanced = u.iter().sum::<Rational>().is_zero();
            balanced && (1..u.len()).all(|a| slope(a) == slope(0))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SurrogateId, pointwise};
    use num_traits::ToPrimitive;

    /// The smallest risk on a fine grid of score vectors, plus the point itself.
    fn grid_minimum(surrogate: &Piecewise<Rational>, s: &[Rational], zero_sum: bool) -> Rational {
        let mut best: Option<Rational> = None;
        for x in -16..=16 {
            for y in -16..=16 {
                let (x, y) = (ratio(x, 8), ratio(y, 8));
                let z = if zero_sum { -&x - &y } else { Rational::zero() };
                let risk = surrogate.conditional_risk(s, &[x, y, z]);
                if best.as_ref().is_none_or(|b| risk < *b) {
                    best = Some(risk);
                }
            }
        }
        best.unwrap()
    }

    #[test]
    fn no_grid_point_is_below_the_infimum_and_some_is_close() {
        for s in [[1, 2, 5], [0, 4, 4], [3, 3, 2], [0, 0, 8], [1, 1, 6]] {
            let s: Vec<Rational> = s.iter().map(|&v| ratio(v, 8)).collect();
            for (surrogate, zero_sum) in [
                (Piecewise::SumSq, false),
                (Piecewise::SumTau(ratio(1, 2)), false),
                (Piecewise::CstndHinge, true),
                (Piecewise::CstndSq, true),
                (Piecewise::CstndTau(ratio(1, 1)), true),
            ] {
                let infimum = infimum(&surrogate, &s).unwrap();
                let grid = grid_minimum(&surrogate, &s, zero_sum);
                assert!(infimum <= grid, "{surrogate:?} {s:?}: {infimum} {grid}");
                assert!(grid - infimum < ratio(1, 50), "{surrogate:?} {s:?}");
            }
        }
    }

    #[test]
    fn floating_point_infima_are_the_same() {
        for parts in [[7, 5, 3, 1], [40, 38, 1, 1], [1, 1, 1, 1], [0, 3, 3, 2], [97, 1, 1, 1]] {
            let total: i64 = parts.iter().sum();
            let s: Vec<Rational> = parts.iter().map(|&v| ratio(v, total)).collect();
            let float: Vec<f64> = parts.iter().map(|&v| v as f64 / total as f64).collect();
            for id in SurrogateId::all(0.5, 0.5).unwrap() {
                let exact = match id {
                    SurrogateId::SumSq => Piecewise::SumSq,
                    SurrogateId::SumTau { .. } => Piecewise::SumTau(ratio(1, 2)),
                    SurrogateId::CstndHinge => Piecewise::CstndHinge,
                    SurrogateId::CstndSq => Piecewise::CstndSq,
                    SurrogateId::CstndTau { .. } => Piecewise::CstndTau(ratio(1, 2)),
                    _ => continue,
                };
                let exact = infimum(&exact, &s).unwrap().to_f64().unwrap();
                let value = pointwise::infimum(id, &float).unwrap().value;
                assert!((value - exact).abs() < 1e-13 * (1.0 + exact), "{id} {parts:?}");
            }
        }
    }

    #[test]
    fn minimisers_are_stationary_and_their_neighbours_are_not() {
        for s in [[2, 3, 5], [0, 1, 9], [0, 0, 10]] {
            let s: Vec<Rational> = s.iter().map(|&v| ratio(v, 10)).collect();
            for surrogate in [Piecewise::SumSq, Piecewise::CstndSq] {
                let mut u = minimiser(&surrogate, &s).unwrap();
                assert!(is_stationary(&surrogate, &s, &u), "{surrogate:?} {s:?} {u:?}");
                let risk = surrogate.conditional_risk(&s, &u);
                assert_eq!(Some(risk), infimum(&surrogate, &s));
                u[0] += ratio(3, 1);
                u[2] -= ratio(3, 1);
                assert!(!is_stationary(&surrogate, &s, &u));
            }
        }
        assert_eq!(minimiser(&Piecewise::CstndHinge, &[ratio(1, 1)]), None);
    }
}

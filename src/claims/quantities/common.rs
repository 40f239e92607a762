//! Score vectors that reach the pointwise infimum in every active set at once.

use num_traits::Zero;
use theory::{Rational, SurrogateId};

/// The vector of the table in [`theory::availability`] for scores `s` of all actions; `None` where there is none.
/// `lambda` is the scale of `comp_mae`, which only reaches its infimum as it grows.
///
/// # Panics
/// Never; scores of zero give minus infinity, which the caller has to keep out.
#[must_use]
pub(crate) fn vector(id: SurrogateId, s: &[f64], lambda: f64) -> Option<Vec<f64>> {
    let logs = |scale: f64| Some(s.iter().map(|&s| scale * libm::log(s)).collect());
    match id {
        SurrogateId::CompExp | SurrogateId::SumExp => logs(0.5),
        SurrogateId::CompLog => logs(1.0),
        SurrogateId::CompGce { alpha } if alpha < 1.0 => logs(1.0 / (1.0 - alpha)),
        SurrogateId::CompGce { .. } | SurrogateId::CompMae => logs(lambda),
        SurrogateId::SumTau { .. }
        | SurrogateId::CstndTau { .. }
        | SurrogateId::SumSq
        | SurrogateId::CstndHinge
        | SurrogateId::CstndSq => None,
    }
}

/// The same for the two ramp losses, in exact numbers: rungs in the order of `s`, `tau` apart for
/// the sum, a tower for the constrained loss, in which every rung outweighs all those below it
/// together: `v_0 = 0`, `v_r = N (v_{r-1} + tau)`. Equal scores get rungs of their own, because a
/// ramp wants even equals apart.
#[must_use]
pub(crate) fn ladder(s: &[Rational], tau: &Rational, tower: bool) -> Vec<Rational> {
    let mut order: Vec<usize> = (0..s.len()).collect();
    order.sort_by(|&a, &b| s[a].cmp(&s[b]).then(a.cmp(&b)));
    let count = Rational::from_integer(s.len().into());
    let mut rungs = vec![Rational::zero(); s.len()];
    let mut rung = Rational::zero();
    for a in order {
        rungs[a] = rung.clone();
        rung = if tower { &count * (&rung + tau) } else { &rung + tau };
    }
    rungs
}

#[cfg(test)]
mod tests {
    use super::*;
    use theory::{calibration_gap, ratio};

    #[test]
    fn ladders_by_hand() {
        let s = [ratio(1, 2), ratio(1, 5), ratio(1, 2), ratio(9, 10)];
        let by_hand = |rungs: [i64; 4]| rungs.map(|v| ratio(v, 1)).to_vec();
        assert_eq!(ladder(&s, &ratio(1, 1), false), by_hand([1, 0, 2, 3]));
        assert_eq!(ladder(&s, &ratio(1, 1), true), by_hand([4, 0, 20, 84]));
    }

    #[test]
    fn logs_serve_every_pair_and_a_wrong_scale_does_not() {
        let s = [0.5, 0.3, 0.2, 0.9];
        for set in [&[0usize, 1, 2][..], &[0, 1, 2, 3]] {
            let pick = |v: &[f64]| set.iter().map(|&a| v[a]).collect::<Vec<f64>>();
            for id in [
                SurrogateId::CompExp,
                SurrogateId::CompLog,
                SurrogateId::CompGce { alpha: 0.5 },
                SurrogateId::SumExp,
            ] {
                let v = vector(id, &s, 1.0).unwrap();
                assert!(calibration_gap(id, &pick(&s), &pick(&v)).unwrap() < 1e-14, "{id}");
                let wrong: Vec<f64> = v.iter().map(|v| 1.1 * v).collect();
                assert!(calibration_gap(id, &pick(&s), &pick(&wrong)).unwrap() > 1e-5, "{id}");
            }
        }
        assert!(vector(SurrogateId::SumSq, &s, 1.0).is_none());
        // An exponent of one is the mean absolute error.
        let gce = vector(SurrogateId::CompGce { alpha: 1.0 }, &s, 40.0);
        assert_eq!(gce, vector(SurrogateId::CompMae, &s, 40.0));
    }
}

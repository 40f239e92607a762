//! The true transform: the smallest surrogate gap at which a given zero-one gap can happen.

use super::cheapest::{cheapest, cheapest_gap};
use super::check_actions;
use super::compass::{Bounds, climb_best};
use super::proof::PowerLaw;
use super::search::{fraction, from_gap, lower_corner, plateaus, random_start};
use crate::TheoryError;
use crate::loss::SurrogateId;
use rand_pcg::Pcg64;

/// One point of the transform.
#[derive(Clone, Debug, PartialEq)]
struct TransformPoint {
    /// The zero-one gap.
    beta: f64,
    /// `T(beta)`: the smallest surrogate gap found for it, over all distributions and scores.
    smallest_gap: f64,
    /// `Gamma^{-1}(beta)` for the stated `Gamma`: what App. E says the surrogate gap is at least.
    stated: f64,
    /// `smallest_gap / stated`: above one the stated function is loose, below one it fails.
    slack: f64,
    /// The distribution; action 0 is chosen, action 1 is best.
    s: Vec<f64>,
    /// The scores.
    u: Vec<f64>,
}

/// `T(beta)` for every `beta` in `betas`, next to what the stated calibration function says.
///
/// # Errors
/// `k` outside `2..=`[`super::MAX_ACTIONS`], or a `beta` outside `(0, 1]`.
fn transform(id: SurrogateId, k: usize, betas: &[f64]) -> Result<Vec<TransformPoint>, TheoryError> {
    check_actions(k)?;
    for (i, &beta) in betas.iter().enumerate() {
        if !(beta > 0.0 && beta <= 1.0) {
            return Err(TheoryError::out_of_range(format!("betas[{i}]"), beta, "a gap in (0, 1]"));
        }
    }
    Ok(betas.iter().map(|&beta| point(id, k, beta)).collect())
}

/// CalibrationEffort per zero-one gap: non-convex cases (cross-entropies close to the absolute error) have
/// several local minima for five actions and more.
const RANDOM_STARTS: usize = 60;
const REFINED: usize = 16;

fn point(id: SurrogateId, k: usize, beta: f64) -> TransformPoint {
    let mut rng = Pcg64::new(0x7a45_f023, k as u128);
    let mut gap_at =
        |x: &[f64]| cheapest_gap(id, &with_gap(beta, x), 0).map_or(f64::NEG_INFINITY, |gap| -gap);
    let low = &lower_corner(k)[1..];
    let bounds = Bounds { low, high: &vec![0.0; k - 2] };
    let mut starts = plateaus(k - 2);
    starts.extend((0..RANDOM_STARTS).map(|_| random_start(low, &mut rng)));
    let (at, best) = climb_best(starts, &bounds, REFINED, &mut rng, &mut gap_at)
        .unwrap_or((vec![0.0; k - 2], f64::NEG_INFINITY));
    let s = with_gap(beta, &at);
    let u = cheapest(id, &s, 0).map_or(vec![0.0; k], |found| found.u);
    let stated = PowerLaw::stated(id, k).inverse(beta);
    TransformPoint { beta, smallest_gap: -best, stated, slack: -best / stated, s, u }
}

/// The distribution with zero-one gap `beta` at coordinates `x`; the other actions are scaled down
/// where they would leave the chosen one a negative score.
fn with_gap(beta: f64, x: &[f64]) -> Vec<f64> {
    let mut s = vec![0.0; x.len() + 2];
    let t = &mut s[2..];
    t.iter_mut().zip(x).for_each(|(t_a, &x_a)| *t_a = fraction(x_a));
    let (sum, room) = (t.iter().sum::<f64>(), 1.0 / beta - 1.0);
    if sum > room {
        t.iter_mut().for_each(|t_a| *t_a *= room / sum);
    }
    from_gap(beta, &mut s);
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `T` for the mean absolute error: tie the `l` best actions, whose scores are equal as far
    /// as the mass allows.
    fn mae(beta: f64, k: usize) -> f64 {
        let tied = |l: usize| {
            let l = l as f64;
            if beta * (l - 1.0) <= 1.0 { beta / l } else { beta - 1.0 / l }
        };
        (2..=k).map(tied).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn closed_forms_are_reached() {
        let betas = [0.01, 0.1, 0.3, 0.6, 1.0];
        for k in [2usize, 3, 4] {
            for id in SurrogateId::all(0.5, 0.5).unwrap() {
                let expected = |b: f64| match id {
                    SurrogateId::CompExp | SurrogateId::SumExp => 1.0 - (1.0 - b * b).sqrt(),
                    SurrogateId::CompLog => {
                        let half = |x: f64| if x > 0.0 { x * libm::log(x) / 2.0 } else { 0.0 };
                        half(1.0 + b) + half(1.0 - b)
                    }
                    // alpha = 1/2: twice the Euclidean norm minus its value at a tie.
                    SurrogateId::CompGce { .. } => {
                        2.0 * (((1.0 + b * b) / 2.0).sqrt() - 0.5f64.sqrt())
                    }
                    SurrogateId::CompMae => mae(b, k),
                    SurrogateId::CstndHinge => k as f64 * mae(b, k),
                    SurrogateId::SumTau { .. } | SurrogateId::CstndTau { .. } => b,
                    SurrogateId::SumSq | SurrogateId::CstndSq if k == 2 => b * b,
                    _ => f64::NAN,
                };
                for point in transform(id, k, &betas).unwrap() {
                    let (got, want) = (point.smallest_gap, expected(point.beta));
                    assert_eq!(point.slack, got / point.stated, "{id} {k}");
                    if want.is_finite() {
                        assert!((got / want - 1.0).abs() < 1e-6, "{id} {k} {want} {point:?}");
                    } else {
                        // The squared ones with three actions or more: proved lower bounds.
                        let c = if id == SurrogateId::CstndSq { 2.0 } else { (k + 2) as f64 / 4.0 };
                        assert!(
                            got >= point.beta * point.beta / c * (1.0 - 1e-9),
                            "{id} {point:?}"
                        );
                        assert!(got < point.stated || point.beta > 0.6, "{id} {k} {point:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn more_actions_never_raise_the_transform() {
        // An action without mass that the scores rank last changes nothing for these.
        for id in [SurrogateId::CompGce { alpha: 0.7 }, SurrogateId::CompMae, SurrogateId::SumSq] {
            let at = |k| transform(id, k, &[0.2, 0.5]).unwrap();
            for (few, many) in at(3).into_iter().zip(at(5)) {
                let slack = few.smallest_gap * 1e-6;
                assert!(many.smallest_gap <= few.smallest_gap + slack, "{id} {few:?} {many:?}");
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_stated_function() {
        for id in SurrogateId::all(0.7, 1.0).unwrap() {
            for (t, k) in [(0.3, 2), (0.01, 6)] {
                let beta = id.gamma_stated(t, k);
                assert!((PowerLaw::stated(id, k).inverse(beta) / t - 1.0).abs() < 1e-12, "{id}");
            }
        }
        assert!(
            transform(SurrogateId::CompLog, 3, &[0.5, 0.0])
                .unwrap_err()
                .to_string()
                .contains("betas[1]")
        );
        assert!(transform(SurrogateId::CompLog, 3, &[f64::NAN]).is_err());
    }
}

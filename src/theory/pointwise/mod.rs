//! The score vector each surrogate wants, and the least conditional risk it can reach.
//!
//! Constrained surrogates are minimised over zero-sum vectors, the others over all vectors; these
//! are then given centred, because adding a constant to all scores changes nothing.

mod ball;
mod sum_sq;

pub use ball::infimum_in_ball;

use super::scores::argmax;
use super::{SurrogateId, TheoryError};

/// `inf_u C_Phi(u)` and where it is attained.
#[derive(Clone, Debug, PartialEq)]
pub struct PointwiseMinimum {
    /// The infimum.
    pub value: f64,
    /// A centred minimiser; `None` when the infimum is only approached as scores go to infinity.
    pub minimizer: Option<Vec<f64>>,
    /// How far `value` can be above the infimum: primal minus dual value where a solver was
    /// needed, 0 for closed forms.
    pub gap: f64,
}

/// `inf_u sum_a s_a Phi_01(u, a)` over all (for constrained surrogates: zero-sum) vectors.
///
/// # Formula
/// With `w_a = S - s_a`:
/// ```text
/// comp_exp, sum_exp   2 sum_{a<b} sqrt(s_a s_b)              u = log(s) / 2
/// comp_log            -sum_a s_a log(s_a / S)                u = log(s)
/// comp_gce            (S - |s|_{1/(1-alpha)}) / alpha        u = log(s) / (1 - alpha)
/// comp_mae            S - max s                              not attained unless all s are equal
/// sum_tau             sum_{a<b} min(s_a, s_b)                ranks, tau apart
/// cstnd_hinge         K (S - max s)                          K - 1 at y_max, -1 elsewhere
/// cstnd_sq            K^2 / sum_a (1 / w_a)                  1 + u_a = K / (w_a sum_b 1 / w_b)
/// cstnd_tau           S - max s                              tau (K - 1) at y_max, -tau elsewhere
/// ```
/// `sum_sq` has no closed form; it is solved by Newton's method and comes with a dual certificate.
///
/// # Errors
/// Names the entry of `s` that is negative or not finite; fewer than two entries; no mass at all.
pub fn infimum(id: SurrogateId, s: &[f64]) -> Result<PointwiseMinimum, TheoryError> {
    check_weights(s)?;
    Ok(match id {
        SurrogateId::CompExp | SurrogateId::SumExp => exponential(s),
        SurrogateId::CompLog => logarithmic(s),
        SurrogateId::CompGce { alpha } if alpha < 1.0 => generalized(s, alpha),
        SurrogateId::CompGce { .. } | SurrogateId::CompMae => absolute(s),
        SurrogateId::SumSq => sum_sq::minimize(s),
        SurrogateId::SumTau { tau } => sum_ramp(s, tau),
        SurrogateId::CstndHinge => {
            let k = s.len() as f64;
            closed(k * least_weight(s), Some(canonical_vector(s, 1.0)))
        }
        SurrogateId::CstndSq => constrained_square(s),
        SurrogateId::CstndTau { tau } => closed(least_weight(s), Some(canonical_vector(s, tau))),
    })
}

/// `Delta C_Phi(u) = C_Phi(u) - inf C_Phi` (Lem. D.2), never negative.
pub fn calibration_gap(id: SurrogateId, s: &[f64], u: &[f64]) -> Result<f64, TheoryError> {
    if u.len() != s.len() {
        return Err(TheoryError::WrongLength { field: "u", got: u.len(), expected: s.len() });
    }
    let best = infimum(id, s)?;
    // Both terms carry a rounding, so a gap of zero can come out as -1e-17.
    Ok((id.conditional_risk(s, u) - best.value).max(0.0))
}

/// `w_a = S - s_a` as the sum of the other scores: exact when an action holds all the mass.
pub(crate) fn weights(s: &[f64]) -> Vec<f64> {
    let other = |a: usize| s.iter().enumerate().filter(|&(b, _)| b != a).map(|(_, s)| s).sum();
    (0..s.len()).map(other).collect()
}

/// The margin vector of App. C and F.4, times `scale`: `K - 1` at `y_max`, `-1` elsewhere.
pub(crate) fn canonical_vector(s: &[f64], scale: f64) -> Vec<f64> {
    let mut u = vec![-scale; s.len()];
    u[argmax(s)] = scale * (s.len() - 1) as f64;
    u
}

fn check_weights(s: &[f64]) -> Result<(), TheoryError> {
    if s.len() < 2 {
        return Err(TheoryError::WrongLength { field: "s", got: s.len(), expected: 2 });
    }
    for (i, &value) in s.iter().enumerate() {
        if !(value >= 0.0 && value.is_finite()) {
            let expected = "a finite score that is not negative";
            return Err(TheoryError::out_of_range(format!("s[{i}]"), value, expected));
        }
    }
    let sum: f64 = s.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        Ok(())
    } else {
        Err(TheoryError::WrongSum { field: "s", sum, expected: 1.0 })
    }
}

fn closed(value: f64, minimizer: Option<Vec<f64>>) -> PointwiseMinimum {
    PointwiseMinimum { value, minimizer, gap: 0.0 }
}

fn least_weight(s: &[f64]) -> f64 {
    weights(s)[argmax(s)]
}

/// `log(s) * scale`, centred; `None` when a score is zero and its action wants `-infinity`.
fn centred_logs(s: &[f64], scale: f64) -> Option<Vec<f64>> {
    if s.contains(&0.0) {
        return None;
    }
    Some(centred(s.iter().map(|&s| libm::log(s) * scale).collect()))
}

fn centred(mut u: Vec<f64>) -> Vec<f64> {
    let mean = u.iter().sum::<f64>() / u.len() as f64;
    u.iter_mut().for_each(|u| *u -= mean);
    u
}

fn sum_over_pairs(s: &[f64], pair: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sum = 0.0;
    for (b, &s_b) in s.iter().enumerate() {
        for &s_a in &s[..b] {
            sum += pair(s_a, s_b);
        }
    }
    sum
}

fn exponential(s: &[f64]) -> PointwiseMinimum {
    closed(sum_over_pairs(s, |a, b| 2.0 * a.sqrt() * b.sqrt()), centred_logs(s, 0.5))
}

fn logarithmic(s: &[f64]) -> PointwiseMinimum {
    // -log(s_a / S) = log1p(w_a / s_a) keeps the digits when one action holds nearly all the mass.
    let term = |(&s, &w): (&f64, &f64)| if s > 0.0 { s * libm::log1p(w / s) } else { 0.0 };
    closed(s.iter().zip(&weights(s)).map(term).sum(), centred_logs(s, 1.0))
}

fn generalized(s: &[f64], alpha: f64) -> PointwiseMinimum {
    let power = 1.0 / (1.0 - alpha);
    let top = s[argmax(s)];
    // |s|_power = top * (1 + rest)^(1 / power); scaled by the largest so that no power overflows.
    let rest: f64 = s
        .iter()
        .enumerate()
        .filter(|&(a, _)| a != argmax(s))
        .map(|(_, s)| libm::pow(s / top, power))
        .sum();
    let gain = top * libm::expm1((1.0 - alpha) * libm::log1p(rest));
    closed((least_weight(s) - gain) / alpha, centred_logs(s, power))
}

fn absolute(s: &[f64]) -> PointwiseMinimum {
    // Equal scores make the risk constant: then every vector is a minimiser.
    let flat = s.iter().all(|&v| v == s[0]);
    closed(least_weight(s), flat.then(|| vec![0.0; s.len()]))
}

fn sum_ramp(s: &[f64], tau: f64) -> PointwiseMinimum {
    let mut order: Vec<usize> = (0..s.len()).collect();
    // Stable, so that the lowest index ranks highest among equals.
    order.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
    let mut u = vec![0.0; s.len()];
    let middle = (s.len() - 1) as f64 / 2.0;
    for (rank, &a) in order.iter().enumerate() {
        u[a] = tau * (middle - rank as f64);
    }
    closed(sum_over_pairs(s, f64::min), Some(u))
}

fn constrained_square(s: &[f64]) -> PointwiseMinimum {
    let k = s.len() as f64;
    let w = weights(s);
    let least = w[argmax(s)];
    if least == 0.0 {
        return closed(0.0, Some(canonical_vector(s, 1.0)));
    }
    // Ratios to the least weight: 1 / w itself could overflow.
    let ratio: Vec<f64> = w.iter().map(|w| least / w).collect();
    let sum: f64 = ratio.iter().sum();
    closed(k * k * least / sum, Some(ratio.iter().map(|r| k * r / sum - 1.0).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed_minima() {
        let s = [0.5, 0.25, 0.25];
        let value = |name: &str| {
            infimum(SurrogateId::parse(name, Some(0.5), Some(2.0)).unwrap(), &s).unwrap()
        };
        assert_eq!(value("cstnd_hinge").value, 1.5);
        assert_eq!(value("cstnd_hinge").minimizer.unwrap(), [2.0, -1.0, -1.0]);
        assert_eq!(value("cstnd_tau").minimizer.unwrap(), [4.0, -2.0, -2.0]);
        assert_eq!(value("cstnd_tau").value, 0.5);
        assert_eq!(value("comp_mae").value, 0.5);
        assert_eq!(value("sum_tau").value, 0.75);
        assert_eq!(value("sum_tau").minimizer.unwrap(), [2.0, 0.0, -2.0]);
        // 9 / (1/0.5 + 1/0.75 + 1/0.75) = 27/14
        assert!((value("cstnd_sq").value - 27.0 / 14.0).abs() < 1e-15);
        // |s|_2 = sqrt(3/8)
        assert!((value("comp_gce").value - 2.0 * (1.0 - 0.375f64.sqrt())).abs() < 1e-15);
        assert!((value("comp_log").value - 1.5 * libm::log(2.0)).abs() < 1e-15);
        assert!((value("comp_exp").value - (2.0 * 0.5f64.sqrt() + 0.5)).abs() < 1e-15);
    }

    #[test]
    fn an_action_that_holds_all_the_mass() {
        for id in SurrogateId::all(0.7, 1.0).unwrap() {
            let best = infimum(id, &[0.0, 1.0, 0.0]).unwrap();
            assert!(best.value.abs() < 1e-15, "{id}: {}", best.value);
            match best.minimizer {
                None => assert!(!id.is_constrained() && id.piecewise().is_none(), "{id}"),
                Some(u) => assert!(id.conditional_risk(&[0.0, 1.0, 0.0], &u) < 1e-15, "{id}"),
            }
        }
    }

    #[test]
    fn mae_is_attained_exactly_when_nothing_matters() {
        let id = SurrogateId::CompMae;
        assert_eq!(infimum(id, &[0.5, 0.5]).unwrap().minimizer, Some(vec![0.0, 0.0]));
        assert_eq!(infimum(id, &[0.5, 0.25]).unwrap().minimizer, None);
        let one = SurrogateId::CompGce { alpha: 1.0 };
        assert_eq!(infimum(one, &[0.5, 0.25]), infimum(id, &[0.5, 0.25]));
    }

    #[test]
    fn bad_weights_are_named() {
        let message = |s: &[f64]| infimum(SurrogateId::CompLog, s).unwrap_err().to_string();
        assert!(message(&[1.0]).contains("s has 1"));
        assert!(message(&[1.0, -0.5]).contains("s[1]"));
        assert!(message(&[f64::NAN, 0.5]).contains("s[0]"));
        assert!(message(&[0.0, 0.0]).contains("s sums to 0"));
        assert!(calibration_gap(SurrogateId::CompLog, &[0.5, 0.5], &[0.0]).is_err());
    }
}

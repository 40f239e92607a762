//! Calibration functions with a proof for every `K`.
//!
//! Each proof bounds the surrogate gap from below by the zero-one gap `beta = s_m - s_r` between the
//! best action `m` and the chosen one `r`: `beta^e <= c gap`, that is `Gamma(t) = (c t)^{1/e}`.

use crate::loss::SurrogateId;
use crate::prec;
use crate::rational::{Rational, ratio, sqrt_bounds};
use num_traits::One;
use serde::Serialize;

/// A calibration function of the form `Gamma(t) = (c t)^{1/e}`, as all ten of App. E are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PowerLaw {
    /// `e`, 1 or 2.
    pub exponent: u8,
    /// `c`.
    pub constant: f64,
}

impl PowerLaw {
    /// The stated function, read off its values.
    pub(super) fn stated(id: SurrogateId, k: usize) -> Self {
        let at_one = id.gamma_stated(1.0, k);
        // Gamma(4) / Gamma(1) is 4 for a line and 2 for a square root.
        let exponent = if id.gamma_stated(4.0, k) > 3.0 * at_one { 1 } else { 2 };
        let constant = if exponent == 1 { at_one } else { at_one * at_one };
        PowerLaw { exponent, constant }
    }

    /// `Gamma^{-1}(beta) = beta^e / c`.
    #[cfg(test)]
    pub(super) fn inverse(self, beta: f64) -> f64 {
        let power = if self.exponent == 1 { beta } else { beta * beta };
        power / self.constant
    }
}

/// `beta^exponent <= constant * gap` for all distributions and score vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProvedBound {
    /// `e`, 1 or 2.
    pub exponent: u8,
    /// `c`, which may depend on `K`.
    pub constant: f64,
    /// Whether this is the function App. E states, by comparison; otherwise the stated one is false and
    /// this is its repair.
    pub as_stated: bool,
    /// Whether the argument leaves no room for a smaller constant at this `K`. No verdict rests on it: the
    /// ledger looks for the ratio itself.
    pub sharp: bool,
    /// The proof in a few lines.
    pub argument: &'static str,
}

/// What can be proved about `id` with `k` active actions.
#[must_use]
pub fn proved(id: SurrogateId, k: usize) -> ProvedBound {
    let n = k as f64;
    let stated = PowerLaw::stated(id, k);
    let bound = |exponent: u8, constant: f64, sharp, argument| ProvedBound {
        exponent,
        constant,
        as_stated: exponent == stated.exponent
            && (constant / stated.constant - 1.0).abs() < prec::SAME_CONSTANT,
        sharp,
        argument,
    };
    match id {
        SurrogateId::CompExp | SurrogateId::SumExp => bound(
            2,
            2.0,
            true,
            "The gap is a sum over pairs of (sqrt(s_a) e^{(u_b-u_a)/2} - sqrt(s_b) e^{(u_a-u_b)/2})^2; \
             the pair (m, r) with u_r >= u_m gives (sqrt(s_m) - sqrt(s_r))^2 \
             = beta^2 / (sqrt(s_m) + sqrt(s_r))^2 >= beta^2 / 2.",
        ),
        SurrogateId::CompLog => bound(
            2,
            2.0,
            true,
            "The gap is KL(s, softmax u); with p_r >= p_m it is least at p_r = p_m, where Pinsker's \
             inequality on the pair gives beta^2 / (2 (s_m + s_r)) >= beta^2 / 2.",
        ),
        SurrogateId::CompGce { alpha } => bound(
            2,
            2.0 * libm::pow(n, alpha),
            false,
            "Redistributing p_m + p_r gains at least (2 p_r)^alpha (|(s_m, s_r)|_q - 2^-alpha (s_m + \
             s_r)) / alpha, q = 1/(1-alpha), with p_r >= 1/K; the two-point inequality \
             ((1+x)^q + (1-x)^q)/2 >= (1 + alpha x^2/2)^q finishes it. For \
             alpha = 1 it follows from comp_mae: beta^2 <= beta <= K gap.",
        ),
        SurrogateId::CompMae => bound(
            1,
            n,
            true,
            "The gap is sum_a (s_m - s_a) p_a >= beta p_r, and p_r >= 1/K for the argmax.",
        ),
        SurrogateId::SumSq => bound(
            2,
            (n + 2.0) / 4.0,
            true,
            "Along e_m - e_r the slope of C is at most -4 beta when u_r >= u_m and its curvature \
             at most 4 + 2 K (s_m + s_r) <= 4 + 2K, so C can fall by 16 beta^2 / (2 (4 + 2K)).",
        ),
        SurrogateId::SumTau { .. } => bound(
            1,
            1.0,
            true,
            "Every pair costs at least min(s_a, s_b), all at once when ranked; the pair (m, r) with \
             u_r >= u_m costs at least s_m.",
        ),
        SurrogateId::CstndHinge => bound(
            1,
            1.0,
            true,
            "With v = [1+u]_+ and sum v >= K the gap is at least sum_a (s_m - s_a) v_a >= beta v_r, \
             and v_r >= 1 because the largest of zero-sum scores is not negative.",
        ),
        SurrogateId::CstndSq => bound(
            2,
            if k == 2 { 1.0 } else { 2.0 },
            k == 2,
            "Moving v = 1+u by d from r to m changes C by at most 2d((1-s_m)[v_m]_+ - (1-s_r)v_r) \
             + d^2 (2 - s_m - s_r), so C can fall by beta^2 v_r^2 / (2 - s_m - s_r), where v_r >= 1; \
             the denominator is at most 2, and 1 for two actions.",
        ),
        SurrogateId::CstndTau { .. } => bound(
            1,
            1.0,
            true,
            "The largest of zero-sum scores is not negative, so r alone costs 1 - s_r, and the \
             infimum is 1 - s_m.",
        ),
    }
}

/// The constant of [`proved`] as a rational that is not above it.
#[must_use]
pub(super) fn exact_constant(id: SurrogateId, k: usize) -> Option<Rational> {
    let n = ratio(k as i64, 1);
    match id {
        SurrogateId::CompGce { alpha: 0.5 } => Some(sqrt_bounds(&n)?.0 * ratio(2, 1)),
        SurrogateId::CompGce { alpha } if alpha < 1.0 => None,
        SurrogateId::CompGce { .. } => Some(n * ratio(2, 1)),
        SurrogateId::CompMae => Some(n),
        SurrogateId::SumSq => Some((n + ratio(2, 1)) / ratio(4, 1)),
        SurrogateId::SumTau { .. } | SurrogateId::CstndHinge | SurrogateId::CstndTau { .. } => {
            Some(Rational::one())
        }
        SurrogateId::CstndSq if k == 2 => Some(Rational::one()),
        SurrogateId::CompExp
        | SurrogateId::SumExp
        | SurrogateId::CompLog
        | SurrogateId::CstndSq => Some(ratio(2, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repaired_constants_say_whether_they_are_sharp() {
        for k in 2..=6 {
            let (sum, cstnd) = (proved(SurrogateId::SumSq, k), proved(SurrogateId::CstndSq, k));
            // The supremum over all K of the constrained square is not reached by any K above 2.
            assert_eq!((sum.sharp, cstnd.sharp), (true, k == 2));
            assert_eq!((sum.as_stated, cstnd.as_stated), (k == 2, k == 2));
        }
    }
}

//! Exact checks of proved calibration functions on grids of distributions and score vectors.

use super::check_actions;
use super::exact::infimum;
use super::proof::proved;
use crate::theory::TheoryError;
use crate::theory::loss::{Piecewise, SurrogateId};
use crate::theory::rational::{Rational, ln_bounds, ratio, sqrt_bounds};
use num_traits::{One, ToPrimitive, Zero};
use serde::Serialize;

/// The outcome of an exact check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridCheck {
    pub surrogate: String,
    pub k: usize,
    /// The inequality that was tried at every point.
    pub inequality: String,
    /// Pairs of a distribution and a score vector with a positive zero-one gap.
    pub points: usize,
    /// Where it could not be confirmed.
    pub violations: usize,
    /// The largest `beta^e / (c gap)` met.
    pub tightest: f64,
    /// Distributions left out because their infimum was not found.
    pub unsolved: usize,
}

/// Checks `beta^e <= constant * gap` in rational arithmetic at every distribution with common
/// denominator `fineness` (for the exponential losses: squares of such) and every score vector on
/// a grid with `levels` values per action. Ties are broken the worst way.
///
/// `None` for a generalised cross-entropy with `alpha` other than 1/2 or 1, whose values are not
/// rational; logarithms and square roots are replaced by certified bounds on the unfavourable
/// side.
///
/// # Errors
/// `k` out of range; `fineness` or `levels` below 1 or above 12.
pub fn check_grid(
    id: SurrogateId,
    k: usize,
    constant: &Rational,
    fineness: i64,
    levels: i64,
) -> Result<Option<GridCheck>, TheoryError> {
    check_actions(k)?;
    for (field, value) in [("fineness", fineness), ("levels", levels)] {
        if !(1..=12).contains(&value) {
            return Err(TheoryError::out_of_range(field, value as f64, "a number in 1..=12"));
        }
    }
    let Some(exact) = ExactLoss::of(id) else { return Ok(None) };
    let exponent = proved(id, k).exponent;
    let mut check = GridCheck {
        surrogate: id.to_string(),
        k,
        inequality: format!("zero_one_gap^{exponent} <= {constant} * (C(u) - inf C)"),
        points: 0,
        violations: 0,
        tightest: 0.0,
        unsolved: 0,
    };
    let grid = scores(&exact, k, levels);
    for parts in partitions(fineness, k) {
        let s = exact.distribution(&parts);
        let Some(least) = exact.infimum(&s, &parts) else {
            check.unsolved += 1;
            continue;
        };
        for u in &grid {
            let beta = worst_zero_one_gap(&s, u);
            if beta.is_zero() {
                continue;
            }
            let left = if exponent == 1 { beta } else { &beta * &beta };
            let right = constant * (exact.risk(&s, u) - &least);
            check.points += 1;
            if left > right {
                check.violations += 1;
            }
            let share = if right > Rational::zero() { (left / right).to_f64() } else { None };
            let share = share.unwrap_or(f64::INFINITY);
            check.tightest = check.tightest.max(share);
        }
    }
    Ok(Some(check))
}

/// Losses whose gap can be bounded from below in rationals. The comp-sum ones are given by weights
/// `w_a = e^{u_a}` instead of scores.
enum ExactLoss {
    Piecewise {
        loss: Piecewise<Rational>,
        zero_sum: bool,
    },
    Exponential,
    Logarithm,
    /// `alpha = 1/2`, weights `w_a = e^{u_a / 2}` so that `sqrt(p)` is rational up to one root.
    HalfGce,
    Absolute,
}

impl ExactLoss {
    fn of(id: SurrogateId) -> Option<Self> {
        let piecewise = |loss| ExactLoss::Piecewise { loss, zero_sum: id.is_constrained() };
        Some(match id {
            SurrogateId::CompExp | SurrogateId::SumExp => ExactLoss::Exponential,
            SurrogateId::CompLog => ExactLoss::Logarithm,
            SurrogateId::CompGce { alpha: 0.5 } => ExactLoss::HalfGce,
            SurrogateId::CompGce { alpha } if alpha < 1.0 => return None,
            SurrogateId::CompMae | SurrogateId::CompGce { .. } => ExactLoss::Absolute,
            SurrogateId::SumSq => piecewise(Piecewise::SumSq),
            SurrogateId::SumTau { tau } => piecewise(Piecewise::SumTau(Rational::from_float(tau)?)),
            SurrogateId::CstndHinge => piecewise(Piecewise::CstndHinge),
            SurrogateId::CstndSq => piecewise(Piecewise::CstndSq),
            SurrogateId::CstndTau { tau } => {
                piecewise(Piecewise::CstndTau(Rational::from_float(tau)?))
            }
        })
    }

    fn distribution(&self, parts: &[i64]) -> Vec<Rational> {
        let weight = |x: i64| if matches!(self, ExactLoss::Exponential) { x * x } else { x };
        let total: i64 = parts.iter().map(|&x| weight(x)).sum();
        parts.iter().map(|&x| ratio(weight(x), total)).collect()
    }

    /// `inf C`, or a number not below it.
    fn infimum(&self, s: &[Rational], parts: &[i64]) -> Option<Rational> {
        let one = Rational::one();
        Some(match self {
            ExactLoss::Piecewise { loss, .. } => infimum(loss, s)?,
            ExactLoss::Exponential => {
                let (sum, squares) = parts.iter().fold((0, 0), |(a, b), x| (a + x, b + x * x));
                ratio(sum * sum, squares) - one
            }
            ExactLoss::Logarithm => {
                let entropy = |s_a: &Rational| Some(-(ln_bounds(s_a)?.0) * s_a);
                let positive = s.iter().filter(|s_a| !s_a.is_zero());
                positive.map(entropy).sum::<Option<Rational>>()?
            }
            ExactLoss::HalfGce => {
                let squares: Rational = s.iter().map(|s_a| s_a * s_a).sum();
                (one - sqrt_bounds(&squares)?.0) * ratio(2, 1)
            }
            ExactLoss::Absolute => one - s.iter().max()?,
        })
    }

    /// `C(u)`, or a number not above it.
    fn risk(&self, s: &[Rational], u: &[Rational]) -> Rational {
        let one = Rational::one();
        let total: Rational = u.iter().sum();
        let mean = |loss: &dyn Fn(&Rational) -> Rational| -> Rational {
            s.iter().zip(u).map(|(s_a, u_a)| s_a * loss(u_a)).sum()
        };
        match self {
            ExactLoss::Piecewise { loss, .. } => loss.conditional_risk(s, u),
            ExactLoss::Exponential => mean(&|w| &total / w - &one),
            ExactLoss::Logarithm => {
                mean(&|w| ln_bounds(&(&total / w)).map_or(Rational::zero(), |(low, _)| low))
            }
            ExactLoss::HalfGce => {
                let squares: Rational = u.iter().map(|w| w * w).sum();
                // 1/sqrt(sum) from above, so that the risk is from below.
                let root = sqrt_bounds(&squares.recip()).map_or(one.clone(), |(_, high)| high);
                mean(&|w| (&one - w * &root) * ratio(2, 1))
            }
            ExactLoss::Absolute => mean(&|w| &one - w / &total),
        }
    }
}

/// Score vectors with `levels` values per action, half apart; weights `1..=levels` for the
/// comp-sum losses; the last score balances the others where the sum must be zero.
fn scores(loss: &ExactLoss, k: usize, levels: i64) -> Vec<Vec<Rational>> {
    let zero_sum = matches!(loss, ExactLoss::Piecewise { zero_sum: true, .. });
    let scores = matches!(loss, ExactLoss::Piecewise { .. });
    let free = if zero_sum { k - 1 } else { k };
    let count = levels.pow(free as u32);
    (0..count)
        .map(|code| {
            let digit = |a: usize| code / levels.pow(a as u32) % levels;
            let value = |a| match scores {
                true => ratio(2 * digit(a) - levels + 1, 2),
                false => ratio(1 + digit(a), 1),
            };
            let mut u: Vec<Rational> = (0..free).map(value).collect();
            if zero_sum {
                u.push(-u.iter().sum::<Rational>());
            }
            u
        })
        .collect()
}

/// All ways to write `total` as a non-increasing sum of `k` parts: by symmetry, all distributions.
fn partitions(total: i64, k: usize) -> Vec<Vec<i64>> {
    fn extend(left: i64, most: i64, k: usize, head: &mut Vec<i64>, out: &mut Vec<Vec<i64>>) {
        if k == 0 {
            if left == 0 {
                out.push(head.clone());
            }
            return;
        }
        for part in (0..=most.min(left)).rev() {
            head.push(part);
            extend(left - part, part, k - 1, head, out);
            head.pop();
        }
    }
    let mut out = Vec::new();
    extend(total, total, k, &mut Vec::new(), &mut out);
    out
}

/// `max s - s_r` for the worst maximiser `r` of `u`.
fn worst_zero_one_gap(s: &[Rational], u: &[Rational]) -> Rational {
    let top = u.iter().max();
    let chosen = s.iter().zip(u).filter(|&(_, u_a)| Some(u_a) == top).map(|(s_a, _)| s_a).min();
    s.iter().max().cloned().unwrap_or_default() - chosen.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::proof::exact_constant;
    use super::*;

    fn checked(id: SurrogateId, k: usize, constant: &Rational) -> GridCheck {
        let (fineness, levels) = if k == 2 { (12, 11) } else { (6, 3) };
        let check = check_grid(id, k, constant, fineness, levels).unwrap().unwrap();
        assert!(check.points > 30 && check.unsolved == 0, "{check:?}");
        check
    }

    #[test]
    fn proved_bounds_pass_and_smaller_constants_are_caught() {
        for id in SurrogateId::all(0.5, 1.0).unwrap() {
            for k in 2..=4 {
                let constant = exact_constant(id, k).unwrap();
                let float = proved(id, k).constant;
                assert!((constant.to_f64().unwrap() - float).abs() < 1e-12, "{id} {k}");
                assert_eq!(checked(id, k, &constant).violations, 0, "{id} {k}");
                let smaller = constant * ratio(1, 4);
                assert!(checked(id, k, &smaller).violations > 0, "{id} {k}");
            }
        }
    }

    #[test]
    fn bounds_that_are_attained_on_the_grid_are_tight_there() {
        for id in SurrogateId::all(1.0, 0.5).unwrap() {
            if proved(id, 3).exponent == 1 {
                assert_eq!(checked(id, 3, &exact_constant(id, 3).unwrap()).tightest, 1.0, "{id}");
            }
        }
        // The stated constant of the constrained square, caught on a coarse grid.
        assert!(checked(SurrogateId::CstndSq, 3, &ratio(1, 1)).violations > 0);
        assert_eq!(checked(SurrogateId::CstndSq, 2, &ratio(1, 1)).violations, 0);
    }

    #[test]
    fn what_cannot_be_checked_says_so() {
        let id = SurrogateId::CompGce { alpha: 0.3 };
        assert_eq!(check_grid(id, 3, &ratio(2, 1), 4, 3), Ok(None));
        assert!(exact_constant(id, 3).is_none());
        let message = check_grid(id, 3, &ratio(2, 1), 0, 3).unwrap_err().to_string();
        assert!(message.starts_with("fineness"), "{message}");
    }

    #[test]
    fn partitions_are_all_distributions_up_to_order() {
        assert_eq!(partitions(4, 3), [[4, 0, 0], [3, 1, 0], [2, 2, 0], [2, 1, 1]]);
        assert_eq!(partitions(8, 6).len(), 20);
    }
}

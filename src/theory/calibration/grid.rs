//! Exact checks of proved calibration functions on grids of distributions and score vectors.

use super::check_actions;
use super::exact::infimum;
use super::proof::{exact_constant, proved};
use crate::TheoryError;
use crate::loss::{Piecewise, SurrogateId};
use crate::rational::{Rational, ln_bounds, ratio, sqrt_bounds};
use num_bigint::BigInt;
use num_traits::{One, Pow, ToPrimitive, Zero};
use serde::Serialize;

/// The outcome of an exact check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridCheck {
    /// Name of the loss.
    pub surrogate: String,
    /// Active actions.
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

/// Checks `beta^e <= c gap` of [`proved`] in rational arithmetic at every distribution with common
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
    fineness: i64,
    levels: i64,
) -> Result<Option<GridCheck>, TheoryError> {
    check_actions(k)?;
    match exact_constant(id, k) {
        Some(constant) => check_constant(id, k, &constant, fineness, levels),
        None => Ok(None),
    }
}

/// The same for any constant.
fn check_constant(
    id: SurrogateId,
    k: usize,
    constant: &Rational,
    fineness: i64,
    levels: i64,
) -> Result<Option<GridCheck>, TheoryError> {
    for (field, value) in [("fineness", fineness), ("levels", levels)] {
        if !(1..=12).contains(&value) {
            return Err(TheoryError::out_of_range(field, value as f64, "a number in 1..=12"));
        }
    }
    let Some(exact) = ExactLoss::of(id) else { return Ok(None) };
    let exponent = proved(id, k).exponent;
    let distributions = partitions(fineness, k);
    let solve = |parts: &Vec<i64>| {
        let s = exact.distribution(parts);
        let least = exact.infimum(&s, parts)?;
        Some((Fractions::new(&s), least))
    };
    let solved: Vec<(Fractions, Rational)> = distributions.iter().filter_map(solve).collect();
    let mut check = GridCheck {
        surrogate: id.to_string(),
        k,
        inequality: format!("zero_one_gap^{exponent} <= {constant} * (C(u) - inf C)"),
        points: 0,
        violations: 0,
        tightest: 0.0,
        unsolved: distributions.len() - solved.len(),
    };
    // What a score vector loses at each action is the same under every distribution.
    let grid: Vec<(Vec<usize>, Fractions)> = scores(&exact, k, levels)
        .into_iter()
        .map(|u| (maximisers(&u), Fractions::new(&exact.losses(&u))))
        .collect();
    for (s, least) in &solved {
        for (chosen, losses) in &grid {
            let beta = worst_zero_one_gap(s, chosen);
            if beta.is_zero() {
                continue;
            }
            let left = Pow::pow(&beta, exponent);
            let right = constant.numer() * gap(s, losses, least);
            // Both sides times all denominators: common divisors would cost more than they save.
            let scale = constant.denom() * &losses.denominator * least.denom();
            let left = left * scale;
            let right = right * Pow::pow(&s.denominator, exponent - 1);
            check.points += 1;
            if left > right {
                check.violations += 1;
            }
            let share =
                if right > BigInt::zero() { Rational::new_raw(left, right).to_f64() } else { None };
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
                let sum: i64 = parts.iter().sum();
                let squares: i64 = parts.iter().map(|x| x * x).sum();
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

    /// `Phi_01(u, a)` for every action, or numbers not above them.
    fn losses(&self, u: &[Rational]) -> Vec<Rational> {
        let one = Rational::one();
        let total: Rational = u.iter().sum();
        let each = |loss: &dyn Fn(&Rational) -> Rational| u.iter().map(loss).collect();
        match self {
            ExactLoss::Piecewise { loss, .. } => (0..u.len()).map(|a| loss.phi01(u, a)).collect(),
            ExactLoss::Exponential => each(&|w| &total / w - &one),
            ExactLoss::Logarithm => {
                each(&|w| ln_bounds(&(&total / w)).map_or(Rational::zero(), |(low, _)| low))
            }
            ExactLoss::HalfGce => {
                let squares: Rational = u.iter().map(|w| w * w).sum();
                // 1/sqrt(sum) from above, so that the risk is from below.
                let root = sqrt_bounds(&squares.recip()).map_or(one.clone(), |(_, high)| high);
                each(&|w| (&one - w * &root) * ratio(2, 1))
            }
            ExactLoss::Absolute => each(&|w| &one - w / &total),
        }
    }
}

/// Fractions over one denominator: sums of their products need no common divisors.
struct Fractions {
    numerators: Vec<BigInt>,
    denominator: BigInt,
}

impl Fractions {
    fn new(values: &[Rational]) -> Self {
        let denominator = values.iter().fold(BigInt::one(), |common, value| {
            // What is left of it is what `common` lacks.
            let lacking = Rational::new(common.clone(), value.denom().clone());
            common * lacking.denom()
        });
        let numerator = |value: &Rational| value.numer() * (&denominator / value.denom());
        Fractions { numerators: values.iter().map(numerator).collect(), denominator }
    }
}

/// `C(u) = sum_a s_a Phi_01(u, a)` minus `least`, times all three denominators.
fn gap(s: &Fractions, losses: &Fractions, least: &Rational) -> BigInt {
    let products = s.numerators.iter().zip(&losses.numerators).map(|(s_a, loss)| s_a * loss);
    let risk: BigInt = products.sum();
    risk * least.denom() - least.numer() * &s.denominator * &losses.denominator
}

/// Where `u` is largest.
fn maximisers(u: &[Rational]) -> Vec<usize> {
    let top = u.iter().max();
    (0..u.len()).filter(|&a| Some(&u[a]) == top).collect()
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

/// `max s - s_r` for the worst `r` of those that may be chosen, times the denominator.
fn worst_zero_one_gap(s: &Fractions, chosen: &[usize]) -> BigInt {
    let best = s.numerators.iter().max().cloned().unwrap_or_default();
    best - chosen.iter().map(|&r| &s.numerators[r]).min().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(id: SurrogateId, k: usize, constant: &Rational) -> GridCheck {
        let (fineness, levels) = if k == 2 { (12, 11) } else { (6, 3) };
        let check = check_constant(id, k, constant, fineness, levels).unwrap().unwrap();
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
    fn the_infimum_is_the_risk_at_the_minimiser() {
        let parts = [3, 2, 2, 1];
        let weights: Vec<Rational> = parts.iter().map(|&x| ratio(x, 1)).collect();
        // softmax proportional to sqrt(s) = parts for the exponential (whose distribution is
        // squares of the parts) and to s for the logarithm; for alpha = 1/2 to s^2, the weights
        // being its roots.
        for loss in [ExactLoss::Exponential, ExactLoss::Logarithm, ExactLoss::HalfGce] {
            let s = loss.distribution(&parts);
            assert!(s.iter().sum::<Rational>().is_one());
            let least = loss.infimum(&s, &parts).unwrap();
            // Rounded up and down, respectively.
            let losses = Fractions::new(&loss.losses(&weights));
            let above = gap(&Fractions::new(&s), &losses, &least);
            let scale = &losses.denominator * least.denom() * Fractions::new(&s).denominator;
            let below = -Rational::new(above, scale).to_f64().unwrap();
            assert!((0.0..1e-20).contains(&below), "{below}");
        }
        let by_hand = |loss: ExactLoss, parts: &[i64]| {
            let least = loss.infimum(&loss.distribution(parts), parts).unwrap();
            least.to_f64().unwrap()
        };
        // s = (4, 1) / 5: (2/sqrt(5) + 1/sqrt(5))^2 - 1.
        assert_eq!(by_hand(ExactLoss::Exponential, &[2, 1]), 0.8);
        assert!((by_hand(ExactLoss::Logarithm, &[1, 1]) - std::f64::consts::LN_2).abs() < 1e-15);
        assert!((by_hand(ExactLoss::HalfGce, &[1, 1]) - (2.0 - 2f64.sqrt())).abs() < 1e-15);
        assert_eq!(by_hand(ExactLoss::Absolute, &[3, 1]), 0.25);
    }

    #[test]
    fn one_denominator_changes_no_fraction() {
        let values = [ratio(1, 6), ratio(-3, 4), ratio(0, 1), ratio(5, 2)];
        let fractions = Fractions::new(&values);
        assert_eq!(fractions.denominator, BigInt::from(12));
        assert_eq!(fractions.numerators, [2, -9, 0, 30].map(BigInt::from));
        // 1/36 + 9/16 + 25/4 = 985/144, which is 937/144 above 1/3.
        assert_eq!(gap(&fractions, &fractions, &ratio(1, 3)), BigInt::from(937 * 3));
        assert_eq!(maximisers(&[ratio(1, 2), ratio(1, 3), ratio(2, 4)]), [0, 2]);
        assert_eq!(worst_zero_one_gap(&fractions, &[0, 3]), BigInt::from(28));
    }

    #[test]
    fn the_grid_of_scores_by_hand() {
        let halves = |v: &[&[i64]]| -> Vec<Vec<Rational>> {
            v.iter().map(|u| u.iter().map(|&x| ratio(x, 2)).collect()).collect()
        };
        let free = ExactLoss::of(SurrogateId::SumSq).unwrap();
        let square: [&[i64]; 4] = [&[-1, -1], &[1, -1], &[-1, 1], &[1, 1]];
        assert_eq!(scores(&free, 2, 2), halves(&square));
        let zero_sum = ExactLoss::of(SurrogateId::CstndSq).unwrap();
        assert_eq!(scores(&zero_sum, 2, 3), halves(&[&[-2, 2], &[0, 0], &[2, -2]]));
        // Weights 1 and 2.
        let square: [&[i64]; 4] = [&[2, 2], &[4, 2], &[2, 4], &[4, 4]];
        assert_eq!(scores(&ExactLoss::Absolute, 2, 2), halves(&square));
    }

    #[test]
    fn the_tightest_share_is_inverse_to_the_constant() {
        for id in SurrogateId::all(0.5, 1.0).unwrap() {
            let tightest = |constant| checked(id, 3, &constant).tightest;
            let times = tightest(ratio(1, 5)) / tightest(ratio(1, 1));
            assert!((times - 5.0).abs() < 1e-12, "{id} {times}");
        }
        // No multiple of zero bounds a positive gap.
        let none = checked(SurrogateId::CompMae, 3, &ratio(0, 1));
        assert_eq!((none.violations, none.tightest), (none.points, f64::INFINITY));
    }

    #[test]
    fn an_exponent_of_one_is_checked_as_the_mean_absolute_error() {
        for k in 2..=4 {
            let id = SurrogateId::CompGce { alpha: 1.0 };
            let constant = exact_constant(id, k).unwrap();
            assert_eq!(constant, ratio(2 * k as i64, 1));
            let (gce, mae) = (
                checked(id, k, &constant),
                checked(SurrogateId::CompMae, k, &exact_constant(SurrogateId::CompMae, k).unwrap()),
            );
            assert_eq!((gce.violations, gce.points), (0, mae.points));
            // beta^2 / (2 K gap) is at most half of beta / (K gap).
            assert!(gce.tightest <= mae.tightest / 2.0, "{gce:?} {mae:?}");
        }
    }

    #[test]
    fn what_cannot_be_checked_says_so() {
        let id = SurrogateId::CompGce { alpha: 0.3 };
        assert_eq!(check_grid(id, 3, 4, 3), Ok(None));
        assert_eq!(check_constant(id, 3, &ratio(2, 1), 4, 3), Ok(None));
        let message = check_grid(SurrogateId::SumSq, 3, 0, 3).unwrap_err().to_string();
        assert!(message.starts_with("fineness"), "{message}");
    }

    #[test]
    fn partitions_are_all_distributions_up_to_order() {
        assert_eq!(partitions(4, 3), [[4, 0, 0], [3, 1, 0], [2, 2, 0], [2, 1, 1]]);
        assert_eq!(partitions(8, 6).len(), 20);
    }
}

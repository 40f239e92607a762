//! The cheapest way to choose a given action: the smallest surrogate gap among all score vectors
//! whose argmax is `r`.
//!
//! ```text
//! gap(s, r) = min { C_Phi(u) : u_r >= u_a for all a } - inf C_Phi
//! ```
//! For every surrogate but the squared-hinge sum the minimum is known in closed form. Where the
//! surrogate wants a better action above `r`, the best it can do is to tie it with `r`: the
//! actions tied are those whose score exceeds the mean score of the ties so far, and a tied group
//! acts like that many actions of the mean score. Gaps are written so that nothing cancels when
//! the actions are nearly equal.

use super::sum_sq;
use crate::loss::SurrogateId;
use crate::prec;

/// A score vector that chooses `r` and how far it is from the infimum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cheapest {
    /// Scores whose largest entry is `u_r`, possibly tied; zero-sum for constrained surrogates.
    pub u: Vec<f64>,
    /// `C_Phi(u) - inf C_Phi`.
    pub gap: f64,
}

/// Distance below the others at which an action that must vanish from a softmax is placed:
/// `exp(-60)` is below the rounding of every sum it enters.
const VANISHING: f64 = 60.0;

/// [`cheapest_scores`] and what they lose.
pub(crate) fn cheapest(id: SurrogateId, s: &[f64], r: usize) -> Option<Cheapest> {
    Some(Cheapest { u: cheapest_scores(id, s, r)?, gap: cheapest_gap(id, s, r)? })
}

/// The gap of [`cheapest`] alone, which is all that a search asks for.
pub(super) fn cheapest_gap(id: SurrogateId, s: &[f64], r: usize) -> Option<f64> {
    let best = || s.iter().copied().fold(0.0, f64::max);
    let pooled = || Pooled::new(s, r);
    Some(match id {
        SurrogateId::CompExp | SurrogateId::SumExp => exponential_gap(&pooled()),
        SurrogateId::CompLog => {
            let pooled = pooled();
            pooled.mean * pooled.deviations().map(entropy_excess).sum::<f64>()
        }
        SurrogateId::CompGce { alpha } if alpha < 1.0 => gce_gap(alpha, &pooled()),
        SurrogateId::CompMae | SurrogateId::CompGce { .. } => best() - pooled().mean,
        SurrogateId::SumSq => sum_sq_ties(s, r)?.gap,
        SurrogateId::SumTau { .. } => s.iter().map(|&s_a| (s_a - s[r]).max(0.0)).sum(),
        SurrogateId::CstndHinge => s.len() as f64 * (best() - pooled().mean),
        SurrogateId::CstndSq => constrained_square_gap(&pooled()),
        SurrogateId::CstndTau { .. } => best() - s[r],
    })
}

/// The scores that choose action `r` at the least surrogate gap under the distribution `s`; their largest
/// entry is `u_r`, possibly tied. `None` when the numerical minimisation of the squared-hinge sum did not
/// settle.
#[must_use]
pub fn cheapest_scores(id: SurrogateId, s: &[f64], r: usize) -> Option<Vec<f64>> {
    let (pooled, k) = (Pooled::new(s, r), s.len() as f64);
    Some(match id {
        SurrogateId::CompExp | SurrogateId::SumExp => log_scores(pooled.scores(), 0.5),
        SurrogateId::CompLog => log_scores(pooled.scores(), 1.0),
        SurrogateId::CompGce { alpha } if alpha < 1.0 => {
            log_scores(pooled.scores(), 1.0 / (1.0 - alpha))
        }
        SurrogateId::CompMae | SurrogateId::CompGce { .. } => pooled.levels(0.0, -VANISHING),
        SurrogateId::SumSq => sum_sq_ties(s, r)?.u,
        SurrogateId::SumTau { tau } => ranks_below(s, r, tau),
        SurrogateId::CstndHinge => pooled.levels(k / pooled.members().count() as f64 - 1.0, -1.0),
        SurrogateId::CstndSq => constrained_square(&pooled),
        SurrogateId::CstndTau { tau } => {
            (0..s.len()).map(|a| if a == r { tau * (k - 1.0) } else { -tau }).collect()
        }
    })
}

/// All actions but `r`, by decreasing score.
fn best_first(s: &[f64], r: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..s.len()).filter(|&a| a != r).collect();
    order.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
    order
}

/// Scores in which the tied actions share their mean.
struct Pooled<'a> {
    s: &'a [f64],
    tied: Vec<bool>,
    mean: f64,
}

impl<'a> Pooled<'a> {
    /// Ties with `r`, best first, those that beat the mean of the ties so far.
    fn new(s: &'a [f64], r: usize) -> Self {
        let mut pooled = Pooled { s, tied: vec![false; s.len()], mean: f64::NAN };
        pooled.tied[r] = true;
        let (mut sum, mut count) = (s[r], 1.0);
        // The first that does not beat the mean is followed by none that does.
        while let Some(a) = pooled.best_of_the_rest().filter(|&a| s[a] * count > sum) {
            pooled.tied[a] = true;
            sum += s[a];
            count += 1.0;
        }
        pooled.mean = pooled.members().sum::<f64>() / count;
        pooled
    }

    /// Of equals the first.
    fn best_of_the_rest(&self) -> Option<usize> {
        let rest = (0..self.s.len()).rev().filter(|&a| !self.tied[a]);
        rest.max_by(|&a, &b| self.s[a].total_cmp(&self.s[b]))
    }

    /// The scores of the tied actions.
    fn members(&self) -> impl Iterator<Item = f64> {
        self.s.iter().zip(&self.tied).filter(|&(_, &tied)| tied).map(|(&s_a, _)| s_a)
    }

    /// The pooled scores of all actions.
    fn scores(&self) -> impl Iterator<Item = f64> + Clone {
        self.s.iter().zip(&self.tied).map(|(&s_a, &tied)| if tied { self.mean } else { s_a })
    }

    /// `s_a / mean - 1` of the tied actions.
    fn deviations(&self) -> impl Iterator<Item = f64> {
        let mean = self.mean;
        self.members().map(move |s_a| if mean > 0.0 { (s_a - mean) / mean } else { 0.0 })
    }

    /// One level for the tied actions, another for the rest.
    fn levels(&self, tied: f64, rest: f64) -> Vec<f64> {
        self.tied.iter().map(|&is_tied| if is_tied { tied } else { rest }).collect()
    }
}

/// `power * ln s`, far below the others where `s_a = 0`.
fn log_scores(s: impl Iterator<Item = f64> + Clone, power: f64) -> Vec<f64> {
    let positive = |s_a: f64| power * libm::log(s_a);
    let lowest = s.clone().filter(|&s_a| s_a > 0.0).map(positive).fold(0.0, f64::min);
    s.map(|s_a| if s_a > 0.0 { positive(s_a) } else { lowest - VANISHING }).collect()
}

/// `(sum sqrt(pooled s))^2 - (sum sqrt s)^2`.
fn exponential_gap(pooled: &Pooled<'_>) -> f64 {
    let roots: f64 = pooled.s.iter().map(|s_a| s_a.sqrt()).sum();
    let pooled_roots: f64 = pooled.scores().map(f64::sqrt).sum();
    // sqrt(1 + x) = 1 + x/2 - (sqrt(1 + x) - 1)^2 / 2, and the deviations sum to zero.
    let step = |x: f64| x / (1.0 + (1.0 + x).sqrt());
    let lost: f64 = pooled.deviations().map(|x| step(x) * step(x) / 2.0).sum();
    pooled.mean.sqrt() * lost * (roots + pooled_roots)
}

/// `(1 + x) ln(1 + x) - x`, by its series where the two parts would cancel.
fn entropy_excess(x: f64) -> f64 {
    if x <= -1.0 {
        1.0
    } else if x.abs() < 1e-3 {
        x * x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 12.0 - x / 20.0)))
    } else {
        (1.0 + x) * libm::log1p(x) - x
    }
}

/// `(||s||_q - ||pooled s||_q) / alpha` with `q = 1 / (1 - alpha)`.
fn gce_gap(alpha: f64, pooled: &Pooled<'_>) -> f64 {
    let q = 1.0 / (1.0 - alpha);
    // Relative to the largest score, so that no power can vanish or overflow.
    let top = pooled.s.iter().copied().fold(0.0, f64::max);
    let of_ties = libm::pow(pooled.mean / top, q);
    let power = |s_a: f64| if s_a == pooled.mean { of_ties } else { libm::pow(s_a / top, q) };
    let base: f64 = pooled.scores().map(power).sum();
    let bump = |x: f64| {
        if x.abs() < 1e-3 {
            let next = 1.0 + (q - 2.0) / 3.0 * x * (1.0 + (q - 3.0) / 4.0 * x);
            q * (q - 1.0) / 2.0 * x * x * next
        } else {
            libm::pow(1.0 + x, q) - 1.0 - q * x
        }
    };
    let extra = of_ties * pooled.deviations().map(bump).sum::<f64>();
    let growth = libm::expm1(libm::log1p(extra / base) / q);
    top * libm::pow(base, 1.0 / q) * growth / alpha
}

/// `v_a = 1 + u_a` proportional to `1 / (1 - s_a)`, pooled.
fn constrained_square(pooled: &Pooled<'_>) -> Vec<f64> {
    let k = pooled.s.len() as f64;
    if pooled.mean >= 1.0 {
        // All mass on r: the infimum is 0 and reached with every other score at -1.
        return pooled.levels(k - 1.0, -1.0);
    }
    let inverse: f64 = pooled.scores().map(|s_a| 1.0 / (1.0 - s_a)).sum();
    pooled.scores().map(|s_a| k / (1.0 - s_a) / inverse - 1.0).collect()
}

/// What those scores lose.
fn constrained_square_gap(pooled: &Pooled<'_>) -> f64 {
    let (k, mean) = (pooled.s.len() as f64, 1.0 - pooled.mean);
    if mean <= 0.0 {
        return 0.0;
    }
    let inverse: f64 = pooled.scores().map(|s_a| 1.0 / (1.0 - s_a)).sum();
    // sum 1/c - sum 1/mean over the ties, which is positive because 1/c is convex.
    let extra: f64 = pooled
        .members()
        .map(|s_a| {
            let d = s_a - pooled.mean;
            d * d / ((1.0 - s_a) * mean * mean)
        })
        .sum();
    // With s_a = 1 the infimum is zero and the extra infinite.
    if extra.is_finite() { k * k * extra / (inverse * (inverse + extra)) } else { k * k / inverse }
}

/// `r` first, the others by score, `tau` apart.
fn ranks_below(s: &[f64], r: usize, tau: f64) -> Vec<f64> {
    let mut u = vec![0.0; s.len()];
    for (place, a) in best_first(s, r).into_iter().enumerate() {
        u[a] = -tau * (place + 1) as f64;
    }
    u
}

/// Ties the best actions with `r`, one more at a time, until `r` is chosen. Scores with more ties are among
/// those with fewer, so the first that choose `r` are the cheapest.
fn sum_sq_ties(s: &[f64], r: usize) -> Option<Cheapest> {
    let mut group: Vec<usize> = (0..s.len()).collect();
    let best = sum_sq::minimise(s, &group, &prec::FLAT)?;
    let order = best_first(s, r);
    group[r] = 0;
    for ties in 0..s.len() {
        for (place, &a) in order.iter().enumerate() {
            group[a] = (place + 1).saturating_sub(ties);
        }
        let u = sum_sq::minimise(s, &group, &prec::FLAT)?;
        if u.iter().all(|&u_a| u_a <= u[r]) {
            let gap = sum_sq::excess(s, &u, &best);
            return Some(Cheapest { u, gap });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argmax_is(u: &[f64], r: usize) -> bool {
        u.iter().all(|&u_a| u_a <= u[r])
    }

    fn difference(id: SurrogateId, s: &[f64], cheapest: &Cheapest, free: &[f64]) -> f64 {
        id.conditional_risk(s, &cheapest.u) - id.conditional_risk(s, free)
    }

    #[test]
    fn the_gap_is_the_difference_to_the_unconstrained_minimum() {
        // Choosing the best action costs nothing, and those scores are the free minimiser.
        let s = [0.2, 0.35, 0.1, 0.3, 0.05];
        for id in SurrogateId::all(0.7, 2.0).unwrap() {
            let free = cheapest(id, &s, 1).unwrap();
            assert!(free.gap.abs() < 1e-15, "{id}: {}", free.gap);
            for r in [0, 2, 3, 4] {
                let forced = cheapest(id, &s, r).unwrap();
                assert!(argmax_is(&forced.u, r), "{id} {r}: {:?}", forced.u);
                let expected = difference(id, &s, &forced, &free.u);
                assert!((forced.gap - expected).abs() < 1e-12, "{id} {r}: {forced:?} {expected}");
                if id.is_constrained() {
                    assert!(forced.u.iter().sum::<f64>().abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn nothing_nearby_that_chooses_the_action_is_cheaper() {
        let s = [0.1, 0.4, 0.3, 0.2];
        for id in SurrogateId::all(0.3, 0.5).unwrap() {
            for r in 0..4 {
                let forced = cheapest(id, &s, r).unwrap();
                let risk = id.conditional_risk(&s, &forced.u);
                for code in 0..3usize.pow(4) {
                    for size in [0.3, 0.01] {
                        let step = |a: usize| (code / 3usize.pow(a as u32) % 3) as f64 - 1.0;
                        let mut u: Vec<f64> =
                            (0..4).map(|a| forced.u[a] + size * step(a)).collect();
                        if id.is_constrained() {
                            let mean = u.iter().sum::<f64>() / 4.0;
                            u.iter_mut().for_each(|u_a| *u_a -= mean);
                        }
                        if argmax_is(&u, r) {
                            let other = id.conditional_risk(&s, &u);
                            assert!(other >= risk - 1e-13, "{id} {r}: {u:?} {other} {risk}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_exponent_of_one_is_the_mean_absolute_error() {
        let s = [0.2, 0.5, 0.3];
        for r in 0..3 {
            let gce = cheapest(SurrogateId::CompGce { alpha: 1.0 }, &s, r);
            assert_eq!(gce, cheapest(SurrogateId::CompMae, &s, r));
        }
    }

    #[test]
    fn only_better_actions_are_tied() {
        let tied_with = |s: &[f64], r| Pooled::new(s, r).tied;
        assert_eq!(tied_with(&[0.5, 0.5], 0), [true, false]);
        // The best ties; the mean of the two is 3/8, and the third, which equals it, stays free.
        assert_eq!(tied_with(&[0.25, 0.375, 0.5], 0), [true, false, true]);
    }

    #[test]
    fn actions_without_mass_go_far_below_the_others() {
        let lowest = 2.0 * libm::log(0.25);
        assert_eq!(
            log_scores([0.25, 0.0, 1.0].into_iter(), 2.0),
            [lowest, lowest - VANISHING, 0.0]
        );
        // All mass on one of three actions: the constrained square vanishes at (2, -1, -1).
        let sure = cheapest(SurrogateId::CstndSq, &[1.0, 0.0, 0.0], 0).unwrap();
        assert_eq!(sure, Cheapest { u: vec![2.0, -1.0, -1.0], gap: 0.0 });
    }

    #[test]
    fn small_deviations_follow_their_power_series() {
        // (1 + x) ln(1 + x) - x = x^2 / 2 - x^3 / 6 + x^4 / 12 - .. +- x^n / (n (n - 1)).
        for x in [9e-4, -9e-4, 3e-4, -1e-6] {
            let terms = (2..12).map(|n| libm::pow(-x, f64::from(n)) / f64::from(n * (n - 1)));
            let series: f64 = terms.sum();
            assert!((entropy_excess(x) / series - 1.0).abs() < 1e-13, "{x}");
        }
        assert!((entropy_excess(1.0) + 1.0 - 2.0 * std::f64::consts::LN_2).abs() < 1e-15);
        // s = (1 - 2d, 1 + d, 1 + d) / 3 with all three tied, and q = 5: the fifth powers sum to
        // 3 (1 + y) 3^-5 with y = 20 d^2 - 20 d^3 + 30 d^4 - 10 d^5.
        let d = 2e-4f64;
        let s = [1.0 - 2.0 * d, 1.0 + d, 1.0 + d].map(|v| v / 3.0);
        let y = d * d * (20.0 - d * (20.0 - d * (30.0 - d * 10.0)));
        let expected = libm::pow(3.0, -0.8) * libm::expm1(libm::log1p(y) / 5.0) / 0.8;
        let gap = cheapest(SurrogateId::CompGce { alpha: 0.8 }, &s, 0).unwrap().gap;
        assert!((gap / expected - 1.0).abs() < 1e-10, "{gap} {expected}");
    }

    #[test]
    fn nearly_equal_actions_keep_their_digits() {
        // Second-order expansions around the uniform distribution on two actions.
        let b = 1e-6;
        let s = [(1.0 - b) / 2.0, (1.0 + b) / 2.0];
        for (id, limit) in [
            (SurrogateId::CompExp, 0.5),
            (SurrogateId::CompLog, 0.5),
            (SurrogateId::CompGce { alpha: 0.5 }, 0.5f64.sqrt()),
            (SurrogateId::SumSq, 1.0),
            (SurrogateId::CstndSq, 1.0),
        ] {
            let gap = cheapest(id, &s, 0).unwrap().gap;
            assert!((gap / (limit * b * b) - 1.0).abs() < 1e-9, "{id}: {}", gap / (b * b));
        }
    }
}

//! The regret bounds of Thm. 6.3, 6.4 and 6.5 with every constant of their proofs, and that of ridge
//! forecasts with inverse-gap weights.

mod ridge;

pub use ridge::{GammaRule, RidgeBound, RidgeParameters, ridge, ridge_horizon};

use super::TheoryError;
use super::schedule::Parameters;
use super::series::Exponent;
use crate::prec;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::Serialize;

/// Surrogate regret (Thm. 6.3), from projected OGD with second moments `N^3 rho^2 / gamma_t`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SurrogateBound {
    /// `2 B^2 / eta_T = 2 B N^{3/2} rho T^{2/3}`.
    pub ogd_diameter: f64,
    /// `(B N^{3/2} rho / 2) sum_t max{2 t^{-2/3}, t^{-1/3}}`.
    pub ogd_variance: f64,
    /// Their sum.
    pub total: f64,
}

/// True regret (Thm. 6.4): the surrogate bound plus what exploration costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrueBound {
    /// As in [`SurrogateBound`].
    pub ogd_diameter: f64,
    /// As in [`SurrogateBound`].
    pub ogd_variance: f64,
    /// `sum_t min{1/2, t^{-1/3}}`.
    pub exploration: f64,
    /// Their sum.
    pub total: f64,
}

/// True regret under concentrated scores (Thm. 6.5), with `lambda = 1 / (4 N^3 rho^2)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConcentratedBound {
    /// `kappa = B N^{3/2} rho`. Not a term of the sum.
    pub kappa: f64,
    /// `16 B^2 N^3 rho^2`, the part of `2 B^2 / eta_T` that does not grow.
    pub diameter_const: f64,
    /// `8 B^2 N^3 rho^2 sqrt(T) / kappa`, the part that does.
    pub diameter_sqrt: f64,
    /// `2 lambda N^2 rho^2 kappa sqrt(T)`: rounds with the right greedy action.
    pub correct_a: f64,
    /// `lambda N^3 rho^2 sqrt(T) / 2`: the small scores on those rounds.
    pub correct_b: f64,
    /// `2 lambda rho^2 kappa sqrt(T)`: rounds with two actions.
    pub k2_rounds: f64,
    /// `sum_t gamma_t`, or its bound `2 kappa sqrt(T)`.
    pub exploration: f64,
    /// The sum of all but `kappa`.
    pub total: f64,
}

/// How the exploration term of Thm. 6.5 is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplorationSum {
    /// `2 kappa sqrt(T)`, as in the proof.
    Stated,
    /// `sum_t min{1/2, kappa / sqrt(t)}`.
    Exact,
}

/// Which bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Thm. 6.3.
    Surrogate,
    /// Thm. 6.4.
    True,
    /// Thm. 6.5.
    Concentrated(ExplorationSum),
}

impl Bound {
    /// The bound itself.
    #[must_use]
    pub fn total(self, p: Parameters, t: u128) -> f64 {
        match self {
            Bound::Surrogate => surrogate_at(p, t).total,
            Bound::True => true_at(p, t).total,
            Bound::Concentrated(exploration) => concentrated_at(p, t, exploration).total,
        }
    }

    /// The first `T` the theorem speaks of.
    fn first_horizon(self) -> u128 {
        match self {
            Bound::Surrogate | Bound::True => 1,
            Bound::Concentrated(_) => 16,
        }
    }
}

/// The first `T` at which a bound is below `T`: it lies between the two ends,
/// which differ only where the rounding of the bound itself cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct UsefulHorizon {
    /// The bound is certainly at least `T` before this `T`.
    pub at_least: u128,
    /// The bound is certainly below `T` from this `T` on.
    pub at_most: u128,
}

/// Rounds `gamma_t = 1/2` lasts in Thm. 6.3: `t^{-1/3} >= 1/2` up to `t = 8`.
pub(crate) const GENERAL_ROUNDS_AT_HALF: u128 = 8;

/// Thm. 6.3 at horizon `t`.
#[must_use]
pub fn surrogate(p: Parameters, t: u64) -> SurrogateBound {
    surrogate_at(p, t.into())
}

/// Thm. 6.4 at horizon `t`.
#[must_use]
pub fn true_regret(p: Parameters, t: u64) -> TrueBound {
    true_at(p, t.into())
}

/// Thm. 6.5 at horizon `t`.
#[must_use]
pub fn concentrated(p: Parameters, t: u64, exploration: ExplorationSum) -> ConcentratedBound {
    concentrated_at(p, t.into(), exploration)
}

/// Rounds for which Thm. 6.5 explores at 1/2: `floor(4 kappa^2)`, in exact arithmetic.
#[must_use]
pub fn concentrated_rounds_at_half(p: Parameters) -> u128 {
    let exact = |v: f64| BigRational::from_float(v).unwrap_or_default();
    let (b, n, rho) = (exact(p.b()), exact(p.actions() as f64), exact(p.rho()));
    let kappa2 = &b * &b * &n * &n * &n * &rho * &rho;
    (exact(4.0) * kappa2).floor().to_integer().to_u128().unwrap_or(u128::MAX)
}

/// From which `T` on the bound is below `T`. Before that a bound on the true regret says nothing,
/// because losses in `[0, 1]` cannot make a regret above `T`.
///
/// Every bound here is concave in `T` and not negative at 0, so it crosses the line once: the
/// search over `T` can gallop and halve. `None` when the crossing is beyond `2^121`.
#[must_use]
pub fn horizon(p: Parameters, bound: Bound) -> Option<UsefulHorizon> {
    let below =
        |t: u128, sign: f64| bound.total(p, t) * (1.0 + sign * prec::BOUND_ROUNDING) < t as f64;
    Some(UsefulHorizon {
        at_least: first_where(bound.first_horizon(), |t| below(t, -1.0))?,
        at_most: first_where(bound.first_horizon(), |t| below(t, 1.0))?,
    })
}

/// `T` as given by a user.
///
/// # Errors
/// `T = 0`.
pub fn check_horizon(t: u64) -> Result<u64, TheoryError> {
    if t == 0 { Err(TheoryError::out_of_range("T", 0.0, "at least 1 round")) } else { Ok(t) }
}

fn first_where(first: u128, holds: impl Fn(u128) -> bool) -> Option<u128> {
    if holds(first) {
        return Some(first);
    }
    let mut high = first * 2;
    while !holds(high) {
        if high > 1 << 120 {
            return None;
        }
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

fn surrogate_at(p: Parameters, t: u128) -> SurrogateBound {
    let root = libm::cbrt(t as f64);
    let early = t.min(GENERAL_ROUNDS_AT_HALF);
    let sum = 2.0 * Exponent::TwoThirds.sum(1, early)
        + Exponent::Third.sum(GENERAL_ROUNDS_AT_HALF + 1, t);
    let ogd_diameter = 2.0 * p.kappa() * root * root;
    let ogd_variance = p.kappa() / 2.0 * sum;
    SurrogateBound { ogd_diameter, ogd_variance, total: ogd_diameter + ogd_variance }
}

fn true_at(p: Parameters, t: u128) -> TrueBound {
    let SurrogateBound { ogd_diameter, ogd_variance, total } = surrogate_at(p, t);
    let early = t.min(GENERAL_ROUNDS_AT_HALF) as f64;
    let exploration = 0.5 * early + Exponent::Third.sum(GENERAL_ROUNDS_AT_HALF + 1, t);
    TrueBound { ogd_diameter, ogd_variance, exploration, total: total + exploration }
}

fn concentrated_at(p: Parameters, t: u128, exploration: ExplorationSum) -> ConcentratedBound {
    let kappa = p.kappa();
    let root = (t as f64).sqrt();
    let n = p.actions() as f64;
    let lambda = 1.0 / (4.0 * p.n3_rho2());
    let rho2 = p.rho() * p.rho();
    let b2_n3_rho2 = p.b() * p.b() * p.n3_rho2();
    let exploration = match exploration {
        ExplorationSum::Stated => 2.0 * kappa * root,
        ExplorationSum::Exact => {
            let half = concentrated_rounds_at_half(p).min(t);
            0.5 * half as f64 + kappa * Exponent::Half.sum(half + 1, t)
        }
    };
    let diameter_const = 16.0 * b2_n3_rho2;
    let diameter_sqrt = 8.0 * b2_n3_rho2 / kappa * root;
    let correct_a = 2.0 * lambda * n * n * rho2 * kappa * root;
    let correct_b = lambda * p.n3_rho2() / 2.0 * root;
    let k2_rounds = 2.0 * lambda * rho2 * kappa * root;
    let total = diameter_const + diameter_sqrt + correct_a + correct_b + k2_rounds + exploration;
    ConcentratedBound {
        kappa,
        diameter_const,
        diameter_sqrt,
        correct_a,
        correct_b,
        k2_rounds,
        exploration,
        total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;

    /// The master inequality of each proof, summed round by round from the schedules themselves.
    fn by_rounds(p: Parameters, t: u64) -> (f64, f64, f64) {
        let (mut variance, mut general, mut exact) = (0.0, 0.0, 0.0);
        for round in 1..=t {
            let rates = Schedule::General.rates(p, round).unwrap();
            variance += 0.5 * rates.eta * p.n3_rho2() / rates.gamma;
            general += rates.gamma;
            exact += Schedule::Concentrated.rates(p, round).unwrap().gamma;
        }
        (variance, general, exact)
    }

    #[test]
    fn terms_agree_with_sums_over_the_schedules() {
        for (b, n, rho, t) in [(3.0, 3, 1.0, 1), (3.0, 3, 1.0, 9), (0.5, 4, 1.5, 5000)] {
            let p = Parameters::new(b, n, rho).unwrap();
            let (variance, general, exact) = by_rounds(p, t);
            let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-12, "{x} {y}");
            let bound = true_regret(p, t);
            close(bound.ogd_variance, variance);
            close(bound.exploration, general);
            close(concentrated(p, t, ExplorationSum::Exact).exploration, exact);
            let last = Schedule::General.rates(p, t).unwrap().eta;
            close(bound.ogd_diameter, 2.0 * b * b / last);
            // The two diameter terms split max{2, sqrt(T) / kappa} into a sum.
            let last = Schedule::Concentrated.rates(p, t).unwrap().eta;
            let split = concentrated(p, t, ExplorationSum::Stated);
            let whole = 2.0 * b * b / last;
            let sum = split.diameter_const + split.diameter_sqrt;
            assert!(sum >= whole * (1.0 - 1e-12) && sum <= 2.0 * whole * (1.0 + 1e-12));
        }
    }

    #[test]
    fn horizons_are_those_of_a_plain_scan() {
        // Small enough for every bound to drop below T early.
        let p = Parameters::new(0.25, 2, 1.0).unwrap();
        for (bound, first) in [
            (Bound::Surrogate, 1),
            (Bound::True, 1),
            (Bound::Concentrated(ExplorationSum::Stated), 16),
            (Bound::Concentrated(ExplorationSum::Exact), 16),
        ] {
            let found = (first..).find(|&t| bound.total(p, t) < t as f64).unwrap();
            assert_eq!(horizon(p, bound), Some(UsefulHorizon { at_least: found, at_most: found }));
            // Once below, it stays below.
            assert!((found..found + 1000).all(|t| bound.total(p, t) < t as f64));
        }
    }

    #[test]
    fn a_horizon_is_not_before_the_theorem_speaks() {
        // sqrt(T) / 8 and next to nothing: below T from the first round on.
        let p = Parameters::new(1e-9, 2, 1.0).unwrap();
        let bound = Bound::Concentrated(ExplorationSum::Stated);
        assert!(bound.total(p, 1) < 1.0);
        assert_eq!(horizon(p, bound), Some(UsefulHorizon { at_least: 16, at_most: 16 }));
    }

    #[test]
    fn a_bound_equal_to_the_horizon_is_not_below_it() {
        // The surrogate bound is proportional to B: for many T some B near T / (the bound at B = 1)
        // makes it equal to T once the rounding is granted.
        let with = |b: f64| Parameters::new(b, 4, 1.0).unwrap();
        for sign in [-1.0, 1.0] {
            let granted = |b: f64, t: u128| {
                Bound::Surrogate.total(with(b), t) * (1.0 + sign * prec::BOUND_ROUNDING)
            };
            let equal = |t: u128| {
                let near = (t as f64 / granted(1.0, t)).to_bits();
                let mut radii = (near - 8..near + 8).map(f64::from_bits);
                radii.find(|&b| granted(b, t) == t as f64).map(|b| (b, t))
            };
            let (b, t) = (1000..1100).find_map(equal).unwrap();
            let found = horizon(with(b), Bound::Surrogate).unwrap();
            assert_eq!(if sign > 0.0 { found.at_most } else { found.at_least }, t + 1);
        }
    }

    #[test]
    fn the_first_is_found_by_galloping_and_halving() {
        for (first, wanted) in [(1, 1), (1, 2), (1, 3), (1, 1000), (16, 16), (16, 17), (16, 99)] {
            assert_eq!(first_where(first, |t| t >= wanted), Some(wanted));
        }
        // 1, 2, 4, .., 1024, then nine halvings of what lies between 512 and 1024.
        let asked = std::cell::Cell::new(0);
        let count = |t: u128| {
            asked.set(asked.get() + 1);
            t >= 1000
        };
        assert_eq!((first_where(1, count), asked.get()), (Some(1000), 20));
        // The last question of the gallop is 2^121.
        let end = 1 << 121;
        assert_eq!(first_where(1, |t| t >= end), Some(end));
        assert_eq!(first_where(1, |t| t > end), None);
    }

    #[test]
    fn far_horizons_are_bracketed() {
        // kappa = 1e5 * 1000 * 1e3 = 1e11: 2.75 kappa T^{2/3} = T near 2e34.
        let p = Parameters::new(1e5, 100, 1e3).unwrap();
        let found = horizon(p, Bound::Surrogate).unwrap();
        let width = (found.at_most - found.at_least) as f64 / found.at_most as f64;
        assert!(found.at_least < found.at_most && width < 1e-12);
        let predicted = (2.75e11f64).powi(3);
        assert!((found.at_most as f64 / predicted - 1.0).abs() < 1e-6, "{found:?}");
        let beyond = Parameters::new(1e100, 100, 1.0).unwrap();
        assert_eq!(horizon(beyond, Bound::True), None);
    }

    #[test]
    fn exploration_at_one_half_is_counted_exactly() {
        let p = Parameters::new(3.0, 3, 1.0).unwrap();
        assert_eq!(concentrated_rounds_at_half(p), 972);
        let rate = |t| Schedule::Concentrated.rates(p, t).unwrap().gamma;
        assert!(rate(972) >= 0.5 - 1e-15 && rate(973) < 0.4998);
    }
}

//! The regret bounds of Thm. 6.3, 6.4 and 6.5 with every constant of their proofs, and that of ridge
//! forecasts with inverse-gap weights.

mod ridge;

pub use ridge::{GammaRule, RidgeParameters};

use super::schedule::Parameters;
use super::series::Exponent;
use crate::prec;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::ops::{Index, RangeInclusive};

/// Which bound, with what it depends on besides the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Surrogate regret (Thm. 6.3), from projected OGD with second moments `N^3 rho^2 / gamma_t`.
    ///
    /// - `ogd_diameter`: `2 B^2 / eta_T = 2 B N^{3/2} rho T^{2/3}`.
    /// - `ogd_variance`: `(B N^{3/2} rho / 2) sum_t max{2 t^{-2/3}, t^{-1/3}}`.
    Surrogate(Parameters),
    /// True regret (Thm. 6.4): the surrogate bound plus what exploration costs.
    ///
    /// - `exploration`: `sum_t min{1/2, t^{-1/3}}`.
    True(Parameters),
    /// True regret under concentrated scores (Thm. 6.5), with `lambda = 1 / (4 N^3 rho^2)`.
    ///
    /// - `kappa`: `B N^{3/2} rho`. Not a term of the sum.
    /// - `diameter_const`: `16 B^2 N^3 rho^2`, the part of `2 B^2 / eta_T` that does not grow.
    /// - `diameter_sqrt`: `8 B^2 N^3 rho^2 sqrt(T) / kappa`, the part that does.
    /// - `correct_a`: `2 lambda N^2 rho^2 kappa sqrt(T)`, rounds with the right greedy action.
    /// - `correct_b`: `lambda N^3 rho^2 sqrt(T) / 2`, the small scores on those rounds.
    /// - `k2_rounds`: `2 lambda rho^2 kappa sqrt(T)`, rounds with two actions.
    /// - `exploration`: `2 kappa sqrt(T)`, the bound on `sum_t gamma_t` in the proof.
    Concentrated(Parameters),
    /// The same with `exploration` as `sum_t min{1/2, kappa / sqrt(t)}` itself.
    ConcentratedExact(Parameters),
    /// Ridge forecasts with inverse-gap weights. Not in the paper.
    ///
    /// - `gamma`: `gamma_T`. Not a term of the sum.
    /// - `forecasters`: `Reg`. Not a term of the sum.
    /// - `exploration`: what playing other actions than the leading one costs.
    /// - `penalty`: the part of the forecasters' regret that `lambda W^2` makes.
    /// - `logarithm`: the part that the logarithm makes.
    Ridge(RidgeParameters, GammaRule),
}

/// A bound at one horizon. As JSON it is one object: the terms by name, then `total`.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundTerms {
    /// The terms by the names that [`Bound`] explains, and what they are made of.
    pub terms: Vec<(&'static str, f64)>,
    /// The bound: the sum of the terms.
    pub total: f64,
}

/// The term of that name.
///
/// # Panics
/// The bound has none: which ones it has, [`Bound`] says.
impl Index<&str> for BoundTerms {
    type Output = f64;

    fn index(&self, name: &str) -> &f64 {
        let term = self.terms.iter().find(|(other, _)| *other == name);
        term.map(|(_, value)| value).unwrap_or_else(|| panic!("no term of this bound is {name:?}"))
    }
}

impl Serialize for BoundTerms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.terms.len() + 1))?;
        for (name, value) in &self.terms {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("total", &self.total)?;
        map.end()
    }
}

impl Bound {
    /// The bound at horizon `t`, term by term.
    #[must_use]
    pub fn at(self, t: u128) -> BoundTerms {
        match self {
            Bound::Surrogate(p) => surrogate(p, t),
            Bound::True(p) => true_regret(p, t),
            Bound::Concentrated(p) => concentrated(p, t, 2.0 * p.kappa() * (t as f64).sqrt()),
            Bound::ConcentratedExact(p) => {
                let half = concentrated_rounds_at_half(p).min(t);
                let falling = p.kappa() * Exponent::Half.sum(half + 1, t);
                concentrated(p, t, 0.5 * half as f64 + falling)
            }
            Bound::Ridge(p, rule) => ridge::ridge(p, rule, t),
        }
    }

    /// From which `T` on the bound is below `T`. Before that a bound on the true regret says nothing,
    /// because losses in `[0, 1]` cannot make a regret above `T`. `None` when the crossing is beyond
    /// `2^121`.
    ///
    /// The first such `T` lies in the range: the bound is certainly at least `T` before its start and
    /// certainly below `T` from its end on. They differ only where the rounding of the bound itself cannot
    /// tell.
    ///
    /// Every bound of the paper is concave in `T` and not negative at 0, so it crosses the line once: the
    /// search over `T` can gallop and halve. That of ridge forecasts may dip below the line before.
    #[must_use]
    pub fn horizon(self) -> Option<RangeInclusive<u128>> {
        let below =
            |t: u128, sign: f64| self.at(t).total * (1.0 + sign * prec::BOUND_ROUNDING) < t as f64;
        let from = |sign: f64| {
            let first = match self {
                Bound::Surrogate(_) | Bound::True(_) => 1,
                Bound::Concentrated(_) | Bound::ConcentratedExact(_) => 16,
                // Above the line at the end of the dip, it falls below for good only after it.
                Bound::Ridge(p, rule) => {
                    Some(ridge::dip(p, rule)).filter(|&t| !below(t, sign)).unwrap_or(1)
                }
            };
            first_where(first, |t| below(t, sign))
        };
        Some(from(-1.0)?..=from(1.0)?)
    }
}

/// Rounds `gamma_t = 1/2` lasts in Thm. 6.3: `t^{-1/3} >= 1/2` up to `t = 8`.
pub(crate) const GENERAL_ROUNDS_AT_HALF: u128 = 8;

/// Rounds for which Thm. 6.5 explores at 1/2: `floor(4 kappa^2)`, in exact arithmetic.
#[must_use]
pub fn concentrated_rounds_at_half(p: Parameters) -> u128 {
    let exact = |v: f64| BigRational::from_float(v).unwrap_or_default();
    let (b, n, rho) = (exact(p.b), exact(p.actions as f64), exact(p.rho));
    let kappa2 = &b * &b * &n * &n * &n * &rho * &rho;
    (exact(4.0) * kappa2).floor().to_integer().to_u128().unwrap_or(u128::MAX)
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

fn surrogate(p: Parameters, t: u128) -> BoundTerms {
    let root = libm::cbrt(t as f64);
    let early = t.min(GENERAL_ROUNDS_AT_HALF);
    let sum = 2.0 * Exponent::TwoThirds.sum(1, early)
        + Exponent::Third.sum(GENERAL_ROUNDS_AT_HALF + 1, t);
    let ogd_diameter = 2.0 * p.kappa() * root * root;
    let ogd_variance = p.kappa() / 2.0 * sum;
    let terms = vec![("ogd_diameter", ogd_diameter), ("ogd_variance", ogd_variance)];
    BoundTerms { terms, total: ogd_diameter + ogd_variance }
}

fn true_regret(p: Parameters, t: u128) -> BoundTerms {
    let BoundTerms { mut terms, total } = surrogate(p, t);
    let early = t.min(GENERAL_ROUNDS_AT_HALF) as f64;
    let exploration = 0.5 * early + Exponent::Third.sum(GENERAL_ROUNDS_AT_HALF + 1, t);
    terms.push(("exploration", exploration));
    BoundTerms { terms, total: total + exploration }
}

fn concentrated(p: Parameters, t: u128, exploration: f64) -> BoundTerms {
    let kappa = p.kappa();
    let root = (t as f64).sqrt();
    let n = p.actions as f64;
    let lambda = 1.0 / (4.0 * p.n3_rho2());
    let rho2 = p.rho * p.rho;
    let b2_n3_rho2 = p.b * p.b * p.n3_rho2();
    let diameter_const = 16.0 * b2_n3_rho2;
    let diameter_sqrt = 8.0 * b2_n3_rho2 / kappa * root;
    let correct_a = 2.0 * lambda * n * n * rho2 * kappa * root;
    let correct_b = lambda * p.n3_rho2() / 2.0 * root;
    let k2_rounds = 2.0 * lambda * rho2 * kappa * root;
    let total = diameter_const + diameter_sqrt + correct_a + correct_b + k2_rounds + exploration;
    let terms = vec![
        ("kappa", kappa),
        ("diameter_const", diameter_const),
        ("diameter_sqrt", diameter_sqrt),
        ("correct_a", correct_a),
        ("correct_b", correct_b),
        ("k2_rounds", k2_rounds),
        ("exploration", exploration),
    ];
    BoundTerms { terms, total }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::StatedRates;

    /// The master inequality of each proof, summed round by round from the schedules themselves.
    fn by_rounds(p: Parameters, t: u64) -> (f64, f64, f64) {
        let (mut variance, mut general, mut exact) = (0.0, 0.0, 0.0);
        for round in 1..=t {
            let (eta, gamma) = StatedRates::General.rates(p, round).unwrap();
            variance += 0.5 * eta * p.n3_rho2() / gamma;
            general += gamma;
            exact += StatedRates::Concentrated.rates(p, round).unwrap().1;
        }
        (variance, general, exact)
    }

    #[test]
    fn terms_agree_with_sums_over_the_schedules() {
        for (b, n, rho, t) in [(3.0, 3, 1.0, 1), (3.0, 3, 1.0, 9), (0.5, 4, 1.5, 5000)] {
            let p = Parameters::new(b, n, rho).unwrap();
            let (variance, general, exact) = by_rounds(p, t);
            let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-12, "{x} {y}");
            let bound = true_regret(p, t.into());
            let term = |bound: &BoundTerms, name| bound[name];
            close(term(&bound, "ogd_variance"), variance);
            close(term(&bound, "exploration"), general);
            let listed = Bound::ConcentratedExact(p).at(t.into());
            close(term(&listed, "exploration"), exact);
            let last = StatedRates::General.rates(p, t).unwrap().0;
            close(term(&bound, "ogd_diameter"), 2.0 * b * b / last);
            // The two diameter terms split max{2, sqrt(T) / kappa} into a sum.
            let last = StatedRates::Concentrated.rates(p, t).unwrap().0;
            let split = Bound::Concentrated(p).at(t.into());
            let whole = 2.0 * b * b / last;
            let sum = term(&split, "diameter_const") + term(&split, "diameter_sqrt");
            assert!(sum >= whole * (1.0 - 1e-12) && sum <= 2.0 * whole * (1.0 + 1e-12));
        }
    }

    #[test]
    fn horizons_are_those_of_a_plain_scan() {
        // Small enough for every bound to drop below T early.
        let p = Parameters::new(0.25, 2, 1.0).unwrap();
        for (bound, first) in [
            (Bound::Surrogate(p), 1),
            (Bound::True(p), 1),
            (Bound::Concentrated(p), 16),
            (Bound::ConcentratedExact(p), 16),
        ] {
            let found = (first..).find(|&t| bound.at(t).total < t as f64).unwrap();
            assert_eq!(bound.horizon(), Some(found..=found));
            // Once below, it stays below.
            assert!((found..found + 1000).all(|t| bound.at(t).total < t as f64));
        }
    }

    #[test]
    fn a_horizon_is_not_before_the_theorem_speaks() {
        // sqrt(T) / 8 and next to nothing: below T from the first round on.
        let p = Parameters::new(1e-9, 2, 1.0).unwrap();
        let bound = Bound::Concentrated(p);
        assert!(bound.at(1).total < 1.0);
        assert_eq!(bound.horizon(), Some(16..=16));
    }

    #[test]
    fn a_bound_equal_to_the_horizon_is_not_below_it() {
        // The surrogate bound is proportional to B: for many T some B near T / (the bound at B = 1)
        // makes it equal to T once the rounding is granted.
        let with = |b: f64| Parameters::new(b, 4, 1.0).unwrap();
        for sign in [-1.0, 1.0] {
            let granted = |b: f64, t: u128| {
                Bound::Surrogate(with(b)).at(t).total * (1.0 + sign * prec::BOUND_ROUNDING)
            };
            let equal = |t: u128| {
                let near = (t as f64 / granted(1.0, t)).to_bits();
                let mut radii = (near - 8..near + 8).map(f64::from_bits);
                radii.find(|&b| granted(b, t) == t as f64).map(|b| (b, t))
            };
            let (b, t) = (1000..1100).find_map(equal).unwrap();
            let found = Bound::Surrogate(with(b)).horizon().unwrap();
            assert_eq!(if sign > 0.0 { *found.end() } else { *found.start() }, t + 1);
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
        let found = Bound::Surrogate(p).horizon().unwrap();
        let (at_least, at_most) = found.into_inner();
        let width = (at_most - at_least) as f64 / at_most as f64;
        assert!(at_least < at_most && width < 1e-12);
        let predicted = (2.75e11f64).powi(3);
        assert!((at_most as f64 / predicted - 1.0).abs() < 1e-6, "{at_most}");
        let beyond = Parameters::new(1e100, 100, 1.0).unwrap();
        assert_eq!(Bound::True(beyond).horizon(), None);
    }

    #[test]
    fn exploration_at_one_half_is_counted_exactly() {
        let p = Parameters::new(3.0, 3, 1.0).unwrap();
        assert_eq!(concentrated_rounds_at_half(p), 972);
        let rate = |t| StatedRates::Concentrated.rates(p, t).unwrap().1;
        assert!(rate(972) >= 0.5 - 1e-15 && rate(973) < 0.4998);
    }
}

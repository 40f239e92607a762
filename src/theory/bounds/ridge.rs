//! The regret bound of ridge forecasts with inverse-gap weights, term by term. Not in the paper.
//!
//! Rewards lie in `[0, 1]`, the expected reward of action `a` at the input `x` is `<w_a, x~>` whoever
//! is available, `|w_a| <= W`, `|x~| <= rho`. Then for any inputs and active sets the expected regret
//! against the best active action of each round is at most
//!
//! ```text
//! gamma_t = c sqrt(t)     4 (K - 1) sqrt(T) / c + (c sqrt(T) / 4) Reg
//! one gamma               2 (K - 1) T / gamma   + (gamma / 4) Reg       best: sqrt(2 (K - 1) T Reg)
//! Reg = N (lambda W^2 + Y d~ ln(1 + rho^2 T / (N d~ lambda)))
//! ```
//!
//! `Y = 1`, or `1/4` when `reward - 1/2` is forecast; then `W + 1/2` stands for `W`, because the weight
//! of the bias moves by `1/2`.
//!
//! Why: the lemma on inverse gaps bounds what a round loses by `2 (K - 1) / gamma_t` and `gamma_t / 4`
//! times the expected squared error of the forecast of the action that is played; `gamma_t` grows, so
//! the errors add up to at most `gamma_T / 4` times their sum, which is the expected regret of the
//! forecasters against the true weights (the variance of the rewards cancels), clipping only helps, and
//! each forecaster's regret is at most `lambda W^2 + Y d~ ln(1 + rho^2 T_a / (d~ lambda))` over the
//! `T_a` rounds that play its action; the logarithm is concave and the `T_a` add up to `T`. Last,
//! `sum of 1 / sqrt(t)` is at most `2 sqrt(T)`.

use super::BoundTerms;
use crate::TheoryError;

/// What the bound depends on besides the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgeParameters {
    /// `N`: one forecaster each.
    pub actions: usize,
    /// `K`: the most actions that are active in a round.
    pub active: usize,
    /// `d~ = d + 1`.
    pub dim: usize,
    /// Bound on `|x~|`.
    pub rho: f64,
    /// The ridge parameter.
    pub lambda: f64,
    /// `W`: bound on the norm of every action's weights.
    pub weights: f64,
    /// Whether `reward - 1/2` is forecast.
    pub centred: bool,
}

/// How gaps are weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GammaRule {
    /// `gamma_t = c sqrt(t)`.
    Growing(f64),
    /// The same with the best `c` for the horizon asked about, `4 sqrt((K - 1) / Reg)`.
    GrowingTuned,
    /// One `gamma` for all rounds.
    Constant(f64),
    /// The same with the best one for a horizon that is known, `sqrt(8 (K - 1) T / Reg)`.
    Known,
}

impl RidgeParameters {
    /// # Errors
    /// The first value that makes no sense.
    pub fn check(&self) -> Result<(), TheoryError> {
        let refuse =
            |field, value, expected| Err(TheoryError::out_of_range(field, value, expected));
        if self.active < 1 || self.active > self.actions {
            return refuse("K", self.active as f64, "between 1 and N");
        }
        if self.dim == 0 {
            return refuse("dim", 0.0, "d + 1, at least 1");
        }
        let numbers = [("rho", self.rho), ("lambda", self.lambda), ("weights", self.weights)];
        for (field, value) in numbers {
            if !(value > 0.0 && value.is_finite()) {
                return refuse(field, value, "a finite number above 0");
            }
        }
        Ok(())
    }

    /// `N lambda W^2` and `N Y d~ ln(1 + rho^2 T / (N d~ lambda))`: together `Reg`.
    fn regret(&self, t: f64) -> (f64, f64) {
        let (n, d) = (self.actions as f64, self.dim as f64);
        let (target, w) =
            if self.centred { (0.25, self.weights + 0.5) } else { (1.0, self.weights) };
        (n * self.lambda * w * w, target * n * d * libm::log1p(self.per_round() * t))
    }

    /// `rho^2 / (N d~ lambda)`.
    fn per_round(&self) -> f64 {
        self.rho * self.rho / (self.actions as f64 * self.dim as f64 * self.lambda)
    }
}

/// The bound at horizon `t`.
pub(super) fn ridge(p: RidgeParameters, rule: GammaRule, t: u128) -> BoundTerms {
    let t = t as f64;
    let (penalty, logarithm) = p.regret(t);
    let (forecasters, others) = (penalty + logarithm, p.active as f64 - 1.0);
    // `rounds / gamma` is the sum of 1 / gamma_t or its bound.
    let (gamma, rounds) = match rule {
        GammaRule::Growing(c) => (c * t.sqrt(), 2.0 * t),
        GammaRule::GrowingTuned => (4.0 * (others * t / forecasters).sqrt(), 2.0 * t),
        GammaRule::Constant(gamma) => (gamma, t),
        GammaRule::Known => ((8.0 * others * t / forecasters).sqrt(), t),
    };
    // One action leaves nothing to explore, and its forecasts do not matter.
    let (exploration, penalty, logarithm) = if others == 0.0 {
        (0.0, 0.0, 0.0)
    } else {
        (2.0 * others * rounds / gamma, gamma / 4.0 * penalty, gamma / 4.0 * logarithm)
    };
    let terms = vec![
        ("gamma", gamma),
        ("forecasters", forecasters),
        ("exploration", exploration),
        ("penalty", penalty),
        ("logarithm", logarithm),
    ];
    BoundTerms { terms, total: exploration + penalty + logarithm }
}

/// A horizon from which on the bound falls below `T` at most once; before it the bound may be below `T`
/// and above it again.
///
/// Divided by `sqrt(T)` and, for the two rules that follow the horizon, squared, the question is when a
/// concave function of `T` falls below the line: once. With a fixed `c` it is when
/// `g(s) = s - 4 (K - 1) / c - c Reg(s^2) / 4` becomes positive for good, where `s = sqrt(T)`:
/// `g' = 1 - 2 b e s / (1 + e s^2)` with `b = c N Y d~ / 4` and `e = rho^2 / (N d~ lambda)` is negative
/// exactly between `b - sqrt(b^2 - 1/e)` and `b + sqrt(b^2 - 1/e)`, so what has to be looked at is
/// whether `g` is still positive at the second. With one `gamma` for all rounds the bound is concave in
/// `T`, and below it in the end only if `2 (K - 1) < gamma`.
pub(super) fn dip(p: RidgeParameters, rule: GammaRule) -> u128 {
    let end = match rule {
        GammaRule::Growing(c) => {
            let target = if p.centred { 0.25 } else { 1.0 };
            let b = c * p.actions as f64 * target * p.dim as f64 / 4.0;
            let inside = b * b - 1.0 / p.per_round();
            if inside > 0.0 { (b + inside.sqrt()).powi(2).ceil() as u128 } else { 1 }
        }
        GammaRule::GrowingTuned | GammaRule::Constant(_) | GammaRule::Known => 1,
    };
    end.max(1)
}

#[cfg(test)]
mod tests {
    use super::super::Bound;
    use super::*;

    /// Nine actions, 120 features and a bias, `rho^2 = 31`, `W = 1`: the synthetic settings.
    fn synthetic(lambda: f64, centred: bool) -> RidgeParameters {
        let rho = 31f64.sqrt();
        RidgeParameters { actions: 9, active: 9, dim: 121, rho, lambda, weights: 1.0, centred }
    }

    #[test]
    fn figures_at_the_synthetic_sizes() {
        let share = |p, rule, t: u128| ridge(p, rule, t).total / t as f64;
        let plain = synthetic(30.0, false);
        let centred = synthetic(13.0, true);
        assert!((share(plain, GammaRule::Known, 100_000) - 0.916).abs() < 1e-3);
        assert!((share(centred, GammaRule::Known, 100_000) - 0.526).abs() < 1e-3);
        let horizon = |p, rule| *Bound::Ridge(p, rule).horizon().unwrap().end();
        assert_eq!(horizon(plain, GammaRule::GrowingTuned) / 10_000, 18);
        assert_eq!(horizon(centred, GammaRule::GrowingTuned) / 1_000, 49);
    }

    #[test]
    fn terms_by_hand() {
        // N = K = 2, d~ = 1, rho = lambda = W = 1, T = 4: Reg = 2 (1 + ln 3).
        let p = RidgeParameters {
            actions: 2,
            active: 2,
            dim: 1,
            rho: 1.0,
            lambda: 1.0,
            weights: 1.0,
            centred: false,
        };
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
        let log = 3f64.ln();
        let bound = ridge(p, GammaRule::Growing(2.0), 4);
        close(bound["gamma"], 4.0);
        close(bound["exploration"], 4.0 * 2.0 / 2.0);
        close(bound["penalty"], 2.0);
        close(bound["logarithm"], 2.0 * log);
        close(bound.total, 6.0 + 2.0 * log);
        let known = ridge(p, GammaRule::Known, 4);
        close(known.total, (2.0 * 4.0 * 2.0 * (1.0 + log)).sqrt());
        close(known["exploration"], known["penalty"] + known["logarithm"]);
        let tuned = ridge(p, GammaRule::GrowingTuned, 4);
        close(tuned.total, 2.0 * (4.0 * 2.0 * (1.0 + log)).sqrt());
        // Centred: W + 1/2 and a quarter of the logarithm.
        let centred = ridge(RidgeParameters { centred: true, ..p }, GammaRule::Growing(2.0), 4);
        close(centred["penalty"], 2.0 * 2.25);
        close(centred["logarithm"], 0.5 * log);
        assert_eq!(ridge(RidgeParameters { active: 1, ..p }, GammaRule::Known, 4).total, 0.0);
    }

    /// The best `c` is the best of a grid, and one `gamma` is better by the square root of 2.
    #[test]
    fn the_tuned_rules_are_the_best_of_their_kind() {
        let p = synthetic(13.0, true);
        let tuned = ridge(p, GammaRule::GrowingTuned, 50_000).total;
        let best =
            (1..400).map(|i| ridge(p, GammaRule::Growing(0.01 * f64::from(i)), 50_000).total);
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(tuned <= best && best < tuned * 1.01);
        assert!((tuned / ridge(p, GammaRule::Known, 50_000).total - 2f64.sqrt()).abs() < 1e-12);
    }

    /// By going through all horizons, among them one where the bound is below `T`, above it again and
    /// below it for good.
    #[test]
    fn horizons_are_those_of_a_plain_scan() {
        let small = RidgeParameters {
            actions: 2,
            active: 2,
            dim: 2,
            rho: 3.0,
            lambda: 0.5,
            weights: 0.1,
            centred: false,
        };
        let dips = RidgeParameters { rho: 0.0115, lambda: 1e-3, dim: 6, ..small };
        let rules = [GammaRule::Growing(1.0), GammaRule::GrowingTuned, GammaRule::Known];
        let mut crossings = 0;
        for (p, rule) in
            rules.map(|rule| (small, rule)).into_iter().chain([(dips, GammaRule::Growing(8.0))])
        {
            let is_below = |t: u128| ridge(p, rule, t).total < t as f64;
            let found = Bound::Ridge(p, rule).horizon().unwrap();
            let last_above = (1..100_000u128).rev().find(|&t| !is_below(t)).unwrap_or(0);
            assert_eq!(found, last_above + 1..=last_above + 1, "{rule:?}");
            crossings = (1..last_above).filter(|&t| is_below(t)).count();
        }
        assert!(crossings > 0, "the last case must dip");
    }

    #[test]
    fn values_out_of_range_are_named() {
        let p = synthetic(1.0, false);
        let message = |p: RidgeParameters| p.check().unwrap_err().to_string();
        assert!(message(RidgeParameters { active: 10, ..p }).starts_with("K = 10"));
        assert!(message(RidgeParameters { dim: 0, ..p }).starts_with("dim = 0"));
        assert!(message(RidgeParameters { lambda: 0.0, ..p }).starts_with("lambda = 0"));
        assert_eq!(p.check(), Ok(()));
    }
}

//! `sum_t t^{-p}` for the three exponents of the theorems, at any horizon.
//!
//! The head is summed term by term; the tail by Euler-Maclaurin, whose error for these functions
//! is smaller than the first term left out, here below 1e-18.

/// `p` in `t^{-p}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exponent {
    Third,
    Half,
    TwoThirds,
}

/// Terms summed one by one before the formula takes over.
const HEAD: u128 = 256;

impl Exponent {
    fn p(self) -> f64 {
        match self {
            Exponent::Third => 1.0 / 3.0,
            Exponent::Half => 0.5,
            Exponent::TwoThirds => 2.0 / 3.0,
        }
    }

    /// `t^{-p}`, by roots: `pow` with a rounded exponent would lose digits at large `t`.
    fn term(self, t: f64) -> f64 {
        let root = match self {
            Exponent::Third => libm::cbrt(t),
            Exponent::Half => t.sqrt(),
            Exponent::TwoThirds => libm::cbrt(t) * libm::cbrt(t),
        };
        1.0 / root
    }

    /// `sum_{t = first}^{last} t^{-p}` for `first >= 1`; 0 when the range is empty.
    pub(super) fn sum(self, first: u128, last: u128) -> f64 {
        let split = first.max(HEAD);
        if last < split.saturating_add(HEAD) {
            return self.head(first, last);
        }
        self.head(first, split - 1) + self.tail(split as f64, last as f64)
    }

    fn head(self, first: u128, last: u128) -> f64 {
        // Smallest terms first.
        (first..=last).rev().map(|t| self.term(t as f64)).sum()
    }

    /// ```text
    /// sum_{t=a}^{b} f(t) = int_a^b f + (f(a) + f(b)) / 2 + (f'(b) - f'(a)) / 12
    ///                      - (f'''(b) - f'''(a)) / 720 + (f^(5)(b) - f^(5)(a)) / 30240 - ...
    /// ```
    fn tail(self, a: f64, b: f64) -> f64 {
        let p = self.p();
        let integral = (b * self.term(b) - a * self.term(a)) / (1.0 - p);
        let first = |t: f64| -p * self.term(t) / t;
        let third = |t: f64| (p + 1.0) * (p + 2.0) * first(t) / (t * t);
        let fifth = |t: f64| (p + 3.0) * (p + 4.0) * third(t) / (t * t);
        let correction = (self.term(a) + self.term(b)) / 2.0 + (first(b) - first(a)) / 12.0
            - (third(b) - third(a)) / 720.0
            + (fifth(b) - fifth(a)) / 30240.0;
        integral + correction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_is_the_plain_sum() {
        for exponent in [Exponent::Third, Exponent::Half, Exponent::TwoThirds] {
            for (first, last) in [(1, 1), (1, 300), (9, 100_000), (1, 3_000_000), (5000, 6000)] {
                let (mut sum, mut lost) = (0.0f64, 0.0);
                for t in first..=last {
                    // Compensated, so that the reference is better than what it judges.
                    let term = libm::pow(t as f64, -exponent.p()) - lost;
                    let next = sum + term;
                    lost = (next - sum) - term;
                    sum = next;
                }
                let quick = exponent.sum(first, last);
                assert!(
                    (quick / sum - 1.0).abs() < 2e-15,
                    "{exponent:?} {first} {last}: {quick} {sum}"
                );
            }
            assert_eq!(exponent.sum(5, 4), 0.0);
        }
    }

    #[test]
    fn the_formula_misses_by_less_than_the_first_term_left_out() {
        for exponent in [Exponent::Third, Exponent::Half, Exponent::TwoThirds] {
            let p = exponent.p();
            // (f^(7)(b) - f^(7)(a)) / 1209600 comes next, with f^(7) = -p (p + 1) .. (p + 6) t^{-p-7}.
            let seventh =
                |t: f64| (0..7).map(|i| p + f64::from(i)).product::<f64>() * libm::pow(t, -p - 7.0);
            for (a, b) in [(5, 6), (5, 50), (8, 10)] {
                let plain = exponent.head(a, b);
                let (a, b) = (a as f64, b as f64);
                let left_out = (seventh(a) - seventh(b)) / 1_209_600.0;
                let missed = (exponent.tail(a, b) - plain).abs();
                assert!(missed < left_out && left_out < 1e-8, "{missed} {left_out}");
            }
        }
    }

    #[test]
    fn known_limits() {
        // sum_{t<=T} t^{-1/2} - 2 sqrt(T) tends to zeta(1/2) = -1.4603545088...
        let rest = Exponent::Half.sum(1, 1_000_000_000_000) - 2e6 - 0.5e-6;
        assert!((rest + 1.460_354_508_809_586_8).abs() < 1e-9, "{rest}");
    }
}

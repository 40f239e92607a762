//! Learning rates and exploration rates of the theorems and of the experiments.
//!
//! `learner` has a `Schedule` of its own, and the two share no line on purpose: this one judges it.

use super::TheoryError;

/// What the schedules and bounds of Sec. 6 depend on.
/// Checked by what makes it; to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameters {
    /// `B`.
    pub b: f64,
    /// `N`.
    pub actions: usize,
    /// `rho`.
    pub rho: f64,
}

impl Parameters {
    /// Radius `B` of the Frobenius ball, `N = n + n_e` actions, and `rho >= |(x, 1)|`.
    ///
    /// # Errors
    /// Names `B` (positive, and small enough for the bounds to be finite), `N` (at least 2) or
    /// `rho` (1 or more in the paper, since the bias input is 1; any
    /// positive number is taken here).
    pub fn new(b: f64, actions: usize, rho: f64) -> Result<Self, TheoryError> {
        if !(b > 0.0 && b.is_finite()) {
            return Err(TheoryError::out_of_range("B", b, "a positive number"));
        }
        if actions < 2 {
            let n = actions as f64;
            return Err(TheoryError::out_of_range("N", n, "at least 2 actions"));
        }
        if !(rho > 0.0 && rho.is_finite()) {
            return Err(TheoryError::out_of_range("rho", rho, "a positive number"));
        }
        let parameters = Parameters { b, actions, rho };
        if !(16.0 * parameters.kappa() * parameters.kappa()).is_finite() {
            return Err(TheoryError::out_of_range("B", b, "a B for which B^2 N^3 rho^2 is finite"));
        }
        Ok(parameters)
    }

    /// `kappa = B N^{3/2} rho` (Thm. 6.5).
    #[must_use]
    pub fn kappa(self) -> f64 {
        let n = self.actions as f64;
        self.b * (n * n.sqrt()) * self.rho
    }

    /// `N^3 rho^2`.
    pub(super) fn n3_rho2(self) -> f64 {
        let n = self.actions as f64;
        n * n * n * self.rho * self.rho
    }
}

/// A pair of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedRates {
    /// Thm. 6.3: `eta_t = B / (N^{3/2} rho t^{2/3})`, `gamma_t = min{1/2, t^{-1/3}}`.
    General,
    /// Thm. 6.5: `gamma_t = min{1/2, kappa / sqrt(t)}`, `eta_t = gamma_t / (4 N^3 rho^2)`.
    Concentrated,
    /// App. G: `eta_t = 5e-4 / sqrt(t)`, `gamma_t = min{1/2, 10 / sqrt(t)}`.
    Experiment,
}

impl StatedRates {
    /// `(eta_t, gamma_t)`: the learning rate and the exploration rate of round `t`.
    ///
    /// # Errors
    /// `t = 0`: rounds count from 1.
    pub fn rates(self, parameters: Parameters, t: u64) -> Result<(f64, f64), TheoryError> {
        if t == 0 {
            return Err(TheoryError::out_of_range("t", 0.0, "rounds that count from 1"));
        }
        let t = t as f64;
        Ok(match self {
            StatedRates::General => {
                let root = libm::cbrt(t);
                let n = parameters.actions as f64;
                let eta = parameters.b / (n * n.sqrt() * parameters.rho * root * root);
                (eta, (1.0 / root).min(0.5))
            }
            StatedRates::Concentrated => {
                let gamma = (parameters.kappa() / t.sqrt()).min(0.5);
                (gamma / (4.0 * parameters.n3_rho2()), gamma)
            }
            StatedRates::Experiment => (5e-4 / t.sqrt(), (10.0 / t.sqrt()).min(0.5)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_at_rounds_where_they_are_round_numbers() {
        let p = Parameters::new(4.0, 4, 2.0).unwrap();
        assert_eq!(p.kappa(), 64.0);
        let rates = |s: StatedRates, t| s.rates(p, t).unwrap();
        // 4 / (8 * 2 * 27^{2/3}) = 1/36
        assert_eq!(rates(StatedRates::General, 27), (1.0 / 36.0, 1.0 / 3.0));
        assert_eq!(rates(StatedRates::General, 8).1, 0.5);
        // kappa / 256 = 1/4 at t = 2^16; 4 N^3 rho^2 = 1024
        assert_eq!(rates(StatedRates::Concentrated, 65536), (0.25 / 1024.0, 0.25));
        assert_eq!(rates(StatedRates::Concentrated, 16384).1, 0.5);
        assert_eq!(rates(StatedRates::Experiment, 1600), (1.25e-5, 0.25));
        assert!(StatedRates::General.rates(p, 0).is_err());
    }

    #[test]
    fn bad_parameters_are_named() {
        for (b, n, rho, field) in [
            (0.0, 3, 1.0, "B"),
            (f64::NAN, 3, 1.0, "B"),
            (1e200, 3, 1.0, "B"),
            (3.0, 1, 1.0, "N"),
            (3.0, 3, 0.0, "rho"),
            (3.0, 3, f64::INFINITY, "rho"),
        ] {
            let message = Parameters::new(b, n, rho).unwrap_err().to_string();
            assert!(message.starts_with(&format!("{field} = ")), "{message}");
        }
    }
}

//! Learning rate `eta_t` and exploration rate `gamma_t`; rounds count from `t = 1`.

use super::{LearnerError, cube_roots};
use serde::{Deserialize, Serialize};

/// A rule for `(eta_t, gamma_t)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// Thm 6.3: `eta_t = B / (N^{3/2} rho t^{2/3})`, `gamma_t = min(1/2, t^{-1/3})`.
    General,
    /// Thm 6.5: `gamma_t = min(1/2, kappa/sqrt t)`, `kappa = B N^{3/2} rho`,
    /// `eta_t = gamma_t / (4 N^3 rho^2)`.
    Concentrated,
    /// App. G: `eta_t = eta0/sqrt t`, `gamma_t = min(1/2, gamma0/sqrt t)`.
    Experiment {
        /// The paper tunes it to 5e-4.
        eta0: f64,
        /// The paper uses 10.
        gamma0: f64,
    },
    /// `eta_t = eta0 t^{-eta_power}`, `gamma_t = min(gamma_max, gamma0 t^{-gamma_power})`.
    PowerLaw {
        /// Learning rate at `t = 1`.
        eta0: f64,
        /// How fast it falls; 0 keeps it constant.
        eta_power: f64,
        /// Exploration rate at `t = 1`, before the cap.
        gamma0: f64,
        /// How fast it falls; 0 keeps it constant.
        gamma_power: f64,
        /// Cap, at most 1.
        gamma_max: f64,
    },
}

impl Schedule {
    /// The synthetic experiments of App. G.
    pub const EXPERIMENT: Schedule = Schedule::Experiment { eta0: 5e-4, gamma0: 10.0 };

    /// The rule with its constants worked out for `actions = N`, radius `B` and `rho`.
    ///
    /// # Errors
    /// A parameter out of range, or a schedule made from `B` when there is no ball.
    pub(crate) fn rates(
        self,
        actions: usize,
        radius: Option<f64>,
        rho: f64,
    ) -> Result<Rates, LearnerError> {
        let n32 = actions as f64 * (actions as f64).sqrt();
        let radius = |schedule| radius.ok_or(LearnerError::ScheduleNeedsRadius { schedule });
        let rule = match self {
            Schedule::General => Rule::General { eta1: radius("general")? / (n32 * rho) },
            Schedule::Concentrated => Rule::Concentrated {
                kappa: radius("concentrated")? * n32 * rho,
                lambda: 1.0 / (4.0 * n32 * n32 * rho * rho),
            },
            Schedule::Experiment { eta0, gamma0 } => {
                positive("schedule.eta0", eta0)?;
                not_negative("schedule.gamma0", gamma0)?;
                Rule::InverseRoot { eta0, gamma0 }
            }
            Schedule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max } => {
                positive("schedule.eta0", eta0)?;
                not_negative("schedule.eta_power", eta_power)?;
                not_negative("schedule.gamma0", gamma0)?;
                not_negative("schedule.gamma_power", gamma_power)?;
                if !(0.0..=1.0).contains(&gamma_max) {
                    let (field, expected) = ("schedule.gamma_max", "a number in [0, 1]");
                    return Err(LearnerError::Config { field, value: gamma_max, expected });
                }
                Rule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max }
            }
        };
        Ok(Rates(rule))
    }
}

fn positive(field: &'static str, value: f64) -> Result<(), LearnerError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(LearnerError::Config { field, value, expected: "a finite number above 0" })
}

fn not_negative(field: &'static str, value: f64) -> Result<(), LearnerError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(LearnerError::Config { field, value, expected: "a finite number, not negative" })
}

/// A [`Schedule`] with its constants worked out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates(Rule);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    General { eta1: f64 },
    Concentrated { kappa: f64, lambda: f64 },
    InverseRoot { eta0: f64, gamma0: f64 },
    PowerLaw { eta0: f64, eta_power: f64, gamma0: f64, gamma_power: f64, gamma_max: f64 },
}

impl Rates {
    /// `(eta_t, gamma_t)`.
    #[inline]
    #[must_use]
    pub(crate) fn at(&self, t: u64) -> (f64, f64) {
        let t = t as f64;
        match self.0 {
            Rule::General { eta1 } => general(eta1, libm::cbrt(t)),
            Rule::Concentrated { kappa, lambda } => {
                let gamma = (kappa / t.sqrt()).min(0.5);
                (gamma * lambda, gamma)
            }
            Rule::InverseRoot { eta0, gamma0 } => {
                let root = t.sqrt();
                (eta0 / root, (gamma0 / root).min(0.5))
            }
            Rule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max } => (
                eta0 * libm::pow(t, -eta_power),
                (gamma0 * libm::pow(t, -gamma_power)).min(gamma_max),
            ),
        }
    }
}

/// `(eta_t, gamma_t)` of Thm 6.3, given the cube root of `t`.
#[inline]
fn general(eta1: f64, root: f64) -> (f64, f64) {
    (eta1 / (root * root), (1.0 / root).min(0.5))
}

/// [`Rates::at`] for one round after the other. Cube roots are dear, and cheaper by the dozen.
#[derive(Clone, Debug)]
pub(crate) struct RatesInOrder {
    rates: Rates,
    /// The round that `ahead` begins with; 0 when nothing is known yet.
    first: u64,
    ahead: [(f64, f64); cube_roots::COUNT],
}

impl RatesInOrder {
    pub(crate) fn new(rates: Rates) -> Self {
        RatesInOrder { rates, first: 0, ahead: [(0.0, 0.0); cube_roots::COUNT] }
    }

    /// `(eta_t, gamma_t)`.
    #[inline]
    pub(crate) fn at(&mut self, t: u64) -> (f64, f64) {
        let Rule::General { eta1 } = self.rates.0 else { return self.rates.at(t) };
        let at = t.wrapping_sub(self.first) as usize;
        if self.first > 0 && at < self.ahead.len() {
            return self.ahead[at];
        }
        self.look_ahead(t, eta1)
    }

    #[inline(never)]
    fn look_ahead(&mut self, t: u64, eta1: f64) -> (f64, f64) {
        self.ahead = cube_roots::cube_roots(t).map(|root| general(eta1, root));
        self.first = t;
        self.ahead[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forwards, backwards and in leaps.
    #[test]
    fn rates_in_order_are_the_rates() {
        for schedule in [Schedule::General, Schedule::Concentrated, Schedule::EXPERIMENT] {
            let rates = schedule.rates(3, Some(3.0), 1.5).unwrap();
            let mut in_order = RatesInOrder::new(rates);
            let rounds = (1..40).chain(4000..4200).chain([3, 2, 1, 1 << 50]).chain((1..90).rev());
            for t in rounds {
                assert_eq!(in_order.at(t), rates.at(t), "{t}");
            }
        }
    }

    fn close(a: (f64, f64), b: (f64, f64)) -> bool {
        (a.0 - b.0).abs() <= 1e-14 * b.0 && (a.1 - b.1).abs() <= 1e-14 * b.1
    }

    /// B = N = 3, rho = sqrt 2, by hand: N^{3/2} rho = sqrt 54.
    #[test]
    fn schedules_by_hand() {
        let rho = 2f64.sqrt();
        let at = |schedule: Schedule, t| schedule.rates(3, Some(3.0), rho).unwrap().at(t);
        let eta1 = 3.0 / 54f64.sqrt();
        assert!(close(at(Schedule::General, 1), (eta1, 0.5)));
        assert!(close(at(Schedule::General, 8), (eta1 / 4.0, 0.5)));
        assert!(close(at(Schedule::General, 27), (eta1 / 9.0, 1.0 / 3.0)));
        let kappa = 3.0 * 54f64.sqrt();
        // kappa^2 = 486: exploration leaves 1/2 after 4 kappa^2 = 1944 rounds.
        assert!(close(at(Schedule::Concentrated, 1944), (0.5 / 216.0, 0.5)));
        let gamma = kappa / 2000f64.sqrt();
        assert!(gamma < 0.5 && close(at(Schedule::Concentrated, 2000), (gamma / 216.0, gamma)));
        assert!(close(at(Schedule::EXPERIMENT, 400), (5e-4 / 20.0, 0.5)));
        assert!(close(at(Schedule::EXPERIMENT, 10_000), (5e-6, 0.1)));
        let custom = Schedule::PowerLaw {
            eta0: 2.0,
            eta_power: 0.5,
            gamma0: 3.0,
            gamma_power: 1.0,
            gamma_max: 0.9,
        };
        assert!(close(at(custom, 1), (2.0, 0.9)));
        assert!(close(at(custom, 16), (0.5, 3.0 / 16.0)));
    }

    #[test]
    fn impossible_parameters_are_named() {
        let rates = |schedule: Schedule, radius| schedule.rates(3, radius, 1.0);
        for schedule in [Schedule::General, Schedule::Concentrated] {
            assert!(matches!(rates(schedule, None), Err(LearnerError::ScheduleNeedsRadius { .. })));
        }
        let bad = Schedule::Experiment { eta0: -1.0, gamma0: 10.0 };
        assert!(rates(bad, None).unwrap_err().to_string().contains("schedule.eta0 = -1"));
        let good = (1.0, 0.5, 1.0, 0.5, 0.5);
        let power = |(eta0, eta_power, gamma0, gamma_power, gamma_max)| {
            let schedule = Schedule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max };
            rates(schedule, None)
        };
        assert!(power(good).is_ok());
        assert!(power((f64::NAN, 0.5, 1.0, 0.5, 0.5)).is_err());
        assert!(power((0.0, 0.5, 1.0, 0.5, 0.5)).is_err());
        assert!(power((1.0, -0.5, 1.0, 0.5, 0.5)).is_err());
        assert!(power((1.0, 0.5, -1.0, 0.5, 0.5)).is_err());
        assert!(power((1.0, 0.5, 1.0, f64::INFINITY, 0.5)).is_err());
        assert!(power((1.0, 0.5, 1.0, 0.5, 1.5)).is_err());
    }
}

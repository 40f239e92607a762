//! The ten multiclass surrogates of App. E, their deferral losses and conditional risks. `learner` has its
//! own, and the two share no line on purpose: a fault must not be able to hide by being in both.
//!
//! The five that are piecewise polynomial live in [`Piecewise`], generic over the number type, so
//! that a witness found in floating point can be rechecked with the same code in exact rationals.

use super::TheoryError;
use num_traits::Num;
use std::fmt;

/// Numbers the piecewise polynomial surrogates can be evaluated in (`f64`, `BigRational`).
pub(crate) trait Scalar: Clone + PartialOrd + Num {}
impl<T: Clone + PartialOrd + Num> Scalar for T {}

/// `[1 - t]_+`.
fn hinge<T: Scalar>(t: T) -> T {
    let v = T::one() - t;
    if v > T::zero() { v } else { T::zero() }
}

/// `Phi_tau(t) = min{max{0, 1 - t / tau}, 1}`.
fn ramp<T: Scalar>(t: T, tau: &T) -> T {
    let v = hinge(t / tau.clone());
    if v < T::one() { v } else { T::one() }
}

/// The surrogates whose value is a piecewise polynomial of the scores.
#[derive(Clone, Debug, PartialEq)]
pub enum Piecewise<T> {
    /// `sum_{b != a} [1 - (u_a - u_b)]_+^2`.
    SumSq,
    /// `sum_{b != a} Phi_tau(u_a - u_b)`.
    SumTau(T),
    /// `sum_{b != a} [1 + u_b]_+`, zero-sum `u`.
    CstndHinge,
    /// `sum_{b != a} [1 + u_b]_+^2`, zero-sum `u`.
    CstndSq,
    /// `sum_{b != a} Phi_tau(-u_b)`, zero-sum `u`.
    CstndTau(T),
}

impl<T: Clone + PartialOrd + Num> Piecewise<T> {
    /// `Phi_01(u, target)`.
    #[inline]
    #[must_use]
    pub fn phi01(&self, u: &[T], target: usize) -> T {
        let margin = |u_b: &T| u[target].clone() - u_b.clone();
        let against = |u_b: &T| T::zero() - u_b.clone();
        match self {
            Piecewise::SumSq => sum_of_others(u, target, |u_b| square(hinge(margin(u_b)))),
            Piecewise::SumTau(tau) => sum_of_others(u, target, |u_b| ramp(margin(u_b), tau)),
            Piecewise::CstndHinge => sum_of_others(u, target, |u_b| hinge(against(u_b))),
            Piecewise::CstndSq => sum_of_others(u, target, |u_b| square(hinge(against(u_b)))),
            Piecewise::CstndTau(tau) => sum_of_others(u, target, |u_b| ramp(against(u_b), tau)),
        }
    }

    /// `C_Phi(u) = sum_a s_a Phi_01(u, a)` (Lem. D.2).
    #[must_use]
    pub fn conditional_risk(&self, s: &[T], u: &[T]) -> T {
        s.iter().enumerate().fold(T::zero(), |sum, (a, s_a)| sum + s_a.clone() * self.phi01(u, a))
    }
}

/// `sum_{b != target} term(u_b)`, in order.
#[inline]
fn sum_of_others<T: Scalar>(u: &[T], target: usize, term: impl Fn(&T) -> T) -> T {
    let (before, after) = (&u[..target], &u[target + 1..]);
    before.iter().chain(after).fold(T::zero(), |sum, u_b| sum + term(u_b))
}

fn square<T: Scalar>(v: T) -> T {
    v.clone() * v
}

/// One of the ten surrogates, with its parameter. Parameters are checked by the constructors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SurrogateId {
    /// `sum_{b != a} exp(u_b - u_a)`.
    CompExp,
    /// `-log p_a`, with `p = softmax(u)`.
    CompLog,
    /// `(1 - p_a^alpha) / alpha`.
    CompGce {
        /// In `(0, 1]`.
        alpha: f64,
    },
    /// `1 - p_a`.
    CompMae,
    /// See [`Piecewise::SumSq`].
    SumSq,
    /// `sum_{b != a} exp(-(u_a - u_b))`: the same function as [`SurrogateId::CompExp`].
    SumExp,
    /// See [`Piecewise::SumTau`].
    SumTau {
        /// Where the ramp ends, positive.
        tau: f64,
    },
    /// See [`Piecewise::CstndHinge`].
    CstndHinge,
    /// See [`Piecewise::CstndSq`].
    CstndSq,
    /// See [`Piecewise::CstndTau`].
    CstndTau {
        /// Where the ramp ends, positive.
        tau: f64,
    },
}

impl SurrogateId {
    /// The names of the surrogates, in the order of App. E.
    pub const NAMES: [&'static str; 10] = [
        "comp_exp",
        "comp_log",
        "comp_gce",
        "comp_mae",
        "sum_sq",
        "sum_exp",
        "sum_tau",
        "cstnd_hinge",
        "cstnd_sq",
        "cstnd_tau",
    ];

    /// All ten with the given parameters.
    #[cfg(test)]
    pub(crate) fn all(alpha: f64, tau: f64) -> Result<[SurrogateId; 10], TheoryError> {
        let mut ids = [SurrogateId::CompExp; 10];
        for (id, name) in ids.iter_mut().zip(SurrogateId::NAMES) {
            *id = SurrogateId::parse(name, Some(alpha), Some(tau))?;
        }
        Ok(ids)
    }

    /// The surrogate called `name`; `alpha` and `tau` are looked at only by those that have them.
    ///
    /// # Errors
    /// Names `name`, `alpha` (in `(0, 1]`; 1 is `comp_mae`) or `tau` (positive).
    pub fn parse(name: &str, alpha: Option<f64>, tau: Option<f64>) -> Result<Self, TheoryError> {
        let alpha = || {
            let value = alpha.unwrap_or(f64::NAN);
            if value > 0.0 && value <= 1.0 {
                Ok(value)
            } else {
                Err(TheoryError::out_of_range("alpha", value, "a number in (0, 1]"))
            }
        };
        let tau = || {
            let value = tau.unwrap_or(f64::NAN);
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(TheoryError::out_of_range("tau", value, "a positive number"))
            }
        };
        Ok(match name {
            "comp_exp" => SurrogateId::CompExp,
            "comp_log" => SurrogateId::CompLog,
            "comp_gce" => SurrogateId::CompGce { alpha: alpha()? },
            "comp_mae" => SurrogateId::CompMae,
            "sum_sq" => SurrogateId::SumSq,
            "sum_exp" => SurrogateId::SumExp,
            "sum_tau" => SurrogateId::SumTau { tau: tau()? },
            "cstnd_hinge" => SurrogateId::CstndHinge,
            "cstnd_sq" => SurrogateId::CstndSq,
            "cstnd_tau" => SurrogateId::CstndTau { tau: tau()? },
            _ => {
                return Err(TheoryError::UnknownSurrogate {
                    field: "name",
                    value: name.into(),
                    expected: "comp_exp, comp_log, comp_gce, comp_mae, sum_sq, sum_exp, sum_tau, \
                               cstnd_hinge, cstnd_sq, cstnd_tau",
                });
            }
        })
    }

    /// The name used in files and on the command line, without the parameter.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SurrogateId::CompExp => "comp_exp",
            SurrogateId::CompLog => "comp_log",
            SurrogateId::CompGce { .. } => "comp_gce",
            SurrogateId::CompMae => "comp_mae",
            SurrogateId::SumSq => "sum_sq",
            SurrogateId::SumExp => "sum_exp",
            SurrogateId::SumTau { .. } => "sum_tau",
            SurrogateId::CstndHinge => "cstnd_hinge",
            SurrogateId::CstndSq => "cstnd_sq",
            SurrogateId::CstndTau { .. } => "cstnd_tau",
        }
    }

    /// Whether scores are restricted to zero-sum vectors.
    #[must_use]
    pub fn is_constrained(self) -> bool {
        use SurrogateId::*;
        matches!(self, CstndHinge | CstndSq | CstndTau { .. })
    }

    /// The generic form, for the five that are piecewise polynomial.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn piecewise(self) -> Option<Piecewise<f64>> {
        match self {
            SurrogateId::SumSq => Some(Piecewise::SumSq),
            SurrogateId::SumTau { tau } => Some(Piecewise::SumTau(tau)),
            SurrogateId::CstndHinge => Some(Piecewise::CstndHinge),
            SurrogateId::CstndSq => Some(Piecewise::CstndSq),
            SurrogateId::CstndTau { tau } => Some(Piecewise::CstndTau(tau)),
            _ => None,
        }
    }

    /// `Gamma(t)` as App. E states it; `actions` is the paper's `N` (pass `K` for the active set).
    #[must_use]
    pub fn gamma_stated(self, t: f64, actions: usize) -> f64 {
        self.gamma(actions)(t)
    }

    /// [`Self::gamma_stated`] for many gaps.
    pub(crate) fn gamma(self, actions: usize) -> impl Fn(f64) -> f64 {
        use SurrogateId::*;
        let n = actions as f64;
        let factor = match self {
            CompExp | CompLog | SumExp => 2.0,
            CompGce { alpha } => 2.0 * libm::pow(n, alpha),
            CompMae => n,
            SumSq | CstndSq | SumTau { .. } | CstndHinge | CstndTau { .. } => 1.0,
        };
        let is_linear = matches!(self, CompMae | SumTau { .. } | CstndHinge | CstndTau { .. });
        move |t| if is_linear { factor * t } else { (factor * t).sqrt() }
    }

    /// `Phi_01(u, target)` over the active scores `u` (Def. 4.2, App. E).
    #[inline]
    #[must_use]
    pub fn phi01(self, u: &[f64], target: usize) -> f64 {
        match self {
            SurrogateId::CompExp | SurrogateId::SumExp => odds_against(u, target),
            SurrogateId::CompLog => log_loss(u, target),
            SurrogateId::CompGce { alpha } => -libm::expm1(-alpha * log_loss(u, target)) / alpha,
            SurrogateId::CompMae => -libm::expm1(-log_loss(u, target)),
            SurrogateId::SumSq => Piecewise::SumSq.phi01(u, target),
            SurrogateId::SumTau { tau } => Piecewise::SumTau(tau).phi01(u, target),
            SurrogateId::CstndHinge => Piecewise::CstndHinge.phi01(u, target),
            SurrogateId::CstndSq => Piecewise::CstndSq.phi01(u, target),
            SurrogateId::CstndTau { tau } => Piecewise::CstndTau(tau).phi01(u, target),
        }
    }

    /// `C_Phi(u) = sum_a s_a Phi_01(u, a)` (Lem. D.2).
    #[inline]
    #[must_use]
    pub fn conditional_risk(self, s: &[f64], u: &[f64]) -> f64 {
        weighted(s, |a| self.phi01(u, a))
    }
}

impl fmt::Display for SurrogateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SurrogateId::CompGce { alpha } => write!(f, "comp_gce({alpha})"),
            SurrogateId::SumTau { tau } => write!(f, "sum_tau({tau})"),
            SurrogateId::CstndTau { tau } => write!(f, "cstnd_tau({tau})"),
            other => f.write_str(other.name()),
        }
    }
}

/// `sum_a s_a phi01_a`. An action without weight counts nothing, even where its loss overflows.
#[inline]
fn weighted(s: &[f64], phi01: impl Fn(usize) -> f64) -> f64 {
    s.iter().enumerate().filter(|&(_, &s_a)| s_a > 0.0).map(|(a, s_a)| s_a * phi01(a)).sum()
}

/// `sum_{b != target} exp(u_b - u_target)`.
fn odds_against(u: &[f64], target: usize) -> f64 {
    let others = u.iter().enumerate().filter(|&(b, _)| b != target);
    others.map(|(_, u_b)| libm::exp(u_b - u[target])).sum()
}

/// `-log softmax(u)_target = log(1 + odds against)`, in the form that can neither overflow nor
/// lose a small loss.
fn log_loss(u: &[f64], target: usize) -> f64 {
    let top = u.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if u[target] == top {
        return libm::log1p(odds_against(u, target));
    }
    let sum: f64 = u.iter().map(|u_b| libm::exp(u_b - top)).sum();
    top - u[target] + libm::log(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;

    fn ratio(p: i64, q: i64) -> BigRational {
        BigRational::new(p.into(), q.into())
    }

    #[test]
    fn names_round_trip_and_parameters_are_checked() {
        for (id, name) in SurrogateId::all(0.7, 2.0).unwrap().into_iter().zip(SurrogateId::NAMES) {
            assert_eq!(id.name(), name);
            assert_eq!(SurrogateId::parse(id.name(), Some(0.7), Some(2.0)), Ok(id));
        }
        assert_eq!(SurrogateId::SumTau { tau: 2.0 }.to_string(), "sum_tau(2)");
        for (name, alpha, tau, field) in [
            ("comp_gce", Some(0.0), None, "alpha"),
            ("comp_gce", Some(1.01), None, "alpha"),
            ("comp_gce", None, None, "alpha"),
            ("sum_tau", None, Some(0.0), "tau"),
            ("cstnd_tau", None, Some(f64::INFINITY), "tau"),
            ("hinge", None, None, "name"),
        ] {
            let message = SurrogateId::parse(name, alpha, tau).unwrap_err().to_string();
            assert!(message.starts_with(field), "{message}");
        }
    }

    #[test]
    fn hand_computed_values_in_rationals_and_floats() {
        // u = (1/2, -3/2, 1), zero-sum.
        let u = [ratio(1, 2), ratio(-3, 2), ratio(1, 1)];
        let expect = [
            // targets 0, 1, 2: margins (2, -1/2), (-2, -5/2), (1/2, 5/2)
            (Piecewise::SumSq, [ratio(9, 4), ratio(85, 4), ratio(1, 4)]),
            (Piecewise::SumTau(ratio(2, 1)), [ratio(1, 1), ratio(2, 1), ratio(3, 4)]),
            (Piecewise::CstndHinge, [ratio(2, 1), ratio(7, 2), ratio(3, 2)]),
            (Piecewise::CstndSq, [ratio(4, 1), ratio(25, 4), ratio(9, 4)]),
            (Piecewise::CstndTau(ratio(2, 1)), [ratio(5, 4), ratio(2, 1), ratio(5, 4)]),
        ];
        let floats = [
            SurrogateId::SumSq,
            SurrogateId::SumTau { tau: 2.0 },
            SurrogateId::CstndHinge,
            SurrogateId::CstndSq,
            SurrogateId::CstndTau { tau: 2.0 },
        ];
        for ((exact, values), float) in expect.into_iter().zip(floats) {
            for (a, value) in values.into_iter().enumerate() {
                assert_eq!(exact.phi01(&u, a), value, "{float} at {a}");
                let v = float.phi01(&[0.5, -1.5, 1.0], a);
                let generic = float.piecewise().map(|form| form.phi01(&[0.5, -1.5, 1.0], a));
                assert_eq!(generic, Some(v), "{float} at {a}");
                assert_eq!(BigRational::from_float(v), Some(value), "{float} at {a}");
            }
        }
    }

    #[test]
    fn exponential_losses_stay_finite_where_the_textbook_form_does_not() {
        let u = [800.0, 0.0, -800.0];
        assert_eq!(SurrogateId::CompLog.phi01(&u, 2), 1600.0);
        assert_eq!(SurrogateId::CompLog.phi01(&u, 0), libm::exp(-800.0));
        assert_eq!(SurrogateId::CompMae.phi01(&u, 2), 1.0);
        // A loss of e^-30 is lost by 1 - p, whose smallest step is 1e-16.
        let small = SurrogateId::CompMae.phi01(&[30.0, 0.0], 0);
        assert!((small / libm::exp(-30.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_action_without_weight_counts_nothing_even_where_its_loss_overflows() {
        // Both the second class and the expert lose e^800 against the first class.
        let u = [800.0, 0.0, 0.0];
        let id = SurrogateId::CompExp;
        assert_eq!(id.phi01(&u, 1), f64::INFINITY);
        assert_eq!(id.conditional_risk(&[1.0, 0.0, 0.0], &u), 2.0 * libm::exp(-800.0));
    }
}

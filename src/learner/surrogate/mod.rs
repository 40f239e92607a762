//! The ten multiclass surrogates of App. E on an active score vector.
//!
//! A surrogate takes the scores `u` of the `K` active actions and a target action and returns
//! `Phi_01(u, target)`. The deferral loss of Def. 4.3 is a weighted sum of these over targets, so
//! value and (sub)gradient per target are all that a learner needs. One file per family:
//! [`comp_sum`] (functions of the soft-max), [`sum`] (margins `u_y - u_b`) and [`constrained`]
//! (margins `-u_b`, scores summing to zero); the last two share the scalar losses of [`margin`].

mod comp_sum;
mod constrained;
mod margin;
mod sum;

use crate::LearnerError;
use margin::Margin;
use serde::{Deserialize, Serialize};

/// One of the ten surrogates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Surrogate {
    /// `sum_{b != y} exp(u_b - u_y)`
    CompExp,
    /// `-log p_y`, with `p` the soft-max of `u`
    CompLog,
    /// `(1 - p_y^alpha) / alpha`
    CompGce {
        /// In `(0, 1)`.
        alpha: f64,
    },
    /// `1 - p_y`
    CompMae,
    /// `sum_{b != y} max(0, 1 - (u_y - u_b))^2`
    SumSq,
    /// `sum_{b != y} exp(-(u_y - u_b))`
    SumExp,
    /// `sum_{b != y} min(max(0, 1 - (u_y - u_b)/tau), 1)`
    SumTau {
        /// Positive.
        tau: f64,
    },
    /// `sum_{b != y} max(0, 1 + u_b)`, scores summing to zero: the loss of Algorithm 1
    CstndHinge,
    /// `sum_{b != y} max(0, 1 + u_b)^2`, scores summing to zero
    CstndSq,
    /// `sum_{b != y} min(max(0, 1 + u_b/tau), 1)`, scores summing to zero
    CstndTau {
        /// Positive.
        tau: f64,
    },
}

impl Surrogate {
    /// Names of all ten, in the order of the paper.
    pub(crate) const NAMES: [&'static str; 10] = [
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

    /// The surrogate called `name`; `alpha` and `tau` are used by the ones that have them.
    pub(crate) fn from_name(name: &str, alpha: f64, tau: f64) -> Result<Self, LearnerError> {
        let surrogate = match name {
            "comp_exp" => Surrogate::CompExp,
            "comp_log" => Surrogate::CompLog,
            "comp_gce" => Surrogate::CompGce { alpha },
            "comp_mae" => Surrogate::CompMae,
            "sum_sq" => Surrogate::SumSq,
            "sum_exp" => Surrogate::SumExp,
            "sum_tau" => Surrogate::SumTau { tau },
            "cstnd_hinge" => Surrogate::CstndHinge,
            "cstnd_sq" => Surrogate::CstndSq,
            "cstnd_tau" => Surrogate::CstndTau { tau },
            _ => return Err(LearnerError::UnknownSurrogate { name: name.into() }),
        };
        surrogate.check()?;
        Ok(surrogate)
    }

    /// Whether the parameter is one the paper allows.
    pub(crate) fn check(self) -> Result<(), LearnerError> {
        match self {
            Surrogate::CompGce { alpha } if !(alpha > 0.0 && alpha < 1.0) => {
                Err(LearnerError::Alpha { alpha })
            }
            Surrogate::SumTau { tau } | Surrogate::CstndTau { tau }
                if !(tau > 0.0 && tau.is_finite()) =>
            {
                Err(LearnerError::Tau { tau })
            }
            _ => Ok(()),
        }
    }

    /// The name used in files and reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Surrogate::CompExp => "comp_exp",
            Surrogate::CompLog => "comp_log",
            Surrogate::CompGce { .. } => "comp_gce",
            Surrogate::CompMae => "comp_mae",
            Surrogate::SumSq => "sum_sq",
            Surrogate::SumExp => "sum_exp",
            Surrogate::SumTau { .. } => "sum_tau",
            Surrogate::CstndHinge => "cstnd_hinge",
            Surrogate::CstndSq => "cstnd_sq",
            Surrogate::CstndTau { .. } => "cstnd_tau",
        }
    }

    /// Convex in the scores: what the regret analysis of projected gradient steps needs.
    #[must_use]
    pub(crate) fn is_convex(self) -> bool {
        match self {
            Surrogate::CompExp
            | Surrogate::CompLog
            | Surrogate::SumSq
            | Surrogate::SumExp
            | Surrogate::CstndHinge
            | Surrogate::CstndSq => true,
            Surrogate::CompGce { .. }
            | Surrogate::CompMae
            | Surrogate::SumTau { .. }
            | Surrogate::CstndTau { .. } => false,
        }
    }

    /// Defined on scores that sum to zero over the active set. The other families only see score
    /// differences, so their gradients sum to zero by themselves.
    pub(crate) fn is_constrained(self) -> bool {
        matches!(self, Surrogate::CstndHinge | Surrogate::CstndSq | Surrogate::CstndTau { .. })
    }

    /// `Phi_01(u, target)`; `target` is a position in `u`.
    pub(crate) fn value(self, u: &[f64], target: usize) -> f64 {
        match self {
            Surrogate::CompExp => comp_sum::exp_value(u, target),
            Surrogate::CompLog => comp_sum::log_value(u, target),
            Surrogate::CompGce { alpha } => comp_sum::gce_value(u, target, alpha),
            Surrogate::CompMae => comp_sum::mae_value(u, target),
            Surrogate::SumSq => sum::value(Margin::SquaredHinge, u, target),
            Surrogate::SumExp => sum::value(Margin::Exp, u, target),
            Surrogate::SumTau { tau } => sum::value(Margin::Ramp { tau }, u, target),
            Surrogate::CstndHinge => constrained::value(Margin::Hinge, u, target),
            Surrogate::CstndSq => constrained::value(Margin::SquaredHinge, u, target),
            Surrogate::CstndTau { tau } => constrained::value(Margin::Ramp { tau }, u, target),
        }
    }

    /// Adds `weight` times a (sub)gradient of `Phi_01(., target)` at `u` to `out`. At a kink the
    /// coefficient is zero.
    #[inline(always)]
    pub(crate) fn add_gradient(self, u: &[f64], target: usize, weight: f64, out: &mut [f64]) {
        match self {
            Surrogate::CompExp => comp_sum::exp_gradient(u, target, weight, out),
            Surrogate::CompLog => comp_sum::log_gradient(u, target, weight, out),
            Surrogate::CompGce { alpha } => comp_sum::gce_gradient(u, target, alpha, weight, out),
            Surrogate::CompMae => comp_sum::gce_gradient(u, target, 1.0, weight, out),
            Surrogate::SumSq => sum::gradient(Margin::SquaredHinge, u, target, weight, out),
            Surrogate::SumExp => sum::gradient(Margin::Exp, u, target, weight, out),
            Surrogate::SumTau { tau } => {
                sum::gradient(Margin::Ramp { tau }, u, target, weight, out)
            }
            Surrogate::CstndHinge => constrained::gradient(Margin::Hinge, u, target, weight, out),
            Surrogate::CstndSq => {
                constrained::gradient(Margin::SquaredHinge, u, target, weight, out)
            }
            Surrogate::CstndTau { tau } => {
                constrained::gradient(Margin::Ramp { tau }, u, target, weight, out)
            }
        }
    }
}

/// By its name in files and reports; with `alpha = 1/2` and `tau = 1`, where it has one.
impl std::str::FromStr for Surrogate {
    type Err = LearnerError;

    fn from_str(name: &str) -> Result<Self, LearnerError> {
        Surrogate::from_name(name, 0.5, 1.0)
    }
}

/// The name used in files and reports.
impl std::fmt::Display for Surrogate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;

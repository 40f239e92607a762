//! Scalar losses `Phi(t)` of a margin `t`, shared by the sum and the constrained family.

/// A decreasing loss of a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Margin {
    /// `max(0, 1 - t)`
    Hinge,
    /// `max(0, 1 - t)^2`
    SquaredHinge,
    /// `exp(-t)`
    Exp,
    /// `min(max(0, 1 - t/tau), 1)`
    Ramp {
        /// Width of the slope.
        tau: f64,
    },
}

impl Margin {
    /// `Phi(t)`.
    #[inline]
    pub(crate) fn value(self, t: f64) -> f64 {
        match self {
            Margin::Hinge => (1.0 - t).max(0.0),
            Margin::SquaredHinge => {
                let h = (1.0 - t).max(0.0);
                h * h
            }
            Margin::Exp => libm::exp(-t),
            Margin::Ramp { tau } => (1.0 - t / tau).clamp(0.0, 1.0),
        }
    }

    /// `Phi'(t)`, zero at a kink.
    #[inline]
    pub(crate) fn derivative(self, t: f64) -> f64 {
        match self {
            Margin::Hinge => {
                if 1.0 - t > 0.0 {
                    -1.0
                } else {
                    0.0
                }
            }
            Margin::SquaredHinge => -2.0 * (1.0 - t).max(0.0),
            Margin::Exp => -libm::exp(-t),
            Margin::Ramp { tau } => {
                if t > 0.0 && t < tau {
                    -1.0 / tau
                } else {
                    0.0
                }
            }
        }
    }
}

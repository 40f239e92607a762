//! Tolerances of the reports, each with its reason.

pub(crate) use problem::prec::{AUDIT_FALSE_ALARM, INTERVAL_OUTSIDE};

/// How far above the exponent of a theorem (or the slope of its exploration rates, which explore at
/// 1/2 first and so rise faster than their power) a fitted log-log slope may lie: several times the
/// width of the 95 % interval of a slope, a fifth of the distance between 1/2 and 2/3.
pub(crate) const RATE_SLOPE: f64 = 0.03;

/// The same for inverse-gap weights `1 / (K + c sqrt(t) gap)`: while `K` is not small beside the other
/// term they fall more slowly than `1/sqrt(t)`, so that a slope of 1/2 is reached from above.
pub(crate) const RIDGE_SLOPE: f64 = 0.05;

//! Tolerances that several crates share, each with its reason. A tolerance that one crate needs stands
//! in the module `prec` of that crate.

/// How far a distribution given by a user may be from summing to one: decimal input such as
/// `[0.1, 0.2, 0.7]` or thirds written with 12 digits must pass, a forgotten entry must not.
pub const SUM_TO_ONE: f64 = 1e-9;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub const BISECTIONS: usize = 128;

/// Relative rounding of an explicit regret bound, with a wide margin: some twenty operations on
/// sums that are themselves good to 2e-15.
pub const BOUND_ROUNDING: f64 = 1e-13;

/// How far, relative to their size, scores given by a user may be from summing to zero: centred
/// decimals must pass, scores that were never centred must not.
pub const ZERO_SUM: f64 = 1e-9;

/// Probability that an interval of the ledger (Student's t over 16 independent runs) misses a mean,
/// at most; the regret bounds it is used for are missed by a factor of five or more, so a false
/// alarm is far rarer still.
pub const LEDGER_FALSE_ALARM: f64 = 1e-6;

/// Probability that an interval of a report misses what it is an interval of: 95 % intervals.
pub const INTERVAL_OUTSIDE: f64 = 0.05;

/// Significant digits of a quantile that enters an interval. `statrs` takes logarithms and powers
/// from the machine it runs on, and these may differ in their last bits; its iterations agree to ten
/// digits. Rounded to six, a quantile is the same number everywhere unless it stands within a part
/// in 10^9 of where rounding turns, and a test of `stats` checks that none in use does. What is then
/// computed with it (products, sums, square roots) is the same everywhere by IEEE 754.
pub const QUANTILE_DIGITS: usize = 6;

/// Two sides of a published identity that differ by less than this agree before any rounding is
/// granted; it is the rounding of a few double operations, not of the table.
pub const AUDIT_EXACT: f64 = 1e-12;

/// Probability with which chance alone may make the audit call one published mean inconsistent.
pub const AUDIT_FALSE_ALARM: f64 = 1e-6;

/// How far above the exponent of a theorem (or the slope of its exploration rates, which explore at
/// 1/2 first and so rise faster than their power) a fitted log-log slope may lie: several times the
/// width of the 95 % interval of a slope, a fifth of the distance between 1/2 and 2/3.
pub const RATE_SLOPE: f64 = 0.03;

/// The same for inverse-gap weights `1 / (K + c sqrt(t) gap)`: while `K` is not small beside the other
/// term they fall more slowly than `1/sqrt(t)`, so that a slope of 1/2 is reached from above.
pub const RIDGE_SLOPE: f64 = 0.05;

/// Decimals to which solver results enter a report: the solver is good to 1e-8, and digits
/// beyond it could differ from machine to machine.
pub const REPORTED_GAP: f64 = 1e-7;

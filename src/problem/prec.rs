//! Tolerances that several crates share, each with its reason. A tolerance that one crate needs stands
//! in the module `prec` of that crate.

/// How far a distribution given by a user may be from summing to one: decimal input such as
/// `[0.1, 0.2, 0.7]` or thirds written with 12 digits must pass, a forgotten entry must not.
pub const SUM_TO_ONE: f64 = 1e-9;

/// Probability that an interval of a report misses what it is an interval of: 95 % intervals.
pub const INTERVAL_OUTSIDE: f64 = 0.05;

/// Probability with which chance alone may make the audit call one published mean inconsistent.
pub const AUDIT_FALSE_ALARM: f64 = 1e-6;

//! Every tolerance of the project, in one place, with its reason.

/// How far a distribution given by a user may be from summing to one: decimal input such as
/// `[0.1, 0.2, 0.7]` or thirds written with 12 digits must pass, a forgotten entry must not.
pub const SUM_TO_ONE: f64 = 1e-9;

/// The norm of the weights is recomputed from scratch after this many visits per column. Each
/// recomputation reads every column once, so it adds at most 1/64 to the cost of a round, and at
/// most 64 dense steps' worth of rounding (a few times 1e-15 relative to the radius) builds up.
pub const NORM_REFRESH_WORK: u64 = 64;

/// `W = scale * V` is folded back when the scale falls below this: far from underflow even if
/// a single step shrinks it by another factor of 1e-200.
pub const SMALLEST_SCALE: f64 = 1e-60;

//! Every tolerance of the learners, with its reason.

/// The norm of the weights is recomputed from scratch after this many visits per column. Each
/// recomputation reads every column once, so it adds at most 1/64 to the cost of a round, and at
/// most 64 dense steps' worth of rounding (a few times 1e-15 relative to the radius) builds up.
pub(crate) const NORM_REFRESH_WORK: u64 = 64;

/// `W = scale * V` is folded back when the scale falls below this: far from underflow even if
/// a single step shrinks it by another factor of 1e-200.
pub(crate) const SMALLEST_SCALE: f64 = 1e-60;

/// Difference of a forecast by rank-one updates from one by solving the normal equations anew, in the
/// tests that compare the two: some 1e5 updates, each off by about 1e-16, at condition numbers of 1e5.
#[cfg(test)]
pub(crate) const RANK_ONE: f64 = 1e-7;

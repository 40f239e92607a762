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

/// Smallest zero-one gap, relative to the largest possible one, that the calibration search looks
/// at: the ratio has reached its limit there to five digits, and rounding in `s` still leaves ten.
pub const SMALLEST_GAP_FRACTION: f64 = 1e-5;

/// Smallest score, relative to the best one, that the calibration search looks at: the limit of
/// an action without mass, reached to the square root of this in the worst (exponential) case.
pub const SMALLEST_SCORE_FRACTION: f64 = 1e-12;

/// How far the ratio of zero-one gap to calibration function must be above one before it counts
/// as exceeded: relative rounding of the gap at [`SMALLEST_GAP_FRACTION`] is a tenth of it.
pub const CALIBRATION_RATIO: f64 = 1e-8;

/// Gradient of the squared-hinge sum that counts as zero: its terms are of order one, so this is
/// their rounding, and what it leaves of the risk is its square.
pub const FLAT: f64 = 1e-14;

/// Relative gain below which a local search stops following a direction.
pub const SEARCH_GAIN: f64 = 1e-13;

/// Flow that may be missing at an action, relative to what passes through it, when the sum squared
/// hinge counts as minimised: a sum of some ten terms with relative rounding 2e-16.
pub const FLOW_BALANCE: f64 = 1e-14;

/// The same relative to the whole mass: a slack `1 - (u_a - u_b)` is a multiple of 1e-16, so the
/// flow into an action of tiny weight cannot be set more finely.
pub const FLOW_NOISE: f64 = 1e-15;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub const BISECTIONS: usize = 128;

/// Relative rounding of an explicit regret bound, with a wide margin: some twenty operations on
/// sums that are themselves good to 2e-15.
pub const BOUND_ROUNDING: f64 = 1e-13;

/// How far, relative to their size, scores given by a user may be from summing to zero: centred
/// decimals must pass, scores that were never centred must not.
pub const ZERO_SUM: f64 = 1e-9;

/// Certificate, relative to the value, that a pointwise minimum must have before it is given out.
pub const POINTWISE_GAP: f64 = 1e-11;

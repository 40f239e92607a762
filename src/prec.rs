//! Every tolerance of the project, in one place, with its reason.

/// How far a distribution given by a user may be from summing to one: decimal input such as
/// `[0.1, 0.2, 0.7]` or thirds written with 12 digits must pass, a forgotten entry must not.
pub const SUM_TO_ONE: f64 = 1e-9;

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

/// Newton decrement, relative to the value, below which the sum squared hinge has no digits left
/// to gain: the value itself is a sum of some hundred terms with relative rounding 2e-16.
pub const SUM_SQ_DECREMENT: f64 = 1e-15;

/// A line search that needs shorter steps than this is looking at rounding noise.
pub const SHORTEST_STEP: f64 = 1e-12;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub const BISECTIONS: usize = 128;

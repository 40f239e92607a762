//! Every tolerance of the theory, with its reason.

pub(crate) use problem::prec::SUM_TO_ONE;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub(crate) const BISECTIONS: usize = 128;

/// Relative rounding of an explicit regret bound, with a wide margin: some twenty operations on
/// sums that are themselves good to 2e-15.
pub(crate) const BOUND_ROUNDING: f64 = 1e-13;

/// Smallest zero-one gap, relative to the largest possible one, that the calibration search looks
/// at: the ratio has reached its limit there to five digits, and rounding in `s` still leaves ten.
pub(crate) const SMALLEST_GAP_FRACTION: f64 = 1e-5;

/// Smallest score, relative to the best one, that the calibration search looks at: the limit of
/// an action without mass, reached to the square root of this in the worst (exponential) case.
pub(crate) const SMALLEST_SCORE_FRACTION: f64 = 1e-12;

/// How far the ratio of zero-one gap to calibration function must be above one before it counts
/// as exceeded: relative rounding of the gap at [`SMALLEST_GAP_FRACTION`] is a tenth of it.
pub(crate) const CALIBRATION_RATIO: f64 = 1e-8;

/// Two constants of calibration functions are the same: both are products of a few powers, and different
/// ones differ by a hundredth or more.
pub(crate) const SAME_CONSTANT: f64 = 1e-9;

/// Gradient of the squared-hinge sum that counts as zero: its terms are of order one, so this is
/// their rounding, and what it leaves of the risk is its square.
pub(crate) const FLAT: f64 = 1e-14;

/// Relative gain below which a local search stops following a direction.
pub(crate) const SEARCH_GAIN: f64 = 1e-13;

/// Asked of the interior-point solver (feasibility and duality gap). Tighter than the certificate
/// needs, because rounding in the recomputed bounds eats two or three digits.
pub(crate) const SOLVER: f64 = 1e-12;

/// Largest relative difference of the recomputed primal and dual values at which a
/// minimizability gap counts as certified.
pub(crate) const CERTIFIED: f64 = 1e-8;

/// Without a ball a lower bound holds for matrices up to this many times the norm of the optimum
/// found: far beyond any sensible hypothesis, yet small enough that a stationarity residual of
/// 1e-13 does not spoil the bound.
pub(crate) const FREE_RADIUS_FACTOR: f64 = 100.0;

/// Scores of an optimal matrix closer than this (relative to the largest) count as tied: the
/// solver's scores are good to about 1e-8.
pub(crate) const GREEDY_TIE: f64 = 1e-6;

/// Weight of `||W||^2`, divided by the number of distinct `(x, A)`, that selects the hinge optimum
/// of least norm. The multipliers of a program with many cells are small, and the weight has to
/// stay below them for the selected matrix to stay optimal.
pub(crate) const LEAST_NORM_WEIGHT: f64 = 1e-4;

/// Newton steps after the interior-point method: two or three reach rounding level, more only
/// chase an infimum that is not attained.
pub(crate) const NEWTON_STEPS: usize = 8;

/// Halvings of a Newton step that does not shrink the gradient, before giving up.
pub(crate) const NEWTON_HALVINGS: i32 = 6;

/// How much (relative) the selected optimum may exceed the value of the first solve and still count
/// as optimal: a few times the solver's own accuracy, well inside [`CERTIFIED`].
pub(crate) const LEAST_NORM_EXCESS: f64 = 1e-10;

/// How far a solver's number may be moved to reach a simpler fraction, tried in this order: the
/// first accuracy whose fractions pass the exact check gives the simplest witness.
pub(crate) const RATIONAL_ROUNDING: [f64; 3] = [1e-3, 1e-5, 1e-7];

/// A hinge argument `1 + u` this close to zero is taken for a kink when rounding to a vertex; a
/// wrong guess only makes the exact check fail.
pub(crate) const KINK: f64 = 1e-6;

/// Flow that may be missing at an action, relative to what passes through it, when the sum squared
/// hinge counts as minimised: a sum of some ten terms with relative rounding 2e-16.
pub(crate) const FLOW_BALANCE: f64 = 1e-14;

/// The same relative to the whole mass: a slack `1 - (u_a - u_b)` is a multiple of 1e-16, so the
/// flow into an action of tiny weight cannot be set more finely.
pub(crate) const FLOW_NOISE: f64 = 1e-15;

/// Conjugate gradients finish in as many steps as unknowns without rounding; with it, a few times
/// as many on badly conditioned inputs.
pub(crate) const CG_SWEEPS: usize = 40;

/// The most steps of conjugate gradients, for matrices with many entries.
pub(crate) const CG_STEPS: usize = 2000;

/// Residual of a Newton system relative to the gradient: each Newton step then gains this factor.
pub(crate) const CG_RESIDUAL: f64 = 1e-10;

/// Dampings of a linear system relative to its curvature, tried in turn: the first keeps rounding
/// noise out of the null space, the second is for inputs so close that curvature nearly vanishes.
pub(crate) const DAMPINGS: [f64; 2] = [1e-9, 1e-13];

/// Repairs of the hinge multipliers: the first reaches rounding level, the second confirms it.
pub(crate) const STATIONARITY_SWEEPS: usize = 2;

/// Two true risks per round this close are the same number summed in another order.
pub(crate) const RISKS_MEET: f64 = 1e-12;

/// A convex combination of normalised margins below this proves that no matrix of sensible norm
/// has them all positive: a matrix would need a norm of 1e8 times the margin.
pub(crate) const FARKAS: f64 = 1e-8;

/// Experts at one input up to which all their subsets are gone through (65,536).
pub(crate) const RANKING_EXPERTS: usize = 16;

/// Cells times subsets of experts at one input: about a second of work.
pub(crate) const RANKING_WORK: usize = 1 << 24;

/// Passes of the perceptron: enough to converge on easy streams, cheap on hopeless ones.
pub(crate) const PERCEPTRON_EPOCHS: usize = 50;

/// Sweeps of the coordinate descent; it nearly always stops by itself before.
pub(crate) const DESCENT_SWEEPS: usize = 20;

/// How far the solver's answer to a linear program may be from the certified one. Optimal multipliers
/// need not be bounded there, and the interior-point method then stops some digits early (4e-4 was
/// seen); the exact certificates carry the answer.
pub(crate) const PROGRAM_VALUE: f64 = 1e-3;

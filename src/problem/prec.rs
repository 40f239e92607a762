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

/// Asked of the interior-point solver (feasibility and duality gap). Tighter than the certificate
/// needs, because rounding in the recomputed bounds eats two or three digits.
pub const SOLVER: f64 = 1e-12;

/// Largest relative difference of the recomputed primal and dual values at which a
/// minimizability gap counts as certified.
pub const CERTIFIED: f64 = 1e-8;

/// Without a ball a lower bound holds for matrices up to this many times the norm of the optimum
/// found: far beyond any sensible hypothesis, yet small enough that a stationarity residual of
/// 1e-13 does not spoil the bound.
pub const FREE_RADIUS_FACTOR: f64 = 100.0;

/// Scores of an optimal matrix closer than this (relative to the largest) count as tied: the
/// solver's scores are good to about 1e-8.
pub const GREEDY_TIE: f64 = 1e-6;

/// Weight of `||W||^2`, divided by the number of distinct `(x, A)`, that selects the hinge optimum
/// of least norm. The multipliers of a program with many cells are small, and the weight has to
/// stay below them for the selected matrix to stay optimal.
pub const LEAST_NORM_WEIGHT: f64 = 1e-4;

/// Newton steps after the interior-point method: two or three reach rounding level, more only
/// chase an infimum that is not attained.
pub const NEWTON_STEPS: usize = 8;

/// Halvings of a Newton step that does not shrink the gradient, before giving up.
pub const NEWTON_HALVINGS: i32 = 6;

/// How much (relative) the selected optimum may exceed the value of the first solve and still count
/// as optimal: a few times the solver's own accuracy, well inside [`CERTIFIED`].
pub const LEAST_NORM_EXCESS: f64 = 1e-10;

/// How far a solver's number may be moved to reach a simpler fraction, tried in this order: the
/// first accuracy whose fractions pass the exact check gives the simplest witness.
pub const RATIONAL_ROUNDING: [f64; 3] = [1e-3, 1e-5, 1e-7];

/// A hinge argument `1 + u` this close to zero is taken for a kink when rounding to a vertex; a
/// wrong guess only makes the exact check fail.
pub const KINK: f64 = 1e-6;

/// Flow that may be missing at an action, relative to what passes through it, when the sum squared
/// hinge counts as minimised: a sum of some ten terms with relative rounding 2e-16.
pub const FLOW_BALANCE: f64 = 1e-14;

/// The same relative to the whole mass: a slack `1 - (u_a - u_b)` is a multiple of 1e-16, so the
/// flow into an action of tiny weight cannot be set more finely.
pub const FLOW_NOISE: f64 = 1e-15;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub const BISECTIONS: usize = 128;

/// Conjugate gradients finish in as many steps as unknowns without rounding; with it, a few times
/// as many on badly conditioned inputs.
pub const CG_SWEEPS: usize = 40;

/// The most steps of conjugate gradients, for matrices with many entries.
pub const CG_STEPS: usize = 2000;

/// Residual of a Newton system relative to the gradient: each Newton step then gains this factor.
pub const CG_RESIDUAL: f64 = 1e-10;

/// Dampings of a linear system relative to its curvature, tried in turn: the first keeps rounding
/// noise out of the null space, the second is for inputs so close that curvature nearly vanishes.
pub const DAMPINGS: [f64; 2] = [1e-9, 1e-13];

/// Repairs of the hinge multipliers: the first reaches rounding level, the second confirms it.
pub const STATIONARITY_SWEEPS: usize = 2;

/// Two true risks per round this close are the same number summed in another order.
pub const RISKS_MEET: f64 = 1e-12;

/// A convex combination of normalised margins below this proves that no matrix of sensible norm
/// has them all positive: a matrix would need a norm of 1e8 times the margin.
pub const FARKAS: f64 = 1e-8;

/// Experts at one input up to which all their subsets are gone through (65,536).
pub const RANKING_EXPERTS: usize = 16;

/// Cells times subsets of experts at one input: about a second of work.
pub const RANKING_WORK: usize = 1 << 24;

/// Passes of the perceptron: enough to converge on easy streams, cheap on hopeless ones.
pub const PERCEPTRON_EPOCHS: usize = 50;

/// Sweeps of the coordinate descent; it nearly always stops by itself before.
pub const DESCENT_SWEEPS: usize = 20;

/// Relative rounding of an explicit regret bound, with a wide margin: some twenty operations on
/// sums that are themselves good to 2e-15.
pub const BOUND_ROUNDING: f64 = 1e-13;

/// How far, relative to their size, scores given by a user may be from summing to zero: centred
/// decimals must pass, scores that were never centred must not.
pub const ZERO_SUM: f64 = 1e-9;

/// Certificate, relative to the value, that a pointwise minimum must have before it is given out.
pub const POINTWISE_GAP: f64 = 1e-11;

/// How far a subject's numbers may be from ours, relative to the size of the weights or scores: any
/// double-precision implementation stays within 1e-12 over the rounds of a check, single precision
/// misses by 6e-8.
pub const SUBJECT_AGREES: f64 = 1e-9;

/// How far a subject may be from itself when it is asked the same again: a threaded linear-algebra
/// library may sum in another order.
pub const SUBJECT_REPEATS: f64 = 1e-12;

/// How far a subject's `q` may be from summing to one: a few roundings.
pub const SUBJECT_Q_SUM: f64 = 1e-12;

/// How close to `-1` a score is a kink that was aimed at: four roundings of numbers of order one.
pub const SUBJECT_KINK: f64 = 1e-14;

/// Probability that the Monte Carlo check of one run accuses an unbiased subject, at most.
pub const MONTE_CARLO_FALSE_ALARM: f64 = 1e-8;

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

/// Both sides of an inequality along a run are sums of up to 1e6 terms of order one: a negative
/// slack per round of this size is rounding.
pub const SIDES: f64 = 1e-10;

/// A fitted exponent of growth may exceed the stated one by this: lower-order terms, at the horizons
/// used, move it by less than a quarter of it (the sum of `t^{-1/3}` itself by 0.003).
pub const EXPONENT: f64 = 0.02;

/// Two sides of a published identity that differ by less than this agree before any rounding is
/// granted; it is the rounding of a few double operations, not of the table.
pub const AUDIT_EXACT: f64 = 1e-12;

/// Probability with which chance alone may make the audit call one published mean inconsistent.
pub const AUDIT_FALSE_ALARM: f64 = 1e-6;

/// How far above the exponent of a theorem (or the slope of its exploration rates, which explore at
/// 1/2 first and so rise faster than their power) a fitted log-log slope may lie: several times the
/// width of the 95 % interval of a slope, a fifth of the distance between 1/2 and 2/3.
pub const RATE_SLOPE: f64 = 0.03;

/// Decimals to which solver results enter a report: the solver is good to [`CERTIFIED`], and digits
/// beyond it could differ from machine to machine.
pub const REPORTED_GAP: f64 = 1e-7;

/// Networks calculate in 32 bits: scores of order one of a linear layer, after some hundred steps,
/// against the same in 64 bits. A step that is one part in a thousand off is a hundred times this.
pub const NETWORK_TWIN: f64 = 2e-5;

/// A gradient through a network of 32-bit numbers against central differences, relative, over
/// several directions: differences of 2e-3 have an error of a few parts in a thousand.
pub const NETWORK_SLOPE: f64 = 0.02;

/// How far above the pointwise infimum a vector that serves every active set may come out: sums of
/// some ten terms of order one, and exponentials of their logarithms.
pub const SERVED: f64 = 1e-12;

/// Sharpness at which the mean absolute error is checked: different scores of the check differ by a
/// part in ten thousand at least, and its power of this is below 1e-40.
pub const SHARPENED: f64 = 1e6;

//! Every tolerance of the checks, with its reason.

pub(crate) use problem::prec::AUDIT_FALSE_ALARM;

/// Halvings after which any bracket of two doubles of the same order is one rounding wide.
pub(crate) const BISECTIONS: usize = 128;

/// Relative rounding of a sum of exploration rates and of its limit, with a wide margin: a few operations
/// on numbers that are themselves good to 2e-15.
pub(crate) const RATES_ROUNDING: f64 = 1e-13;

/// How far, relative to their size, scores given by a user may be from summing to zero: centred
/// decimals must pass, scores that were never centred must not.
pub(crate) const ZERO_SUM: f64 = 1e-9;

/// Probability that an interval of the ledger (Student's t over 16 independent runs) misses a mean,
/// at most; the regret bounds it is used for are missed by a factor of five or more, so a false
/// alarm is far rarer still.
pub(crate) const LEDGER_FALSE_ALARM: f64 = 1e-6;

/// A minimizability gap per round that counts as zero: what its certificate may leave open.
pub(crate) const CERTIFIED: f64 = 1e-8;

/// Certificate, relative to the value, that a pointwise minimum must have before it is given out.
pub(crate) const POINTWISE_GAP: f64 = 1e-11;

/// How far a subject's numbers may be from ours, relative to the size of the weights or scores: any
/// double-precision implementation stays within 1e-12 over the rounds of a check, single precision
/// misses by 6e-8.
pub(crate) const SUBJECT_AGREES: f64 = 1e-9;

/// Rounding of a gradient coefficient, which is a difference, relative to the numbers subtracted: a few
/// dozen roundings.
pub(crate) const SUBJECT_CANCELS: f64 = 1e-14;

/// Coefficients smaller than this, relative to the weights they are differences of, have lost so many digits
/// that what AdaGrad makes of them is not compared.
pub(crate) const SUBJECT_ILL: f64 = 1e-6;

/// How far a subject may be from itself when it is asked the same again: a threaded linear-algebra
/// library may sum in another order.
pub(crate) const SUBJECT_REPEATS: f64 = 1e-12;

/// How far a subject's `q` may be from summing to one: a few roundings.
pub(crate) const SUBJECT_Q_SUM: f64 = 1e-12;

/// How close to `-1` a score is a kink that was aimed at: four roundings of numbers of order one.
pub(crate) const SUBJECT_KINK: f64 = 1e-14;

/// Probability that the Monte Carlo check of one run accuses an unbiased subject, at most.
pub(crate) const MONTE_CARLO_FALSE_ALARM: f64 = 1e-8;

/// Both sides of an inequality along a run are sums of up to 1e6 terms of order one: a negative
/// slack per round of this size is rounding.
pub(crate) const SIDES: f64 = 1e-10;

/// A fitted exponent of growth may exceed the stated one by this: lower-order terms, at the horizons
/// used, move it by less than a quarter of it (the sum of `t^{-1/3}` itself by 0.003).
pub(crate) const EXPONENT: f64 = 0.02;

/// How far above the pointwise infimum a vector that serves every active set may come out: sums of
/// some ten terms of order one, and exponentials of their logarithms.
pub(crate) const SERVED: f64 = 1e-12;

/// Sharpness at which the mean absolute error is checked: different scores of the check differ by a
/// part in ten thousand at least, and its power of this is below 1e-40.
pub(crate) const SHARPENED: f64 = 1e6;

/// Decimals to which solver results enter a report: the solver is good to 1e-8, and digits
/// beyond it could differ from machine to machine.
pub(crate) const REPORTED_GAP: f64 = 1e-7;

/// A searched ratio counts as one: searches that end at the extreme stop about 1e-11 short of it.
pub(crate) const RATIO_ATTAINED: f64 = 1e-7;

//! Means over runs, their intervals, and slopes: the one place where a number becomes an interval.
//!
//! | question | interval |
//! |---|---|
//! | a mean over independent runs | Student's t ([`mean_interval`]) |
//! | a smooth function of a mean over runs | Student's t with the jackknife's standard error ([`jackknife_interval`]) |
//! | a share of independent rounds | Clopper and Pearson ([`share_interval`]) |
//!
//! Quantiles come from `statrs`, whose logarithms are those of the machine, and are rounded to
//! `QUANTILE_DIGITS` significant digits before use; everything after that is plain IEEE
//! arithmetic. So an interval has the same bits everywhere (its comment says why).
//!
//! ```
//! // Five runs: t(0.975, 4) = 2.77645 standard errors on each side of the mean.
//! let (low, high) = deferlab_stats::mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.05).unwrap();
//! assert!((low - (3.0 - 2.77645 * 0.5f64.sqrt())).abs() < 1e-12 && low + high == 6.0);
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::inv_beta_reg;

/// Significant digits of a quantile that enters an interval. `statrs` takes logarithms and powers
/// from the machine it runs on, and these may differ in their last bits; its iterations agree to ten
/// digits. Rounded to six, a quantile is the same number everywhere unless it stands within a part
/// in 10^9 of where rounding turns, and a test checks that none in use does. What is then
/// computed with it (products, sums, square roots) is the same everywhere by IEEE 754.
const QUANTILE_DIGITS: usize = 6;

/// Mean; not a number without values.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean and sample standard deviation (none for fewer than two values).
#[must_use]
pub fn mean_sd(values: &[f64]) -> (f64, Option<f64>) {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (values.len() > 1).then(|| (squares / (values.len() as f64 - 1.0)).sqrt()))
}

/// The mean of curves, point by point.
#[must_use]
pub fn mean_curve(curves: &[Vec<f64>]) -> Vec<f64> {
    let points = curves.first().map_or(0, Vec::len);
    let at = |i: usize| curves.iter().map(|c| c[i]).sum::<f64>() / curves.len() as f64;
    (0..points).map(at).collect()
}

/// Least-squares slope of `ln y` against `ln x`. Points with `y <= 0` have no logarithm and are
/// left out; none with fewer than two points.
#[must_use]
pub fn log_slope(x: &[f64], y: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = x
        .iter()
        .zip(y)
        .filter(|(x, y)| **x > 0.0 && **y > 0.0)
        .map(|(x, y)| (libm::log(*x), libm::log(*y)))
        .collect();
    let n = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mx, my) = (sx / n, sy / n);
    let sxx: f64 = points.iter().map(|(x, _)| (x - mx) * (x - mx)).sum();
    let sxy: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    (points.len() >= 2 && sxx > 0.0).then(|| sxy / sxx)
}

/// Student's `t`: `|T| > t` with probability `outside` for `freedom >= 1` degrees of freedom.
/// Infinite where there is no such number (`outside` not in `(0, 1)`, no degree of freedom).
#[must_use]
pub fn student_t(freedom: usize, outside: f64) -> f64 {
    let law = StudentsT::new(0.0, 1.0, freedom as f64).ok().filter(|_| is_probability(outside));
    law.map_or(f64::INFINITY, |law| rounded(-law.inverse_cdf(outside / 2.0)))
}

/// `|Z| > z` with probability `outside` for a standard normal `Z`.
#[must_use]
pub fn normal(outside: f64) -> f64 {
    let law = Normal::new(0.0, 1.0).ok().filter(|_| is_probability(outside));
    law.map_or(f64::INFINITY, |law| rounded(-law.inverse_cdf(outside / 2.0)))
}

/// The interval of a mean over independent runs that misses the truth with probability `outside`
/// (Student's t, exact for normal values): `mean ± t sd / sqrt(n)`. None for fewer than two values.
#[must_use]
pub fn mean_interval(values: &[f64], outside: f64) -> Option<(f64, f64)> {
    let (mean, sd) = mean_sd(values);
    let half =
        student_t(values.len().saturating_sub(1), outside) * sd? / (values.len() as f64).sqrt();
    Some((mean - half, mean + half))
}

/// The interval of a smooth function of the mean curve of independent runs: Student's t around its
/// value, with the standard error of the jackknife,
///
/// ```text
/// se^2 = (n - 1)/n sum_i (f_i - mean f_i)^2,     f_i = f(mean of all runs but the i-th)
/// ```
///
/// For the mean itself this is [`mean_interval`]. None when `statistic` has no value somewhere.
pub fn jackknife_interval(
    curves: &[Vec<f64>],
    outside: f64,
    statistic: impl Fn(&[f64]) -> Option<f64>,
) -> Option<(f64, f64)> {
    let n = curves.len();
    if n < 2 {
        return None;
    }
    let value = statistic(&mean_curve(curves))?;
    let without = |i: usize| {
        let others: Vec<Vec<f64>> = [&curves[..i], &curves[i + 1..]].concat();
        statistic(&mean_curve(&others))
    };
    let left_out: Option<Vec<f64>> = (0..n).map(without).collect();
    let sd = mean_sd(&left_out?).1?;
    let (n, freedom) = (n as f64, n - 1);
    let half = student_t(freedom, outside) * sd * (n - 1.0) / n.sqrt();
    Some((value - half, value + half))
}

/// The interval of Clopper and Pearson for a probability, given `right` of `of` independent rounds:
/// it misses the truth with probability at most `outside`, whatever the truth is. Everything
/// without a round.
#[must_use]
pub fn share_interval(right: u64, of: u64, outside: f64) -> (f64, f64) {
    if of == 0 || right > of || !is_probability(outside) {
        return (0.0, 1.0);
    }
    let (k, n) = (right as f64, of as f64);
    let low = if right == 0 { 0.0 } else { rounded(inv_beta_reg(k, n - k + 1.0, outside / 2.0)) };
    // The other tail of the mirrored question: small probabilities keep their digits.
    let high =
        if right == of { 1.0 } else { 1.0 - rounded(inv_beta_reg(n - k, k + 1.0, outside / 2.0)) };
    (low, high)
}

fn is_probability(value: f64) -> bool {
    value > 0.0 && value < 1.0
}

/// To [`QUANTILE_DIGITS`] significant digits, by way of the decimal number: its digits depend
/// on the value alone.
fn rounded(value: f64) -> f64 {
    let digits = QUANTILE_DIGITS - 1;
    format!("{value:.digits$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests;

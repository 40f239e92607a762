//! Means, deviations, slopes and bootstrap intervals, with the same bits everywhere.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Mean and sample standard deviation (none for fewer than two values).
pub fn mean_sd(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt()))
}

/// Least-squares slope of `ln y` against `ln x`. Points with `y <= 0` have no logarithm and are
/// left out; none with fewer than two points.
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

/// Resamples of the runs of an experiment.
pub const RESAMPLES: usize = 1000;

/// Mean curves of resampled runs: as many curves as there are, drawn with replacement,
/// [`RESAMPLES`] times.
pub struct Bootstrap {
    means: Vec<Vec<f64>>,
}

impl Bootstrap {
    /// Resamples `curves`.
    pub fn new(curves: &[Vec<f64>], seed: u64) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let points = curves.first().map_or(0, Vec::len);
        let count = curves.len();
        let resample = || {
            let mut mean = vec![0.0; points];
            for _ in 0..count {
                let curve = &curves[rng.random_range(0..count as u32) as usize];
                mean.iter_mut().zip(curve).for_each(|(m, v)| *m += v);
            }
            mean.iter_mut().for_each(|m| *m /= count as f64);
            mean
        };
        let resamples = if count == 0 { 0 } else { RESAMPLES };
        Bootstrap { means: std::iter::repeat_with(resample).take(resamples).collect() }
    }

    /// The central 95% of `statistic` over the resamples (percentile interval). A resample for
    /// which there is none is left out.
    pub fn interval(&self, statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<(f64, f64)> {
        let mut found: Vec<f64> = self.means.iter().filter_map(|m| statistic(m)).collect();
        found.sort_by(f64::total_cmp);
        let at = |share: f64| found.get((share * (found.len().max(1) - 1) as f64).round() as usize);
        Some((*at(0.025)?, *at(0.975)?))
    }
}

/// The mean of curves, point by point.
pub fn mean_curve(curves: &[Vec<f64>]) -> Vec<f64> {
    let points = curves.first().map_or(0, Vec::len);
    let at = |i: usize| curves.iter().map(|c| c[i]).sum::<f64>() / curves.len() as f64;
    (0..points).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_by_hand() {
        assert_eq!(mean_sd(&[1.0, 2.0, 3.0]), (2.0, Some(1.0)));
        assert_eq!(mean_sd(&[4.0]), (4.0, None));
        let x = [1.0, 10.0, 100.0, 1000.0];
        let y = x.map(|x: f64| 3.0 * libm::pow(x, 0.625));
        assert!((log_slope(&x, &y).unwrap() - 0.625).abs() < 1e-14);
        assert!(log_slope(&x, &[0.0, -1.0, 1.0, 0.0]).is_none());
        assert_eq!(mean_curve(&[vec![1.0, 2.0], vec![3.0, 6.0]]), [2.0, 4.0]);
    }

    /// The interval of a mean of 100 draws from a known law covers the truth in this sample, and
    /// is about 2 * 1.96 standard errors wide.
    #[test]
    fn bootstrap_intervals_have_the_right_width() {
        let mut rng = Pcg64::seed_from_u64(9);
        let curves: Vec<Vec<f64>> = (0..100).map(|_| vec![rng.random::<f64>()]).collect();
        let interval =
            |curves: &[Vec<f64>]| Bootstrap::new(curves, 1).interval(|mean| Some(mean[0]));
        let (low, high) = interval(&curves).unwrap();
        assert!(low < 0.5 && 0.5 < high, "{low} {high}");
        let width = 2.0 * 1.96 / (12.0f64 * 100.0).sqrt();
        assert!(((high - low) / width - 1.0).abs() < 0.25, "{low} {high}");
        assert_eq!(interval(&curves), Some((low, high)));
        assert_eq!(interval(&[]), None);
    }
}

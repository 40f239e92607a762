//! The ridge forecaster of Vovk, Azoury and Warmuth, plainly: a reference for small dimensions.

/// Forecasts `b^T A^-1 x` with `A = lambda I + sum of x x^T` over the past *and* the input at hand,
/// `b = sum of y x` over the past.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecaster {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl Forecaster {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(dim: usize, lambda: f64) -> Self {
        let row = |i| (0..dim).map(|j| if i == j { lambda } else { 0.0 }).collect();
        Forecaster { a: (0..dim).map(row).collect(), b: vec![0.0; dim] }
    }

    /// What it expects at `x`.
    #[must_use]
    pub fn forecast(&self, x: &[f64]) -> f64 {
        let mut a = self.a.clone();
        add_square(&mut a, x);
        solve(a, self.b.clone()).iter().zip(x).map(|(w, x)| w * x).sum()
    }

    /// Learns that `y` came at `x`.
    pub fn observe(&mut self, x: &[f64], y: f64) {
        add_square(&mut self.a, x);
        self.b.iter_mut().zip(x).for_each(|(b, x)| *b += y * x);
    }

    /// The `w` with the least squared loss plus `lambda |w|^2` on what was seen.
    #[must_use]
    pub fn hindsight(&self) -> Vec<f64> {
        solve(self.a.clone(), self.b.clone())
    }
}

/// How well linear functions of `x~ = (x, 1)` describe what is given at a few inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearFit {
    /// `W`: the largest norm of the weights of one action.
    pub weights: f64,
    /// The largest distance of a value from what its weights give.
    pub off: f64,
}

/// Fits the scores of every action (`scores[i][a]` at `inputs[i]`, without the bias) by least squares
/// with the least norm, up to a ridge of `1e-9`.
#[must_use]
pub fn linear_fit(inputs: &[Vec<f64>], scores: &[Vec<f64>]) -> LinearFit {
    let with_bias = |x: &Vec<f64>| x.iter().copied().chain([1.0]).collect::<Vec<f64>>();
    let inputs: Vec<Vec<f64>> = inputs.iter().map(with_bias).collect();
    let (dim, actions) = (inputs.first().map_or(1, Vec::len), scores.first().map_or(0, Vec::len));
    let mut fit = LinearFit { weights: 0.0, off: 0.0 };
    for a in 0..actions {
        let mut regression = Forecaster::new(dim, 1e-9);
        inputs.iter().zip(scores).for_each(|(x, s)| regression.observe(x, s[a]));
        let w = regression.hindsight();
        fit.weights = fit.weights.max(w.iter().map(|w| w * w).sum::<f64>().sqrt());
        for (x, s) in inputs.iter().zip(scores) {
            let value: f64 = x.iter().zip(&w).map(|(x, w)| x * w).sum();
            fit.off = fit.off.max((value - s[a]).abs());
        }
    }
    fit
}

fn add_square(a: &mut [Vec<f64>], x: &[f64]) {
    for (row, x_i) in a.iter_mut().zip(x) {
        row.iter_mut().zip(x).for_each(|(v, x_j)| *v += x_i * x_j);
    }
}

/// Elimination without pivoting: the matrix is positive definite.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let (pivot, pivot_b) = (a[i].clone(), b[i]);
        for r in (0..n).filter(|&r| r != i) {
            let factor = a[r][i] / pivot[i];
            a[r].iter_mut().zip(&pivot).for_each(|(v, p)| *v -= factor * p);
            b[r] -= factor * pivot_b;
        }
    }
    (0..n).map(|i| b[i] / a[i][i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s = 0.6 + 0.2 x` fits exactly; a kink is missed: the line through 1/2, 1/2, 1 at 0, 1, 2 by
    /// least squares is `5/12 + x/4`, off by 1/6 at `x = 1`.
    #[test]
    fn fits_by_hand() {
        let inputs = [vec![0.0], vec![1.0], vec![2.0]];
        let line = linear_fit(&inputs, &[vec![0.6], vec![0.8], vec![1.0]]);
        assert!(line.off < 1e-6 && (line.weights - 0.4f64.sqrt()).abs() < 1e-6, "{line:?}");
        let kink = linear_fit(&inputs, &[vec![0.5], vec![0.5], vec![1.0]]);
        assert!((kink.off - 1.0 / 6.0).abs() < 1e-6, "{kink:?}");
    }

    #[test]
    fn by_hand() {
        // d = 1, lambda = 1: after y = 1 at x = 1 the forecast at x = 1 is 1 / (1 + 1 + 1).
        let mut learner = Forecaster::new(1, 1.0);
        assert_eq!(learner.forecast(&[1.0]), 0.0);
        learner.observe(&[1.0], 1.0);
        assert!((learner.forecast(&[1.0]) - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(learner.hindsight(), [0.5]);
        // (2 1; 1 3) w = (1, 2): w = (1/5, 3/5).
        let w = solve(vec![vec![2.0, 1.0], vec![1.0, 3.0]], vec![1.0, 2.0]);
        assert!((w[0] - 0.2).abs() < 1e-15 && (w[1] - 0.6).abs() < 1e-15);
    }
}

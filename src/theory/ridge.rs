//! Ridge regression, plainly: a reference for small dimensions.

/// The `w` with the least squared loss plus `lambda |w|^2` on what was `seen`: pairs of an input and what
/// came there. It is `A^-1 b` with `A = lambda I + sum of x x^T`, `b = sum of y x`.
#[must_use]
pub fn ridge_regression(seen: &[(Vec<f64>, f64)], lambda: f64) -> Vec<f64> {
    let dim = seen.first().map_or(0, |(x, _)| x.len());
    let row = |i| (0..dim).map(|j| if i == j { lambda } else { 0.0 }).collect();
    let mut a: Vec<Vec<f64>> = (0..dim).map(row).collect();
    let mut b = vec![0.0; dim];
    for (x, y) in seen {
        add_square(&mut a, x);
        b.iter_mut().zip(x).for_each(|(b, x)| *b += y * x);
    }
    solve(a, b)
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
    let mut fit = LinearFit { weights: 0.0, off: 0.0 };
    for a in 0..scores.first().map_or(0, Vec::len) {
        let seen: Vec<_> = inputs.iter().cloned().zip(scores.iter().map(|s| s[a])).collect();
        let w = ridge_regression(&seen, 1e-9);
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
        assert_eq!(ridge_regression(&[(vec![1.0], 1.0)], 1.0), [0.5]);
        // (2 1; 1 3) w = (1, 2): w = (1/5, 3/5).
        let w = solve(vec![vec![2.0, 1.0], vec![1.0, 3.0]], vec![1.0, 2.0]);
        assert!((w[0] - 0.2).abs() < 1e-15 && (w[1] - 0.6).abs() < 1e-15);
    }
}

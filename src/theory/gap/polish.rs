//! Newton steps on the smooth surrogates, where the interior-point method leaves a gradient too
//! large for a tight tangent plane.

use super::surrogates::Convex;
use crate::prec;
use crate::theory::matrix::{ScoreMatrix, norm};
use crate::theory::stream::FiniteStream;

/// Newton's method with conjugate gradients, accepted only while the gradient shrinks. The ball is
/// not looked at: the caller asks for this only where it does not bind.
pub(super) fn newton(stream: &FiniteStream, surrogate: Convex, w: &mut ScoreMatrix) {
    let mut gradient = total_slope(stream, surrogate, w);
    for _ in 0..prec::NEWTON_STEPS {
        let step = conjugate_gradients(&gradient, |v| curvature(stream, surrogate, w, v));
        let mut moved = w.clone();
        moved.values_mut().iter_mut().zip(&step).for_each(|(w, s)| *w -= s);
        let moved_gradient = total_slope(stream, surrogate, &moved);
        // A NaN does not compare as smaller either, and ends the descent.
        if norm(&moved_gradient) < norm(&gradient) {
            (*w, gradient) = (moved, moved_gradient);
        } else {
            break;
        }
    }
}

/// Gradient of the per-round objective, row-major.
pub(super) fn total_slope(stream: &FiniteStream, surrogate: Convex, w: &ScoreMatrix) -> Vec<f64> {
    accumulate(stream, |x, cell| {
        let u = w.projected_scores(x, cell.active);
        surrogate.slope(&cell.s, &u)
    })
}

/// Hessian times `v`.
fn curvature(stream: &FiniteStream, surrogate: Convex, w: &ScoreMatrix, v: &[f64]) -> Vec<f64> {
    let direction = ScoreMatrix::from_values(stream.space(), stream.dim(), v.to_vec())
        .expect("a direction has as many entries as the matrix");
    accumulate(stream, |x, cell| {
        let u = w.projected_scores(x, cell.active);
        surrogate.curvature(&cell.s, &u, &direction.projected_scores(x, cell.active))
    })
}

/// `sum_cells (w / sum w) Pi_A(g_cell) x~^T` for a vector `g` over each cell's active actions.
pub(super) fn accumulate(
    stream: &FiniteStream,
    mut of_cell: impl FnMut(&[f64], &crate::theory::stream::Cell) -> Vec<f64>,
) -> Vec<f64> {
    let mut total = ScoreMatrix::zeros(stream.space(), stream.dim());
    for cell in stream.cells() {
        let x = stream.input(cell);
        let g = of_cell(x, cell);
        let mean = g.iter().sum::<f64>() / g.len() as f64;
        let weight = cell.weight / stream.total_weight();
        for (action, g) in cell.active.iter().zip(g) {
            let row = total.row_mut(action.index());
            let c = weight * (g - mean);
            row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(r, x)| *r += c * x);
        }
    }
    total.values().to_vec()
}

fn conjugate_gradients(rhs: &[f64], apply: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut solution = vec![0.0; rhs.len()];
    let mut residual = rhs.to_vec();
    let mut direction = residual.clone();
    let (mut square, start) = (dot(&residual, &residual), dot(rhs, rhs));
    for _ in 0..rhs.len() {
        let image = apply(&direction);
        let bend = dot(&direction, &image);
        if !(bend > 0.0) || square <= f64::EPSILON * f64::EPSILON * start {
            break;
        }
        let step = square / bend;
        solution.iter_mut().zip(&direction).for_each(|(s, d)| *s += step * d);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
        let next = dot(&residual, &residual);
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
        square = next;
    }
    solution
}

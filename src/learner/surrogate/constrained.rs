//! Constrained losses: `Phi_01(u, y) = sum_{b != y} Phi(-u_b)` with `sum_a u_a = 0`.

use super::margin::Margin;

/// Value at target `y`.
pub(crate) fn value(phi: Margin, u: &[f64], y: usize) -> f64 {
    let others = u.iter().enumerate().filter(|&(b, _)| b != y);
    others.map(|(_, &ub)| phi.value(-ub)).sum()
}

/// Adds `weight` times the gradient in the free scores to `out`. It is not projected on the
/// zero-sum vectors: that is the business of whoever takes a step.
#[inline]
pub(crate) fn gradient(phi: Margin, u: &[f64], y: usize, weight: f64, out: &mut [f64]) {
    let own = out[y];
    for (&ub, g) in u.iter().zip(out.iter_mut()) {
        *g -= weight * phi.derivative(-ub);
    }
    out[y] = own;
}

//! Sum losses: `Phi_01(u, y) = sum_{b != y} Phi(u_y - u_b)`.

use super::margin::Margin;

/// Value at target `y`.
pub(crate) fn value(phi: Margin, u: &[f64], y: usize) -> f64 {
    let others = u.iter().enumerate().filter(|&(b, _)| b != y);
    others.map(|(_, &ub)| phi.value(u[y] - ub)).sum()
}

/// Adds `weight` times the gradient to `out`.
pub(crate) fn gradient(phi: Margin, u: &[f64], y: usize, weight: f64, out: &mut [f64]) {
    let mut own = 0.0;
    for (b, &ub) in u.iter().enumerate() {
        if b != y {
            let slope = phi.derivative(u[y] - ub);
            out[b] -= weight * slope;
            own += slope;
        }
    }
    out[y] += weight * own;
}

//! Comp-sum losses: functions of the soft-max probability `p_y` of the target.

/// `sum_{b != y} exp(u_b - u_y)`
pub(crate) fn exp_value(u: &[f64], y: usize) -> f64 {
    let others = u.iter().enumerate().filter(|&(b, _)| b != y);
    others.map(|(_, &ub)| libm::exp(ub - u[y])).sum()
}

/// Gradient of [`exp_value`].
pub(crate) fn exp_gradient(u: &[f64], y: usize, weight: f64, out: &mut [f64]) {
    let mut total = 0.0;
    for (b, &ub) in u.iter().enumerate() {
        if b != y {
            let e = libm::exp(ub - u[y]);
            out[b] += weight * e;
            total += e;
        }
    }
    out[y] -= weight * total;
}

/// `-log p_y`
pub(crate) fn log_value(u: &[f64], y: usize) -> f64 {
    let top = largest(u);
    libm::log(partition(u, top)) + (top - u[y])
}

/// Gradient of [`log_value`]: `p_b - 1{b = y}`.
pub(crate) fn log_gradient(u: &[f64], y: usize, weight: f64, out: &mut [f64]) {
    let top = largest(u);
    let z = partition(u, top);
    for (b, (&ub, g)) in u.iter().zip(out).enumerate() {
        let p = libm::exp(ub - top) / z;
        *g += weight * if b == y { p - 1.0 } else { p };
    }
}

/// `(1 - p_y^alpha) / alpha`
pub(crate) fn gce_value(u: &[f64], y: usize, alpha: f64) -> f64 {
    -libm::expm1(-alpha * log_value(u, y)) / alpha
}

/// `1 - p_y`
pub(crate) fn mae_value(u: &[f64], y: usize) -> f64 {
    gce_value(u, y, 1.0)
}

/// Gradient of [`gce_value`]: `p_y^alpha (p_b - 1{b = y})`.
pub(crate) fn gce_gradient(u: &[f64], y: usize, alpha: f64, weight: f64, out: &mut [f64]) {
    let power = libm::exp(-alpha * log_value(u, y));
    log_gradient(u, y, weight * power, out);
}

fn largest(u: &[f64]) -> f64 {
    u.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// `sum_b exp(u_b - top)`: at least one, so neither overflow nor a zero denominator.
fn partition(u: &[f64], top: f64) -> f64 {
    u.iter().map(|&ub| libm::exp(ub - top)).sum()
}

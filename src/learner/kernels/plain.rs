//! Plain twins of the kernels: one index at a time, in the order a reader would write them.

use super::{Columns, Motion};
use problem::Features;

/// Twin of [`super::scores`], without the padding.
#[must_use]
pub(crate) fn scores(v: &Columns, x: Features<'_>) -> Vec<f64> {
    let mut out = v.column(v.len() - 1).to_vec();
    x.for_each(|j, value| {
        for (score, weight) in out.iter_mut().zip(v.column(j)) {
            *score += weight * value;
        }
    });
    out
}

/// Twin of [`super::rank_one`].
pub(crate) fn rank_one(v: &mut Columns, x: Features<'_>, c: &[f64]) {
    each_with_bias(v.len() - 1, x, |j, value| {
        for (entry, coefficient) in v.column_mut(j).iter_mut().zip(c) {
            *entry += coefficient * value;
        }
    });
}

/// Twin of [`super::adagrad_step`].
pub(crate) fn adagrad_step(
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    (rate, epsilon, unscale): (f64, f64, f64),
) -> Motion {
    let mut motion = Motion::default();
    each_with_bias(v.len() - 1, x, |j, value| {
        for a in 0..v.actions() {
            let gradient = g[a] * value;
            acc.column_mut(j)[a] += gradient * gradient;
            let step = -rate * gradient / (acc.column(j)[a].sqrt() + epsilon) * unscale;
            motion.dot += v.column(j)[a] * step;
            motion.norm2 += step * step;
            v.column_mut(j)[a] += step;
        }
    });
    motion
}

/// Twin of [`super::norm2`].
#[must_use]
pub(crate) fn norm2(v: &Columns) -> f64 {
    (0..v.len()).flat_map(|j| v.column(j)).map(|w| w * w).sum()
}

fn each_with_bias(bias: usize, x: Features<'_>, mut f: impl FnMut(usize, f64)) {
    x.for_each(&mut f);
    f(bias, 1.0);
}

//! Kernels for more rows than the others are compiled for: any number of fours, one column after the
//! other. A four whose coefficients are all zero is passed over, since a round with thousands of actions
//! moves few of them.

use super::lanes::adagrad_four;
use super::{Columns, Motion};
use problem::Features;

pub(super) fn scores(v: &Columns, x: Features<'_>, out: &mut [f64]) {
    let out = out.as_chunks_mut::<4>().0;
    out.copy_from_slice(v.fours(v.len() - 1));
    x.for_each(|j, value| {
        for (out, column) in out.iter_mut().zip(v.fours(j)) {
            *out = std::array::from_fn(|a| out[a] + column[a] * value);
        }
    });
}

pub(super) fn adagrad_step(
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    hyper: (f64, f64, f64),
) -> Motion {
    let bias = v.len() - 1;
    let (mut dot, mut moved) = ([0.0; 4], [0.0; 4]);
    let mut step = |j: usize, value: f64| {
        let columns = v.fours_mut(j).iter_mut().zip(acc.fours_mut(j));
        for ((column, squares), g) in columns.zip(g.as_chunks::<4>().0) {
            if *g != [0.0; 4] {
                adagrad_four(
                    pulp::Scalar256b,
                    column,
                    squares,
                    g,
                    value,
                    hyper,
                    (&mut dot, &mut moved),
                );
            }
        }
    };
    x.for_each(&mut step);
    step(bias, 1.0);
    let total = |sum: [f64; 4]| (sum[0] + sum[1]) + (sum[2] + sum[3]);
    Motion { dot: total(dot), norm2: total(moved) }
}

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

pub(super) fn rank_one(v: &mut Columns, x: Features<'_>, c: &[f64]) {
    each_with_bias(v.len() - 1, x, |j, value| {
        for (column, c) in v.fours_mut(j).iter_mut().zip(c.as_chunks::<4>().0) {
            if *c != [0.0; 4] {
                *column = std::array::from_fn(|a| column[a] + c[a] * value);
            }
        }
    });
}

pub(super) fn rank_one_then_scores(
    v: &mut Columns,
    (before, c): (&[f64], &[f64]),
    x: &[f64],
    out: &mut [f64],
) {
    rank_one(v, Features::Dense(before), c);
    scores(v, Features::Dense(x), out);
}

pub(super) fn adagrad_step(
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    hyper: (f64, f64, f64),
) -> Motion {
    let (mut dot, mut moved) = ([0.0; 4], [0.0; 4]);
    each_with_bias(v.len() - 1, x, |j, value| {
        let columns = v.fours_mut(j).iter_mut().zip(acc.fours_mut(j));
        for ((column, squares), g) in columns.zip(g.as_chunks::<4>().0) {
            if *g != [0.0; 4] {
                adagrad_four(column, squares, g, value, hyper, (&mut dot, &mut moved));
            }
        }
    });
    Motion { dot: total(dot), norm2: total(moved) }
}

pub(super) fn norm2(v: &Columns) -> f64 {
    let mut sum = [0.0; 4];
    for four in (0..v.len()).flat_map(|j| v.fours(j)) {
        sum = std::array::from_fn(|a| sum[a] + four[a] * four[a]);
    }
    total(sum)
}

pub(super) fn rescale(v: &mut Columns, factor: f64) {
    for j in 0..v.len() {
        v.fours_mut(j).as_flattened_mut().iter_mut().for_each(|entry| *entry *= factor);
    }
}

fn each_with_bias(bias: usize, x: Features<'_>, mut f: impl FnMut(usize, f64)) {
    x.for_each(&mut f);
    f(bias, 1.0);
}

fn total(sum: [f64; 4]) -> f64 {
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

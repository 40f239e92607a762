//! The fast kernels. `L` lanes are the padded actions, `P` partial sums hide the latency of
//! additions; both follow from the action count, so they never change the order of a sum between
//! machines.

use super::{Columns, Cpu, wide};
use problem::{Features, SparseRow};
use pulp::{Scalar256b, Simd, WithSimd};
use std::marker::PhantomData;

/// How a step moved the weights: what the norm of the sum needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    /// `<V, D>`, the inner product of the weights before the step with the step.
    pub dot: f64,
    /// `|D|^2`.
    pub norm2: f64,
}

impl Motion {
    /// No step: no square is negative. (An `Option` would not fit into registers.)
    pub(crate) const NONE: Motion = Motion { dot: 0.0, norm2: -1.0 };
}

/// A kernel as a value: what [`Cpu::run`] compiles once per instruction set. (A closure would not
/// do: nothing forces it into the copy that may use AVX2.)
macro_rules! kernel {
    ($name:ident = $body:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        struct $name<'a, const L: usize, const P: usize>($($ty,)* PhantomData<&'a ()>);

        impl<const L: usize, const P: usize> WithSimd for $name<'_, L, P> {
            type Output = $out;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> $out {
                let $name($($arg,)* _) = self;
                $body::<S, L, P>(simd, $($arg),*)
            }
        }
    };
}

kernel!(Scores = scores_lanes(v: &'a Columns, x: Features<'a>, out: &'a mut [f64]) -> ());
kernel!(RankOne = rank_one_lanes(v: &'a mut Columns, x: Features<'a>, c: &'a [f64]) -> ());
kernel!(
    StepThenScores = step_then_scores_lanes(
        v: &'a mut Columns, before: &'a [f64], c: &'a [f64], x: &'a [f64], out: &'a mut [f64]
    ) -> ()
);
kernel!(
    Adagrad = adagrad_lanes(
        v: &'a mut Columns, acc: &'a mut Columns, x: Features<'a>, g: &'a [f64],
        hyper: (f64, f64, f64)
    ) -> Motion
);
kernel!(Norm2 = norm2_lanes(v: &'a Columns) -> f64);
kernel!(Rescale = rescale_lanes(v: &'a mut Columns, factor: f64) -> ());
kernel!(CopyAndSquare = copy_and_square_lanes(x: &'a [f64], copy: &'a mut [f64]) -> f64);

/// Runs a kernel compiled for `$lanes` rows on the given instruction set.
macro_rules! dispatch {
    ($cpu:expr, $lanes:expr, $kernel:ident($($arg:expr),*)) => {
        match $lanes {
            4 => $cpu.run($kernel::<4, 4>($($arg,)* PhantomData)),
            8 => $cpu.run($kernel::<8, 4>($($arg,)* PhantomData)),
            12 => $cpu.run($kernel::<12, 4>($($arg,)* PhantomData)),
            16 => $cpu.run($kernel::<16, 2>($($arg,)* PhantomData)),
            24 => $cpu.run($kernel::<24, 2>($($arg,)* PhantomData)),
            32 => $cpu.run($kernel::<32, 1>($($arg,)* PhantomData)),
            48 => $cpu.run($kernel::<48, 1>($($arg,)* PhantomData)),
            64 => $cpu.run($kernel::<64, 1>($($arg,)* PhantomData)),
            96 => $cpu.run($kernel::<96, 1>($($arg,)* PhantomData)),
            _ => $cpu.run($kernel::<128, 1>($($arg,)* PhantomData)),
        }
    };
    // Where there may be more rows than any kernel is compiled for.
    ($cpu:expr, $lanes:expr, $kernel:ident($($arg:expr),*), $wide:expr) => {
        match $lanes {
            129.. => $wide,
            lanes => dispatch!($cpu, lanes, $kernel($($arg),*)),
        }
    };
}

/// Whether an input is so short that four lanes of it are done before the other copy of a kernel
/// is even called.
#[inline(always)]
fn tiny(v: &Columns, x: Features<'_>) -> bool {
    v.lanes() == 4 && x.values().len() <= 4
}

/// `out_a = sum_j V_{a,j} x_j + V_{a,bias}` for every lane `a`; the bias is the last column.
#[inline]
pub(crate) fn scores(cpu: Cpu, v: &Columns, x: Features<'_>, out: &mut [f64]) {
    if tiny(v, x) {
        return scores_lanes::<_, 4, 4>(Scalar256b, v, x, out);
    }
    dispatch!(cpu, v.lanes(), Scores(v, x, out), wide::scores(v, x, out))
}

/// `V_{a,j} += c_a x_j` and `V_{a,bias} += c_a`.
#[inline]
pub(crate) fn rank_one(cpu: Cpu, v: &mut Columns, x: Features<'_>, c: &[f64]) {
    if tiny(v, x) {
        return rank_one_lanes::<_, 4, 4>(Scalar256b, v, x, c);
    }
    dispatch!(cpu, v.lanes(), RankOne(v, x, c))
}

/// [`rank_one`] at the dense input `before`, then [`scores`] at the dense input `x`, with every
/// entry read once and written once. The bits are those of the two calls.
#[inline]
pub(crate) fn rank_one_then_scores(
    cpu: Cpu,
    v: &mut Columns,
    (before, c): (&[f64], &[f64]),
    x: &[f64],
    out: &mut [f64],
) {
    if tiny(v, Features::Dense(x)) {
        return step_then_scores_lanes::<_, 4, 4>(Scalar256b, v, before, c, x, out);
    }
    dispatch!(cpu, v.lanes(), StepThenScores(v, before, c, x, out))
}

/// One diagonal AdaGrad step on the gradient `g x~^T`.
///
/// # Formula
/// ```text
/// acc_{a,j} += (g_a x_j)^2
/// V_{a,j}   -= rate * g_a x_j / (sqrt(acc_{a,j}) + epsilon) * unscale
/// ```
/// with `hyper = (rate, epsilon, unscale)`; `unscale` turns a step of `W = scale * V` into one of `V`.
#[inline]
pub(crate) fn adagrad_step(
    cpu: Cpu,
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    hyper: (f64, f64, f64),
) -> Motion {
    let wide = wide::adagrad_step;
    dispatch!(cpu, v.lanes(), Adagrad(v, acc, x, g, hyper), wide(v, acc, x, g, hyper))
}

/// `|V|_F^2`, from scratch.
#[must_use]
pub(crate) fn norm2(cpu: Cpu, v: &Columns) -> f64 {
    dispatch!(cpu, v.lanes(), Norm2(v))
}

/// `V *= factor`.
pub(crate) fn rescale(cpu: Cpu, v: &mut Columns, factor: f64) {
    dispatch!(cpu, v.lanes(), Rescale(v, factor))
}

/// Replaces `copy` by `x` and returns `sum_j x_j^2`, in one pass.
#[inline]
pub(crate) fn copy_and_square(cpu: Cpu, x: &[f64], copy: &mut Vec<f64>) -> f64 {
    copy.resize(x.len(), 0.0);
    // A short input is done before the other copy of the kernel is even called.
    if x.len() <= 4 {
        return copy_and_square_tiny(x, copy);
    }
    cpu.run(CopyAndSquare::<8, 1>(x, copy, PhantomData))
}

#[inline(always)]
fn copy_and_square_lanes<S: Simd, const L: usize, const P: usize>(
    simd: S,
    x: &[f64],
    copy: &mut [f64],
) -> f64 {
    let (mut low, mut high) = (simd.splat_f64s(0.0), simd.splat_f64s(0.0));
    let mut add = |[x_low, x_high]: [[f64; 4]; 2]| {
        let (a, b): (S::f64s, S::f64s) = (pulp::cast(x_low), pulp::cast(x_high));
        low = simd.add_f64s(low, simd.mul_f64s(a, a));
        high = simd.add_f64s(high, simd.mul_f64s(b, b));
    };
    let (eights, rest) = x.as_chunks::<8>();
    let (copies, copies_rest) = copy[..x.len()].as_chunks_mut::<8>();
    for (eight, copy) in eights.iter().zip(copies) {
        *copy = *eight;
        add(pulp::cast(*eight));
    }
    if !rest.is_empty() {
        copies_rest.copy_from_slice(rest);
        let mut last = [0.0; 8];
        last[..rest.len()].copy_from_slice(rest);
        add(pulp::cast(last));
    }
    let sum: [f64; 4] = pulp::cast(simd.add_f64s(low, high));
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[inline(always)]
fn scores_lanes<S: Simd, const L: usize, const P: usize>(
    _: S,
    v: &Columns,
    x: Features<'_>,
    out: &mut [f64],
) {
    let (bias, columns) = v.lane_columns::<L>().split_last().expect("the bias column");
    let mut partial = [[0.0; L]; P];
    match x {
        Features::Dense(x) => {
            let (chunks, rest) = x.as_chunks::<P>();
            let (column_chunks, column_rest) = columns[..x.len()].as_chunks::<P>();
            for (columns, values) in column_chunks.iter().zip(chunks) {
                for p in 0..P {
                    add_scaled(&mut partial[p], &columns[p], values[p]);
                }
            }
            for (p, (column, &value)) in column_rest.iter().zip(rest).enumerate() {
                add_scaled(&mut partial[p], column, value);
            }
        }
        Features::Sparse(row) => {
            let (index_chunks, index_rest) = row.indices.as_chunks::<P>();
            let (value_chunks, value_rest) = row.values.as_chunks::<P>();
            for (indices, values) in index_chunks.iter().zip(value_chunks) {
                for p in 0..P {
                    add_scaled(&mut partial[p], &columns[indices[p] as usize], values[p]);
                }
            }
            for (p, (&j, &value)) in index_rest.iter().zip(value_rest).enumerate() {
                add_scaled(&mut partial[p], &columns[j as usize], value);
            }
        }
    }
    let mut sum = *bias;
    for part in &partial {
        add_scaled(&mut sum, part, 1.0);
    }
    out[..L].copy_from_slice(&sum);
}

#[inline(always)]
fn rank_one_lanes<S: Simd, const L: usize, const P: usize>(
    _: S,
    v: &mut Columns,
    x: Features<'_>,
    c: &[f64],
) {
    let c: [f64; L] = c[..L].try_into().expect("one coefficient per lane");
    let (bias, columns) = v.lane_columns_mut::<L>().split_last_mut().expect("the bias column");
    match x {
        Features::Dense(x) => {
            for (column, &value) in columns.iter_mut().zip(x) {
                add_scaled(column, &c, value);
            }
        }
        Features::Sparse(row) => {
            for (&j, &value) in row.indices.iter().zip(row.values) {
                add_scaled(&mut columns[j as usize], &c, value);
            }
        }
    }
    add_scaled(bias, &c, 1.0);
}

#[inline(always)]
fn step_then_scores_lanes<S: Simd, const L: usize, const P: usize>(
    _: S,
    v: &mut Columns,
    before: &[f64],
    c: &[f64],
    x: &[f64],
    out: &mut [f64],
) {
    let c: [f64; L] = c[..L].try_into().expect("one coefficient per lane");
    let (bias, columns) = v.lane_columns_mut::<L>().split_last_mut().expect("the bias column");
    let (columns, before) = (&mut columns[..x.len()], &before[..x.len()]);
    let mut partial = [[0.0; L]; P];
    // Sixteen registers have to hold the coefficients, the partial sums and what is being added.
    // Where they cannot, some of the sums are worked out at a time, each from columns of its own.
    let sums = &mut partial;
    if L * P <= 32 || P == 1 {
        step_then_sum::<L, P, 0, P>(columns, (before, &c), x, sums);
    } else if P == 2 {
        step_then_sum::<L, P, 0, 1>(columns, (before, &c), x, sums);
        step_then_sum::<L, P, 1, 1>(columns, (before, &c), x, sums);
    } else {
        step_then_sum::<L, P, 0, 2>(columns, (before, &c), x, sums);
        step_then_sum::<L, P, 2, 2>(columns, (before, &c), x, sums);
    }
    add_scaled(bias, &c, 1.0);
    add_up(bias, &partial, out);
}

/// [`rank_one_then_scores`], or [`scores`] where there is no step, and then [`copy_and_square`] of `x`: there
/// is something to do while the last scores are added up.
#[inline(always)]
pub(super) fn score_dense<S: Simd, const L: usize, const P: usize>(
    simd: S,
    v: &mut Columns,
    step: Option<(&[f64], &[f64])>,
    x: &[f64],
    copy: &mut [f64],
    out: &mut [f64],
) -> f64 {
    match step {
        Some((before, c)) if L == 4 && x.len() <= 4 => {
            step_then_scores_tiny(simd, v, before, c, x, out);
        }
        Some((before, c)) => step_then_scores_lanes::<S, L, P>(simd, v, before, c, x, out),
        None => scores_lanes::<S, L, P>(simd, v, Features::Dense(x), out),
    }
    if x.len() <= 4 {
        return copy_and_square_tiny(x, copy);
    }
    copy_and_square_lanes::<S, L, P>(simd, x, copy)
}

/// [`scores`] of a sparse input and [`copy_and_square`] of its values.
#[inline(always)]
pub(super) fn score_sparse<S: Simd, const L: usize, const P: usize>(
    simd: S,
    v: &Columns,
    x: SparseRow<'_>,
    copy: &mut [f64],
    out: &mut [f64],
) -> f64 {
    scores_lanes::<S, L, P>(simd, v, Features::Sparse(x), out);
    copy_and_square_lanes::<S, L, P>(simd, x.values, copy)
}

/// Four lanes and at most as many features: no sum is so long that it has to be split.
#[inline(always)]
fn step_then_scores_tiny<S: Simd>(
    simd: S,
    v: &mut Columns,
    before: &[f64],
    c: &[f64],
    x: &[f64],
    out: &mut [f64],
) {
    let c: [f64; 4] = c[..4].try_into().expect("one coefficient per lane");
    let c: S::f64s = pulp::cast(c);
    let (bias, columns) = v.lane_columns_mut::<4>().split_last_mut().expect("the bias column");
    let zero = simd.splat_f64s(0.0);
    let mut sum = simd.add_f64s(pulp::cast(*bias), c);
    *bias = pulp::cast(sum);
    sum = simd.add_f64s(sum, zero);
    for ((column, &before), &x) in columns.iter_mut().zip(before).zip(x) {
        let moved = simd.mul_f64s(c, simd.splat_f64s(before));
        let moved = simd.add_f64s(pulp::cast(*column), moved);
        *column = pulp::cast(moved);
        let part = simd.mul_f64s(moved, simd.splat_f64s(x));
        sum = simd.add_f64s(sum, simd.add_f64s(zero, part));
    }
    out[..4].copy_from_slice(&pulp::cast::<S::f64s, [f64; 4]>(sum));
}

/// [`copy_and_square`] of at most four numbers.
#[inline(always)]
fn copy_and_square_tiny(x: &[f64], copy: &mut [f64]) -> f64 {
    // By index: a loop would become a call that copies memory, which is more work than the copy.
    let mut square = |j: usize| match (x.get(j), copy.get_mut(j)) {
        (Some(&value), Some(copy)) => {
            *copy = value;
            value * value
        }
        _ => 0.0,
    };
    let (low, high) = ([square(0), square(1)], [square(2), square(3)]);
    (low[0] + low[1]) + (high[0] + high[1])
}

/// The scores: the bias and the partial sums, one after the other.
#[inline(always)]
fn add_up<const L: usize, const P: usize>(
    bias: &[f64; L],
    partial: &[[f64; L]; P],
    out: &mut [f64],
) {
    let mut sum = *bias;
    for part in partial {
        add_scaled(&mut sum, part, 1.0);
    }
    out[..L].copy_from_slice(&sum);
}

/// Takes the step at every column that belongs to one of the `W` partial sums from `FIRST` on, and
/// adds it there.
#[inline(always)]
fn step_then_sum<const L: usize, const P: usize, const FIRST: usize, const W: usize>(
    columns: &mut [[f64; L]],
    (before, c): (&[f64], &[f64; L]),
    x: &[f64],
    partial: &mut [[f64; L]; P],
) {
    let mut sums = [[0.0; L]; W];
    let (columns, columns_rest) = columns.as_chunks_mut::<P>();
    let (befores, before_rest) = before.as_chunks::<P>();
    let (xs, x_rest) = x.as_chunks::<P>();
    for ((columns, before), x) in columns.iter_mut().zip(befores).zip(xs) {
        for w in 0..W {
            let p = FIRST + w;
            step_then_add(&mut columns[p], (before[p], c), x[p], &mut sums[w]);
        }
    }
    let rest = columns_rest.iter_mut().zip(before_rest).zip(x_rest).skip(FIRST);
    for (((column, &before), &x), sum) in rest.zip(&mut sums) {
        step_then_add(column, (before, c), x, sum);
    }
    partial[FIRST..FIRST + W].copy_from_slice(&sums);
}

/// `column += c * before`, then `sum += column * x`.
#[inline(always)]
fn step_then_add<const L: usize>(
    column: &mut [f64; L],
    (before, c): (f64, &[f64; L]),
    x: f64,
    sum: &mut [f64; L],
) {
    let lanes = quads_mut(column).iter_mut().zip(quads(c)).zip(quads_mut(sum));
    for ((column, c), sum) in lanes {
        let moved: [f64; 4] = std::array::from_fn(|a| column[a] + c[a] * before);
        *sum = std::array::from_fn(|a| sum[a] + moved[a] * x);
        *column = moved;
    }
}

/// Runs `$body` with the weights, the squares and the value of every feature and of the bias. A macro,
/// because nothing would force a closure into the copy of the kernel that may use AVX2.
macro_rules! each_column {
    ($columns:expr, $acc:expr, $x:expr, |$column:ident, $squares:ident, $value:ident| $body:block) => {
        let (bias, columns) = $columns.split_last_mut().expect("the bias column");
        let (bias_acc, acc) = $acc.split_last_mut().expect("the bias column");
        match $x {
            Features::Dense(x) => {
                for (($column, $squares), &$value) in columns.iter_mut().zip(acc).zip(x) $body
            }
            Features::Sparse(row) => {
                for (&j, &$value) in row.indices.iter().zip(row.values) {
                    let ($column, $squares) = (&mut columns[j as usize], &mut acc[j as usize]);
                    $body
                }
            }
        }
        let ($column, $squares, $value) = (bias, bias_acc, 1.0);
        $body
    };
}

#[inline(always)]
fn adagrad_lanes<S: Simd, const L: usize, const P: usize>(
    simd: S,
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    hyper: (f64, f64, f64),
) -> Motion {
    let g: [f64; L] = g[..L].try_into().expect("one coefficient per lane");
    let (columns, acc) = (v.lane_columns_mut::<L>(), acc.lane_columns_mut::<L>());
    // Four lanes without a gradient stay where they are: a bandit round often moves only one four.
    let mut fours = (0..L / 4).filter(|&q| quads(&g)[q] != [0.0; 4]);
    let (mut dot, mut moved) = ([0.0; L], [0.0; L]);
    if let (Some(q), None) = (fours.next(), fours.next()) {
        let (mut dot_q, mut moved_q, g) = ([0.0; 4], [0.0; 4], quads(&g)[q]);
        each_column!(columns, acc, x, |column, squares, value| {
            let (column, squares) = (&mut quads_mut(column)[q], &mut quads_mut(squares)[q]);
            adagrad_four(simd, column, squares, &g, value, hyper, (&mut dot_q, &mut moved_q));
        });
        (quads_mut(&mut dot)[q], quads_mut(&mut moved)[q]) = (dot_q, moved_q);
    } else {
        each_column!(columns, acc, x, |column, squares, value| {
            let columns = quads_mut(column).iter_mut().zip(quads_mut(squares));
            let sums = quads_mut(&mut dot).iter_mut().zip(quads_mut(&mut moved));
            for (((column, squares), g), sums) in columns.zip(quads(&g)).zip(sums) {
                adagrad_four(simd, column, squares, g, value, hyper, sums);
            }
        });
    }
    Motion { dot: total(&dot), norm2: total(&moved) }
}

#[inline(always)]
pub(super) fn adagrad_four<S: Simd>(
    simd: S,
    column: &mut [f64; 4],
    squares: &mut [f64; 4],
    g: &[f64; 4],
    value: f64,
    (rate, epsilon, unscale): (f64, f64, f64),
    (dot, moved): (&mut [f64; 4], &mut [f64; 4]),
) {
    let gradient: [f64; 4] = std::array::from_fn(|a| g[a] * value);
    *squares = std::array::from_fn(|a| squares[a] + gradient[a] * gradient[a]);
    // Four at once: of an array the compiler takes the roots two by two, and shuffles everything around them.
    let roots: [f64; 4] = pulp::cast(simd.sqrt_f64s(pulp::cast(*squares)));
    let step: [f64; 4] =
        std::array::from_fn(|a| -(rate * gradient[a] / (roots[a] + epsilon)) * unscale);
    *dot = std::array::from_fn(|a| dot[a] + column[a] * step[a]);
    *moved = std::array::from_fn(|a| moved[a] + step[a] * step[a]);
    *column = std::array::from_fn(|a| column[a] + step[a]);
}

#[inline(always)]
fn norm2_lanes<S: Simd, const L: usize, const P: usize>(simd: S, v: &Columns) -> f64 {
    let mut sums = [simd.splat_f64s(0.0); L];
    for column in v.lane_columns::<L>() {
        for (sum, &four) in sums.iter_mut().zip(quads(column)) {
            let four: S::f64s = pulp::cast(four);
            *sum = simd.add_f64s(*sum, simd.mul_f64s(four, four));
        }
    }
    let mut sum = simd.splat_f64s(0.0);
    for &four in &sums[..L / 4] {
        sum = simd.add_f64s(sum, four);
    }
    let sum: [f64; 4] = pulp::cast(sum);
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[inline(always)]
fn rescale_lanes<S: Simd, const L: usize, const P: usize>(_: S, v: &mut Columns, factor: f64) {
    for column in v.lane_columns_mut::<L>() {
        for entry in column {
            *entry *= factor;
        }
    }
}

/// `sum += column * by`. Four lanes are read before any is written: without that the compiler
/// would have to fear that `sum` and `column` overlap, and would not use vector instructions.
#[inline(always)]
fn add_scaled<const L: usize>(sum: &mut [f64; L], column: &[f64; L], by: f64) {
    for (sum, column) in quads_mut(sum).iter_mut().zip(quads(column)) {
        *sum = std::array::from_fn(|a| sum[a] + column[a] * by);
    }
}

#[inline(always)]
pub(super) fn quads<const L: usize>(lanes: &[f64; L]) -> &[[f64; 4]] {
    lanes.as_chunks().0
}

#[inline(always)]
pub(super) fn quads_mut<const L: usize>(lanes: &mut [f64; L]) -> &mut [[f64; 4]] {
    lanes.as_chunks_mut().0
}

/// The sum of all lanes, four side by side.
#[inline(always)]
pub(super) fn total<const L: usize>(lanes: &[f64; L]) -> f64 {
    let mut sum = [0.0; 4];
    for quad in quads(lanes) {
        sum = std::array::from_fn(|a| sum[a] + quad[a]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

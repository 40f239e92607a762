//! The fast kernels. `L` lanes are the padded actions, `P` partial sums hide the latency of
//! additions; both follow from the action count, so they never change the order of a sum between
//! machines.

use super::{Columns, Cpu};
use problem::Features;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// How a step moved the weights: what the norm of the sum needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// `<V, D>`, the inner product of the weights before the step with the step.
    pub dot: f64,
    /// `|D|^2`.
    pub norm2: f64,
}

/// A kernel as a value: what [`Cpu::run`] compiles once per instruction set. (A closure would not
/// do: nothing forces it into the copy that may use AVX2.)
macro_rules! kernel {
    ($name:ident = $body:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        struct $name<'a, const L: usize, const P: usize>($($ty,)* PhantomData<&'a ()>);

        impl<const L: usize, const P: usize> WithSimd for $name<'_, L, P> {
            type Output = $out;

            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) -> $out {
                let $name($($arg,)* _) = self;
                $body::<L, P>($($arg),*)
            }
        }
    };
}

kernel!(Scores = scores_lanes(v: &'a Columns, x: Features<'a>, out: &'a mut [f64]) -> ());
kernel!(RankOne = rank_one_lanes(v: &'a mut Columns, x: Features<'a>, c: &'a [f64]) -> ());
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
}

/// Whether an input is so short that four lanes of it are done before the other copy of a kernel
/// is even called.
#[inline(always)]
fn tiny(v: &Columns, x: Features<'_>) -> bool {
    v.lanes() == 4 && x.values().len() <= 4
}

/// `out_a = sum_j V_{a,j} x_j + V_{a,bias}` for every lane `a`; the bias is the last column.
#[inline]
pub fn scores(cpu: Cpu, v: &Columns, x: Features<'_>, out: &mut [f64]) {
    if tiny(v, x) {
        return scores_lanes::<4, 4>(v, x, out);
    }
    dispatch!(cpu, v.lanes(), Scores(v, x, out))
}

/// `V_{a,j} += c_a x_j` and `V_{a,bias} += c_a`.
#[inline]
pub fn rank_one(cpu: Cpu, v: &mut Columns, x: Features<'_>, c: &[f64]) {
    if tiny(v, x) {
        return rank_one_lanes::<4, 4>(v, x, c);
    }
    dispatch!(cpu, v.lanes(), RankOne(v, x, c))
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
pub fn adagrad_step(
    cpu: Cpu,
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    hyper: (f64, f64, f64),
) -> Motion {
    dispatch!(cpu, v.lanes(), Adagrad(v, acc, x, g, hyper))
}

/// `|V|_F^2`, from scratch.
#[must_use]
pub fn norm2(cpu: Cpu, v: &Columns) -> f64 {
    dispatch!(cpu, v.lanes(), Norm2(v))
}

/// `V *= factor`.
pub fn rescale(cpu: Cpu, v: &mut Columns, factor: f64) {
    dispatch!(cpu, v.lanes(), Rescale(v, factor))
}

/// Replaces `copy` by `x` and returns `sum_j x_j^2`, in one pass.
#[inline]
pub fn copy_and_square(cpu: Cpu, x: &[f64], copy: &mut Vec<f64>) -> f64 {
    copy.resize(x.len(), 0.0);
    if x.len() <= 4 {
        return copy_and_square_lanes::<8, 1>(x, copy);
    }
    cpu.run(CopyAndSquare::<8, 1>(x, copy, PhantomData))
}

#[inline(always)]
fn copy_and_square_lanes<const L: usize, const P: usize>(x: &[f64], copy: &mut [f64]) -> f64 {
    let mut partial = [0.0; L];
    let (chunks, rest) = x.as_chunks::<L>();
    let (copies, copies_rest) = copy.as_chunks_mut::<L>();
    for (chunk, copy) in chunks.iter().zip(copies) {
        let values = *chunk;
        for a in 0..L {
            partial[a] += values[a] * values[a];
        }
        *copy = values;
    }
    for ((partial, &value), copy) in partial.iter_mut().zip(rest).zip(copies_rest) {
        *partial += value * value;
        *copy = value;
    }
    total(&partial)
}

#[inline(always)]
fn scores_lanes<const L: usize, const P: usize>(v: &Columns, x: Features<'_>, out: &mut [f64]) {
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
            let (index_chunks, index_rest) = row.indices().as_chunks::<P>();
            let (value_chunks, value_rest) = row.values().as_chunks::<P>();
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
fn rank_one_lanes<const L: usize, const P: usize>(v: &mut Columns, x: Features<'_>, c: &[f64]) {
    let c: [f64; L] = c[..L].try_into().expect("one coefficient per lane");
    let (bias, columns) = v.lane_columns_mut::<L>().split_last_mut().expect("the bias column");
    match x {
        Features::Dense(x) => {
            for (column, &value) in columns.iter_mut().zip(x) {
                add_scaled(column, &c, value);
            }
        }
        Features::Sparse(row) => {
            for (&j, &value) in row.indices().iter().zip(row.values()) {
                add_scaled(&mut columns[j as usize], &c, value);
            }
        }
    }
    add_scaled(bias, &c, 1.0);
}

#[inline(always)]
fn adagrad_lanes<const L: usize, const P: usize>(
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    (rate, epsilon, unscale): (f64, f64, f64),
) -> Motion {
    let g: [f64; L] = g[..L].try_into().expect("one coefficient per lane");
    let (bias, columns) = v.lane_columns_mut::<L>().split_last_mut().expect("the bias column");
    let (bias_acc, acc) = acc.lane_columns_mut::<L>().split_last_mut().expect("the bias column");
    let mut dot = [0.0; L];
    let mut moved = [0.0; L];
    let mut visit = |column: &mut [f64; L], squares: &mut [f64; L], value: f64| {
        let columns = quads_mut(column).iter_mut().zip(quads_mut(squares));
        let sums = quads_mut(&mut dot).iter_mut().zip(quads_mut(&mut moved));
        for (((column, squares), g), (dot, moved)) in columns.zip(quads(&g)).zip(sums) {
            let gradient: [f64; 4] = std::array::from_fn(|a| g[a] * value);
            *squares = std::array::from_fn(|a| squares[a] + gradient[a] * gradient[a]);
            let step: [f64; 4] = std::array::from_fn(|a| {
                -(rate * gradient[a] / (squares[a].sqrt() + epsilon)) * unscale
            });
            *dot = std::array::from_fn(|a| dot[a] + column[a] * step[a]);
            *moved = std::array::from_fn(|a| moved[a] + step[a] * step[a]);
            *column = std::array::from_fn(|a| column[a] + step[a]);
        }
    };
    match x {
        Features::Dense(x) => {
            for ((column, squares), &value) in columns.iter_mut().zip(acc).zip(x) {
                visit(column, squares, value);
            }
        }
        Features::Sparse(row) => {
            for (&j, &value) in row.indices().iter().zip(row.values()) {
                visit(&mut columns[j as usize], &mut acc[j as usize], value);
            }
        }
    }
    visit(bias, bias_acc, 1.0);
    Motion { dot: total(&dot), norm2: total(&moved) }
}

#[inline(always)]
fn norm2_lanes<const L: usize, const P: usize>(v: &Columns) -> f64 {
    let mut sum = [0.0; L];
    for column in v.lane_columns::<L>() {
        for a in 0..L {
            sum[a] += column[a] * column[a];
        }
    }
    total(&sum)
}

#[inline(always)]
fn rescale_lanes<const L: usize, const P: usize>(v: &mut Columns, factor: f64) {
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
fn quads<const L: usize>(lanes: &[f64; L]) -> &[[f64; 4]] {
    lanes.as_chunks().0
}

#[inline(always)]
fn quads_mut<const L: usize>(lanes: &mut [f64; L]) -> &mut [[f64; 4]] {
    lanes.as_chunks_mut().0
}

/// The sum of all lanes, four side by side.
#[inline(always)]
fn total<const L: usize>(lanes: &[f64; L]) -> f64 {
    let mut sum = [0.0; 4];
    for quad in quads(lanes) {
        sum = std::array::from_fn(|a| sum[a] + quad[a]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;
    use problem::SparseRow;
    use quickcheck::quickcheck;

    /// A matrix, a sparse input and lane coefficients with mixed signs and sizes, from one seed.
    struct Case {
        v: Columns,
        indices: Vec<u32>,
        values: Vec<f64>,
        c: Vec<f64>,
    }

    fn case(seed: u64) -> Case {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
        let actions = rng.random_range(2..=128);
        let dim = rng.random_range(1..40);
        let mut v = Columns::zeros(actions, dim + 1);
        for j in 0..=dim {
            v.column_mut(j).fill_with(|| rng.random_range(-2.0..2.0));
        }
        let indices: Vec<u32> = (0..dim as u32).filter(|_| rng.random_bool(0.6)).collect();
        let values = indices.iter().map(|_| rng.random_range(-3.0..3.0)).collect();
        let mut c = vec![0.0; v.lanes()];
        c[..actions].fill_with(|| rng.random_range(-1.0..1.0));
        Case { v, indices, values, c }
    }

    impl Case {
        fn sparse(&self) -> Features<'_> {
            let dim = self.v.len() - 1;
            SparseRow::new(dim, &self.indices, &self.values).unwrap().into()
        }

        fn dense(&self) -> Vec<f64> {
            let mut x = vec![0.0; self.v.len() - 1];
            self.sparse().for_each(|j, value| x[j] = value);
            x
        }
    }

    fn entries(v: &Columns) -> Vec<f64> {
        (0..v.len()).flat_map(|j| v.column(j).to_vec()).collect()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(p, q)| (p - q).abs() <= 1e-12 * (1.0 + p.abs()))
    }

    /// Runs `check` on the sparse and on the dense form of the same input.
    fn on_both_forms(case: &Case, mut check: impl FnMut(Features<'_>) -> bool) -> bool {
        check(case.sparse()) && check(Features::Dense(&case.dense()))
    }

    #[test]
    fn scores_match_the_plain_twin() {
        fn property(seed: u64) -> bool {
            let case = case(seed);
            let n = case.v.actions();
            on_both_forms(&case, |x| {
                [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
                    let mut out = vec![f64::NAN; case.v.lanes()];
                    scores(cpu, &case.v, x, &mut out);
                    close(&out[..n], &plain::scores(&case.v, x))
                })
            })
        }
        quickcheck(property as fn(u64) -> bool);
    }

    #[test]
    fn steps_match_the_plain_twins() {
        fn property(seed: u64) -> bool {
            let case = case(seed);
            on_both_forms(&case, |x| {
                let (mut fast, mut slow) = (case.v.clone(), case.v.clone());
                rank_one(Cpu::detect(), &mut fast, x, &case.c);
                plain::rank_one(&mut slow, x, &case.c);
                let mut agrees = close(&entries(&fast), &entries(&slow));

                let mut fast_acc = Columns::zeros(case.v.actions(), case.v.len());
                let mut slow_acc = fast_acc.clone();
                for _ in 0..3 {
                    let hyper = (0.1, 1e-10, 1.75);
                    let c = &case.c;
                    let a = adagrad_step(Cpu::detect(), &mut fast, &mut fast_acc, x, c, hyper);
                    let b = plain::adagrad_step(&mut slow, &mut slow_acc, x, c, hyper);
                    agrees &= close(&[a.dot, a.norm2], &[b.dot, b.norm2]);
                    agrees &= close(&entries(&fast), &entries(&slow));
                    agrees &= close(&entries(&fast_acc), &entries(&slow_acc));
                }
                agrees
            })
        }
        quickcheck(property as fn(u64) -> bool);
    }

    #[test]
    fn norms_match_the_plain_twins() {
        fn property(seed: u64) -> bool {
            let case = case(seed);
            let mut halved = case.v.clone();
            rescale(Cpu::detect(), &mut halved, 0.5);
            let expected = plain::norm2(&case.v);
            let mut copy = vec![f64::NAN; (seed % 50) as usize];
            let squares: f64 = case.values.iter().map(|v| v * v).sum();
            close(&[norm2(Cpu::detect(), &case.v)], &[expected])
                && close(&[4.0 * norm2(Cpu::portable(), &halved)], &[expected])
                && close(&[copy_and_square(Cpu::detect(), &case.values, &mut copy)], &[squares])
                && copy == case.values
        }
        quickcheck(property as fn(u64) -> bool);
    }

    #[test]
    fn both_paths_give_the_same_bits() {
        fn property(seed: u64) -> bool {
            let case = case(seed);
            let run = |cpu: Cpu, x: Features<'_>| {
                let mut v = case.v.clone();
                let mut acc = Columns::zeros(v.actions(), v.len());
                let mut out = vec![0.0; v.lanes()];
                scores(cpu, &v, x, &mut out);
                rank_one(cpu, &mut v, x, &case.c);
                let motion = adagrad_step(cpu, &mut v, &mut acc, x, &case.c, (0.3, 1e-10, 1.0));
                rescale(cpu, &mut v, 0.7);
                out.extend([motion.dot, motion.norm2, norm2(cpu, &v)]);
                out.push(copy_and_square(cpu, x.values(), &mut Vec::new()));
                out.extend(entries(&v));
                out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            on_both_forms(&case, |x| run(Cpu::detect(), x) == run(Cpu::portable(), x))
        }
        quickcheck(property as fn(u64) -> bool);
    }
}

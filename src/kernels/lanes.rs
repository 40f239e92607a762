//! The fast kernels. `L` lanes are the padded actions, `P` partial sums hide the latency of
//! additions; both follow from the action count, so they never change the order of a sum between
//! machines.

use super::{Columns, Cpu};
use crate::problem::Features;

/// How a step moved the weights: what the norm of the sum needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// `<V, D>`, the inner product of the weights before the step with the step.
    pub dot: f64,
    /// `|D|^2`.
    pub norm2: f64,
}

/// Calls a kernel compiled for the row count of `$columns`, on the given instruction set.
macro_rules! dispatch {
    ($cpu:expr, $lanes:expr, $kernel:ident($($arg:expr),*)) => {
        match $lanes {
            4 => $cpu.run(|| $kernel::<4, 4>($($arg),*)),
            8 => $cpu.run(|| $kernel::<8, 4>($($arg),*)),
            12 => $cpu.run(|| $kernel::<12, 4>($($arg),*)),
            16 => $cpu.run(|| $kernel::<16, 2>($($arg),*)),
            24 => $cpu.run(|| $kernel::<24, 2>($($arg),*)),
            32 => $cpu.run(|| $kernel::<32, 1>($($arg),*)),
            48 => $cpu.run(|| $kernel::<48, 1>($($arg),*)),
            64 => $cpu.run(|| $kernel::<64, 1>($($arg),*)),
            96 => $cpu.run(|| $kernel::<96, 1>($($arg),*)),
            _ => $cpu.run(|| $kernel::<128, 1>($($arg),*)),
        }
    };
}

/// `out_a = sum_j V_{a,j} x_j + V_{a,bias}` for every lane `a`; the bias is the last column.
#[inline]
pub fn scores(cpu: Cpu, v: &Columns, x: Features<'_>, out: &mut [f64]) {
    dispatch!(cpu, v.lanes(), scores_lanes(v, x, out))
}

/// `V_{a,j} += c_a x_j` and `V_{a,bias} += c_a`.
#[inline]
pub fn rank_one(cpu: Cpu, v: &mut Columns, x: Features<'_>, c: &[f64]) {
    dispatch!(cpu, v.lanes(), rank_one_lanes(v, x, c))
}

/// One diagonal AdaGrad step on the gradient `g x~^T`.
///
/// # Formula
/// ```text
/// acc_{a,j} += (g_a x_j)^2
/// V_{a,j}   -= rate * g_a x_j / (sqrt(acc_{a,j}) + epsilon) * unscale
/// ```
/// `unscale` turns a step of `W = scale * V` into one of `V`.
#[inline]
pub fn adagrad_step(
    cpu: Cpu,
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    (rate, epsilon, unscale): (f64, f64, f64),
) -> Motion {
    dispatch!(cpu, v.lanes(), adagrad_lanes(v, acc, x, g, rate, epsilon, unscale))
}

/// `|V|_F^2`, from scratch.
pub fn norm2(cpu: Cpu, v: &Columns) -> f64 {
    dispatch!(cpu, v.lanes(), norm2_lanes(v))
}

/// `V *= factor`.
pub fn rescale(cpu: Cpu, v: &mut Columns, factor: f64) {
    dispatch!(cpu, v.lanes(), rescale_lanes(v, factor))
}

/// `sum_j x_j^2` over the stored values.
#[inline]
pub fn sum_of_squares(cpu: Cpu, x: &[f64]) -> f64 {
    cpu.run(|| {
        let mut partial = [0.0; 8];
        let mut chunks = x.chunks_exact(8);
        for chunk in &mut chunks {
            for (p, &v) in partial.iter_mut().zip(chunk) {
                *p += v * v;
            }
        }
        for (p, &v) in partial.iter_mut().zip(chunks.remainder()) {
            *p += v * v;
        }
        total(&partial)
    })
}

#[inline(always)]
fn scores_lanes<const L: usize, const P: usize>(v: &Columns, x: Features<'_>, out: &mut [f64]) {
    let mut partial = [[0.0; L]; P];
    match x {
        Features::Dense(x) => {
            let mut chunks = x.chunks_exact(P);
            let mut j = 0;
            for chunk in &mut chunks {
                for p in 0..P {
                    add_scaled(&mut partial[p], v.lane_column(j + p), chunk[p]);
                }
                j += P;
            }
            for (p, &value) in chunks.remainder().iter().enumerate() {
                add_scaled(&mut partial[p], v.lane_column(j + p), value);
            }
        }
        Features::Sparse(row) => {
            let (indices, values) = (row.indices(), row.values());
            let mut index_chunks = indices.chunks_exact(P);
            let mut value_chunks = values.chunks_exact(P);
            for (columns, chunk) in (&mut index_chunks).zip(&mut value_chunks) {
                for p in 0..P {
                    add_scaled(&mut partial[p], v.lane_column(columns[p] as usize), chunk[p]);
                }
            }
            let rest = index_chunks.remainder().iter().zip(value_chunks.remainder());
            for (p, (&j, &value)) in rest.enumerate() {
                add_scaled(&mut partial[p], v.lane_column(j as usize), value);
            }
        }
    }
    let mut sum = *v.lane_column::<L>(v.len() - 1);
    for part in &partial {
        for (s, &p) in sum.iter_mut().zip(part) {
            *s += p;
        }
    }
    out[..L].copy_from_slice(&sum);
}

#[inline(always)]
fn rank_one_lanes<const L: usize, const P: usize>(v: &mut Columns, x: Features<'_>, c: &[f64]) {
    let c: &[f64; L] = c[..L].try_into().expect("one coefficient per lane");
    let bias = v.len() - 1;
    each_stored(x, bias, |j, value| add_scaled(v.lane_column_mut(j), c, value));
}

#[inline(always)]
fn adagrad_lanes<const L: usize, const P: usize>(
    v: &mut Columns,
    acc: &mut Columns,
    x: Features<'_>,
    g: &[f64],
    rate: f64,
    epsilon: f64,
    unscale: f64,
) -> Motion {
    let g: &[f64; L] = g[..L].try_into().expect("one coefficient per lane");
    let bias = v.len() - 1;
    let mut dot = [0.0; L];
    let mut moved = [0.0; L];
    each_stored(x, bias, |j, value| {
        let column = v.lane_column_mut::<L>(j);
        let squares = acc.lane_column_mut::<L>(j);
        for a in 0..L {
            let gradient = g[a] * value;
            let square = squares[a] + gradient * gradient;
            squares[a] = square;
            let step = -(rate * gradient / (square.sqrt() + epsilon)) * unscale;
            dot[a] += column[a] * step;
            moved[a] += step * step;
            column[a] += step;
        }
    });
    Motion { dot: total(&dot), norm2: total(&moved) }
}

#[inline(always)]
fn norm2_lanes<const L: usize, const P: usize>(v: &Columns) -> f64 {
    let mut sum = [0.0; L];
    for j in 0..v.len() {
        let column = v.lane_column::<L>(j);
        for a in 0..L {
            sum[a] += column[a] * column[a];
        }
    }
    total(&sum)
}

#[inline(always)]
fn rescale_lanes<const L: usize, const P: usize>(v: &mut Columns, factor: f64) {
    for j in 0..v.len() {
        for entry in v.lane_column_mut::<L>(j) {
            *entry *= factor;
        }
    }
}

/// The stored features in order, then the bias with value one.
#[inline(always)]
fn each_stored(x: Features<'_>, bias: usize, mut f: impl FnMut(usize, f64)) {
    match x {
        Features::Dense(x) => {
            for (j, &value) in x.iter().enumerate() {
                f(j, value);
            }
        }
        Features::Sparse(row) => {
            for (&j, &value) in row.indices().iter().zip(row.values()) {
                f(j as usize, value);
            }
        }
    }
    f(bias, 1.0);
}

#[inline(always)]
fn add_scaled<const L: usize>(sum: &mut [f64; L], column: &[f64; L], by: f64) {
    for a in 0..L {
        sum[a] += column[a] * by;
    }
}

#[inline(always)]
fn total(lanes: &[f64]) -> f64 {
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;
    use crate::problem::SparseRow;
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
        a.len() == b.len()
            && a.iter().zip(b).all(|(p, q)| (p - q).abs() <= 1e-12 * (1.0 + p.abs()))
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
            let squares: f64 = case.values.iter().map(|v| v * v).sum();
            close(&[norm2(Cpu::detect(), &case.v)], &[expected])
                && close(&[4.0 * norm2(Cpu::portable(), &halved)], &[expected])
                && close(&[sum_of_squares(Cpu::detect(), &case.values)], &[squares])
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
                out.push(sum_of_squares(cpu, x.values()));
                out.extend(entries(&v));
                out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            on_both_forms(&case, |x| run(Cpu::detect(), x) == run(Cpu::portable(), x))
        }
        quickcheck(property as fn(u64) -> bool);
    }
}

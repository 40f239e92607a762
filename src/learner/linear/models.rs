//! Ridge regression of every action, by rank-one updates of the inverse.

use super::input::Input;
use crate::kernels::Cpu;
use pulp::{Simd, WithSimd};

/// `A_a^-1` and `w_a` for every action.
#[derive(Clone, Debug)]
pub(super) struct Models {
    pub cpu: Cpu,
    size: usize,
    /// Symmetric to the bit, so columns are rows.
    pub inverses: Vec<Vec<f64>>,
    pub weights: Vec<Vec<f64>>,
    /// `A_a^-1 x~`.
    product: Vec<f64>,
}

impl Models {
    pub(super) fn new(actions: usize, size: usize, lambda: f64) -> Self {
        let mut inverse = vec![0.0; size * size];
        inverse.iter_mut().step_by(size + 1).for_each(|entry| *entry = 1.0 / lambda);
        Models {
            cpu: Cpu::detect(),
            size,
            inverses: vec![inverse; actions],
            weights: vec![vec![0.0; size]; actions],
            product: vec![0.0; size],
        }
    }

    /// `<w_a, x~>` and `x~^T A_a^-1 x~`.
    pub(super) fn mean_and_width(&mut self, action: usize, x: &Input) -> (f64, f64) {
        let inverse = &self.inverses[action];
        self.cpu.run(Product { inverse, x, out: &mut self.product });
        let (mut mean, mut width) = (0.0, 0.0);
        for &j in &x.nonzero {
            let (j, value) = (j as usize, x.values[j as usize]);
            mean += self.weights[action][j] * value;
            width += self.product[j] * value;
        }
        // A positive definite form; rounding may leave it just below zero.
        (mean, width.max(0.0))
    }

    /// `A_a += x~ x~^T` and the regression of `target` at `x~`.
    pub(super) fn learn(&mut self, action: usize, x: &Input, target: f64) {
        let (mean, width) = self.mean_and_width(action, x);
        let step = (target - mean) / (1.0 + width);
        for (w, p) in self.weights[action].iter_mut().zip(&self.product) {
            *w += step * p;
        }
        // One factor on both sides keeps the matrix symmetric to the bit.
        let factor = 1.0 / (1.0 + width).sqrt();
        self.product.iter_mut().for_each(|p| *p *= factor);
        let (inverse, v) = (&mut self.inverses[action], &self.product);
        self.cpu.run(Subtract { inverse, v, size: self.size });
    }
}

/// `out = M x`, column after column: `out_i = M_{i,1} x_1 + M_{i,2} x_2 + ..` in this order.
struct Product<'a> {
    inverse: &'a [f64],
    x: &'a Input,
    out: &'a mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Product { inverse, x, out } = self;
        let size = out.len();
        let column = |j: u32| (&inverse[j as usize * size..][..size], x.values[j as usize]);
        out.fill(0.0);
        // Four columns a pass: the same sums, a quarter of the writes.
        let (fours, rest) = x.nonzero.as_chunks::<4>();
        for four in fours {
            let [(a, xa), (b, xb), (c, xc), (d, xd)] = four.map(column);
            for i in 0..size {
                out[i] = out[i] + a[i] * xa + b[i] * xb + c[i] * xc + d[i] * xd;
            }
        }
        for &j in rest {
            let (a, xa) = column(j);
            for i in 0..size {
                out[i] += a[i] * xa;
            }
        }
    }
}

/// `M -= v v^T`.
struct Subtract<'a> {
    inverse: &'a mut [f64],
    v: &'a [f64],
    size: usize,
}

impl WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (column, &v_j) in self.inverse.chunks_exact_mut(self.size).zip(self.v) {
            for (entry, &v_i) in column.iter_mut().zip(self.v) {
                *entry -= v_i * v_j;
            }
        }
    }
}

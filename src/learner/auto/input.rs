//! Inputs of unknown scale, brought to one.
//!
//! Dense features are standardised by the mean and variance of what was seen, and divided by the root
//! of their number, so that `|x|` is about one whatever the units. Sparse inputs (words, mostly) are
//! taken as they are: moving their zeros would make them dense.

use crate::kernels::Cpu;
use problem::{Features, SparseRow};
use pulp::{Simd, WithSimd};
use serde::{Deserialize, Serialize};

/// An input, kept between decide and observe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Where the values stand, if sparse.
    indices: Option<Vec<u32>>,
    values: Vec<f64>,
}

impl Input {
    pub(super) fn take(&mut self, x: Features<'_>) {
        self.values.clear();
        self.values.extend_from_slice(x.values());
        self.indices = match x {
            Features::Dense(_) => None,
            Features::Sparse(row) => {
                let mut indices = self.indices.take().unwrap_or_default();
                indices.clear();
                indices.extend_from_slice(row.indices);
                Some(indices)
            }
        };
    }

    pub(super) fn features(&self, dim: usize) -> Features<'_> {
        match &self.indices {
            Some(indices) => Features::Sparse(SparseRow { dim, indices, values: &self.values }),
            None => Features::Dense(&self.values),
        }
    }

    /// How many features are not zero.
    pub(super) fn active(&self) -> usize {
        self.values.iter().filter(|v| **v != 0.0).count()
    }

    /// Checks an input that was read from outside.
    pub(super) fn check(&self, dim: usize) -> Result<(), problem::ProblemError> {
        match &self.indices {
            Some(indices) => SparseRow::new(dim, indices, &self.values).map(drop),
            None if self.values.len() != dim => {
                let got = self.values.len();
                Err(problem::ProblemError::DimensionMismatch { got, expected: dim })
            }
            None => Features::Dense(&self.values).check_finite(),
        }
    }
}

/// Running mean and sum of squared deviations of every dense feature (Welford).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scale {
    n: f64,
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

/// How many standard deviations a feature may be away: an outlier is one, not a hundred.
const FARTHEST: f64 = 4.0;

impl Scale {
    /// Whether it belongs to so many features and every number can be true.
    pub(super) fn fits(&self, dim: usize) -> bool {
        let len = if self.n > 0.0 { dim } else { 0 };
        let fine = self.mean.iter().chain(&self.deviation).all(|v| v.is_finite());
        fine && self.n.is_finite() && self.mean.len() == len && self.deviation.len() == len
    }

    pub(super) fn learn(&mut self, x: Features<'_>) {
        let Features::Dense(x) = x else { return };
        self.mean.resize(x.len(), 0.0);
        self.deviation.resize(x.len(), 0.0);
        self.n += 1.0;
        for ((mean, deviation), &x) in self.mean.iter_mut().zip(&mut self.deviation).zip(x) {
            let before = x - *mean;
            *mean += before / self.n;
            *deviation += before * (x - *mean);
        }
    }

    /// Standardises a dense `x`.
    pub(super) fn apply(&self, cpu: Cpu, x: Features<'_>, out: &mut Input) {
        out.take(x);
        if out.indices.is_some() {
            return;
        }
        let root = (out.values.len() as f64).sqrt();
        if self.n < 2.0 {
            out.values.fill(0.0);
            return;
        }
        let (n, mean, deviation) = (self.n, &self.mean[..], &self.deviation[..]);
        cpu.run(Standardise { values: &mut out.values, mean, deviation, n, root });
    }
}

/// The loop of [`Scale::apply`], compiled once for each instruction set.
struct Standardise<'a> {
    values: &'a mut [f64],
    mean: &'a [f64],
    deviation: &'a [f64],
    n: f64,
    root: f64,
}

impl WithSimd for Standardise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Standardise { values, mean, deviation, n, root } = self;
        let ((values, last), (mean, last_mean), (deviation, last_deviation)) =
            (values.as_chunks_mut::<4>(), mean.as_chunks::<4>(), deviation.as_chunks::<4>());
        for ((values, mean), deviation) in values.iter_mut().zip(mean).zip(deviation) {
            standardise(values, mean, deviation, n, root);
        }
        for ((value, &mean), &deviation) in last.iter_mut().zip(last_mean).zip(last_deviation) {
            let mut one = [*value];
            standardise(&mut one, &[mean], &[deviation], n, root);
            [*value] = one;
        }
    }
}

#[inline(always)]
fn standardise<const W: usize>(
    values: &mut [f64; W],
    mean: &[f64; W],
    deviation: &[f64; W],
    n: f64,
    root: f64,
) {
    let sd: [f64; W] = std::array::from_fn(|j| (deviation[j] / n).sqrt());
    let away: [f64; W] = std::array::from_fn(|j| (values[j] - mean[j]) / sd[j]);
    // A feature that never varied says nothing.
    let away: [f64; W] = std::array::from_fn(|j| if sd[j] > 0.0 { away[j] } else { 0.0 });
    *values = std::array::from_fn(|j| away[j].clamp(-FARTHEST, FARTHEST) / root);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_do_not_matter() {
        let rows = [[1.0, 20.0], [3.0, 60.0], [2.0, 10.0], [6.0, 50.0]];
        let (mut one, mut other) = (Scale::default(), Scale::default());
        let (mut x, mut y) = (Input::default(), Input::default());
        for row in rows {
            let scaled = [row[0] * 1e6 + 5.0, row[1] * 1e-3 - 7.0];
            one.learn(Features::Dense(&row));
            other.learn(Features::Dense(&scaled));
            one.apply(Cpu::detect(), Features::Dense(&row), &mut x);
            other.apply(Cpu::portable(), Features::Dense(&scaled), &mut y);
            assert!(x.values.iter().zip(&y.values).all(|(a, b)| (a - b).abs() < 1e-6));
        }
        // Mean (3, 35), deviations (14/4, 1700/4): the last row is (3, 15) from it.
        let expected = [3.0 / 3.5f64.sqrt(), 15.0 / 425f64.sqrt()].map(|v| v / 2f64.sqrt());
        assert!(x.values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(one.fits(2) && !one.fits(3));
    }

    #[test]
    fn sparse_inputs_stay_as_they_are() {
        let row = SparseRow::new(5, &[1, 4], &[2.0, -3.0]).unwrap();
        let mut scale = Scale::default();
        scale.learn(Features::Sparse(row));
        let mut x = Input::default();
        scale.apply(Cpu::detect(), Features::Sparse(row), &mut x);
        assert_eq!(x.features(5), Features::Sparse(row));
        assert!(x.check(5).is_ok() && x.check(4).is_err() && scale.fits(5));
    }
}

//! Inputs `x`: dense slices, or sparse rows.

use super::ProblemError;

/// One input, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Features<'a> {
    /// All `d` values.
    Dense(&'a [f64]),
    /// The non-zero values and where they stand.
    Sparse(SparseRow<'a>),
}

impl<'a> Features<'a> {
    /// `d`, without the bias.
    #[inline]
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Features::Dense(x) => x.len(),
            Features::Sparse(row) => row.dim,
        }
    }

    /// The stored values: all of them, or the non-zero ones.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &'a [f64] {
        match self {
            Features::Dense(x) => x,
            Features::Sparse(row) => row.values,
        }
    }

    /// Calls `f(index, value)` for every stored value in order.
    pub fn for_each(&self, mut f: impl FnMut(usize, f64)) {
        match self {
            Features::Dense(x) => x.iter().enumerate().for_each(|(j, &v)| f(j, v)),
            Features::Sparse(row) => {
                row.indices.iter().zip(row.values).for_each(|(&j, &v)| f(j as usize, v));
            }
        }
    }

    /// Names the first value that is not finite, or the largest when only the norm overflows.
    pub fn check_finite(&self) -> Result<(), ProblemError> {
        // The usual case, several squares side by side.
        let (fours, rest) = self.values().as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            sums = std::array::from_fn(|a| sums[a] + four[a] * four[a]);
        }
        let rest: f64 = rest.iter().map(|v| v * v).sum();
        if sums.iter().sum::<f64>() + rest < f64::MAX / 2.0 {
            return Ok(());
        }
        let mut bad = None;
        let mut largest = (0, 0.0);
        let mut norm2 = 0.0;
        self.for_each(|index, value| {
            if !value.is_finite() && bad.is_none() {
                bad = Some((index, value));
            }
            if value.abs() > f64::abs(largest.1) {
                largest = (index, value);
            }
            norm2 += value * value;
        });
        match bad {
            Some((index, value)) => Err(ProblemError::FeatureNotFinite { index, value }),
            None if !f64::is_finite(norm2) => {
                Err(ProblemError::FeaturesTooLarge { index: largest.0, value: largest.1 })
            }
            None => Ok(()),
        }
    }
}

impl<'a> From<&'a [f64]> for Features<'a> {
    fn from(x: &'a [f64]) -> Self {
        Features::Dense(x)
    }
}

impl<'a, const D: usize> From<&'a [f64; D]> for Features<'a> {
    fn from(x: &'a [f64; D]) -> Self {
        Features::Dense(x)
    }
}

impl<'a> From<&'a Vec<f64>> for Features<'a> {
    fn from(x: &'a Vec<f64>) -> Self {
        Features::Dense(x)
    }
}

impl<'a> From<SparseRow<'a>> for Features<'a> {
    fn from(row: SparseRow<'a>) -> Self {
        Features::Sparse(row)
    }
}

/// A sparse input whose indices increase and stay below `dim`. [`SparseRow::new`] checks that; parts of a
/// row that was checked need not be checked again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseRow<'a> {
    /// `d`, without the bias.
    pub dim: usize,
    /// Strictly increasing feature indices.
    pub indices: &'a [u32],
    /// The values at those indices.
    pub values: &'a [f64],
}

impl<'a> SparseRow<'a> {
    /// Checks the row once, so that kernels need not.
    ///
    /// # Errors
    /// Lengths differ, indices do not increase strictly or reach `dim`, a value is not finite.
    pub fn new(dim: usize, indices: &'a [u32], values: &'a [f64]) -> Result<Self, ProblemError> {
        if indices.len() != values.len() {
            return Err(ProblemError::WrongLength {
                field: "values".into(),
                got: values.len(),
                expected: indices.len(),
            });
        }
        let mut previous: Option<u32> = None;
        for (position, &index) in indices.iter().enumerate() {
            if index as usize >= dim {
                return Err(ProblemError::FeatureIndexOutOfRange { position, index, dim });
            }
            if let Some(previous) = previous.filter(|&p| p >= index) {
                return Err(ProblemError::FeatureIndexOrder { position, index, previous });
            }
            previous = Some(index);
        }
        let row = SparseRow { dim, indices, values };
        Features::Sparse(row).check_finite()?;
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_are_checked() {
        for (indices, values) in [
            (&[3u32, 3][..], &[1.0, 1.0][..]),
            (&[4, 1], &[1.0, 1.0]),
            (&[5], &[1.0]),
            (&[1], &[f64::NAN]),
            (&[1], &[f64::INFINITY]),
            (&[1, 2], &[1.0]),
        ] {
            assert!(SparseRow::new(5, indices, values).is_err());
        }
        assert_eq!(SparseRow::new(5, &[0, 3], &[1.0, -2.0]).unwrap().indices, [0, 3]);
    }

    #[test]
    fn a_bad_value_is_named() {
        let x = [0.0, f64::NAN, f64::INFINITY];
        let error = Features::from(&x).check_finite().unwrap_err();
        assert!(matches!(error, ProblemError::FeatureNotFinite { index: 1, .. }));
        let big = [1.0, -1e200];
        let error = Features::from(&big).check_finite().unwrap_err();
        assert!(matches!(error, ProblemError::FeaturesTooLarge { index: 1, .. }));
    }
}

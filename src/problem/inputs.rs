//! Many inputs: dense or sparse rows.

use super::{CsrRows, Features, ProblemError};

/// Rows of a data set.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// All values of every row.
    Dense(DenseRows),
    /// The non-zero values of every row.
    Sparse(CsrRows),
}

impl Inputs {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Inputs::Dense(rows) => rows.len(),
            Inputs::Sparse(rows) => rows.len(),
        }
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `d`, without the bias.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Inputs::Dense(rows) => rows.dim(),
            Inputs::Sparse(rows) => rows.dim(),
        }
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If `i >= self.len()`, like slice indexing.
    #[inline]
    #[must_use]
    pub fn row(&self, i: usize) -> Features<'_> {
        match self {
            Inputs::Dense(rows) => Features::Dense(rows.row(i)),
            Inputs::Sparse(rows) => Features::Sparse(rows.row(i)),
        }
    }

    /// The largest `|(x, 1)|`.
    #[must_use]
    pub fn rho(&self) -> f64 {
        let norm2 = |i| 1.0 + norm2(self.row(i).values());
        (0..self.len()).map(norm2).fold(1.0, f64::max).sqrt()
    }

    /// Divides every row by its norm; rows of zeros stay.
    pub fn scale_to_unit_norm(&mut self) {
        for i in 0..self.len() {
            let values = match self {
                Inputs::Dense(rows) => rows.row_mut(i),
                Inputs::Sparse(rows) => rows.values_mut(i),
            };
            // Two steps: the square of a tiny value would vanish.
            let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if largest > 0.0 {
                values.iter_mut().for_each(|v| *v /= largest);
                let norm = norm2(values).sqrt();
                values.iter_mut().for_each(|v| *v /= norm);
            }
        }
    }
}

fn norm2(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}

/// Dense rows stored one after another, each checked when it is added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseRows {
    dim: usize,
    rows: usize,
    values: Vec<f64>,
}

impl DenseRows {
    /// No rows yet, of dimension `dim`.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        DenseRows { dim, ..DenseRows::default() }
    }

    /// Appends a row; nothing is stored if it is not valid.
    ///
    /// # Errors
    /// A wrong length, or a value that is not finite.
    pub fn push(&mut self, row: &[f64]) -> Result<(), ProblemError> {
        if row.len() != self.dim {
            let (got, expected) = (row.len(), self.dim);
            return Err(ProblemError::DimensionMismatch { got, expected });
        }
        Features::Dense(row).check_finite()?;
        self.values.extend_from_slice(row);
        self.rows += 1;
        Ok(())
    }

    /// `d`, without the bias.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If `i >= self.len()`, like slice indexing.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.dim..(i + 1) * self.dim]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_rows_agree() {
        let (mut dense, mut sparse) = (DenseRows::new(3), CsrRows::new(3));
        dense.push(&[3.0, 0.0, -4.0]).unwrap();
        sparse.push(&[0, 2], &[3.0, -4.0]).unwrap();
        dense.push(&[0.0; 3]).unwrap();
        sparse.push(&[], &[]).unwrap();
        dense.push(&[0.0, 1e-200, 0.0]).unwrap();
        sparse.push(&[1], &[1e-200]).unwrap();
        assert!(dense.push(&[1.0]).is_err() && dense.push(&[1.0, f64::NAN, 0.0]).is_err());
        for mut inputs in [Inputs::Dense(dense), Inputs::Sparse(sparse)] {
            assert_eq!((inputs.len(), inputs.dim()), (3, 3));
            assert_eq!(inputs.rho(), 26f64.sqrt());
            inputs.scale_to_unit_norm();
            let norms: Vec<f64> = (0..3).map(|i| norm2(inputs.row(i).values())).collect();
            assert!((norms[0] - 1.0).abs() < 1e-15, "{norms:?}");
            assert_eq!(norms[1..], [0.0, 1.0]);
        }
    }
}

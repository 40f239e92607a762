//! Many inputs: dense or sparse rows.

use problem::{Features, ProblemError, SparseRow};

/// Rows of a data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Inputs {
    /// All values of every row.
    Dense(DenseRows),
    /// The non-zero values of every row.
    Sparse(CsrRows),
}

impl Inputs {
    /// Number of rows.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        match self {
            Inputs::Dense(rows) => rows.len(),
            Inputs::Sparse(rows) => rows.len(),
        }
    }

    /// `d`, without the bias.
    #[must_use]
    pub(crate) fn dim(&self) -> usize {
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
    pub(crate) fn row(&self, i: usize) -> Features<'_> {
        match self {
            Inputs::Dense(rows) => Features::Dense(rows.row(i)),
            Inputs::Sparse(rows) => Features::Sparse(rows.row(i)),
        }
    }

    /// The largest `|(x, 1)|`.
    #[must_use]
    pub(crate) fn rho(&self) -> f64 {
        let norm2 = |i| 1.0 + norm2(self.row(i).values());
        (0..self.len()).map(norm2).fold(1.0, f64::max).sqrt()
    }

    /// Divides every row by its norm; rows of zeros stay.
    pub(crate) fn scale_to_unit_norm(&mut self) {
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
pub(crate) struct DenseRows {
    dim: usize,
    rows: usize,
    values: Vec<f64>,
}

impl DenseRows {
    /// No rows yet, of dimension `dim`.
    #[must_use]
    pub(crate) fn new(dim: usize) -> Self {
        DenseRows { dim, ..DenseRows::default() }
    }

    /// Appends a row; nothing is stored if it is not valid.
    ///
    /// # Errors
    /// A wrong length, or a value that is not finite.
    pub(crate) fn push(&mut self, row: &[f64]) -> Result<(), ProblemError> {
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
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
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

/// Sparse rows stored one after another (CSR), each checked when it is added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CsrRows {
    dim: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl CsrRows {
    /// No rows yet, of dimension `dim`.
    #[must_use]
    pub(crate) fn new(dim: usize) -> Self {
        CsrRows { dim, offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// Appends a row; nothing is stored if it is not valid.
    pub(crate) fn push(&mut self, indices: &[u32], values: &[f64]) -> Result<(), ProblemError> {
        SparseRow::new(self.dim, indices, values)?;
        self.indices.extend_from_slice(indices);
        self.values.extend_from_slice(values);
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// `d`, without the bias.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If `i >= self.len()`, like slice indexing.
    #[inline]
    #[must_use]
    pub(crate) fn row(&self, i: usize) -> SparseRow<'_> {
        let span = self.offsets[i]..self.offsets[i + 1];
        SparseRow {
            dim: self.dim,
            indices: &self.indices[span.clone()],
            values: &self.values[span],
        }
    }

    fn values_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.offsets[i]..self.offsets[i + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_checked_before_they_are_stored() {
        let mut rows = CsrRows::new(5);
        rows.push(&[0, 3], &[1.0, -2.0]).unwrap();
        rows.push(&[], &[]).unwrap();
        let before = rows.clone();
        // By `SparseRow::new`, whose tests have every kind of fault.
        for (index, value) in [(5, 1.0), (1, f64::NAN)] {
            assert!(rows.push(&[index], &[value]).is_err());
            assert_eq!(rows, before);
        }
        assert_eq!(rows.len(), 2);
        assert_eq!(rows.row(0).indices, [0, 3]);
        assert_eq!((rows.row(0).values, rows.row(1).values.len()), (&[1.0, -2.0][..], 0));
    }

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

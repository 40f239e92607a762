//! NumPy arrays of two dimensions.

use super::DataError;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Row-major numbers with their shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array2 {
    /// Row after row.
    pub values: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

impl Array2 {
    /// Row `i`.
    ///
    /// # Panics
    /// If `i >= self.rows`, like slice indexing.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }
}

/// Reads a two-dimensional array of integers or floats and checks that all are finite.
///
/// # Errors
/// Names the file, and row and column of a value that is not finite.
pub fn read_npy(path: &Path) -> Result<Array2, DataError> {
    let file = File::open(path).map_err(DataError::io(path))?;
    let size = file.metadata().map_err(DataError::io(path))?.len();
    let npy = npyz::NpyFile::new(BufReader::new(file)).map_err(DataError::io(path))?;
    let (shape, order) = (npy.shape().to_vec(), npy.order());
    let &[rows, columns] = shape.as_slice() else {
        return Err(DataError::shape(path, format!("shape {shape:?}, expected two dimensions")));
    };
    // A header may promise anything: every value takes at least one byte of the file.
    if rows.checked_mul(columns).is_none_or(|count| count > size) {
        let problem = format!("shape {shape:?} promises more values than the file holds");
        return Err(DataError::shape(path, problem));
    }
    if order != npyz::Order::C {
        return Err(DataError::shape(path, "Fortran order, expected C order"));
    }
    let kind = npy.dtype().descr();
    let io = DataError::io(path);
    let values: Vec<f64> = match kind.trim_matches(['\'', '<', '=', '|', '"']) {
        "f8" => npy.into_vec::<f64>().map_err(io)?,
        "f4" => npy.into_vec::<f32>().map_err(io)?.into_iter().map(f64::from).collect(),
        "i8" => npy.into_vec::<i64>().map_err(io)?.into_iter().map(|v| v as f64).collect(),
        "i4" => npy.into_vec::<i32>().map_err(io)?.into_iter().map(f64::from).collect(),
        "u1" => npy.into_vec::<u8>().map_err(io)?.into_iter().map(f64::from).collect(),
        other => {
            let problem = format!("type {other}, expected f8, f4, i8, i4 or u1");
            return Err(DataError::shape(path, problem));
        }
    };
    let (rows, columns) = (rows as usize, columns as usize);
    if values.len() != rows * columns {
        let problem = format!("{} values, expected {rows} x {columns}", values.len());
        return Err(DataError::shape(path, problem));
    }
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let (row, field) = (at / columns + 1, at % columns + 1);
        return Err(DataError::field(path, row, field, format!("{} is not finite", values[at])));
    }
    Ok(Array2 { values, rows, columns })
}

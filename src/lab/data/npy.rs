//! NumPy arrays of two dimensions.

use super::DataError;
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
/// The format is a short text header before the raw numbers; a header may promise anything, so
/// what it says is held against the bytes that are there.
///
/// # Errors
/// Names the file, and row and column of a value that is not finite.
pub fn read_npy(path: &Path) -> Result<Array2, DataError> {
    let bytes = std::fs::read(path).map_err(DataError::io(path))?;
    let header = Header::parse(&bytes).map_err(|problem| DataError::shape(path, problem))?;
    let (rows, columns, data) = (header.rows, header.columns, header.data);
    let convert: fn(&[u8]) -> f64 = match header.kind {
        "<f8" => |b| f64::from_le_bytes(array(b)),
        "<f4" => |b| f32::from_le_bytes(array(b)).into(),
        "<i8" => |b| i64::from_le_bytes(array(b)) as f64,
        "<i4" => |b| i32::from_le_bytes(array(b)).into(),
        "|u1" => |b| b[0].into(),
        other => {
            let problem = format!("type {other:?}, expected <f8, <f4, <i8, <i4 or |u1");
            return Err(DataError::shape(path, problem));
        }
    };
    let width: usize = header.kind[2..].parse().expect("one of the kinds above");
    let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(width));
    if needed != Some(data.len()) {
        let problem =
            format!("shape ({rows}, {columns}) of {width} bytes does not fit {} bytes", data.len());
        return Err(DataError::shape(path, problem));
    }
    let values: Vec<f64> = data.chunks_exact(width).map(convert).collect();
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let (row, field) = (at / columns + 1, at % columns + 1);
        return Err(DataError::field(path, row, field, format!("{} is not finite", values[at])));
    }
    Ok(Array2 { values, rows, columns })
}

/// The first bytes as a fixed array; callers cut chunks of the right width.
fn array<const W: usize>(bytes: &[u8]) -> [u8; W] {
    bytes.try_into().expect("a chunk of this width")
}

struct Header<'a> {
    kind: &'a str,
    rows: usize,
    columns: usize,
    data: &'a [u8],
}

impl<'a> Header<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("not a NumPy array")?;
        let (length, rest) = match rest {
            [1, _, a, b, rest @ ..] => (u16::from_le_bytes([*a, *b]) as usize, rest),
            [2 | 3, _, a, b, c, d, rest @ ..] => {
                (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest)
            }
            _ => return Err("unknown version of the NumPy format".into()),
        };
        let (text, data) = rest.split_at_checked(length).ok_or("the header is cut off")?;
        let text = std::str::from_utf8(text).map_err(|_| "the header is not text")?;
        let after = |key: &str| {
            let at = text.find(key).ok_or_else(|| format!("the header has no {key}"))?;
            Ok::<_, String>(text[at + key.len()..].trim_start_matches([':', ' ']))
        };
        if !after("'fortran_order'")?.starts_with("False") {
            return Err("Fortran order, expected C order".into());
        }
        let kind = after("'descr'")?.trim_start_matches('\'');
        let kind = kind.split('\'').next().unwrap_or_default();
        let shape = after("'shape'")?.trim_start_matches('(').split(')').next().unwrap_or_default();
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let sizes: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
        match sizes.as_deref() {
            Some(&[rows, columns]) => Ok(Header { kind, rows, columns, data }),
            _ => Err(format!("shape ({shape}), expected two dimensions")),
        }
    }
}

//! NumPy arrays of two dimensions.

use super::DataError;
use super::open::Opened;
use std::path::Path;
use thiserror::Error;

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
    #[must_use]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }
}

/// Reads a two-dimensional array of integers or floats and checks that all are finite. Returns the
/// `SHA-256` of the file as well.
///
/// The format is a short text header before the raw numbers; a header may promise anything, so
/// what it says is held against the bytes that are there.
///
/// # Errors
/// Names the file, and row and column of a value that is not finite.
pub fn read_npy(path: &Path) -> Result<(Array2, String), DataError> {
    let (bytes, sha256) = Opened::bytes(path)?;
    Ok((parse(path, &bytes)?, sha256))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Array2, DataError> {
    let header = Header::parse(bytes).map_err(|e| DataError::shape(path, e.to_string()))?;
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

/// Why a header cannot be read.
#[derive(Debug, Error)]
enum HeaderFault {
    #[error("not a NumPy array")]
    Magic,
    #[error("unknown version of the NumPy format")]
    Version,
    #[error("the header is cut off")]
    Cut,
    #[error("the header is not text")]
    NotText,
    #[error("the header has no {0}")]
    NoKey(&'static str),
    #[error("Fortran order, expected C order")]
    Fortran,
    #[error("shape ({0}), expected two dimensions")]
    Dimensions(String),
}

impl<'a> Header<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, HeaderFault> {
        let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or(HeaderFault::Magic)?;
        let (length, rest) = match rest {
            [1, _, a, b, rest @ ..] => (u16::from_le_bytes([*a, *b]) as usize, rest),
            [2 | 3, _, a, b, c, d, rest @ ..] => {
                (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest)
            }
            _ => return Err(HeaderFault::Version),
        };
        let (text, data) = rest.split_at_checked(length).ok_or(HeaderFault::Cut)?;
        let text = std::str::from_utf8(text).map_err(|_| HeaderFault::NotText)?;
        let after = |key: &'static str| {
            let at = text.find(key).ok_or(HeaderFault::NoKey(key))?;
            Ok::<_, HeaderFault>(text[at + key.len()..].trim_start_matches([':', ' ']))
        };
        if !after("'fortran_order'")?.starts_with("False") {
            return Err(HeaderFault::Fortran);
        }
        let kind = after("'descr'")?.trim_start_matches('\'');
        let kind = kind.split('\'').next().unwrap_or_default();
        let shape = after("'shape'")?.trim_start_matches('(').split(')').next().unwrap_or_default();
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let sizes: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
        match sizes.as_deref() {
            Some(&[rows, columns]) => Ok(Header { kind, rows, columns, data }),
            _ => Err(HeaderFault::Dimensions(shape.into())),
        }
    }
}

//! The svmlight format, plain or gzipped: `label index:value index:value ..` a line.
//!
//! Indices count from 1. A comment runs from `#` to the end of its line; blank lines are skipped.

use super::DataError;
use crate::problem::CsrRows;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The longest line that is read: far beyond any document, and a bound on what a file without
/// line breaks can make this allocate.
const MAX_LINE: u64 = 1 << 24;

/// Sparse inputs with their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// The inputs.
    pub rows: CsrRows,
    /// `labels[i]` belongs to row `i`.
    pub labels: Vec<usize>,
}

/// Reads `path` (gzipped if its content says so) with `dim` features and labels `0..classes`.
///
/// # Errors
/// Names file, row and field.
pub fn read_svmlight(path: &Path, dim: usize, classes: usize) -> Result<Labelled, DataError> {
    let file = File::open(path).map_err(DataError::io(path))?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let magic = reader.fill_buf().map_err(DataError::io(path))?;
    if magic.starts_with(&[0x1f, 0x8b]) {
        let reader = BufReader::with_capacity(1 << 18, MultiGzDecoder::new(reader));
        parse(path, reader, dim, classes)
    } else {
        parse(path, reader, dim, classes)
    }
}

fn parse(
    path: &Path,
    mut reader: impl BufRead,
    dim: usize,
    classes: usize,
) -> Result<Labelled, DataError> {
    let mut labelled = Labelled { rows: CsrRows::new(dim), labels: Vec::new() };
    let (mut line, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for row in 1.. {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(DataError::io(path))? == 0 {
            break;
        }
        if line.len() as u64 == MAX_LINE {
            return Err(DataError::field(path, row, 1, format!("longer than {MAX_LINE} bytes")));
        }
        let text = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty());
        let Some(label) = fields.next() else { continue };
        let label = parse_label(label, classes).map_err(|p| DataError::field(path, row, 1, p))?;
        indices.clear();
        values.clear();
        for (position, field) in fields.enumerate() {
            let (index, value) = parse_entry(field, dim)
                .map_err(|problem| DataError::field(path, row, position + 2, problem))?;
            indices.push(index);
            values.push(value);
        }
        labelled.rows.push(&indices, &values).map_err(|source| DataError::Row {
            path: path.to_owned(),
            row,
            source,
        })?;
        labelled.labels.push(label);
    }
    if labelled.labels.is_empty() {
        return Err(DataError::shape(path, "no rows"));
    }
    Ok(labelled)
}

fn parse_label(field: &[u8], classes: usize) -> Result<usize, String> {
    let label: Option<usize> = text(field).and_then(|t| t.parse().ok());
    label
        .filter(|&label| label < classes)
        .ok_or_else(|| format!("{:?} is not a label, expected 0..{classes}", lossy(field)))
}

fn parse_entry(field: &[u8], dim: usize) -> Result<(u32, f64), String> {
    let expected = || format!("{:?} is not index:value", lossy(field));
    let colon = field.iter().position(|&b| b == b':').ok_or_else(expected)?;
    let index: Option<usize> = text(&field[..colon]).and_then(|t| t.parse().ok());
    let value: Option<f64> = text(&field[colon + 1..]).and_then(|t| t.parse().ok());
    let (Some(index), Some(value)) = (index, value) else { return Err(expected()) };
    if index == 0 || index > dim {
        return Err(format!("index {index} is outside 1..={dim}"));
    }
    if !value.is_finite() {
        return Err(format!("value {value} is not finite"));
    }
    Ok((index as u32 - 1, value))
}

fn text(field: &[u8]) -> Option<&str> {
    std::str::from_utf8(field).ok()
}

/// At most a few characters of what was found, for a message.
fn lossy(field: &[u8]) -> String {
    String::from_utf8_lossy(&field[..field.len().min(40)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(text: &[u8]) -> Result<Labelled, DataError> {
        parse(Path::new("x.svm"), text, 5, 3)
    }

    #[test]
    fn rows_labels_comments_and_blank_lines() {
        let data = read(b"0 1:0.5 5:-2 # a comment\n\n2\n1 2:1e-3\r\n").unwrap();
        assert_eq!(data.labels, [0, 2, 1]);
        assert_eq!(data.rows.row(0).indices(), [0, 4]);
        assert_eq!(data.rows.row(0).values(), [0.5, -2.0]);
        assert_eq!(data.rows.row(1).values(), [] as [f64; 0]);
        assert_eq!(data.rows.row(2).values(), [1e-3]);
    }

    #[test]
    fn errors_say_where() {
        let message = |text: &[u8]| read(text).unwrap_err().to_string();
        assert!(message(b"0 1:1\n3 1:1\n").contains("x.svm: row 2, field 1: \"3\""));
        assert!(message(b"0 1:1 0:1\n").contains("row 1, field 3: index 0"));
        assert!(message(b"0 6:1\n").contains("index 6 is outside 1..=5"));
        assert!(message(b"0 1:nan\n").contains("not finite"));
        assert!(message(b"0 1:1e999\n").contains("not finite"));
        assert!(message(b"0 1\n").contains("field 2: \"1\" is not index:value"));
        assert!(message(b"0 1:x\n").contains("not index:value"));
        assert!(message(b"0 2:1 1:1\n").contains("row 1: feature indices must increase"));
        assert!(message(b"\xff 1:1\n").contains("field 1"));
        assert!(message(b"").contains("no rows"));
    }

    #[test]
    fn gzip_is_recognised_by_content_and_a_cut_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.bin");
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"1 1:1\n0 2:2\n").unwrap();
        let bytes = gz.finish().unwrap();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read_svmlight(&path, 5, 2).unwrap().labels, [1, 0]);
        std::fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
        let message = read_svmlight(&path, 5, 2).unwrap_err().to_string();
        assert!(message.contains("data.bin"), "{message}");
        assert!(read_svmlight(&folder.path().join("none"), 5, 2).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic() {
        fn property(bytes: Vec<u8>) -> bool {
            let _ = read(&bytes);
            let mut near_valid = b"0 1:0.5 2:".to_vec();
            near_valid.extend(bytes);
            read(&near_valid).is_ok() || read(&near_valid).is_err()
        }
        quickcheck::quickcheck(property as fn(Vec<u8>) -> bool);
    }
}

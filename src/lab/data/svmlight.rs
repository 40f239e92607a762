//! The svmlight format, plain or gzipped: `label index:value index:value ..` a line.
//!
//! Indices count from 1. A comment runs from `#` to the end of its line; blank lines are skipped.
//! The text is read block by block: while one is parsed the next is read and unpacked.

use super::DataError;
use super::open::Opened;
use crate::data::CsrRows;
use crate::limits;
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// How much text is parsed at a time. A longer line is refused, so this also bounds what a file
/// without line breaks can make this allocate.
const BLOCK: usize = limits::LINE_BYTES.most as usize;

/// Text for one task; smaller ones cost more to hand out than to parse.
const PIECE: usize = 1 << 18;

/// Sparse inputs with their labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Labelled {
    /// The inputs.
    pub rows: CsrRows,
    /// `labels[i]` belongs to row `i`.
    pub labels: Vec<usize>,
    /// `SHA-256` of the file as it is on the disk.
    pub sha256: String,
}

/// Reads `path` (gzipped if its content says so) with `dim` features and labels `0..classes`.
///
/// # Errors
/// Names file, row and field.
pub(crate) fn read_svmlight(
    path: &Path,
    dim: usize,
    classes: usize,
) -> Result<Labelled, DataError> {
    limits::FEATURES.check(dim as u64).map_err(DataError::limit(path))?;
    let mut file = Opened::new(path)?;
    let (rows, labels) = parse(path, &mut file, dim, classes)?;
    Ok(Labelled { rows, labels, sha256: file.sha256()? })
}

fn parse(
    path: &Path,
    reader: &mut (impl Read + Send),
    dim: usize,
    classes: usize,
) -> Result<(CsrRows, Vec<usize>), DataError> {
    let mut rows = CsrRows::new(dim);
    let mut labels = Vec::new();
    let mut lines = 0;
    let (mut block, mut rest) = next_block(path, reader, Vec::new(), lines)?;
    while !block.is_empty() {
        let (following, parts) = if block.len() <= PIECE {
            let parts = vec![Part::parse(&block, dim, classes)];
            (next_block(path, reader, std::mem::take(&mut rest), lines), parts)
        } else {
            let parts = || pieces(&block).into_par_iter().map(|p| Part::parse(p, dim, classes));
            rayon::join(
                || next_block(path, reader, std::mem::take(&mut rest), lines),
                || parts().collect::<Vec<_>>(),
            )
        };
        for part in parts {
            part.append(path, &mut lines, &mut rows, &mut labels)?;
        }
        (block, rest) = following?;
    }
    if labels.is_empty() {
        return Err(DataError::shape(path, "no rows"));
    }
    Ok((rows, labels))
}

/// Whole lines that begin with `start`, and the beginning of the line after them.
fn next_block(
    path: &Path,
    reader: &mut impl Read,
    start: Vec<u8>,
    lines: usize,
) -> Result<(Vec<u8>, Vec<u8>), DataError> {
    let mut block = start;
    let wanted = (BLOCK + 1).saturating_sub(block.len()) as u64;
    let read = reader.by_ref().take(wanted).read_to_end(&mut block).map_err(DataError::io(path))?;
    if (read as u64) < wanted {
        return Ok((block, Vec::new()));
    }
    match block.iter().rposition(|&b| b == b'\n') {
        Some(at) => {
            let rest = block.split_off(at + 1);
            Ok((block, rest))
        }
        None => {
            let problem = |e| DataError::shape(path, format!("a line after row {lines} has {e}"));
            limits::LINE_BYTES.check(block.len() as u64).map_err(problem)?;
            Ok((block, Vec::new()))
        }
    }
}

/// Cuts a block after line ends into pieces of about [`PIECE`] bytes.
fn pieces(mut block: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while block.len() > PIECE {
        let end = block[PIECE..].iter().position(|&b| b == b'\n');
        let (piece, after) = block.split_at(end.map_or(block.len(), |end| PIECE + end + 1));
        pieces.push(piece);
        block = after;
    }
    pieces.push(block);
    pieces
}

/// What is read of one piece, up to the first fault.
#[derive(Default)]
struct Part {
    lines: usize,
    labels: Vec<usize>,
    /// Line of each row, and how many entries it has.
    rows: Vec<(usize, usize)>,
    indices: Vec<u32>,
    values: Vec<f64>,
    fault: Option<(usize, usize, FieldFault)>,
}

impl Part {
    fn parse(text: &[u8], dim: usize, classes: usize) -> Part {
        let mut part = Part::default();
        for line in text.split_inclusive(|&b| b == b'\n') {
            part.lines += 1;
            if let Err((field, problem)) = part.line(line, dim, classes) {
                part.fault = Some((part.lines, field, problem));
                break;
            }
        }
        part
    }

    fn line(&mut self, line: &[u8], dim: usize, classes: usize) -> Result<(), (usize, FieldFault)> {
        let text = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty());
        let Some(label) = fields.next() else { return Ok(()) };
        let label = parse_label(label, classes).map_err(|problem| (1, problem))?;
        let before = self.indices.len();
        for (position, field) in fields.enumerate() {
            let (index, value) =
                parse_entry(field, dim).map_err(|problem| (position + 2, problem))?;
            self.indices.push(index);
            self.values.push(value);
        }
        self.labels.push(label);
        self.rows.push((self.lines, self.indices.len() - before));
        Ok(())
    }

    fn append(
        self,
        path: &Path,
        lines: &mut usize,
        rows: &mut CsrRows,
        labels: &mut Vec<usize>,
    ) -> Result<(), DataError> {
        let mut at = 0;
        for &(line, entries) in &self.rows {
            let span = at..at + entries;
            at += entries;
            rows.push(&self.indices[span.clone()], &self.values[span]).map_err(|source| {
                DataError::Row { path: path.to_owned(), row: *lines + line, source }
            })?;
        }
        if let Some((line, field, problem)) = self.fault {
            return Err(DataError::field(path, *lines + line, field, problem.to_string()));
        }
        labels.extend(self.labels);
        *lines += self.lines;
        Ok(())
    }
}

/// What is wrong with a field.
#[derive(Debug, Error)]
enum FieldFault {
    #[error("{found:?} is not a label, expected 0..{classes}")]
    Label { found: String, classes: usize },
    #[error("{found:?} is not index:value")]
    Entry { found: String },
    #[error("index {index} is outside 1..={dim}")]
    Index { index: usize, dim: usize },
    #[error("value {value} is not finite")]
    Value { value: f64 },
}

fn parse_label(field: &[u8], classes: usize) -> Result<usize, FieldFault> {
    let label: Option<usize> = text(field).and_then(|t| t.parse().ok());
    label
        .filter(|&label| label < classes)
        .ok_or_else(|| FieldFault::Label { found: lossy(field), classes })
}

fn parse_entry(field: &[u8], dim: usize) -> Result<(u32, f64), FieldFault> {
    let expected = || FieldFault::Entry { found: lossy(field) };
    let colon = field.iter().position(|&b| b == b':').ok_or_else(expected)?;
    let index: Option<usize> = text(&field[..colon]).and_then(|t| t.parse().ok());
    let value: Option<f64> = text(&field[colon + 1..]).and_then(|t| t.parse().ok());
    let (Some(index), Some(value)) = (index, value) else { return Err(expected()) };
    if index == 0 || index > dim {
        return Err(FieldFault::Index { index, dim });
    }
    if !value.is_finite() {
        return Err(FieldFault::Value { value });
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

    fn read(mut text: &[u8]) -> Result<(CsrRows, Vec<usize>), DataError> {
        parse(Path::new("x.svm"), &mut text, 5, 3)
    }

    #[test]
    fn rows_labels_comments_and_blank_lines() {
        let (rows, labels) = read(b"0 1:0.5 5:-2 # a comment\n\n2\n1 2:1e-3\r\n").unwrap();
        assert_eq!(labels, [0, 2, 1]);
        assert_eq!(rows.row(0).indices, [0, 4]);
        assert_eq!(rows.row(0).values, [0.5, -2.0]);
        assert_eq!(rows.row(1).values, [] as [f64; 0]);
        assert_eq!(rows.row(2).values, [1e-3]);
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
    fn more_features_than_memory_holds_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.svm");
        std::fs::write(&path, "0 1:1\n").unwrap();
        let message = read_svmlight(&path, 4_000_000_000, 2).unwrap_err().to_string();
        assert!(message.contains("4000000000 features (dim): at most 16777216"), "{message}");
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

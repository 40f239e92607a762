//! Plain text: one label a line, or one row of answers a line.

use super::classes::NotAClass;
use super::open::Opened;
use super::{Classes, DataError};
use std::path::Path;

/// What every annotator (inner) answered to every question.
pub(crate) type Answers = Vec<Vec<Option<usize>>>;

/// One label in `0..classes` a line, and the `SHA-256` of the file.
///
/// # Errors
/// Names file, row and field.
pub(crate) fn read_labels(path: &Path, classes: usize) -> Result<(Vec<usize>, String), DataError> {
    let (text, sha256) = Opened::text(path)?;
    let classes = Classes::Count(classes);
    let mut labels = Vec::new();
    for (row, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let label = classes.parse(line.trim());
        labels.push(label.map_err(|e| DataError::field(path, row + 1, 1, e.to_string()))?);
    }
    Ok((labels, sha256))
}

/// One row a line, separated by white space or commas: the answer of each annotator in
/// `0..classes`, or -1 (or nothing between two commas) from whoever did not answer. All rows have
/// the same length. Returns the `SHA-256` of the file as well.
///
/// # Errors
/// Names file, row and field.
pub(crate) fn read_answers(path: &Path, classes: usize) -> Result<(Answers, String), DataError> {
    let (text, sha256) = Opened::text(path)?;
    let classes = Classes::Count(classes);
    let mut rows: Answers = Vec::new();
    for (row, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = match line.contains(',') {
            true => line.split(',').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        let mut answers = Vec::with_capacity(fields.len());
        for (field, text) in fields.iter().enumerate() {
            let answer = classes.parse_answer(text);
            let at = |e: NotAClass| DataError::field(path, row + 1, field + 1, e.to_string());
            answers.push(answer.map_err(at)?);
        }
        if let Some(expected) = rows.first().map(Vec::len).filter(|&n| n != answers.len()) {
            let problem = format!("{} answers, expected {expected}", answers.len());
            return Err(DataError::field(path, row + 1, answers.len().min(expected) + 1, problem));
        }
        rows.push(answers);
    }
    Ok((rows, sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file<T>(text: &str, f: impl FnOnce(&Path) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.txt");
        std::fs::write(&path, text).unwrap();
        f(&path)
    }

    #[test]
    fn missing_answers_are_nobody() {
        let rows = with_file("-1 0 2\n1 -1 -1\n\n", |p| read_answers(p, 3)).unwrap().0;
        assert_eq!(rows, [[None, Some(0), Some(2)], [Some(1), None, None]]);
        let rows = with_file("1,,0\n-1, 2,1\n", |p| read_answers(p, 3)).unwrap().0;
        assert_eq!(rows, [[Some(1), None, Some(0)], [None, Some(2), Some(1)]]);
        assert_eq!(with_file("0\n2\n", |p| read_labels(p, 3)).unwrap().0, [0, 2]);
    }

    #[test]
    fn errors_say_where() {
        let answers = |text| with_file(text, |p| read_answers(p, 3)).unwrap_err().to_string();
        assert!(answers("0 1\n0 3\n").contains("answers.txt: row 2, field 2: \"3\""));
        assert!(answers("0 1\n0\n").contains("row 2, field 2: 1 answers, expected 2"));
        assert!(answers("0 x\n").contains("row 1, field 2"));
        assert!(answers("0 -2\n").contains("\"-2\" is not a class, expected 0..3, or nothing"));
        let labels = with_file("0\nx\n", |p| read_labels(p, 3)).unwrap_err().to_string();
        assert!(labels.contains("row 2, field 1: \"x\""), "{labels}");
    }
}

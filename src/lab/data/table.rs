//! A table of one's own: a CSV file with inputs, labels and the answers of experts.

use super::open::Opened;
use super::{Classes, DataError};
use crate::data::{CsrRows, DenseRows, Inputs};
use learner::nearest;
use problem::{ProblemError, hash_text};
use std::path::Path;

/// Inputs, labels and answers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answered {
    /// The inputs.
    pub inputs: Inputs,
    /// `labels[i]` belongs to input `i`.
    pub labels: Vec<usize>,
    /// What each expert answered, or that it was not there.
    pub answers: Vec<Vec<Option<usize>>>,
    /// What the experts are called; nothing where they have no names.
    pub experts: Vec<String>,
}

/// Which columns of a table mean what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    /// The true class.
    pub label: &'a str,
    /// One column per expert; `ann*` is every column whose name begins so.
    pub experts: &'a [String],
    /// The input; all other columns without it, or none if there is a text.
    pub features: Option<&'a [String]>,
    /// A text, and the dimension that it is hashed into.
    pub text: Option<(&'a str, usize)>,
}

/// Reads a CSV file with a header line, gzipped if its content says so. An empty answer, or `-1`,
/// means that the expert was not available. Returns the `SHA-256` of the file as well.
///
/// # Errors
/// Names file, row (line of the file) and field (column).
pub(crate) fn read_table(
    path: &Path,
    columns: Columns<'_>,
    classes: &Classes,
) -> Result<(Answered, String), DataError> {
    let (text, sha256) = Opened::text(path)?;
    Ok((parse(path, &text, columns, classes)?, sha256))
}

fn parse(
    path: &Path,
    text: &str,
    columns: Columns<'_>,
    classes: &Classes,
) -> Result<Answered, DataError> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    let said = |e: csv::Error| DataError::shape(path, in_words(&e));
    let header = reader.headers().map_err(said)?.clone();
    check_header(path, &header)?;
    let Places { label, experts, features, text } = Places::find(path, &header, columns)?;
    let listed = columns.features.is_some();
    let mut inputs = match columns.text {
        Some((_, dim)) => Inputs::Sparse(CsrRows::new(features.len() + dim)),
        None => Inputs::Dense(DenseRows::new(features.len())),
    };
    let (mut labels, mut answers) = (Vec::new(), Vec::new());
    let mut record = csv::StringRecord::new();
    let mut x = Vec::with_capacity(features.len());
    while reader.read_record(&mut record).map_err(said)? {
        let row = record.position().map_or(0, |p| p.line() as usize);
        let at = |column: usize, problem: String| {
            let name = header.get(column).unwrap_or_default();
            DataError::field(path, row, column + 1, format!("column `{name}`: {problem}"))
        };
        let cell = |column: usize| record.get(column).unwrap_or_default();
        x.clear();
        for &column in &features {
            let value: Option<f64> = cell(column).parse().ok().filter(|v: &f64| v.is_finite());
            x.push(value.ok_or_else(|| {
                let found: String = cell(column).chars().take(40).collect();
                let hint =
                    if listed { "" } else { "; say which columns are the input (`features`)" };
                at(column, format!("{found:?} is not a finite number{hint}"))
            })?);
        }
        let text = text.map(|(column, dim)| (cell(column), dim));
        push(&mut inputs, &x, text).map_err(|source| DataError::Row {
            path: path.into(),
            row,
            source,
        })?;
        labels.push(classes.parse(cell(label)).map_err(|e| at(label, e.to_string()))?);
        let answer = |&column: &usize| {
            classes.parse_answer(cell(column)).map_err(|e| at(column, e.to_string()))
        };
        answers.push(experts.iter().map(answer).collect::<Result<Vec<_>, _>>()?);
    }
    if labels.is_empty() {
        return Err(DataError::shape(path, "no rows under the header"));
    }
    let name = |&at: &usize| header.get(at).unwrap_or_default().to_string();
    let experts = experts.iter().map(name).collect();
    Ok(Answered { inputs, labels, answers, experts })
}

/// What the reader objects to, with what to do about a row of the wrong length.
fn in_words(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => format!(
            "row {}: {len} fields, expected {expected_len} as in the header (a comma inside a field needs \
             quotes around it)",
            pos.as_ref().map_or(0, csv::Position::line)
        ),
        _ => error.to_string(),
    }
}

/// Refuses what no choice of columns can mend: nothing at all, another separator, a name twice.
fn check_header(path: &Path, header: &csv::StringRecord) -> Result<(), DataError> {
    if header.iter().all(str::is_empty) {
        let problem = "the file is empty; expected a header line with the names of the columns, then one \
                       row for each round";
        return Err(DataError::shape(path, problem));
    }
    if let (1, Some(line)) = (header.len(), header.get(0))
        && let Some(separator) = [';', '\t', '|'].into_iter().find(|s| line.contains(*s))
    {
        let problem = format!(
            "columns look separated by {separator:?}; expected commas: save the file as CSV with commas"
        );
        return Err(DataError::shape(path, problem));
    }
    for (i, name) in header.iter().enumerate() {
        if let Some(first) = header.iter().take(i).position(|other| other == name) {
            let (first, second) = (first + 1, i + 1);
            let problem = format!(
                "two columns are called `{name}` (columns {first} and {second}); expected different names"
            );
            return Err(DataError::shape(path, problem));
        }
    }
    Ok(())
}

/// The columns of the input, then the places of its text.
fn push(inputs: &mut Inputs, x: &[f64], text: Option<(&str, usize)>) -> Result<(), ProblemError> {
    match (inputs, text) {
        (Inputs::Sparse(rows), Some((text, dim))) => {
            let (mut indices, mut values): (Vec<u32>, Vec<f64>) =
                (0u32..).zip(x).filter(|(_, value)| **value != 0.0).unzip();
            let (places, hashed) = hash_text(text, dim)?;
            // A file has far fewer columns than an index has room for.
            indices.extend(places.iter().map(|place| x.len() as u32 + place));
            values.extend(hashed);
            rows.push(&indices, &values)
        }
        (Inputs::Dense(rows), _) => rows.push(x),
        (Inputs::Sparse(_), None) => Ok(()),
    }
}

/// Positions of the columns.
struct Places {
    label: usize,
    experts: Vec<usize>,
    features: Vec<usize>,
    /// Where the text stands, and its dimension.
    text: Option<(usize, usize)>,
}

impl Places {
    fn find(
        path: &Path,
        header: &csv::StringRecord,
        columns: Columns<'_>,
    ) -> Result<Self, DataError> {
        let place = |name: &str| {
            let mut found = header.iter().enumerate().filter(|(_, column)| *column == name);
            match (found.next(), found.next()) {
                (Some((at, _)), None) => Ok(at),
                (None, _) => {
                    let known: Vec<&str> = header.iter().take(20).collect();
                    let same = |column: &&str| column.eq_ignore_ascii_case(name);
                    let near = header.iter().find(same).or_else(|| nearest(name, header.iter()));
                    let hint =
                        near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
                    let known = known.join(", ");
                    Err(DataError::shape(
                        path,
                        format!("there is no column `{name}`{hint}; the first line has {known}"),
                    ))
                }
                _ => Err(DataError::shape(path, format!("two columns are called `{name}`"))),
            }
        };
        let each = |name: &String| -> Result<Vec<usize>, DataError> {
            let exact = header.iter().any(|column| column == name);
            let Some((start, end)) = name.split_once('*').filter(|_| !exact) else {
                return Ok(vec![place(name)?]);
            };
            let fits = |column: &str| {
                column.len() >= start.len() + end.len()
                    && column.starts_with(start)
                    && column.ends_with(end)
            };
            let found: Vec<usize> = (0..header.len()).filter(|&c| fits(&header[c])).collect();
            if found.is_empty() {
                let problem = format!("there is no column whose name is like `{name}`");
                return Err(DataError::shape(path, problem));
            }
            Ok(found)
        };
        let all = |names: &[String]| -> Result<Vec<usize>, DataError> {
            names.iter().try_fold(Vec::new(), |mut all, name| {
                all.extend(each(name)?);
                Ok(all)
            })
        };
        let (label, experts) = (place(columns.label)?, all(columns.experts)?);
        let text = match columns.text {
            Some((name, dim)) => Some((place(name)?, dim)),
            None => None,
        };
        let features = match columns.features {
            Some(names) => all(names)?,
            None if text.is_some() => Vec::new(),
            None => (0..header.len()).filter(|c| *c != label && !experts.contains(c)).collect(),
        };
        for (i, expert) in experts.iter().enumerate() {
            if *expert == label || experts[..i].contains(expert) || features.contains(expert) {
                let name = &header[experts[i]];
                let problem =
                    format!("column `{name}` of an expert is used for something else too");
                return Err(DataError::shape(path, problem));
            }
        }
        if features.contains(&label) {
            let problem = format!("the label column `{}` is also a feature", columns.label);
            return Err(DataError::shape(path, problem));
        }
        if let (Some((at, _)), Some((name, _))) = (text, columns.text)
            && (at == label || experts.contains(&at) || features.contains(&at))
        {
            let problem = format!("the text column `{name}` is used for something else too");
            return Err(DataError::shape(path, problem));
        }
        Ok(Places { label, experts, features, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, experts: &[&str], classes: Classes) -> Result<Answered, DataError> {
        let experts: Vec<String> = experts.iter().map(|e| e.to_string()).collect();
        let columns = Columns { label: "truth", experts: &experts, features: None, text: None };
        parse(Path::new("t.csv"), text, columns, &classes)
    }

    #[test]
    fn columns_are_found_by_name() {
        let names = Classes::Names(vec!["cat".into(), "big dog".into()]);
        let text = "a,truth,ann,b,bob\n1,cat,,2e-1,\"big dog\"\n-3, big dog ,cat,4,-1\n";
        let table = read(text, &["bob", "ann"], names).unwrap();
        assert_eq!(table.labels, [0, 1]);
        assert_eq!(table.answers, [[Some(1), None], [None, Some(0)]]);
        assert_eq!(table.inputs.row(0).values(), [1.0, 0.2]);
        assert_eq!(table.inputs.row(1).values(), [-3.0, 4.0]);
    }

    #[test]
    fn a_star_stands_for_many_columns() {
        let text = "w2,x_a,truth,w1,x_b,id\n1.0,2,0,NaN,3,abc\n,5,1.0,0,7,def\n";
        let experts = ["w*".to_string()];
        let features = ["x_*".to_string()];
        let columns = |experts, features| Columns { label: "truth", experts, features, text: None };
        let read = |columns| parse(Path::new("t.csv"), text, columns, &Classes::Count(2));
        let table = read(columns(&experts, Some(&features))).unwrap();
        assert_eq!(table.experts, ["w2", "w1"]);
        assert_eq!(table.answers, [[Some(1), None], [None, Some(0)]]);
        assert_eq!(
            (table.inputs.row(1).values(), &table.labels[..]),
            (&[5.0, 7.0][..], &[0, 1][..])
        );
        let none = ["z*".to_string()];
        let message = |e| read(e).unwrap_err().to_string();
        assert!(message(columns(&none, None)).contains("no column whose name is like `z*`"));
        let whole = ["*".to_string()];
        assert!(message(columns(&whole, None)).contains("`truth` of an expert is used"));
        assert!(message(columns(&experts, None)).contains("say which columns are the input"));
    }

    #[test]
    fn a_text_becomes_places_behind_the_columns() {
        let names = ["ann".to_string()];
        let read = |text: &str, features: &[String], dim| {
            let columns = Columns {
                label: "truth",
                experts: &names,
                features: Some(features).filter(|f| !f.is_empty()),
                text: Some(("said", dim)),
            };
            parse(Path::new("t.csv"), text, columns, &Classes::Count(2))
        };
        let text = "id,said,truth,ann,a\n7,\"Good, good day\",0,1,2.5\n8,,1,,0\n";
        let (places, hashed) = hash_text("good good day", 64).unwrap();
        let only = read(text, &[], 64).unwrap();
        assert_eq!((only.inputs.dim(), only.inputs.row(0).values()), (64, &hashed[..]));
        assert!(only.inputs.row(1).values().is_empty());
        let both = read(text, &["a".into()], 64).unwrap();
        assert_eq!(both.inputs.dim(), 65);
        let mut seen = Vec::new();
        both.inputs.row(0).for_each(|j, v| seen.push((j, v)));
        let mut expected = vec![(0, 2.5)];
        expected.extend(places.iter().zip(&hashed).map(|(&p, &v)| (1 + p as usize, v)));
        assert_eq!(seen, expected);
        let message = |features: &[String], dim| read(text, features, dim).unwrap_err().to_string();
        assert!(message(&["said".into()], 64).contains("text column `said` is used for something"));
        assert_eq!(
            message(&[], 100),
            "t.csv: row 2: dim = 100: expected a power of two between 2 and 16777216 for hashed text"
        );
    }

    #[test]
    fn errors_say_where() {
        let m = |text: &str| read(text, &["ann"], Classes::Count(2)).unwrap_err().to_string();
        assert!(m("a,truth,ann\n1,0,1\n1,2,1\n").contains("t.csv: row 3, field 2: column `truth`"));
        assert!(m("a,truth,ann\nx,0,1\n").contains("column `a`: \"x\" is not a finite number"));
        assert!(m("a,truth,ann\ninf,0,1\n").contains("not a finite number"));
        assert!(m("a,truth,ann\n,0,1\n").contains("not a finite number"));
        assert!(m("a,truth,ann\n1,0,9\n").contains("column `ann`: \"9\" is not a class"));
        assert!(m("a,truth\n1,0\n").contains("no column `ann`; the first line has a, truth"));
        assert!(m("a,truth,ann,ann\n1,0,1,1\n").contains("two columns are called `ann`"));
        assert!(m("a,truth,ann\n1,0\n").contains("t.csv"));
        assert!(m("a,truth,ann\n").contains("no rows"));
        assert!(m("").contains("t.csv: the file is empty; expected a header line"));
        assert!(m("a;truth;ann\n1;0;1\n").contains("separated by ';'; expected commas"));
        assert!(m("a\ttruth\tann\n1\t0\t1\n").contains("separated by '\\t'"));
        assert!(m("a,Truth,ann\n1,0,1\n").contains("no column `truth`, did you mean `Truth`?"));
        assert!(m("a,truth,ann\n1,0,1\n1,0\n").contains("row 3: 2 fields, expected 3"));
        let names = Classes::Names(vec!["cat".into(), "dog".into()]);
        let case = read("a,truth,ann\n1,Cat,dog\n", &["ann"], names).unwrap_err().to_string();
        assert!(case.contains("did you mean \"cat\"? Capital and small letters differ"), "{case}");
        let wrong = |experts: &[&str]| {
            read("a,truth,ann\n1,0,1\n", experts, Classes::Count(2)).unwrap_err().to_string()
        };
        let twice = wrong(&["ann", "ann"]);
        assert!(twice.contains("something else"), "{twice}");
        let label = wrong(&["truth"]);
        assert!(label.contains("something else"), "{label}");
    }
}

//! Tables and figures as comma-separated values, numbers in full.

use super::{Cell, Exporter, Figure, Report, ReportTable};

/// `table-ID.csv` and `figure-ID.csv`.
pub(crate) struct Csv;

impl Exporter for Csv {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let tables = report.tables.iter().map(|t| (format!("table-{}.csv", t.id), table(t)));
        let figures = report.figures.iter().map(|f| (format!("figure-{}.csv", f.id), figure(f)));
        tables.chain(figures).collect()
    }
}

/// Fields with a comma, a quote or a line end are quoted.
fn text<R: IntoIterator<Item = Vec<String>>>(rows: R) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(&row).expect("rows of one length, written to memory");
    }
    let bytes = writer.into_inner().expect("written to memory");
    String::from_utf8(bytes).expect("made of strings")
}

/// Mean and deviation become two columns.
fn table(table: &ReportTable) -> String {
    let spread: Vec<bool> = (0..table.columns.len())
        .map(|c| table.rows.iter().any(|row| matches!(row[c], Cell::Spread { .. })))
        .collect();
    let mut head = Vec::new();
    for (column, &spread) in table.columns.iter().zip(&spread) {
        head.push(column.clone());
        head.extend(spread.then(|| format!("{column} (sd)")));
    }
    let fields = |row: &Vec<Cell>| {
        let mut fields = Vec::new();
        for (cell, &spread) in row.iter().zip(&spread) {
            let (value, sd) = match cell {
                Cell::Text(text) => (text.clone(), None),
                Cell::Number { value, .. } => (value.to_string(), None),
                Cell::Spread { mean, sd, .. } => (mean.to_string(), *sd),
                Cell::Missing => (String::new(), None),
            };
            fields.push(value);
            fields.extend(spread.then(|| sd.map_or(String::new(), |sd| sd.to_string())));
        }
        fields
    };
    text(std::iter::once(head).chain(table.rows.iter().map(fields)))
}

fn figure(figure: &Figure) -> String {
    let head = ["line", "x", "y", "low", "high"].map(String::from).to_vec();
    let rows = figure.lines.iter().flat_map(|line| {
        line.x.iter().zip(&line.y).enumerate().map(|(i, (x, y))| {
            let band = line.band.as_ref().map(|band| band[i]);
            let (low, high) =
                band.map_or_else(Default::default, |(l, h)| (l.to_string(), h.to_string()));
            vec![line.label.clone(), x.to_string(), y.to_string(), low, high]
        })
    });
    text(std::iter::once(head).chain(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_labels_come_back_as_they_were() {
        let labels = ["a,b", "say \"x\"", "two\nlines", "plain"];
        let rows = labels.iter().map(|l| vec![Cell::text(*l), Cell::spread(&[1.0, 2.0], 1)]);
        let made = table(&ReportTable {
            id: "t".into(),
            caption: String::new(),
            columns: vec!["who".into(), "how much".into()],
            rows: rows.collect(),
        });
        let mut reader = csv::Reader::from_reader(made.as_bytes());
        assert_eq!(reader.headers().unwrap().get(2), Some("how much (sd)"));
        let read: Vec<String> = reader.records().map(|r| r.unwrap()[0].to_string()).collect();
        assert_eq!(read, labels);
        assert!(made.ends_with("plain,1.5,0.7071067811865476\n"), "{made}");
    }
}

//! Tables and figures as comma-separated values, numbers in full.

use super::{Cell, Exporter, Figure, Report, Table};

/// `table-ID.csv` and `figure-ID.csv`.
pub struct Csv;

impl Exporter for Csv {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let tables = report.tables.iter().map(|t| (format!("table-{}.csv", t.id), table(t)));
        let figures = report.figures.iter().map(|f| (format!("figure-{}.csv", f.id), figure(f)));
        tables.chain(figures).collect()
    }
}

/// Mean and deviation become two columns.
fn table(table: &Table) -> String {
    let spread: Vec<bool> = (0..table.columns.len())
        .map(|c| table.rows.iter().any(|row| matches!(row[c], Cell::Spread { .. })))
        .collect();
    let mut head = Vec::new();
    for (column, &spread) in table.columns.iter().zip(&spread) {
        head.push(quote(column));
        head.extend(spread.then(|| quote(&format!("{column} (sd)"))));
    }
    let mut text = head.join(",") + "\n";
    for row in &table.rows {
        let mut fields = Vec::new();
        for (cell, &spread) in row.iter().zip(&spread) {
            let (value, sd) = match cell {
                Cell::Text(text) => (quote(text), None),
                Cell::Number { value, .. } => (value.to_string(), None),
                Cell::Spread { mean, sd, .. } => (mean.to_string(), *sd),
                Cell::Missing => (String::new(), None),
            };
            fields.push(value);
            fields.extend(spread.then(|| sd.map_or(String::new(), |sd| sd.to_string())));
        }
        text += &(fields.join(",") + "\n");
    }
    text
}

fn figure(figure: &Figure) -> String {
    let mut text = String::from("line,x,y,low,high\n");
    for line in &figure.lines {
        for (i, (x, y)) in line.x.iter().zip(&line.y).enumerate() {
            let band = line.band.as_ref().map(|band| band[i]);
            let band = band.map_or(",".into(), |(low, high)| format!("{low},{high}"));
            text += &format!("{},{x},{y},{band}\n", quote(&line.label));
        }
    }
    text
}

/// Quoted where a comma, a quote or a line end asks for it.
fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into()
}

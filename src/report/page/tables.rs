//! Tables of stored reports, cell by cell.

use super::number::{Shown, decimals};
use crate::{Cell, ReportTable};
use serde::Serialize;
use serde_json::Number;

/// A table as the template wants it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TableView {
    pub(super) id: String,
    /// JSON pointer of its rows.
    pub(super) base: String,
    pub(super) caption: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<CellView>>,
    /// Whether a published number stands beside ours.
    pub(super) published: bool,
}

/// A cell: words, or one number, or a mean and its standard deviation.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CellView {
    pub(super) text: Option<String>,
    pub(super) numbers: Vec<Shown>,
}

/// The `t`-th table of its report.
pub(super) fn view(table: &ReportTable, t: usize) -> TableView {
    let column = |c: usize| table.rows.iter().filter_map(move |row| row.get(c)).filter_map(main);
    let decimals: Vec<Option<usize>> =
        (0..table.columns.len()).map(|c| decimals(column(c))).collect();
    let rows = table.rows.iter().enumerate().map(|(r, row)| {
        let cell = |(c, cell): (usize, &Cell)| {
            let digits = decimals.get(c).copied().flatten();
            one(cell, &format!("{r}/{c}"), digits)
        };
        row.iter().enumerate().map(cell).collect()
    });
    TableView {
        id: table.id.clone(),
        base: format!("/tables/{t}/rows"),
        caption: table.caption.clone(),
        columns: table.columns.clone(),
        rows: rows.collect(),
        published: table.columns.iter().any(|c| c.contains("published")),
    }
}

/// The number that decides about decimals.
fn main(cell: &Cell) -> Option<f64> {
    let value = match cell {
        Cell::Number { value, .. } => *value,
        Cell::Spread { mean, .. } => *mean,
        Cell::Text(_) | Cell::Missing => return None,
    };
    value.is_finite().then_some(value)
}

fn one(cell: &Cell, at: &str, decimals: Option<usize>) -> CellView {
    let parts: [(&str, Option<f64>); 2] = match cell {
        Cell::Number { value, .. } => [("value", Some(*value)), ("", None)],
        Cell::Spread { mean, sd, .. } => [("mean", Some(*mean)), ("sd", *sd)],
        Cell::Text(_) | Cell::Missing => [("", None), ("", None)],
    };
    let number = |(key, value): (&str, Option<f64>)| {
        let value = Number::from_f64(value?)?;
        Some(Shown::new(&value, format!("{at}/{key}"), decimals))
    };
    let numbers: Vec<Shown> = parts.into_iter().filter_map(number).collect();
    let text = match cell {
        Cell::Text(text) => Some(text.clone()),
        _ if numbers.is_empty() => Some("–".into()),
        _ => None,
    };
    CellView { text, numbers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_pointer_and_columns_their_decimals() {
        let table = ReportTable {
            id: "t".into(),
            caption: String::new(),
            columns: vec!["who".into(), "ours".into(), "published (%)".into()],
            rows: vec![
                vec![
                    Cell::text("g1"),
                    Cell::Spread { mean: 44.4788, sd: Some(0.0842), decimals: 4 },
                    Cell::number(45.55, 2),
                ],
                vec![Cell::text("g2"), Cell::spread(&[9.5], 1), Cell::Missing],
            ],
        };
        let view = view(&table, 3);
        assert!(view.published);
        let spread = &view.rows[0][1].numbers;
        assert_eq!((spread[0].text.as_str(), spread[1].text.as_str()), ("44.5", "0.1"));
        assert_eq!((view.base.as_str(), spread[1].at.as_str()), ("/tables/3/rows", "0/1/sd"));
        assert_eq!(view.rows[1][1].numbers.len(), 1);
        assert_eq!(view.rows[1][2].text.as_deref(), Some("–"));
    }
}

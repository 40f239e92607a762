//! Tables of stored reports, cell by cell.

use super::number::{Shown, decimals};
use super::sources::Table;
use serde::Serialize;
use serde_json::Value as Json;

/// A table as the template wants it.
#[derive(Clone, Debug, Serialize)]
pub struct TableView {
    pub id: String,
    /// JSON pointer of its rows.
    pub base: String,
    pub caption: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<CellView>>,
    /// Whether a published number stands beside ours.
    pub published: bool,
}

/// A cell: words, or one number, or a mean and its standard deviation.
#[derive(Clone, Debug, Serialize)]
pub struct CellView {
    pub text: Option<String>,
    pub numbers: Vec<Shown>,
}

/// The `t`-th table of its report.
pub fn view(table: &Table, t: usize) -> TableView {
    let column = |c: usize| table.rows.iter().filter_map(move |row| row.get(c)).filter_map(main);
    let decimals: Vec<Option<usize>> =
        (0..table.columns.len()).map(|c| decimals(column(c))).collect();
    let rows = table.rows.iter().enumerate().map(|(r, row)| {
        let cell = |(c, cell): (usize, &Json)| {
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
fn main(cell: &Json) -> Option<f64> {
    cell.get("value").or_else(|| cell.get("mean"))?.as_f64()
}

fn one(cell: &Json, at: &str, decimals: Option<usize>) -> CellView {
    let number = |key: &str| {
        let value = cell.get(key)?.as_number()?;
        Some(Shown::new(value, format!("{at}/{key}"), decimals))
    };
    let numbers: Vec<Shown> = ["value", "mean", "sd"].into_iter().filter_map(number).collect();
    let text = match cell {
        Json::String(text) => Some(text.clone()),
        _ if numbers.is_empty() => Some("–".into()),
        _ => None,
    };
    CellView { text, numbers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_keep_their_pointer_and_columns_their_decimals() {
        let table = Table {
            id: "t".into(),
            caption: String::new(),
            columns: vec!["who".into(), "ours".into(), "published (%)".into()],
            rows: vec![
                vec![json!("g1"), json!({"mean": 44.4788, "sd": 0.0842}), json!({"value": 45.55})],
                vec![json!("g2"), json!({"mean": 9.5, "sd": null}), json!(null)],
            ],
        };
        let view = view(&table, 3);
        assert!(view.published);
        let spread = &view.rows[0][1].numbers;
        assert_eq!((spread[0].text.as_str(), spread[1].text.as_str()), ("44.48", "0.08"));
        assert_eq!((view.base.as_str(), spread[1].at.as_str()), ("/tables/3/rows", "0/1/sd"));
        assert_eq!(view.rows[1][1].numbers.len(), 1);
        assert_eq!(view.rows[1][2].text.as_deref(), Some("–"));
    }
}

//! What a report is: the one schema, written to `report.json` and read back by the page.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// Everything a reader gets. Displayed, it is what a terminal gets: title, tables, what does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the experiment.
    pub name: String,
    /// For the reader.
    pub title: String,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// Sentences for the reader.
    pub notes: Vec<String>,
    /// What the runs say about what is claimed of them.
    pub observations: Vec<Observation>,
    /// Tables.
    pub tables: Vec<ReportTable>,
    /// Figures.
    pub figures: Vec<Figure>,
}

/// What is needed to make the numbers again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of deferlab.
    pub version: String,
    /// Version of the numbers: bumped when the same configuration starts to give others.
    pub engine: u64,
    /// Master seed.
    pub seed: u64,
    /// The name that run seeds are made from.
    pub seed_name: String,
    /// The experiment file, unless it is one of the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// `SHA-256` of the configuration, also the key of the stored runs.
    pub configuration_sha256: String,
    /// Name and `SHA-256` of every data file; empty when all data is generated.
    pub data_sha256: Map<String, Json>,
    /// The configuration with every default spelled out.
    pub configuration: Json,
}

/// A statement that the runs bear out or not, with the numbers that decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Stable name.
    pub id: String,
    /// What is said, with the rule by which it is decided.
    pub statement: String,
    /// Whether it is so in these runs.
    pub holds: bool,
    /// The numbers.
    pub numbers: BTreeMap<String, f64>,
}

impl Observation {
    /// Numbers that are not finite are left out.
    #[must_use]
    pub(crate) fn new<K: Into<String>>(
        id: String,
        statement: impl Into<String>,
        holds: bool,
        numbers: impl IntoIterator<Item = (K, f64)>,
    ) -> Self {
        let numbers =
            numbers.into_iter().map(|(k, v)| (k.into(), v)).filter(|(_, v)| v.is_finite());
        Observation { id, statement: statement.into(), holds, numbers: numbers.collect() }
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportTable {
    /// Stable name.
    pub id: String,
    /// What it shows.
    pub caption: String,
    /// Column heads.
    pub columns: Vec<String>,
    /// Rows, as long as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number and how many decimals of it are shown.
    Number {
        /// The number.
        #[serde(deserialize_with = "number_or_null")]
        value: f64,
        /// Decimals.
        #[serde(skip)]
        decimals: usize,
    },
    /// Mean and standard deviation over runs.
    Spread {
        /// Mean.
        #[serde(deserialize_with = "number_or_null")]
        mean: f64,
        /// Sample standard deviation; none for a single run.
        sd: Option<f64>,
        /// Decimals.
        #[serde(skip)]
        decimals: usize,
    },
    /// There is no such number.
    Missing,
}

impl ReportTable {
    /// Without the columns that have nothing in any row.
    pub(crate) fn drop_empty_columns(&mut self) {
        let missing = |at: usize| self.rows.iter().all(|row| row.get(at) == Some(&Cell::Missing));
        let kept: Vec<bool> = (0..self.columns.len()).map(|at| !missing(at)).collect();
        let keep = |at: usize| kept.get(at).copied().unwrap_or(true);
        let mut at = 0..;
        self.columns.retain(|_| at.next().is_none_or(keep));
        for row in &mut self.rows {
            let mut at = 0..;
            row.retain(|_| at.next().is_none_or(keep));
        }
    }
}

impl Cell {
    /// Words.
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A number.
    #[must_use]
    pub(crate) fn number(value: f64, decimals: usize) -> Cell {
        Cell::Number { value, decimals }
    }

    /// A number that may not exist.
    #[must_use]
    pub(crate) fn maybe(value: Option<f64>, decimals: usize) -> Cell {
        value.map_or(Cell::Missing, |value| Cell::number(value, decimals))
    }

    /// Mean and standard deviation.
    #[must_use]
    pub(crate) fn spread(values: &[f64], decimals: usize) -> Cell {
        if values.iter().any(|v| !v.is_finite()) || values.is_empty() {
            return Cell::Missing;
        }
        let (mean, sd) = stats::mean_sd(values);
        Cell::Spread { mean, sd, decimals }
    }

    /// As it is shown, with `plus_minus` between mean and deviation.
    #[must_use]
    pub(crate) fn show(&self, plus_minus: &str) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number { value, decimals } => format!("{value:.decimals$}"),
            Cell::Spread { mean, sd: Some(sd), decimals } => {
                format!("{mean:.decimals$}{plus_minus}{sd:.decimals$}")
            }
            Cell::Spread { mean, sd: None, decimals } => format!("{mean:.decimals$}"),
            Cell::Missing => "-".into(),
        }
    }
}

/// A figure: lines over an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Stable name.
    pub id: String,
    /// Above it.
    pub title: String,
    /// Below it: what is drawn, what bands are, which hyper-parameters.
    pub caption: String,
    /// Label of the horizontal axis.
    pub x_label: String,
    /// Label of the vertical axis.
    pub y_label: String,
    /// Both axes logarithmic.
    pub log: bool,
    /// Range of the vertical axis, where it should not follow the data.
    pub y_range: Option<(f64, f64)>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// In the legend.
    pub label: String,
    /// Drawn as.
    #[serde(skip)]
    pub(crate) style: Style,
    /// Where.
    #[serde(deserialize_with = "numbers_or_null")]
    pub x: Vec<f64>,
    /// How high.
    #[serde(deserialize_with = "numbers_or_null")]
    pub y: Vec<f64>,
    /// `(low, high)` at each point, where there is a band.
    #[serde(deserialize_with = "band_or_null")]
    pub band: Option<Vec<(f64, f64)>>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Something that was measured: the i-th colour and dash.
    Data(usize),
    /// The same with a mark at every point, for points that have no order in time.
    Marked(usize),
    /// A bound or a reference in grey: the i-th dash.
    Reference(usize),
}

/// A stored line does not say how it was drawn: the page has colours of its own.
impl Default for Style {
    fn default() -> Self {
        Style::Data(0)
    }
}

// JSON has no word for a value that is not a number: it is written as null and read back.

fn number_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}

fn numbers_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let read = Vec::<Option<f64>>::deserialize(from)?;
    Ok(read.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
}

type NullableBand = Option<Vec<(Option<f64>, Option<f64>)>>;

fn band_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<(f64, f64)>>, D::Error> {
    let number = |v: Option<f64>| v.unwrap_or(f64::NAN);
    let read = NullableBand::deserialize(from)?;
    Ok(read.map(|band| band.into_iter().map(|(a, b)| (number(a), number(b))).collect()))
}

/// A map: panels of cells over two axes, the darker the larger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HeatMap {
    /// Stable name.
    pub id: String,
    /// Above it.
    pub title: String,
    /// What the horizontal axis of every panel is, from 0 to 1.
    pub x_label: String,
    /// What the vertical axis of every panel is.
    pub y_label: String,
    /// Ends of the vertical axis.
    pub y_range: (f64, f64),
    /// What a cell shows.
    pub value_label: String,
    /// What the darkest colour stands for.
    pub darkest: f64,
    /// The panels.
    pub panels: Vec<MapPanel>,
}

/// One panel of a [`HeatMap`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MapPanel {
    /// Above it.
    pub title: String,
    /// One text for each row, the lowest first: two digits of base 36 for each cell, as a share of 1295.
    pub rows: Vec<String>,
    /// A curve on it, both coordinates in `[0, 1]` of the axes.
    pub boundary: Vec<(f64, f64)>,
    /// Named points on it, likewise.
    pub marks: Vec<(f64, f64, String)>,
}

/// What the page draws in place of an SVG file of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Drawing {
    /// Lines over an axis.
    Lines(Figure),
    /// Cells over two axes.
    Map(HeatMap),
}

impl Drawing {
    /// Its stable name.
    pub(crate) fn id(&self) -> &str {
        match self {
            Drawing::Lines(figure) => &figure.id,
            Drawing::Map(map) => &map.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read back, and written again gives the same bytes.
    #[test]
    fn columns_without_a_number_are_dropped() {
        let row = |name: &str, second| vec![Cell::text(name), Cell::Missing, second];
        let mut table = ReportTable {
            id: "t".into(),
            caption: String::new(),
            columns: ["who", "nothing", "some"].map(String::from).into(),
            rows: vec![row("a", Cell::Missing), row("b", Cell::number(1.0, 1))],
        };
        table.drop_empty_columns();
        assert_eq!(table.columns, ["who", "some"]);
        assert_eq!(table.rows[0], [Cell::text("a"), Cell::Missing]);
        assert_eq!(table.rows[1], [Cell::text("b"), Cell::number(1.0, 1)]);
    }

    #[test]
    fn reports_are_read_as_they_were_written() {
        let line = Line {
            label: "a".into(),
            style: Style::Reference(3),
            x: vec![1.0, 2.0],
            y: vec![0.1, f64::NAN],
            band: Some(vec![(0.0, 0.2), (f64::NAN, 1.0)]),
        };
        let report = Report {
            name: "r".into(),
            title: "R".into(),
            provenance: Provenance {
                version: "0".into(),
                engine: 1,
                seed: 7,
                seed_name: "r".into(),
                file: Some("r.toml".into()),
                configuration_sha256: String::new(),
                data_sha256: Map::new(),
                configuration: serde_json::json!({ "b": 1, "a": [0.1] }),
            },
            notes: vec!["n".into()],
            observations: vec![Observation::new(
                "o".into(),
                "s",
                true,
                [("x", 0.1), ("nothing", f64::NAN)],
            )],
            tables: vec![ReportTable {
                id: "t".into(),
                caption: "c".into(),
                columns: vec!["a".into(); 5],
                rows: vec![vec![
                    Cell::text("w"),
                    Cell::number(1.0, 2),
                    Cell::number(f64::NAN, 2),
                    Cell::spread(&[1.0, 2.0], 3),
                    Cell::Missing,
                ]],
            }],
            figures: vec![Figure {
                id: "f".into(),
                title: "F".into(),
                caption: String::new(),
                x_label: "x".into(),
                y_label: "y".into(),
                log: true,
                y_range: Some((0.0, 1.05)),
                lines: vec![line],
            }],
        };
        let written = crate::json::text(&report);
        let read: Report = serde_json::from_str(&written).unwrap();
        assert_eq!(crate::json::text(&read), written);
        assert_eq!(read.observations[0].numbers.len(), 1);
        assert!(read.figures[0].lines[0].y[1].is_nan());
    }
}

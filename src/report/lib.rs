//! Reports, made from stored runs alone.
//!
//! A [`Report`] is data: tables, figures, observations and where they come from. Each format is an
//! [`Exporter`] in a file of its own and knows nothing of experiments. Nothing that belongs to a
//! machine or a moment (times, host names, dates) enters, so that the same runs give the same
//! bytes.
//!
//! | what | where |
//! |---|---|
//! | learning curves, deferral, expert tables | [`curves`] |
//! | experts who answered in a file: who is asked, how good they are | `crowd` |
//! | regret against horizons, slopes, bounds | [`rates`] |
//! | learners for experts who come and go, over all experiments | [`frontier`] |
//! | everything as one HTML file | [`page`] |
//! | formats | [`markdown`], [`csv`], [`json`], [`latex`], [`svg`] |
#![forbid(unsafe_code)]

mod crowd;
pub mod csv;
pub mod curves;
pub mod frontier;
mod hypotheses;
pub mod json;
pub mod latex;
pub mod markdown;
mod observe;
mod observe_reuters4;
pub mod page;
mod published;
pub mod rates;
pub mod stats;
pub mod svg;
pub mod words;

use lab::experiment::parse::ENGINE;
use lab::experiment::spec::ReportKind;
use lab::experiment::store::write_whole;
use lab::experiment::{Key, Plan, Record, StoreError};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::Path;

/// Everything a reader gets.
#[derive(Clone, Debug, Serialize)]
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
    pub tables: Vec<Table>,
    /// Figures.
    pub figures: Vec<Figure>,
}

/// What is needed to make the numbers again.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    /// Version of deferlab.
    pub version: String,
    /// Version of the numbers; see [`ENGINE`].
    pub engine: u32,
    /// Master seed.
    pub seed: u64,
    /// The name that run seeds are made from.
    pub seed_name: String,
    /// `SHA-256` of the configuration, also the key of the stored runs.
    pub configuration_sha256: String,
    /// Name and `SHA-256` of every data file; empty when all data is generated.
    pub data_sha256: Map<String, Json>,
    /// The configuration with every default spelled out.
    pub configuration: Json,
}

/// A statement that the runs bear out or not, with the numbers that decide.
#[derive(Clone, Debug, Serialize)]
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

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
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
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number and how many decimals of it are shown.
    Number {
        /// The number.
        value: f64,
        /// Decimals.
        #[serde(skip)]
        decimals: usize,
    },
    /// Mean and standard deviation over runs.
    Spread {
        /// Mean.
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

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A number.
    pub fn number(value: f64, decimals: usize) -> Cell {
        Cell::Number { value, decimals }
    }

    /// Mean and standard deviation.
    pub fn spread(values: &[f64], decimals: usize) -> Cell {
        if values.iter().any(|v| !v.is_finite()) || values.is_empty() {
            return Cell::Missing;
        }
        let (mean, sd) = stats::mean_sd(values);
        Cell::Spread { mean, sd, decimals }
    }

    /// As it is shown, with `plus_minus` between mean and deviation.
    pub fn show(&self, plus_minus: &str) -> String {
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
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// In the legend.
    pub label: String,
    /// Drawn as.
    #[serde(skip)]
    pub style: Style,
    /// Where.
    pub x: Vec<f64>,
    /// How high.
    pub y: Vec<f64>,
    /// `(low, high)` at each point, where there is a band.
    pub band: Option<Vec<(f64, f64)>>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Something that was measured: the i-th colour and dash.
    Data(usize),
    /// A bound or a reference in grey: the i-th dash.
    Reference(usize),
}

/// A Markdown document and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// File name without its ending.
    pub name: String,
    /// Markdown.
    pub text: String,
    /// Figures: file name and SVG.
    pub figures: Vec<(String, String)>,
}

impl Document {
    /// Writes text and figures to the folder `out`.
    ///
    /// # Errors
    /// In words: which file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), String> {
        let text = std::iter::once((format!("{}.md", self.name), &self.text));
        let figures = self.figures.iter().map(|(name, svg)| (name.clone(), svg));
        for (name, content) in text.chain(figures) {
            write_whole(&out.join(name), content.as_bytes()).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// A format.
pub trait Exporter {
    /// File names and contents.
    fn files(&self, report: &Report) -> Vec<(String, String)>;
}

/// All formats.
pub fn exporters() -> [&'static dyn Exporter; 5] {
    [&markdown::Markdown, &csv::Csv, &json::Json, &latex::Latex, &svg::Svg]
}

/// The report of a complete store.
///
/// # Errors
/// In words, when the stored runs cannot be what the plan asked for.
pub fn make(plan: &Plan, records: &BTreeMap<Key, Record>) -> Result<Report, String> {
    let spec = &plan.spec;
    let data = plan.canonical["data"].as_object().cloned().unwrap_or_default();
    let mut report = Report {
        name: spec.name.clone(),
        title: match (spec.title.as_str(), plan.stand_ins.is_empty()) {
            ("", _) => spec.name.clone(),
            (title, true) => title.into(),
            (title, false) => format!("{title} (stand-in data)"),
        },
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            engine: ENGINE,
            seed: spec.seed,
            seed_name: spec.family.clone().unwrap_or_else(|| spec.name.clone()),
            configuration_sha256: plan.hash(),
            data_sha256: data,
            configuration: plan.canonical["experiment"].clone(),
        },
        notes: [plan.stand_ins.as_slice(), &spec.report.notes].concat(),
        observations: Vec::new(),
        tables: Vec::new(),
        figures: Vec::new(),
    };
    match spec.report.kind {
        ReportKind::Curves => curves::fill(plan, records, &mut report)?,
        ReportKind::Rates => rates::fill(plan, records, &mut report)?,
    }
    Ok(report)
}

/// Writes every format to the folder `out`.
///
/// # Errors
/// The folder cannot be written; files that were there before are whole.
pub fn write(report: &Report, out: &Path) -> Result<(), StoreError> {
    for exporter in exporters() {
        for (name, text) in exporter.files(report) {
            write_whole(&out.join(name), text.as_bytes())?;
        }
    }
    Ok(())
}

//! Reports, made from stored runs alone.
//!
//! A [`Report`] is data: tables, figures, observations and where they come from. Each format is an
//! `Exporter` in a file of its own and knows nothing of experiments. Nothing that belongs to a
//! machine or a moment (times, host names, dates) enters, so that the same runs give the same
//! bytes.
//!
//! | what | where |
//! |---|---|
//! | what is in a report? | `schema` |
//! | learning curves, deferral, expert tables | `curves`, `figures`, `observe` |
//! | experts who answered in a file: who is asked, how good they are | `crowd` |
//! | regret against horizons, slopes, bounds, what the theorems assume | `rates`, `assumption` |
//! | which reading of what is left open comes nearest to a published table | `readings` |
//! | learners for experts who come and go, over all experiments | [`frontier`] |
//! | everything as one HTML file | [`page()`] |
//! | where an optimum is wrong, as a map | [`phase_diagram`] |
//! | two pages for a review | [`summary()`] |
//! | formats | `markdown`, `csv`, `json`, `latex`, `svg` |
//! | prose | `templates/`, rendered by `template` |
//! | how numbers and other people's words are shown | `number`, `escape` |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod assumption;
mod case;
mod crowd;
mod csv;
mod curves;
mod earnings;
mod error;
mod escape;
mod figures;
pub mod frontier;
mod json;
mod latex;
mod markdown;
mod number;
mod observe;
mod observe_reuters4;
mod observe_synthetic;
mod page;
mod phase;
mod prec;
mod published;
mod rates;
mod readings;
mod schema;
mod summary;
mod svg;
mod template;
mod totals;

pub use assumption::Assumption;
pub use error::ReportError;
pub use page::{ClaimNote, PageNotes, page};
pub use phase::{PhasePanel, phase_diagram};
pub use schema::{Cell, Figure, Line, Observation, Provenance, Report, ReportTable};
pub use summary::{SummaryFormat, summary};
pub use template::markdown as rendered;

use lab::experiment::{Key, Plan, Record, ReportKind, StoreError, write_whole};
use std::collections::BTreeMap;
use std::path::Path;

/// A format.
trait Exporter {
    /// File names and contents.
    fn files(&self, report: &Report) -> Vec<(String, String)>;
}

/// All formats.
fn exporters() -> [&'static dyn Exporter; 5] {
    [&markdown::Markdown, &csv::Csv, &json::Json, &latex::Latex, &svg::Svg]
}

/// The report of a complete store, with what was found out about the hypotheses of the theorems, if
/// anything.
///
/// # Errors
/// The stored runs cannot be what the plan asked for.
pub fn make(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    assumptions: &[Assumption],
) -> Result<Report, ReportError> {
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
            engine: plan.canonical["engine"].as_u64().unwrap_or_default(),
            seed: spec.seed,
            seed_name: spec.family.clone().unwrap_or_else(|| spec.name.clone()),
            file: own_file(plan),
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
        ReportKind::Readings => readings::fill(plan, records, &mut report)?,
    }
    if !assumptions.is_empty() {
        report.tables.push(assumption::table(assumptions));
    }
    Ok(report)
}

/// The file of an experiment that is not one of the project's, which are found by their name.
fn own_file(plan: &Plan) -> Option<String> {
    let folder = plan.folder.file_name().and_then(|name| name.to_str());
    let file = plan.file.as_ref().filter(|_| folder != Some("experiments"))?;
    Some(file.display().to_string())
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

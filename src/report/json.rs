//! Everything, for programs.

use super::{Exporter, Report};

/// `report.json`.
pub struct Json;

impl Exporter for Json {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        vec![("report.json".into(), text(report) + "\n")]
    }
}

/// The report as JSON.
pub fn text(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("a report is plain data")
}

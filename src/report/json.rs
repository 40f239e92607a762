//! Everything, for programs.

use super::{Exporter, Report};
use serde::Serialize;

/// `report.json`.
pub(crate) struct Json;

impl Exporter for Json {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        vec![("report.json".into(), text(report) + "\n")]
    }
}

/// Plain data as JSON of several lines.
#[must_use]
pub(crate) fn text(data: &impl Serialize) -> String {
    serde_json::to_string_pretty(data).expect("plain data")
}

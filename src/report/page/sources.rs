//! What a reports folder holds: the ledger, a `report.json` in each folder, Markdown documents.

use crate::Report;
use crate::ReportError;
use crate::schema::Drawing;
use lab::experiment::STAND_IN;
use ledger::{Ledger, LedgerError, ProofRecord};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// The order in which experiments are shown; what begins otherwise comes last.
const ORDER: [&str; 7] =
    ["synthetic", "reuters4", "cifar10h", "labelme", "rates", "witness", "frontier"];

/// Everything the page is made of.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    /// `ledger.json`, when verdicts were recorded.
    pub(super) ledger: Option<Ledger>,
    /// `proofs.json`, when proofs were recorded.
    pub(super) proofs: Option<ProofRecord>,
    /// The reports that are shown, in that order.
    pub(super) reports: Vec<Report>,
    /// Names of stand-ins that are left out because what they stand for is there.
    pub(super) left_out: Vec<String>,
    /// Markdown documents beside the ledger: name without ending, text.
    pub(super) documents: Vec<(String, String)>,
    /// Figures of documents that the page draws itself: name of the file, a name no report has.
    pub(super) drawings: Vec<(String, Drawing)>,
}

/// Whether a report was made without the real data.
pub(super) fn is_stand_in(report: &Report) -> bool {
    report.name.ends_with(STAND_IN)
}

impl Sources {
    /// Reads a reports folder.
    ///
    /// # Errors
    /// Names the file that cannot be read or is not what its name says.
    pub(super) fn read(folder: &Path) -> Result<Self, ReportError> {
        let ledger = match Ledger::read(&folder.join("ledger.json")) {
            Ok(ledger) => Some(ledger),
            Err(LedgerError::Missing { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let proofs = ProofRecord::read(&folder.join("proofs.json"))?;
        let (mut reports, mut documents, mut drawings) = (Vec::new(), Vec::new(), Vec::new());
        for path in listed(folder)? {
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string();
            let report = path.join("report.json");
            if report.is_file() {
                reports.push(read_json(&report)?);
            } else if path.extension().is_some_and(|e| e == "md") && stem != "ledger" {
                documents.push((stem, text_of(&path)?));
            } else if path.extension().is_some_and(|e| e == "svg") {
                // What an SVG file shows, as data.
                let data = path.with_extension("json");
                if data.is_file() {
                    drawings.push((format!("{stem}.json"), read_json(&data)?));
                }
            }
        }
        let mut left_out = Vec::new();
        leave_stand_ins(&mut reports, |r: &Report| &r.name, &mut left_out);
        leave_stand_ins(&mut documents, |d: &(String, String)| &d.0, &mut left_out);
        let family = |name: &str| ORDER.iter().position(|f| name.starts_with(f));
        // A stable sort: names are in order already.
        reports.sort_by_key(|r| family(&r.name).unwrap_or(ORDER.len()));
        Ok(Sources { ledger, proofs, reports, left_out, documents, drawings })
    }
}

/// Takes stand-ins out where what they stand for is there, and notes their names.
fn leave_stand_ins<T>(all: &mut Vec<T>, name: fn(&T) -> &String, left_out: &mut Vec<String>) {
    let names: Vec<String> = all.iter().map(|one| name(one).clone()).collect();
    all.retain(|one| {
        let real = name(one).strip_suffix(STAND_IN);
        let leave = real.is_some_and(|real| names.iter().any(|n| n == real));
        if leave {
            left_out.push(name(one).clone());
        }
        !leave
    });
}

/// Entries of a folder, sorted, so that no file system decides about the page.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let io = |source| ReportError::Io { path: folder.into(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        paths.push(entry.map_err(io)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn text_of(path: &Path) -> Result<String, ReportError> {
    std::fs::read_to_string(path).map_err(|source| ReportError::Io { path: path.into(), source })
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let wrong = |source| ReportError::Report { path: path.into(), source };
    serde_json::from_str(&text_of(path)?).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str) -> String {
        serde_json::json!({
            "name": name, "title": name, "notes": [], "observations": [], "tables": [],
            "figures": [{ "id": "f", "title": "", "caption": "", "x_label": "", "y_label": "",
                "log": false, "y_range": null,
                "lines": [{ "label": "a", "x": [1.0], "y": [null], "band": null }] }],
            "provenance": { "version": "0", "engine": 1, "seed": 1, "seed_name": "",
                "configuration_sha256": "", "data_sha256": {}, "configuration": {} },
        })
        .to_string()
    }

    #[test]
    fn stand_ins_give_way_to_the_real_thing_and_order_is_that_of_the_paper() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["zebra", "rates", "reuters4-1", "reuters4-1-standin", "labelme-standin"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("report.json"), report(name)).unwrap();
        }
        for name in ["frontier", "frontier-standin", "ledger", "other-standin"] {
            std::fs::write(folder.path().join(name).with_extension("md"), "# A\n").unwrap();
        }
        let sources = Sources::read(folder.path()).unwrap();
        let names: Vec<&str> = sources.reports.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["reuters4-1", "labelme-standin", "rates", "zebra"]);
        assert_eq!(sources.left_out, ["reuters4-1-standin", "frontier-standin"]);
        let documents: Vec<&str> = sources.documents.iter().map(|d| d.0.as_str()).collect();
        assert_eq!(documents, ["frontier", "other-standin"]);
        assert!(sources.ledger.is_none());
    }

    #[test]
    fn a_report_that_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bad")).unwrap();
        let path = folder.path().join("bad/report.json");
        for text in ["{}", "rubbish", &report("bad").replace("[1.0]", "\"one\"")] {
            std::fs::write(&path, text).unwrap();
            let error = Sources::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains("bad") && error.contains("not a report"), "{error}");
        }
        assert!(Sources::read(&folder.path().join("nowhere")).is_err());
    }

    /// An SVG file alone stays a picture; with data of its name it is drawn, and other data is an error.
    #[test]
    fn drawings_are_read_beside_their_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.svg", "<svg/>");
        write("b.json", "no picture of this name");
        assert!(Sources::read(folder.path()).unwrap().drawings.is_empty());
        write(
            "a.json",
            r#"{"id":"m","title":"","x_label":"","y_label":"","y_range":[0,1],"value_label":"",
                "darkest":1,"panels":[{"title":"","rows":["00zz"],"boundary":[[0,1]],"marks":[]}]}"#,
        );
        let read = Sources::read(folder.path()).unwrap().drawings;
        assert_eq!((read[0].0.as_str(), read[0].1.id()), ("a.json", "m"));
        write("a.json", "{}");
        assert!(Sources::read(folder.path()).unwrap_err().to_string().contains("a.json"));
    }
}

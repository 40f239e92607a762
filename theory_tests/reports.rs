//! Reports are a function of the stored runs, in every format.

use crate::small_experiment;

use deferlab::lab::experiment::{Store, jobs};
use deferlab::overview::make_report;
use deferlab::report::{Report, write};
use small_experiment::{SMALL, plan, run_all};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn report(text: &str, root: &Path, threads: usize) -> Report {
    let plan = plan(text);
    run_all(&plan, root, threads);
    let store = Store::read(root, &plan, &jobs(&plan)).unwrap();
    make_report(&plan, &store).unwrap()
}

fn files(report: &Report) -> BTreeMap<String, String> {
    let out = tempfile::tempdir().unwrap();
    write(report, out.path()).unwrap();
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    std::fs::read_dir(out.path()).unwrap().map(read).collect()
}

/// A law, both schedules of the theorems, few rounds.
const RATES: &str = r#"
name = "tiny-rates"
title = "Tiny rates"
seed = 1
runs = 4
rounds = 1000
checkpoints = { per_decade = 2 }
trace = false
stream = [{ name = "two", law.item = [
    { weight = 1.0, x = [1.0], p = [1.0, 0.0], cost = [[1.0, 1.0]] },
    { weight = 1.0, x = [-1.0], p = [0.0, 1.0], cost = [[1.0, 1.0]] },
] }]
policy = [
    { name = "general", algorithm1 = { schedule = { name = "general" } } },
    { name = "concentrated", algorithm1 = { schedule = { name = "concentrated" } } },
]
[report]
kind = "rates"
slope_from = 10
"#;

#[test]
fn small_reports_look_like_this() {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in [("curves", SMALL), ("rates", RATES)] {
        let files = files(&report(text, root.path(), 2));
        for (file, content) in &files {
            if [".md", ".tex"].iter().any(|end| file.ends_with(end)) || file.starts_with("table-") {
                insta::assert_snapshot!(format!("{name}-{file}"), content);
            }
        }
        let json: serde_json::Value = serde_json::from_str(&files["report.json"]).unwrap();
        insta::assert_json_snapshot!(format!("{name}-observations"), json["observations"]);
        let svg = files.iter().find(|(file, _)| file.ends_with(".svg")).unwrap();
        insta::assert_snapshot!(format!("{name}-{}", svg.0), svg.1);
    }
}

#[test]
fn the_same_runs_give_the_same_bytes_wherever_they_are() {
    let roots: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
    let made: Vec<_> = roots
        .iter()
        .zip([1, 3])
        .map(|(root, threads)| files(&report(SMALL, root.path(), threads)))
        .collect();
    assert!(made[0].len() > 10);
    assert_eq!(made[0], made[1]);
    // Another seed gives another report: the comparison above can fail.
    let third = tempfile::tempdir().unwrap();
    let other = files(&report(&SMALL.replace("seed = 7", "seed = 8"), third.path(), 2));
    assert_ne!(made[0]["report.json"], other["report.json"]);
    let text: String = made[0].values().cloned().collect();
    let here = roots[0].path().to_str().unwrap();
    assert!(!text.contains(here), "a report names a folder of this machine");
}

#[test]
fn every_number_of_a_figure_is_in_its_csv_and_bands_hold_their_line() {
    let root = tempfile::tempdir().unwrap();
    for text in [SMALL, RATES] {
        let report = report(text, root.path(), 2);
        let files = files(&report);
        for figure in &report.figures {
            let csv = &files[&format!("figure-{}.csv", figure.id)];
            let rows = figure.lines.iter().map(|line| line.x.len()).sum::<usize>();
            assert_eq!(csv.lines().count(), rows + 1);
            assert!(files.contains_key(&format!("figure-{}.svg", figure.id)));
            assert!(!figure.x_label.is_empty() && !figure.y_label.is_empty());
            for line in &figure.lines {
                assert_eq!(line.x.len(), line.y.len());
                for (i, (low, high)) in line.band.iter().flatten().enumerate() {
                    assert!(low <= &line.y[i] && &line.y[i] <= high, "{}", figure.id);
                }
            }
        }
    }
}

/// `report` needs no rerun and gives what `run` gave.
#[test]
fn reports_come_from_stored_runs_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("experiments")).unwrap();
    std::fs::write(at("experiments/tiny-rates.toml"), RATES).unwrap();
    let deferlab = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_deferlab"))
            .current_dir(folder.path())
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
    };
    let (code, _, said) = deferlab(&["report"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("there are no stored runs"), "{said}");
    let (code, printed, _) = deferlab(&["reproduce", "tiny-rates", "--format", "json"]);
    assert_eq!(code, Some(0));
    let first = std::fs::read_to_string(at("reports/tiny-rates/report.json")).unwrap();
    assert_eq!(printed, first);
    assert!(at("runs/timings.json").exists());
    let page = std::fs::read_to_string(at("reports/index.html")).unwrap();
    assert!(page.contains("report-tiny-rates"));
    std::fs::remove_dir_all(at("reports")).unwrap();
    let before =
        std::fs::metadata(at("runs/tiny-rates/records.jsonl")).unwrap().modified().unwrap();
    assert_eq!(deferlab(&["report", "tiny-rates"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(at("reports/tiny-rates/report.json")).unwrap(), first);
    assert_eq!(std::fs::read_to_string(at("reports/index.html")).unwrap(), page);
    assert_eq!(deferlab(&["page", "--reports", "nowhere"]).0, Some(2));
    let after = std::fs::metadata(at("runs/tiny-rates/records.jsonl")).unwrap().modified().unwrap();
    assert_eq!(before, after);
    let (code, _, said) = deferlab(&["reproduce", "tiny-rate"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("there are: tiny-rates"), "{said}");
    // A report that cannot be written leaves what was there.
    std::fs::write(at("blocked"), "kept").unwrap();
    let (code, _, said) = deferlab(&["report", "--out", "blocked"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot write"), "{said}");
    assert_eq!(std::fs::read_to_string(at("blocked")).unwrap(), "kept");
}

#[test]
fn written_files_are_the_exported_ones() {
    let root = tempfile::tempdir().unwrap();
    let report = report(SMALL, root.path(), 2);
    let out = root.path().join("out");
    write(&report, &out).unwrap();
    let mut on_disk = BTreeMap::new();
    for entry in std::fs::read_dir(&out).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        on_disk.insert(name, std::fs::read_to_string(entry.path()).unwrap());
    }
    assert_eq!(on_disk, files(&report));
}

/// Stored reports read as their data and the template of today give, and their notes are those of the
/// experiment file. (How many decimals a cell has is no part of the data, so tables are not compared.)
#[test]
fn stored_reports_are_what_their_data_gives() {
    let words = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|l| !l.starts_with("| ") || l.starts_with("| `"))
            .map(Into::into)
            .collect()
    };
    let mut reports = 0;
    for entry in std::fs::read_dir("reports").unwrap() {
        let folder = entry.unwrap().path();
        let stored = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let text = stored("report.json");
        if text.is_empty() {
            continue;
        }
        let mut report: Report = serde_json::from_str(&text).unwrap();
        assert!(files(&report)["report.json"] == text, "{}", report.name);
        let page = words(&stored("README.md"));
        assert_eq!(words(&files(&report)["README.md"]), page, "{}", report.name);
        let name = report.name.trim_end_matches("-standin");
        let experiment = std::fs::read_to_string(format!("experiments/{name}.toml")).unwrap();
        let experiment: toml::Table = experiment.parse().unwrap();
        let notes = experiment["report"].get("notes").and_then(|n| n.as_array());
        for note in notes.into_iter().flatten() {
            let note = note.as_str().unwrap().to_owned();
            assert!(report.notes.contains(&note), "{name}: its report lacks {note:?}");
        }
        report.title += ".";
        assert!(words(&files(&report)["README.md"]) != page, "a dot went unseen");
        reports += 1;
    }
    assert!(reports > 20, "{reports}");
}

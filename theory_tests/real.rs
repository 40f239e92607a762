//! Streams of data: the paper's Reuters4 settings, annotators, tables of one's own, stand-ins.

use crate::small_experiment;

use deferlab::lab::experiment::{Game, Plan, Record, RunOutcome, STAND_IN, Series, Store, jobs};
use deferlab::learner::{Optimizer, Schedule};
use deferlab::problem::ExpertCost;
use deferlab::report::Cell;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Sec. 7.2 and App. G.3, number by number.
#[test]
fn the_reuters4_settings_are_the_papers() {
    for number in 1..=3 {
        let plan = Plan::read(&project(&format!("experiments/reuters4-{number}.toml"))).unwrap();
        let spec = &plan.spec;
        assert_eq!(spec.name.ends_with(STAND_IN), !plan.stand_ins.is_empty());
        assert_eq!((spec.runs, spec.rounds), (5, 100_000));
        let said = serde_json::to_value(spec).unwrap();
        assert_eq!(said["checkpoints"], json!({ "linear": 50 }));
        let config = &said["stream"][0]["reuters4"];
        assert_eq!(config["knows"], json!([[0, 1], [1, 2], [2, 3]]));
        let cost: ExpertCost = serde_json::from_value(config["cost"].clone()).unwrap();
        assert_eq!((cost.normalized(false), cost.normalized(true)), (1.0, 0.1 / 1.1));
        let availability = json!({ "start": 0.7, "sigma": 2e-3 });
        assert_eq!(config["availability"], if number >= 2 { availability } else { json!(null) });
        let drift = &config["drift"];
        let drift = json!([drift["rounds"], drift["sigma"], drift["to"]]);
        let to = json!([[2, 3], [0, 3], [0, 1]]);
        let expected =
            if number == 3 { json!([100_000, 2e-3, to]) } else { json!([null, null, null]) };
        assert_eq!(drift, expected);
        let shape = Game::new(&plan, 0, 0, 0).unwrap().shape;
        let learners: Vec<_> = spec.policy.iter().filter_map(|p| p.algorithm1(shape)).collect();
        for learner in &learners {
            assert_eq!(learner.optimizer, Optimizer::ADAGRAD);
            assert_eq!(learner.schedule, Schedule::EXPERIMENT);
        }
        let radii: Vec<Option<f64>> = learners.iter().map(|learner| learner.radius).collect();
        assert_eq!(radii, [Some(7.0), Some(100.0), None]);
    }
}

fn deferlab(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_deferlab"))
        .current_dir(folder)
        .env("DEFERLAB_DATA", folder.join("nothing-here"))
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stdout))
}

/// Without data an experiment runs under another name and says so wherever a reader looks.
#[test]
fn a_stand_in_is_never_taken_for_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("experiments")).unwrap();
    std::fs::create_dir_all(at("reports/crowd")).unwrap();
    std::fs::write(at("reports/crowd/README.md"), "on the real data").unwrap();
    let text = r#"
name = "crowd"
title = "A crowd"
seed = 1
runs = 2
rounds = 60
checkpoints = { linear = 3 }
[[stream]]
name = "labelme"
labelme = {}
[[policy]]
name = "best"
fixed_expert = {}
[[policy]]
name = "random"
uniform = {}
"#;
    std::fs::write(at("experiments/crowd.toml"), text).unwrap();
    let (code, said) = deferlab(folder.path(), &["reproduce", "crowd"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("A crowd (stand-in data)"), "{said}");
    let report = std::fs::read_to_string(at("reports/crowd-standin/README.md")).unwrap();
    assert!(
        report.starts_with("# A crowd (stand-in data)\n\nStand-in data: LabelMe was not found")
    );
    assert!(report.contains("`stand-in for labelme/` "), "{report}");
    assert!(report.contains("deferlab reproduce crowd`"), "{report}");
    assert!(report.contains("| g1 "), "{report}");
    assert!(at("runs/crowd-standin/records.jsonl").exists() && !at("runs/crowd").exists());
    let kept = std::fs::read_to_string(at("reports/crowd/README.md")).unwrap();
    assert_eq!(kept, "on the real data");
    assert_eq!(deferlab(folder.path(), &["report", "crowd"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(at("reports/crowd-standin/README.md")).unwrap(), report);
    // Files that are there in part are a fault, not a reason to make data up.
    std::fs::create_dir_all(at("data/labelme")).unwrap();
    std::fs::write(at("data/labelme/answers.txt"), "0 1\n").unwrap();
    let (code, said) = deferlab(folder.path(), &["report", "crowd"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("LabelMe_VGG_avg_train.npy was not found"), "{said}");
}

fn series(plan: &Plan, root: &Path) -> Vec<Series> {
    small_experiment::run_all(plan, root, 2);
    let store = Store::read(root, plan, &jobs(plan)).unwrap();
    let one = |record: &Record| match &record.outcome {
        RunOutcome::Series(series) => Some(series.clone()),
        RunOutcome::Trace(_) => None,
    };
    store.values().filter_map(one).collect()
}

/// The worked example of the README runs, and both formats are the same data.
#[test]
fn tables_of_ones_own() {
    let root = tempfile::tempdir().unwrap();
    let csv = Plan::read(&project("examples/own-data/tickets.toml")).unwrap();
    let svm = Plan::read(&project("examples/own-data/tickets-svm.toml")).unwrap();
    assert!(csv.stand_ins.is_empty());
    let data = |plan: &Plan| plan.canonical["data"].as_object().unwrap().len();
    assert_eq!((data(&csv), data(&svm)), (1, 2));
    let (a, b) = (series(&csv, root.path()), series(&svm, root.path()));
    // Three policies of the file, and the two that never change their mind.
    assert_eq!(a.len(), 25);
    assert_eq!(a, b);
    let loss = |runs: &[Series]| runs.iter().map(|s| s.loss[s.loss.len() - 1]).sum::<f64>();
    // Policies in the order of the file: the router earns its keep.
    assert!(loss(&a[..5]) < 0.6 * loss(&a[10..15]), "{} {}", loss(&a[..5]), loss(&a[10..15]));
    let stored = Store::read(root.path(), &csv, &jobs(&csv)).unwrap();
    let report = deferlab::report::make(&csv, &stored, &[]);
    let report = report.unwrap();
    let table = report.tables.iter().find(|t| t.id == "experts").unwrap();
    assert_eq!(table.rows[0][0], Cell::Text("bot".into()));
    let ann = table.rows.iter().find(|row| row[0] == Cell::Text("ann".into())).unwrap();
    let Cell::Number { value, .. } = ann[1] else { panic!("{:?}", ann[1]) };
    assert_eq!(format!("{value:.1}"), "60.0");
}

#[test]
fn what_is_wrong_with_a_table_is_said() {
    let text = std::fs::read_to_string(project("examples/own-data/tickets.toml")).unwrap();
    let folder = project("examples/own-data");
    let message = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        Plan::from_text(&changed, "own.toml", folder.clone()).unwrap_err().to_string()
    };
    assert!(message("tickets.csv", "tickts.csv").contains("tickts.csv: No such file"));
    assert!(message("\"topic\"", "\"topics\"").contains("no column `topics`"));
    assert!(message("\"bob\"", "\"rob\"").contains("no column `rob`"));
    assert!(message(", \"other\"]", "]").contains("column `topic`: \"other\" is not a class"));
    assert!(message("label = \"topic\"\n", "").contains("a CSV table needs `label`"));
    assert!(message("label = \"topic\"\n", "label = \"topic\"\ndim = 2\n").contains("`dim`"));
    let with = |line: &str| format!("file = \"tickets.svm\"\n{line}");
    let m = message("file = \"tickets.csv\"", &with("answers = \"answers.txt\""));
    assert!(m.contains("name columns of a CSV table"), "{m}");
    assert!(message("shuffle = true", "shufle = true").contains("did you mean `shuffle`?"));
    assert!(message("shuffle = true", "").contains("it has 400 rounds"));
    let m = message("\"billing\", \"technical\"", "\"billing\", \"billing\"");
    assert!(m.contains("listed twice"), "{m}");
    assert!(message("[stream.table]", "[stream.tble]").contains("did you mean `table`?"));
}

/// A row is a point on the sphere whatever it was before.
#[test]
fn unit_norm_is_an_option_of_tables() {
    let text = std::fs::read_to_string(project("examples/own-data/tickets.toml")).unwrap();
    let folder = project("examples/own-data");
    let scaled = text.replace("shuffle = true", "shuffle = true\nunit_norm = true");
    let rho = |text: &str| {
        let plan = Plan::from_text(text, "own.toml", folder.clone()).unwrap();
        Game::new(&plan, 0, 0, 0).unwrap().shape.rho
    };
    assert!(rho(&text) > 4.0);
    assert!((rho(&scaled) - 2f64.sqrt()).abs() < 1e-12);
}

//! The table of ARCHITECTURE.md against what Cargo knows: no crate uses one that it may not.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crate to the crates it may use.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// The rows `| crate | holds | may use |`, names in backticks.
fn stated(text: &str) -> Edges {
    let names =
        |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>();
    let rows = text.lines().skip_while(|l| !l.starts_with("| crate | holds | may use |")).skip(2);
    rows.take_while(|l| l.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let [name, _, may_use] = cells[..] else { panic!("three cells expected: {line}") };
            (names(name).remove(0), names(may_use).into_iter().collect())
        })
        .collect()
}

/// Dependencies between the crates of the workspace, without those of tests.
fn found() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let short = |name: &Value| {
        let name = name.as_str().unwrap();
        name.strip_prefix("deferlab-").unwrap_or(name).to_string()
    };
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<String> = packages.iter().map(|p| short(&p["name"])).collect();
    let uses = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        let kept = all.filter(|d| d["kind"].is_null() && d["path"].is_string());
        kept.map(|d| short(&d["name"])).filter(|name| ours.contains(name)).collect()
    };
    packages.iter().map(|p| (short(&p["name"]), uses(p))).collect()
}

/// What is wrong, one sentence each.
fn problems(stated: &Edges, found: &Edges) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, uses) in found {
        match stated.get(name) {
            None => problems.push(format!("{name} is not in the table")),
            Some(may_use) => {
                let more = uses.difference(may_use);
                problems.extend(more.map(|other| format!("{name} uses {other}, which it may not")));
                let less = may_use.difference(uses);
                problems.extend(less.map(|other| format!("{name} may use {other}, and does not")));
            }
        }
    }
    let gone = stated.keys().filter(|name| !found.contains_key(*name));
    problems.extend(gone.map(|name| format!("{name} is no crate")));
    problems
}

#[test]
fn crates_use_what_the_table_says() {
    let stated = stated(include_str!("../ARCHITECTURE.md"));
    assert!(!stated["theory"].contains("learner") && !stated["learner"].contains("theory"));
    let problems = problems(&stated, &found());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_forbidden_edge_is_noticed() {
    let edges = |text: &str| stated(&format!("| crate | holds | may use |\n|---|---|---|\n{text}"));
    let table = edges("| `a` | | `b` |\n| `b` | | |\n");
    assert_eq!(problems(&table, &table), [""; 0]);
    let more = edges("| `a` | | `b` |\n| `b` | | `a` |\n| `c` | | |\n");
    assert_eq!(problems(&table, &more), ["b uses a, which it may not", "c is not in the table"]);
    assert_eq!(problems(&more, &table), ["b may use a, and does not", "c is no crate"]);
}

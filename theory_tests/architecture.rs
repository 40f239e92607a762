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

/// What `deny.toml` says of a dependency, so that CI holds it without cargo-deny.
mod dependencies {
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::process::Command;

    struct Rules {
        licenses: BTreeSet<String>,
        banned: BTreeSet<String>,
    }

    fn rules() -> Rules {
        let table: toml::Table = toml::from_str(include_str!("../deny.toml")).unwrap();
        let text = |value: &toml::Value| value.as_str().unwrap().to_string();
        let list = |of: &str, name: &str| table[of][name].as_array().unwrap().clone();
        let crates = list("bans", "deny");
        Rules {
            licenses: list("licenses", "allow").iter().map(text).collect(),
            banned: crates.iter().map(|ban| text(&ban["crate"])).collect(),
        }
    }

    /// `A OR B`, `A/B`, `(A OR B) AND C`: every part must leave a choice that is allowed.
    fn allowed(expression: &str, licenses: &BTreeSet<String>) -> bool {
        let spelled = expression.replace(" / ", " OR ").replace('/', " OR ");
        spelled.split(" AND ").all(|part| {
            let part = part.trim_matches(|c| c == '(' || c == ')' || c == ' ');
            part.split(" OR ").any(|license| licenses.contains(license.trim()))
        })
    }

    fn problems(packages: &[&Value], rules: &Rules) -> Vec<String> {
        let mut problems = Vec::new();
        for package in packages.iter().filter(|p| p["source"].is_string()) {
            let name = package["name"].as_str().unwrap();
            let license = package["license"].as_str().unwrap_or("no licence");
            if !allowed(license, &rules.licenses) {
                problems.push(format!("{name}: {license} is not allowed"));
            }
            if rules.banned.contains(name) {
                problems.push(format!("{name} is banned"));
            }
            let registry = "registry+https://github.com/rust-lang/crates.io-index";
            if package["source"] != registry {
                problems.push(format!("{name}: {} is not crates.io", package["source"]));
            }
        }
        problems
    }

    #[test]
    fn licences_sources_and_bans_are_those_of_deny_toml() {
        let target = ["--filter-platform", "x86_64-unknown-linux-gnu", "--features", "wrn"];
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
        let used: BTreeSet<&str> = nodes.iter().map(|n| n["id"].as_str().unwrap()).collect();
        let packages = metadata["packages"].as_array().unwrap().iter();
        let packages: Vec<&Value> =
            packages.filter(|p| used.contains(p["id"].as_str().unwrap())).collect();
        assert!(packages.len() > 50);
        let problems = problems(&packages, &rules());
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn a_forbidden_dependency_is_noticed() {
        let package = |name: &str, license: &str, source: &str| serde_json::json!({ "name": name, "license": license, "source": source });
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        let good = package("a", "(MIT OR GPL-3.0-only) AND Unicode-3.0", registry);
        let bad = [
            package("b", "GPL-3.0-only", registry),
            package("c", "MIT AND GPL-3.0-only", registry),
            package("openssl-sys", "MIT/Apache-2.0", registry),
            package("d", "MIT", "git+https://example.org/d"),
        ];
        assert_eq!(problems(&[&good], &rules()), [""; 0]);
        for package in &bad {
            assert_eq!(problems(&[package], &rules()).len(), 1, "{package}");
        }
    }
}

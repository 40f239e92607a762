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

    /// Lines of `cargo tree`: `name version (where from, unless crates.io)|licence`.
    fn problems(tree: &str, rules: &Rules) -> Vec<String> {
        let mut problems = Vec::new();
        for line in tree.lines().filter(|line| !line.is_empty()) {
            let (package, license) = line.split_once('|').expect("a licence after |");
            let name = package.split(' ').next().expect("a name");
            if !allowed(license.trim_end_matches(" (*)"), &rules.licenses) {
                problems.push(format!("{name}: {license} is not allowed"));
            }
            if rules.banned.contains(name) {
                problems.push(format!("{name} is banned"));
            }
            if package.contains("://") {
                problems.push(format!("{package} is not from crates.io"));
            }
        }
        problems
    }

    #[test]
    fn licences_sources_and_bans_are_those_of_deny_toml() {
        let what = ["--workspace", "--features", "wrn", "--target", "x86_64-unknown-linux-gnu"];
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--edges", "normal,build,dev", "--prefix", "none"])
            .args(["--format", "{p}|{l}"])
            .args(what)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tree = String::from_utf8(output.stdout).unwrap();
        assert!(tree.lines().count() > 100);
        let mut problems = problems(&tree, &rules());
        problems.sort();
        problems.dedup();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn a_forbidden_dependency_is_noticed() {
        let good =
            "a v1.0.0|(MIT OR GPL-3.0-only) AND Unicode-3.0 (*)\n\nb v1.0.0 (proc-macro)|MIT/X\n";
        assert_eq!(problems(good, &rules()), [""; 0]);
        for bad in [
            "b v1.0.0|GPL-3.0-only",
            "c v1.0.0|MIT AND GPL-3.0-only",
            "openssl-sys v1.0.0|MIT/Apache-2.0",
            "d v1.0.0 (https://example.org/d)|MIT",
            "e v1.0.0|",
        ] {
            assert_eq!(problems(bad, &rules()).len(), 1, "{bad}");
        }
    }
}

//! The ledger from outside: its list, its checks against the recorded verdicts, its command.

use assert_cmd::Command;
use deferlab::claims::{self, Entry, Grade, Ledger, Owner, Verdict, differences};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Left to `just verify`: seconds or more without optimisation.
const SLOW: [&str; 18] = [
    "thm-6.3",
    "thm-6.4",
    "thm-6.5",
    "thm-6.4-rate",
    "regret-sublinear",
    "gamma-comp-exp",
    "gamma-comp-log",
    "gamma-comp-gce",
    "gamma-sum-sq",
    "gamma-sum-tau",
    "experiments-horizon",
    "figure-syn-1-accuracy",
    "figure-syn-1-loss",
    "figure-syn-1-knowing",
    "figure-syn-1-weak",
    "figure-syn-1-queried",
    "figure-syn-1-baseline",
    "figure-syn-2-queried",
];

fn recorded() -> Ledger {
    Ledger::read(Path::new("reports/ledger.json")).unwrap()
}

fn deferlab() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("deferlab"))
}

#[test]
fn every_claim_says_what_where_and_under_which_name() {
    let all = claims::all();
    assert!(all.len() >= 50);
    let ids: BTreeSet<&str> = all.iter().map(|c| c.id).collect();
    assert_eq!(ids.len(), all.len(), "an id is used twice");
    for claim in &all {
        assert!(claim.id.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)));
        assert!(claim.statement.ends_with('.') && claim.statement.len() > 30, "{}", claim.id);
        assert!(!claim.reference.is_empty(), "{}", claim.id);
    }
    assert!(SLOW.iter().all(|id| ids.contains(id)));
}

#[test]
fn quick_claims_agree_with_the_record_and_repeat_themselves() {
    let quick: Vec<_> = claims::all().into_iter().filter(|c| !SLOW.contains(&c.id)).collect();
    let recorded = recorded();
    let theorems = claims::theorems(Path::new("reports")).unwrap();
    let done = claims::run(&quick, recorded.seed, &theorems, |_, _| {});
    let entries: Vec<Entry> =
        done.iter().map(|d| Entry::new(d, d.result.as_ref().unwrap())).collect();
    assert_eq!(differences(&recorded, &entries, true), []);
    for entry in &entries {
        let before = recorded.claims.iter().find(|e| e.id == entry.id).unwrap();
        // Whatever is not computed by the interior-point solver repeats to the bit.
        assert_eq!(entry.evidence, before.evidence, "{}", entry.id);
        assert_eq!(entry.witness, before.witness, "{}", entry.id);
        assert!(!entry.summary.is_empty() && !entry.evidence.is_empty(), "{}", entry.id);
    }
}

#[test]
fn the_record_is_complete_and_what_fails_has_a_witness() {
    let recorded = recorded();
    let now: Vec<&str> = claims::all().iter().map(|c| c.id).collect();
    let then: Vec<&str> = recorded.claims.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(now, then);
    for entry in &recorded.claims {
        if entry.verdict == Verdict::Fails {
            assert!(entry.witness.is_some(), "{}", entry.id);
        }
        if entry.verdict == Verdict::Loose {
            let t =
                entry.tightness.as_ref().unwrap_or_else(|| panic!("{}: by how much?", entry.id));
            assert!(t.attained < t.stated, "{}", entry.id);
        }
        // The file could have been edited: the rule of the engine holds in it as well.
        if entry.verdict == Verdict::Proved {
            let proof = matches!(entry.grade, Grade::MachineChecked | Grade::Enumerated);
            assert!(proof, "{}: {} evidence proves nothing", entry.id, entry.grade);
        }
        let implementation = entry.owner == Owner::Implementation;
        assert_eq!(implementation, entry.kind == "implementation", "{}", entry.id);
    }
    let owners: BTreeSet<Owner> = recorded.claims.iter().map(|e| e.owner).collect();
    assert_eq!(owners.len(), 3);
    let used: BTreeSet<Verdict> = recorded.claims.iter().map(|e| e.verdict).collect();
    assert!(used.len() >= 6, "{used:?}");
}

#[test]
fn other_seeds_give_the_same_verdicts() {
    let drawn = ["lem-6.2", "lem-d.4", "lem-f.2", "estimate-convex", "cor-5.2", "ogd-inequality"];
    let some: Vec<_> = claims::all().into_iter().filter(|c| drawn.contains(&c.id)).collect();
    let recorded = recorded();
    let theorems = claims::theorems(Path::new("reports")).unwrap();
    for seed in [2, 77, u64::MAX] {
        for done in claims::run(&some, seed, &theorems, |_, _| {}) {
            let before = recorded.claims.iter().find(|e| e.id == done.claim.id).unwrap();
            assert_eq!(done.result.unwrap().verdict(), before.verdict, "{} {seed}", done.claim.id);
        }
    }
}

#[test]
fn one_claim_tells_its_story() {
    let output = deferlab().args(["verify", "--claim", "lem-f.2"]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in [
        "lem-f.2: Fails",
        "Lem. F.2",
        "\nassumes ",
        "\nfound ",
        "\npaper ",
        "\nproof ",
        "\nwitness\n",
        "run it again: deferlab verify --claim lem-f.2",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    // For people: no JSON.
    assert!(!text.contains('{') && !text.contains("\": "), "{text}");
}

#[test]
fn an_unknown_claim_is_bad_usage_and_the_nearest_is_named() {
    let output = deferlab().args(["verify", "--claim", "lemma-f.2"]).assert().code(2);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("\"lem-f.2\""), "{text}");
}

#[test]
fn a_changed_verdict_fails_and_shows_both() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = recorded();
    let entry = ledger.claims.iter_mut().find(|e| e.id == "lem-f.1").unwrap();
    entry.verdict = Verdict::Proved;
    ledger.write(&folder.path().join("ledger.json")).unwrap();
    std::fs::copy("reports/proofs.json", folder.path().join("proofs.json")).unwrap();
    let args = ["verify", "--claim", "lem-f.1", "--format", "json", "--reports"];
    let output = deferlab().args(args).arg(folder.path()).assert().code(1);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let both = "lem-f.1: recorded Proved (machine-checked), now Loose (machine-checked)";
    assert!(error.contains(both), "{error}");
    let json: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["differences"][0]["recorded"][0], "Proved");
    assert_eq!(json["claims"][0]["verdict"], "Loose");
}

#[test]
fn a_run_without_a_record_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = deferlab().args(["verify", "--reports"]).arg(folder.path()).assert().code(2);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(error.contains("verify --record"), "{error}");
    std::fs::write(folder.path().join("ledger.json"), "{}").unwrap();
    deferlab().args(["verify", "--reports"]).arg(folder.path()).assert().code(2);
}

#[test]
fn the_list_is_machine_readable() {
    let output = deferlab().args(["claims", "--format", "json"]).assert().success();
    let json: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let list = json["claims"].as_array().unwrap();
    assert_eq!(list.len(), claims::all().len());
    assert!(list.iter().all(|c| c["id"].is_string() && c["statement"].is_string()));
    assert!(list.iter().all(|c| c.get("verdict").is_none()));
    assert!(!json["not_checkable"].as_array().unwrap().is_empty());
    deferlab().arg("claims").assert().success();
}

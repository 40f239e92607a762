//! The command as a subject and as the judge of subjects.

use assert_cmd::Command;
use serde_json::Value;

fn deferlab() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("deferlab"))
}

fn ours() -> String {
    format!("'{}' subject", env!("CARGO_BIN_EXE_deferlab"))
}

/// What `verify --subject` says about a command, and its exit code.
fn examined(command: &str) -> (Value, Option<i32>) {
    let output =
        deferlab().args(["verify", "--format", "json", "--subject", command]).output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

/// Standing and finding of one check.
fn found<'a>(value: &'a Value, id: &str) -> (&'a str, &'a str) {
    let checks = value["checks"].as_array().unwrap();
    let report = checks.iter().find(|report| report["check"] == id).unwrap();
    (report["standing"].as_str().unwrap(), report["finding"].as_str().unwrap())
}

/// The bound on the speed is a tenth of what a release build must reach: tests run unoptimised, beside
/// others.
#[test]
fn our_learner_passes_through_a_pipe_and_is_quick() {
    let (value, code) = examined(&ours());
    assert_eq!((&value["passed"], code), (&Value::Bool(true), Some(0)));
    for report in value["checks"].as_array().unwrap() {
        let expected = if report["check"] == "impl-refusals" { "not_run" } else { "passed" };
        assert_eq!(report["standing"], expected, "{report}");
    }
    let speed = value["rounds_per_second"].as_f64().unwrap();
    eprintln!("{speed:.0} rounds a second");
    assert!(speed > 500.0, "{speed} rounds a second");
}

#[test]
fn the_faulty_python_example_is_caught_in_words() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: python3 is not here, subject_faulty.py was not tried");
        return;
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    let (value, code) = examined(&format!("python3 '{folder}/examples/subject_faulty.py'"));
    assert_eq!((&value["passed"], code), (&Value::Bool(false), Some(1)));
    let (standing, sentence) = found(&value, "impl-unbiased-gradient");
    assert_eq!(standing, "wrong");
    assert!(sentence.starts_with("the estimate is biased for action"), "{sentence}");
    assert!(sentence.contains("expected 1, got 0.1"), "{sentence}");
    assert_eq!(found(&value, "impl-monte-carlo").0, "wrong");
    // What has nothing to do with the fault still passes.
    assert_eq!(found(&value, "impl-mixture").0, "passed");
    assert_eq!(found(&value, "impl-refusals").0, "not_run");
}

#[test]
fn a_saboteur_is_caught_through_the_pipe_with_the_same_words() {
    let (far, code) = examined(&format!("{} --fault schedule-ahead", ours()));
    assert_eq!((found(&far, "impl-step-size").0, code), ("wrong", Some(1)));
    // Those that the tests of the saboteurs expect in the process.
    let words = found(&far, "impl-step-size").1;
    assert!(words.contains("the one of t = 2"), "{words}");
}

#[test]
fn false_variants_of_one_claim_are_shown_with_what_refuted_them() {
    let arguments = ["verify", "--teeth", "--claim", "cor-5.2", "--format", "json"];
    let output = deferlab().args(arguments).assert().success();
    let shown: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let variants = shown["false_variants"].as_array().unwrap();
    assert!(!variants.is_empty() && variants.iter().all(|v| v["refuted"] == true), "{shown}");
}

#[test]
fn the_exit_code_is_the_verdict() {
    let good = deferlab().args(["verify", "--subject", &ours()]).assert().code(0);
    let text = String::from_utf8_lossy(&good.get_output().stdout).into_owned();
    assert!(text.contains(" passed, 0 failed, 1 not run, "), "{text}");
    let crash = deferlab().args(["verify", "--subject", "exit 3"]).assert().code(2);
    let text = String::from_utf8_lossy(&crash.get_output().stderr).into_owned();
    assert!(text.contains("the program crashed: it ended (exit status: 3)"), "{text}");
    // Said once, and nothing is counted as checked.
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(crash.get_output().stdout.is_empty());
    deferlab().args(["verify", "--subject", "cat", "--time-limit", "0"]).assert().code(2);
    deferlab().args(["subject", "--fault", "no-importence-weight"]).assert().code(2);
}

/// Refused requests over the wire leave the learner as it was.
#[test]
fn our_subject_refuses_nonsense_and_goes_on() {
    let init = r#"{"op":"init","n":2,"n_e":1,"d":1,"B":3,"rho":2,"surrogate":"cstnd_hinge","optimizer":"ogd","schedule":"general","feedback":"bandit"}"#;
    let decide = r#"{"op":"decide","x":[1.0],"available":[0]}"#;
    let nonsense = [
        r#"{"op":"observe","action":7,"correct":true,"cost":null}"#,
        r#"{"op":"observe","action":0,"correct":true,"cost":0.5}"#,
        r#"{"op":"observe","action":2,"correct":true,"cost":null}"#,
        r#"{"op":"observe","action":2,"correct":true,"cost":1.5}"#,
        r#"{"op":"dance"}"#,
        "hello",
    ];
    let outcome = r#"{"op":"observe","action":0,"correct":true,"cost":null}"#;
    let said = |lines: &[&str]| -> Vec<Value> {
        let output = deferlab().arg("subject").write_stdin(lines.join("\n")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let weights = r#"{"op":"weights"}"#;
    let mut lines = vec![init, decide];
    lines.extend(nonsense);
    lines.extend([outcome, weights]);
    let disturbed = said(&lines);
    for (line, answer) in lines.iter().zip(&disturbed) {
        assert_eq!(answer.get("error").is_some(), nonsense.contains(line), "{line}: {answer}");
    }
    let calm = said(&[init, decide, outcome, weights]);
    assert_eq!(disturbed.last(), calm.last());
    assert!(calm.last().unwrap()["W"].is_array());
}

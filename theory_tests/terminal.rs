//! What a person sees: the help of every command, and every command on a small input.
//!
//! One file a command in `snapshots/terminal`. After a wanted change of what is printed:
//! `INSTA_UPDATE=always cargo test --test theory terminal`, then look at the difference.

use crate::small_experiment::SMALL;
use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// Holds what a command prints, and how it ends, against the stored text. Temporary folders are
/// called `FOLDER`, times are left out.
fn assert_printed(name: &str, folder: &Path, input: &str, args: &[&str]) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
    // `COLUMNS` would move the lines of the help.
    command.current_dir(folder).env_remove("COLUMNS").write_stdin(input).args(args);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let text = text.replace(&folder.display().to_string(), "FOLDER");
        // Whether a proof checker is installed differs from machine to machine, progress from run to
        // run.
        let lines = text.lines().filter(|line| !line.starts_with("proofs: "));
        let lines = lines.filter(|line| !line.contains(" jobs, "));
        lines.map(|line| without_time(line) + "\n").collect::<String>()
    };
    let mut printed = format!("$ deferlab {}\n", args.join(" "));
    printed.push_str(&text(&output.stdout));
    let errors = text(&output.stderr);
    if !errors.is_empty() {
        printed += &format!("-- standard error\n{errors}");
    }
    printed.push_str(&format!("-- exit code {}\n", output.status.code().unwrap()));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/terminal");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, printed));
}

/// Words that are seconds (`0.03s`) become `TIME`.
fn without_time(line: &str) -> String {
    let is_time = |word: &str| {
        word.strip_suffix('s').is_some_and(|n| n.contains('.') && n.parse::<f64>().is_ok())
    };
    let shown = |word| if is_time(word) { "TIME" } else { word };
    line.split(' ').map(shown).collect::<Vec<_>>().join(" ").trim_end().into()
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let mut help = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
    let output = help.arg("--help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let list = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    // A name stands two spaces in; what follows it may go on in lines that stand further in.
    let names = list.filter_map(|line| line.strip_prefix("  ")).filter(|l| !l.starts_with(' '));
    names.filter_map(|line| Some(line.split_whitespace().next()?.into())).collect()
}

#[test]
fn every_command_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    assert_printed("help", folder.path(), "", &["--help"]);
    let commands = commands();
    assert!(commands.iter().any(|c| c == "verify") && commands.len() >= 9, "{commands:?}");
    for command in commands.iter().filter(|c| *c != "help") {
        let mut help = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
        let text = help.args([command, "--help"]).output().unwrap().stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(&format!("\n  deferlab {command}")), "{command} has no example");
        assert_printed(&format!("help-{command}"), folder.path(), "", &[command, "--help"]);
    }
}

#[test]
fn audit_eval_subject() {
    let folder = tempfile::tempdir().unwrap();
    assert_printed("audit", folder.path(), "", &["audit"]);
    let requests = concat!(
        r#"{"id":1,"kind":"normalized_cost","input":{"alpha":1,"beta":0.1}}"#,
        "\n",
        r#"{"id":2,"kind":"scores","input":{"n":2,"n_e":1,"A":[0],"p":[0.25,0.75],"c":[[0.5,0]]}}"#,
        "\n",
        r#"{"id":3,"kind":"skores","input":{}}"#,
        "\nnot JSON\n",
    );
    assert_printed("eval", folder.path(), requests, &["eval"]);
    let session = concat!(
        r#"{"op":"init","n":2,"n_e":1,"d":1,"B":5,"rho":1.5,"surrogate":"cstnd_hinge","#,
        r#""optimizer":"ogd","schedule":"general","feedback":"bandit"}"#,
        "\n",
        r#"{"op":"decide","x":[1],"available":[0]}"#,
        "\n",
        r#"{"op":"observe","action":2,"correct":true,"cost":0.25}"#,
        "\n",
        r#"{"op":"weights"}"#,
        "\n",
        r#"{"op":"decide","x":[1,2],"available":[0]}"#,
        "\n",
        r#"{"op":"bye"}"#,
        "\n",
    );
    assert_printed("subject", folder.path(), session, &["subject"]);
}

#[test]
fn claims_and_one_of_them() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_printed("verify", project, "", &["verify", "--claim", "score-mass"]);
    assert_printed("verify-typo", project, "", &["verify", "--claim", "thm6.5"]);
    assert_printed("claims", project, "", &["claims"]);
}

/// An experiment from its file to the page, in the order a person would go.
#[test]
fn run_reproduce_report_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("experiments")).unwrap();
    let small = SMALL.replace("runs = 3\nrounds = 400", "runs = 2\nrounds = 40");
    fs::write(folder.join("experiments/small.toml"), small).unwrap();
    // Before anything ran: afterwards it says how long that took.
    assert_printed("slurm", folder, "", &["slurm", "experiments/small.toml", "--tasks", "2"]);
    assert_printed("run", folder, "", &["run", "experiments/small.toml"]);
    assert_printed("reproduce", folder, "", &["reproduce", "small"]);
    assert_printed("status", folder, "", &["status", "experiments/small.toml"]);
    assert_printed("merge", folder, "", &["merge", "experiments/small.toml"]);
    assert_printed("reproduce-typo", folder, "", &["reproduce", "smal"]);
    assert_printed("report", folder, "", &["report", "small"]);
    assert_printed("page", folder, "", &["page"]);
    assert_printed("summary-without-ledger", folder, "", &["summary"]);
}

/// A claim that fails, one that is loose and one that is proved, as they were recorded: two sections, and
/// none without content.
#[test]
fn summary_of_three_claims() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/ledger.json");
    let text = fs::read_to_string(recorded).unwrap();
    let mut ledger: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kept = ["score-mass", "gamma-sum-sq", "prop-6.1-formula"];
    let claims = ledger["claims"].as_array_mut().unwrap();
    claims.retain(|claim| kept.contains(&claim["id"].as_str().unwrap()));
    assert_eq!(claims.len(), kept.len());
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("reports")).unwrap();
    fs::write(folder.path().join("reports/ledger.json"), ledger.to_string()).unwrap();
    assert_printed("summary", folder.path(), "", &["summary"]);
}

/// What is made from the definition of the command line names every command.
#[test]
fn completions_and_manual_know_every_command() {
    for args in [&["completions", "bash"][..], &["man"]] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
        let output = command.args(args).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let missing: Vec<String> = commands().into_iter().filter(|c| !text.contains(c)).collect();
        assert_eq!(missing, [""; 0], "{args:?}");
        assert_printed(args[0], Path::new(env!("CARGO_MANIFEST_DIR")), "", args);
    }
}

//! The command line and the example, as a user meets them.

use assert_cmd::Command;

mod route {
    include!("../examples/route.rs");

    pub fn run() -> Result<(), LearnerError> {
        main()
    }
}

fn deferlab() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("deferlab"))
}

#[test]
fn the_example_runs() {
    route::run().unwrap();
}

#[test]
fn eval_answers_line_by_line_and_goes_on_after_errors() {
    let input = concat!(
        r#"{"id":"a","kind":"normalized_cost","input":{"alpha":1,"beta":1}}"#,
        "\nrubbish\n",
        r#"{"id":"b","kind":"scores","input":{"n":2,"n_e":0,"A":[],"p":[0.5,0.6],"c":[]}}"#,
        "\n"
    );
    let output = deferlab().arg("eval").write_stdin(input).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], r#"{"id":"a","output":{"correct":0.5,"wrong":1.0}}"#);
    assert!(lines[1].contains("line 2"), "{}", lines[1]);
    assert!(lines[2].contains(r#""id":"b","error":"p sums to 1.1"#), "{}", lines[2]);
}

#[test]
fn eval_reads_a_file_and_names_one_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.jsonl");
    std::fs::write(
        &path,
        "{\"id\":1,\"kind\":\"normalized_cost\",\"input\":{\"alpha\":0,\"beta\":0}}\n",
    )
    .unwrap();
    let output = deferlab().arg("eval").arg(&path).assert().success();
    assert!(output.get_output().stdout.starts_with(br#"{"id":1,"output":{"correct":0.0"#));
    let missing = folder.path().join("nowhere.jsonl");
    let output = deferlab().arg("eval").arg(&missing).assert().code(2);
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(message.contains("nowhere.jsonl"), "{message}");
}

#[test]
fn bad_usage_exits_with_2() {
    deferlab().assert().code(2);
    deferlab().arg("nonsense").assert().code(2);
    deferlab().args(["eval", "--nonsense"]).assert().code(2);
    deferlab().arg("--version").assert().success();
}

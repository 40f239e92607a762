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
    let output = deferlab().arg("eval").write_stdin(input).assert().code(2);
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.starts_with("deferlab: eval: 2 bad requests; "), "{said}");
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
fn the_sample_requests_are_all_answered() {
    let output = deferlab().args(["eval", "examples/requests.jsonl"]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let sample = std::fs::read_to_string("examples/requests.jsonl").unwrap();
    assert_eq!(text.lines().count(), sample.lines().count());
    // Every kind has a sample, and every sample a place in the documentation.
    let documented = std::fs::read_to_string("docs/eval.md").unwrap();
    let kinds = [
        "scores",
        "true_risk",
        "normalized_cost",
        "surrogate",
        "proj_KA",
        "proj_ball",
        "estimator",
        "trajectory",
        "min_gap",
        "bounds",
        "schedules",
    ];
    let unknown = deferlab()
        .arg("eval")
        .write_stdin("{\"id\":1,\"kind\":\"x\",\"input\":{}}\n")
        .output()
        .unwrap();
    let known = String::from_utf8(unknown.stdout).unwrap();
    for kind in kinds {
        assert!(known.contains(kind), "{kind} is not a kind: {known}");
        assert!(sample.contains(&format!("\"kind\":\"{kind}\"")), "no sample of {kind}");
        assert!(documented.contains(&format!("## `{kind}`")), "{kind} is not documented");
    }
    let listed = known.split("expected one of ").nth(1).unwrap().split(", ").count();
    assert_eq!(listed, kinds.len(), "{known}");
}

#[test]
fn verdicts_have_colour_where_it_is_wanted() {
    let run = |args: &[&str], no_color: bool| {
        let mut command = deferlab();
        command.args(["verify", "--claim", "cost-range"]).args(args).env_remove("NO_COLOR");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let escape = '\u{1b}';
    // Nobody is looking: no colour, unless it was asked for; asking beats NO_COLOR.
    assert!(!run(&[], false).contains(escape));
    assert!(!run(&["--color", "never"], false).contains(escape));
    assert!(run(&["--color", "always"], false).contains(&format!("{escape}[32mProved{escape}[0m")));
    assert!(run(&["--color", "always"], true).contains(escape));
}

#[test]
fn lines_fit_the_width_that_is_given() {
    for (args, most) in
        [(vec!["claims"], 60), (vec!["audit"], 70), (vec!["verify", "--claim", "thm-6.5"], 70)]
    {
        let output = deferlab().args(&args).env("COLUMNS", most.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // A word may be longer than the line; it then stands alone.
        let wide = |line: &&str| line.chars().count() > most && line.trim().contains(' ');
        let wide: Vec<&str> = text.lines().filter(wide).collect();
        let broken: Vec<&&str> = wide
            .iter()
            .filter(|line| line.split_whitespace().all(|word| word.chars().count() + 30 < most))
            .collect();
        assert!(text.lines().count() > 10 && broken.is_empty(), "{args:?}: {broken:#?}");
    }
}

#[test]
fn a_claim_is_found_by_a_part_of_its_name_and_in_any_case() {
    let say = |id: &str| {
        let output = deferlab().args(["verify", "--claim", id]).assert().code(2);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    assert!(say("THM-6.5").contains("did you mean \"thm-6.5\"?"));
    assert!(
        say("sublinear").contains("one of \"regret-sublinear\", \"regret-sublinear-measured\"?")
    );
    assert!(say("Thm 6.4").contains("did you mean \"thm-6.4\"?"), "{}", say("Thm 6.4"));
    assert!(!say("nothing-like-a-claim-at-all").contains("did you mean"));
}

#[test]
fn bad_usage_exits_with_2() {
    deferlab().assert().code(2);
    deferlab().arg("nonsense").assert().code(2);
    deferlab().args(["eval", "--nonsense"]).assert().code(2);
    let version = deferlab().arg("--version").assert().success();
    let said = String::from_utf8(version.get_output().stdout.clone()).unwrap();
    assert!(said.starts_with(&format!("deferlab {}", env!("CARGO_PKG_VERSION"))), "{said}");
}

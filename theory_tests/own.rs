//! Programs that play, through the command line: the example in Python, and our own router as one.

use assert_cmd::Command;
use std::path::Path;

fn deferlab() -> Command {
    Command::cargo_bin("deferlab").unwrap()
}

/// The tickets of the example, 200 rounds, with these policies.
fn experiment(folder: &Path, policies: &str) -> std::path::PathBuf {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own-data/tickets.csv");
    std::fs::copy(table, folder.join("tickets.csv")).unwrap();
    let text = format!(
        "name = \"own\"\nseed = 1\nruns = 2\nrounds = 200\ncheckpoints = {{ linear = 4 }}\n\
         [[stream]]\nname = \"tickets\"\n[stream.table]\nfile = \"tickets.csv\"\nlabel = \"topic\"\n\
         experts = [\"ann\", \"bob\", \"bot\"]\nclasses = [\"billing\", \"technical\", \"other\"]\nshuffle = true\n{policies}"
    );
    let path = folder.join("own.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn command(name: &str, run: &str) -> String {
    let run = serde_json::to_string(run).unwrap();
    format!("[[policy]]\nname = \"{name}\"\ncommand = {{ run = {run}, time_limit = 60.0 }}\n")
}

#[test]
fn programs_play_and_faults_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let ours = format!("'{}' subject --learner router", env!("CARGO_BIN_EXE_deferlab"));
    let mut policies = command("ours", &ours);
    if std::process::Command::new("python3").arg("--version").output().is_ok() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/policy.py");
        policies += &command("python", &format!("python3 '{}'", example.display()));
    } else {
        eprintln!("SKIPPED: python3 is not here, examples/policy.py was not tried");
    }
    let file = experiment(folder.path(), &policies);
    let store = folder.path().join("runs");
    let log = folder.path().join("log.jsonl");
    let run = || {
        let mut run = deferlab();
        run.arg("run").arg(&file).arg("--store").arg(&store);
        run
    };
    let good = run().arg("--log").arg(&log).assert().code(0);
    let text = String::from_utf8_lossy(&good.get_output().stdout).into_owned();
    assert!(text.contains("tickets: ours"), "{text}");
    let logged = std::fs::read_to_string(&log).unwrap();
    assert_eq!(logged.lines().count() % 400, 0);
    assert!(logged.lines().next().unwrap().contains("\"policy\":\"ours\""));
    // A program that fails is told, with its round; what is played by others is kept.
    let policies = policies + &command("broken", "exit 3");
    let file = experiment(folder.path(), &policies);
    let mut run = deferlab();
    run.arg("run").arg(&file).arg("--store").arg(folder.path().join("others"));
    let bad = run.assert().code(1);
    let text = String::from_utf8_lossy(&bad.get_output().stderr).into_owned();
    assert!(text.contains("`broken`, run 0") && text.contains("exit status: 3"), "{text}");
}

#[test]
fn a_state_belongs_to_the_router() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("router.json");
    let serve = |input: &str| {
        let mut serve = deferlab();
        serve.args(["subject", "--learner", "belief", "--state"]).arg(&state);
        let output = serve.write_stdin(input).assert().code(0);
        String::from_utf8_lossy(&output.get_output().stdout).into_owned()
    };
    let init = r#"{"op":"init","classes":[],"experts":["small","large"],"d":16}"#;
    let round = r#"{"op":"decide","text":"hello world"}"#;
    let first = serve(&format!("{init}\n{round}\n{{\"op\":\"observe\",\"reward\":0.5}}\n"));
    assert!(
        first.contains("\"restored\":false") && first.contains("\"active\":[\"small\",\"large\"]")
    );
    assert!(serve(init).contains("\"restored\":true,\"round\":2"));
    deferlab().args(["subject", "--state", "x.json"]).assert().code(2);
    // One digit of a number is enough.
    let whole = std::fs::read_to_string(&state).unwrap();
    let digit = whole.replacen("\"t\":2", "\"t\":3", 1);
    assert_ne!(digit, whole);
    for content in [&digit, "rubbish"] {
        std::fs::write(&state, content).unwrap();
        let mut damaged = deferlab();
        damaged.args(["subject", "--learner", "router", "--state"]).arg(&state);
        damaged.write_stdin(init).assert().code(2);
        assert_eq!(std::fs::read_to_string(&state).unwrap(), content);
    }
}

/// Whether a learner asks the better experts is looked at where there is a choice between them.
#[test]
fn one_expert_is_no_choice() {
    for (experts, looked_at) in [("[\"ann\"]", false), ("[\"ann\", \"bob\"]", true)] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("t.csv"), "a,label,ann,bob\n1,0,0,1\n2,1,1,0\n3,0,1,0\n").unwrap();
        let text = format!(
            "name = \"own\"\nseed = 1\nruns = 1\nrounds = 60\nstream = [{{ name = \"t\", table = {{ file = \"t.csv\", \
             classes = 2, label = \"label\", features = [\"a\"], experts = {experts}, shuffle = true }} }}]\n\
             policy = [{{ name = \"router\", auto = {{}} }}]\n"
        );
        std::fs::write(at("own.toml"), text).unwrap();
        let mut run = deferlab();
        run.arg("run")
            .arg(at("own.toml"))
            .arg("--store")
            .arg(at("runs"))
            .arg("--out")
            .arg(at("report"));
        run.assert().code(0);
        let report = std::fs::read_to_string(at("report/report.json")).unwrap();
        assert_eq!(report.contains("asks-better-experts"), looked_at, "{experts}");
    }
}

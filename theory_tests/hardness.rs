//! The program where things go wrong around it: readers that leave, disks that are full, subjects that
//! do not listen, text that would steer a terminal, numbers that overflow.

use crate::small_experiment::SMALL;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn deferlab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_deferlab"))
}

/// Two small experiments in a folder of their own.
fn two_experiments() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let experiments = folder.path().join("experiments");
    std::fs::create_dir(&experiments).unwrap();
    for name in ["one", "two"] {
        let text = SMALL.replace("name = \"small\"", &format!("name = \"{name}\""));
        std::fs::write(experiments.join(format!("{name}.toml")), text).unwrap();
    }
    (folder, experiments)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `reproduce` of both with its output going to `stdout`; the end of the process.
fn reproduce(folder: &Path, experiments: &Path, stdout: Stdio, stderr: Stdio) -> Output {
    let (store, out) = (folder.join("runs"), folder.join("reports"));
    let mut command = deferlab();
    command.args(["reproduce", "one", "two", "--experiments"]).arg(experiments);
    command.arg("--store").arg(store).arg("--out").arg(out);
    command.stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap()
}

fn both_reported(folder: &Path) -> bool {
    ["one", "two"].iter().all(|name| folder.join("reports").join(name).join("README.md").is_file())
}

#[test]
fn a_full_standard_output_is_an_error_after_everything_was_done() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let (folder, experiments) = two_experiments();
    let output = reproduce(folder.path(), &experiments, full(), Stdio::piped());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("deferlab: standard output: No space left"), "{said}");
    assert!(both_reported(folder.path()) && !said.contains("panicked"), "{said}");
    // Standard error that is full is nobody's loss.
    let output = reproduce(folder.path(), &experiments, Stdio::null(), full());
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_reader_who_leaves_stops_nothing() {
    let (folder, experiments) = two_experiments();
    let gone = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let output = reproduce(folder.path(), &experiments, gone(), Stdio::piped());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(both_reported(folder.path()));
    let report = |stdout: Stdio| {
        let mut command = deferlab();
        command.args(["report", "one", "--experiments"]).arg(&experiments);
        command.arg("--store").arg(folder.path().join("runs"));
        command.arg("--out").arg(folder.path().join("reports"));
        command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
    };
    let output = report(gone());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The verdict on a subject is the same whether or not anybody reads it.
    let args = ["verify", "--subject", "exit 3"];
    let output = deferlab().args(args).stdout(gone()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Neither a signal nor `kill -9` leaves a subject behind that sleeps.
#[test]
fn a_subject_does_not_outlive_a_killed_verify() {
    for signal in ["TERM", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let subject =
            format!("echo $$ > '{0}.part'; mv '{0}.part' '{0}'; exec sleep 1000", file.display());
        let mut verify = deferlab()
            .args(["verify", "--subject", &subject, "--time-limit", "600"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let patience = Instant::now() + Duration::from_secs(60);
        while !file.exists() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(10));
        }
        let pid = std::fs::read_to_string(&file).unwrap();
        let kill = Command::new("kill").args(["-s", signal, &verify.id().to_string()]).status();
        assert!(kill.unwrap().success());
        verify.wait().unwrap();
        let stat = Path::new("/proc").join(pid.trim()).join("stat");
        let gone = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))
        });
        assert!(gone, "after SIG{signal} the subject {} still runs", pid.trim());
    }
}

#[test]
fn a_slow_subject_is_stopped_at_the_total_limit() {
    let subject = "while read -r line; do sleep 0.2; echo '{\"ok\":true}'; done";
    let start = Instant::now();
    let args = ["verify", "--subject", subject, "--total-limit", "0.1"];
    let output = deferlab().args(args).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the program is too slow"), "{said}");
    assert!(said.contains("0 passed, 1 failed"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(60));
    let output = deferlab().args(["verify", "--subject", "cat", "--total-limit", "0"]).output();
    assert_eq!(output.unwrap().status.code(), Some(2));
}

/// A subject's own words cannot erase the verdict and write another.
#[test]
fn words_of_others_do_not_steer_the_terminal() {
    let error = "\\u001b[2K\\rall checks passed\\u009b2J\\u202e";
    let subject =
        format!("while read -r line; do printf '%s\\n' '{{\"error\":\"{error}\"}}'; done");
    let output = deferlab().args(["verify", "--subject", &subject]).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said:?}");
    assert!(said.contains("all checks passed"), "{said:?}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{said:?}");
    // A claim that does not exist, a file that is not there.
    let output = deferlab().args(["verify", "--claim", "a\u{1b}[31mb"]).output().unwrap();
    assert!(!output.stderr.contains(&0x1b) && output.status.code() == Some(2));
    let output = deferlab().args(["run", "no\u{1b}]0;title\u{7}.toml"]).output().unwrap();
    assert!(!output.stderr.contains(&0x1b) && output.status.code() == Some(2));
}

#[test]
fn a_claim_without_a_record_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["verify", "--claim", "lem-f.1", "--reports"];
    let output = deferlab().args(args).arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("verify --record"), "{}", text(&output.stderr));
}

#[test]
fn eval_names_what_overflows_and_refuses_a_field_twice() {
    let answer = deferlab::eval::answer;
    let cases = [(
        r#"{"id":1,"kind":"schedules","input":{"B":100,"N":2,"rho":1e-308,"t":[1]}}"#,
        "general[0][0]",
    )];
    for (request, field) in cases {
        let said = answer(request);
        assert!(said.contains("\"error\":\"") && said.contains("overflow"), "{said}");
        assert!(said.contains(field) && !said.contains("null"), "{said}");
    }
    for twice in [
        r#"{"id":1,"id":2,"kind":"bounds","input":{"B":1,"N":3,"rho":1,"T":10}}"#,
        r#"{"id":1,"kind":"scores","kind":"bounds","input":{"B":1,"N":3,"rho":1,"T":10}}"#,
        r#"{"id":1,"kind":"bounds","input":{},"input":{"B":1,"N":3,"rho":1,"T":10}}"#,
        r#"{"id":1,"kind":"bounds","input":{"B":1,"B":2,"N":3,"rho":1,"T":10}}"#,
    ] {
        assert!(answer(twice).contains("duplicate field"), "{}", answer(twice));
    }
    let good = answer(r#"{"id":1,"kind":"bounds","input":{"B":1,"N":3,"rho":1,"T":10}}"#);
    assert!(good.starts_with("{\"id\":1,\"output\":{"), "{good}");
}

/// Where there is no minimizer the answer says so on purpose, which is no overflow.
#[test]
fn eval_still_answers_null_where_it_means_it() {
    let request = r#"{"id":1,"kind":"surrogate","input":{"name":"comp_log","n":2,"n_e":0,"A":[],"p":[1,0],"c":[],"u":[0,0]}}"#;
    let said = deferlab::eval::answer(request);
    assert!(said.contains("\"output\"") && said.contains("\"minimizer\":null"), "{said}");
}

/// Parts of an experiment by hand: run, look, merge, and the scripts for Slurm.
#[test]
fn parts_are_run_told_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join("small.toml"), folder.path().join("runs"));
    std::fs::write(&file, SMALL).unwrap();
    let go = |args: &[&str], code: i32| {
        let mut command = deferlab();
        command.arg(args[0]).arg(&file).args(&args[1..]).arg("--store").arg(&store);
        let output = command.output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    };
    let said = go(&["run", "--shard", "1/2"], 0);
    assert!(said.contains("small, part 1/2: "), "{said}");
    assert!(!go(&["merge"], 1).contains(" 0 are missing"));
    let said = go(&["status"], 0);
    assert!(said.contains("0 running, 0 failed") && !said.contains(" 0 missing"), "{said}");
    go(&["run", "--shard", "2/2"], 0);
    assert!(go(&["merge"], 0).contains(" 0 are missing"));
    assert!(go(&["merge"], 0).contains(" 0 are missing"));
    assert!(go(&["run"], 0).contains(": 0 jobs to run"));
    go(&["run", "--shard", "3/2"], 2);

    let said = go(&["slurm", "--tasks", "4", "--at-once", "3", "--partition", "long"], 0);
    assert!(said.contains("in 4 tasks") && said.contains("submit: bash "), "{said}");
    let scripts = store.join("small/slurm");
    for name in ["array.sh", "merge.sh", "submit.sh"] {
        let script = scripts.join(name);
        assert!(Command::new("bash").arg("-n").arg(&script).status().unwrap().success());
        let content = std::fs::read_to_string(&script).unwrap();
        assert!(!content.contains("@NAME@") && !content.contains("@FOLDER@"), "{content}");
    }
    let array = std::fs::read_to_string(scripts.join("array.sh")).unwrap();
    for part in [
        "#SBATCH --array=1-4%3\n",
        "#SBATCH --partition=long\n",
        "#SBATCH --signal=B:USR1@120\n",
        "--shard \"$SLURM_ARRAY_TASK_ID/4\"",
    ] {
        assert!(array.contains(part), "{part} is missing in\n{array}");
    }
    // What would be more than a word to Slurm is refused.
    go(&["slurm", "--tasks", "4", "--partition", "a\n#SBATCH --uid=0"], 2);
    go(&["slurm", "--tasks", "0"], 2);
}

#[test]
fn a_signal_stops_a_run_with_a_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join("small.toml"), folder.path().join("runs"));
    // Minutes of work; what a stream does without a policy is not stopped.
    let text_of = SMALL.replace("rounds = 400", "rounds = 20000000");
    std::fs::write(&file, text_of.replace("seed = 7", "seed = 7\ntrace = false")).unwrap();
    let mut command = deferlab();
    command.arg("run").arg(&file).args(["--threads", "1", "--store"]).arg(&store);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while !store.join("small/records.jsonl").exists() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
    }
    // The jobs start a moment later.
    std::thread::sleep(Duration::from_secs(1));
    let kill = Command::new("kill").args(["-s", "USR1", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(75), "{said}");
    assert!(said.contains("deferlab: stopped: "), "{said}");
}

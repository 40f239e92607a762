//! Subjects through real pipes: a Python one and broken ones. Ours, as a program, is in `subject_command`.

use super::{External, Subject, SubjectError, TimeLimits};
use crate::claims::implementation::{CHECKS, Failure, Standing, SubjectFinding, check, examine};
use std::time::{Duration, Instant};

fn python(file: &str) -> Option<String> {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIPPED: python3 is not here, {file} was not tried");
    }
    found.then(|| format!("python3 '{}/examples/{file}'", env!("CARGO_MANIFEST_DIR")))
}

fn reports(command: &str, limits: TimeLimits) -> Vec<SubjectFinding> {
    let mut start = || -> Result<Box<dyn Subject>, SubjectError> {
        Ok(Box::new(External::start(command, limits)?))
    };
    examine(&mut start, 1).collect()
}

fn assert_passes(command: &str) {
    let reports = reports(command, TimeLimits::default());
    assert_eq!(reports.len(), CHECKS.len());
    for report in reports {
        let expected = match report.check {
            "impl-refusals" => Standing::NotRun,
            _ => Standing::Passed,
        };
        assert_eq!(report.standing, expected, "{}: {}", report.check, report.finding);
    }
}

const QUICK: TimeLimits = TimeLimits {
    first: Duration::from_millis(700),
    reply: Duration::from_millis(700),
    until: None,
};

#[test]
fn the_python_example_passes() {
    if let Some(command) = python("subject.py") {
        assert_passes(&command);
    }
}

/// The verdict on a subject that never gets as far as an answer.
fn verdict_on(command: &str, limits: TimeLimits) -> SubjectError {
    let mut subject = External::start(command, limits).unwrap();
    let run = check("impl-active-set").unwrap().run;
    match run(&mut subject, 1) {
        Err(Failure::Broken(error)) => error,
        other => panic!("{command}: {other:?}"),
    }
}

/// A shell subject that acknowledges `init` and then runs `then` for every line.
fn after_init(then: &str) -> String {
    format!("read line; echo '{{\"ok\":true}}'; while read line; do {then}; done")
}

#[test]
fn a_crash_is_told_with_last_words() {
    let command = after_init("echo 'out of memory' >&2; exit 7");
    let text = verdict_on(&command, TimeLimits::default()).to_string();
    assert!(text.contains("crashed: it ended (exit status: 7) when asked to decide"), "{text}");
    assert!(text.contains("out of memory"), "{text}");
    let missing = verdict_on("no-such-program-anywhere", TimeLimits::default()).to_string();
    assert!(missing.contains("crashed") && missing.contains("not found"), "{missing}");
    let killed = verdict_on(&after_init("kill -9 $$"), TimeLimits::default()).to_string();
    assert!(killed.contains("signal: 9"), "{killed}");
}

#[test]
fn a_hang_ends_at_the_time_limit_and_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    // A grandchild keeps the pipe open: killing the shell alone would leave it behind.
    let then = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
    let start = Instant::now();
    let error = verdict_on(&after_init(&then), QUICK);
    assert!(matches!(error, SubjectError::Hung { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("hangs: no reply to decide (request 2) within 0.7 s"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(10));
    let pid = std::fs::read_to_string(&file).unwrap();
    let process = std::path::Path::new("/proc").join(pid.trim());
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        // A process that nobody has waited for yet is still listed, as a zombie.
        std::fs::read_to_string(process.join("stat")).map_or(true, |stat| stat.contains(") Z "))
    });
    assert!(gone, "process {} still runs", pid.trim());
}

#[test]
fn after_a_hang_the_rest_is_not_run_and_not_passed() {
    let reports = reports("sleep 1000", QUICK);
    assert_eq!(reports[0].standing, Standing::Broken);
    assert!(reports[1..].iter().all(|report| report.standing == Standing::NotRun));
    assert!(reports[1..].iter().all(|report| !report.is_outside_protocol()));
}

#[test]
fn invalid_json_is_quoted() {
    let text = |then: &str| verdict_on(&after_init(then), TimeLimits::default()).to_string();
    let hello = text("echo hello");
    assert!(
        hello.contains("sent invalid JSON in reply to decide (request 2): \"hello\""),
        "{hello}"
    );
    assert!(text("echo").contains("an empty line"));
    assert!(text("echo '{\"ok\":true}'").contains("missing field `active`"));
    assert!(text(r#"printf '\377\376\n'"#).contains("invalid JSON"));
    assert!(text("echo '[1,2'").contains("invalid JSON"));
    let endless = verdict_on("yes | tr -d '\\n'", TimeLimits::default()).to_string();
    assert!(endless.contains("a line without end"), "{endless}");
    let at_once = verdict_on("echo starting up...; cat", TimeLimits::default()).to_string();
    assert!(at_once.contains("\"starting up...\""), "{at_once}");
}

#[test]
fn numbers_that_are_none_are_named() {
    let text = |reply: &str| {
        verdict_on(&after_init(&format!("echo '{reply}'")), TimeLimits::default()).to_string()
    };
    let nan = text(r#"{"active":[0,1,2],"scores":[0.0,NaN,0.0],"q":[1,0,0]}"#);
    assert!(nan.contains("has NaN at scores[1]: expected a finite number"), "{nan}");
    let null = text(r#"{"active":[0,1,2],"scores":[0.0,0.0,0.0],"q":[1,0,null]}"#);
    assert!(null.contains("has null at q[2]"), "{null}");
    let huge = text(r#"{"active":[0,1,2],"scores":[0.0,1e999,0.0],"q":[1,0,0]}"#);
    assert!(huge.contains("a number too large at scores[1]"), "{huge}");
    let short = text(r#"{"active":[0,1,2],"scores":[0.0,0.0],"q":[1,0,0]}"#);
    assert!(short.contains("3 active actions, 2 scores and 3 probabilities"), "{short}");
}

#[test]
fn weights_of_the_wrong_shape_are_told() {
    let answer = r#"{"active":[0,1,2],"scores":[0,0,0],"q":[0.7,0.2,0.1]}"#;
    let then = format!(
        "case $line in *weights*) echo '{{\"W\":[[0,0],[0,0]]}}';; *decide*) echo '{answer}';; \
         *) echo '{{\"ok\":true}}';; esac"
    );
    let mut subject = External::start(&after_init(&then), TimeLimits::default()).unwrap();
    let run = check("impl-scores").unwrap().run;
    let text = run(&mut subject, 1).unwrap_err().to_string();
    assert!(text.contains("2 rows of 2 entries, expected 6 rows of 5 (bias last)"), "{text}");
}

#[test]
fn a_refusal_is_told_with_its_reason() {
    let error = verdict_on(&after_init("echo '{\"error\":\"not today\"}'"), TimeLimits::default());
    assert_eq!(error.to_string(), "the program refused decide (request 2): not today");
    let error = verdict_on("read line; echo '{\"ok\":false}'; cat", TimeLimits::default());
    assert!(error.to_string().contains("refused init"), "{error}");
}

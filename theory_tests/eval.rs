//! `eval` against solved cases, and against requests that make no sense.
//!
//! `vectors.json` holds cases worked out by hand or in rational arithmetic. More can be had by
//! setting `DEFERLAB_VECTORS` to a file of the same form.

use crate::plain_round;
use deferlab::eval;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Cursor;

/// Where `got` and `want` differ by more than `tol`, in words.
fn difference(got: &Value, want: &Value, tol: f64, path: &str) -> Option<String> {
    match (got, want) {
        (Value::Object(g), Value::Object(w)) => {
            let mut names: Vec<_> = g.keys().collect();
            let mut expected: Vec<_> = w.keys().collect();
            names.sort();
            expected.sort();
            if names != expected {
                return Some(format!("{path}: fields {names:?}, expected {expected:?}"));
            }
            w.iter().find_map(|(k, w)| difference(&g[k], w, tol, &format!("{path}.{k}")))
        }
        (Value::Array(g), Value::Array(w)) if g.len() == w.len() => {
            let pairs = g.iter().zip(w).enumerate();
            pairs.into_iter().find_map(|(i, (g, w))| difference(g, w, tol, &format!("{path}[{i}]")))
        }
        (Value::Number(g), Value::Number(w)) => {
            let (g, w) = (g.as_f64().unwrap(), w.as_f64().unwrap());
            ((g - w).abs() > tol).then(|| format!("{path}: {g}, expected {w}"))
        }
        _ => (got != want).then(|| format!("{path}: {got}, expected {want}")),
    }
}

/// The output for a case, or what went wrong.
type Answer = Result<Value, String>;

/// Holds every case of `text` against `answer`, which may leave some out; returns how many were checked.
fn check(text: &str, answer: impl Fn(&Value) -> Option<Answer>) -> usize {
    let cases: Value = serde_json::from_str(text).unwrap();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for case in cases["vectors"].as_array().unwrap() {
        let Some(answer) = answer(case) else { continue };
        let (id, tol) = (case["id"].as_str().unwrap(), case["tol"].as_f64().unwrap());
        match answer {
            Ok(output) => wrong.extend(difference(&output, &case["output"], tol, id)),
            Err(error) => wrong.push(error),
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{} of {checked} wrong:\n{}", wrong.len(), wrong.join("\n"));
    checked
}

/// What `eval` says.
fn evaluated(case: &Value) -> Option<Answer> {
    let request = json!({"id": case["id"], "kind": case["kind"], "input": case["input"]});
    let mut answer: Value = serde_json::from_str(&eval::answer(&request.to_string())).unwrap();
    assert_eq!(answer["id"], case["id"]);
    Some(match answer.get_mut("output") {
        Some(output) => Ok(output.take()),
        None => Err(answer.to_string()),
    })
}

/// What the plain round says, for kinds that are about a round.
fn plain(case: &Value) -> Option<Answer> {
    plain_round::answer(case["kind"].as_str().unwrap(), &case["input"]).map(Ok)
}

/// The synthetic sizes: the bound of Thm 6.4 is above `T`, that of the ridge learner below it.
#[test]
fn bounds_tell_of_the_ridge_learner_on_request() {
    let asked = json!({"dim": 121, "lambda": 30.0, "W": 1.0});
    let input = json!({"B": 9, "N": 9, "rho": 31f64.sqrt(), "T": 100_000, "ridge": asked});
    let case = json!({"id": 1, "kind": "bounds", "input": input});
    let bounds = evaluated(&case).unwrap().unwrap();
    let known = bounds["ridge"]["known_horizon"]["total"].as_f64().unwrap() / 1e5;
    assert!((known - 0.916).abs() < 1e-3, "{known}");
    assert!(bounds["true"]["total"].as_f64().unwrap() > 1e5);
    let from = bounds["ridge"]["anytime_below_T"]["at_most"].as_f64().unwrap();
    assert!((1.85e5..1.95e5).contains(&from), "{from}");
}

#[test]
fn own_cases() {
    let cases = include_str!("vectors.json");
    assert!(check(cases, evaluated) >= 40);
    assert!(check(cases, plain) >= 10);
}

#[test]
fn given_cases() {
    match std::env::var_os("DEFERLAB_VECTORS") {
        None => {
            eprintln!("DEFERLAB_VECTORS is not set: only the cases of this project are checked")
        }
        Some(path) => {
            let cases = std::fs::read_to_string(path).unwrap();
            let checked = check(&cases, evaluated);
            assert!(checked > 0 && check(&cases, plain) > 0);
            eprintln!("{checked} cases");
        }
    }
}

#[test]
fn a_wrong_digit_is_noticed() {
    let right = json!({"a": [1.0, null], "b": {"c": 2}});
    assert_eq!(difference(&right, &right, 0.0, ""), None);
    for wrong in [
        json!({"a": [1.1, null], "b": {"c": 2}}),
        json!({"a": [1.0, 0.0], "b": {"c": 2}}),
        json!({"a": [1.0], "b": {"c": 2}}),
        json!({"a": [1.0, null], "b": {}}),
        json!({"a": [1.0, null]}),
    ] {
        assert!(difference(&wrong, &right, 1e-3, "").is_some());
    }
}

/// The error for `kind` with `input` changed at `pointer`; without a value the field is removed.
fn refuse(kind: &str, mut input: Value, field: &str, value: Option<&str>) -> String {
    let object = input.as_object_mut().unwrap();
    object.remove(field);
    let mut text = input.to_string();
    if let Some(value) = value {
        let comma = if text.len() > 2 { "," } else { "" };
        text.truncate(text.len() - 1);
        text += &format!("{comma}\"{field}\":{value}}}");
    }
    let line = format!("{{\"id\":[7],\"kind\":\"{kind}\",\"input\":{text}}}");
    let answer: Value = serde_json::from_str(&eval::answer(&line)).unwrap();
    assert_eq!(answer["id"], json!([7]), "{answer}");
    assert_eq!(answer.as_object().unwrap().len(), 2);
    answer["error"].as_str().unwrap_or_else(|| panic!("accepted: {line}")).to_owned()
}

#[test]
fn bad_fields_are_named() {
    let law = json!({"n": 2, "n_e": 2, "A": [0], "p": [0.5, 0.5], "c": [[0.0, 1.0], [0.5, 0.5]]});
    let with = |extra: Value| {
        let mut input = law.clone();
        input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        input
    };
    let surrogate = with(json!({"name": "comp_gce", "alpha": 0.5, "tau": 1.0, "u": [0, 1, -1]}));
    let hinge = with(json!({"name": "cstnd_hinge", "u": [0, 1, -1]}));
    let ramp = with(json!({"name": "sum_tau", "tau": 1.0, "u": [0, 1, -1]}));
    let exponential = with(json!({"name": "comp_exp", "u": [0, 1, -1]}));
    let risk = with(json!({"q": [0.5, 0.25, 0.25]}));
    let cost = json!({"alpha": 1.0, "beta": 0.5});
    let bounds = json!({"B": 3, "N": 3, "rho": 1.0, "T": 100});
    let schedules = json!({"B": 3, "N": 3, "rho": 1.0, "t": [1]});
    let w = json!([[0, 1], [1, 0], [0, 0], [2, 2]]);
    let ball = json!({"W": w, "B": 1.0});
    let active = json!({"n": 2, "n_e": 2, "A": [1], "W": w});
    let estimator = json!({"n": 2, "n_e": 2, "A": [0], "W": w, "x": [1.0], "y": 0, "yprime": 1,
        "gamma": 0.5, "c": [[0, 1], [0, 1]], "feedback": "bandit"});
    let run = json!({"schedule": "adagrad", "n": 2, "n_e": 0, "d": 1, "B": 1.0, "rho": 1.0,
        "rounds": [], "ada_lr": 0.1, "ada_eps": 1e-10});
    let gap = json!({"n": 2, "n_e": 1, "B": null,
        "stream": [{"w": 1.0, "x": [], "A": [], "s": [0.5, 0.5]}]});
    let row = |text: &str| format!("[{{\"w\":1,\"x\":[],\"A\":[],\"s\":[1,0]}},{text}]");
    let played = |text: &str| format!("[{text}]");
    // kind, input, field, its new value, what the message must name
    let cases: Vec<(&str, &Value, &str, Option<String>, &str)> = [
        ("scores", &law, "n", Some("1"), "n = 1"),
        ("scores", &law, "n", Some("-2"), "n:"),
        ("scores", &law, "n", Some("\"2\""), "n:"),
        ("scores", &law, "n_e", Some("1000"), "n_e"),
        ("scores", &law, "n_e", None, "n_e"),
        ("scores", &law, "A", Some("[2]"), "A[0]"),
        ("scores", &law, "A", Some("[0,0]"), "A[1]"),
        ("scores", &law, "A", Some("[0.5]"), "A[0]"),
        ("scores", &law, "p", Some("[0.5,0.6]"), "p sums to 1.1"),
        ("scores", &law, "p", Some("[1.5,-0.5]"), "p[0]"),
        ("scores", &law, "p", Some("[0.5,1e999]"), "p[1]"),
        ("scores", &law, "p", Some("[0.5,null]"), "p[1]"),
        ("scores", &law, "p", Some("[1.0]"), "p has 1 entries"),
        ("scores", &law, "p", None, "`p`"),
        ("scores", &law, "c", Some("[[0,2],[0,0]]"), "c[0][1]"),
        ("scores", &law, "c", Some("[[0,1]]"), "c has 1"),
        ("scores", &law, "c", Some("[[0,1],[0]]"), "c[1]"),
        ("scores", &law, "c", Some("[[0,1],[0,\"x\"]]"), "c[1][1]"),
        ("scores", &law, "q", Some("[1]"), "q"),
        ("true_risk", &risk, "q", Some("[0.5,0.5,0.5]"), "q sums to 1.5"),
        ("true_risk", &risk, "q", Some("[1]"), "q has 1"),
        ("true_risk", &risk, "q", Some("[2,-1,0]"), "q[0]"),
        ("normalized_cost", &cost, "beta", Some("-0.1"), "beta"),
        ("normalized_cost", &cost, "alpha", None, "alpha"),
        ("surrogate", &surrogate, "name", Some("\"hinge\""), "name"),
        ("surrogate", &surrogate, "name", Some("3"), "name"),
        ("surrogate", &surrogate, "alpha", Some("0"), "alpha"),
        ("surrogate", &surrogate, "alpha", Some("1.5"), "alpha"),
        ("surrogate", &surrogate, "alpha", None, "alpha"),
        ("surrogate", &surrogate, "u", Some("[0,1]"), "u: has 2"),
        ("surrogate", &surrogate, "u", Some("[0,1,1e400]"), "u[2]"),
        ("surrogate", &ramp, "tau", Some("-1"), "tau"),
        ("surrogate", &ramp, "tau", None, "tau"),
        ("surrogate", &hinge, "u", Some("[0,1,1]"), "u: sums to 2"),
        ("surrogate", &exponential, "u", Some("[0,1000,-1000]"), "u: so far apart"),
        ("bounds", &bounds, "B", Some("0"), "B"),
        ("bounds", &bounds, "B", Some("1e200"), "B"),
        ("bounds", &bounds, "N", Some("1"), "N"),
        ("bounds", &bounds, "N", Some("2.5"), "N"),
        ("bounds", &bounds, "rho", Some("-0.5"), "rho"),
        ("bounds", &bounds, "T", Some("0"), "T"),
        ("bounds", &bounds, "T", Some("-5"), "T"),
        ("schedules", &schedules, "t", Some("[1,0]"), "t[1]"),
        ("schedules", &schedules, "t", Some("7"), "t"),
        ("proj_KA", &active, "W", Some("[[1],[2]]"), "W: has 2"),
        ("proj_KA", &active, "W", Some("[[1],[2],[3],[4,5]]"), "W[3]"),
        ("proj_KA", &active, "W", Some("[[],[],[],[]]"), "W: has no columns"),
        ("proj_KA", &active, "W", Some("[[1],[2],[3],[\"x\"]]"), "W[3][0]"),
        ("proj_KA", &active, "W", Some("[[1e308],[1e308],[0],[1e308]]"), "W: so large"),
        ("proj_ball", &ball, "B", Some("0"), "B"),
        ("proj_ball", &ball, "W", Some("[]"), "W"),
        ("estimator", &estimator, "gamma", Some("1.5"), "gamma"),
        ("estimator", &estimator, "gamma", Some("0"), "yprime"),
        ("estimator", &estimator, "yprime", Some("3"), "yprime"),
        ("estimator", &estimator, "yprime", Some("9"), "yprime"),
        ("estimator", &estimator, "y", Some("2"), "y:"),
        ("estimator", &estimator, "x", Some("[1,2]"), "x"),
        ("estimator", &estimator, "feedback", Some("\"some\""), "feedback"),
        ("estimator", &estimator, "W", Some("[[1e308,0],[1e308,0],[0,0],[0,0]]"), "W"),
        ("trajectory", &run, "schedule", Some("\"fast\""), "schedule"),
        ("trajectory", &run, "ada_lr", None, "ada_lr"),
        ("trajectory", &run, "rho", Some("0"), "rho"),
        ("trajectory", &run, "d", Some("1000000000000000000"), "d:"),
        ("min_gap", &gap, "stream", Some("[]"), "stream"),
        ("min_gap", &gap, "B", Some("-1"), "B"),
        (
            "min_gap",
            &gap,
            "stream",
            Some("[{\"w\":0,\"x\":[],\"A\":[],\"s\":[1,0]}]"),
            "w sum to 0",
        ),
    ]
    .into_iter()
    .map(|(kind, input, field, value, name)| (kind, input, field, value.map(str::to_owned), name))
    .chain([
        (
            "min_gap",
            &gap,
            "stream",
            Some(row(r#"{"w":1,"x":[1],"A":[],"s":[1,0]}"#)),
            "stream[1].x",
        ),
        (
            "min_gap",
            &gap,
            "stream",
            Some(row(r#"{"w":-1,"x":[],"A":[],"s":[1,0]}"#)),
            "stream[1].w",
        ),
        ("min_gap", &gap, "stream", Some(row(r#"{"w":1,"x":[],"A":[],"s":[1,1]}"#)), "stream[1].s"),
        (
            "min_gap",
            &gap,
            "stream",
            Some(row(r#"{"w":1,"x":[],"A":[0],"s":[1,0]}"#)),
            "stream[1].s",
        ),
        (
            "min_gap",
            &gap,
            "stream",
            Some(row(r#"{"w":1,"x":[],"A":[1],"s":[1,0]}"#)),
            "stream[1].A[0]",
        ),
        ("min_gap", &gap, "stream", Some(row(r#"{"w":1,"x":[],"A":[]}"#)), "stream[1]"),
        (
            "trajectory",
            &run,
            "rounds",
            Some(played(r#"{"x":[1],"A":[],"y":0,"c":[],"yprime":2}"#)),
            "rounds[0].yprime",
        ),
        (
            "trajectory",
            &run,
            "rounds",
            Some(played(r#"{"x":[1],"A":[],"y":0,"c":[],"yprime":"0"}"#)),
            "rounds[0].yprime",
        ),
    ])
    .collect();
    for (kind, input, field, value, name) in cases {
        let message = refuse(kind, input.clone(), field, value.as_deref());
        assert!(message.contains(name), "{kind} {field} {value:?}: {message}");
    }
}

#[test]
fn the_stream_goes_on_after_rubbish() {
    let good = r#"{"id":"ok","kind":"normalized_cost","input":{"alpha":2,"beta":2}}"#;
    let mut input = Vec::new();
    for line in [
        good.as_bytes(),
        b"{\"id\":1,",
        b"",
        b"[1,2]",
        b"\xff\xfe",
        br#"{"id":2,"kind":"nonsense","input":{}}"#,
        br#"{"id":3,"input":{}}"#,
        br#"{"id":4,"kind":"scores","input":{"extra":0},"note":""}"#,
        br#"{"id":5,"kind":"scores"}"#,
        br#"{"kind":"scores","input":7}"#,
        good.as_bytes(),
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    // No line break after the last one.
    input.pop();
    let mut output = Vec::new();
    eval::run(Cursor::new(input), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    let answers: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 10);
    let right = json!({"id": "ok", "output": {"correct": 0.5, "wrong": 1.0}});
    assert_eq!((&answers[0], &answers[9]), (&right, &right));
    for (answer, (id, part)) in answers[1..9].iter().zip([
        (json!(null), "line 2"),
        (json!(null), "line 4"),
        (json!(null), "line 5"),
        (json!(2), "nonsense"),
        (json!(3), "kind: missing"),
        (json!(4), "extra"),
        (json!(5), "input: missing"),
        (json!(null), "input"),
    ]) {
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    /// Cut, overwritten or doubled text gets an answer of one line, whatever it is.
    #[test]
    fn every_line_gets_one_answer(
        case in 0usize..40, at in 0.0f64..1.0, length in 0usize..6,
        patch in prop_oneof![
            Just(String::new()), "[-0-9eE.,:{}\\[\\]\"]{1,4}", Just("1e308".into()), Just("null".into()),
            Just("-1".into()), Just("0".into()), Just("99999999999999999999".into()),
        ],
    ) {
        let cases: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
        let case = &cases["vectors"][case];
        let request =
            json!({"id": case["id"], "kind": case["kind"], "input": case["input"]}).to_string();
        let start = (at * request.len() as f64) as usize;
        let end = (start + length).min(request.len());
        let line = format!("{}{patch}{}", &request[..start], &request[end..]);
        let answer = eval::answer(&line);
        prop_assert!(!answer.contains('\n'));
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let object = answer.as_object().unwrap();
        prop_assert!(object.contains_key("id") && object.len() == 2);
        prop_assert!(object.contains_key("output") != object.contains_key("error"));
    }
}

use super::*;
use serde_json::Value;

fn talk(server: &mut RouterServer, requests: &[&str]) -> Vec<Value> {
    let mut output = Vec::new();
    server.serve(requests.join("\n").as_bytes(), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const INIT: &str = r#"{"op":"init","classes":["cat","dog"],"experts":["ann","bo"],"d":4,"rounds":9,"feedback":"bandit","seed":3}"#;
const DECIDE: &str = r#"{"op":"decide","x":[0.5,0,1,0],"available":["ann","bo"]}"#;

/// Rounds as a client plays them: the action that was drawn turns out right every second time.
fn rounds(from: usize, to: usize) -> Vec<String> {
    let one = |i: usize| {
        let x = format!(r#"{{"op":"decide","x":[{},1,0,0.5],"available":[0,1]}}"#, i % 3);
        [x, format!(r#"{{"op":"observe","reward":{},"cost":0}}"#, i % 2)]
    };
    (from..to).flat_map(one).collect()
}

#[test]
fn a_router_goes_on_where_it_was_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("router.json");
    let play = |server: &mut RouterServer, requests: Vec<String>| {
        let lines: Vec<&str> = requests.iter().map(String::as_str).collect();
        talk(server, &lines)
    };
    let mut never_stopped = RouterServer::default();
    talk(&mut never_stopped, &[INIT]);
    let mut all = play(&mut never_stopped, rounds(0, 40));
    let mut first = RouterServer::with_state(&path, 1000).unwrap();
    talk(&mut first, &[INIT]);
    let mut parts = play(&mut first, rounds(0, 25));
    // Between a question and its outcome.
    let question = &rounds(25, 26)[0];
    let asked = talk(&mut first, &[question]);
    drop(first);
    let mut second = RouterServer::with_state(&path, 1).unwrap();
    let init = talk(&mut second, &[INIT]);
    assert_eq!((&init[0]["restored"], &init[0]["round"]), (&true.into(), &26.into()));
    parts.extend(asked);
    parts.extend(talk(&mut second, &[&rounds(25, 26)[1]]));
    parts.extend(play(&mut second, rounds(26, 40)));
    assert_eq!(parts.len(), all.len());
    for (i, (part, whole)) in parts.iter().zip(&mut all).enumerate() {
        assert_eq!(part, whole, "reply {i}");
    }
    drop(second);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "state and lock alone");
}

#[test]
fn experts_come_and_go_by_name() {
    let mut server = RouterServer::default();
    let replies = talk(
        &mut server,
        &[
            INIT,
            r#"{"op":"add","expert":"cleo"}"#,
            r#"{"op":"retire","expert":"bo"}"#,
            r#"{"op":"decide","x":{"3":1.5,"0":2}}"#,
            r#"{"op":"observe","action":"cleo","answer":"dog","correct":true,"cost":0.1}"#,
            r#"{"op":"decide","text":"good dog"}"#,
            r#"{"op":"observe","label":"dog","action":1}"#,
            r#"{"op":"costs","costs":{"ann":0.5}}"#,
            r#"{"op":"decide","x":[1,2,3,4],"available":["bo"]}"#,
            r#"{"op":"decide","x":[1,2,3,4],"available":[2]}"#,
            r#"{"op":"bye"}"#,
        ],
    );
    assert_eq!(replies[3]["active"], serde_json::json!(["cat", "dog", "ann", "cleo"]));
    assert_eq!(replies[5]["round"], 2);
    assert!(replies[8]["error"].as_str().unwrap().contains("\"bo\" has been retired"));
    assert_eq!(replies[9]["active"], serde_json::json!(["cat", "dog", "cleo"]));
    let fine = [0, 1, 2, 4, 6, 7, 10];
    assert!(fine.iter().all(|&i| replies[i]["ok"] == true), "{replies:?}");
}

#[test]
fn bad_requests_change_nothing() {
    let cases = [
        (DECIDE, "send init first"),
        (r#"{"op":"init","classes":["a"],"experts":[],"d":1}"#, "init: "),
        (r#"{"op":"init","classes":["a","b"],"experts":["a"],"d":1}"#, "already the name"),
        (r#"{"op":"init","experts":["a"],"d":18446744073709551615}"#, "at most 2 GiB"),
        (r#"{"op":"init","experts":["a"],"d":1000000000000}"#, "at most 2 GiB"),
        (INIT, ""),
        (r#"{"op":"observe","correct":true}"#, "without a decide"),
        (r#"{"op":"decide","x":[1]}"#, "dimension 1, expected 4"),
        (r#"{"op":"decide","x":{"9":1}}"#, "feature index 9"),
        (r#"{"op":"decide","x":{"a":1}}"#, "\"a\" is not an index"),
        (r#"{"op":"decide","x":[1,2,3,4],"text":"a"}"#, "either x or text"),
        (r#"{"op":"decide","x":[1,2,3,4],"available":[7]}"#, "expert 7 does not exist"),
        (r#"{"op":"decide","x":[1,2,3,4],"available":["an"]}"#, "did you mean \"ann\"?"),
        (DECIDE, ""),
        (r#"{"op":"observe","reward":1.5}"#, "reward = 1.5"),
        (r#"{"op":"observe"}"#, "expected correct, or answer"),
        (r#"{"op":"observe","action":0,"answer":"cat","correct":true}"#, "is a class"),
        (r#"{"op":"save"}"#, "--state FILE"),
        (r#"{"op":"dream"}"#, "\"dream\" is unknown"),
        ("rubbish", "not a request"),
        (r#"{"op":"decide","x":[1,2,3,4],"availabel":["ann"]}"#, "unknown field `availabel`"),
        (r#"{"op":"init","experts":["a"],"d":1,"floors":0.1}"#, "unknown field `floors`"),
        (r#"{"op":"observe","action":"bo","correct":true,"cost":0.2}"#, ""),
    ];
    let requests: Vec<&str> = cases.iter().map(|(request, _)| *request).collect();
    let replies = talk(&mut RouterServer::default(), &requests);
    for ((request, expected), reply) in cases.iter().zip(&replies) {
        match expected.is_empty() {
            true => assert!(reply.get("error").is_none(), "{request} -> {reply}"),
            false => {
                let error = reply["error"].as_str().unwrap_or_default();
                assert!(error.contains(expected), "{request} -> {reply}");
            }
        }
    }
}

#[test]
fn a_state_that_is_none_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("router.json");
    std::fs::write(&path, "{\"version\":1}").unwrap();
    let error = RouterServer::with_state(&path, 1).unwrap_err().to_string();
    assert!(error.contains("router.json: missing field") && error.contains("left as it is"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"version\":1}");
    std::fs::remove_file(&path).unwrap();
    let mut first = RouterServer::with_state(&path, 1).unwrap();
    let busy = RouterServer::with_state(&path, 1).unwrap_err();
    assert!(matches!(busy, StateError::Busy { .. }), "{busy}");
    // Another problem than the saved one is refused.
    talk(&mut first, &[INIT]);
    drop(first);
    let mut second = RouterServer::with_state(&path, 1).unwrap();
    let other = INIT.replace("\"d\":4", "\"d\":5");
    let reply =
        talk(&mut second, &[&other, &INIT.replace("dog", "fox"), &INIT.replace("bo", "cy")]);
    let error = |i: usize| reply[i]["error"].as_str().unwrap().to_string();
    assert!(error(0).contains("d = 5: the saved router has 4 features"), "{}", error(0));
    assert!(error(1).contains("the saved router has [\"cat\", \"dog\"]"), "{}", error(1));
    assert!(error(2).contains("\"cy\" does not serve"), "{}", error(2));
    // So are other options; the same ones, or none, are fine.
    let with = |option: &str| INIT.replace("\"rounds\":9", option);
    let same = with("\"cost_weight\":0.0,\"floor\":0");
    let reply = talk(
        &mut second,
        &[&with("\"cost_weight\":2.0"), &with("\"half_life\":50"), &with("\"floor\":0.1"), &same],
    );
    let error = |i: usize| reply[i]["error"].as_str().unwrap_or_default().to_string();
    assert!(error(0).contains("cost_weight = 2: the saved router has 0"), "{}", error(0));
    assert!(error(1).contains("half_life = 50: the saved router has none"), "{}", error(1));
    assert!(error(2).contains("floor = 0.1"), "{}", error(2));
    assert_eq!(reply[3]["restored"], true, "{}", reply[3]);
}

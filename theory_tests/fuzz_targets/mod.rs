//! Everything that reads what others wrote, as functions of bytes. Property tests and cargo-fuzz
//! (`fuzz/`) run the same ones: whatever the bytes, there is an answer and no panic.

use deferlab::lab::data::{Classes, Columns, read_npy, read_svmlight, read_table};
use deferlab::lab::experiment::run::jobs;
use deferlab::lab::experiment::{Plan, Store, StoreMode};
use deferlab::lab::program::read_reply;
use deferlab::lab::stream::recorded::{LineFormat, Recording};
use deferlab::learner::{Algorithm1, Config, Policy};
use deferlab::problem::{ActionSpace, ExpertCost, Features};
use deferlab::subject::Answer;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A reader of bytes.
pub struct Target {
    /// As cargo-fuzz calls it.
    pub name: &'static str,
    /// Bytes as they should be.
    pub valid: fn() -> Vec<u8>,
    /// Reads bytes, and says whether they are accepted.
    pub read: fn(&[u8]) -> bool,
}

/// All of them.
pub const TARGETS: [Target; 9] = [
    Target {
        name: "svmlight",
        valid: || b"0 1:0.5 3:-2e-3 # words\n2 2:1\n".to_vec(),
        read: svmlight,
    },
    Target { name: "npy", valid: valid_npy, read: npy },
    Target { name: "table", valid: || b"a,truth,ann,b,bob\n1,0,,2,1\n".to_vec(), read: table },
    Target { name: "plan", valid: || PLAN.into(), read: plan },
    Target { name: "recorded", valid: || RECORDED.into(), read: recorded },
    Target { name: "eval", valid: || EVAL.into(), read: eval },
    Target { name: "reply", valid: || REPLY.into(), read: reply },
    Target { name: "store", valid: valid_store, read: store },
    Target { name: "state", valid: valid_state, read: state },
];

const PLAN: &str = r#"
name = "small"
seed = 7
runs = 2
rounds = 20
checkpoints = { linear = 2 }
stream = [{ name = "two", law.item = [{ weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] }] }]
policy = [{ name = "learner", algorithm1 = {} }, { name = "random", uniform = {} }]
"#;

const RECORDED: &str = "{\"x\":[1,2],\"label\":1,\"answers\":[1,null]}\n{\"x\":[0,1],\"label\":0,\"costs\":[0.5,1.0],\"available\":[1]}\n";

const EVAL: &str =
    r#"{"id":1,"kind":"scores","input":{"n":2,"n_e":1,"A":[0],"p":[0.5,0.5],"c":[[0.1,0.9]]}}"#;

const REPLY: &str = r#"{"active":[0,1,2],"scores":[0.5,-0.25,-0.25],"q":[0.9,0.05,0.05]}"#;

/// Calls `read` with a file that has these bytes.
fn with_file(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> bool) -> bool {
    let folder =
        if Path::new("/dev/shm").is_dir() { Path::new("/dev/shm") } else { Path::new("/tmp") };
    let thread = std::thread::current().id();
    let path = folder.join(format!("deferlab-{name}-{}-{thread:?}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file in memory");
    let answer = read(&path);
    let _ = std::fs::remove_file(&path);
    answer
}

fn svmlight(bytes: &[u8]) -> bool {
    with_file("svmlight", bytes, |path| {
        let Ok(data) = read_svmlight(path, 5, 3) else { return false };
        assert_eq!(data.rows.len(), data.labels.len());
        assert!(data.labels.iter().all(|&label| label < 3));
        true
    })
}

fn valid_npy() -> Vec<u8> {
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend([0x3f; 48]);
    bytes
}

fn npy(bytes: &[u8]) -> bool {
    with_file("npy", bytes, |path| {
        let Ok((array, _)) = read_npy(path) else { return false };
        assert_eq!(array.values.len(), array.rows * array.columns);
        assert!(array.values.iter().all(|v| v.is_finite()));
        true
    })
}

fn table(bytes: &[u8]) -> bool {
    with_file("table", bytes, |path| {
        let experts = ["ann".to_string(), "bob".to_string()];
        let columns = Columns { label: "truth", experts: &experts, features: None, text: None };
        let Ok((table, _)) = read_table(path, columns, &Classes::Count(3)) else { return false };
        assert_eq!(table.inputs.len(), table.labels.len());
        true
    })
}

fn plan(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let read = || Plan::from_text(text, "fuzz.toml", PathBuf::from("/nonexistent"));
    let Ok(plan) = read() else { return false };
    // The same text is the same experiment, and it has jobs.
    assert_eq!(plan.hash(), read().expect("it was read before").hash());
    assert!(!jobs(&plan).is_empty());
    true
}

fn recorded(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let cost = ExpertCost::new(1.0, 0.1).expect("costs in range");
    let Ok(recording) = Recording::read(text, &LineFormat::new(3, cost)) else { return false };
    assert!(recording.rounds() > 0 && recording.rho().is_finite());
    true
}

fn eval(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let answer = deferlab::eval::answer(text);
    assert!(!answer.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(value.get("output").is_some() != value.get("error").is_some(), "{answer}");
    value.get("output").is_some()
}

fn reply(bytes: &[u8]) -> bool {
    match read_reply::<Answer>(|| "decide".into(), bytes) {
        Ok(answer) => {
            assert!(answer.scores.iter().chain(&answer.q).all(|v| v.is_finite()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

static SMALL: LazyLock<Plan> =
    LazyLock::new(|| Plan::from_text(PLAN, "small.toml", PathBuf::new()).expect("a plan"));

fn valid_store() -> Vec<u8> {
    use deferlab::lab::experiment::{RunOptions, progress::Silent, run};
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(folder.path(), &SMALL, StoreMode::Continue).expect("a store");
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    run(&SMALL, &mut store, options, &Silent).expect("a run");
    std::fs::read(folder.path().join("small/records.jsonl")).expect("records")
}

/// A damaged file of records is either refused or read as it was; repaired, it opens again.
fn store(bytes: &[u8]) -> bool {
    static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(valid_store);
    let shm = Path::new("/dev/shm");
    let folder = match shm.is_dir() {
        true => tempfile::tempdir_in(shm),
        false => tempfile::tempdir(),
    };
    let folder = folder.expect("a folder");
    drop(Store::open(folder.path(), &SMALL, StoreMode::Continue).expect("a store"));
    let records = folder.path().join("small/records.jsonl");
    std::fs::write(&records, bytes).expect("records");
    let whole = Store::read(folder.path(), &SMALL, &jobs(&SMALL)).is_ok();
    if whole {
        // Sorted or not, with lines twice or not: the same lines.
        let lines = |bytes: &[u8]| {
            let mut lines: Vec<Vec<u8>> =
                bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            lines.sort();
            lines.dedup();
            lines
        };
        let known = lines(&WHOLE);
        assert!(known.iter().all(|line| lines(bytes).contains(line)));
    }
    let repaired = Store::open(folder.path(), &SMALL, StoreMode::Repair).expect("repaired");
    assert!(repaired.len() <= jobs(&SMALL).len());
    drop(repaired);
    Store::open(folder.path(), &SMALL, StoreMode::Continue).expect("whole after the repair");
    whole
}

fn valid_state() -> Vec<u8> {
    let space = ActionSpace::new(2, 1).expect("a space");
    let mut learner = Algorithm1::new(Config::new(space, 2)).expect("a learner");
    learner.decide(Features::Dense(&[0.5, 1.0]), space.all_active()).expect("a decision");
    serde_json::to_vec(&learner).expect("a state is plain data")
}

/// A state that is accepted can be used and comes back as it was.
fn state(bytes: &[u8]) -> bool {
    let Ok(mut learner) = serde_json::from_slice::<Algorithm1>(bytes) else { return false };
    let saved = serde_json::to_string(&learner).expect("a state is plain data");
    let again: Algorithm1 = serde_json::from_str(&saved).expect("what was saved is read");
    assert_eq!(serde_json::to_string(&again).expect("plain data"), saved);
    let space = learner.space();
    let _ = learner.decide(Features::Dense(&[0.5, 1.0]), space.all_active());
    true
}

/// Runs a target by name.
#[allow(dead_code)]
pub fn run(name: &str, bytes: &[u8]) -> bool {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a known target");
    (target.read)(bytes)
}

//! Everything that reads what others wrote, as functions of bytes. Property tests and cargo-fuzz
//! (`fuzz/`) run the same ones: whatever the bytes, there is an answer and no panic.

use deferlab::lab::data::read_npy;
use deferlab::lab::experiment::{Game, Plan, Store, StoreMode, jobs};
use deferlab::lab::read_reply;
use deferlab::learner::{Algorithm1, Config, Policy};
use deferlab::problem::{ActionSpace, Features};
use deferlab::subject::Answer;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
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

/// A folder in memory, where there is one.
fn folder() -> tempfile::TempDir {
    let shm = Path::new("/dev/shm");
    let folder = match shm.is_dir() {
        true => tempfile::tempdir_in(shm),
        false => tempfile::tempdir(),
    };
    folder.expect("a folder")
}

/// The folder of this thread for files that every call writes anew: making one takes longer than reading
/// what is in it.
fn own_folder() -> PathBuf {
    thread_local! {
        static OWN: tempfile::TempDir = folder();
    }
    OWN.with(|folder| folder.path().to_path_buf())
}

/// Reads an experiment on a stream from the file `data`, which has these bytes, as anybody's experiment
/// is read.
fn experiment(stream: &str, bytes: &[u8], answers: &[u8]) -> bool {
    let folder = own_folder();
    std::fs::write(folder.join("data"), bytes).expect("a file in memory");
    std::fs::write(folder.join("answers"), answers).expect("a file in memory");
    let text = format!(
        "name = 'fuzz'\nseed = 1\nruns = 1\nrounds = 1\nstream = [{{ name = 'it', {stream} }}]\n\
         policy = [{{ name = 'random', uniform = {{}} }}]\n"
    );
    let plan = Plan::from_text(&text, "fuzz.toml", folder.clone());
    let Ok(plan) = plan else { return false };
    let game = Game::new(&plan, 0, 0, 0).expect("its data was read");
    assert!(game.shape().rho.is_finite());
    true
}

fn svmlight(bytes: &[u8]) -> bool {
    let stream =
        "table = { file = 'data', answers = 'answers', classes = 3, dim = 5, shuffle = true }";
    experiment(stream, bytes, b"0 1\n1 -1\n")
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
    let path = own_folder().join("array");
    std::fs::write(&path, bytes).expect("a file in memory");
    let Ok((array, _)) = read_npy(&path) else { return false };
    assert_eq!(array.values.len(), array.rows * array.columns);
    assert!(array.values.iter().all(|v| v.is_finite()));
    true
}

fn table(bytes: &[u8]) -> bool {
    let columns = "label = 'truth', experts = ['ann', 'bob']";
    let stream = format!("table = {{ file = 'data', classes = 3, {columns}, shuffle = true }}");
    experiment(&stream, bytes, b"")
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
    experiment("recorded = { file = 'data', classes = 3, shuffle = true }", bytes, b"")
}

fn eval(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let answer = deferlab::eval::answer(text);
    assert!(!answer.contains('\n'));
    // An `id` comes back digit by digit, also a number that no float holds.
    let parts: BTreeMap<String, &RawValue> =
        serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(parts.contains_key("output") != parts.contains_key("error"), "{answer}");
    let Some(output) = parts.get("output") else { return false };
    serde_json::from_str::<serde_json::Value>(output.get()).expect("numbers that floats hold");
    true
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
    use deferlab::lab::experiment::{RunOptions, Silent, run};
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(folder.path(), &SMALL, StoreMode::Continue).expect("a store");
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    run(&SMALL, &mut store, options, &Silent).expect("a run");
    std::fs::read(folder.path().join("small/records.jsonl")).expect("records")
}

/// A damaged file of records is either refused or read as it was; repaired, it opens again.
fn store(bytes: &[u8]) -> bool {
    static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(valid_store);
    // An empty store, made once a thread: making it takes longer than reading it.
    thread_local! {
        static EMPTY: tempfile::TempDir = {
            let folder = folder();
            drop(Store::open(folder.path(), &SMALL, StoreMode::Continue).expect("a store"));
            folder
        };
    }
    let folder = EMPTY.with(|folder| folder.path().to_path_buf());
    let records = folder.join("small/records.jsonl");
    for entry in std::fs::read_dir(folder.join("small")).expect("a store") {
        let path = entry.expect("a store").path();
        match path {
            path if path.is_dir() => std::fs::remove_dir_all(path).expect("what a repair left"),
            path if path.ends_with("config.json") => {}
            path => std::fs::remove_file(path).expect("what a repair left"),
        }
    }
    std::fs::write(&records, bytes).expect("records");
    let whole = Store::read(&folder, &SMALL, &jobs(&SMALL)).is_ok();
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
    let repaired = Store::open(&folder, &SMALL, StoreMode::Repair).expect("repaired");
    assert!(repaired.len() <= jobs(&SMALL).len());
    drop(repaired);
    Store::open(&folder, &SMALL, StoreMode::Continue).expect("whole after the repair");
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

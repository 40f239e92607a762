//! Everything that reads what others wrote, as functions of bytes. Property tests and cargo-fuzz
//! (`fuzz/`) run the same ones: whatever the bytes, there is an answer and no panic.

use deferlab::lab::experiment::{Game, Key, Plan, Record, Store, StoreError, StoreMode, jobs};
use deferlab::lab::{read_npy, read_reply};
use deferlab::learner::{Algorithm1, Config, Policy};
use deferlab::problem::{ActionSpace, Features};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A reader of bytes. A fuzzer calls its function alone: one that is not linked has no counters, and a
/// fuzzer looks at all counters after each execution.
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
    Target { name: "svmlight", valid: || SVMLIGHT.into(), read: svmlight },
    Target { name: "npy", valid: valid_npy, read: npy },
    Target { name: "table", valid: || TABLE.into(), read: table },
    Target { name: "plan", valid: || PLAN.into(), read: plan },
    Target { name: "recorded", valid: || RECORDED.into(), read: recorded },
    Target { name: "eval", valid: || EVAL.into(), read: eval },
    Target { name: "reply", valid: || REPLY.into(), read: reply },
    Target { name: "store", valid: valid_store, read: store },
    Target { name: "state", valid: valid_state, read: state },
];

const SVMLIGHT: &[u8] = b"0 1:0.5 3:-2e-3 # words\n2 2:1\n";

const TABLE: &[u8] = b"a,truth,ann,b,bob\n1,0,,2,1\n";

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

/// An experiment on a stream from the file `data` of a folder: what varies is the file.
struct FromFile {
    data: File,
    /// The experiment.
    text: String,
    /// Where the files are.
    folder: tempfile::TempDir,
}

impl FromFile {
    /// On a stream with these settings, whose file has the bytes `valid` at first, beside `answers`.
    fn new(stream: &str, valid: &[u8], answers: &[u8]) -> Self {
        let folder = folder();
        std::fs::write(folder.path().join("data"), valid).expect("a file in memory");
        std::fs::write(folder.path().join("answers"), answers).expect("a file in memory");
        let text = format!(
            "name = 'fuzz'\nseed = 1\nruns = 1\nrounds = 1\nstream = [{{ name = 'it', {stream} }}]\n\
             policy = [{{ name = 'random', uniform = {{}} }}]\nbaselines = false\n"
        );
        let data = File::options().write(true).open(folder.path().join("data"));
        let stream = FromFile { data: data.expect("a file in memory"), text, folder };
        assert!(stream.read(valid), "a plan");
        stream
    }

    /// Reads the stream when its file has these bytes, as the experiment would.
    fn read(&self, bytes: &[u8]) -> bool {
        // Written over: a file that is made anew takes longer.
        let mut data = &self.data;
        let written = data.rewind().and_then(|()| data.write_all(bytes));
        written.and_then(|()| data.set_len(bytes.len() as u64)).expect("a file in memory");
        match Plan::from_text(&self.text, "fuzz.toml", self.folder.path().into()) {
            Ok(plan) => {
                let game = Game::new(&plan, 0, 0, 0).expect("its data was read");
                assert!(game.shape.rho.is_finite());
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    }
}

pub fn svmlight(bytes: &[u8]) -> bool {
    thread_local! {
        static STREAM: FromFile = FromFile::new(
            "table = { file = 'data', answers = 'answers', classes = 3, dim = 5, shuffle = true }",
            SVMLIGHT,
            b"0 1\n1 -1\n",
        );
    }
    STREAM.with(|stream| stream.read(bytes))
}

fn valid_npy() -> Vec<u8> {
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend([0x3f; 48]);
    bytes
}

pub fn npy(bytes: &[u8]) -> bool {
    let path = own_folder().join("array");
    std::fs::write(&path, bytes).expect("a file in memory");
    let Ok((array, _)) = read_npy(&path) else { return false };
    assert_eq!(array.values.len(), array.rows * array.columns);
    assert!(array.values.iter().all(|v| v.is_finite()));
    true
}

pub fn table(bytes: &[u8]) -> bool {
    thread_local! {
        static STREAM: FromFile = FromFile::new(
            "table = { file = 'data', classes = 3, label = 'truth', experts = ['ann', 'bob'], shuffle = true }",
            TABLE,
            b"",
        );
    }
    STREAM.with(|stream| stream.read(bytes))
}

pub fn plan(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let read = || Plan::from_text(text, "fuzz.toml", PathBuf::from("/nonexistent"));
    let Ok(plan) = read() else { return false };
    // The same text is the same experiment, and it has jobs.
    assert_eq!(plan.hash(), read().expect("it was read before").hash());
    assert!(!jobs(&plan).is_empty());
    true
}

pub fn recorded(bytes: &[u8]) -> bool {
    thread_local! {
        static STREAM: FromFile = FromFile::new(
            "recorded = { file = 'data', classes = 3, shuffle = true }",
            RECORDED.as_bytes(),
            b"",
        );
    }
    STREAM.with(|stream| stream.read(bytes))
}

pub fn eval(bytes: &[u8]) -> bool {
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

pub fn reply(bytes: &[u8]) -> bool {
    match read_reply::<BTreeMap<String, Vec<f64>>>(|| "decide".into(), bytes) {
        Ok(answer) => {
            assert!(answer.values().flatten().all(|v| v.is_finite()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// The experiment of the store: its two lines fit into what a fuzzer tries.
const STORED: &str = r#"
name = "stored"
seed = 7
runs = 1
rounds = 2
checkpoints = { linear = 1 }
stream = [{ name = "one", law.item = [{ weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] }] }]
policy = [{ name = "random", uniform = {} }]
"#;

/// Begins a line whose checksum the target puts in: a fuzzer seldom finds one, and what is behind it would
/// hardly ever be read.
const UNSEALED: &[u8] = b"!";

/// The hash of the configuration of [`STORED`], which checksums cover.
static CONFIGURATION: LazyLock<String> = LazyLock::new(|| stored_plan().hash());

/// Its jobs.
static JOBS: LazyLock<Vec<Key>> = LazyLock::new(|| jobs(&stored_plan()));

fn stored_plan() -> Plan {
    Plan::from_text(STORED, "stored.toml", PathBuf::new()).expect("a plan")
}

/// The lines, each [`UNSEALED`] one with the checksum that fits.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let seal = |line: &[u8]| match line.strip_prefix(UNSEALED) {
        None => line.to_vec(),
        Some(json) => {
            let end = json.strip_suffix(b"\n").unwrap_or(json);
            let sum = Sha256::digest([CONFIGURATION.as_bytes(), b"\n", end].concat());
            let sum: String = sum[..16].iter().map(|byte| format!("{byte:02x}")).collect();
            [sum.as_bytes(), b" ", json].concat()
        }
    };
    bytes.split_inclusive(|&b| b == b'\n').flat_map(seal).collect()
}

/// As records, and then every one of them without its checksum.
fn valid_store() -> Vec<u8> {
    use deferlab::lab::experiment::{RunOptions, run};
    let (plan, folder) = (stored_plan(), folder());
    let mut store = Store::open(folder.path(), &plan, StoreMode::Continue).expect("a store");
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    run(&plan, &mut store, options, &()).expect("a run");
    let records = std::fs::read(folder.path().join("stored/records.jsonl")).expect("records");
    let json = |line: &[u8]| line.iter().position(|&b| b == b' ').expect("a checksum") + 1;
    let unsealed = |line: &[u8]| [UNSEALED, &line[json(line)..]].concat();
    let lines = records.split_inclusive(|&b| b == b'\n');
    [&records[..], &lines.flat_map(unsealed).collect::<Vec<u8>>()].concat()
}

/// A store whose file of records is what varies.
struct StoreOf {
    plan: Plan,
    /// Its configuration, as the store has it.
    header: Vec<u8>,
    root: tempfile::TempDir,
}

impl StoreOf {
    fn new() -> Self {
        let (plan, root) = (stored_plan(), folder());
        drop(Store::open(root.path(), &plan, StoreMode::Continue).expect("a store"));
        let header = std::fs::read(root.path().join("stored/config.json")).expect("a header");
        StoreOf { plan, header, root }
    }

    /// How many runs are missing; the runs if none is.
    fn look(&self) -> Result<(usize, Option<BTreeMap<Key, Record>>), StoreError> {
        match Store::read(self.root.path(), &self.plan, &JOBS) {
            Ok(records) => Ok((0, Some(records))),
            Err(StoreError::Incomplete { missing, .. }) => Ok((missing, None)),
            Err(error) => Err(error),
        }
    }

    /// A file of records is refused or read; what a repair keeps of it is read, and is all that was read.
    fn read(&self, bytes: &[u8]) -> bool {
        let at = self.root.path().join("stored");
        std::fs::remove_dir_all(&at).and_then(|()| std::fs::create_dir(&at)).expect("a folder");
        std::fs::write(at.join("config.json"), &self.header).expect("a file in memory");
        std::fs::write(at.join("records.jsonl"), bytes).expect("a file in memory");
        let before = self.look();
        let repaired = Store::open(self.root.path(), &self.plan, StoreMode::Repair);
        let notes = repaired.expect("whole after the repair").notes;
        let after = self.look().expect("whole after the repair");
        match before {
            Ok(before) => assert_eq!(before, after, "nothing was to be repaired"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(!notes.is_empty(), "refused, and nothing was dropped: {error}");
                return false;
            }
        }
        after.0 < JOBS.len()
    }
}

pub fn store(bytes: &[u8]) -> bool {
    thread_local! {
        static STORE: StoreOf = StoreOf::new();
    }
    STORE.with(|store| store.read(&sealed(bytes)))
}

fn valid_state() -> Vec<u8> {
    let space = ActionSpace::new(2, 1).expect("a space");
    let mut learner = Algorithm1::new(Config::new(space, 2)).expect("a learner");
    learner.decide(Features::Dense(&[0.5, 1.0]), space.all_active()).expect("a decision");
    serde_json::to_vec(&learner).expect("a state is plain data")
}

/// A state that is accepted can be used and comes back as it was.
pub fn state(bytes: &[u8]) -> bool {
    let Ok(mut learner) = serde_json::from_slice::<Algorithm1>(bytes) else { return false };
    let saved = serde_json::to_string(&learner).expect("a state is plain data");
    let again: Algorithm1 = serde_json::from_str(&saved).expect("what was saved is read");
    assert_eq!(serde_json::to_string(&again).expect("plain data"), saved);
    let space = learner.space();
    let _ = learner.decide(Features::Dense(&[0.5, 1.0]), space.all_active());
    true
}

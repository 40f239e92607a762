//! Many workers, and runs that are stopped in the middle: the store ends with the same bytes.

use super::{bytes, options, plan};
use crate::experiment::{
    Plan, RunError, RunOptions, Shard, Store, StoreError, StoreMode, StoreStatus, jobs, run,
};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SMALL: &str = r#"
name = "small"
seed = 7
runs = 5
rounds = 60
checkpoints = { linear = 5 }

[[stream]]
name = "drift"
[stream.synthetic]
availability = { start = 0.7, sigma = 2e-3 }
drift = { to = [[2, 3], [0, 1], []], rounds = 400 }

[[stream]]
name = "two"
law.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] },
    { weight = 2.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1]], available = [] },
]

# What it shows depends on what was played.
[[stream]]
name = "against"
adversary.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] },
    { weight = 1.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1]] },
]

[[policy]]
name = "learner"
algorithm1 = {}

[[policy]]
name = "adagrad"
algorithm1 = { optimizer = { name = "adagrad", rate = 0.1, epsilon = 1e-10 } }

[[policy]]
name = "router"
belief = {}

[[policy]]
name = "inverse"
square_cb = {}

[[policy]]
name = "recommended"
auto = {}

[[policy]]
name = "ridge"
ridge_cb = {}

[[policy]]
name = "textbook"
epsilon_greedy = {}

[[policy]]
name = "oracle"
oracle = {}

[[policy]]
name = "random"
uniform = {}
"#;

fn run_all(plan: &Plan, root: &Path) -> usize {
    let mut store = Store::open(root, plan, StoreMode::Continue).unwrap();
    run(plan, &mut store, options(), &()).unwrap().0
}

fn run_shard(plan: &Plan, root: &Path, index: u32, count: u32) -> usize {
    let shard = Shard::new(index, count).unwrap();
    let mut store = Store::open(root, plan, StoreMode::Shard(shard)).unwrap();
    run(plan, &mut store, options(), &()).unwrap().0
}

fn segment(root: &Path, name: &str) -> PathBuf {
    root.join("small/shards").join(format!("{name}.jsonl"))
}

/// Any number of parts, in any order, on several machines, some of them lost: the merged store is
/// byte for byte that of one machine, and only what is missing is played again.
#[test]
fn parts_that_are_merged_are_the_whole() {
    let plan = plan(SMALL);
    let all = jobs(&plan).len();
    let alone = tempfile::tempdir().unwrap();
    assert_eq!(run_all(&plan, alone.path()), all);
    let whole = bytes(alone.path());

    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let played: usize = [3, 1].iter().map(|&i| run_shard(&plan, here.path(), i, 4)).sum();
    // Again: nothing is left of that part.
    assert_eq!(run_shard(&plan, here.path(), 3, 4), 0);
    let elsewhere = run_shard(&plan, there.path(), 4, 4);
    let status = StoreStatus::read(here.path(), &plan).unwrap();
    assert_eq!((status.jobs, status.done, status.missing), (all, played, all - played));
    assert_eq!((status.running, status.failed.len(), status.workers.len()), (0, 0, 2));

    let mut store = Store::open(here.path(), &plan, StoreMode::Continue).unwrap();
    assert_eq!(store.len(), played);
    assert_eq!(store.merge(there.path(), &plan).unwrap(), elsewhere);
    // Twice is once.
    assert_eq!(store.merge(there.path(), &plan).unwrap(), 0);
    assert_eq!(store.complete(&jobs(&plan)).unwrap(), all - played - elsewhere);
    drop(store);
    // Another number of parts plays only what is missing.
    let rest: usize = (1..=3).map(|i| run_shard(&plan, here.path(), i, 3)).sum();
    assert_eq!(rest, all - played - elsewhere);
    let mut store = Store::open(here.path(), &plan, StoreMode::Continue).unwrap();
    assert_eq!(store.complete(&jobs(&plan)).unwrap(), 0);
    drop(store);
    assert_eq!(bytes(here.path()), whole);
    // The segments are in it, and gone.
    assert!(!here.path().join("small/shards").exists());
    assert_eq!(run_all(&plan, here.path()), 0);
    let status = StoreStatus::read(here.path(), &plan).unwrap();
    assert_eq!((status.done, status.missing), (all, 0));
}

#[test]
fn a_torn_segment_loses_one_job() {
    let plan = plan(SMALL);
    let alone = tempfile::tempdir().unwrap();
    run_all(&plan, alone.path());
    let root = tempfile::tempdir().unwrap();
    let played = run_shard(&plan, root.path(), 1, 2);
    let path = segment(root.path(), "1-of-2");
    let lines = fs::read(&path).unwrap();
    fs::write(&path, &lines[..lines.len() - 7]).unwrap();
    assert_eq!(run_shard(&plan, root.path(), 1, 2), 1);
    fs::write(&path, &lines[..lines.len() - 7]).unwrap();
    let store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
    assert!(store.notes.iter().any(|note| note.contains("is done again")), "{:?}", store.notes);
    assert_eq!(store.len(), played - 1);
    drop(store);
    run_all(&plan, root.path());
    assert_eq!(bytes(root.path()), bytes(alone.path()));
}

/// What is damaged, of another configuration, or contradicts what is there is refused, and nothing of
/// it is taken over.
#[test]
fn what_does_not_belong_is_refused() {
    let plan = plan(SMALL);
    let other = super::plan(&SMALL.replace("seed = 7", "seed = 8"));
    let (root, foreign) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_shard(&plan, root.path(), 1, 2);
    run_shard(&other, foreign.path(), 2, 2);
    let open = || Store::open(root.path(), &plan, StoreMode::Continue);
    let error = open().unwrap().merge(foreign.path(), &plan).unwrap_err();
    assert!(matches!(error, StoreError::OtherConfiguration { .. }), "{error}");
    let error = open().unwrap().merge(&foreign.path().join("nowhere"), &plan).unwrap_err();
    assert!(matches!(error, StoreError::Nothing { .. }), "{error}");
    // Its lines alone do not fit either.
    let (own, theirs) = (segment(root.path(), "2-of-2"), segment(foreign.path(), "2-of-2"));
    fs::copy(theirs, &own).unwrap();
    let before = bytes(root.path());
    let error = open().unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { line: 1, .. }), "{error}");
    assert!(error.to_string().contains("2-of-2.jsonl, line 1"), "{error}");
    assert_eq!(bytes(root.path()), before);
    // A worker of another configuration does not even start.
    let error =
        Store::open(root.path(), &other, StoreMode::Shard(Shard::new(1, 2).unwrap())).unwrap_err();
    assert!(matches!(error, StoreError::OtherConfiguration { .. }), "{error}");
}

#[test]
fn one_process_a_shard() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let shard = Shard::new(2, 3).unwrap();
    let held = Store::open(root.path(), &plan, StoreMode::Shard(shard)).unwrap();
    let error = Store::open(root.path(), &plan, StoreMode::Shard(shard)).unwrap_err();
    assert!(matches!(error, StoreError::ShardBusy { .. }), "{error}");
    let status = StoreStatus::read(root.path(), &plan).unwrap();
    assert_eq!(status.done, 0);
    assert!(status.running > 0 && status.running < status.jobs);
    assert!(status.workers[0].running && status.workers[0].place.contains("process"));
    // Others are not in its way.
    run_shard(&plan, root.path(), 1, 3);
    drop(held);
    assert_eq!(StoreStatus::read(root.path(), &plan).unwrap().running, 0);
}

#[test]
fn what_failed_is_told_until_it_is_done() {
    let text = SMALL.replace("x = [1.0]", "x = [1e120]").replace(
        "name = \"learner\"\nalgorithm1 = {}",
        "name = \"learner\"\nalgorithm1 = { radius = \"none\", surrogate = { name = \"cstnd_sq\" }, schedule = { name = \"experiment\", eta0 = 0.01, gamma0 = 1.0 } }",
    );
    let plan = plan(&text);
    let root = tempfile::tempdir().unwrap();
    let mut store =
        Store::open(root.path(), &plan, StoreMode::Shard(Shard::new(1, 1).unwrap())).unwrap();
    let error = run(&plan, &mut store, options(), &()).unwrap_err();
    let RunError::Jobs { failures, .. } = error else { panic!("{error}") };
    drop(store);
    let status = StoreStatus::read(root.path(), &plan).unwrap();
    assert_eq!(status.failed.len(), failures.len());
    assert_eq!(status.done + status.failed.len(), status.jobs);
    assert_eq!(status.failed[0].what, failures[0]);
}

/// Stopped again and again in the middle of its jobs, a run ends with the same bytes.
#[test]
fn a_run_that_is_stopped_in_the_middle_goes_on_to_the_same_bits() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let plan = plan(&SMALL.replace("rounds = 60", "rounds = 8000").replace("runs = 5", "runs = 1"));
    let alone = tempfile::tempdir().unwrap();
    run_all(&plan, alone.path());
    let root = tempfile::tempdir().unwrap();
    let (mut stops, mut saved_in_all) = (0, 0);
    loop {
        STOP.store(false, Ordering::Relaxed);
        let timer = std::thread::spawn(move || {
            // Longer each time, so that there is an end.
            std::thread::sleep(Duration::from_millis(2 + 5 * stops));
            STOP.store(true, Ordering::Relaxed);
        });
        let mut store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
        let options = RunOptions { stop: &STOP, ..options() };
        let result = run(&plan, &mut store, options, &());
        timer.join().unwrap();
        match result {
            Ok(_) => break,
            Err(RunError::Stopped { saved, left, .. }) => {
                assert!(saved <= left);
                stops += 1;
                saved_in_all += saved;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(stops > 3 && saved_in_all > 3, "{stops} stops, {saved_in_all} jobs saved");
    assert_eq!(bytes(root.path()), bytes(alone.path()));
    // Nothing is left of what was saved.
    assert_eq!(fs::read_dir(root.path().join("small/partial")).unwrap().count(), 0);
}

/// A state that was damaged, or is that of another configuration, is not used.
#[test]
fn a_damaged_state_starts_again() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let text = SMALL.replace("rounds = 60", "rounds = 60000").replace("runs = 5", "runs = 1");
    // Traces are short and not saved.
    let plan = plan(&text.replace("seed = 7", "seed = 7\ntrace = false"));
    let root = tempfile::tempdir().unwrap();
    // On a busy machine a signal may come before the first round: then a later one.
    let stopped = (0..10).any(|i| {
        STOP.store(false, Ordering::Relaxed);
        let timer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20 << i));
            STOP.store(true, Ordering::Relaxed);
        });
        let mut store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
        let error = run(&plan, &mut store, RunOptions { stop: &STOP, ..options() }, &());
        timer.join().unwrap();
        matches!(error, Err(RunError::Stopped { saved: 1.., .. }))
    });
    assert!(stopped);
    let partial = root.path().join("small/partial");
    for entry in fs::read_dir(&partial).unwrap() {
        let path = entry.unwrap().path();
        let mut state = fs::read(&path).unwrap();
        let middle = state.len() / 2;
        state[middle] ^= 1;
        fs::write(&path, state).unwrap();
    }
    assert_eq!(
        StoreStatus::read(root.path(), &plan).unwrap().saved,
        fs::read_dir(&partial).unwrap().count()
    );
    run_all(&plan, root.path());
    let alone = tempfile::tempdir().unwrap();
    run_all(&plan, alone.path());
    assert_eq!(bytes(root.path()), bytes(alone.path()));
}

/// A store takes the memory that its plan needs: as much with every job done as with none, though its file
/// is then many times the blocks that are read of it.
#[test]
fn memory_does_not_grow_with_finished_jobs() {
    let text = r#"
name = "small"
seed = 7
runs = 600
rounds = 400
trace = false
checkpoints = { linear = 400 }
stream = [{ name = "one", law.item = [{ weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] }] }]
policy = [{ name = "random", uniform = {} }]
"#;
    let (plan, root) =
        (plan(text), tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()));
    let root = root.unwrap();
    let measured = |done: usize| {
        let mut kept = None;
        let used = allocation_counter::measure(|| {
            kept = Some(Store::open(root.path(), &plan, StoreMode::Continue).unwrap());
        });
        assert_eq!(kept.unwrap().len(), done);
        (used.bytes_current, used.bytes_max)
    };
    let empty = measured(0);
    let mut store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
    let all = run(&plan, &mut store, options(), &()).unwrap().0;
    drop(store);
    let full = measured(all);
    assert_eq!(empty.0, full.0, "bytes that an open store holds");
    let (file, most) = (bytes(root.path()).len() as u64, full.1 - empty.1);
    assert!(most < file / 2, "{most} bytes more to open {file} bytes");
}

/// A checksum that fits does not make a job.
#[test]
fn a_line_for_no_job_is_refused_and_repaired() {
    let (plan, root) = (plan(SMALL), tempfile::tempdir().unwrap());
    run_all(&plan, root.path());
    // The configuration says five runs.
    let file = root.path().join("small/records.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().last().unwrap();
    let json = line[33..].replace("\"run\":4", "\"run\":5");
    let sum = Sha256::digest([plan.hash().as_bytes(), b"\n", json.as_bytes()].concat());
    let sum: String = sum[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(&file, format!("{text}{sum} {json}\n")).unwrap();
    let error = Store::open(root.path(), &plan, StoreMode::Continue).unwrap_err().to_string();
    assert!(error.contains("the experiment has no"), "{error}");
    let error = Store::read(root.path(), &plan, &jobs(&plan)).unwrap_err().to_string();
    assert!(error.contains("the experiment has no"), "{error}");
    drop(Store::open(root.path(), &plan, StoreMode::Repair).unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

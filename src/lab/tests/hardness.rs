//! What breaks things, and must not: files that change while they are used, settings beyond all
//! measure, stores that were damaged or whose process was killed at the wrong moment.

use super::{bytes, options, plan};
use crate::experiment::{Plan, RunError, RunOptions, Store, StoreError, StoreMode, jobs, run};
use std::fs;
use std::path::{Path, PathBuf};

const SMALL: &str = r#"
name = "small"
seed = 7
runs = 3
rounds = 50
checkpoints = { linear = 5 }

[[stream]]
name = "two"
law.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] },
    { weight = 2.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1]], available = [] },
]

[[policy]]
name = "learner"
algorithm1 = {}

[[policy]]
name = "random"
uniform = {}
"#;

fn message(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    let text = SMALL.replacen(from, to, 1);
    Plan::from_text(&text, "own.toml", PathBuf::new()).unwrap_err().to_string()
}

/// Runs a plan to its end and returns the bytes of the store.
fn run_all(plan: &Plan, root: &Path, mode: StoreMode) -> Vec<u8> {
    let mut store = Store::open(root, plan, mode).unwrap();
    run(plan, &mut store, options(), &()).unwrap();
    bytes(root)
}

/// Rounds in which the only expert is right, or wrong, and the text that says so.
fn recorded(right: bool) -> String {
    let round = format!("{{\"x\": [1], \"label\": 0, \"answers\": [{}]}}\n", u8::from(!right));
    round.repeat(60)
}

/// The small experiment on `rounds.jsonl`.
fn on_file(more: &str) -> String {
    let start = SMALL.find("law.item").unwrap();
    let end = SMALL.find("[[policy]]").unwrap();
    let stream = format!("[stream.recorded]\nfile = \"rounds.jsonl\"\nclasses = 2\n{more}\n");
    format!("{}{stream}{}", &SMALL[..start], &SMALL[end..])
        .replace("uniform = {}", "fixed_expert = {}")
}

/// Rounds from disk are the same experiment, and are not exchanged either.
#[test]
fn a_stream_that_stays_on_disk_is_read_again_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rounds.jsonl");
    let read = |more: &str| Plan::from_text(&on_file(more), "own.toml", folder.path().into());
    fs::write(&file, recorded(true)).unwrap();
    let (memory, disk) = (read("").unwrap(), read("disk = true").unwrap());
    assert_eq!(memory.hash(), disk.hash());
    let whole = run_all(&memory, &folder.path().join("memory"), StoreMode::Continue);
    assert_eq!(run_all(&disk, &folder.path().join("disk"), StoreMode::Continue), whole);
    assert!(
        read("disk = true\nshuffle = true").unwrap_err().to_string().contains("order of the file")
    );
    fs::write(&file, recorded(false)).unwrap();
    let root = folder.path().join("exchanged");
    let mut store = Store::open(&root, &disk, StoreMode::Continue).unwrap();
    let error = run(&disk, &mut store, RunOptions::default(), &()).unwrap_err().to_string();
    assert!(error.contains("changed while it was in use"), "{error}");
    assert_eq!(store.len(), 0, "runs of other data");
}

/// What is hashed is what is played: a file that is exchanged after the plan was read neither changes
/// the numbers nor is stored under the hash of the other.
#[test]
fn data_exchanged_after_the_plan_was_read_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rounds.jsonl");
    let read = || Plan::from_text(&on_file(""), "own.toml", folder.path().into()).unwrap();
    let kept =
        |plan: &Plan, store: &str| run_all(plan, &folder.path().join(store), StoreMode::Continue);
    fs::write(&file, recorded(true)).unwrap();
    let undisturbed = kept(&read(), "first");
    let plan = read();
    fs::write(&file, recorded(false)).unwrap();
    assert_eq!(kept(&plan, "exchanged"), undisturbed);
    let other = read();
    assert_ne!(other.hash(), plan.hash());
    assert_ne!(kept(&other, "second"), undisturbed);
    // The runs of the first file are not continued with the second.
    let error = Store::open(&folder.path().join("first"), &other, StoreMode::Continue).unwrap_err();
    assert!(error.to_string().contains("data.rounds.jsonl: stored"), "{error}");
}

#[test]
fn settings_that_take_the_machine_down_are_refused_with_the_limit() {
    assert!(message("runs = 3", "runs = 1000000000").contains("at most 1000000 are accepted"));
    assert!(message("rounds = 50", "rounds = 9000000000000000000").contains("rounds: at most"));
    let m = message("linear = 5", "linear = 10000000000");
    assert!(m.contains("10000000000 checkpoints: at most 100000"), "{m}");
    assert!(message("linear = 5", "per_decade = 4000000000").contains("checkpoints: at most"));
    let list: Vec<String> = (1..=1000).map(|i| i.to_string()).collect();
    let list = list.join(", ");
    let sweep =
        format!("uniform = {{}}\n[sweep]\nseed = [{list}]\nruns = [{list}]\nrounds = [{list}]");
    let m = message("uniform = {}", &sweep);
    assert!(m.contains("1000000000 sweep points: at most 10000"), "{m}");
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let mut store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
    let options = RunOptions { threads: Some(65_535), ..RunOptions::default() };
    let error = run(&plan, &mut store, options, &()).unwrap_err();
    assert!(matches!(error, RunError::Limit(_)), "{error}");
    assert!(error.to_string().contains("65535 threads: at most 1024"), "{error}");
}

#[test]
fn an_experiment_file_without_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.toml");
    fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let error = Plan::read(&path).unwrap_err().to_string();
    assert!(error.contains("bytes in an experiment file: at most"), "{error}");
}

/// Law weights that each are finite and sum to infinity drew only the last item.
#[test]
fn weights_that_overflow_are_refused() {
    let text =
        SMALL.replace("weight = 1.0", "weight = 9e307").replace("weight = 2.0", "weight = 9e307");
    let error = Plan::from_text(&text, "own.toml", PathBuf::new()).unwrap_err().to_string();
    assert!(error.contains("stream `two`: items.weight sums to inf"), "{error}");
}

/// One flipped bit costs one record, not the store.
#[test]
fn a_damaged_store_is_repaired_and_completed_to_the_same_bytes() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let whole = run_all(&plan, root.path(), StoreMode::Continue);
    let folder = root.path().join("small");
    let (records, config) = (folder.join("records.jsonl"), folder.join("config.json"));
    let header = fs::read(&config).unwrap();
    let mut flipped = whole.clone();
    let at = whole.iter().position(|&b| b == b'\n').unwrap() + 60;
    flipped[at] ^= 1;
    fs::write(&records, &flipped).unwrap();
    let refused = Store::open(root.path(), &plan, StoreMode::Continue).unwrap_err();
    assert!(refused.to_string().contains("--repair"), "{refused}");
    let store = Store::open(root.path(), &plan, StoreMode::Repair).unwrap();
    let notes = store.notes.join("\n");
    assert_eq!(store.len(), jobs(&plan).len() - 1);
    assert!(notes.contains("line 2: its checksum does not fit; dropped"), "{notes}");
    assert!(notes.contains("8 good records kept, 1 lines dropped"), "{notes}");
    drop(store);
    assert_eq!(fs::read(folder.join("before-1/records.jsonl")).unwrap(), flipped);
    assert_eq!(run_all(&plan, root.path(), StoreMode::Continue), whole);
    // A header that was damaged, or is gone, is made again; every record is still good.
    for damage in [&b"{"[..], b"\xff\xfe", &[]] {
        match damage.is_empty() {
            true => fs::remove_file(&config).unwrap(),
            false => fs::write(&config, damage).unwrap(),
        }
        assert!(Store::open(root.path(), &plan, StoreMode::Continue).is_err());
        let store = Store::open(root.path(), &plan, StoreMode::Repair).unwrap();
        assert_eq!(store.len(), jobs(&plan).len());
        drop(store);
        assert_eq!(fs::read(&config).unwrap(), header);
    }
    // A whole store is left alone, and one of another configuration is not touched.
    let before = fs::read_dir(&folder).unwrap().count();
    assert_eq!(run_all(&plan, root.path(), StoreMode::Repair), whole);
    let other = self::plan(&SMALL.replace("seed = 7", "seed = 8"));
    let error = Store::open(root.path(), &other, StoreMode::Repair).unwrap_err();
    assert!(matches!(error, StoreError::OtherConfiguration { .. }), "{error}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), before);
    assert_eq!(fs::read(&records).unwrap(), whole);
}

/// `--fresh` moves two files; killed in between, it leaves records without their configuration.
#[test]
fn an_interrupted_fresh_start_is_explained_and_can_be_finished() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let whole = run_all(&plan, root.path(), StoreMode::Continue);
    let folder = root.path().join("small");
    fs::create_dir(folder.join("before-1")).unwrap();
    fs::rename(folder.join("config.json"), folder.join("before-1/config.json")).unwrap();
    for error in [
        Store::open(root.path(), &plan, StoreMode::Continue).unwrap_err(),
        Store::read(root.path(), &plan, &jobs(&plan)).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(error.contains("an earlier --fresh was interrupted"), "{error}");
        assert!(error.contains("before-1") && error.contains("--repair"), "{error}");
    }
    let store = Store::open(root.path(), &plan, StoreMode::Fresh).unwrap();
    assert!(store.len() == 0 && store.notes[0].contains("before-1"));
    drop(store);
    assert_eq!(fs::read(folder.join("before-1/records.jsonl")).unwrap(), whole);
    assert!(!folder.join("before-2").exists());
    assert_eq!(run_all(&plan, root.path(), StoreMode::Continue), whole);
}

#[test]
fn files_that_a_killed_process_left_half_written_go() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    run_all(&plan, root.path(), StoreMode::Continue);
    let part = root.path().join("small/.part-Ab3xYz");
    fs::write(&part, "half").unwrap();
    // Reading writes nothing, opening cleans up.
    Store::read(root.path(), &plan, &jobs(&plan)).unwrap();
    assert!(part.exists());
    drop(Store::open(root.path(), &plan, StoreMode::Continue).unwrap());
    assert!(!part.exists());
}

//! The run store survives what happens to files: kills, cuts, flips, full disks, other hands.

use crate::small_experiment;

use deferlab::lab::experiment::{Store, StoreError, StoreMode, jobs};
use small_experiment::{SMALL, plan, records, run_all};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn write_records(root: &Path, bytes: &[u8]) {
    std::fs::write(root.join("small").join("records.jsonl"), bytes).unwrap();
}

/// Whatever a killed process leaves of the file, running again ends with the same bytes.
#[test]
fn a_file_cut_anywhere_is_completed_to_the_same_bytes() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let whole = run_all(&plan, root.path(), 2);
    let lines = whole.iter().filter(|&&b| b == b'\n').count();
    assert_eq!(lines, jobs(&plan).len());
    for cut in [0, 1, 40, whole.len() / 3, whole.len() / 2, whole.len() - 2, whole.len() - 1] {
        write_records(root.path(), &whole[..cut]);
        let torn = cut > 0 && whole[cut - 1] != b'\n';
        let store = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
        assert_eq!(store.notes.len(), usize::from(torn), "cut at {cut}");
        assert!(store.notes.iter().all(|note| note.contains("is done again")));
        drop(store);
        assert_eq!(run_all(&plan, root.path(), 2), whole, "cut at {cut}");
    }
    // Lines in another order are the same runs.
    let mut shuffled: Vec<&[u8]> = whole.split_inclusive(|&b| b == b'\n').collect();
    shuffled.reverse();
    write_records(root.path(), &shuffled.concat());
    assert_eq!(run_all(&plan, root.path(), 1), whole);
}

#[test]
fn a_corrupt_file_is_never_used() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let whole = run_all(&plan, root.path(), 2);
    let open = || Store::open(root.path(), &plan, StoreMode::Continue);
    // A flipped bit in a digit of the second line keeps it valid JSON; the checksum sees it.
    let second = whole.iter().position(|&b| b == b'\n').unwrap() + 1;
    let digit = (second + 40..).find(|&i| whole[i].is_ascii_digit()).unwrap();
    let mut flipped = whole.clone();
    flipped[digit] ^= 1;
    write_records(root.path(), &flipped);
    let error = open().unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { line: 2, .. }), "{error}");
    assert!(error.to_string().contains("records.jsonl, line 2: its checksum does not fit"));
    assert!(Store::read(root.path(), &plan, &jobs(&plan)).is_err());
    assert_eq!(records(root.path(), &plan), flipped, "it is left as it is");
    // A line that contradicts another cannot come from this store either: its sum would not fit.
    write_records(root.path(), &[&whole[..], b"garbage\n", &whole[..]].concat());
    assert!(matches!(open().unwrap_err(), StoreError::Corrupt { .. }));
    // Lines of another configuration do not fit here.
    let other = small_experiment::plan(
        &SMALL.replace("seed = 7", "seed = 8").replace("\"small\"", "\"other\""),
    );
    let foreign = run_all(&other, root.path(), 2);
    write_records(root.path(), &foreign);
    assert!(matches!(open().unwrap_err(), StoreError::Corrupt { line: 1, .. }));
    // So is the header.
    write_records(root.path(), &whole);
    let header = root.path().join("small").join("config.json");
    let text = std::fs::read_to_string(&header).unwrap();
    std::fs::write(&header, text.replacen("400", "401", 1)).unwrap();
    assert!(open().unwrap_err().to_string().contains("sha256 does not fit"));
    std::fs::write(&header, "{").unwrap();
    assert!(matches!(open().unwrap_err(), StoreError::CorruptConfiguration { .. }));
    // With --fresh it is moved aside, not deleted.
    let store = Store::open(root.path(), &plan, StoreMode::Fresh).unwrap();
    assert!(store.notes[0].contains("before-1"));
    assert!(std::fs::read(root.path().join("small/records.jsonl")).unwrap().is_empty());
    assert!(root.path().join("small/before-1/records.jsonl").exists());
}

#[test]
fn another_configuration_is_refused_and_shown() {
    let root = tempfile::tempdir().unwrap();
    let before = run_all(&plan(SMALL), root.path(), 2);
    let changed =
        plan(&SMALL.replace("seed = 7", "seed = 8").replace("eta0 = 0.01", "eta0 = 0.02"));
    let error = Store::open(root.path(), &changed, StoreMode::Continue).unwrap_err().to_string();
    assert!(error.contains("experiment.seed: stored 7, now 8"), "{error}");
    assert!(error.contains("schedule.eta0: stored 0.01, now 0.02"), "{error}");
    assert!(error.contains("--fresh"));
    assert!(Store::read(root.path(), &changed, &jobs(&changed)).is_err());
    assert_eq!(records(root.path(), &plan(SMALL)), before);
}

#[test]
fn reading_needs_everything_and_writing_needs_the_lock() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    let read = || Store::read(root.path(), &plan, &jobs(&plan));
    assert!(matches!(read().unwrap_err(), StoreError::Nothing { .. }));
    let whole = run_all(&plan, root.path(), 2);
    assert!(read().is_ok());
    let first = Store::open(root.path(), &plan, StoreMode::Continue).unwrap();
    assert!(matches!(
        Store::open(root.path(), &plan, StoreMode::Continue).unwrap_err(),
        StoreError::Busy { .. }
    ));
    drop(first);
    let half: Vec<u8> = whole.split_inclusive(|&b| b == b'\n').take(5).flatten().copied().collect();
    write_records(root.path(), &half);
    let error = read().unwrap_err().to_string();
    assert!(error.contains(&format!(
        "{} of {} runs are missing",
        jobs(&plan).len() - 5,
        jobs(&plan).len()
    )));
}

fn command(file: &Path, store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deferlab"));
    command.arg("run").arg(file).arg("--store").arg(store);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// kill -9 at several moments, then to the end: the same bytes as without.
#[test]
fn killed_and_resumed_equals_uninterrupted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.toml");
    // Long enough to be killed in the middle, short enough to finish.
    let text = SMALL
        .replace("\"small\"", "\"long\"")
        .replace("rounds = 400\ncheck", "rounds = 20000\ncheck");
    std::fs::write(&file, &text).unwrap();
    let (calm, harsh) = (folder.path().join("calm"), folder.path().join("harsh"));
    assert!(command(&file, &calm).output().unwrap().status.success());
    let mut killed = 0;
    for millis in [30, 60, 90, 150, 250] {
        let mut child = command(&file, &harsh).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0, "the run was always faster than the kill");
    let end = command(&file, &harsh).output().unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    let bytes = |root: &Path| std::fs::read(root.join("long/records.jsonl")).unwrap();
    assert_eq!(bytes(&calm), bytes(&harsh));
    let report = |root: &Path| std::fs::read(root.join("long/report/report.json")).unwrap();
    assert_eq!(report(&calm), report(&harsh));
}

/// A limit on the size of files stands in for a full disk: the write fails half-way.
#[test]
fn a_full_disk_is_said_and_what_was_stored_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SMALL).unwrap();
    let store = folder.path().join("runs");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 12; exec {:?} run {:?} --store {:?}",
        env!("CARGO_BIN_EXE_deferlab"),
        file,
        store
    );
    let output = Command::new("bash").arg("-c").arg(&limited).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("records.jsonl: cannot write") && said.contains("intact"), "{said}");
    let kept = std::fs::read(store.join("small/records.jsonl")).unwrap();
    assert!(kept.last() == Some(&b'\n') && kept.len() <= 12 * 1024, "{}", kept.len());
    // With room again it goes on and ends as if nothing had happened.
    assert!(command(&file, &store).output().unwrap().status.success());
    let calm = folder.path().join("calm");
    assert!(command(&file, &calm).output().unwrap().status.success());
    let bytes = |root: &Path| std::fs::read(root.join("small/records.jsonl")).unwrap();
    assert_eq!(bytes(&store), bytes(&calm));
}

/// A folder that cannot be written, also by root.
#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SMALL).unwrap();
    for store in [folder.path().join("small.toml/runs"), "/proc/deferlab".into()] {
        let output = command(&file, &store).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot make the folder"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), SMALL);
}

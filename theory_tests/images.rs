//! Without images or without networks the experiment on them says so.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn reproduce(data: &Path, work: &Path, names: &[&str]) -> assert_cmd::assert::Assert {
    let experiments = work.join("experiments");
    std::fs::create_dir_all(&experiments).unwrap();
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("experiments/cifar10h.toml");
    std::fs::copy(file, experiments.join("cifar10h.toml")).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
    command.current_dir(work).env("DEFERLAB_DATA", data).arg("reproduce").args(names).assert()
}

/// Without data or without networks nothing is passed off as done.
#[test]
fn an_experiment_that_cannot_run_says_so() {
    let (data, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let text = |assert: &assert_cmd::assert::Assert| {
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let named = reproduce(data.path(), work.path(), &["cifar10h"]).code(2);
    let message = text(&named);
    if cfg!(feature = "wrn") {
        assert!(message.contains("cifar10/data_batch_1.png was not found"), "{message}");
        assert!(message.contains("just data") && message.contains("cifar10h-counts.npy"));
    } else {
        assert!(message.contains("--features wrn -- reproduce cifar10h"), "{message}");
    }
    let all = reproduce(data.path(), work.path(), &[]).code(0);
    assert!(text(&all).starts_with("skipped, not run: cifar10h: "), "{}", text(&all));
    assert!(all.get_output().stdout.is_empty() && !work.path().join("reports").exists());
}

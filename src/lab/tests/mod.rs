//! Whole experiments, from a file to a store.

mod hardness;
mod own;
mod peers;
mod shards;

use crate::experiment::{Plan, RunOptions};
use std::path::{Path, PathBuf};

/// An experiment that is called `small`.
fn plan(text: &str) -> Plan {
    Plan::from_text(text, "small.toml", PathBuf::new()).unwrap()
}

fn options() -> RunOptions {
    RunOptions { threads: Some(2), ..RunOptions::default() }
}

/// What its store has.
fn bytes(root: &Path) -> Vec<u8> {
    std::fs::read(root.join("small/records.jsonl")).unwrap()
}

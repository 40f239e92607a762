//! A small experiment that the tests of engine, store and reports share.

use deferlab::lab::experiment::{Plan, RunOptions, Store, StoreMode, run};
use std::path::{Path, PathBuf};

/// Two streams, three policies, three runs, a sweep of two values: 36 jobs and traces.
#[allow(dead_code)]
pub const SMALL: &str = r#"
name = "small"
title = "A small experiment"
seed = 7
runs = 3
rounds = 400
checkpoints = { linear = 8 }

[[stream]]
name = "drift"
[stream.synthetic]
availability = { start = 0.7, sigma = 2e-3 }
drift = { to = [[2, 3], [0, 1], []], rounds = 400 }

[[stream]]
name = "two"
label = "two inputs"
law.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] },
    { weight = 2.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1]], available = [] },
]

[[policy]]
name = "learner"
label = "Algorithm 1"
algorithm1 = { schedule = { name = "experiment", eta0 = 0.01, gamma0 = 1.0 } }

[[policy]]
name = "random"
uniform = {}

[[policy]]
name = "oracle"
only = ["drift"]
oracle = {}

[sweep]
"policy.learner.algorithm1.schedule.gamma0" = [1.0, 3.0]

[report]
subject = "learner"
baseline = "random"
published_expert_accuracy = [45.55, 45.58, 16.66]
"#;

#[allow(dead_code)]
pub fn plan(text: &str) -> Plan {
    Plan::from_text(text, "small.toml", PathBuf::new()).unwrap()
}

/// Runs a plan to its end and returns the bytes of the store.
#[allow(dead_code)]
pub fn run_all(plan: &Plan, root: &Path, threads: usize) -> Vec<u8> {
    let mut store = Store::open(root, plan, StoreMode::Continue).unwrap();
    let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
    run(plan, &mut store, options, &()).unwrap();
    records(root, plan)
}

#[allow(dead_code)]
pub fn records(root: &Path, plan: &Plan) -> Vec<u8> {
    std::fs::read(root.join(&plan.spec.name).join("records.jsonl")).unwrap()
}

//! The textbook policies in experiment files: their settings, their own draws, hindsight.

use crate::experiment::{Plan, RunOptions, RunOutcome, Store, StoreMode, jobs, run};
use std::path::{Path, PathBuf};

const PEERS: &str = r#"
name = "peers"
seed = 7
runs = 3
rounds = 300
checkpoints = { linear = 3 }
trace = false

[[stream]]
name = "two"
law.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5], [0.9, 0.9]] },
    { weight = 2.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1], [0.8, 0.8]] },
]

[[policy]]
name = "ridge"
ridge_cb = {}

[[policy]]
name = "ridge-known"
ridge_cb = { lambda = 2.0, centred = false, hashed = 4, gamma = { name = "horizon" } }

[[policy]]
name = "ucb"
lin_ucb = {}

[[policy]]
name = "thompson"
thompson = { scale = 1.0 }

[[policy]]
name = "epsilon"
epsilon_greedy = {}

[[policy]]
name = "means"
running_means = {}

[[policy]]
name = "fixed"
fixed_expert = {}
"#;

/// Mean losses by policy and run.
fn losses(root: &Path, threads: usize) -> Vec<Vec<f64>> {
    let plan = Plan::from_text(PEERS, "peers.toml", PathBuf::new()).unwrap();
    let mut store = Store::open(root, &plan, StoreMode::Continue).unwrap();
    let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
    run(&plan, &mut store, options, &()).unwrap();
    let mut losses = vec![Vec::new(); plan.spec.policy.len()];
    let stored = Store::read(root, &plan, &jobs(&plan)).unwrap();
    for (key, record) in stored {
        let RunOutcome::Series(series) = &record.outcome else { panic!("a trace") };
        losses[key.policy.unwrap()]
            .push(series.loss[series.loss.len() - 1] / series.t[series.t.len() - 1] as f64);
    }
    losses
}

#[test]
fn every_kind_runs_and_runs_again_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let first = losses(&folder.path().join("one"), 1);
    assert_eq!(first, losses(&folder.path().join("two"), 2));
    // In hindsight the first expert is the cheaper one: (0.5 + 2 * 0.1) / 3. The allowance is five
    // standard deviations of a mean of 300 rounds.
    for loss in &first[6] {
        assert!((loss - 0.7 / 3.0).abs() < 5.0 * 0.19 / 300f64.sqrt(), "{loss}");
    }
    // Runs meet other draws.
    assert!(first.iter().all(|runs| runs[0] != runs[1]), "{first:?}");
}

#[test]
fn settings_that_cannot_be_are_named() {
    let message = |from: &str, to: &str| {
        assert!(PEERS.contains(from), "{from}");
        let text = PEERS.replacen(from, to, 1);
        Plan::from_text(&text, "own.toml", PathBuf::new()).unwrap_err().to_string()
    };
    let m = message("lin_ucb = {}", "lin_ucb = { alpha = -1.0 }");
    assert!(m.contains("policy `ucb`: alpha = -1"), "{m}");
    let m = message("lin_ucb = {}", "lin_ucb = { alhpa = 1.0 }");
    assert!(m.contains("did you mean `alpha`?"), "{m}");
    let m = message("lambda = 2.0", "lambda = 0.0");
    assert!(m.contains("policy `ridge-known`: lambda = 0"), "{m}");
    let m = message("scale = 1.0", "scale = 0.0");
    assert!(m.contains("policy `thompson`: scale = 0"), "{m}");
}

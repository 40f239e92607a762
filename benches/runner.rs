//! What experiments cost: rounds a second, and what a second thread is worth.
//!
//! `cargo bench --bench runner`. Speed-ups are medians of several turns in which one and two threads
//! follow one another, so that a busy machine slows both alike.

use deferlab::experiment::progress::Silent;
use deferlab::experiment::{Plan, RunOptions, Store, run};
use std::path::PathBuf;
use std::time::Instant;

const SYNTHETIC: &str = r#"
name = "bench"
seed = 1
runs = 8
rounds = 100000
trace = false
[[stream]]
name = "drift"
synthetic.availability = { start = 0.7, sigma = 2e-3 }
synthetic.drift = { to = [[2, 3], [0, 1], []] }
[[policy]]
name = "learner"
algorithm1 = { schedule = { name = "experiment", eta0 = 5e-4, gamma0 = 10.0 } }
"#;

const LAW: &str = r#"
name = "bench"
seed = 1
runs = 8
rounds = 1000000
trace = false
[[stream]]
name = "law"
law.item = [
    { weight = 1.0, x = [1.0], p = [0.8, 0.2], cost = [[0.5, 0.5]] },
    { weight = 1.0, x = [-1.0], p = [0.4, 0.6], cost = [[0.1, 0.1]] },
]
[[policy]]
name = "learner"
algorithm1 = { schedule = { name = "general" } }
"#;

fn seconds(plan: &Plan, threads: usize) -> f64 {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(root.path(), plan, false).expect("a store");
    let options = RunOptions { threads: Some(threads), fail_fast: true };
    let start = Instant::now();
    run(plan, &mut store, options, &Silent).expect("a run");
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    // `cargo test --benches` only asks whether this runs.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    for (name, text, turns) in
        [("synthetic, setting 3", SYNTHETIC, 5), ("law, N = 3, d = 1", LAW, 5)]
    {
        let plan = Plan::from_text(text, "bench", PathBuf::new()).expect("valid");
        let times: Vec<(f64, f64)> =
            (0..turns).map(|_| (seconds(&plan, 1), seconds(&plan, 2))).collect();
        let one = median(times.iter().map(|t| t.0).collect());
        let speed_up = median(times.iter().map(|t| t.0 / t.1).collect());
        let rounds = f64::from(plan.spec.runs) * plan.spec.rounds as f64;
        let verdict = if speed_up >= 1.8 { "reached" } else { "MISSED" };
        println!("{name}: {:.0} ns a round on one thread", 1e9 * one / rounds);
        println!("{name}: two threads {speed_up:.2} x one (at least 1.8: {verdict})");
    }
}

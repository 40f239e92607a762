//! What experiments cost: rounds a second, and what a second thread is worth.
//!
//! `cargo bench --bench runner`. Speed-ups are medians of several turns in which one and two threads
//! follow one another. A busy machine has no second core to give, so each turn also measures what
//! two threads gain on plain arithmetic that shares nothing; the ratio of the two is the runner's own.
//!
//! Reuters4 is measured in seconds, against what it may take on two idle cores: loading at most 1 s,
//! five runs of each of three settings at most 30 s.

use deferlab::lab::experiment::{Plan, RunOptions, Store, StoreMode, run};
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

const REUTERS4: &str = r#"
name = "bench"
seed = 1
runs = 5
rounds = 100000
trace = false
[[stream]]
name = "setting-1"
reuters4 = {}
[[stream]]
name = "setting-2"
reuters4.availability = { start = 0.7, sigma = 2e-3 }
[[stream]]
name = "setting-3"
reuters4.availability = { start = 0.7, sigma = 2e-3 }
reuters4.drift = { to = [[2, 3], [0, 3], [0, 1]] }
[[policy]]
name = "learner"
algorithm1 = { optimizer = { name = "adagrad", rate = 0.1, epsilon = 1e-10 }, schedule = { name = "experiment", eta0 = 5e-4, gamma0 = 10.0 } }
"#;

/// A router on the second setting, on one thread.
fn router(policy: &str) -> String {
    format!(
        r#"
name = "bench"
seed = 1
runs = 1
rounds = 200000
trace = false
[[stream]]
name = "setting-2"
reuters4.availability = {{ start = 0.7, sigma = 2e-3 }}
[[policy]]
name = "router"
{policy} = {{}}
"#
    )
}

fn reuters4() {
    // Reading a plan reads its data, each set once.
    let read = || Plan::from_text(REUTERS4, "bench", PathBuf::new()).expect("valid");
    let plan = read();
    if let Some(missing) = plan.stand_ins.first() {
        return println!("Reuters4: not measured: {missing}");
    }
    let load = |_| {
        let start = Instant::now();
        drop(read());
        start.elapsed().as_secs_f64()
    };
    let verdict = |seconds: f64, most: f64| if seconds <= most { "reached" } else { "MISSED" };
    let loading = median((0..5).map(load).collect());
    println!("Reuters4: loaded in {loading:.3} s (at most 1 s: {})", verdict(loading, 1.0));
    let running = median((0..3).map(|_| seconds(&plan, 2)).collect());
    println!(
        "Reuters4: 15 runs of 100,000 rounds in {running:.1} s (at most 30 s: {})",
        verdict(running, 30.0)
    );
    for policy in ["belief", "square_cb"] {
        // The plan has loaded the data before the clock starts.
        let plan = Plan::from_text(&router(policy), "bench", PathBuf::new()).expect("valid");
        let fastest = (0..9).map(|_| seconds(&plan, 1)).fold(f64::INFINITY, f64::min);
        let millions = plan.spec.rounds as f64 / fastest / 1e6;
        let verdict = if millions >= 0.6 { "reached" } else { "MISSED" };
        println!(
            "Reuters4, {policy}: {millions:.2} million rounds a second (at least 0.6: {verdict})"
        );
    }
}

fn seconds(plan: &Plan, threads: usize) -> f64 {
    let root = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(root.path(), plan, StoreMode::Continue).expect("a store");
    let options = RunOptions { threads: Some(threads), fail_fast: true, ..RunOptions::default() };
    let start = Instant::now();
    run(plan, &mut store, options, &()).expect("a run");
    start.elapsed().as_secs_f64()
}

/// Sixteen pieces of arithmetic, shared out among `threads`.
fn arithmetic(threads: u64) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(move || {
                let mut x = std::hint::black_box(1u64);
                for _ in 0..16 / threads * 20_000_000 {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                }
                std::hint::black_box(x);
            });
        }
    });
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
    reuters4();
    for (name, text, turns) in
        [("synthetic, setting 3", SYNTHETIC, 5), ("law, N = 3, d = 1", LAW, 5)]
    {
        let plan = Plan::from_text(text, "bench", PathBuf::new()).expect("valid");
        let (mut ones, mut gains, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..turns {
            let (one, two) = (seconds(&plan, 1), seconds(&plan, 2));
            let possible = arithmetic(1) / arithmetic(2);
            ones.push(one);
            gains.push(one / two);
            own.push(2.0 * one / two / possible);
        }
        let (one, gain, own) = (median(ones), median(gains), median(own));
        let rounds = f64::from(plan.spec.runs) * plan.spec.rounds as f64;
        let verdict = if own >= 1.8 { "reached" } else { "MISSED" };
        println!("{name}: {:.0} ns a round on one thread", 1e9 * one / rounds);
        println!(
            "{name}: two threads {gain:.2} x one, {own:.2} x if the machine gave both cores (at least 1.8: {verdict})"
        );
    }
}

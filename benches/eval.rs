//! How many `eval` requests one core answers in a second.

use criterion::{Criterion, Throughput};
use deferlab::eval::run;
use deferlab::theory::SurrogateId;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::json;
use std::fmt::Write;
use std::hint::black_box;

/// Requests with random laws of 3 classes and 2 experts; `surrogate` cycles through all ten.
fn requests(kind: &str, count: usize) -> String {
    let mut rng = Pcg64::seed_from_u64(3);
    let mut lines = String::new();
    for id in 0..count {
        let raw: Vec<f64> = (0..3).map(|_| rng.random_range(0.05..1.0)).collect();
        let total: f64 = raw.iter().sum();
        let p: Vec<f64> = raw.iter().map(|v| v / total).collect();
        let cost = |rng: &mut Pcg64| (0..3).map(|_| rng.random::<f64>()).collect::<Vec<_>>();
        let c = [cost(&mut rng), cost(&mut rng)];
        let mut input = json!({"n": 3, "n_e": 2, "A": [0, 1], "p": p, "c": c});
        if kind == "surrogate" {
            let mut u: Vec<f64> = (0..5).map(|_| rng.random_range(-2.0..2.0)).collect();
            let mean = u.iter().sum::<f64>() / 5.0;
            u.iter_mut().for_each(|v| *v -= mean);
            input["name"] = SurrogateId::NAMES[id % 10].into();
            input["alpha"] = 0.7.into();
            input["tau"] = 1.0.into();
            input["u"] = u.into();
        }
        writeln!(lines, "{}", json!({"id": id, "kind": kind, "input": input})).expect("a string");
    }
    lines
}

fn main() {
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("eval");
    for kind in ["scores", "surrogate"] {
        let count = 2000;
        let input = requests(kind, count);
        let mut answers = Vec::new();
        run(input.as_bytes(), &mut answers).expect("memory");
        assert!(!String::from_utf8_lossy(&answers).contains("error"), "a request was refused");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(kind, |b| {
            b.iter(|| run(black_box(input.as_bytes()), std::io::sink()).expect("memory"));
        });
    }
    group.finish();
    criterion.final_summary();
}

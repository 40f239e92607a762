//! How the time of a gap program grows with the number of distinct `(x, A)`.
//!
//! Nine actions (five classes, four experts), eight availability sets, inputs of dimension ten. Two
//! cores of a busy Zen 3 machine, two solves each (optimum, and its selection of least norm):
//!
//! ```text
//! distinct (x, A)     50     200    400    800    3200
//! no ball            9 ms   73 ms  225 ms  370 ms  3.4 s
//! B = 9             13 ms  190 ms  245 ms  970 ms  2.7 s
//! ```
//! Between linear and n^1.5: the factorisation is sparse, only the matrix couples the inputs.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use deferlab::problem::ActionSpace;
use deferlab::theory::{
    ComparatorEffort, FiniteStream, StreamItem, SurrogateId, bracket, minimizability_gap,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::hint::black_box;
use std::time::Duration;

fn stream(items: usize) -> FiniteStream {
    let space = ActionSpace::new(5, 4).unwrap();
    let mut rng = Pcg64::seed_from_u64(1);
    let mut list = Vec::with_capacity(items);
    while list.len() < items {
        let x: Vec<f64> = (0..10).map(|_| rng.random_range(-1.0..1.0)).collect();
        let raw: Vec<f64> = (0..5).map(|_| rng.random_range(0.0f64..1.0).powi(3)).collect();
        let total: f64 = raw.iter().sum();
        let expert: Vec<f64> = (0..4).map(|_| rng.random_range(0.0..1.0)).collect();
        for mask in (0..16u128).step_by(2).take(items - list.len()) {
            let active = space.active_from_mask(mask).unwrap();
            let s = raw.iter().map(|v| v / total).chain(active.experts().map(|j| expert[j]));
            list.push(StreamItem { weight: 1.0, x: x.clone(), active, s: s.collect() });
        }
    }
    FiniteStream::new(space, list).unwrap()
}

fn gaps(c: &mut Criterion) {
    let mut group = c.benchmark_group("hinge gap");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    for items in [50, 200, 400, 800, 3200] {
        let stream = stream(items);
        for (name, ball) in [("no ball", None), ("B = 9", Some(9.0))] {
            group.bench_with_input(BenchmarkId::new(name, items), &stream, |b, stream| {
                b.iter(|| minimizability_gap(black_box(stream), SurrogateId::CstndHinge, ball));
            });
        }
    }
    group.finish();
}

fn comparators(c: &mut Criterion) {
    let mut group = c.benchmark_group("comparator");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    let effort = ComparatorEffort { nodes: 20, restarts: 1, seed: 0 };
    for items in [50, 200] {
        let stream = stream(items);
        group.bench_with_input(BenchmarkId::new("bracket", items), &stream, |b, stream| {
            b.iter(|| bracket(black_box(stream), effort));
        });
    }
    group.finish();
}

criterion_group!(benches, gaps, comparators);
criterion_main!(benches);

//! What a round of the ridge learner costs, and the same round with faer's own products.
//!
//! faer's kernels fuse multiplications and additions where the machine can, so their bits depend on it;
//! the learner's loops do not. This bench says what that costs. It decides where faer serves: in the
//! plain twin of the tests, which solves the normal equations anew, and not in the learner. (The profile
//! hardly optimises faer's crates. With `opt-level = 3` for all of them faer is no faster here.)

use criterion::{Criterion, criterion_group, criterion_main};
use deferlab::learner::{Policy, RidgeCb, RidgeCbConfig};
use deferlab::problem::{ActionSpace, Features, Feedback};
use faer::{Col, Mat};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::hint::black_box;

const ACTIONS: usize = 9;

fn inputs(dim: usize) -> Vec<Vec<f64>> {
    let mut rng = Pcg64::seed_from_u64(1);
    (0..64).map(|_| (0..dim).map(|_| rng.random_range(-0.2..0.2)).collect()).collect()
}

/// `A^-1` of every action, with faer's products: as many of them as a round of the learner takes.
struct WithFaer {
    inverses: Vec<Mat<f64>>,
    played: usize,
}

impl WithFaer {
    fn round(&mut self, x: &Col<f64>) -> f64 {
        let widths: f64 = self.inverses.iter().map(|inverse| x.transpose() * (inverse * x)).sum();
        let inverse = &mut self.inverses[self.played];
        let v = &*inverse * x;
        let factor = 1.0 / (1.0 + x.transpose() * &v);
        *inverse -= (&v * v.transpose()) * faer::Scale(factor);
        self.played = (self.played + 1) % ACTIONS;
        widths
    }
}

fn ridge(c: &mut Criterion) {
    let space = ActionSpace::new(6, 3).expect("nine actions");
    for dim in [1usize, 16, 120] {
        let mut group = c.benchmark_group(format!("ridge round, nine actions, d = {dim}"));
        let xs = inputs(dim);
        let mut learner = RidgeCb::new(RidgeCbConfig::new(space, dim)).expect("its defaults");
        let mut t = 0usize;
        group.bench_function("learner", |b| {
            b.iter(|| {
                let x = Features::Dense(&xs[t % xs.len()]);
                let decision = learner.decide(x, space.all_active()).expect("a decision");
                let action = decision.sample((t * 37 % 101) as f64 / 101.0);
                let cost = space.expert_of(action).map(|_| 0.5);
                let feedback = Feedback::Bandit { action, correct: t.is_multiple_of(3), cost };
                learner.observe(feedback).expect("it was decided");
                t += 1;
            });
        });
        let cols: Vec<Col<f64>> = xs
            .iter()
            .map(|x| Col::from_fn(dim + 1, |i| if i < dim { x[i] } else { 1.0 }))
            .collect();
        let mut twin =
            WithFaer { inverses: vec![Mat::identity(dim + 1, dim + 1); ACTIONS], played: 0 };
        group.bench_function("faer", |b| {
            b.iter(|| {
                t += 1;
                black_box(twin.round(&cols[t % cols.len()]))
            });
        });
        group.finish();
    }
}

criterion_group!(benches, ridge);
criterion_main!(benches);

//! What a round costs, as ratios to a bare kernel measured in the same run on one core.
//!
//! A ratio is the median over many short turns in which the candidates follow one another, so that
//! a busy machine slows all of them alike. Criterion's own absolute times come after the ratios.

use criterion::Criterion;
use deferlab::learner::BarePass;
use deferlab::learner::{Algorithm1, Config, Optimizer, PlainLearner, Policy, Schedule};
use deferlab::problem::{ActionSpace, ExpertCost, Features, Feedback, SparseRow};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::hint::black_box;
use std::time::Instant;

/// Inputs that rounds cycle through.
enum Pool {
    Dense(Vec<Vec<f64>>),
    /// One after another: dimension, non-zeros a row, all indices, all values.
    Sparse(usize, usize, Vec<u32>, Vec<f64>),
}

impl Pool {
    /// 0/1 features, 30 of 120 on, like the paper's synthetic stream.
    fn dense(dim: usize, rng: &mut Pcg64) -> Self {
        let row = |rng: &mut Pcg64| (0..dim).map(|_| f64::from(rng.random_bool(0.25))).collect();
        Pool::Dense((0..256).map(|_| row(rng)).collect())
    }

    /// `nnz` non-zeros of `dim`, unit norm, like a document.
    fn sparse(dim: usize, nnz: usize, rows: usize, rng: &mut Pcg64) -> Self {
        let (mut all_indices, mut all_values) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let mut indices: Vec<u32> = Vec::new();
            while indices.len() < nnz {
                indices.extend((indices.len()..nnz).map(|_| rng.random_range(0..dim as u32)));
                indices.sort_unstable();
                indices.dedup();
            }
            let mut values: Vec<f64> = indices.iter().map(|_| rng.random_range(0.1..1.0)).collect();
            let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
            values.iter_mut().for_each(|v| *v /= norm);
            SparseRow::new(dim, &indices, &values).expect("a valid row");
            all_indices.extend(indices);
            all_values.extend(values);
        }
        Pool::Sparse(dim, nnz, all_indices, all_values)
    }

    fn get(&self, i: usize) -> Features<'_> {
        match self {
            Pool::Dense(rows) => Features::Dense(&rows[i % rows.len()]),
            Pool::Sparse(dim, nnz, indices, values) => {
                let from = i % (indices.len() / nnz) * nnz;
                let span = from..from + nnz;
                Features::Sparse(SparseRow {
                    dim: *dim,
                    indices: &indices[span.clone()],
                    values: &values[span],
                })
            }
        }
    }
}

/// Whole rounds: availability, decision, sampling, outcome, estimate, step, ball.
struct Rounds<'a, P> {
    policy: P,
    pool: &'a Pool,
    rng: Pcg64,
    cost: ExpertCost,
    at: usize,
}

impl<'a, P: Policy> Rounds<'a, P> {
    fn new(policy: P, pool: &'a Pool) -> Self {
        let cost = ExpertCost::new(1.0, 0.1).expect("the paper's cost");
        Rounds { policy, pool, rng: Pcg64::seed_from_u64(7), cost, at: 0 }
    }

    /// The answer is always right, so that every round has a non-zero estimate and takes a step.
    fn run(&mut self, count: usize) {
        let space = self.policy.space();
        for _ in 0..count {
            let mut available = 0;
            for j in 0..space.experts() {
                available |= u128::from(self.rng.random_bool(0.7)) << j;
            }
            let active = space.active_from_mask(available).expect("experts exist");
            let decision = self.policy.decide(self.pool.get(self.at), active).expect("valid");
            let action = decision.sample(self.rng.random());
            let cost = space.expert_of(action).map(|_| self.cost.normalized(true));
            let feedback = Feedback::Bandit { action, correct: true, cost };
            self.policy.observe(feedback).expect("valid");
            self.at += 1;
        }
    }
}

/// The limit: the weights alone. For gradient steps one pass takes the step of the round before and scores
/// the next input; two passes, the scores and then the step, are measured beside it, and, stricter still, the
/// step without any scores. For AdaGrad it is the loads and stores of scores and step, and its arithmetic; where
/// the matrix is beyond the caches a round is faster than that, because it asks early for what the step will want.
struct Bare<'a, P> {
    pass: P,
    pool: &'a Pool,
    at: usize,
}

impl<'a, P: FnMut(Features<'_>, Features<'_>)> Bare<'a, P> {
    fn new(pass: P, pool: &'a Pool) -> Self {
        Bare { pass, pool, at: 0 }
    }

    fn run(&mut self, count: usize) {
        let mut before = self.pool.get(self.at);
        for _ in 0..count {
            self.at += 1;
            let x = self.pool.get(self.at);
            (self.pass)(before, x);
            before = x;
        }
        black_box(&self.pass);
    }
}

fn learner(n: usize, n_e: usize, dim: usize, optimizer: Optimizer) -> Config {
    let space = ActionSpace::new(n, n_e).expect("a valid space");
    Config { optimizer, schedule: Schedule::EXPERIMENT, ..Config::new(space, dim) }
}

/// Median nanoseconds a call for each candidate, measured in turns.
fn in_turns(turns: usize, calls: usize, candidates: &mut [&mut dyn FnMut(usize)]) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(turns); candidates.len()];
    for candidate in candidates.iter_mut() {
        candidate(calls);
    }
    for _ in 0..turns {
        for (candidate, times) in candidates.iter_mut().zip(&mut times) {
            let start = Instant::now();
            candidate(calls);
            times.push(start.elapsed().as_nanos() as f64 / calls as f64);
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.iter_mut().map(median).collect()
}

fn report(name: &str, ns: f64, limit_ns: f64, asked: Option<f64>) {
    let ratio = ns / limit_ns;
    let asked = asked.map_or(String::new(), |a| {
        format!("  (at most {a:.2}: {})", if ratio <= a { "reached" } else { "MISSED" })
    });
    println!("{name:<44} {ns:>9.0} ns   {ratio:>6.2} x bare{asked}");
}

fn dense_ratios() {
    let (n, n_e, dim) = (6, 3, 120);
    let pool = Pool::dense(dim, &mut Pcg64::seed_from_u64(1));
    let config = learner(n, n_e, dim, Optimizer::Ogd);
    let limit = |pass: BarePass, portable| Bare::new(pass.start(n + n_e, dim, portable), &pool);
    let mut bare = limit(BarePass::StepAndScores, false);
    let mut two_passes = limit(BarePass::ScoresThenStep, false);
    let mut step_only = limit(BarePass::Step, false);
    let mut bare_portable = limit(BarePass::StepAndScores, true);
    let general = Config { schedule: Schedule::General, ..config.clone() };
    let mut fast = Rounds::new(Algorithm1::new(config.clone()).expect("valid"), &pool);
    let mut thm63 = Rounds::new(Algorithm1::new(general).expect("valid"), &pool);
    let portable = Algorithm1::new(config.clone()).expect("valid").portable();
    let mut portable = Rounds::new(portable, &pool);
    let mut plain = Rounds::new(PlainLearner::new(config).expect("valid"), &pool);
    let ns = in_turns(
        201,
        2000,
        &mut [
            &mut |c| bare.run(c),
            &mut |c| two_passes.run(c),
            &mut |c| step_only.run(c),
            &mut |c| fast.run(c),
            &mut |c| thm63.run(c),
            &mut |c| bare_portable.run(c),
            &mut |c| portable.run(c),
            &mut |c| plain.run(c / 50),
        ],
    );
    println!("\ndense, N = 9, d = 120, OGD, every round takes a step");
    report("bare: step and scores in one pass", ns[0], ns[0], None);
    report("bare: scores, then the step", ns[1], ns[0], None);
    report("bare step alone", ns[2], ns[0], None);
    report("whole round, experiment schedule", ns[3], ns[0], Some(1.7));
    report("whole round, schedule of Thm 6.3", ns[4], ns[0], None);
    report("bare, portable path", ns[5], ns[0], None);
    report("whole round, portable path", ns[6], ns[0], None);
    report("plain twin", ns[7] * 50.0, ns[0], None);
}

fn sparse_ratios() {
    let (n, n_e, nnz) = (4, 3, 75);
    println!("\nsparse, N = 7, {nnz} non-zeros, AdaGrad, every round takes a step");
    let mut growth = Vec::new();
    for dim in [1_000, 47_236, 100_000, 1_000_000] {
        let pool = Pool::sparse(dim, nnz, 4096, &mut Pcg64::seed_from_u64(2));
        let config = learner(n, n_e, dim, Optimizer::ADAGRAD);
        let mut bare = Bare::new(BarePass::ScoresThenAdagrad.start(n + n_e, dim, false), &pool);
        let mut fast = Rounds::new(Algorithm1::new(config).expect("valid"), &pool);
        let ns = in_turns(101, 2000, &mut [&mut |c| bare.run(c), &mut |c| fast.run(c)]);
        report(&format!("bare, d = {dim}"), ns[0], ns[0], None);
        report(&format!("whole round, d = {dim}"), ns[1], ns[0], Some(1.15));
        growth.push((dim, ns[0], ns[1]));
    }
    let (_, bare, round) = growth[0];
    for &(dim, bare_here, round_here) in &growth[1..] {
        let (explained, seen) = (bare_here / bare, round_here / round);
        println!(
            "d = {dim:>7} against d = 1000: round {seen:.2} x, bare {explained:.2} x, beyond what the bare kernel explains {:.2} x",
            seen / explained
        );
    }
}

fn absolute(criterion: &mut Criterion) {
    let pool = Pool::dense(120, &mut Pcg64::seed_from_u64(1));
    let config = learner(6, 3, 120, Optimizer::Ogd);
    let mut fast = Rounds::new(Algorithm1::new(config.clone()).expect("valid"), &pool);
    criterion.bench_function("dense round N=9 d=120 OGD", |b| b.iter(|| fast.run(1)));
    let mut plain = Rounds::new(PlainLearner::new(config).expect("valid"), &pool);
    criterion.bench_function("dense round N=9 d=120 OGD, plain twin", |b| b.iter(|| plain.run(1)));
    let pool = Pool::sparse(47_236, 75, 4096, &mut Pcg64::seed_from_u64(2));
    let config = learner(4, 3, 47_236, Optimizer::ADAGRAD);
    let mut fast = Rounds::new(Algorithm1::new(config).expect("valid"), &pool);
    criterion.bench_function("sparse round N=7 75/47236 AdaGrad", |b| b.iter(|| fast.run(1)));
}

/// The uniform numbers that `peers/peers.py` draws.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The rounds that `peers/peers.py` plays: prints nanoseconds a round in the fastest thousand and the norm
/// of the weights.
fn rounds_of_the_peers(count: usize) {
    let (n, n_e, dim) = (6, 3, 120);
    let mut draws = Draws(7);
    let mut row = || (0..dim).map(|_| f64::from(draws.next() < 0.25)).collect::<Vec<f64>>();
    let pool: Vec<Vec<f64>> = (0..256).map(|_| row()).collect();
    let cost = ExpertCost::new(1.0, 0.1).expect("the paper's cost").normalized(true);
    let mut policy = Algorithm1::new(learner(n, n_e, dim, Optimizer::Ogd)).expect("valid");
    let space = policy.space();
    let (mut start, mut fastest) = (Instant::now(), f64::INFINITY);
    for t in 0..count {
        if t > 0 && t % 1000 == 0 {
            fastest = fastest.min(start.elapsed().as_nanos() as f64 / 1000.0);
            start = Instant::now();
        }
        let mut available = 0;
        for j in 0..n_e {
            available |= u128::from(draws.next() < 0.7) << j;
        }
        let active = space.active_from_mask(available).expect("experts exist");
        let x = Features::Dense(&pool[t % pool.len()]);
        let action = policy.decide(x, active).expect("valid").sample(draws.next());
        let cost = space.expert_of(action).map(|_| cost);
        policy.observe(Feedback::Bandit { action, correct: true, cost }).expect("valid");
    }
    println!("{fastest} {}", policy.norm());
}

fn main() {
    // `cargo test --benches` only asks whether this runs.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let mut arguments = std::env::args().skip_while(|a| a != "--rounds");
    if arguments.next().is_some() {
        let count = arguments.next().and_then(|a| a.parse().ok());
        return rounds_of_the_peers(count.expect("--rounds and how many"));
    }
    dense_ratios();
    sparse_ratios();
    println!();
    let mut criterion = Criterion::default().configure_from_args();
    absolute(&mut criterion);
    criterion.final_summary();
}

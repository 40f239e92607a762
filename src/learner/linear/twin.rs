//! The plain twin: the normal equations of every action, solved anew each round, by faer.

use super::{LinearConfig, RidgeCb, RidgeCbConfig};
use crate::kernels::Cpu;
use crate::{Policy, prec};
use faer::linalg::solvers::Solve;
use faer::{Col, Mat, Side};
use problem::{ActionSpace, Features, Feedback, SparseRow};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// `A` and `b` of one action, as they are defined.
struct Normal {
    a: Mat<f64>,
    b: Col<f64>,
}

impl Normal {
    fn new(size: usize, lambda: f64) -> Self {
        let a = Mat::from_fn(size, size, |i, j| if i == j { lambda } else { 0.0 });
        Normal { a, b: Col::zeros(size) }
    }

    /// `b^T (A + x x^T)^-1 x`.
    fn forecast(&self, x: &[f64]) -> f64 {
        let x = Col::from_fn(x.len(), |i| x[i]);
        let a = &self.a + &x * x.transpose();
        let solved = a.llt(Side::Lower).expect("positive definite").solve(&x);
        self.b.transpose() * solved
    }

    fn learn(&mut self, x: &[f64], y: f64) {
        let x = Col::from_fn(x.len(), |i| x[i]);
        self.a += &x * x.transpose();
        self.b += &x * faer::Scale(y);
    }
}

/// Random rounds with random availability; the learner, on both instruction sets and with sparse
/// inputs, against the twin.
#[test]
fn rank_one_updates_follow_the_normal_equations() {
    let space = ActionSpace::new(3, 4).unwrap();
    let mut rng = Pcg64::seed_from_u64(1);
    for (dim, lambda, centred, rounds) in
        [(1, 1.0, true, 3000), (5, 0.01, false, 3000), (17, 30.0, true, 1000)]
    {
        let linear = LinearConfig { lambda, ..LinearConfig::new(space, dim) };
        let config = RidgeCbConfig { linear, centred, ..RidgeCbConfig::new(space, dim) };
        let new = || RidgeCb::new(config).unwrap();
        let mut learners = [new(), RidgeCb(new().0.on(Cpu::portable())), new()];
        let mut twins: Vec<Normal> = (0..7).map(|_| Normal::new(dim + 1, lambda)).collect();
        let middle = if centred { 0.5 } else { 0.0 };
        for _ in 0..rounds {
            let mut x: Vec<f64> = (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect();
            for v in x.iter_mut().filter(|v| v.abs() < 0.3) {
                *v = 0.0;
            }
            let kept: Vec<u32> = (0..dim as u32).filter(|&j| x[j as usize] != 0.0).collect();
            let values: Vec<f64> = kept.iter().map(|&j| x[j as usize]).collect();
            let sparse = SparseRow::new(dim, &kept, &values).unwrap();
            let active = space.active_from_mask(rng.random_range(0..16)).unwrap();
            let u = rng.random();
            let inputs = [Features::Dense(&x), Features::Dense(&x), sparse.into()];
            let mut answers = Vec::new();
            for (learner, input) in learners.iter_mut().zip(inputs) {
                let decision = learner.decide(input, active).unwrap();
                let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
                answers.push((bits(decision.scores), bits(decision.q), decision.sample(u)));
            }
            assert!(answers.iter().all(|a| *a == answers[0]), "the same bits on every path");
            let mut with_bias = x.clone();
            with_bias.push(1.0);
            for (score, action) in answers[0].0.iter().zip(active.iter()) {
                let plain = (middle + twins[action.index()].forecast(&with_bias)).clamp(0.0, 1.0);
                let score = f64::from_bits(*score);
                assert!((score - plain).abs() < prec::RANK_ONE, "{score} {plain}");
            }
            let action = answers[0].2;
            let correct = rng.random::<f64>() < 0.3 + 0.4 * x[0].abs();
            let cost = space.expert_of(action).map(|_| if correct { 0.1 } else { 1.0 });
            let feedback = Feedback::Bandit { action, correct, cost };
            learners.iter_mut().for_each(|l| l.observe(feedback).unwrap());
            let reward = cost.map_or(f64::from(correct), |c| 1.0 - c);
            twins[action.index()].learn(&with_bias, reward - middle);
        }
    }
}

/// Rounding does not pile up: after 200,000 updates at few inputs the inverse is still that of its
/// matrix.
#[test]
fn long_runs_stay_accurate() {
    let space = ActionSpace::new(2, 0).unwrap();
    let mut learner = RidgeCb::new(RidgeCbConfig::new(space, 2)).unwrap();
    let mut twin = Normal::new(3, 1.0);
    let mut rng = Pcg64::seed_from_u64(2);
    for _ in 0..200_000 {
        // Close inputs: the worst conditioned matrices.
        let x = [1.0 + 1e-3 * rng.random::<f64>(), rng.random_range(-1.0..1.0), 1.0];
        learner.decide(Features::Dense(&x[..2]), space.all_active()).unwrap();
        let correct = rng.random::<f64>() < 0.5 + 0.4 * x[1];
        let action = space.class(0).unwrap();
        learner.observe(Feedback::Bandit { action, correct, cost: None }).unwrap();
        twin.learn(&x, f64::from(correct) - 0.5);
    }
    for x in [[1.0, 0.5, 1.0], [1.001, -1.0, 1.0]] {
        let score = learner.decide(Features::Dense(&x[..2]), space.all_active()).unwrap().scores[0];
        let plain = 0.5 + twin.forecast(&x);
        assert!((score - plain).abs() < prec::RANK_ONE, "{score} {plain}");
    }
}

//! Transfer and regrets along random runs, against sums written out by hand.

use super::super::transfer::{Transfer, TransferRound};
use super::random_streams::random_items;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use theory::{
    Comparator, ComparatorEffort, FiniteStream, StreamItem, SurrogateId, bracket,
    minimizability_gap,
};

/// `M_ldef` as `[lower, upper]`.
fn true_gap(found: &Comparator) -> [f64; 2] {
    [found.lower - found.pointwise, found.upper - found.pointwise]
}

fn greedy(u: &[f64]) -> usize {
    (0..u.len()).rev().fold(u.len() - 1, |best, a| if u[a] >= u[best] { a } else { best })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A run of arbitrary scores over the rounds of a stream. The hinge's `Gamma(t) = t` is right,
    /// so the theorem must hold at every horizon, and both sides must be the sums they stand for.
    #[test]
    fn the_theorem_holds_for_the_hinge_and_the_sums_are_right(
        classes in 2usize..4, experts in 0usize..3, seed in 0u64..1 << 32, rate in 0.0f64..1.0,
    ) {
        let (space, mut items) = random_items((classes, experts), 1, 4, 3, seed);
        items.iter_mut().for_each(|i| i.weight = 1.0);
        let stream = FiniteStream::new(space, items.clone()).unwrap();
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.0).unwrap();
        let comparator = bracket(&stream, ComparatorEffort { nodes: 100, ..ComparatorEffort::default() });
        let (mut risk, mut best, mut surrogate, mut least, mut mass) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (t, item) in items.iter().enumerate() {
            let k = item.s.len();
            let mut u: Vec<f64> = (0..k).map(|_| rng.random_range(-3.0..3.0)).collect();
            let mean = u.iter().sum::<f64>() / k as f64;
            u.iter_mut().for_each(|v| *v -= mean);
            let q: Vec<f64> = (0..k)
                .map(|a| rate / k as f64 + if a == greedy(&u) { 1.0 - rate } else { 0.0 })
                .collect();
            let gamma = rate;
            run.push(TransferRound { active: item.active, s: &item.s, u: &u, gamma, reach: None }).unwrap();
            let total: f64 = item.s.iter().sum();
            risk += (0..k).map(|a| q[a] * (1.0 - item.s[a])).sum::<f64>();
            let top = item.s.iter().copied().fold(0.0, f64::max);
            best += 1.0 - top;
            least += k as f64 * (total - top);
            for a in 0..k {
                let others = (0..k).filter(|&b| b != a);
                surrogate += item.s[a] * others.map(|b| (1.0 + u[b]).max(0.0)).sum::<f64>();
            }
            mass += total;
            let sides = run.sides().unwrap();
            let rounds = (t + 1) as f64;
            prop_assert!((sides.left - (risk - best) / rounds).abs() < 1e-9);
            prop_assert!((sides.right - ((surrogate - least) / rounds + rate)).abs() < 1e-7);
            prop_assert!((sides.mean_mass - mass / rounds).abs() < 1e-12);
            prop_assert!(sides.slack >= -1e-9 && sides.worst_round >= -1e-9);
            prop_assert!(sides.right >= sides.before_jensen - 1e-9);
        }
        // With the gaps: regrets proper, against sums over the rounds.
        let hinge = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
        let regrets = run.regrets(true_gap(&comparator), hinge.best_value - hinge.pointwise);
        prop_assert!((regrets.surrogate_regret - (surrogate - hinge.best_value)).abs() < 1e-7);
        let mut upper = 0.0;
        for (item, &action) in items.iter().zip(&comparator.actions) {
            upper += 1.0 - item.s[item.active.position(action).unwrap()];
        }
        prop_assert!((upper - comparator.upper).abs() < 1e-9);
        prop_assert!((regrets.true_regret[0] - (risk - upper)).abs() < 1e-9);
        prop_assert!((regrets.true_regret[1] - (risk - comparator.lower)).abs() < 1e-9);
    }
}

/// A square-root `Gamma` with too small a constant must show as a negative slack: the accumulator
/// can tell a wrong statement from a right one.
#[test]
fn a_calibration_function_that_is_too_small_is_caught() {
    let space = problem::ActionSpace::new(2, 0).unwrap();
    let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t / 100.0, 0.0).unwrap();
    let (s, u) = ([0.9, 0.1], [-0.1, 0.1]);
    let gamma = 0.0;
    run.push(TransferRound { active: space.classes_only(), s: &s, u: &u, gamma, reach: None })
        .unwrap();
    assert!(run.sides().unwrap().slack < -0.5);
}

/// The hinge's optimum on the witness stream has no surrogate regret, and pays 1/10 a round in true
/// loss: what the corollary promises without its hypothesis fails.
#[test]
fn the_corollary_needs_its_hypothesis() {
    let space = problem::ActionSpace::new(2, 1).unwrap();
    let s = [0.8, 0.2, 1.0];
    let item = |active, s: &[f64]| StreamItem { weight: 1.0, x: vec![0.0], active, s: s.to_vec() };
    let items = vec![item(space.all_active(), &s), item(space.classes_only(), &s[..2])];
    let stream = FiniteStream::new(space, items.clone()).unwrap();
    let hinge = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
    let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.0).unwrap();
    for item in &items {
        let u = hinge.matrix.projected_scores(&item.x, item.active);
        let gamma = 0.0;
        run.push(TransferRound { active: item.active, s: &item.s, u: &u, gamma, reach: None })
            .unwrap();
    }
    assert!(run.sides().unwrap().slack >= 0.0);
    let comparator = bracket(&stream, ComparatorEffort::default());
    let regrets = run.regrets(true_gap(&comparator), hinge.best_value - hinge.pointwise);
    assert!(regrets.surrogate_regret.abs() < 1e-8 && !regrets.corollary_applies);
    assert!((regrets.true_regret[0] - 0.2).abs() < 1e-8 && regrets.corollary_slack[1] < -0.19);
}

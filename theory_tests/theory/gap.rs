//! Minimizability gaps against independent computations: grids, hand-made streams, weak duality at
//! random matrices, exact fractions, and the published vectors when they are at hand.

use super::random_stream;
use super::random_streams::item;
use crate::gap::{CertificateKind, Gap, exact_hinge_gap, minimizability_gap};
use crate::rational::{Rational, ratio};
use crate::stream::{FiniteStream, StreamItem};
use crate::{SurrogateId, pointwise};
use problem::ActionSpace;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const CONVEX: [SurrogateId; 6] = [
    SurrogateId::CstndHinge,
    SurrogateId::CstndSq,
    SurrogateId::SumSq,
    SurrogateId::CompExp,
    SurrogateId::SumExp,
    SurrogateId::CompLog,
];

fn witness(s: [f64; 3], shares: [f64; 2]) -> FiniteStream {
    let space = ActionSpace::new(2, 1).unwrap();
    let with = item(shares[0], &[0.0], space.all_active(), &s);
    let without = item(shares[1], &[0.0], space.classes_only(), &s[..2]);
    FiniteStream::new(space, vec![with, without]).unwrap()
}

/// The objective by the definition: labels of every kind, one after the other.
fn plain_risk(stream: &FiniteStream, id: SurrogateId, w: &[f64]) -> f64 {
    let columns = stream.dim + 1;
    let mut total = 0.0;
    for item in stream.items() {
        let raw: Vec<f64> = item
            .active
            .iter()
            .map(|a| {
                let row = &w[a.index() * columns..(a.index() + 1) * columns];
                row[columns - 1] + item.x.iter().zip(row).map(|(x, w)| x * w).sum::<f64>()
            })
            .collect();
        let mean = raw.iter().sum::<f64>() / raw.len() as f64;
        for (a, s_a) in item.s.iter().enumerate() {
            let mut phi = 0.0;
            for b in (0..raw.len()).filter(|&b| b != a) {
                phi += match id {
                    SurrogateId::CstndHinge => (1.0 + raw[b] - mean).max(0.0),
                    SurrogateId::CstndSq => (1.0 + raw[b] - mean).max(0.0).powi(2),
                    SurrogateId::SumSq => (1.0 - raw[a] + raw[b]).max(0.0).powi(2),
                    _ => (raw[b] - raw[a]).exp(),
                };
            }
            total += item.weight * s_a * if id == SurrogateId::CompLog { phi.ln_1p() } else { phi };
        }
    }
    total
}

#[test]
fn one_input_agrees_with_a_grid_over_all_raw_scores() {
    for (s, shares) in [
        ([0.8, 0.2, 1.0], [0.5, 0.5]),
        ([0.75, 0.25, 0.875], [0.5, 0.5]),
        ([0.9, 0.1, 0.5], [0.5, 0.5]),
        ([0.8, 0.2, 1.0], [0.9, 0.1]),
        ([0.3, 0.7, 0.6], [2.0, 5.0]),
    ] {
        let stream = witness(s, shares);
        let found = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
        // Kinks of K = 2, 3 actions: all vertices have denominators that divide 6.
        let mut best = f64::INFINITY;
        for i in -24..=24 {
            for j in -24..=24 {
                let w = [0.0, i as f64 / 6.0, 0.0, j as f64 / 6.0, 0.0, 0.0];
                best = best.min(plain_risk(&stream, SurrogateId::CstndHinge, &w));
            }
        }
        assert!((best - found.best_value).abs() < 1e-9, "{s:?}: grid {best}, {found:?}");
        assert!(found.certified);
    }
}

#[test]
fn the_expert_that_comes_and_goes_is_never_asked() {
    let stream = witness([0.8, 0.2, 1.0], [0.5, 0.5]);
    for ball in [None, Some(3.0), Some(100.0)] {
        let found = minimizability_gap(&stream, SurrogateId::CstndHinge, ball).unwrap();
        assert!((found.gap_per_round - 0.2).abs() < 1e-9);
        assert!((found.true_regret_per_round - 0.1).abs() < 1e-12);
        assert_eq!(found.actions.iter().map(|a| a.index()).collect::<Vec<_>>(), [0, 0]);
        assert!(found.minimum_norm && (found.matrix.frobenius_norm() - 2f64.sqrt()).abs() < 1e-6);
    }
}

#[test]
fn a_single_cell_has_no_gap_in_its_own_class() {
    let space = ActionSpace::new(3, 2).unwrap();
    let active = space.active([1]).unwrap();
    let s = [0.5, 0.3, 0.2, 0.7];
    let one = |w| FiniteStream::new(space, vec![item(w, &[0.6, -0.8], active, &s)]).unwrap();
    for id in CONVEX {
        let free = minimizability_gap(&one(3.0), id, None).unwrap();
        assert!(free.gap_per_round.abs() < 1e-9, "{id}: {}", free.gap_per_round);
        for ball in [0.05, 0.4, 2.0, 50.0] {
            let found = minimizability_gap(&one(0.5), id, Some(ball)).unwrap();
            let reached = found.pointwise_in_ball.unwrap();
            assert!((found.best_value - reached).abs() < 1e-8, "{id} {ball}: {found:?}");
            assert!(reached >= found.pointwise - 1e-12);
            let own = found.gap_in_ball_per_round.unwrap();
            assert!(own.abs() < 2e-8 && own <= found.gap_per_round + 1e-12, "{id} {ball}");
        }
    }
}

#[test]
fn the_ball_at_one_input_agrees_with_the_dual_search() {
    let space = ActionSpace::new(2, 2).unwrap();
    let s = [0.35, 0.65, 0.5, 0.1];
    let (x, b) = ([1.5, -0.5], 0.7);
    let stream = FiniteStream::new(space, vec![item(1.0, &x, space.all_active(), &s)]).unwrap();
    for id in [SurrogateId::CstndHinge, SurrogateId::CstndSq] {
        let reach = b * (1.0f64 + 2.25 + 0.25).sqrt();
        let direct = pointwise::infimum_in_ball(id, &s, reach).unwrap().value;
        let program = minimizability_gap(&stream, id, Some(b)).unwrap().best_value;
        assert!((direct - program).abs() < 1e-9, "{id}: {direct} {program}");
    }
}

#[test]
fn rounds_split_or_merged_give_the_same_answer() {
    let space = ActionSpace::new(2, 1).unwrap();
    let (all, none) = (space.all_active(), space.classes_only());
    let other = item(0.7, &[1.0], none, &[0.1, 0.9]);
    let whole = vec![item(2.0, &[0.0], all, &[0.5, 0.5, 0.6]), other.clone()];
    let split = vec![
        item(1.0, &[0.0], all, &[0.9, 0.1, 0.4]),
        item(1.0, &[-0.0], all, &[0.1, 0.9, 0.8]),
        other,
    ];
    let of = |items| {
        let stream = FiniteStream::new(space, items).unwrap();
        minimizability_gap(&stream, SurrogateId::CstndHinge, Some(5.0)).unwrap()
    };
    let (whole, split) = (of(whole), of(split));
    assert!((whole.best_value - split.best_value).abs() < 1e-9);
    assert_eq!(split.actions.len(), 3);
    assert_eq!(split.actions[0], split.actions[1]);
    // K (S - max s): 3 * (1.4 - 0.9) + 3 * (1.8 - 0.9) + 0.7 * 2 * 0.1 by rounds.
    assert!((split.pointwise - (1.5 + 2.7 + 0.14)).abs() < 1e-12);
    // The mean score vector knows less: 2 * 3 * (1.6 - 0.6) + 0.14.
    assert!((whole.pointwise - 6.14).abs() < 1e-12);
}

#[test]
fn bad_radii_and_surrogates_that_are_not_convex_are_refused() {
    let stream = witness([0.8, 0.2, 1.0], [0.5, 0.5]);
    for ball in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = minimizability_gap(&stream, SurrogateId::CstndHinge, Some(ball)).unwrap_err();
        assert!(
            matches!(error, crate::TheoryError::Ball { .. })
                && error.to_string().starts_with("B = ")
        );
    }
    for id in SurrogateId::all(0.5, 1.0).unwrap() {
        let refused = matches!(
            minimizability_gap(&stream, id, None),
            Err(crate::TheoryError::NotConvex { .. })
        );
        assert_eq!(refused, !CONVEX.contains(&id), "{id}");
    }
}

#[test]
fn an_infimum_at_infinity_is_approached_and_held_by_a_ball() {
    // A label that never happens: the log loss wants its score at minus infinity.
    let space = ActionSpace::new(2, 0).unwrap();
    let only = item(1.0, &[0.0], space.classes_only(), &[1.0, 0.0]);
    let stream = FiniteStream::new(space, vec![only]).unwrap();
    let found = minimizability_gap(&stream, SurrogateId::CompLog, None).unwrap();
    assert!(found.best_value >= 0.0 && found.best_value < 1e-6);
    assert_eq!((found.pointwise, found.certificate.kind), (0.0, CertificateKind::Pointwise));
    let held = minimizability_gap(&stream, SurrogateId::CompLog, Some(3.0)).unwrap();
    // The scores at distance 3 from zero: u = (3, -3) / sqrt 2.
    let exact = (-(18f64.sqrt())).exp().ln_1p();
    assert!((held.best_value - exact).abs() < 1e-9 && held.certified);
}

#[test]
fn absurd_numbers_keep_the_bracket_in_order() {
    let space = ActionSpace::new(2, 1).unwrap();
    let (all, none) = (space.all_active(), space.classes_only());
    let ordinary = item(1.0, &[0.5], none, &[0.4, 0.6]);
    for odd in [
        item(1e-320, &[0.5], all, &[1.0, 0.0, 1.0]),
        item(1.0, &[1e200], all, &[0.3, 0.7, 0.5]),
        item(1e300, &[-1e-300], all, &[0.0, 1.0, 0.0]),
        item(0.0, &[7.0], all, &[0.5, 0.5, 1.0]),
    ] {
        let stream = FiniteStream::new(space, vec![ordinary.clone(), odd]).unwrap();
        for id in CONVEX {
            for ball in [None, Some(1e-300), Some(2.0), Some(1e300)] {
                let found = minimizability_gap(&stream, id, ball).unwrap();
                let certificate = found.certificate;
                assert!(certificate.dual <= certificate.primal * (1.0 + 1e-9) + 1e-9, "{id}");
                assert_eq!(found.actions.len(), 2);
            }
        }
    }
}

fn check(stream: &FiniteStream, id: SurrogateId, ball: Option<f64>, seed: u64) -> Gap {
    let found = minimizability_gap(stream, id, ball).unwrap();
    let total = stream.total_weight;
    let value = plain_risk(stream, id, &found.matrix.values);
    assert!((value - found.best_value).abs() <= 1e-10 * (1.0 + value), "{id} {ball:?}");
    assert!(found.certificate.relative_gap() <= 1e-8, "{id} {ball:?}: {:?}", found.certificate);
    assert!(found.best_value >= found.pointwise - 1e-8 * (1.0 + value), "{id} {ball:?}");
    if let Some(b) = ball {
        assert!(found.matrix.frobenius_norm() <= b * (1.0 + 1e-12));
    }
    // Nothing in the ball may beat the lower bound: neither random matrices nor small moves.
    let mut rng = Pcg64::seed_from_u64(seed);
    for trial in 0..40 {
        let scale = if trial % 2 == 0 { 2.0 } else { 1e-3 };
        let base = if trial % 2 == 0 { 0.0 } else { 1.0 };
        let mut w: Vec<f64> = found.matrix.values.iter().map(|v| base * v).collect();
        w.iter_mut().for_each(|v| *v += scale * rng.random_range(-1.0..1.0));
        let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
        let shrink = (found.certificate.radius / norm).min(1.0);
        w.iter_mut().for_each(|v| *v *= shrink);
        let risk = plain_risk(stream, id, &w);
        assert!(risk >= total * found.certificate.dual - 1e-9 * (1.0 + risk), "{id} {ball:?}");
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_program_is_certified_and_no_matrix_beats_it(
        classes in 2usize..4, experts in 0usize..3, d in 0usize..3,
        contexts in 1usize..5, sets in 1usize..4, which in 0usize..6, seed in 0u64..1 << 32,
    ) {
        let stream = random_stream((classes, experts), d, contexts, sets, seed);
        let n = (classes + experts) as f64;
        let id = CONVEX[which];
        let small = check(&stream, id, Some(0.5), seed);
        let wide = check(&stream, id, Some(n), seed);
        let free = check(&stream, id, None, seed);
        let slack = 1e-7 * (1.0 + free.best_value);
        prop_assert!(small.best_value >= wide.best_value - slack);
        prop_assert!(wide.best_value >= free.best_value - slack);
    }

    #[test]
    fn fractions_confirm_the_floating_point_answer(
        weights in proptest::collection::vec(1i64..5, 4), p in 1i64..12, e in 0i64..13,
        f in 0i64..13, x in -2i64..3,
    ) {
        let space = ActionSpace::new(2, 2).unwrap();
        let q = |n| ratio(n, 12);
        let scores = [q(p), q(12 - p), q(e), q(f)];
        let exact: Vec<StreamItem<Rational>> = (0..4u128).map(|mask| {
            let active = space.active_from_mask(mask).unwrap();
            let s = active.iter().map(|a| scores[a.index()].clone()).collect();
            let at = if mask < 2 { 0 } else { x };
            let weight = ratio(weights[mask as usize], 1);
            StreamItem { weight, x: vec![ratio(at, 1)], active, s }
        }).collect();
        let proved = exact_hinge_gap(space, &exact).unwrap();
        let proved = proved.expect("small data must be certified exactly");
        let float = |v: &crate::rational::Rational| {
            num_traits::ToPrimitive::to_f64(v).unwrap()
        };
        let items = exact.iter().map(|i| {
            let s: Vec<f64> = i.s.iter().map(float).collect();
            item(float(&i.weight), &[float(&i.x[0])], i.active, &s)
        }).collect();
        let stream = FiniteStream::new(space, items).unwrap();
        let found = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
        prop_assert!((found.best_value - float(&proved.best_value)).abs() < 1e-8);
        prop_assert!((found.pointwise - float(&proved.pointwise)).abs() < 1e-10);
        let flat: Vec<f64> = proved.matrix.iter().flatten().map(float).collect();
        let risk = plain_risk(&stream, SurrogateId::CstndHinge, &flat);
        prop_assert!((risk - float(&proved.best_value)).abs() < 1e-10);
    }
}

#[test]
fn badly_scaled_streams_are_certified() {
    let space = ActionSpace::new(3, 2).unwrap();
    let mut rng = Pcg64::seed_from_u64(11);
    for (feature, spread) in [(1e3, 1.0), (1e-3, 1.0), (1.0, 1e-5), (50.0, 1e-4)] {
        let items = (0..30)
            .map(|t| {
                let active = space.active_from_mask(t as u128 % 4).unwrap();
                let x: Vec<f64> = (0..4).map(|_| feature * rng.random_range(-1.0..1.0)).collect();
                let mut s = vec![0.6, 0.3, 0.1];
                s.rotate_left(rng.random_range(0..3));
                s.extend(active.experts().map(|_| rng.random_range(0.0..1.0)));
                item(if t % 3 == 0 { spread } else { 1.0 }, &x, active, &s)
            })
            .collect();
        let stream = FiniteStream::new(space, items).unwrap();
        for ball in [None, Some(5.0), Some(1e-3)] {
            check(&stream, SurrogateId::CstndHinge, ball, 3);
        }
    }
}

#[test]
fn published_cases() {
    let Ok(path) = std::env::var("DEFERLAB_VECTORS") else {
        eprintln!("skipped: DEFERLAB_VECTORS is not set");
        return;
    };
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut count = 0;
    for case in file["vectors"].as_array().unwrap().iter().filter(|c| c["kind"] == "min_gap") {
        let (input, output) = (&case["input"], &case["output"]);
        let size = |v: &serde_json::Value| v.as_u64().unwrap() as usize;
        let space = ActionSpace::new(size(&input["n"]), size(&input["n_e"])).unwrap();
        let numbers = |v: &serde_json::Value| -> Vec<f64> {
            v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
        };
        let items = input["stream"].as_array().unwrap().iter().map(|i| {
            let active = space.active(i["A"].as_array().unwrap().iter().map(size)).unwrap();
            item(i["w"].as_f64().unwrap(), &numbers(&i["x"]), active, &numbers(&i["s"]))
        });
        let stream = FiniteStream::new(space, items.collect()).unwrap();
        let found =
            minimizability_gap(&stream, SurrogateId::CstndHinge, input["B"].as_f64()).unwrap();
        let tol = case["tol"].as_f64().unwrap();
        for (name, value) in [
            ("gap_per_round", found.gap_per_round),
            ("best_value", found.best_value),
            ("pointwise", found.pointwise),
            ("W_star_true_regret", found.true_regret_per_round),
        ] {
            let expected = output[name].as_f64().unwrap();
            assert!((value - expected).abs() <= tol, "{} {name}: {value}", case["id"]);
        }
        let actions: Vec<u64> = found.actions.iter().map(|a| a.index() as u64).collect();
        assert_eq!(serde_json::json!(actions), output["W_star_actions"], "{}", case["id"]);
        count += 1;
    }
    assert!(count > 0);
}

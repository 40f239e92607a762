//! True-loss comparators against grids, random matrices and hand-made streams.

use super::random_stream;
use super::random_streams::item;
use crate::comparator::{ComparatorEffort, bracket};
use crate::matrix::ScoreMatrix;
use crate::stream::{FiniteStream, StreamItem};
use crate::{SurrogateId, minimizability_gap};
use problem::ActionSpace;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Two classes on a line: `labels[i]` is certain at `xs[i]`.
fn line(xs: &[f64], labels: &[usize], weights: &[f64]) -> FiniteStream {
    let space = ActionSpace::new(2, 0).unwrap();
    let items = xs.iter().zip(labels).zip(weights).map(|((&x, &y), &w)| {
        let s = if y == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
        item(w, &[x], space.classes_only(), &s)
    });
    FiniteStream::new(space, items.collect()).unwrap()
}

#[test]
fn a_line_needs_one_threshold() {
    // 0 1 0: whichever point is given up, the cheapest is.
    for (weights, expected) in
        [([1.0, 2.0, 3.0], 1.0), ([3.0, 2.0, 2.5], 2.0), ([5.0, 4.0, 0.5], 0.5)]
    {
        let found =
            bracket(&line(&[-1.0, 0.0, 1.0], &[0, 1, 0], &weights), ComparatorEffort::default());
        assert!(found.exact, "{found:?}");
        assert!((found.upper - expected).abs() < 1e-12 && (found.lower - expected).abs() < 1e-9);
        assert_eq!(found.pointwise, 0.0);
    }
    // Thresholds by brute force on a longer, hopeless line.
    let xs: Vec<f64> = (0..9).map(f64::from).collect();
    let labels = [0, 1, 1, 0, 1, 0, 0, 1, 0];
    let weights = [1.0, 0.5, 2.0, 1.5, 0.25, 1.0, 3.0, 0.75, 1.25];
    let mut best = f64::INFINITY;
    for cut in 0..=9 {
        for left in 0..2 {
            let wrong = |i: &usize| labels[*i] != if *i < cut { left } else { 1 - left };
            best = best.min((0..9).filter(wrong).map(|i| weights[i]).sum());
        }
    }
    let found = bracket(&line(&xs, &labels, &weights), ComparatorEffort::default());
    assert!(found.exact && (found.upper - best).abs() < 1e-12, "{best}: {found:?}");
}

#[test]
fn the_witness_is_realisable_for_the_true_loss_but_not_for_the_surrogate() {
    let space = ActionSpace::new(2, 1).unwrap();
    let s = [0.8, 0.2, 1.0];
    let stream = FiniteStream::new(
        space,
        vec![
            item(0.5, &[0.0], space.all_active(), &s),
            item(0.5, &[0.0], space.classes_only(), &s[..2]),
        ],
    )
    .unwrap();
    let found = bracket(&stream, ComparatorEffort::default());
    assert!(found.exact && (found.upper - 0.1).abs() < 1e-12);
    assert_eq!(found.actions.iter().map(|a| a.index()).collect::<Vec<_>>(), [2, 0]);
    let hinge = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
    let lost = stream.true_risk(&hinge.matrix, 1e-6) - found.upper;
    assert!((lost - 0.1).abs() < 1e-9, "the surrogate optimum loses {lost}");
}

#[test]
fn conflicting_wishes_at_one_input_are_settled_exactly() {
    // Whoever is alone with the classes is wanted, but together each set wants another order.
    let space = ActionSpace::new(2, 2).unwrap();
    let set = |list: &[usize]| space.active(list.iter().copied()).unwrap();
    let stream = FiniteStream::new(
        space,
        vec![
            item(1.0, &[], set(&[0]), &[0.5, 0.5, 0.0]),
            item(1.0, &[], set(&[0, 1]), &[0.5, 0.5, 1.0, 0.0]),
            item(1.0, &[], set(&[1]), &[0.5, 0.5, 1.0]),
        ],
    )
    .unwrap();
    // Expert 0 on top: 1 + 0 + 0. Class on top: 3 / 2. Expert 1 on top: 1/2 + 1 + 0.
    let found = bracket(&stream, ComparatorEffort::default());
    assert!(found.exact && (found.upper - 1.0).abs() < 1e-12, "{found:?}");
    assert_eq!(found.pointwise, 0.5);
}

/// Raw scores on a grid; only their order at each of the inputs -1, 0, 1 matters.
fn grid_minimum(stream: &FiniteStream) -> f64 {
    let mut best = f64::INFINITY;
    let values: Vec<f64> = (-5..=5).map(f64::from).collect();
    for &a in &values {
        for &b in &values {
            for &c in &values {
                for &d in &values {
                    let entries = vec![0.0, 0.0, a, b + 0.25, c + 0.125, d + 0.5];
                    let w = ScoreMatrix::from_values(stream.space(), 1, entries).unwrap();
                    best = best.min(stream.true_risk(&w, 0.0));
                }
            }
        }
    }
    best
}

#[test]
fn small_streams_agree_with_a_grid() {
    let space = ActionSpace::new(2, 1).unwrap();
    let mut rng = Pcg64::seed_from_u64(5);
    let mut open = 0;
    for _ in 0..25 {
        let mut items: Vec<StreamItem> = Vec::new();
        for x in [-1.0, 0.0, 1.0] {
            for active in [space.classes_only(), space.all_active()] {
                let p = rng.random_range(0.0..1.0);
                let mut s = vec![p, 1.0 - p];
                s.extend(active.experts().map(|_| rng.random_range(0.0..1.0)));
                items.push(item(rng.random_range(0.1..1.0), &[x], active, &s));
            }
        }
        let stream = FiniteStream::new(space, items).unwrap();
        let found = bracket(&stream, ComparatorEffort::default());
        let grid = grid_minimum(&stream);
        assert!(found.exact, "{found:?}");
        assert!((found.upper - grid).abs() < 1e-9, "grid {grid}, {found:?}");
        open += usize::from(found.upper > found.pointwise + 1e-9);
    }
    assert!(open > 10, "only {open} streams were not realisable: too easy");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_bracket_holds_and_nothing_beats_its_lower_end(
        classes in 2usize..4, experts in 0usize..3, d in 0usize..4,
        contexts in 1usize..8, sets in 1usize..4, seed in 0u64..1 << 32,
    ) {
        let stream = random_stream((classes, experts), d, contexts, sets, seed);
        let effort = ComparatorEffort { nodes: 60, restarts: 2, seed };
        let found = bracket(&stream, effort);
        prop_assert!(found.pointwise <= found.lower + 1e-9 && found.lower <= found.upper);
        prop_assert!((stream.true_risk(&found.matrix, 0.0) - found.upper).abs() < 1e-12);
        let mut rng = Pcg64::seed_from_u64(seed ^ 1);
        for _ in 0..300 {
            let size = found.matrix.values.len();
            let entries = (0..size).map(|_| rng.random_range(-1.0..1.0)).collect();
            let w = ScoreMatrix::from_values(stream.space(), d, entries).unwrap();
            prop_assert!(stream.true_risk(&w, 0.0) >= found.lower - 1e-9);
        }
        // Scale does not matter. A power of two is exact; any other would round ties apart.
        let mut small = found.matrix.clone();
        small.scale(1.0 / 1024.0);
        prop_assert!((stream.true_risk(&small, 0.0) - found.upper).abs() < 1e-12);
        // Same answer when asked again.
        let again = bracket(&stream, effort);
        prop_assert_eq!((found.lower, found.upper, found.actions), (again.lower, again.upper, again.actions));
    }

    #[test]
    fn inputs_in_general_position_are_exact(
        experts in 0usize..4, contexts in 1usize..4, seed in 0u64..1 << 32,
    ) {
        // As many independent inputs as columns: every ranking at every input can be had.
        let space = ActionSpace::new(3, experts).unwrap();
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut items = Vec::new();
        for c in 0..contexts {
            let x: Vec<f64> = (1..contexts).map(|j| f64::from(u8::from(j == c))).collect();
            for mask in 0..1u128 << experts {
                let active = space.active_from_mask(mask).unwrap();
                let mut s = vec![0.5, 0.3, 0.2];
                s.rotate_left(rng.random_range(0..3));
                s.extend(active.experts().map(|_| rng.random_range(0.0..1.0)));
                items.push(item(rng.random_range(0.1..1.0), &x, active, &s));
            }
        }
        let found = bracket(&FiniteStream::new(space, items).unwrap(), ComparatorEffort::default());
        prop_assert!(found.exact && found.nodes == 0, "{:?}", found);
    }
}

//! Small streams whose comparator is known by other means, and the bracket on them.

use super::*;
use crate::stream::{Cell, StreamItem};
use problem::{ActionSpace, ActiveSet};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub(super) fn item(weight: f64, x: &[f64], active: ActiveSet, s: &[f64]) -> StreamItem {
    StreamItem { weight, x: x.to_vec(), active, s: s.to_vec() }
}

pub(super) fn stream(space: ActionSpace, items: Vec<StreamItem>) -> FiniteStream {
    FiniteStream::new(space, items).unwrap()
}

pub(super) fn zero(stream: &FiniteStream) -> ScoreMatrix {
    ScoreMatrix::zeros(stream.space(), stream.dim)
}

/// Two classes, one feature: class 0 has probability `p[i]` at `xs[i]`.
pub(super) fn line(xs: &[f64], p: &[f64], weights: &[f64]) -> FiniteStream {
    let space = ActionSpace::new(2, 0).unwrap();
    let items = (0..xs.len())
        .map(|i| item(weights[i], &[xs[i]], space.classes_only(), &[p[i], 1.0 - p[i]]))
        .collect();
    stream(space, items)
}

/// A line of equidistant inputs around zero.
pub(super) fn random_line(rng: &mut Pcg64, length: usize) -> FiniteStream {
    let mut random =
        |low, high| -> Vec<f64> { (0..length).map(|_| rng.random_range(low..high)).collect() };
    let xs: Vec<f64> = (0..length).map(|i| i as f64 - length as f64 / 2.0).collect();
    line(&xs, &random(0.0, 1.0), &random(0.1, 1.0))
}

/// On a line a matrix of two rows is a threshold: all of them, both ways round.
pub(super) fn best_threshold(stream: &FiniteStream) -> f64 {
    let cells = stream.cells();
    let mut least = f64::INFINITY;
    for cut in 0..=cells.len() {
        for left in [0, 1] {
            let played = |i: usize| if i < cut { left } else { 1 - left };
            let risk = |(i, cell): (usize, &Cell)| cell.weight * (1.0 - cell.s[played(i)]);
            least = least.min(cells.iter().enumerate().map(risk).sum());
        }
    }
    least
}

#[test]
fn an_equal_offer_does_not_replace_the_incumbent() {
    let stream = line(&[1.0], &[0.5], &[1.0]);
    let mut best = Incumbent { stream: &stream, matrix: zero(&stream), risk: 0.5 };
    let other = ScoreMatrix::from_values(stream.space(), 1, vec![0.0, 0.0, 0.0, 1.0]).unwrap();
    assert_eq!(best.offer(other), 0.5);
    assert_eq!(best.matrix, zero(&stream));
}

#[test]
fn lines_are_solved_with_and_without_a_tree() {
    let mut rng = Pcg64::seed_from_u64(1);
    for _ in 0..4 {
        let stream = random_line(&mut rng, 5);
        let optimum = best_threshold(&stream);
        let full = bracket(&stream, ComparatorEffort::default());
        assert!(full.exact && full.lower <= full.upper);
        assert!((full.lower - optimum).abs() < 1e-11 && (full.upper - optimum).abs() < 1e-11);
        // Without nodes the search finds the matrix all the same, though it cannot know.
        let searched = bracket(&stream, ComparatorEffort { nodes: 0, restarts: 30, seed: 0 });
        assert!((searched.upper - optimum).abs() < 1e-11);
        assert_eq!(searched.nodes, 0);
    }
}

#[test]
fn heavy_rounds_do_not_make_equal_risks_differ() {
    // Every ranking can be had at three inputs with two features and a bias, so the bound of the
    // rankings is reached, up to the order of the sums, and no tree is needed.
    let space = ActionSpace::new(2, 2).unwrap();
    let mut rng = Pcg64::seed_from_u64(2);
    let mut roundings = 0;
    for _ in 0..6 {
        let mut items = Vec::new();
        for mask in 0..4u128 {
            for x in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] {
                let active = space.active_from_mask(mask).unwrap();
                let p = rng.random_range(0.0..1.0);
                let mut s = vec![p, 1.0 - p];
                s.extend(active.experts().map(|_| rng.random_range(0.0..1.0)));
                items.push(item(1e6 * rng.random_range(0.1..1.0), &x, active, &s));
            }
        }
        let found = bracket(&stream(space, items), ComparatorEffort::default());
        assert!(found.exact && found.nodes == 0 && found.lower <= found.upper);
        assert!(found.upper > found.pointwise + 1.0, "no conflict at any input");
        roundings += usize::from(found.lower < found.upper);
    }
    assert!(roundings > 0, "no two sums differed");
}

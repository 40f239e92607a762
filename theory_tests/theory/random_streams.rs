//! Streams that these tests share.

use super::StreamItem;
use problem::{ActionSpace, ActiveSet};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One item.
pub(super) fn item(weight: f64, x: &[f64], active: ActiveSet, s: &[f64]) -> StreamItem {
    StreamItem { weight, x: x.to_vec(), active, s: s.to_vec() }
}

/// `contexts` random inputs of dimension `d`, each with the same `sets` random availability sets
/// (at most `2^experts` of them), and a law that belongs to the input.
pub(super) fn random_items(
    (classes, experts): (usize, usize),
    d: usize,
    contexts: usize,
    sets: usize,
    seed: u64,
) -> (ActionSpace, Vec<StreamItem>) {
    let space = ActionSpace::new(classes, experts).unwrap();
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut masks: Vec<u128> = (0..1u128 << experts).collect();
    for i in (1..masks.len()).rev() {
        masks.swap(i, rng.random_range(0..=i));
    }
    masks.truncate(sets);
    let mut items = Vec::new();
    for _ in 0..contexts {
        // Eighths: inputs may be equal or collinear, but not nearly so, which would only test how
        // fast the optimum runs to infinity.
        let x: Vec<f64> = (0..d).map(|_| f64::from(rng.random_range(-8..=8)) / 8.0).collect();
        let raw: Vec<f64> = (0..classes).map(|_| rng.random_range(0.0f64..1.0).powi(3)).collect();
        let total: f64 = raw.iter().sum();
        let p: Vec<f64> = raw.iter().map(|v| v / total).collect();
        let expert: Vec<f64> = (0..experts).map(|_| rng.random_range(0.0..1.0)).collect();
        for &mask in &masks {
            let active = space.active_from_mask(mask).unwrap();
            let s: Vec<f64> =
                p.iter().copied().chain(active.experts().map(|j| expert[j])).collect();
            items.push(item(rng.random_range(0.1..1.0), &x, active, &s));
        }
    }
    (space, items)
}

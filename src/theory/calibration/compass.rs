//! Local maximisation without derivatives on a box.

use crate::prec;
use rand::RngExt;
use rand_pcg::Pcg64;

/// The box `[low, high]` in every coordinate, given per coordinate.
pub(super) struct Bounds<'a> {
    pub low: &'a [f64],
    pub high: &'a [f64],
}

/// Climbs a little from every start, because the best start is not always at the foot of the
/// highest hill, and then all the way from the `refined` best. `None` without a start.
pub(super) fn climb_best(
    starts: Vec<Vec<f64>>,
    bounds: &Bounds<'_>,
    refined: usize,
    rng: &mut Pcg64,
    f: &mut impl FnMut(&[f64]) -> f64,
) -> Option<(Vec<f64>, f64)> {
    let mut found: Vec<(Vec<f64>, f64)> =
        starts.into_iter().map(|x| climb(x, bounds, (1.0, 0.2), rng, f)).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    for place in found.iter_mut().take(refined) {
        *place = climb(place.0.clone(), bounds, (0.2, 1e-5), rng, f);
    }
    found.into_iter().reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Climbs from `start` along the axes and as many random directions, halving the step from
/// `first` down to `last` whenever none of them helps. `f` may return `NEG_INFINITY`.
fn climb(
    start: Vec<f64>,
    bounds: &Bounds<'_>,
    (first, last): (f64, f64),
    rng: &mut Pcg64,
    f: &mut impl FnMut(&[f64]) -> f64,
) -> (Vec<f64>, f64) {
    let n = start.len();
    let (mut heading, mut to) = (vec![0.0; n], vec![0.0; n]);
    let mut at = start;
    let mut value = f(&at);
    let mut step = first;
    while step > last {
        let mut improved = false;
        for direction in 0..2 * n {
            for (i, heading) in heading.iter_mut().enumerate() {
                *heading = match direction < n {
                    true => f64::from(u8::from(i == direction)),
                    false => rng.random_range(-1.0..1.0),
                };
            }
            for sign in [step, -step] {
                for (i, to) in to.iter_mut().enumerate() {
                    *to = (at[i] + sign * heading[i]).clamp(bounds.low[i], bounds.high[i]);
                }
                let there = f(&to);
                let enough = value + prec::SEARCH_GAIN * value.abs();
                if there > enough || (there > value && value == f64::NEG_INFINITY) {
                    at.copy_from_slice(&to);
                    (value, improved) = (there, true);
                    break;
                }
            }
        }
        step = if improved { (2.0 * step).min(first) } else { step / 2.0 };
    }
    (at, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: f64 = 1e9;

    #[test]
    fn looks_both_ways_along_the_axes_and_as_many_random_directions() {
        let mut seen: Vec<Vec<f64>> = Vec::new();
        let mut flat = |x: &[f64]| {
            seen.push(x.to_vec());
            assert!(seen.len() < 1000, "does not stop on a plateau");
            0.0
        };
        let bounds = Bounds { low: &[-FAR; 3], high: &[FAR; 3] };
        let start = vec![0.0; 3];
        let end = climb(start.clone(), &bounds, (0.5, 0.125), &mut Pcg64::new(5, 6), &mut flat);
        assert_eq!(end, (start.clone(), 0.0));
        // The start, then steps of 1/2 and 1/4 in six directions both ways; 1/8 is the end.
        assert_eq!(seen.len(), 1 + 2 * 6 * 2);
        assert_eq!(seen[0], start);
        for (round, step) in seen[1..].chunks(12).zip([0.5, 0.25]) {
            for (i, pair) in round.chunks(2).enumerate() {
                let opposite: Vec<f64> = pair[0].iter().map(|x| -x).collect();
                assert_eq!(pair[1], opposite);
                if i < 3 {
                    let axis: Vec<f64> = (0..3).map(|a| if a == i { step } else { 0.0 }).collect();
                    assert_eq!(pair[0], axis);
                } else {
                    assert!(pair[0].iter().all(|x| *x != 0.0 && x.abs() < step), "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn success_doubles_the_step_up_to_the_first() {
        // One point is higher than all others, and only the steps along the axis can hit it.
        let mut seen: Vec<f64> = Vec::new();
        let mut needle = |x: &[f64]| {
            if (4.0 * x[0]).fract() == 0.0 {
                seen.push(x[0]);
            }
            f64::from(u8::from(x[0] == 0.25))
        };
        let bounds = Bounds { low: &[-FAR], high: &[FAR] };
        let end = climb(vec![0.0], &bounds, (1.0, 0.2), &mut Pcg64::new(5, 6), &mut needle);
        assert_eq!(end, (vec![0.25], 1.0));
        // Steps 1, 1/2, 1/4 from 0; from 1/4 steps 1/2 and 1/4.
        assert_eq!(seen, [0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 0.75, -0.25, 0.5, 0.0]);
    }

    #[test]
    fn gains_within_rounding_are_not_followed_but_any_number_beats_none() {
        let bounds = Bounds { low: &[-2.0], high: &[2.0] };
        let from_zero = |f: fn(f64) -> f64| {
            let mut calls = 0;
            let mut counted = |x: &[f64]| {
                calls += 1;
                assert!(calls < 1000, "does not stop");
                f(x[0])
            };
            climb(vec![0.0], &bounds, (1.0, 1e-3), &mut Pcg64::new(5, 6), &mut counted)
        };
        assert_eq!(from_zero(|x| 1.0 + 1e-14 * x), (vec![0.0], 1.0));
        assert_eq!(from_zero(|_| f64::NEG_INFINITY), (vec![0.0], f64::NEG_INFINITY));
        let solved_above_one = |x: f64| if x < 1.0 { f64::NEG_INFINITY } else { -x };
        assert_eq!(from_zero(solved_above_one), (vec![1.0], -1.0));
    }

    #[test]
    fn the_best_after_refinement_wins_and_of_equals_the_first() {
        // A plateau of height 1 and a needle of height 2 whose start is lower; only small steps
        // climb the needle.
        let mut f = |x: &[f64]| if x[0] < 0.0 { 1.0 } else { 2.0 - 1e4 * (x[0] - 2.0).abs() };
        let bounds = Bounds { low: &[-3.0], high: &[3.0] };
        let starts = || vec![vec![-1.0], vec![2.00015], vec![-2.0]];
        let mut best = |refined| {
            climb_best(starts(), &bounds, refined, &mut Pcg64::new(5, 6), &mut f).unwrap()
        };
        assert_eq!(best(0), (vec![-1.0], 1.0));
        let (x, value) = best(3);
        assert!(value > 1.5 && (x[0] - 2.0).abs() < 1e-4, "{x:?} {value}");
    }

    #[test]
    fn finds_the_top_inside_and_on_the_edge_of_the_box() {
        // A tilted paraboloid: the axes alone would crawl along its ridge.
        let mut f = |x: &[f64]| {
            let (a, b) = (x[0] + x[1] - 1.0, x[0] - x[1]);
            -(a * a) - 1e-2 * b * b
        };
        let mut rng = Pcg64::new(1, 2);
        let wide = Bounds { low: &[-3.0, -3.0], high: &[3.0, 3.0] };
        let (x, value) = climb(vec![-2.0, 2.5], &wide, (1.0, 1e-7), &mut rng, &mut f);
        assert!(value > -1e-9 && (x[0] - 0.5).abs() < 1e-3, "{x:?} {value}");
        // Two hills: the higher one is narrow and its best start is low.
        let mut hills = |x: &[f64]| {
            let hill = |at: f64, width: f64| 1.0 / (1.0 + (x[0] - at) * (x[0] - at) / width);
            hill(-2.0, 1.0) + 1.5 * hill(2.0, 0.05)
        };
        let line = Bounds { low: &[-3.0], high: &[3.0] };
        let starts = vec![vec![-2.5], vec![-2.2], vec![1.0]];
        let (x, _) = climb_best(starts, &line, 2, &mut rng, &mut hills).unwrap();
        assert!((x[0] - 2.0).abs() < 1e-2, "{x:?}");
        let tight = Bounds { low: &[-3.0, -3.0], high: &[0.0, 3.0] };
        let (x, _) = climb(vec![-2.0, -1.0], &tight, (1.0, 1e-7), &mut rng, &mut f);
        // On x_0 = 0 the top is at (1 + 0) / (1 + 0.01).
        assert!(x[0].abs() < 1e-3 && (x[1] - 1.0 / 1.01).abs() < 1e-3, "{x:?}");
    }
}

//! Matrices that are good, without a promise: perceptrons and exact line searches.
//!
//! One matrix at a time: every move depends on the one before, so there is never a batch of candidates
//! whose scores a product of large matrices (faer) could give at once.

use super::separate::Target;
use super::{ComparatorEffort, Incumbent};
use crate::matrix::ScoreMatrix;
use crate::prec;
use crate::scores::argmax;
use crate::stream::FiniteStream;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A multiclass perceptron that chases the targets, and the best matrix on its way.
pub(super) fn perceptron(stream: &FiniteStream, targets: &[Target]) -> ScoreMatrix {
    let mut w = ScoreMatrix::zeros(stream.space(), stream.dim);
    let mut best = (stream.true_risk(&w, 0.0), w.clone());
    for _ in 0..prec::PERCEPTRON_EPOCHS {
        let mut mistaken = false;
        for &(cell, position) in targets {
            let cell = &stream.cells()[cell];
            let x = stream.input(cell);
            let greedy = w.greedy(x, cell.active, 0.0);
            let Some(wanted) = cell.active.nth(position).filter(|&a| a != greedy) else {
                continue;
            };
            mistaken = true;
            for (action, sign) in [(wanted, 1.0), (greedy, -1.0)] {
                let row = w.row_mut(action.index());
                row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(w, x)| *w += sign * x);
            }
        }
        let risk = stream.true_risk(&w, 0.0);
        if risk < best.0 {
            best = (risk, w.clone());
        }
        if !mistaken {
            break;
        }
    }
    best.1
}

/// Coordinate descent from the incumbent and from perturbed copies of it, until `enough`.
pub(super) fn search(best: &mut Incumbent, effort: ComparatorEffort, enough: f64) {
    let mut rng = Pcg64::seed_from_u64(effort.seed);
    for restart in 0..=effort.restarts {
        if best.risk <= enough {
            return;
        }
        let mut w = best.matrix.clone();
        if restart != 0 {
            perturb(&mut w, &mut rng);
        }
        descend(best.stream, &mut w);
        best.offer(w);
    }
}

/// Adds noise to every entry, of the size of a typical one.
fn perturb(w: &mut ScoreMatrix, rng: &mut Pcg64) {
    let size = w.frobenius_norm().max(1.0) / (w.values.len() as f64).sqrt();
    w.values.iter_mut().for_each(|v| *v += size * rng.random_range(-1.0..1.0));
}

/// Moves one entry at a time to where the true risk is least, until no entry helps.
fn descend(stream: &FiniteStream, w: &mut ScoreMatrix) {
    for _ in 0..prec::DESCENT_SWEEPS {
        let mut moved = false;
        for a in 0..w.actions() {
            for j in 0..w.columns {
                if let Some(value) = best_entry(stream, w, a, j) {
                    w.row_mut(a)[j] = value;
                    moved = true;
                }
            }
        }
        if !moved {
            return;
        }
    }
}

/// As a function of one entry the risk is a step function: each cell changes hands where the score
/// of `a` meets the best other score. All steps are visited; `None` if none is an improvement.
fn best_entry(stream: &FiniteStream, w: &ScoreMatrix, a: usize, j: usize) -> Option<f64> {
    let now = w.row(a)[j];
    // Where a cell changes hands, and by how much the risk rises when the entry passes upwards.
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let (mut leftmost, mut current) = (0.0, 0.0);
    for cell in stream.cells() {
        let x = stream.input(cell);
        let factor = x.get(j).copied().unwrap_or(1.0);
        let Some(position) = cell.active.iter().position(|action| action.index() == a) else {
            continue;
        };
        if factor == 0.0 || cell.weight == 0.0 {
            continue;
        }
        let u = w.scores(x, cell.active);
        let others = (0..u.len()).filter(|&b| b != position);
        let Some(rival) = others.reduce(|m, b| if u[b] > u[m] { b } else { m }) else {
            continue;
        };
        let [with, without] = [position, rival].map(|p| cell.weight * (1.0 - cell.s[p]));
        current += if argmax(&u) == position { with } else { without };
        // The entry lifts the score of `a` where its input is positive.
        let [below, above] =
            if factor.is_sign_positive() { [without, with] } else { [with, without] };
        steps.push((now + (u[rival] - u[position]) / factor, above - below));
        leftmost += below;
    }
    steps.sort_by(|p, q| p.0.total_cmp(&q.0));
    let (first, last) = (steps.first()?.0, steps.last()?.0);
    let (mut risk, mut best) = (leftmost, (leftmost, first - 1.0));
    for (i, &(at, rise)) in steps.iter().enumerate() {
        risk += rise;
        let beyond = steps.get(i + 1).map_or(last + 1.0, |next| 0.5 * (at + next.0));
        // Equal thresholds leave no room between them.
        if beyond > at && risk < best.0 {
            best = (risk, beyond);
        }
    }
    (best.0 < current - prec::RISKS_MEET * stream.total_weight && best.1.is_finite())
        .then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{best_threshold, item, line, random_line, stream, zero};
    use super::*;
    use problem::ActionSpace;

    /// Inputs and entries are small integers, so that ties abound and the steps of the risk lie at
    /// multiples of one half.
    fn integers(rng: &mut Pcg64) -> (FiniteStream, ScoreMatrix) {
        let space = ActionSpace::new(2, 1).unwrap();
        let items = (0..7).map(|_| {
            let active =
                if rng.random_bool(0.5) { space.all_active() } else { space.classes_only() };
            let p = rng.random_range(0.0..1.0);
            let s = [p, 1.0 - p, rng.random_range(0.0..1.0)];
            let weight = if rng.random_bool(0.1) { 0.0 } else { rng.random_range(0.1..1.0) };
            let x = [0, 1].map(|_| f64::from(rng.random_range(-2..=2)));
            item(weight, &x, active, &s[..active.len()])
        });
        let stream = stream(
            space,
            items.chain([item(1.0, &[1.0, 1.0], space.all_active(), &[0.5; 3])]).collect(),
        );
        let entries = (0..9).map(|_| f64::from(rng.random_range(-3..=3))).collect();
        (stream, ScoreMatrix::from_values(space, 2, entries).unwrap())
    }

    #[test]
    fn the_best_entry_is_the_first_best_of_a_scan() {
        let mut rng = Pcg64::seed_from_u64(1);
        let mut improved = 0;
        for trial in 0..300 {
            let (stream, mut w) = integers(&mut rng);
            let (a, j) = (trial % 3, trial / 3 % 3);
            let slack = prec::RISKS_MEET * stream.total_weight;
            let now = stream.true_risk(&w, 0.0);
            let found = best_entry(&stream, &w, a, j);
            let mut risk_at = |value: f64| {
                w.row_mut(a)[j] = value;
                stream.true_risk(&w, 0.0)
            };
            // Odd multiples of 1/4 lie between the steps; beyond 3 + 2 * 15 there are none.
            let scan: Vec<(f64, f64)> = (-70..70)
                .map(|k| 0.25 + 0.5 * f64::from(k))
                .map(|value| (value, risk_at(value)))
                .collect();
            let least = scan.iter().map(|&(_, risk)| risk).fold(f64::INFINITY, f64::min);
            assert_eq!(found.is_some(), least < now - slack, "{found:?} {now} {least}");
            if let Some(value) = found {
                improved += 1;
                assert!((risk_at(value) - least).abs() <= slack);
                let first = scan.iter().position(|&(_, risk)| risk <= least + slack).unwrap();
                let run = scan[first..].iter().take_while(|&&(_, risk)| risk <= least + slack);
                let last = run.last().unwrap().0;
                assert!(scan[first].0 - 0.25 < value && value < last + 0.25);
            }
        }
        assert!((50..250).contains(&improved), "{improved}");
    }

    #[test]
    fn the_first_of_equally_good_steps_is_taken() {
        // Row 1 scores b - x: class 1 takes over at b = 1 where it is right, and at b = 2 where it
        // does not matter.
        let stream = line(&[1.0, 2.0], &[0.0, 0.5], &[1.0, 1.0]);
        let w = ScoreMatrix::from_values(stream.space(), 1, vec![0.0, 0.0, -1.0, 0.0]).unwrap();
        assert_eq!(best_entry(&stream, &w, 1, 1), Some(1.5));
    }

    #[test]
    fn an_improvement_by_a_rounding_is_none() {
        // The zero matrix gets only the light item wrong, whose weight is just what counts as the
        // same risk; the heavy one has input 0 and does not notice.
        let light = |weight| line(&[0.0, 1.0], &[1.0, 0.0], &[1000.0, weight]);
        let mut weight = 0.0;
        for _ in 0..3 {
            weight = prec::RISKS_MEET * (1000.0 + weight);
        }
        let stream = light(weight);
        assert_eq!(weight, prec::RISKS_MEET * stream.total_weight);
        assert_eq!(best_entry(&stream, &zero(&stream), 1, 0), None);
        // Twice as much is an improvement: any positive entry, and the step is at 0.
        let stream = light(2.0 * weight);
        assert_eq!(best_entry(&stream, &zero(&stream), 1, 0), Some(1.0));
    }

    #[test]
    fn a_descent_ends_where_no_single_entry_helps() {
        let mut rng = Pcg64::seed_from_u64(2);
        for _ in 0..40 {
            let (stream, mut w) = integers(&mut rng);
            let before = stream.true_risk(&w, 0.0);
            descend(&stream, &mut w);
            assert!(stream.true_risk(&w, 0.0) <= before);
            for (a, j) in (0..9).map(|entry| (entry / 3, entry % 3)) {
                assert_eq!(best_entry(&stream, &w, a, j), None);
            }
        }
    }

    #[test]
    fn a_mistaken_perceptron_adds_the_input_to_the_wanted_row_and_takes_it_from_the_other() {
        let space = ActionSpace::new(2, 0).unwrap();
        let input = item(1.0, &[2.0, -4.0], space.classes_only(), &[0.0, 1.0]);
        let w = perceptron(&stream(space, vec![input]), &[(0, 1)]);
        // Ties go to class 0, so the first look is a mistake and the second is none.
        assert_eq!(w.values, [-2.0, 4.0, -1.0, 2.0, -4.0, 1.0]);
    }

    #[test]
    fn a_perceptron_separates_what_can_be_separated() {
        // One pass is not enough for a threshold between 2 and 3.
        let stream = line(&[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 1.0, 0.0, 0.0], &[1.0; 5]);
        let targets = [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)];
        assert_eq!(stream.true_risk(&perceptron(&stream, &targets), 0.0), 0.0);
    }

    #[test]
    fn a_perceptron_keeps_the_first_of_its_best_matrices() {
        // Chasing class 1 costs as much as staying at zero, or more.
        for p in [0.5, 0.75] {
            let stream = line(&[1.0], &[p], &[1.0]);
            assert_eq!(perceptron(&stream, &[(0, 1)]), zero(&stream));
        }
    }

    #[test]
    fn the_noise_is_as_large_as_a_typical_entry() {
        let space = ActionSpace::new(2, 0).unwrap();
        // Norm 6 over four entries; below norm 1 it counts as 1.
        for (values, size) in [([4.0, 0.0, -4.0, 2.0], 3.0), ([0.0, 0.25, 0.0, 0.0], 0.5)] {
            let mut w = ScoreMatrix::from_values(space, 1, values.to_vec()).unwrap();
            perturb(&mut w, &mut Pcg64::seed_from_u64(3));
            let mut rng = Pcg64::seed_from_u64(3);
            let expected = values.map(|v| v + size * rng.random_range(-1.0..1.0));
            assert_eq!(w.values, expected);
        }
    }

    #[test]
    fn a_search_without_restarts_is_one_descent() {
        let mut rng = Pcg64::seed_from_u64(4);
        for _ in 0..10 {
            let (stream, matrix) = integers(&mut rng);
            let mut descended = matrix.clone();
            descend(&stream, &mut descended);
            let risk = stream.true_risk(&matrix, 0.0);
            let mut best = Incumbent { stream: &stream, matrix: matrix.clone(), risk };
            let effort = ComparatorEffort { nodes: 0, restarts: 0, seed: 5 };
            // What is good enough is left alone.
            search(&mut best, effort, risk);
            assert_eq!(best.matrix, matrix);
            search(&mut best, effort, f64::NEG_INFINITY);
            assert_eq!(best.matrix, descended);
        }
    }

    #[test]
    fn restarts_reach_the_best_threshold_where_a_descent_is_stuck() {
        let mut rng = Pcg64::seed_from_u64(6);
        let mut stuck = 0;
        for _ in 0..10 {
            let stream = random_line(&mut rng, 6);
            let optimum = best_threshold(&stream);
            let matrix = zero(&stream);
            let risk = stream.true_risk(&matrix, 0.0);
            let mut best = Incumbent { stream: &stream, matrix, risk };
            let effort = |restarts| ComparatorEffort { nodes: 0, restarts, seed: 7 };
            search(&mut best, effort(0), f64::NEG_INFINITY);
            assert!(best.risk >= optimum - 1e-12 && best.risk <= risk);
            stuck += usize::from(best.risk > optimum + 1e-9);
            search(&mut best, effort(300), optimum + 1e-12);
            assert!((best.risk - optimum).abs() < 1e-12, "{} {optimum}", best.risk);
        }
        assert!(stuck > 0, "too easy");
    }
}

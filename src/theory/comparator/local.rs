//! Matrices that are good, without a promise: perceptrons and exact line searches.

use super::separate::Target;
use super::{Effort, Incumbent};
use crate::prec;
use crate::theory::matrix::ScoreMatrix;
use crate::theory::stream::FiniteStream;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A multiclass perceptron that chases the targets, and the best matrix on its way.
pub(super) fn perceptron(stream: &FiniteStream, targets: &[Target]) -> ScoreMatrix {
    let mut w = ScoreMatrix::zeros(stream.space(), stream.dim());
    let mut best = (stream.true_risk(&w, 0.0), w.clone());
    for _ in 0..prec::PERCEPTRON_EPOCHS {
        let mut mistakes = 0;
        for &(cell, position) in targets {
            let cell = &stream.cells()[cell];
            let x = stream.input(cell);
            let greedy = w.greedy(x, cell.active, 0.0);
            let Some(wanted) = cell.active.nth(position).filter(|&a| a != greedy) else {
                continue;
            };
            mistakes += 1;
            for (action, sign) in [(wanted, 1.0), (greedy, -1.0)] {
                let row = w.row_mut(action.index());
                row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(w, x)| *w += sign * x);
            }
        }
        let risk = stream.true_risk(&w, 0.0);
        if risk < best.0 {
            best = (risk, w.clone());
        }
        if mistakes == 0 {
            break;
        }
    }
    best.1
}

/// Coordinate descent from the incumbent and from perturbed copies of it, until `enough`.
pub(super) fn search(best: &mut Incumbent, effort: Effort, enough: f64) {
    let mut rng = Pcg64::seed_from_u64(effort.seed);
    for restart in 0..=effort.restarts {
        if best.risk <= enough {
            return;
        }
        let mut w = best.matrix.clone();
        if restart > 0 {
            let size = w.frobenius_norm().max(1.0) / (w.values().len() as f64).sqrt();
            w.values_mut().iter_mut().for_each(|v| *v += size * rng.random_range(-1.0..1.0));
        }
        descend(best.stream, &mut w);
        best.offer(w);
    }
}

/// Moves one entry at a time to where the true risk is least, until no entry helps.
fn descend(stream: &FiniteStream, w: &mut ScoreMatrix) {
    for _ in 0..prec::DESCENT_SWEEPS {
        let mut moved = false;
        for a in 0..w.actions() {
            for j in 0..w.columns() {
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
        let wins = u[position] > u[rival] || (u[position] == u[rival] && position < rival);
        current += if wins { with } else { without };
        steps.push((
            now + (u[rival] - u[position]) / factor,
            if factor > 0.0 { with - without } else { without - with },
        ));
        leftmost += if factor > 0.0 { without } else { with };
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
    (best.0 < current - prec::RISKS_MEET * stream.total_weight() && best.1.is_finite())
        .then_some(best.1)
}

//! Is there a matrix whose greedy actions are these?

use crate::prec;
use crate::theory::gap::program::Program;
use crate::theory::matrix::{ScoreMatrix, augmented_norm};
use crate::theory::stream::FiniteStream;

/// A cell and the position of the action wanted there.
pub(super) type Target = (usize, usize);

/// The answer.
pub(super) enum Separation {
    /// A matrix with all margins positive; checked by its greedy actions.
    Found(ScoreMatrix),
    /// A convex combination of the margins vanishes, up to [`prec::FARKAS`]: no matrix.
    Impossible,
    /// The solver could not tell.
    Unknown,
}

/// The matrix of least norm with `<w_a - w_b, x~> >= 1` for every target `a` and active `b != a`.
///
/// Strict margins lose nothing: when ties go to the lowest index, lowering the bias of action `a`
/// by `epsilon a` turns every tie into a strict win of the same action.
pub(super) fn separate(stream: &FiniteStream, targets: &[Target]) -> Separation {
    let (n, columns) = (stream.space().len(), stream.dim() + 1);
    let mut program = Program::default();
    for _ in 0..n * columns {
        let entry = program.variable(0.0);
        program.add_square(entry, 1.0);
    }
    let mut margins = Vec::new();
    for &(cell, position) in targets {
        let cell = &stream.cells()[cell];
        // Dividing by the norm keeps rows comparable; the sign of a margin does not care.
        let scale = augmented_norm(stream.input(cell));
        let x: Vec<f64> =
            stream.input(cell).iter().chain([&1.0]).map(|value| value / scale).collect();
        let actions: Vec<usize> = cell.active.iter().map(|a| a.index()).collect();
        for &other in actions.iter().filter(|&&b| b != actions[position]) {
            let wanted = actions[position] * columns;
            let row: Vec<(usize, f64)> = x
                .iter()
                .enumerate()
                .flat_map(|(j, &v)| [(wanted + j, -v), (other * columns + j, v)])
                .collect();
            program.at_most(&row, -1.0);
            margins.push(row);
        }
    }
    let outcome = program.solve();
    let matrix = ScoreMatrix::from_values(stream.space(), stream.dim(), outcome.values)
        .expect("one variable per entry");
    let reached = targets.iter().all(|&(cell, position)| {
        let cell = &stream.cells()[cell];
        cell.active.position(matrix.greedy(stream.input(cell), cell.active, 0.0)) == Some(position)
    });
    if reached {
        return Separation::Found(matrix);
    }
    let total: f64 = outcome.multipliers.iter().map(|v| v.max(0.0)).sum();
    let mut combination = vec![0.0; n * columns];
    for (row, multiplier) in margins.iter().zip(&outcome.multipliers) {
        row.iter().for_each(|&(v, c)| combination[v] += c * multiplier.max(0.0) / total);
    }
    let vanishes = combination.iter().all(|v| v.abs() <= prec::FARKAS);
    if total > 0.0 && vanishes { Separation::Impossible } else { Separation::Unknown }
}

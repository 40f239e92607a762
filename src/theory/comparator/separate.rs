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

/// The matrix with entries in `[-1, 1]` and the largest least margin `<w_a - w_b, x~ / ||x~||>` over
/// targets `a` and active `b != a`. That program always has a solution, so its multipliers are as
/// accurate when the answer is no as when it is yes.
///
/// Strict margins lose nothing: when ties go to the lowest index, lowering the bias of action `a`
/// by `epsilon a` turns every tie into a strict win of the same action.
pub(super) fn separate(stream: &FiniteStream, targets: &[Target]) -> Separation {
    let (n, columns) = (stream.space().len(), stream.dim() + 1);
    let mut program = Program::default();
    let entries = n * columns;
    (0..entries).for_each(|_| {
        program.variable(0.0);
    });
    let margin = program.variable(-1.0);
    program.at_most(&[(margin, 1.0)], 1.0);
    for entry in 0..entries {
        program.at_most(&[(entry, 1.0)], 1.0);
        program.at_most(&[(entry, -1.0)], 1.0);
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
            let mut short = row.clone();
            short.push((margin, 1.0));
            margins.push((program.at_most(&short, 0.0), row));
        }
    }
    let mut outcome = program.solve();
    outcome.values.truncate(entries);
    let matrix = ScoreMatrix::from_values(stream.space(), stream.dim(), outcome.values)
        .expect("one variable per entry");
    let reached = targets.iter().all(|&(cell, position)| {
        let cell = &stream.cells()[cell];
        cell.active.position(matrix.greedy(stream.input(cell), cell.active, 0.0)) == Some(position)
    });
    if reached {
        return Separation::Found(matrix);
    }
    let weight = |row: usize| outcome.multipliers[row].max(0.0);
    let total: f64 = margins.iter().map(|&(row, _)| weight(row)).sum();
    let mut combination = vec![0.0; entries];
    for (row, coefficients) in &margins {
        coefficients.iter().for_each(|&(v, c)| combination[v] += c * weight(*row) / total);
    }
    let vanishes = combination.iter().all(|v| v.abs() <= prec::FARKAS);
    if total > 0.0 && vanishes { Separation::Impossible } else { Separation::Unknown }
}

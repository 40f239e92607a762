//! Is there a matrix whose greedy actions are these?

use crate::gap::program::Program;
use crate::matrix::{ScoreMatrix, augmented_norm};
use crate::prec;
use crate::stream::FiniteStream;

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
    let (n, columns) = (stream.space().len(), stream.dim + 1);
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
    let matrix = ScoreMatrix::from_values(stream.space(), stream.dim, outcome.values)
        .expect("one variable per entry");
    let reached = targets.iter().all(|&(cell, position)| {
        let cell = &stream.cells()[cell];
        cell.active.position(matrix.greedy(stream.input(cell), cell.active, 0.0)) == Some(position)
    });
    if reached {
        return Separation::Found(matrix);
    }
    match refuted(entries, &margins, &outcome.multipliers) {
        true => Separation::Impossible,
        false => Separation::Unknown,
    }
}

/// Whether the convex combination of the margins with these multipliers vanishes.
fn refuted(entries: usize, margins: &[(usize, Vec<(usize, f64)>)], multipliers: &[f64]) -> bool {
    let weight = |row: usize| multipliers[row].max(0.0);
    let total: f64 = margins.iter().map(|&(row, _)| weight(row)).sum();
    let mut combination = vec![0.0; entries];
    for (row, coefficients) in margins {
        coefficients.iter().for_each(|&(v, c)| combination[v] += c * weight(*row) / total);
    }
    // Without any weight these are 0 / 0, which proves nothing and compares false.
    combination.iter().all(|v: &f64| v.abs() <= prec::FARKAS)
}

#[cfg(test)]
mod tests {
    use super::super::tests::line;
    use super::*;

    #[test]
    fn the_least_margin_is_as_large_as_entries_in_the_box_allow() {
        // Class 0 at 3, class 1 at 1. The difference (a, b) of the rows lies in [-2, 2]^2 and its
        // margins are (3a + b) / sqrt(10) and -(a + b) / sqrt(2). They are equal at the optimum,
        // and larger the larger |b|: b = -2, (3a - 2) sqrt(2) = (2 - a) sqrt(10).
        let stream = line(&[3.0, 1.0], &[1.0, 0.0], &[1.0, 1.0]);
        let Separation::Found(w) = separate(&stream, &[(0, 0), (1, 1)]) else {
            panic!("a threshold at 2 separates the two");
        };
        let (two, ten) = (2f64.sqrt(), 10f64.sqrt());
        let a = 2.0 * (two + ten) / (3.0 * two + ten);
        assert!((w.row(0)[0] - w.row(1)[0] - a).abs() < 1e-6, "{w:?}");
        assert!((w.row(0)[1] - w.row(1)[1] + 2.0).abs() < 1e-6, "{w:?}");
        assert!(w.values.iter().all(|v| v.abs() < 1.0 + 1e-6), "{w:?}");
    }

    #[test]
    fn the_middle_of_three_cannot_be_told_apart() {
        let stream = line(&[-1.0, 0.0, 1.0], &[1.0, 0.0, 1.0], &[1.0; 3]);
        let answer = separate(&stream, &[(0, 0), (1, 1), (2, 0)]);
        assert!(matches!(answer, Separation::Impossible));
        assert!(matches!(separate(&stream, &[(0, 0), (1, 1)]), Separation::Found(_)));
    }

    #[test]
    fn margins_are_refuted_by_weights_that_cancel_them() {
        // Rows 1 and 2 are opposite, row 0 is not one of the margins.
        let margins = [(1, vec![(0, 1.0), (1, -1.0)]), (2, vec![(0, -1.0), (1, 1.0)])];
        let refuted = |multipliers: [f64; 3]| refuted(3, &margins, &multipliers);
        assert!(refuted([0.0, 0.5, 0.5]));
        // Only their ratio counts.
        assert!(refuted([7.0, 1e-12, 1e-12]) && refuted([7.0, 1e12, 1e12 + 1.0]));
        assert!(!refuted([0.0, 1e-12, 2e-12]) && !refuted([0.0, 2.0, 1.0]));
        // A multiplier below zero is rounding, and no weight at all is no proof.
        assert!(!refuted([0.0, 1.0, -1.0]) && !refuted([0.0; 3]));
    }
}

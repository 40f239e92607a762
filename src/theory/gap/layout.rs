//! From a stream and a surrogate to a conic program, and back to a matrix.

use super::program::{Outcome, Program, Variable};
use super::surrogates::Convex;
use crate::theory::matrix::ScoreMatrix;
use crate::theory::stream::FiniteStream;

/// Which variable of the program is what.
pub(super) struct Layout {
    pub program: Program,
    entries: usize,
    /// Per cell, the position of the hinge multiplier of each active action.
    hinge_rows: Vec<Vec<Option<usize>>>,
}

impl Layout {
    pub fn new(stream: &FiniteStream, surrogate: Convex, ball: Option<f64>) -> Self {
        let (n, columns) = (stream.space().len(), stream.dim() + 1);
        let mut program = Program::default();
        let entries = n * columns;
        (0..entries).for_each(|_| {
            program.variable(0.0);
        });
        let mut score_of: Vec<Vec<Option<Variable>>> = vec![vec![None; n]; stream.contexts().len()];
        let mut hinge_rows = Vec::with_capacity(stream.cells().len());
        for cell in stream.cells() {
            if cell.weight == 0.0 {
                hinge_rows.push(vec![None; cell.active.len()]);
                continue;
            }
            let x = stream.input(cell);
            let scores: Vec<Variable> = cell
                .active
                .iter()
                .map(|action| {
                    let a = action.index();
                    *score_of[cell.context][a].get_or_insert_with(|| {
                        let z = program.variable(0.0);
                        let mut row: Vec<(Variable, f64)> =
                            x.iter().enumerate().map(|(j, &v)| (a * columns + j, v)).collect();
                        row.push((a * columns + columns - 1, 1.0));
                        row.push((z, -1.0));
                        program.equal(&row, 0.0);
                        z
                    })
                })
                .collect();
            let mean = surrogate.is_constrained().then(|| {
                let mean = program.variable(0.0);
                let mut row: Vec<(Variable, f64)> = scores.iter().map(|&z| (z, 1.0)).collect();
                row.push((mean, -(scores.len() as f64)));
                program.equal(&row, 0.0);
                mean
            });
            let weight = cell.weight / stream.total_weight();
            let rows = surrogate.add_cell(&mut program, weight, &cell.s, &scores, mean);
            hinge_rows.push(rows);
        }
        if let Some(radius) = ball {
            program.ball(0..entries, radius);
        }
        Layout { program, entries, hinge_rows }
    }

    pub fn weights(&self) -> std::ops::Range<Variable> {
        0..self.entries
    }

    /// The matrix of an outcome, centred, and scaled into the ball if rounding left it outside.
    pub fn matrix(&self, stream: &FiniteStream, outcome: &Outcome, ball: Option<f64>) -> ScoreMatrix {
        let values = outcome.values[self.weights()].to_vec();
        let mut w = ScoreMatrix::from_values(stream.space(), stream.dim(), values)
            .expect("the program has one variable per entry");
        w.center_rows();
        if let Some(radius) = ball.filter(|&b| w.frobenius_norm() > b) {
            w.scale(radius / w.frobenius_norm());
        }
        w
    }

    pub fn hinge_multipliers(&self, outcome: &Outcome) -> Vec<Vec<f64>> {
        let of = |row: &Option<usize>| row.map_or(0.0, |i| outcome.multipliers[i]);
        self.hinge_rows.iter().map(|rows| rows.iter().map(of).collect()).collect()
    }
}

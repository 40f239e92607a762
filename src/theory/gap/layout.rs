//! From a stream and a surrogate to a conic program, and back to a matrix.

use super::program::{Outcome, Program, Variable};
use super::surrogates::{Convex, Piece};
use crate::matrix::ScoreMatrix;
use crate::stream::{Cell, FiniteStream};

/// Which variable of the program is what.
///
/// With a ball the variables are the entries of `W / B`, so that the cone always has radius one:
/// the solver loses digits on very small and very large balls otherwise.
pub(super) struct Layout {
    pub program: Program,
    entries: usize,
    scale: f64,
    /// Per cell, its hinges.
    pub pieces: Vec<Vec<Piece>>,
}

impl Layout {
    pub(crate) fn new(stream: &FiniteStream, surrogate: Convex, ball: Option<f64>) -> Self {
        let (n, columns) = (stream.space().len(), stream.dim + 1);
        let mut program = Program::default();
        let entries = n * columns;
        let scale = ball.unwrap_or(1.0);
        (0..entries).for_each(|_| {
            program.variable(0.0);
        });
        let mut score_of: Vec<Vec<Option<Variable>>> = vec![vec![None; n]; stream.contexts().len()];
        let mut pieces = Vec::with_capacity(stream.cells().len());
        for cell in stream.cells() {
            if cell.weight == 0.0 {
                pieces.push(Vec::new());
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
                        let mut row: Vec<(Variable, f64)> = x
                            .iter()
                            .enumerate()
                            .map(|(j, &v)| (a * columns + j, scale * v))
                            .collect();
                        row.push((a * columns + columns - 1, scale));
                        row.push((z, -1.0));
                        program.equal(&row, 0.0);
                        z
                    })
                })
                .collect();
            let mean = surrogate.id().is_constrained().then(|| {
                let mean = program.variable(0.0);
                let mut row: Vec<(Variable, f64)> = scores.iter().map(|&z| (z, 1.0)).collect();
                row.push((mean, -(scores.len() as f64)));
                program.equal(&row, 0.0);
                mean
            });
            let weight = cell.weight / stream.total_weight;
            pieces.push(surrogate.add_cell(&mut program, weight, &cell.s, &scores, mean));
        }
        if ball.is_some() {
            program.ball(0..entries, 1.0);
        }
        Layout { program, entries, scale, pieces }
    }

    fn weights(&self) -> std::ops::Range<Variable> {
        0..self.entries
    }

    /// Adds `delta ||W||_F^2` to the objective.
    pub(crate) fn add_squared_norm(&mut self, delta: f64) {
        let delta = delta * self.scale * self.scale;
        self.weights().for_each(|v| self.program.add_square(v, delta));
    }

    /// The matrix of an outcome, centred, and scaled into the ball if rounding left it outside.
    pub(crate) fn matrix(
        &self,
        stream: &FiniteStream,
        outcome: &Outcome,
        ball: Option<f64>,
    ) -> ScoreMatrix {
        let values = outcome.values[self.weights()].iter().map(|v| self.scale * v).collect();
        let mut w = ScoreMatrix::from_values(stream.space(), stream.dim, values)
            .expect("the program has one variable per entry");
        w.center_rows();
        if let Some(radius) = ball {
            w.scale((radius / w.frobenius_norm()).min(1.0));
        }
        w
    }

    /// The multipliers of the pieces of every cell, per unit of the cell's weight.
    pub(crate) fn multipliers(&self, stream: &FiniteStream, outcome: &Outcome) -> Vec<Vec<f64>> {
        let of_cell = |(cell, pieces): (&Cell, &Vec<Piece>)| -> Vec<f64> {
            let weight = cell.weight / stream.total_weight;
            pieces.iter().map(|piece| outcome.multipliers[piece.row] / weight).collect()
        };
        stream.cells().iter().zip(&self.pieces).map(of_cell).collect()
    }
}

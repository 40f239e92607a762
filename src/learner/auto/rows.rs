//! Weights with any number of rows: one matrix of the kernels for every 128 of them, each with
//! AdaGrad's sums beside it. Rows can be added at any time.

use crate::LearnerError;
use crate::kernels::{self, Columns, Cpu};
use crate::router::EPSILON;
use problem::{Features, SMALL_ACTIONS};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One linear function of `(x, 1)` per row.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    rows: usize,
    columns: usize,
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug)]
struct Chunk {
    weights: Columns,
    squares: Columns,
}

impl Chunk {
    fn zeros(rows: usize, columns: usize) -> Self {
        let weights = Columns::zeros(rows, columns);
        Chunk { squares: weights.clone(), weights }
    }

    /// The same with more rows of zeros.
    fn with_rows(&self, rows: usize, columns: usize) -> Self {
        let mut wider = Chunk::zeros(rows, columns);
        for j in 0..columns {
            let (weights, squares) = (self.weights.column(j), self.squares.column(j));
            wider.weights.column_mut(j)[..weights.len()].copy_from_slice(weights);
            wider.squares.column_mut(j)[..squares.len()].copy_from_slice(squares);
        }
        wider
    }
}

impl Rows {
    /// Rows of zeros over `dim` features and the bias.
    pub(super) fn zeros(rows: usize, dim: usize) -> Self {
        let mut zeros = Rows { rows: 0, columns: dim + 1, chunks: Vec::new() };
        zeros.grow(rows);
        zeros
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Features and bias.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Adds rows of zeros until there are `rows`.
    pub(super) fn grow(&mut self, rows: usize) {
        while self.rows < rows {
            let full = self.rows / SMALL_ACTIONS * SMALL_ACTIONS;
            let (wanted, next) = ((rows - full).min(SMALL_ACTIONS), self.rows / SMALL_ACTIONS);
            match self.chunks.get_mut(next) {
                Some(chunk) => *chunk = chunk.with_rows(wanted, self.columns),
                None => self.chunks.push(Chunk::zeros(wanted, self.columns)),
            }
            self.rows = full + wanted;
        }
    }

    /// Room that [`Rows::scores`] needs.
    pub(super) fn lanes(&self) -> usize {
        self.chunks.iter().map(|c| c.weights.lanes()).sum()
    }

    /// `W (x, 1)`: entry `a` belongs to row `a`, what follows is padding.
    pub(super) fn scores(&self, cpu: Cpu, x: Features<'_>, out: &mut Vec<f64>) {
        out.resize(self.lanes(), 0.0);
        let mut rest = &mut out[..];
        for chunk in &self.chunks {
            let (own, after) = rest.split_at_mut(chunk.weights.lanes());
            kernels::scores(cpu, &chunk.weights, x, own);
            rest = after;
        }
    }

    /// AdaGrad's step along `g x~^T`; `g` has [`Rows::lanes`] entries.
    pub(super) fn step(&mut self, cpu: Cpu, x: Features<'_>, g: &[f64], rate: f64) {
        let mut rest = g;
        for Chunk { weights, squares } in &mut self.chunks {
            let (own, after) = rest.split_at(weights.lanes());
            if own.iter().any(|&g| g != 0.0) {
                kernels::adagrad_step(cpu, weights, squares, x, own, (rate, EPSILON, 1.0));
            }
            rest = after;
        }
    }

    /// Multiplies a row by `factor` and AdaGrad's sums by `square_factor`: what was learned counts less
    /// and is unlearned faster.
    pub(super) fn fade(&mut self, row: usize, factor: f64, square_factor: f64) {
        let Chunk { weights, squares } = &mut self.chunks[row / SMALL_ACTIONS];
        for j in 0..self.columns {
            weights.column_mut(j)[row % SMALL_ACTIONS] *= factor;
            squares.column_mut(j)[row % SMALL_ACTIONS] *= square_factor;
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    rows: usize,
    columns: usize,
    weights: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = |of: fn(&Chunk) -> &Columns| {
            self.chunks
                .iter()
                .flat_map(|chunk| (0..self.columns).map(move |j| of(chunk).column(j).to_vec()))
                .collect()
        };
        let (weights, squares) = (all(|c| &c.weights), all(|c| &c.squares));
        Saved { rows: self.rows, columns: self.columns, weights, squares }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore(saved: Saved) -> Result<Rows, LearnerError> {
    let bad = |what: String| Err(LearnerError::BadState(what));
    if saved.columns == 0 || saved.rows > problem::MAX_ACTIONS + 1 {
        return bad(format!("{} rows of {} columns", saved.rows, saved.columns));
    }
    let mut rows = Rows::zeros(saved.rows, saved.columns - 1);
    let expected = rows.chunks.len() * saved.columns;
    for (field, columns) in [("weights", &saved.weights), ("squares", &saved.squares)] {
        if columns.len() != expected {
            return bad(format!("{field} has {} columns, expected {expected}", columns.len()));
        }
    }
    for (i, (weights, squares)) in saved.weights.iter().zip(&saved.squares).enumerate() {
        let (chunk, j) = (&mut rows.chunks[i / saved.columns], i % saved.columns);
        let actions = chunk.weights.column(j).len();
        if weights.len() != actions || squares.len() != actions {
            return bad(format!("column {i} has not {actions} entries"));
        }
        let fine = |&v: &f64| v.is_finite();
        if !(weights.iter().all(fine) && squares.iter().all(|v| fine(v) && *v >= 0.0)) {
            return bad(format!("column {i} has an entry that is not finite"));
        }
        chunk.weights.column_mut(j).copy_from_slice(weights);
        chunk.squares.column_mut(j).copy_from_slice(squares);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of every count act as single rows do, and so do rows that were added later.
    #[test]
    fn rows_in_chunks_are_single_rows() {
        let cpu = Cpu::detect();
        let x = [0.5, -1.5];
        for (start, rows) in [(0, 3), (1, 128), (3, 129), (127, 300), (256, 256)] {
            let mut many = Rows::zeros(start, 2);
            many.grow(rows);
            assert_eq!(many.len(), rows);
            let mut single: Vec<Rows> = (0..rows).map(|_| Rows::zeros(1, 2)).collect();
            for round in 0..3 {
                let mut g = vec![0.0; many.lanes()];
                for a in (0..rows).step_by(7) {
                    g[a] = (a % 5) as f64 - 1.5 + f64::from(round);
                    single[a].step(cpu, Features::Dense(&x), &[g[a], 0.0, 0.0, 0.0], 0.3);
                }
                many.step(cpu, Features::Dense(&x), &g, 0.3);
            }
            let faded = rows / 2;
            many.fade(faded, 0.5, 0.25);
            single[faded].fade(0, 0.5, 0.25);
            let text = serde_json::to_string(&many).unwrap();
            let again: Rows = serde_json::from_str(&text).unwrap();
            let (mut z, mut out) = (Vec::new(), Vec::new());
            again.scores(cpu, Features::Dense(&x), &mut z);
            for (a, row) in single.iter().enumerate() {
                row.scores(cpu, Features::Dense(&x), &mut out);
                // Sums are split in another way where there are more lanes.
                assert!((z[a] - out[0]).abs() < 1e-14, "{rows} {a}: {} {}", z[a], out[0]);
            }
        }
    }
}

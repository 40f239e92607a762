//! Finite weighted streams: the sequences `(x_t, A_t, s_t)` over which infima are taken.

use super::matrix::ScoreMatrix;
use super::pointwise::weights;
use crate::{TheoryError, prec};
use problem::{ActionSpace, ActiveSet};
use std::collections::BTreeMap;

/// One round, or `weight` equal rounds, in doubles or in exact numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamItem<T = f64> {
    /// How many rounds (or what share of them) look like this.
    pub weight: T,
    /// The input, without the bias.
    pub x: Vec<T>,
    /// `Y_A`.
    pub active: ActiveSet,
    /// Action scores `s(x, A, .)`, aligned with `active`.
    pub s: Vec<T>,
}

/// All items with the same `(x, A)`. A hypothesis cannot tell them apart and every conditional
/// risk is linear in `s`, so their weighted mean carries everything an infimum over hypotheses
/// needs. Pointwise infima are not linear in `s` and are taken item by item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// Which distinct input, an index into [`FiniteStream::contexts`].
    pub context: usize,
    /// `Y_A`.
    pub active: ActiveSet,
    /// Total weight of the items.
    pub weight: f64,
    /// Weighted mean score vector (plain mean when the weight is zero).
    pub s: Vec<f64>,
}

impl Cell {
    /// `S - s_a`, aligned with the active actions: the coefficients of the constrained losses.
    pub(crate) fn complements(&self) -> Vec<f64> {
        weights(&self.s)
    }
}

/// A checked stream with its distinct inputs and cells worked out.
#[derive(Clone, Debug)]
pub struct FiniteStream {
    space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    items: Vec<StreamItem>,
    contexts: Vec<Vec<f64>>,
    cells: Vec<Cell>,
    cell_of: Vec<usize>,
    /// Sum of all weights: the number of rounds when weights count rounds.
    pub total_weight: f64,
}

impl FiniteStream {
    /// Checks every item and merges those with identical `(x, A)`.
    ///
    /// # Errors
    /// The first field that is out of range, in stream order.
    pub fn new(space: ActionSpace, items: Vec<StreamItem>) -> Result<Self, TheoryError> {
        let dim = items.first().ok_or(TheoryError::EmptyStream)?.x.len();
        for (t, item) in items.iter().enumerate() {
            check(space, dim, t, item)?;
        }
        let total_weight: f64 = items.iter().map(|item| item.weight).sum();
        if !(total_weight > 0.0 && total_weight.is_finite()) {
            return Err(TheoryError::TotalWeight { sum: total_weight });
        }
        let mut stream = FiniteStream {
            space,
            dim,
            items,
            contexts: Vec::new(),
            cells: Vec::new(),
            cell_of: Vec::new(),
            total_weight,
        };
        stream.merge();
        Ok(stream)
    }

    fn merge(&mut self) {
        let mut context_of_bits: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut cell_of_key: BTreeMap<(usize, u128), usize> = BTreeMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (t, item) in self.items.iter().enumerate() {
            // Adding zero turns -0.0 into 0.0, which is the same input.
            let bits: Vec<u64> = item.x.iter().map(|v| (v + 0.0).to_bits()).collect();
            let context = *context_of_bits.entry(bits).or_insert_with(|| {
                self.contexts.push(item.x.clone());
                self.contexts.len() - 1
            });
            let cell = *cell_of_key.entry((context, item.active.bits())).or_insert_with(|| {
                let active = item.active;
                self.cells.push(Cell { context, active, weight: 0.0, s: Vec::new() });
                members.push(Vec::new());
                self.cells.len() - 1
            });
            members[cell].push(t);
            self.cell_of.push(cell);
        }
        for (cell, members) in self.cells.iter_mut().zip(&members) {
            cell.weight = members.iter().map(|&t| self.items[t].weight).sum();
            let share = |t: usize| match cell.weight > 0.0 {
                true => self.items[t].weight / cell.weight,
                false => 1.0 / members.len() as f64,
            };
            // A single item has share one and keeps its bits.
            cell.s = (0..cell.active.len())
                .map(|a| members.iter().map(|&t| share(t) * self.items[t].s[a]).sum())
                .collect();
        }
    }

    /// The actions every item draws from.
    #[must_use]
    pub(crate) fn space(&self) -> ActionSpace {
        self.space
    }

    /// The items as they were given.
    #[must_use]
    pub(crate) fn items(&self) -> &[StreamItem] {
        &self.items
    }

    /// Distinct inputs, in order of first appearance.
    pub(crate) fn contexts(&self) -> &[Vec<f64>] {
        &self.contexts
    }

    /// Distinct `(x, A)`, in order of first appearance.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cell that item `t` fell into, for every `t`.
    pub(crate) fn cell_of(&self) -> &[usize] {
        &self.cell_of
    }

    /// The input of a cell.
    pub(crate) fn input(&self, cell: &Cell) -> &[f64] {
        &self.contexts[cell.context]
    }

    /// `sum_t w_t (1 - max_a s_t(a))`: the pointwise optimum of the true loss (Lem. D.1), which no
    /// hypothesis can beat.
    pub(crate) fn pointwise_true_risk(&self) -> f64 {
        self.items.iter().map(|item| item.weight * (1.0 - largest(&item.s))).sum()
    }

    /// `sum_t w_t C_ldef(W, (x_t, A_t))`, the true risk of the greedy actions of `w`; `tie` as in
    /// [`ScoreMatrix::greedy`].
    #[must_use]
    pub(crate) fn true_risk(&self, w: &ScoreMatrix, tie: f64) -> f64 {
        self.cells
            .iter()
            .map(|cell| {
                let action = w.greedy(self.input(cell), cell.active, tie);
                let position = cell.active.position(action).unwrap_or(0);
                cell.weight * (1.0 - cell.s[position])
            })
            .sum()
    }
}

/// Largest entry.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn check(space: ActionSpace, dim: usize, t: usize, item: &StreamItem) -> Result<(), TheoryError> {
    if !(item.weight >= 0.0 && item.weight.is_finite()) {
        return Err(TheoryError::Weight { field: format!("stream[{t}].w"), value: item.weight });
    }
    if item.x.len() != dim {
        let field = format!("stream[{t}].x");
        return Err(TheoryError::Length { field, got: item.x.len(), expected: dim });
    }
    if let Some((j, &value)) = item.x.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(TheoryError::Feature { field: format!("stream[{t}].x[{j}]"), value });
    }
    if item.active.space() != space {
        return Err(TheoryError::Space { field: format!("stream[{t}].A") });
    }
    if item.s.len() != item.active.len() {
        let (field, expected) = (format!("stream[{t}].s"), item.active.len());
        return Err(TheoryError::Length { field, got: item.s.len(), expected });
    }
    if let Some((a, &value)) = item.s.iter().enumerate().find(|(_, v)| !(0.0..=1.0).contains(*v)) {
        return Err(TheoryError::Score { field: format!("stream[{t}].s[{a}]"), value });
    }
    let sum: f64 = item.s[..space.classes()].iter().sum();
    if (sum - 1.0).abs() > prec::SUM_TO_ONE {
        return Err(TheoryError::ClassScores { field: format!("stream[{t}].s"), sum });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(weight: f64, x: &[f64], active: ActiveSet, s: &[f64]) -> StreamItem {
        StreamItem { weight, x: x.to_vec(), active, s: s.to_vec() }
    }

    #[test]
    fn bad_items_are_named() {
        let space = ActionSpace::new(2, 1).unwrap();
        let (all, none) = (space.all_active(), space.classes_only());
        let good = item(1.0, &[0.0], none, &[0.5, 0.5]);
        let message = |bad: StreamItem| {
            FiniteStream::new(space, vec![good.clone(), bad]).unwrap_err().to_string()
        };
        assert!(message(item(-1.0, &[0.0], none, &[0.5, 0.5])).contains("stream[1].w"));
        assert!(message(item(f64::NAN, &[0.0], none, &[0.5, 0.5])).contains("stream[1].w"));
        assert!(message(item(1.0, &[0.0, 1.0], none, &[0.5, 0.5])).contains("stream[1].x has 2"));
        assert!(message(item(1.0, &[f64::NAN], none, &[0.5, 0.5])).contains("stream[1].x[0]"));
        assert!(message(item(1.0, &[0.0], all, &[0.5, 0.5])).contains("stream[1].s has 2"));
        assert!(message(item(1.0, &[0.0], all, &[0.5, 0.5, 1.1])).contains("stream[1].s[2]"));
        assert!(message(item(1.0, &[0.0], all, &[0.5, 0.5, f64::NAN])).contains("stream[1].s[2]"));
        assert!(message(item(1.0, &[0.0], all, &[0.5, 0.6, 0.0])).contains("sum to 1.1"));
        let other = ActionSpace::new(3, 1).unwrap().classes_only();
        assert!(message(item(1.0, &[0.0], other, &[0.5, 0.5, 0.0])).contains("stream[1].A"));
        assert_eq!(FiniteStream::new(space, vec![]).unwrap_err(), TheoryError::EmptyStream);
        let nothing = item(0.0, &[0.0], none, &[0.5, 0.5]);
        assert!(matches!(
            FiniteStream::new(space, vec![nothing]),
            Err(TheoryError::TotalWeight { .. })
        ));
    }

    #[test]
    fn equal_inputs_share_a_cell_and_keep_the_risk() {
        let space = ActionSpace::new(2, 0).unwrap();
        let none = space.classes_only();
        let stream = FiniteStream::new(
            space,
            vec![
                item(1.0, &[0.0], none, &[1.0, 0.0]),
                item(3.0, &[-0.0], none, &[0.0, 1.0]),
                item(1.0, &[1.0], none, &[0.5, 0.5]),
            ],
        )
        .unwrap();
        assert_eq!(stream.cell_of(), [0, 0, 1]);
        assert_eq!(stream.cells()[0].s, [0.25, 0.75]);
        assert_eq!(stream.contexts().len(), 2);
        // Action 1 everywhere: 1 (item 0) + 0 (item 1) + 0.5 (item 2).
        let w = ScoreMatrix::from_values(space, 1, vec![0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(stream.true_risk(&w, 0.0), 1.5);
        // Round by round items 0 and 1 both cost nothing.
        assert_eq!(stream.pointwise_true_risk(), 0.5);
        assert_eq!(stream.total_weight, 5.0);
    }

    #[test]
    fn a_cell_has_the_plain_mean_when_nothing_weighs_and_the_bits_of_a_single_item() {
        let space = ActionSpace::new(2, 0).unwrap();
        let none = space.classes_only();
        let stream = FiniteStream::new(
            space,
            vec![
                item(0.0, &[0.0], none, &[1.0, 0.0]),
                item(0.0, &[0.0], none, &[0.5, 0.5]),
                item(0.1, &[1.0], none, &[0.3, 0.7]),
                item(0.0, &[2.0], none, &[0.3, 0.7]),
            ],
        )
        .unwrap();
        let s: Vec<&[f64]> = stream.cells().iter().map(|cell| cell.s.as_slice()).collect();
        assert_eq!(s, [[0.75, 0.25], [0.3, 0.7], [0.3, 0.7]]);
    }
}

//! Branch and bound over the greedy actions of the cells.
//!
//! A node fixes the action of some cells. Its bound charges the others their pointwise optimum; its
//! matrix, if one exists, says which of the others to fix next. Nodes are opened in order of their
//! bound, so the least open bound is a lower bound on the comparator at any time.

use super::separate::{Separation, Target, separate};
use super::{Incumbent, excess};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How far the tree got.
pub(super) struct Tree {
    pub lower: f64,
    pub nodes: usize,
}

struct Node {
    bound: f64,
    /// Order of creation, to break ties the same way every time.
    order: usize,
    fixed: Vec<Target>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Node {}
impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Node {
    /// The heap takes the greatest: least bound first, then deepest, then oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        let bound = other.bound.total_cmp(&self.bound);
        let depth = self.fixed.len().cmp(&other.fixed.len());
        bound.then(depth).then(other.order.cmp(&self.order))
    }
}

pub(super) fn branch_and_bound(best: &mut Incumbent, budget: usize, slack: f64) -> Tree {
    let stream = best.stream;
    let root: f64 = (0..stream.cells().len())
        .map(|i| {
            let cell = &stream.cells()[i];
            cell.weight * (1.0 - super::largest(&cell.s))
        })
        .sum();
    let mut heap = BinaryHeap::from([Node { bound: root, order: 0, fixed: Vec::new() }]);
    let (mut nodes, mut created) = (0, 1);
    // Nodes that could neither be split nor refuted keep their bound to the end.
    let mut unresolved = f64::INFINITY;
    while let Some(node) = heap.pop() {
        if node.bound >= best.risk - slack {
            // The best hypothesis is the one at hand: every other node is worse still.
            return Tree { lower: best.risk.min(unresolved), nodes };
        }
        if nodes == budget {
            return Tree { lower: node.bound.min(unresolved), nodes };
        }
        nodes += 1;
        let matrix = match separate(stream, &node.fixed) {
            Separation::Impossible => continue,
            Separation::Found(matrix) => Some(matrix),
            Separation::Unknown => None,
        };
        // Fix next the cell where this matrix loses most (any open one if there is no matrix).
        let mut split: Option<(usize, f64)> = None;
        for (i, cell) in stream.cells().iter().enumerate() {
            if cell.weight == 0.0 || node.fixed.iter().any(|&(fixed, _)| fixed == i) {
                continue;
            }
            let loss = matrix.as_ref().map_or(0.0, |w| {
                let action = w.greedy(stream.input(cell), cell.active, 0.0);
                excess(stream, i, cell.active.position(action).unwrap_or(0))
            });
            if split.is_none_or(|(_, most)| loss > most) {
                split = Some((i, loss));
            }
        }
        let solved = matrix.is_some() && split.is_none_or(|(_, loss)| loss <= 0.0);
        if let Some(matrix) = matrix {
            best.offer(matrix);
        }
        if solved {
            // It reaches the bound of its node, and no open node has a lower one.
            continue;
        }
        let Some((cell, _)) = split else {
            unresolved = unresolved.min(node.bound);
            continue;
        };
        for position in 0..stream.cells()[cell].active.len() {
            let bound = node.bound + excess(stream, cell, position);
            if bound < best.risk - slack {
                let mut fixed = node.fixed.clone();
                fixed.push((cell, position));
                heap.push(Node { bound, order: created, fixed });
                created += 1;
            }
        }
    }
    Tree { lower: best.risk.min(unresolved), nodes }
}

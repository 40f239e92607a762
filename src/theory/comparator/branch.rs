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
    /// Which node was split when it was created and into which part, to break ties the same way
    /// every time.
    order: (usize, usize),
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
    let mut heap = BinaryHeap::from([Node { bound: root, order: (0, 0), fixed: Vec::new() }]);
    let mut nodes = 0;
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
            let mut fixed = node.fixed.clone();
            fixed.push((cell, position));
            heap.push(Node { bound, order: (nodes, position), fixed });
        }
    }
    Tree { lower: best.risk.min(unresolved), nodes }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{best_threshold, line, random_line, zero};
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    #[test]
    fn nodes_come_with_the_least_bound_first_then_the_deepest_then_the_oldest() {
        let node = |bound, depth, order| Node { bound, order, fixed: vec![(0, 0); depth] };
        let sorted = [
            (1.0, 0, (7, 0)),
            (2.0, 3, (9, 1)),
            (2.0, 1, (2, 1)),
            (2.0, 1, (5, 0)),
            (3.0, 4, (1, 0)),
        ];
        for start in 0..sorted.len() {
            let mut mixed = sorted;
            mixed.rotate_left(start);
            mixed.swap(1, 3);
            let mut heap: BinaryHeap<Node> =
                mixed.into_iter().map(|(bound, depth, order)| node(bound, depth, order)).collect();
            let popped = std::iter::from_fn(|| heap.pop());
            let popped: Vec<_> = popped.map(|n| (n.bound, n.fixed.len(), n.order)).collect();
            assert_eq!(popped, sorted);
        }
        assert!(node(2.0, 1, (2, 0)) == node(2.0, 1, (2, 0)));
        assert!(node(2.0, 1, (2, 0)) != node(2.0, 1, (2, 1)));
    }

    #[test]
    fn the_tree_closes_in_on_the_best_threshold() {
        let mut rng = Pcg64::seed_from_u64(1);
        let mut longest = 0;
        for _ in 0..6 {
            let stream = random_line(&mut rng, 6);
            let optimum = best_threshold(&stream);
            let mut last = stream.pointwise_true_risk() - 1e-12;
            for budget in 0.. {
                let matrix = zero(&stream);
                let risk = stream.true_risk(&matrix, 0.0);
                let mut best = Incumbent { stream: &stream, matrix, risk };
                let tree = branch_and_bound(&mut best, budget, 1e-12);
                // More nodes never loosen the bound, and it never passes the optimum.
                assert!(last <= tree.lower && tree.lower <= optimum + 1e-12);
                assert!(optimum <= best.risk + 1e-12 && best.risk <= risk);
                last = tree.lower;
                if tree.nodes < budget {
                    assert!((tree.lower - best.risk).abs() < 1e-12, "{budget}");
                    longest = longest.max(tree.nodes);
                    break;
                }
                assert_eq!(tree.nodes, budget);
            }
        }
        assert!(longest > 5, "too easy");
    }

    #[test]
    fn a_full_tree_ends_at_the_best_threshold() {
        let mut rng = Pcg64::seed_from_u64(2);
        for _ in 0..25 {
            let stream = random_line(&mut rng, 8);
            let optimum = best_threshold(&stream);
            let matrix = zero(&stream);
            let risk = stream.true_risk(&matrix, 0.0);
            let mut best = Incumbent { stream: &stream, matrix, risk };
            let tree = branch_and_bound(&mut best, 400, 1e-12);
            assert!((best.risk - optimum).abs() < 1e-12, "{} {optimum}", best.risk);
            assert!((tree.lower - optimum).abs() < 1e-12, "{} {optimum}", tree.lower);
        }
    }

    #[test]
    fn an_optimal_incumbent_needs_no_tree() {
        // Class 0 is best everywhere, which is what the zero matrix plays.
        let stream = line(&[-1.0, 1.0], &[0.75, 0.5], &[1.0, 2.0]);
        let mut best = Incumbent { stream: &stream, matrix: zero(&stream), risk: 1.25 };
        let tree = branch_and_bound(&mut best, 10, 1e-12);
        assert_eq!((tree.lower, tree.nodes), (1.25, 0));
    }
}

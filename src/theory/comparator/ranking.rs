//! The best ranking of actions at each input.
//!
//! At one input a matrix ranks all actions once, whoever is available. Only the experts ranked above
//! the first class ever act: below it nobody is asked, since classes are always there. Dynamic
//! programming over the set of experts already placed on top finds the best ranking exactly.

use super::separate::Target;
use crate::prec;
use crate::scores::argmax;
use crate::stream::{Cell, FiniteStream};

/// A lower bound on the comparator (inputs on their own cannot do better than their best ranking),
/// and the action it wants in every cell that weighs something.
pub(super) fn best_rankings(stream: &FiniteStream) -> (f64, Vec<Target>) {
    let mut by_context: Vec<Vec<usize>> = vec![Vec::new(); stream.contexts().len()];
    for (i, cell) in stream.cells().iter().enumerate().filter(|(_, cell)| cell.weight > 0.0) {
        by_context[cell.context].push(i);
    }
    let (mut lower, mut targets) = (0.0, Vec::new());
    for cells in &by_context {
        for (&cell, position) in cells.iter().zip(best_ranking(stream, cells)) {
            lower += stream.cells()[cell].weight * (1.0 - stream.cells()[cell].s[position]);
            targets.push((cell, position));
        }
    }
    (lower, targets)
}

/// Whether all subsets of that many experts can be gone through for that many cells.
fn affordable(cells: usize, experts: usize) -> bool {
    experts <= prec::RANKING_EXPERTS && cells << experts <= prec::RANKING_WORK
}

/// The position chosen in each of the cells of one input; cell by cell, without the coupling of a
/// ranking, when there are too many experts to go through their subsets.
fn best_ranking(stream: &FiniteStream, cells: &[usize]) -> Vec<usize> {
    let cells: Vec<&Cell> = cells.iter().map(|&i| &stream.cells()[i]).collect();
    let n = stream.space().classes();
    let mut present = 0u128;
    cells.iter().for_each(|cell| present |= cell.active.bits() >> n);
    let experts: Vec<usize> =
        (0..stream.space().experts()).filter(|j| present >> j & 1 == 1).collect();
    let pointwise = || cells.iter().map(|cell| argmax(&cell.s)).collect();
    if !affordable(cells.len(), experts.len()) {
        return pointwise();
    }
    // Availability over the experts present, one bit each.
    let masks: Vec<usize> = cells
        .iter()
        .map(|cell| {
            let bit = |(i, j): (usize, &usize)| ((cell.active.bits() >> (n + j) & 1) as usize) << i;
            experts.iter().enumerate().map(bit).sum()
        })
        .collect();
    // Position of expert i of the list in a cell: classes first, then the available ones below it.
    let position = |mask: usize, i: usize| n + (mask & ((1 << i) - 1)).count_ones() as usize;
    let cost = |c: usize, at: usize| cells[c].weight * (1.0 - cells[c].s[at]);

    #[derive(Clone, Copy)]
    enum Next {
        Class(usize),
        Expert(usize),
    }
    let subsets = 1usize << experts.len();
    let mut value = vec![0.0; subsets];
    let mut next = vec![Next::Class(0); subsets];
    for placed in (0..subsets).rev() {
        let open: Vec<usize> = (0..cells.len()).filter(|&c| masks[c] & placed == 0).collect();
        let mut best = (f64::INFINITY, Next::Class(0));
        for y in 0..n {
            let total = open.iter().map(|&c| cost(c, y)).sum::<f64>();
            if total < best.0 {
                best = (total, Next::Class(y));
            }
        }
        for i in (0..experts.len()).filter(|i| placed >> i & 1 == 0) {
            let asked = open.iter().filter(|&&c| masks[c] >> i & 1 == 1);
            let total = asked.map(|&c| cost(c, position(masks[c], i))).sum::<f64>()
                + value[placed | 1 << i];
            if total < best.0 {
                best = (total, Next::Expert(i));
            }
        }
        (value[placed], next[placed]) = best;
    }
    let mut chosen = vec![0; cells.len()];
    let mut placed = 0usize;
    loop {
        let open = (0..cells.len()).filter(|&c| masks[c] & placed == 0);
        match next[placed] {
            Next::Class(y) => {
                open.for_each(|c| chosen[c] = y);
                return chosen;
            }
            Next::Expert(i) => {
                open.filter(|&c| masks[c] >> i & 1 == 1)
                    .for_each(|c| chosen[c] = position(masks[c], i));
                placed |= 1 << i;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::StreamItem;
    use problem::ActionSpace;

    /// All orders of `items`, by exchange.
    fn permutations(items: &mut Vec<usize>, from: usize, visit: &mut impl FnMut(&[usize])) {
        if from == items.len() {
            return visit(items);
        }
        for i in from..items.len() {
            items.swap(from, i);
            permutations(items, from + 1, visit);
            items.swap(from, i);
        }
    }

    #[test]
    fn the_ranking_is_the_best_of_all_permutations() {
        let space = ActionSpace::new(2, 3).unwrap();
        // Scores without a pattern, different in every set, so that preferences conflict.
        let mut state = 12345u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        for _ in 0..30 {
            let items: Vec<StreamItem> = (0..8u128)
                .map(|mask| {
                    let active = space.active_from_mask(mask).unwrap();
                    let p = random();
                    let mut s = vec![p, 1.0 - p];
                    s.extend(active.experts().map(|_| random()));
                    StreamItem { weight: random(), x: vec![], active, s }
                })
                .collect();
            let stream = FiniteStream::new(space, items).unwrap();
            let mut best = f64::INFINITY;
            permutations(&mut (0..5).collect(), 0, &mut |order| {
                let risk: f64 = stream
                    .cells()
                    .iter()
                    .map(|cell| {
                        let bits = cell.active.bits();
                        let top = order.iter().find(|&&a| bits >> a & 1 == 1).unwrap();
                        let at = cell.active.position(space.action(*top).unwrap()).unwrap();
                        cell.weight * (1.0 - cell.s[at])
                    })
                    .sum();
                best = best.min(risk);
            });
            let (lower, targets) = best_rankings(&stream);
            assert!((lower - best).abs() < 1e-12, "{lower} {best}");
            assert_eq!(targets.len(), 8);
        }
    }

    #[test]
    fn a_cell_without_weight_wants_nothing_and_ties_go_to_the_lowest_index() {
        let space = ActionSpace::new(2, 1).unwrap();
        let item = |weight, x: f64| {
            let active = space.all_active();
            StreamItem { weight, x: vec![x], active, s: vec![0.5; 3] }
        };
        let items = vec![item(1.0, 0.0), item(0.0, 1.0), item(3.0, 2.0)];
        let stream = FiniteStream::new(space, items).unwrap();
        assert_eq!(best_rankings(&stream), (2.0, vec![(0, 0), (2, 0)]));
    }

    #[test]
    fn many_experts_are_not_ranked_but_taken_cell_by_cell() {
        // 2^16 subsets for 2^8 cells are the limit of work, 16 experts that of experts.
        assert!(affordable(256, 16) && !affordable(257, 16));
        assert!(affordable(512, 15) && !affordable(513, 15));
        assert!(!affordable(1, 17) && !affordable(1, 100));
        // Each cell has a favourite among all experts, and it is another one: a ranking has to
        // choose, cell by cell both get their wish.
        for (experts, lower) in [(3, 1.0), (17, 0.0)] {
            let space = ActionSpace::new(2, experts).unwrap();
            let item = |missing: usize, favourite: usize| {
                let active = space.active((0..experts).filter(|&j| j != missing)).unwrap();
                let mut s = vec![0.5, 0.5];
                s.extend(active.experts().map(|j| f64::from(u8::from(j == favourite))));
                StreamItem { weight: 1.0, x: vec![], active, s }
            };
            let stream = FiniteStream::new(space, vec![item(2, 0), item(usize::MAX, 1)]).unwrap();
            let (found, targets) = best_rankings(&stream);
            assert_eq!((found, targets.len()), (lower, 2));
        }
    }
}

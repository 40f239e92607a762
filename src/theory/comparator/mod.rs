//! The best fixed hypothesis in hindsight for the true loss, as a bracket.
//!
//! ```text
//! R*_ldef = min_W sum_t w_t (1 - s_t(greedy action of W at (x_t, A_t)))
//! ```
//! The risk depends on the greedy actions only, so scaling a matrix changes nothing: the infimum
//! over any ball equals the infimum over all matrices, and no radius appears here.
//!
//! The lower end comes from the pointwise optimum, from the best ranking at each input (one matrix
//! ranks all actions at an input, whoever is available), and from branch and bound; the upper end is
//! the risk of a matrix that was found. When they meet the value is exact.

mod branch;
mod local;
mod ranking;
mod separate;
#[cfg(test)]
mod tests;

use super::matrix::ScoreMatrix;
use super::stream::{FiniteStream, largest};
use super::{SurrogateId, minimizability_gap};
use crate::prec;
use problem::Action;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparatorEffort {
    /// Nodes of the branch and bound, each a small quadratic program.
    pub nodes: usize,
    /// Local searches from perturbed matrices.
    pub restarts: usize,
    /// Seed of the perturbations.
    pub seed: u64,
}

impl Default for ComparatorEffort {
    fn default() -> Self {
        ComparatorEffort { nodes: 400, restarts: 6, seed: 0 }
    }
}

/// `lower <= R*_ldef <= upper`, in total weight (divide by the stream's for a value per round).
#[derive(Clone, Debug)]
pub struct Comparator {
    /// No matrix does better.
    pub lower: f64,
    /// Risk of `matrix`.
    pub upper: f64,
    /// `sum_t w_t (1 - max_a s_t(a))` (Lem. D.1), the weakest lower bound. The minimizability gap of
    /// the true loss, `M_ldef = R*_ldef - pointwise`, is between `lower` and `upper` minus it.
    pub pointwise: f64,
    /// The two ends meet: `matrix` is a best hypothesis.
    pub exact: bool,
    /// The best matrix found, of any convenient scale.
    pub matrix: ScoreMatrix,
    /// Its greedy action on every item.
    pub actions: Vec<Action>,
    /// Nodes of the branch and bound that were looked at.
    pub nodes: usize,
}

/// The candidate that is best so far.
struct Incumbent<'a> {
    stream: &'a FiniteStream,
    matrix: ScoreMatrix,
    risk: f64,
}

impl Incumbent<'_> {
    /// Ties in score count as in the paper's argmax: lowest index.
    fn offer(&mut self, matrix: ScoreMatrix) -> f64 {
        let risk = self.stream.true_risk(&matrix, 0.0);
        if risk < self.risk {
            (self.matrix, self.risk) = (matrix, risk);
        }
        risk
    }
}

/// Brackets the true-loss comparator of `stream`.
#[must_use]
pub fn bracket(stream: &FiniteStream, effort: ComparatorEffort) -> Comparator {
    let slack = prec::RISKS_MEET * stream.total_weight;
    let zero = ScoreMatrix::zeros(stream.space(), stream.dim);
    let risk = stream.true_risk(&zero, 0.0);
    let mut best = Incumbent { stream, matrix: zero, risk };
    let (mut lower, targets) = ranking::best_rankings(stream);
    let enough = |lower: f64| lower + slack;
    let met = |best: &Incumbent, lower: f64| best.risk <= enough(lower);

    if let separate::Separation::Found(w) = separate::separate(stream, &targets) {
        best.offer(w);
    }
    if !met(&best, lower) {
        best.offer(local::perceptron(stream, &targets));
        if let Ok(gap) = minimizability_gap(stream, SurrogateId::CstndHinge, None) {
            best.offer(gap.matrix);
        }
        local::search(&mut best, effort, enough(lower));
    }
    let mut nodes = 0;
    if !met(&best, lower) {
        let tree = branch::branch_and_bound(&mut best, effort.nodes, slack);
        lower = lower.max(tree.lower);
        nodes = tree.nodes;
    }
    let exact = met(&best, lower);
    let Incumbent { matrix, risk: upper, .. } = best;
    Comparator {
        // Sums in different orders may cross by a rounding; a bracket must not.
        lower: lower.min(upper),
        exact,
        upper,
        pointwise: stream.pointwise_true_risk(),
        actions: stream
            .cell_of()
            .iter()
            .map(|&cell| {
                let cell = &stream.cells()[cell];
                matrix.greedy(stream.input(cell), cell.active, 0.0)
            })
            .collect(),
        matrix,
        nodes,
    }
}

/// What choosing `position` in a cell loses against the best action there.
fn excess(stream: &FiniteStream, cell: usize, position: usize) -> f64 {
    let cell = &stream.cells()[cell];
    cell.weight * (largest(&cell.s) - cell.s[position])
}

//! The augmented matrix `W~ = (W, b)` of a linear hypothesis, in the plainest possible form.

use problem::{Action, ActionSpace, ActiveSet};

/// `W~` in `R^{N x (d+1)}`, row-major, bias in the last column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoreMatrix {
    actions: usize,
    /// `d + 1`.
    pub columns: usize,
    /// Row-major entries.
    pub values: Vec<f64>,
}

impl ScoreMatrix {
    /// All scores zero, for inputs of dimension `dim` (the bias column comes on top).
    #[must_use]
    pub(crate) fn zeros(space: ActionSpace, dim: usize) -> Self {
        let (actions, columns) = (space.len(), dim + 1);
        ScoreMatrix { actions, columns, values: vec![0.0; actions * columns] }
    }

    /// Takes `N (d+1)` row-major values; `None` if there are not that many.
    #[must_use]
    pub(crate) fn from_values(space: ActionSpace, dim: usize, values: Vec<f64>) -> Option<Self> {
        let (actions, columns) = (space.len(), dim + 1);
        (values.len() == actions * columns).then_some(ScoreMatrix { actions, columns, values })
    }

    /// `N`.
    pub(crate) fn actions(&self) -> usize {
        self.actions
    }

    /// `w~_a`, bias last.
    pub(crate) fn row(&self, a: usize) -> &[f64] {
        &self.values[a * self.columns..(a + 1) * self.columns]
    }

    /// `w~_a`, bias last.
    pub(crate) fn row_mut(&mut self, a: usize) -> &mut [f64] {
        &mut self.values[a * self.columns..(a + 1) * self.columns]
    }

    /// `<w~_a, (x, 1)>` for one action; entries of `x` beyond `d` do not exist by construction.
    pub(crate) fn score(&self, a: usize, x: &[f64]) -> f64 {
        let row = self.row(a);
        row[..x.len()].iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + row[self.columns - 1]
    }

    /// Raw scores of the active actions, aligned with `active`.
    pub(crate) fn scores(&self, x: &[f64], active: ActiveSet) -> Vec<f64> {
        active.iter().map(|a| self.score(a.index(), x)).collect()
    }

    /// `h^proj_W((x, A), .)` (Prop. 6.1): raw active scores minus their mean.
    #[must_use]
    pub fn projected_scores(&self, x: &[f64], active: ActiveSet) -> Vec<f64> {
        let mut u = self.scores(x, active);
        let mean = u.iter().sum::<f64>() / u.len() as f64;
        u.iter_mut().for_each(|v| *v -= mean);
        u
    }

    /// `argmax` over the active actions; scores within `tie` of the largest count as tied with it
    /// and the lowest index wins.
    pub(crate) fn greedy(&self, x: &[f64], active: ActiveSet, tie: f64) -> Action {
        let u = self.scores(x, active);
        let top = u.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // NaN scores compare false everywhere: the first action then stands in.
        let position = u.iter().position(|&v| v >= top - tie).unwrap_or(0);
        active.iter().nth(position).unwrap_or_else(|| first(active))
    }

    /// `||W~||_F`.
    #[must_use]
    pub(crate) fn frobenius_norm(&self) -> f64 {
        norm(&self.values)
    }

    /// Takes the mean row away from every row. Active score differences, and with them every
    /// projected score, stay as they are; the Frobenius norm cannot grow.
    pub(crate) fn center_rows(&mut self) {
        for j in 0..self.columns {
            let mean = (0..self.actions).map(|a| self.values[a * self.columns + j]).sum::<f64>()
                / self.actions as f64;
            (0..self.actions).for_each(|a| self.values[a * self.columns + j] -= mean);
        }
    }

    /// Multiplies every entry.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|v| *v *= factor);
    }
}

fn first(active: ActiveSet) -> Action {
    active.iter().next().expect("an active set holds at least two classes")
}

/// Euclidean norm of a slice.
pub(crate) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// `||(x, 1)||_2`.
pub(crate) fn augmented_norm(x: &[f64]) -> f64 {
    (x.iter().map(|v| v * v).sum::<f64>() + 1.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_projection_and_ties_by_hand() {
        let space = ActionSpace::new(2, 1).unwrap();
        let w =
            ScoreMatrix::from_values(space, 1, vec![1.0, 0.5, -2.0, 0.0, 0.0, 2.5 + 1e-9]).unwrap();
        let all = space.all_active();
        // x = 2: scores 2.5, -4, 2.5 + 1e-9, mean 1/3.
        let u = w.projected_scores(&[2.0], all);
        assert!((u[1] + 4.0 + 1.0 / 3.0).abs() < 1e-8 && u.iter().sum::<f64>().abs() < 1e-12);
        assert_eq!(w.greedy(&[2.0], all, 0.0).index(), 2);
        assert_eq!(w.greedy(&[2.0], all, 1e-6).index(), 0);
        assert!(ScoreMatrix::from_values(space, 1, vec![0.0; 5]).is_none());
        // Three actions; one input and the bias.
        assert_eq!((w.actions(), w.columns), (3, 2));
    }

    #[test]
    fn centring_keeps_projected_scores() {
        let space = ActionSpace::new(2, 2).unwrap();
        let values = vec![1.0, -3.0, 2.0, 0.25, 5.0, 1.0, -1.0, 4.0];
        let w = ScoreMatrix::from_values(space, 1, values).unwrap();
        let mut centred = w.clone();
        centred.center_rows();
        for mask in 0..4u128 {
            let active = space.active_from_mask(mask).unwrap();
            let (u, v) =
                (w.projected_scores(&[0.7], active), centred.projected_scores(&[0.7], active));
            assert!(u.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-14));
        }
        assert!(centred.frobenius_norm() < w.frobenius_norm());
    }
}

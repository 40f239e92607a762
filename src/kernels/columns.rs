//! Storage: a faer matrix with its rows padded to a lane count the kernels are compiled for.

use faer::Mat;

/// Row counts that kernels exist for. A matrix of `N` actions uses the smallest that holds them.
const LANES: [usize; 10] = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128];

/// `N x columns` weights, column-major; the padding rows are zero and stay zero.
#[derive(Clone, Debug)]
pub struct Columns {
    mat: Mat<f64>,
    actions: usize,
}

impl Columns {
    /// All zero.
    ///
    /// # Panics
    /// If `actions` exceeds the 128 that a [`crate::problem::ActionSpace`] can hold.
    pub fn zeros(actions: usize, columns: usize) -> Self {
        let lanes = LANES.into_iter().find(|&l| l >= actions);
        let lanes = lanes.expect("an action space holds at most 128 actions");
        Columns { mat: Mat::zeros(lanes, columns), actions }
    }

    /// `N`, without the padding.
    #[inline]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// Number of columns.
    #[inline]
    pub fn len(&self) -> usize {
        self.mat.ncols()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Padded row count: the length of every lane array.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.mat.nrows()
    }

    /// The entries of column `j`, without the padding.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.mat.col_as_slice(j)[..self.actions]
    }

    /// The entries of column `j` for writing, without the padding.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.mat.col_as_slice_mut(j)[..self.actions]
    }

    #[inline(always)]
    pub(super) fn lane_column<const L: usize>(&self, j: usize) -> &[f64; L] {
        self.mat.col_as_slice(j).try_into().expect("L is the row count")
    }

    #[inline(always)]
    pub(super) fn lane_column_mut<const L: usize>(&mut self, j: usize) -> &mut [f64; L] {
        self.mat.col_as_slice_mut(j).try_into().expect("L is the row count")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_count_finds_its_lanes() {
        for actions in 2..=128 {
            let columns = Columns::zeros(actions, 3);
            assert!(columns.lanes() >= actions && LANES.contains(&columns.lanes()));
            assert!(LANES.iter().all(|&l| l < actions || l >= columns.lanes()));
            assert_eq!((columns.column(2).len(), columns.len()), (actions, 3));
        }
    }
}

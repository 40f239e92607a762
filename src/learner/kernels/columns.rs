//! Storage: a column-major matrix with its rows padded to a lane count the kernels are compiled for, or
//! to fours where there are more rows than that.

use faer::Col;

/// Entries that are read from a cache anyway: four megabytes. (Measured: with 100,000 features a round
/// that fetches takes 0.7 of the time, with a million half of it; with 47,236 it gains nothing.)
const CACHED: usize = 1 << 19;

/// Row counts that kernels exist for. A matrix of `N` actions uses the smallest that holds them, and
/// kernels for any number of fours if none does.
const LANES: [usize; 10] = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128];

/// `N x columns` weights, column-major; the padding rows are zero and stay zero.
///
/// The entries lie in one faer column, which starts at a cache line: every group of four lanes is
/// aligned, and kernels walk a plain slice.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    entries: Col<f64>,
    actions: usize,
    lanes: usize,
    columns: usize,
}

impl Columns {
    /// All zero.
    #[must_use]
    pub(crate) fn zeros(actions: usize, columns: usize) -> Self {
        let lanes = LANES.into_iter().find(|&l| l >= actions);
        let lanes = lanes.unwrap_or(actions.next_multiple_of(4));
        Columns { entries: Col::zeros(lanes * columns), actions, lanes, columns }
    }

    /// `N`, without the padding.
    #[inline]
    pub(crate) fn actions(&self) -> usize {
        self.actions
    }

    /// Number of columns.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.columns
    }

    /// Padded row count: the length of every lane array.
    #[inline]
    #[must_use]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The matrix as faer sees it, without the padding.
    #[cfg(test)]
    pub(crate) fn as_mat(&self) -> faer::MatRef<'_, f64> {
        faer::MatRef::from_column_major_slice(self.flat(), self.lanes, self.columns)
            .subrows(0, self.actions)
    }

    /// The entries of column `j`, without the padding.
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        &self.flat()[j * self.lanes..][..self.actions]
    }

    /// The entries of column `j` for writing, without the padding.
    pub(crate) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        let (lanes, actions) = (self.lanes, self.actions);
        &mut self.flat_mut()[j * lanes..][..actions]
    }

    /// Column `j` with its padding, in fours.
    #[inline(always)]
    pub(super) fn fours(&self, j: usize) -> &[[f64; 4]] {
        self.flat()[j * self.lanes..][..self.lanes].as_chunks().0
    }

    /// Column `j` for writing, with its padding, in fours.
    #[inline(always)]
    pub(super) fn fours_mut(&mut self, j: usize) -> &mut [[f64; 4]] {
        let lanes = self.lanes;
        self.flat_mut()[j * lanes..][..lanes].as_chunks_mut().0
    }

    /// Reads the given columns for nothing: whoever wants them next finds them in the cache. A matrix that
    /// fits into it is left alone.
    #[inline]
    pub(crate) fn fetch(&self, columns: &[u32]) {
        let (flat, lanes) = (self.flat(), self.lanes);
        if flat.len() > CACHED {
            let read = |all: u64, &j: &u32| all | flat[j as usize * lanes].to_bits();
            std::hint::black_box(columns.iter().fold(0, read));
        }
    }

    #[inline(always)]
    fn flat(&self) -> &[f64] {
        self.entries.try_as_col_major().expect("an owned column is contiguous").as_slice()
    }

    #[inline(always)]
    fn flat_mut(&mut self) -> &mut [f64] {
        self.entries.try_as_col_major_mut().expect("an owned column is contiguous").as_slice_mut()
    }

    /// All columns, `L` being the lane count.
    #[inline(always)]
    pub(super) fn lane_columns<const L: usize>(&self) -> &[[f64; L]] {
        debug_assert_eq!(L, self.lanes);
        self.flat().as_chunks().0
    }

    /// All columns for writing, `L` being the lane count.
    #[inline(always)]
    pub(super) fn lane_columns_mut<const L: usize>(&mut self) -> &mut [[f64; L]] {
        debug_assert_eq!(L, self.lanes);
        self.flat_mut().as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faer_sees_the_same_matrix() {
        let mut columns = Columns::zeros(5, 4);
        columns.column_mut(2)[3] = 7.0;
        assert_eq!(columns.as_mat()[(3, 2)], 7.0);
        assert_eq!(columns.as_mat().norm_l1(), 7.0);
    }

    #[test]
    fn every_action_count_finds_its_lanes() {
        for actions in 2..=128 {
            let columns = Columns::zeros(actions, 3);
            assert!(columns.lanes() >= actions && LANES.contains(&columns.lanes()));
            assert!(LANES.iter().all(|&l| l < actions || l >= columns.lanes()));
            assert_eq!((columns.column(2).len(), columns.len()), (actions, 3));
            let mat = columns.as_mat();
            assert_eq!((mat.nrows(), mat.ncols()), (actions, 3));
        }
        for (actions, lanes) in [(129, 132), (132, 132), (4096, 4096)] {
            let columns = Columns::zeros(actions, 3);
            assert_eq!((columns.lanes(), columns.column(2).len()), (lanes, actions));
        }
    }
}

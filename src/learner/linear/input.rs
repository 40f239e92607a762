//! The vector `x~` that linear models see: the features, or buckets of them, and a one.

use problem::Features;

/// `x~` with the list of its entries that are not zero. Only these are read, so that a sparse row and
/// the same row written out give the same bits.
#[derive(Clone, Debug)]
pub(super) struct Input {
    hashed: Option<usize>,
    pub values: Vec<f64>,
    pub nonzero: Vec<u32>,
}

impl Input {
    pub(super) fn new(hashed: Option<usize>, size: usize) -> Self {
        Input { hashed, values: vec![0.0; size], nonzero: Vec::with_capacity(size) }
    }

    pub(super) fn take(&mut self, x: Features<'_>) {
        let bias = self.values.len() - 1;
        self.values.fill(0.0);
        match self.hashed {
            None => x.for_each(|j, value| self.values[j] = value),
            Some(buckets) => x.for_each(|j, value| {
                let (bucket, sign) = bucket(j, buckets);
                self.values[bucket] += sign * value;
            }),
        }
        self.values[bias] = 1.0;
        self.index();
    }

    /// `x~` itself, as a saved state has it.
    pub(super) fn restore(&mut self, values: &[f64]) {
        self.values.copy_from_slice(values);
        self.index();
    }

    fn index(&mut self) {
        self.nonzero.clear();
        let filled = self.values.iter().enumerate().filter(|(_, v)| **v != 0.0);
        self.nonzero.extend(filled.map(|(j, _)| j as u32));
    }
}

/// The bucket of feature `j` and its sign, from the finaliser of SplitMix64.
fn bucket(j: usize, buckets: usize) -> (usize, f64) {
    let mut z = (j as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    // The upper half chooses the bucket (a product instead of a remainder), the lowest bit the sign.
    let bucket = ((z >> 32) * buckets as u64) >> 32;
    (bucket as usize, if z & 1 == 0 { 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::SparseRow;

    #[test]
    fn sparse_and_dense_rows_are_the_same_input() {
        for (hashed, size) in [(None, 6), (Some(3), 4)] {
            let (mut a, mut b) = (Input::new(hashed, size), Input::new(hashed, size));
            a.take(Features::Dense(&[0.0, 2.0, 0.0, -1.5, 0.0]));
            b.take(SparseRow::new(5, &[1, 3], &[2.0, -1.5]).unwrap().into());
            assert_eq!((&a.values, &a.nonzero), (&b.values, &b.nonzero));
            assert_eq!(a.values[size - 1], 1.0);
        }
    }

    /// Buckets are used about evenly and signs cancel: 10,000 features in 16 buckets, five standard
    /// deviations of a binomial.
    #[test]
    fn buckets_are_even() {
        let (mut filled, mut signs) = ([0.0; 16], 0.0);
        for j in 0..10_000 {
            let (at, sign) = bucket(j, 16);
            filled[at] += 1.0;
            signs += sign;
        }
        assert!(filled.iter().all(|n: &f64| (n - 625.0).abs() < 5.0 * 24.3), "{filled:?}");
        assert!(f64::abs(signs) < 500.0, "{signs}");
    }
}

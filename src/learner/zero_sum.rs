//! Projection on `K_A`, the matrices whose active rows sum to zero (Prop. 6.1).
//!
//! The projection subtracts the mean of the active rows from each of them and leaves the others
//! alone. On scores and on gradient coefficients that is subtracting the mean of `K` numbers.

/// Subtracts the mean, so that the active values sum to zero.
#[inline]
pub(crate) fn center(active_values: &mut [f64]) {
    // Four sums side by side: the order is fixed, and additions need not wait for one another.
    let (quads, rest) = active_values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for quad in quads {
        for a in 0..4 {
            sums[a] += quad[a];
        }
    }
    for (sum, &value) in sums.iter_mut().zip(rest) {
        *sum += value;
    }
    let mean = ((sums[0] + sums[1]) + (sums[2] + sums[3])) / active_values.len() as f64;
    for value in active_values {
        *value -= mean;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_mean_is_taken_away() {
        let mut values = [1.0, 2.0, 3.0, 4.0, 10.0];
        super::center(&mut values);
        assert_eq!(values, [-3.0, -2.0, -1.0, 0.0, 6.0]);
    }
}

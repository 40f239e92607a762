//! Projection on `K_A`, the matrices whose active rows sum to zero (Prop. 6.1).
//!
//! The projection subtracts the mean of the active rows from each of them and leaves the others
//! alone. On scores and on gradient coefficients that is subtracting the mean of `K` numbers.

use problem::ActiveSet;

/// Subtracts the mean, so that the active values sum to zero.
#[inline]
pub fn center(active_values: &mut [f64]) {
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

/// `Pi_{K_A} W` for a matrix given by its rows; inactive rows stay as they are.
pub fn project_zero_sum(rows: &mut [Vec<f64>], active: ActiveSet) {
    let columns = rows.first().map_or(0, Vec::len);
    let mut column = vec![0.0; active.len()];
    for j in 0..columns {
        for (value, action) in column.iter_mut().zip(active) {
            *value = rows[action.index()][j];
        }
        center(&mut column);
        for (&value, action) in column.iter().zip(active) {
            rows[action.index()][j] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;

    #[test]
    fn only_active_rows_move() {
        let space = ActionSpace::new(2, 2).unwrap();
        let mut rows = vec![vec![1.0, 4.0], vec![2.0, 0.0], vec![9.0, 9.0], vec![3.0, 2.0]];
        project_zero_sum(&mut rows, space.active([1]).unwrap());
        assert_eq!(rows, [[-1.0, 2.0], [0.0, -2.0], [9.0, 9.0], [1.0, 0.0]]);
    }
}

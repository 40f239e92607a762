//! The exploration mixture of Sec. 4.1.

/// Position of the largest score, the lowest one at a tie.
#[inline]
pub fn greedy_position(scores: &[f64]) -> usize {
    let mut best = 0;
    for (k, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = k;
        }
    }
    best
}

/// `q = (1 - gamma) e_greedy + gamma/K 1`.
#[inline]
pub fn mix(greedy: usize, gamma: f64, q: &mut [f64]) {
    let share = gamma / q.len() as f64;
    q.fill(share);
    q[greedy] += 1.0 - gamma;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lowest_index() {
        assert_eq!(greedy_position(&[0.0, 0.0, 0.0]), 0);
        assert_eq!(greedy_position(&[-1.0, 2.0, 2.0]), 1);
    }

    #[test]
    fn the_mixture_by_hand() {
        let mut q = [f64::NAN; 4];
        mix(2, 0.2, &mut q);
        assert_eq!(q, [0.05, 0.05, 0.8500000000000001, 0.05]);
        mix(0, 0.0, &mut q);
        assert_eq!(q, [1.0, 0.0, 0.0, 0.0]);
    }
}

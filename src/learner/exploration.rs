//! Exploration: the mixture of Sec. 4.1, and weighting by inverse gaps.

/// Position of the largest score, the lowest one at a tie.
#[inline]
#[must_use]
pub(crate) fn greedy_position(scores: &[f64]) -> usize {
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
pub(crate) fn mix(greedy: usize, gamma: f64, q: &mut [f64]) {
    let share = gamma / q.len() as f64;
    q.fill(share);
    q[greedy] += 1.0 - gamma;
}

/// Inverse-gap weighting: `q_a = 1 / (K + greed (best - score_a))`, the rest to the best.
#[inline]
pub(crate) fn inverse_gap(scores: &[f64], best: usize, greed: f64, q: &mut [f64]) {
    let k = scores.len() as f64;
    let mut others = 0.0;
    for (a, (q, &score)) in q.iter_mut().zip(scores).enumerate() {
        *q = if a == best { 0.0 } else { 1.0 / (k + greed * (scores[best] - score)) };
        others += *q;
    }
    q[best] = 1.0 - others;
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

    #[test]
    fn inverse_gaps_by_hand() {
        let mut q = [0.0; 3];
        inverse_gap(&[0.5, 0.75, 0.25], 1, 8.0, &mut q);
        assert_eq!(q, [1.0 / 5.0, 1.0 - (1.0 / 5.0 + 1.0 / 7.0), 1.0 / 7.0]);
        // Equal estimates are played equally.
        inverse_gap(&[0.5; 3], 0, 8.0, &mut q);
        assert!(q.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    }
}

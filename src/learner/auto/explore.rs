//! Who is played: inverse gaps between the experts, and the classes as one group.
//!
//! An expert is known after some answers. Classes are learned together, from every round that plays
//! one of them, and may become better than everybody after hundreds; so they are given up by what was
//! seen of them, not by how much time went by, and the slower, the more there is to learn (active
//! features) and to gain (what the best expert leaves):
//!
//! ```text
//! experts   q_j = 1 / (K + greed sqrt(t) gap_j)
//! classes   q_C = n / (K + greed m / sqrt(m + 1 + PATIENCE (1 + features) (left / LEFT)^2) gap_C)
//! among them    1 / (n + 2 greed sqrt(m + 1) gap_a), the rest to the best one
//! ```
//!
//! with `m` the rounds that said something about the classes, `gap_C` the gap of the best class and
//! `left` one minus what the best action is worth. The best action, or group, gets the rest. Where
//! little is left, there is little to find, and an estimate near one varies less: `greed` is then
//! multiplied by `SURE / left`, at most tenfold (what FastCB does to inverse gaps).

use crate::exploration;

/// How many rounds about the classes a feature takes.
const PATIENCE: f64 = 10.0;
/// What experts leave to be gained where that holds.
const LEFT: f64 = 0.35;

/// Below this, what is left to be gained makes exploration rarer.
const SURE: f64 = 0.2;

/// What exploration goes by, besides the hopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// `greed`
    pub(super) greed: f64,
    /// `t`
    pub(super) rounds: f64,
    /// `m`
    pub(super) facts: f64,
    /// How many features of the input are not zero.
    pub(super) features: f64,
}

/// Fills in the distribution over the active actions, of which the first `n` are classes.
pub(super) fn fill(hopes: &[f64], n: usize, known: Known, q: &mut [f64]) {
    let Known { rounds, facts, features, .. } = known;
    let (k, best) = (hopes.len() as f64, exploration::greedy_position(hopes));
    let top = hopes[best];
    let left = (1.0 - top).max(0.0);
    let greed = known.greed * (SURE / (left + 0.01)).clamp(1.0, 10.0);
    let mut rest = 1.0;
    for (q, hope) in q[n..].iter_mut().zip(&hopes[n..]) {
        *q = 1.0 / (k + greed * rounds.sqrt() * (top - hope));
        rest -= *q;
    }
    if n == 0 {
        q[best] += rest;
        return;
    }
    let (of_classes, classes) = (&hopes[..n], &mut q[..n]);
    let first = exploration::greedy_position(of_classes);
    exploration::inverse_gap(of_classes, first, 2.0 * greed * (facts + 1.0).sqrt(), classes);
    let share = if best < n {
        rest
    } else {
        let gain = left / LEFT;
        let slow = (facts + 1.0 + PATIENCE * (1.0 + features) * gain * gain).sqrt();
        n as f64 / (k + greed * facts / slow * (top - of_classes[first]))
    };
    classes.iter_mut().for_each(|q| *q *= share);
    if best >= n {
        q[best] += rest - share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rounds: f64, facts: f64, features: f64) -> Known {
        Known { greed: 30.0, rounds, facts, features }
    }

    /// Nobody but experts: plain inverse gaps.
    #[test]
    fn experts_alone() {
        let (mut q, mut plain) = ([0.0; 3], [0.0; 3]);
        let hopes = [0.5, 0.7, 0.6];
        fill(&hopes, 0, known(4.0, 0.0, 0.0), &mut q);
        exploration::inverse_gap(&hopes, 1, 60.0, &mut plain);
        assert!(q.iter().zip(plain).all(|(a, b)| (a - b).abs() < 1e-15), "{q:?} {plain:?}");
    }

    /// Two classes and two experts, by hand: `left` is 0.35, so that `slow` is the root of
    /// `8 + 1 + 10 (1 + 3) = 49`, and the greed for the classes is `30 8 / 7`.
    #[test]
    fn classes_are_a_group() {
        let mut q = [0.0; 4];
        fill(&[0.3, 0.2, 0.65, 0.45], 2, known(4.0, 8.0, 3.0), &mut q);
        let share = 2.0 / (4.0 + 30.0 * 8.0 / 7.0 * 0.35);
        let second = 1.0 / (2.0 + 60.0 * 3.0 * 0.1);
        let other = 1.0 / (4.0 + 60.0 * 0.2);
        let expected = [share * (1.0 - second), share * second, 1.0 - share - other, other];
        assert!(q.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{q:?} {expected:?}");
        // A class ahead: the group gets what the experts leave, and they less because 0.09 is left.
        fill(&[0.91, 0.2, 0.65, 0.45], 2, known(4.0, 8.0, 3.0), &mut q);
        let experts = [1.0 / (4.0 + 120.0 * 0.26), 1.0 / (4.0 + 120.0 * 0.46)];
        assert!((q[2] - experts[0]).abs() < 1e-12 && (q[3] - experts[1]).abs() < 1e-12);
        assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    /// The less was seen of the classes, the more there is to learn and the more there is to gain, the
    /// more they are played.
    #[test]
    fn classes_get_their_chance() {
        let share = |facts: f64, features: f64, best: f64| {
            let mut q = [0.0; 3];
            fill(&[0.1, 0.1, best], 2, known(10_000.0, facts, features), &mut q);
            assert!(q.iter().all(|q| (0.0..=1.0).contains(q)));
            q[0] + q[1]
        };
        assert!((share(0.0, 50.0, 0.7) - 2.0 / 3.0).abs() < 1e-12);
        assert!(share(50.0, 50.0, 0.7) > 3.0 * share(500.0, 50.0, 0.7));
        assert!(share(50.0, 50.0, 0.7) > 2.0 * share(50.0, 0.0, 0.7));
        assert!(share(50.0, 50.0, 0.7) > 2.0 * share(50.0, 50.0, 0.95));
        assert!(share(50.0, 50.0, 1.2) > 0.0);
    }
}

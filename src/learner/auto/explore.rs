//! Who is played: inverse gaps between the experts, and the classes as one group.
//!
//! An expert is known after some answers. Classes are learned together, from every round that plays
//! one of them, and may become better than everybody after hundreds; so they are given up by what was
//! seen of them, not by how much time went by, and the slower, the more there is to learn (active
//! features), to gain (what the best expert leaves) and the more the inputs were seen to say about them
//! ([`super::gain`]):
//!
//! ```text
//! experts   q_j = 1 / (K + greed seen(t_j) gap_j)
//! classes   q_C = n / (K + doubt greed m / sqrt(min(m, M) + 1 + patience (1 + features) (left / LEFT)^2) gap_C)
//!           patience = PATIENCE + PER_GAIN gain,    doubt = EXPECTED / gain, from 1 to MOST_DOUBT
//! among them    1 / (n + 2 greed seen(m + 1) gap_a), the rest to the best one
//! seen(m) = m / sqrt(min(m, M)),    M = ENOUGH (1 + features)
//! ```
//!
//! with `t_j` the rounds since expert `j` was new, `m` the rounds that said something about the classes,
//! `gap_C` the gap of the best class and `left` one minus what the best action is worth. The best action,
//! or group, gets the rest. Estimates err by about `1 / sqrt(m)` while there is something to learn;
//! after `M` rounds there is not, and exploration is given up faster. Where little is left, there is
//! little to find, and an estimate near one varies less: `greed` is then multiplied by `SURE / left` (what
//! FastCB does to inverse gaps).
//!
//! An expert who was hardly asked lately is asked at least with probability
//!
//! ```text
//! watch_j = sqrt(WATCH left / (gap_j t)) / K,    at most a quarter of an equal share, a twentieth without classes
//! ```
//!
//! because nobody says when it improves. This is the optimum where such a change is as likely in any
//! doubling of the time: asking with probability `e` costs `e gap_j` a round, and a change that gains up
//! to `left` is noticed after a number of rounds that is proportional to `1/e`. Who is asked as often as
//! that anyway, at other inputs say, is not asked for this.

use super::gain::EXPECTED;
use crate::exploration;

/// How many rounds about the classes a feature takes, whatever the inputs say.
const PATIENCE: f64 = 5.0;
/// How many more it is worth for each unit of log loss that the inputs gain.
const PER_GAIN: f64 = 300.0;
/// How much faster classes are given up that the inputs say nothing about.
const MOST_DOUBT: f64 = 5.0;
/// What experts leave to be gained where that holds.
const LEFT: f64 = 0.35;
/// After so many rounds a feature, estimates are taken for settled.
const ENOUGH: f64 = 20.0;

/// Below this, what is left to be gained makes exploration rarer.
const SURE: f64 = 0.2;
/// Something is always left.
const LEAST_LEFT: f64 = 0.005;

/// How often experts who are not asked are watched: a dozen answers show a change.
const WATCH: f64 = 16.0;
/// At most this part of an equal share is for watching.
const MOST_WATCHED: f64 = 0.25;
/// The same where there are only experts. Then exploration asks every one of them early, and what watching adds
/// at once is dear; with classes, early rounds go to these.
const MOST_WATCHED_ALONE: f64 = 0.05;
/// Gaps smaller than this are watched as this one is.
const SMALL_GAP: f64 = 0.01;

/// What is known of an active expert, besides its hope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expert {
    /// `t_j`: rounds since it was new.
    pub(super) age: f64,
    /// In how many rounds it was asked; late ones count more.
    pub(super) lately: f64,
}

/// What exploration goes by, besides the hopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    /// `greed`
    pub(super) greed: f64,
    /// `t`
    pub(super) rounds: f64,
    /// The active experts.
    pub(super) experts: &'a [Expert],
    /// `m`
    pub(super) facts: f64,
    /// What the inputs say about the classes.
    pub(super) gain: f64,
    /// How many features of the input are not zero.
    pub(super) features: f64,
}

/// Fills in the distribution over the active actions: classes, then `known.experts`.
pub(super) fn fill(hopes: &[f64], known: Known<'_>, q: &mut [f64]) {
    let Known { rounds, facts, gain, features, experts, .. } = known;
    let n = hopes.len() - experts.len();
    let (k, best) = (hopes.len() as f64, exploration::greedy_position(hopes));
    let top = hopes[best];
    let left = (1.0 - top).max(0.0);
    let greed = known.greed * (SURE / (left + LEAST_LEFT)).max(1.0);
    let enough = ENOUGH * (1.0 + features);
    let seen = |m: f64| m / m.min(enough).sqrt();
    let most_watched = if n == 0 { MOST_WATCHED_ALONE } else { MOST_WATCHED };
    let mut rest = 1.0;
    for ((q, hope), expert) in q[n..].iter_mut().zip(&hopes[n..]).zip(experts) {
        let gap = top - hope;
        *q = 1.0 / (k + greed * seen(expert.age) * gap);
        let watch = (WATCH * left / (gap.max(SMALL_GAP) * rounds)).sqrt().min(most_watched) / k;
        if expert.lately < watch * rounds {
            *q = q.max(watch);
        }
        rest -= *q;
    }
    if n == 0 {
        q[best] += rest;
        return;
    }
    let (of_classes, classes) = (&hopes[..n], &mut q[..n]);
    let first = exploration::greedy_position(of_classes);
    exploration::inverse_gap(of_classes, first, 2.0 * greed * seen(facts + 1.0), classes);
    let share = if best < n {
        rest
    } else {
        let (worth, patience) = (left / LEFT, PATIENCE + PER_GAIN * gain);
        let doubt = (EXPECTED / gain).clamp(1.0, MOST_DOUBT);
        let slow = facts.min(enough) + 1.0 + patience * (1.0 + features) * worth * worth;
        n as f64 / (k + doubt * greed * facts / slow.sqrt() * (top - of_classes[first]))
    };
    classes.iter_mut().for_each(|q| *q *= share);
    if best >= n {
        q[best] += rest - share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that the patience is 30 and there is no doubt.
    const GAIN: f64 = 1.0 / 12.0;

    fn all(hopes: &[f64], experts: usize, (rounds, facts, features): (f64, f64, f64)) -> Vec<f64> {
        // Everybody was there from the start and was asked all the time.
        let experts = vec![Expert { age: rounds, lately: rounds }; experts];
        let mut q = vec![0.0; hopes.len()];
        let known = Known { greed: 30.0, rounds, experts: &experts, facts, gain: GAIN, features };
        fill(hopes, known, &mut q);
        assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{q:?}");
        q
    }

    /// Nobody but experts: plain inverse gaps, at first with the root of time, later with time.
    #[test]
    fn experts_alone() {
        let hopes = [0.5, 0.7, 0.6];
        for (rounds, greed) in [(4.0, 60.0), (2000.0, 30.0 * 2000.0 / 20f64.sqrt())] {
            let mut plain = [0.0; 3];
            let q = all(&hopes, 3, (rounds, 0.0, 0.0));
            exploration::inverse_gap(&hopes, 1, greed, &mut plain);
            assert!(q.iter().zip(plain).all(|(a, b)| (a - b).abs() < 1e-12), "{q:?} {plain:?}");
        }
    }

    /// Two classes and two experts, by hand: `left` is 0.35, so that `slow` is the root of
    /// `3 + 1 + 30 (1 + 1) = 64`, and the greed for the classes is `30 3 / 8`.
    #[test]
    fn classes_are_a_group() {
        let q = all(&[0.3, 0.2, 0.65, 0.45], 2, (4.0, 3.0, 1.0));
        let share = 2.0 / (4.0 + 30.0 * 3.0 / 8.0 * 0.35);
        let second = 1.0 / (2.0 + 60.0 * 2.0 * 0.1);
        let other = 1.0 / (4.0 + 60.0 * 0.2);
        let expected = [share * (1.0 - second), share * second, 1.0 - share - other, other];
        assert!(q.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{q:?} {expected:?}");
        // A class ahead: the group gets what the experts leave, and they less because 0.095 is left.
        let q = all(&[0.905, 0.2, 0.65, 0.45], 2, (4.0, 3.0, 1.0));
        let experts = [1.0 / (4.0 + 120.0 * 0.255), 1.0 / (4.0 + 120.0 * 0.455)];
        assert!((q[2] - experts[0]).abs() < 1e-12 && (q[3] - experts[1]).abs() < 1e-12);
    }

    /// The less was seen of the classes, the more there is to learn and the more there is to gain, the
    /// more they are played.
    #[test]
    fn classes_get_their_chance() {
        let share = |facts: f64, features: f64, best: f64| {
            let q = all(&[0.1, 0.1, best], 1, (10_000.0, facts, features));
            assert!(q.iter().all(|q| (0.0..=1.0).contains(q)));
            q[0] + q[1]
        };
        assert!((share(0.0, 50.0, 0.7) - 2.0 / 3.0).abs() < 1e-12);
        assert!(share(50.0, 50.0, 0.7) > 3.0 * share(500.0, 50.0, 0.7));
        assert!(share(50.0, 50.0, 0.7) > 2.0 * share(50.0, 0.0, 0.7));
        assert!(share(50.0, 50.0, 0.7) > 2.0 * share(50.0, 50.0, 0.95));
        assert!(share(50.0, 50.0, 1.2) > 0.0);
        // Beyond what there is to learn, twice the rounds give half the exploration.
        assert!(share(8e4, 1.0, 0.7) < 0.51 * share(4e4, 1.0, 0.7));
    }

    /// One expert, one feature, three facts and 0.35 left: patience 20 at the expected gain, 5 and a doubt of 5
    /// without any.
    #[test]
    fn classes_that_inputs_say_nothing_about_are_given_up() {
        let share = |gain: f64| {
            let experts = [Expert { age: 100.0, lately: 100.0 }];
            let mut q = [0.0; 3];
            let (greed, rounds, facts, features) = (30.0, 100.0, 3.0, 1.0);
            fill(
                &[0.3, 0.2, 0.65],
                Known { greed, rounds, experts: &experts, facts, gain, features },
                &mut q,
            );
            q[0] + q[1]
        };
        let by_hand = |patience: f64, doubt: f64| {
            2.0 / (3.0 + doubt * 90.0 / (4.0 + 2.0 * patience).sqrt() * 0.35)
        };
        for (gain, patience, doubt) in
            [(EXPECTED, 20.0, 1.0), (0.0, 5.0, 5.0), (0.025, 12.5, 2.0), (0.25, 80.0, 1.0)]
        {
            assert!((share(gain) - by_hand(patience, doubt)).abs() < 1e-12, "{gain}");
        }
    }

    /// Two experts with a gap of 1/4 and as much left, in round 10,000: `sqrt(16 / 10^4) / 2 = 0.02` for
    /// who was asked in fewer than 200 rounds; nobody is watched where nothing is left; and somebody new
    /// is explored as in the first rounds.
    #[test]
    fn who_was_not_asked_is_watched() {
        let q = |hopes: [f64; 2], age: f64, lately: f64| {
            let rounds = 10_000.0;
            let experts = [Expert { age: rounds, lately: rounds }, Expert { age, lately }];
            let mut q = [0.0; 2];
            let (facts, gain, features) = (0.0, GAIN, 0.0);
            let known = Known { greed: 30.0, rounds, experts: &experts, facts, gain, features };
            fill(&hopes, known, &mut q);
            q[1]
        };
        assert!((q([0.75, 0.5], 1e4, 199.0) - 0.02).abs() < 1e-12);
        assert!(q([0.75, 0.5], 1e4, 201.0) < 1e-3);
        assert!(q([1.0, 0.5], 1e4, 0.0) < 1e-3);
        assert!((q([0.75, 0.5], 4.0, 300.0) - 1.0 / (2.0 + 60.0 * 0.25)).abs() < 1e-12);
    }

    /// In round 100, when the formula says `sqrt(16 / 100)`, the limit decides: a twentieth of an equal share
    /// between two experts, a quarter beside a class.
    #[test]
    fn early_watching_has_a_limit() {
        let last = |hopes: &[f64]| {
            let experts = [Expert { age: 100.0, lately: 0.0 }; 2];
            let mut q = vec![0.0; hopes.len()];
            let (greed, rounds, facts, gain, features) = (30.0, 100.0, 0.0, GAIN, 0.0);
            let known = Known { greed, rounds, experts: &experts, facts, gain, features };
            fill(hopes, known, &mut q);
            q[hopes.len() - 1]
        };
        assert!((last(&[0.75, 0.5]) - 0.05 / 2.0).abs() < 1e-12);
        assert!((last(&[0.1, 0.75, 0.5]) - 0.25 / 3.0).abs() < 1e-12);
    }
}

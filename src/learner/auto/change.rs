//! Who has changed, and who was asked lately.
//!
//! Experts break and improve without a word. Every answer is held against what was predicted, with
//! Page's test (CUSUM): the evidence that the odds of an expert have become [`ODDS`] times better, or
//! worse, adds up from answer to answer and starts again where it falls below zero:
//!
//! ```text
//! better   S <- max(0, S + r log c - log(1 + (c - 1) p))             c = ODDS
//! worse    S <- max(0, S - r log c + log(c / (c - (c - 1) p)))
//! ```
//!
//! with `p` the predicted and `r` the actual reward. When it exceeds `SURE + log(n + 1)` after `n` answers,
//! the expert is taken for somebody new: what was learned about it is dropped, it is predicted as the
//! pool is, and it is explored as in its first rounds. The threshold grows so that an expert who does
//! not change is suspected about once in `exp(SURE)` times the number of its answers, and a false alarm
//! costs no more than a new expert does.
//!
//! An expert nobody asks cannot be seen to change. So it is recorded how lately each was asked
//! ([`Record::lately`]), and [`super::explore`] asks now and then who was not.

use serde::{Deserialize, Serialize};

/// How much the odds of a right answer change when an expert changes: from 1/2 to 10/11, say.
const ODDS: f64 = 10.0;
/// Evidence, in logarithms of odds, beyond what many answers show by chance.
const SURE: f64 = 3.0;
/// Predictions are kept this far from 0 and 1: one surprise must not decide.
const CERTAIN: f64 = 0.02;

/// What is recorded of one expert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    better: f64,
    worse: f64,
    /// Answers since it was new.
    answers: f64,
    /// Sum of the rounds in which it was asked since it was new.
    rounds: f64,
    /// The round in which it was new; 0 for who was there from the start.
    since: f64,
}

impl Record {
    /// Somebody who is new in round `t`.
    pub(super) fn new(t: u64) -> Self {
        Record { since: t as f64, ..Record::default() }
    }

    /// Whether every number can be true in round `t`.
    pub(super) fn is_sound(&self, t: u64) -> bool {
        let numbers = [self.better, self.worse, self.answers, self.rounds, self.since];
        numbers.iter().all(|v| v.is_finite() && *v >= 0.0) && self.since <= t as f64
    }

    /// Rounds since it was new.
    pub(super) fn age(&self, t: u64) -> f64 {
        (t as f64 - self.since).max(1.0)
    }

    /// How many rounds it was asked in, of `rounds` so far, if a round counts the more the later it
    /// was: the last one fully, the first one not at all.
    pub(super) fn lately(&self, rounds: f64) -> f64 {
        self.rounds / rounds
    }

    /// A round passes under forgetting.
    pub(super) fn fade(&mut self, keep: f64) {
        self.answers *= keep;
        self.rounds *= keep;
    }

    /// In round `t` it earned `reward` where `predicted` was expected. Returns whether it is taken for
    /// somebody new from now on.
    pub(super) fn learn(&mut self, t: u64, round: f64, predicted: f64, reward: f64) -> bool {
        let p = predicted.clamp(CERTAIN, 1.0 - CERTAIN);
        let moved = reward * libm::log(ODDS);
        self.better = (self.better + moved - libm::log(1.0 + (ODDS - 1.0) * p)).max(0.0);
        self.worse = (self.worse - moved + libm::log(ODDS / (ODDS - (ODDS - 1.0) * p))).max(0.0);
        self.answers += 1.0;
        self.rounds += round;
        let changed = self.better.max(self.worse) > SURE + libm::log(self.answers);
        if changed {
            *self = Record::new(t);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the answers `right(0), right(1), ..` it takes until the expert is taken for new.
    fn noticed(record: &mut Record, p: f64, right: impl Fn(u64) -> bool) -> Option<u64> {
        (0..10_000).find(|&i| record.learn(i + 1, 1.0, p, f64::from(right(i))))
    }

    /// At `p = 1/2` a right answer has the likelihood ratio `(10/11) / (1/2) = 20/11`, a wrong one
    /// `(1/11) / (1/2) = 2/11`; the other way round for `worse`.
    #[test]
    fn evidence_by_hand() {
        let mut record = Record::default();
        assert!(!record.learn(1, 1.0, 0.5, 1.0));
        assert!((record.better - (20f64 / 11.0).ln()).abs() < 1e-12 && record.worse == 0.0);
        assert!(!record.learn(2, 2.0, 0.5, 0.0));
        assert!(record.better == 0.0 && (record.worse - (20f64 / 11.0).ln()).abs() < 1e-12);
        assert_eq!((record.lately(2.0), record.age(2)), (1.5, 2.0));
        // Half a reward is half of each.
        let mut graded = Record::default();
        graded.learn(1, 1.0, 0.5, 0.5);
        assert_eq!((graded.better, graded.worse), (0.0, 0.0));
    }

    #[test]
    fn changes_are_noticed_and_chance_is_not() {
        let mut record = Record::default();
        // Right in 7 of 10, as predicted, and then never.
        assert_eq!(noticed(&mut record, 0.7, |i| i * 7 % 10 < 7), None);
        let broken = noticed(&mut record, 0.7, |_| false).unwrap();
        assert!((5..15).contains(&broken), "{broken}");
        // It is new now.
        assert_eq!(record, Record::new(broken + 1));
        assert!(record.is_sound(broken + 1) && !record.is_sound(broken));
        // Right in 4 of 10, a hundred times, and then always.
        let mut record = Record::default();
        (0..100).for_each(|i| assert!(!record.learn(i, 1.0, 0.4, f64::from(i * 7 % 10 < 4))));
        let better = noticed(&mut record, 0.4, |_| true).unwrap();
        assert!((5..15).contains(&better), "{better}");
    }
}

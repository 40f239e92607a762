//! What the inputs say about the classes.
//!
//! Classes can be learned only from inputs that tell them apart, and nobody knows beforehand whether these
//! do. So one more belief looks at no input at all, and the gain is what the others have over it, in log
//! loss a fact:
//!
//! ```text
//! gain = (WEIGHT EXPECTED + sum_i (loss of the blind one - loss of the mixture)) / (WEIGHT + m)
//! ```
//!
//! over the `m` facts so far, not below 0. [`super::explore`] gives the classes up the later the larger it is.

use super::copy::{ClassFact, Copy};
use super::mixture::loss;
use crate::kernels::Cpu;
use problem::Features;
use serde::{Deserialize, Serialize};

/// What is expected of inputs before anything is known.
pub(super) const EXPECTED: f64 = 0.05;
/// How many facts that counts for.
const WEIGHT: f64 = 60.0;
/// The rate of the belief that looks at no input.
const RATE: f64 = 0.6;

/// The belief that looks at no input, and what the others have over it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gain {
    blind: Copy,
    facts: f64,
    sum: f64,
}

impl Gain {
    pub(super) fn new(classes: usize) -> Self {
        Gain { blind: Copy::new(RATE, classes, 0, 0), facts: 0.0, sum: 0.0 }
    }

    /// Whether it belongs to so many classes and every number can be true.
    pub(super) fn fits(&self, classes: usize) -> bool {
        self.blind.fits(classes, 0, 0) && self.facts >= 0.0 && (self.facts + self.sum).is_finite()
    }

    /// Buffers that are not part of what is saved.
    pub(super) fn make_room(&mut self) {
        self.blind.make_room();
    }

    /// The gain of a fact.
    pub(super) fn value(&self) -> f64 {
        ((WEIGHT * EXPECTED + self.sum) / (WEIGHT + self.facts)).max(0.0)
    }

    /// A fact of which the mixture predicted `mixed`. Of what was known before, `keep` is left.
    pub(super) fn learn(&mut self, cpu: Cpu, fact: ClassFact, mixed: f64, keep: Option<f64>) {
        let nothing = Features::Dense(&[]);
        self.blind.predict(cpu, nothing, &[]);
        let (blind, outcome) = self.blind.class_prediction(fact);
        if let Some(keep) = keep {
            self.blind.fade_classes(keep);
            (self.facts, self.sum) = (keep * self.facts, keep * self.sum);
        }
        self.facts += 1.0;
        self.sum += loss(blind, outcome) - loss(mixed, outcome);
        self.blind.learn_classes(cpu, nothing, 1.0, fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blind belief starts at 1/2 for each of two classes; a mixture that said 3/4 is better by
    /// `log(3/2)`.
    #[test]
    fn one_fact_by_hand() {
        let mut gain = Gain::new(2);
        assert_eq!(gain.value(), EXPECTED);
        gain.learn(Cpu::detect(), ClassFact::Label(1), 0.75, None);
        let expected = (WEIGHT * EXPECTED + 1.5f64.ln()) / (WEIGHT + 1.0);
        assert!((gain.value() - expected).abs() < 1e-12, "{}", gain.value());
        assert!(gain.fits(2) && !gain.fits(3));
    }

    /// Two labels in turn: who knows which gains nearly all of `log 2`, who says 1/2 gains nothing, and one
    /// label out of ten is no gain for who has learned that alone. Old facts fade.
    #[test]
    fn it_is_about_inputs() {
        let after = |mixed: fn(u32) -> f64, label: fn(u32) -> usize, keep: Option<f64>| {
            let mut gain = Gain::new(2);
            (0..2_000).for_each(|i| {
                gain.learn(Cpu::detect(), ClassFact::Label(label(i)), mixed(i), keep)
            });
            gain.value()
        };
        let in_turn = |i: u32| (i % 2) as usize;
        assert!((after(|_| 0.99, in_turn, None) - 0.66).abs() < 0.05);
        assert!(after(|_| 0.5, in_turn, None) < 0.03);
        let rare = |i: u32| usize::from(i.is_multiple_of(10));
        assert!(after(|i| if i.is_multiple_of(10) { 0.1 } else { 0.9 }, rare, None) < 0.03);
        let lately = |i: u32| if i < 1_000 { 0.5 } else { 0.99 };
        assert!(after(lately, in_turn, Some(0.99)) > 1.2 * after(lately, in_turn, None));
    }
}

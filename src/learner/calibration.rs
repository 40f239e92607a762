//! Taking a classifier's confidence at what it has turned out to be worth.
//!
//! A soft-max that is trained as fast as it is used tends to be too sure of itself, and a router that
//! believes it asks nobody. Every class that is played shows whether its probability was earned, so
//! two numbers can be learned on the side (Platt's scaling, online):
//!
//! ```text
//! s_a = 1 / (1 + exp(-(offset + slope logit p_a))),    loss: cross-entropy of "a was right"
//! ```
//!
//! The slope stays positive, so the order of the classes is never touched; only how they compare
//! with the experts.

use super::LearnerError;
use super::router::{EPSILON, logistic};
use serde::{Deserialize, Serialize};

/// Offset, slope, and AdaGrad's sums for both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calibration {
    weights: [f64; 2],
    squares: [f64; 2],
}

/// Probabilities are kept this far from 0 and 1: beyond one in a million nobody has the evidence.
const CERTAIN: f64 = 1e-6;
/// The slope stays within these: a classifier is never believed backwards, nor blown up much.
const SLOPES: (f64, f64) = (0.05, 4.0);

impl Calibration {
    /// Probabilities as they are.
    pub(crate) fn new() -> Self {
        Calibration { weights: [0.0, 1.0], squares: [0.0; 2] }
    }

    pub(crate) fn check(self) -> Result<Self, LearnerError> {
        let fine = self.weights.iter().chain(&self.squares).all(|v| v.is_finite());
        if fine && self.squares.iter().all(|&v| v >= 0.0) && self.weights[1] > 0.0 {
            return Ok(self);
        }
        Err(LearnerError::BadState(format!("calibration = {self:?}")))
    }

    /// What a class is worth whose probability has this [`logit`].
    pub(crate) fn value(&self, logit: f64) -> f64 {
        logistic(self.weights[0] + self.weights[1] * logit)
    }

    /// A class was played whose probability has this [`logit`], and was worth `value`.
    pub(crate) fn learn(&mut self, logit: f64, value: f64, correct: bool, rate: f64) {
        self.learn_reward(logit, value, f64::from(correct), rate, 1.0);
    }

    /// The same for a graded reward that counts `weight` times.
    pub(crate) fn learn_reward(
        &mut self,
        logit: f64,
        value: f64,
        reward: f64,
        rate: f64,
        weight: f64,
    ) {
        let features = [1.0, logit];
        let error = weight * (value - reward);
        let rate = rate / (1.0 + features[1] * features[1]).sqrt();
        for i in 0..2 {
            let g = error * features[i];
            self.squares[i] += g * g;
            self.weights[i] -= rate * g / (self.squares[i].sqrt() + EPSILON);
        }
        self.weights[1] = self.weights[1].clamp(SLOPES.0, SLOPES.1);
    }
}

/// `log(p / (1 - p))`, of a probability kept away from 0 and 1.
pub(super) fn logit(p: f64) -> f64 {
    let p = p.clamp(CERTAIN, 1.0 - CERTAIN);
    libm::log(p / (1.0 - p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(calibration: &Calibration, p: f64) -> f64 {
        calibration.value(logit(p))
    }

    fn learn(calibration: &mut Calibration, p: f64, correct: bool, rate: f64) {
        let value = worth(calibration, p);
        calibration.learn(logit(p), value, correct, rate);
    }

    #[test]
    fn overconfidence_is_noticed_and_honesty_is_kept() {
        for (said, true_share, low, high) in [(0.99, 6u64, 0.57, 0.63), (0.8, 8, 0.77, 0.83)] {
            let mut calibration = Calibration::new();
            assert!((worth(&calibration, said) - said).abs() < 1e-12);
            // Right in so many of ten, spread evenly.
            for t in 0..20_000u64 {
                learn(&mut calibration, said, t * 7 % 10 < true_share, 0.6);
            }
            let value = worth(&calibration, said);
            assert!(low < value && value < high, "{said}: {value}");
        }
    }

    #[test]
    fn the_order_of_classes_survives_anything() {
        let mut calibration = Calibration::new();
        for t in 0..1000 {
            // The surer, the wronger.
            learn(&mut calibration, if t % 2 == 0 { 0.95 } else { 0.1 }, t % 2 == 1, 0.6);
        }
        assert!(worth(&calibration, 0.9) > worth(&calibration, 0.5));
        assert!(calibration.check().is_ok());
        assert!(Calibration { weights: [f64::NAN, 1.0], squares: [0.0; 2] }.check().is_err());
        assert!(Calibration { weights: [0.0, 0.0], squares: [0.0; 2] }.check().is_err());
    }

    /// AdaGrad's first step is the rate itself, whatever the error, divided by the input's norm
    /// `|(1, logit p)|`: a wrong answer takes it off both numbers.
    #[test]
    fn the_first_step_by_hand() {
        let mut calibration = Calibration::new();
        learn(&mut calibration, 0.8, false, 0.6);
        let step = 0.6 / (1.0 + 4f64.ln().powi(2)).sqrt();
        assert!((calibration.weights[0] + step).abs() < 1e-9);
        assert!((calibration.weights[1] - (1.0 - step)).abs() < 1e-9);
    }

    /// A logit of 1e-10 has the gradient `g = 0.5e-10` when the answer is wrong, and the step
    /// `rate g / (g + 1e-10)` is a third of the rate: what adding epsilon is for.
    #[test]
    fn a_vanishing_logit_hardly_moves_the_slope() {
        let mut calibration = Calibration::new();
        learn(&mut calibration, 0.5 + 2.5e-11, false, 0.6);
        assert!((calibration.weights[1] - 0.8).abs() < 1e-4, "{calibration:?}");
    }

    #[test]
    fn nobody_is_certain() {
        assert!((logit(1.0) - 999_999f64.ln()).abs() < 1e-9);
        assert!((logit(0.0) + logit(1.0)).abs() < 1e-9);
    }
}

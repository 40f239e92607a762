//! Which of several predictions to believe: each as far as its past predictions deserve.
//!
//! Bayes' rule over the copies with the log loss, which is the best one can do against the best copy,
//! up to `log(copies)`. Old losses fade, so that a copy that was good early does not stay in the way.

use serde::{Deserialize, Serialize};

/// Log weights of the copies; the largest is zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Mixture(Vec<f64>);

/// What is left of a loss after one more observation: about the last 2,000 count.
const FADE: f64 = 0.9995;

/// Predictions are kept this far from 0 and 1 when they are scored: one surprise must not decide.
const CERTAIN: f64 = 0.01;

impl Mixture {
    /// All the same.
    pub(super) fn new(copies: usize) -> Self {
        Mixture(vec![0.0; copies])
    }

    /// Whether it belongs to so many copies and every weight is a number.
    pub(super) fn fits(&self, copies: usize) -> bool {
        self.0.len() == copies && self.0.iter().all(|w| w.is_finite() && *w <= 0.0)
    }

    /// Fills in weights that sum to one.
    pub(super) fn weights(&self, out: &mut [f64]) {
        for (out, &log) in out.iter_mut().zip(&self.0) {
            *out = libm::exp(log);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|w| *w /= total);
    }

    /// Copy `i` had predicted `predictions(i)` where `reward` came.
    pub(super) fn learn(&mut self, reward: f64, predictions: impl Fn(usize) -> f64) {
        for (i, log) in self.0.iter_mut().enumerate() {
            *log = FADE * *log - loss(predictions(i), reward);
        }
        let top = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.0.iter_mut().for_each(|w| *w -= top);
    }
}

/// Cross-entropy of `reward` under `predicted`.
pub(super) fn loss(predicted: f64, reward: f64) -> f64 {
    let p = predicted.clamp(CERTAIN, 1.0 - CERTAIN);
    -reward * libm::log(p) - (1.0 - reward) * libm::log(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two copies that said 0.8 and 0.4 before a full reward have Bayes' weights 2/3 and 1/3.
    #[test]
    fn bayes_by_hand() {
        let mut mixture = Mixture::new(2);
        let mut weights = [0.0; 2];
        mixture.weights(&mut weights);
        assert_eq!(weights, [0.5, 0.5]);
        mixture.learn(1.0, |i| [0.8, 0.4][i]);
        mixture.weights(&mut weights);
        assert!((weights[0] - 2.0 / 3.0).abs() < 1e-12 && (weights[1] - 1.0 / 3.0).abs() < 1e-12);
        assert!(mixture.fits(2) && !mixture.fits(3));
        // A certain copy that is wrong once is not gone for ever.
        mixture.learn(0.0, |i| [1.0, 0.4][i]);
        mixture.weights(&mut weights);
        assert!(weights[0] > 1e-3 && weights[0] < 0.1, "{weights:?}");
    }
}

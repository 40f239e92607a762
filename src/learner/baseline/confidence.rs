//! The baseline of App. G.4: the classifier when it is confident, otherwise anybody who is there.

use super::{Frame, classifier_only::classifier, spread};
use crate::{Algorithm1, Config, Decision, LearnerError, Policy};
use problem::{ActionSpace, ActiveRef, Features, Feedback};

/// Answers itself when the soft-max probability of its best class reaches a threshold, otherwise
/// defers uniformly to one of the available experts (or answers after all if there is none).
#[derive(Clone, Debug)]
pub(crate) struct ConfidenceThreshold {
    frame: Frame,
    classifier: Algorithm1,
    threshold: f64,
    answers_itself: bool,
}

impl ConfidenceThreshold {
    /// `config` is that of the full problem; `threshold` is 0.5 in the paper.
    ///
    /// # Errors
    /// A threshold outside `[0, 1]`, or a configuration that [`Config::check`] refuses.
    pub(crate) fn new(config: Config, threshold: f64) -> Result<Self, LearnerError> {
        if !(0.0..=1.0).contains(&threshold) {
            let (field, expected) = ("threshold", "a number in [0, 1]");
            return Err(LearnerError::Config { field, value: threshold, expected });
        }
        let frame = Frame::new(config.space);
        let classifier = classifier(config)?;
        Ok(ConfidenceThreshold { frame, classifier, threshold, answers_itself: true })
    }
}

/// The largest soft-max probability of the scores.
pub(super) fn confidence(scores: &[f64]) -> f64 {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    1.0 / scores.iter().map(|&s| libm::exp(s - top)).sum::<f64>()
}

impl Policy for ConfidenceThreshold {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.frame.check(x, active)?;
        let inner = self.classifier.decide(x, self.classifier.space().classes_only())?;
        let (n, k) = (inner.q.len(), active.len());
        self.answers_itself = k == n || confidence(inner.scores) >= self.threshold;
        let (itself, gamma) = (self.answers_itself, inner.gamma);
        let decision = self.frame.decide(active, |q| {
            if itself {
                q[..n].copy_from_slice(inner.q);
            } else {
                spread(q, n..k);
            }
        });
        Ok(Decision { gamma: if itself { gamma } else { 0.0 }, ..decision })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.observe(feedback)?;
        // A deferred round says nothing about the classes.
        if self.answers_itself { self.classifier.observe(feedback) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_by_hand() {
        let close = |scores: &[f64], expected: f64| {
            assert!((confidence(scores) - expected).abs() < 1e-12, "{scores:?}");
        };
        close(&[0.0, 0.0, 0.0, 0.0], 0.25);
        // exp(ln 3) against 1, wherever the two lie.
        close(&[3f64.ln(), 0.0], 0.75);
        close(&[-700.0, -700.0 + 3f64.ln()], 0.75);
        close(&[900.0, 0.0], 1.0);
    }
}

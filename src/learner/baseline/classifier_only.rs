//! Never defers: Algorithm 1 on the classes alone.

use super::Frame;
use crate::learner::{Algorithm1, Config, Decision, LearnerError, Policy};
use crate::problem::{ActionSpace, ActiveSet, Features, Feedback};

/// Learns a classifier and never asks anybody.
#[derive(Clone, Debug)]
pub struct ClassifierOnly {
    frame: Frame,
    pub(super) classifier: Algorithm1,
}

impl ClassifierOnly {
    /// `config` is that of the full problem; the classifier inside has its classes, no experts,
    /// and everything else as given.
    pub fn new(config: Config) -> Result<Self, LearnerError> {
        Ok(ClassifierOnly { frame: Frame::new(config.space), classifier: classifier(config)? })
    }
}

/// The same learner without the experts. Used with bandit feedback on class rounds only.
pub(super) fn classifier(config: Config) -> Result<Algorithm1, LearnerError> {
    let space = ActionSpace::new(config.space.classes(), 0)?;
    let feedback = crate::problem::FeedbackKind::Bandit;
    Algorithm1::new(Config { space, feedback, ..config })
}

impl Policy for ClassifierOnly {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(&mut self, x: Features<'_>, active: ActiveSet) -> Result<Decision<'_>, LearnerError> {
        self.frame.check(x, active)?;
        let inner = self.classifier.decide(x, self.classifier.space().classes_only())?;
        let gamma = inner.gamma;
        let decision = self.frame.decide(active, |q| q[..inner.q.len()].copy_from_slice(inner.q));
        Ok(Decision { gamma, ..decision })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.observe(feedback)?;
        self.classifier.observe(feedback)
    }
}

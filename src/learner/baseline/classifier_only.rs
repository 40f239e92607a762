//! Never defers: Algorithm 1 on the classes alone.

use super::Frame;
use crate::{Algorithm1, Config, Decision, LearnerError, Policy};
use problem::{ActionSpace, ActiveRef, Features, Feedback};

/// Learns a classifier and never asks anybody.
#[derive(Clone, Debug)]
pub(crate) struct ClassifierOnly {
    frame: Frame,
    pub(super) classifier: Algorithm1,
}

impl ClassifierOnly {
    /// `config` is that of the full problem; the classifier inside has its classes, no experts,
    /// and everything else as given.
    pub(crate) fn new(config: Config) -> Result<Self, LearnerError> {
        Ok(ClassifierOnly { frame: Frame::new(config.space), classifier: classifier(config)? })
    }
}

/// The same learner without the experts. Used with bandit feedback on class rounds only.
pub(super) fn classifier(config: Config) -> Result<Algorithm1, LearnerError> {
    if config.space.classes() == 0 {
        return Err(LearnerError::NoClasses);
    }
    let space = ActionSpace::new(config.space.classes(), 0)?;
    let feedback = problem::FeedbackKind::Bandit;
    Algorithm1::new(Config { space, feedback, ..config })
}

impl Policy for ClassifierOnly {
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
        let gamma = inner.gamma;
        let decision = self.frame.decide(active, |q| q[..inner.q.len()].copy_from_slice(inner.q));
        Ok(Decision { gamma, ..decision })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.observe(feedback)?;
        self.classifier.observe(feedback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> ActionSpace {
        ActionSpace::new(2, 2).unwrap()
    }

    /// The classifier inside knows no experts (its rates follow the number of its actions), and is told
    /// about its own rounds only, so it takes bandit feedback whatever the problem offers.
    #[test]
    fn the_classifier_inside_knows_classes_and_bandit_feedback() {
        let feedback = problem::FeedbackKind::Full;
        let config = Config { feedback, ..Config::new(space(), 1) };
        let mut policy = ClassifierOnly::new(config).unwrap();
        assert_eq!(policy.classifier.space(), ActionSpace::new(2, 0).unwrap());
        let q = policy.decide(Features::Dense(&[1.0]), space().all_active()).unwrap().q.to_vec();
        assert_eq!(q, [0.75, 0.25, 0.0, 0.0]);
        let action = space().class(0).unwrap();
        assert_eq!(policy.observe(Feedback::Bandit { action, correct: true, cost: None }), Ok(()));
    }
}

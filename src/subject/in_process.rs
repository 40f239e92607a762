//! Algorithm 1 of this project as a subject.

use super::{
    Answer, OptimizerName, ScheduleName, Subject, SubjectError, SubjectFeedback, SubjectSpec,
};
use crate::learner::{Algorithm1, Config, LearnerError, Optimizer, Policy, Schedule};
use crate::problem::{ActionSpace, Features, Feedback};

/// [`Algorithm1`] without a pipe in between.
#[derive(Clone, Debug, Default)]
pub(crate) struct InProcess {
    learner: Option<Algorithm1>,
}

fn refused(request: &str) -> impl Fn(LearnerError) -> SubjectError {
    move |error| SubjectError::Refused { request: request.into(), message: error.to_string() }
}

fn not_started(request: &str) -> SubjectError {
    SubjectError::Refused { request: request.into(), message: "send init first".into() }
}

fn config(spec: &SubjectSpec) -> Result<Config, LearnerError> {
    let (optimizer, schedule) = match (spec.optimizer, spec.schedule) {
        (OptimizerName::Adagrad, _) => (Optimizer::ADAGRAD, Schedule::EXPERIMENT),
        (OptimizerName::Ogd, ScheduleName::General) => (Optimizer::Ogd, Schedule::General),
        (OptimizerName::Ogd, ScheduleName::Concentrated) => {
            (Optimizer::Ogd, Schedule::Concentrated)
        }
        (OptimizerName::Ogd, ScheduleName::Experiment) => (Optimizer::Ogd, Schedule::EXPERIMENT),
    };
    Ok(Config {
        space: ActionSpace::new(spec.n, spec.n_e)?,
        dim: spec.d,
        radius: Some(spec.radius),
        rho: spec.rho,
        surrogate: spec.surrogate.parse()?,
        optimizer,
        schedule,
        feedback: spec.feedback,
    })
}

impl Subject for InProcess {
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
        let learner = config(spec).and_then(Algorithm1::new).map_err(refused("init"))?;
        self.learner = Some(learner);
        Ok(())
    }

    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
        let learner = self.learner.as_mut().ok_or_else(|| not_started("decide"))?;
        let refuse = refused("decide");
        let active = learner.space().active(available.iter().copied());
        let active = active.map_err(|error| refuse(error.into()))?;
        let decision = learner.decide(Features::Dense(x), active).map_err(refuse)?;
        Ok(Answer {
            active: active.iter().map(|a| a.index()).collect(),
            scores: decision.scores.to_vec(),
            q: decision.q.to_vec(),
        })
    }

    fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError> {
        let learner = self.learner.as_mut().ok_or_else(|| not_started("observe"))?;
        let refuse = refused("observe");
        let feedback = match outcome {
            SubjectFeedback::Bandit { action, correct, cost } => {
                let action = learner.space().action(action).map_err(|e| refuse(e.into()))?;
                Feedback::Bandit { action, correct, cost }
            }
            SubjectFeedback::Full { label, costs } => Feedback::Full { label, costs },
        };
        learner.observe(feedback).map_err(refuse)
    }

    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError> {
        let learner = self.learner.as_ref().ok_or_else(|| not_started("weights"))?;
        Ok(learner.weights())
    }
}

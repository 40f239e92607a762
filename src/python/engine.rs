//! The learners a router can be made of.

use crate::errors::{learner_error, value_error};
use deferlab::learner::{
    Algorithm1, BeliefConfig, BeliefRouter, Config, Decision, LearnerError, Policy, SquareCb,
    SquareCbConfig,
};
use deferlab::problem::{ActionSpace, ActiveRef, Features, Feedback, FeedbackKind};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A learner and all it has learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // there is one of them
pub(crate) enum Engine {
    Belief(BeliefRouter),
    SquareCb(SquareCb),
    Algorithm1(Algorithm1),
}

/// The same with whichever learner it is.
macro_rules! forward {
    ($engine:expr, $learner:ident => $call:expr) => {
        match $engine {
            Engine::Belief($learner) => $call,
            Engine::SquareCb($learner) => $call,
            Engine::Algorithm1($learner) => $call,
        }
    };
}

/// Which learner, before it knows the dimension of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Learner {
    Belief,
    SquareCb,
    Algorithm1,
}

impl Learner {
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        serde_json::from_value(Value::from(name)).map_err(|_| {
            value_error(format!(
                "learner {name:?} is not known: expected \"belief\", \"square_cb\" or \"algorithm1\""
            ))
        })
    }

    /// At its first round, with its defaults but for `settings`.
    pub(crate) fn start(
        self,
        space: ActionSpace,
        dim: usize,
        settings: &Map<String, Value>,
    ) -> PyResult<Engine> {
        Ok(match self {
            Learner::Belief => Engine::Belief(
                BeliefRouter::new(changed(BeliefConfig::new(space, dim), settings)?)
                    .map_err(learner_error)?,
            ),
            Learner::SquareCb => Engine::SquareCb(
                SquareCb::new(changed(SquareCbConfig::new(space, dim), settings)?)
                    .map_err(learner_error)?,
            ),
            Learner::Algorithm1 => Engine::Algorithm1(
                Algorithm1::new(changed(Config::new(space, dim), settings)?)
                    .map_err(learner_error)?,
            ),
        })
    }
}

/// A configuration with other values for some of its fields.
fn changed<C: Serialize + DeserializeOwned>(
    config: C,
    settings: &Map<String, Value>,
) -> PyResult<C> {
    let mut fields = serde_json::to_value(config).map_err(value_error)?;
    for (name, value) in settings {
        let field = fields
            .get_mut(name)
            .ok_or_else(|| value_error(format!("setting {name:?} is not known to this learner")))?;
        *field = value.clone();
    }
    serde_json::from_value(fields).map_err(|error| value_error(format!("settings: {error}")))
}

impl Policy for Engine {
    fn space(&self) -> ActionSpace {
        forward!(self, learner => learner.space())
    }

    fn feedback(&self) -> FeedbackKind {
        forward!(self, learner => learner.feedback())
    }

    #[inline]
    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        forward!(self, learner => learner.decide(x, active))
    }

    #[inline]
    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        forward!(self, learner => learner.observe(feedback))
    }
}

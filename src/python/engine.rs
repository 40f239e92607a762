//! The learners a router can be made of.

use crate::errors::{did_you_mean, learner_error, named_error, value_error};
use deferlab::learner::{
    Algorithm1, BeliefConfig, BeliefRouter, Config, Decision, LearnerError, NamedRouter, Observed,
    Policy, RouterOptions, SquareCb, SquareCbConfig,
};
use deferlab::problem::{Action, ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback};
use pyo3::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A learner and all it has learned, the random numbers included.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // there is one of them
pub(crate) enum Engine {
    /// The recommended one.
    Auto(NamedRouter),
    /// Those it is compared with.
    Belief(Drawing<BeliefRouter>),
    SquareCb(Drawing<SquareCb>),
    Algorithm1(Drawing<Algorithm1>),
}

/// Which learner, before it knows the dimension of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Learner {
    Auto,
    Belief,
    SquareCb,
    Algorithm1,
}

impl Learner {
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        serde_json::from_value(Value::from(name)).map_err(|_| {
            value_error(format!(
                "learner {name:?} is not known: expected \"auto\", \"belief\", \"square_cb\" or \
                 \"algorithm1\""
            ))
        })
    }

    /// At its first round, with its defaults but for `settings`.
    pub(crate) fn start(
        self,
        classes: &[String],
        experts: &[String],
        (dim, seed): (usize, u64),
        settings: &Map<String, Value>,
    ) -> PyResult<Engine> {
        let space = ActionSpace::new(classes.len(), experts.len()).map_err(value_error)?;
        Ok(match self {
            Learner::Auto => {
                let options = RouterOptions { dim, seed, ..RouterOptions::default() };
                let options = changed(options, settings)?;
                Engine::Auto(NamedRouter::new(classes, experts, options).map_err(named_error)?)
            }
            Learner::Belief => {
                let config = changed(BeliefConfig::new(space, dim), settings)?;
                Engine::Belief(Drawing::new(BeliefRouter::new(config), seed)?)
            }
            Learner::SquareCb => {
                let config = changed(SquareCbConfig::new(space, dim), settings)?;
                Engine::SquareCb(Drawing::new(SquareCb::new(config), seed)?)
            }
            Learner::Algorithm1 => {
                let config = changed(Config::new(space, dim), settings)?;
                Engine::Algorithm1(Drawing::new(Algorithm1::new(config), seed)?)
            }
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
        if let Some(field) = fields.get_mut(name) {
            *field = value.clone();
            continue;
        }
        let known: Vec<&str> =
            fields.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let near = did_you_mean(name, known.into_iter());
        return Err(value_error(format!("setting {name:?} is not known to this learner{near}")));
    }
    serde_json::from_value(fields).map_err(|error| value_error(format!("settings: {error}")))
}

/// A policy with the generator that draws its actions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drawing<P> {
    policy: P,
    rng: Pcg64,
    /// The action of the open question.
    chosen: Option<usize>,
}

impl<P: Policy> Drawing<P> {
    fn new(policy: Result<P, LearnerError>, seed: u64) -> PyResult<Self> {
        let policy = policy.map_err(learner_error)?;
        Ok(Drawing { policy, rng: Pcg64::seed_from_u64(seed), chosen: None })
    }

    fn draw(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<(Decision<'_>, Action), LearnerError> {
        let decision = self.policy.decide(x, active)?;
        let action = decision.sample(self.rng.random());
        self.chosen = Some(action.index());
        Ok((decision, action))
    }

    fn observe(&mut self, action: Option<usize>, outcome: Observed<'_>) -> PyResult<()> {
        let action = action.or(self.chosen).ok_or_else(|| {
            value_error("observe was called without a decide: say which action was taken")
        })?;
        let space = self.policy.space();
        let action = space.action(action).map_err(value_error)?;
        let expert = space.expert_of(action).is_some();
        let feedback = match outcome {
            // Without a cost an expert costs as much as a class that is as right.
            Observed::Correct { correct, cost } => {
                let cost = cost.or(expert.then(|| f64::from(!correct)));
                Feedback::Bandit { action, correct, cost }
            }
            Observed::Reward { reward, cost } => Feedback::Reward { action, reward, cost },
            _ => {
                return Err(value_error(
                    "this learner is told whether an action was right; answers and labels are for \
                     learner=\"auto\"",
                ));
            }
        };
        self.policy.observe(feedback).map_err(learner_error)?;
        self.chosen = None;
        Ok(())
    }
}

/// The same with whichever learner it is.
macro_rules! forward {
    ($engine:expr, $named:ident => $auto:expr, $drawing:ident => $other:expr) => {
        match $engine {
            Engine::Auto($named) => $auto,
            Engine::Belief($drawing) => $other,
            Engine::SquareCb($drawing) => $other,
            Engine::Algorithm1($drawing) => $other,
        }
    };
}

impl Engine {
    /// Classes and experts, the retired ones included.
    pub(crate) fn space(&self) -> ActionSpace {
        forward!(self, named => named.config().space, drawing => drawing.policy.space())
    }

    /// Opens a question and draws its action.
    #[inline]
    pub(crate) fn draw(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> PyResult<(Decision<'_>, Action)> {
        forward!(self,
            named => named.draw(x, active).map_err(named_error),
            drawing => drawing.draw(x, active).map_err(learner_error))
    }

    /// The answer to a question that is not asked: nothing is drawn, and there is nothing to observe.
    pub(crate) fn consider(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> PyResult<(Decision<'_>, Action)> {
        let decision = forward!(self,
        named => named.consider(x, active).map_err(named_error)?,
        drawing => {
            drawing.chosen = None;
            drawing.policy.decide(x, active).map_err(learner_error)?
        });
        Ok((decision, decision.greedy))
    }

    /// What came of the action drawn last, or of another one.
    #[inline]
    pub(crate) fn observe(
        &mut self,
        action: Option<(usize, &str)>,
        outcome: Observed<'_>,
    ) -> PyResult<()> {
        forward!(self,
            named => match action {
                None => named.observe(outcome),
                Some((_, name)) => named.observe_action(name, outcome),
            }
            .map_err(named_error),
            drawing => drawing.observe(action.map(|(place, _)| place), outcome))
    }

    /// What came of an action that was taken before or elsewhere.
    pub(crate) fn learn(
        &mut self,
        x: Features<'_>,
        (place, name): (usize, &str),
        outcome: Observed<'_>,
    ) -> PyResult<()> {
        forward!(self,
        named => named.learn(x, name, outcome).map_err(named_error),
        drawing => {
            let space = drawing.policy.space();
            let mut active = ActiveBuffer::new(space);
            let active = active.fill(place.checked_sub(space.classes())).map_err(value_error)?;
            drawing.policy.decide(x, active).map_err(learner_error)?;
            drawing.observe(Some(place), outcome)
        })
    }

    /// The action of the open question.
    pub(crate) fn chosen(&self) -> Option<usize> {
        forward!(self, named => named.chosen(), drawing => drawing.chosen)
    }

    /// The recommended learner: experts come and go with it alone.
    pub(crate) fn pool(&mut self) -> PyResult<&mut NamedRouter> {
        match self {
            Engine::Auto(named) => Ok(named),
            _ => Err(value_error("experts come and go with learner=\"auto\" alone")),
        }
    }

    /// The policy and what draws its actions, for whole streams.
    pub(crate) fn playing(&mut self) -> (&mut (dyn Policy + Send), &mut (dyn Rng + Send)) {
        forward!(self,
        named => {
            let (policy, rng) = named.playing();
            (policy, rng)
        },
        drawing => {
            drawing.chosen = None;
            (&mut drawing.policy, &mut drawing.rng)
        })
    }
}

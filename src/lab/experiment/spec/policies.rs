//! Settings of policies.

use super::super::error::PolicyFault;
use super::super::network_spec::Trained;
use learner::Surrogate;
use learner::{Exploration, Optimizer, Regression, Schedule};
use problem::FeedbackKind;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use std::time::Duration;

/// `{}`: no settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// Settings of a learner; defaults are Algorithm 1 as Thm 6.3 runs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LearnerSpec {
    /// `B`.
    pub(crate) radius: Radius,
    /// `rho`; without it the largest `|(x, 1)|` of the stream.
    pub(crate) rho: Option<f64>,
    /// The loss.
    pub(crate) surrogate: Surrogate,
    /// How a gradient becomes a step.
    pub(crate) optimizer: Optimizer,
    /// Learning and exploration rates.
    pub(crate) schedule: Schedule,
    /// What the learner is told.
    pub(crate) feedback: FeedbackKind,
}

impl Default for LearnerSpec {
    fn default() -> Self {
        LearnerSpec {
            radius: Radius::Actions,
            rho: None,
            surrogate: Surrogate::CstndHinge,
            optimizer: Optimizer::Ogd,
            schedule: Schedule::General,
            feedback: FeedbackKind::Bandit,
        }
    }
}

/// Settings of [`learner::AutoRouter`]; what is not said is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AutoSpec {
    /// AdaGrad's base rates, one for each copy.
    pub(crate) rates: Option<Vec<f64>>,
    /// How fast exploration is given up.
    pub(crate) greed: Option<f64>,
    /// Rounds after which what was learned about an expert counts half.
    pub(crate) half_life: Option<f64>,
    /// The share of rounds that is played uniformly, for ever.
    pub(crate) floor: Option<f64>,
    /// What the learner is told; the paper's bit if nothing is said.
    pub(crate) feedback: Option<FeedbackKind>,
}

/// Settings of [`learner::BeliefRouter`]; what is not said is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeliefSpec {
    /// AdaGrad's base rate for an input of norm one.
    pub(crate) rate: Option<f64>,
    /// Whether a wrong class counts for what it rules out.
    pub(crate) wrong_answers: Option<bool>,
    /// Whether the belief is corrected by how often it turned out right.
    pub(crate) calibrate: Option<bool>,
    /// How much is played besides the action that looks best.
    pub(crate) exploration: Option<Exploration>,
}

/// Settings of [`learner::SquareCb`]; what is not said is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SquareCbSpec {
    /// The regression.
    pub(crate) regression: Option<Regression>,
    /// AdaGrad's base rate for an input of norm one.
    pub(crate) rate: Option<f64>,
    /// How much is played besides the action that looks best.
    pub(crate) exploration: Option<Exploration>,
}

/// The radius `B` of the ball.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Radius {
    /// `"N"`: as many as there are actions.
    #[default]
    Actions,
    /// `"none"`: no ball.
    None,
    /// A number.
    Of(f64),
}

impl Radius {
    /// For `actions = N`.
    #[must_use]
    pub(crate) fn value(self, actions: usize) -> Option<f64> {
        match self {
            Radius::Actions => Some(actions as f64),
            Radius::None => None,
            Radius::Of(radius) => Some(radius),
        }
    }
}

impl Serialize for Radius {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Radius::Actions => serializer.serialize_str("N"),
            Radius::None => serializer.serialize_str("none"),
            Radius::Of(radius) => serializer.serialize_f64(*radius),
        }
    }
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Radius;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, \"N\" or \"none\"")
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Radius, E> {
                Ok(Radius::Of(value))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Radius, E> {
                Ok(Radius::Of(value as f64))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Radius, E> {
                Ok(Radius::Of(value as f64))
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Radius, E> {
                match value {
                    "N" => Ok(Radius::Actions),
                    "none" => Ok(Radius::None),
                    _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Settings of the confidence baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfidenceSpec {
    /// Below this confidence it defers.
    pub(crate) threshold: f64,
    /// Its classifier.
    #[serde(default)]
    pub(crate) learner: LearnerSpec,
}

/// Settings of Algorithm 1 on the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPolicySpec {
    /// Whether it starts from the weights trained beforehand; otherwise from random ones.
    #[serde(default = "super::yes")]
    pub pretrained: bool,
    /// Which weights learn.
    #[serde(default)]
    pub train: Trained,
    /// Learning and exploration rates.
    pub schedule: Schedule,
}

/// Settings of the confidence baseline on the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NetworkConfidenceSpec {
    /// Below this confidence it defers; 0 never defers.
    pub(crate) threshold: f64,
}

/// A policy that is another program: the command, or a table with more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CommandSpec {
    /// Run by the shell, in the folder of the experiment file.
    pub(crate) run: String,
    /// Seconds for each reply; results do not depend on it. The first may take 15.
    #[serde(skip)]
    pub(crate) time_limit: f64,
    /// What the program is told.
    pub(crate) feedback: FeedbackKind,
}

impl CommandSpec {
    /// The time for each reply.
    ///
    /// # Errors
    /// It is not a number of seconds.
    pub(in crate::experiment) fn limit(&self) -> Result<Duration, PolicyFault> {
        let limit = Duration::try_from_secs_f64(self.time_limit).ok();
        limit.filter(|limit| !limit.is_zero()).ok_or(PolicyFault::TimeLimit(self.time_limit))
    }
}

impl<'de> Deserialize<'de> for CommandSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            run: String,
            #[serde(default = "seconds")]
            time_limit: f64,
            #[serde(default = "bandit")]
            feedback: FeedbackKind,
        }
        fn seconds() -> f64 {
            5.0
        }
        fn bandit() -> FeedbackKind {
            FeedbackKind::Bandit
        }
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = CommandSpec;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a command, or a table with `run`")
            }
            fn visit_str<E: de::Error>(self, run: &str) -> Result<CommandSpec, E> {
                let (time_limit, feedback) = (seconds(), bandit());
                Ok(CommandSpec { run: run.into(), time_limit, feedback })
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<CommandSpec, A::Error> {
                let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
                let Table { run, time_limit, feedback } = table;
                Ok(CommandSpec { run, time_limit, feedback })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Settings of the fixed-expert baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FixedExpertSpec {
    /// The cheapest available one is asked. Without it: what each expert costs on average in the
    /// rounds that are played, which nobody knows beforehand.
    #[serde(default)]
    pub(crate) mean_costs: Option<Vec<f64>>,
}

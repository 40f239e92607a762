//! A stream and a policy of an experiment file. What they are set to stays in this crate; others ask.

use super::super::build::{self, Shape};
use super::super::build_peers;
use super::kinds::{PolicySettings, StreamSettings};
use super::policies::{CommandSpec, LearnerSpec, Radius};
use crate::stream::Cifar10hConfig;
use learner::{Config, RidgeCbConfig, Surrogate};
use problem::FeedbackKind;

/// A source of rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamSpec {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// What a reader sees; the name where the file says nothing else.
    pub label: String,
    /// Where its rounds come from.
    pub(in crate::experiment) settings: StreamSettings,
}

/// What a file says about a stream, for whoever shows its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamFacts<'a> {
    /// What the experts are called, where the experiment or its file says it.
    pub experts: Option<&'a [String]>,
    /// Which regions each generated expert knows at the start.
    pub knows: Option<&'a [Vec<usize>]>,
    /// The first round in which an expert is another one or arrives, where experts change.
    pub changes_at: Option<u64>,
    /// How many classes its images have, if it has some.
    pub image_classes: Option<usize>,
}

impl StreamSpec {
    /// What the file says about it.
    #[must_use]
    pub fn facts(&self) -> StreamFacts<'_> {
        let none = StreamFacts::default();
        match &self.settings {
            StreamSettings::Table(table) => {
                StreamFacts { experts: table.experts.as_deref(), ..none }
            }
            StreamSettings::Recorded(recorded) => {
                StreamFacts { experts: recorded.experts.as_deref(), ..none }
            }
            StreamSettings::Synthetic(config) => StreamFacts { knows: Some(&config.knows), ..none },
            StreamSettings::Reuters4(config) => StreamFacts { knows: Some(&config.knows), ..none },
            StreamSettings::Cifar10h(config) => StreamFacts {
                knows: Some(&config.knows),
                image_classes: Some(config.classes),
                ..none
            },
            StreamSettings::Change(config) => StreamFacts {
                changes_at: config.expert.iter().find_map(|e| e.at.or(e.arrives)),
                ..none
            },
            _ => none,
        }
    }

    /// Its images, if it has some.
    pub(in crate::experiment) fn images(&self) -> Option<&Cifar10hConfig> {
        match &self.settings {
            StreamSettings::Cifar10h(config) => Some(config),
            _ => None,
        }
    }
}

/// What a file says about a policy, for whoever shows its runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyFacts {
    /// The loss that the paper's learner learns from, if it is that.
    pub surrogate: Option<Surrogate>,
    /// What it is told after a round.
    pub feedback: FeedbackKind,
    /// Its label and settings in words, where it is the paper's learner, one with its settings, or the ridge
    /// learner.
    pub in_words: Option<String>,
}

/// Who acts.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySpec {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// What a reader sees; the name where the file says nothing else.
    pub label: String,
    /// Names of the streams it is run on; all without it.
    pub(crate) only: Option<Vec<String>>,
    /// How it acts.
    pub(in crate::experiment) settings: PolicySettings,
}

impl PolicySpec {
    /// The configuration of the paper's learner on a stream of that shape, if it is that.
    #[must_use]
    pub fn algorithm1(&self, shape: Shape) -> Option<Config> {
        self.learner().map(|learner| build::learner_config(learner, shape))
    }

    /// What the file says about it.
    #[must_use]
    pub fn facts(&self) -> PolicyFacts {
        PolicyFacts {
            surrogate: self.learner().map(|learner| learner.surrogate),
            feedback: self.feedback(),
            in_words: self.in_words(),
        }
    }

    /// The settings of the paper's learner, if it is that.
    #[must_use]
    pub(in crate::experiment) fn learner(&self) -> Option<&LearnerSpec> {
        match &self.settings {
            PolicySettings::Algorithm1(learner) => Some(learner),
            _ => None,
        }
    }

    /// Whether both are the paper's learner with the same settings, but perhaps in another ball.
    #[must_use]
    pub fn differs_in_radius_alone(&self, other: &PolicySpec) -> bool {
        let without = |p: &PolicySpec| {
            Some(LearnerSpec { radius: Radius::default(), ..p.learner()?.clone() })
        };
        self.learner().is_some() && without(self) == without(other)
    }

    /// The configuration of the ridge learner on a stream of that shape, if it is that.
    #[must_use]
    pub fn ridge_cb(&self, shape: Shape, rounds: u64) -> Option<RidgeCbConfig> {
        match &self.settings {
            PolicySettings::RidgeCb(ridge) => Some(build_peers::ridge_cb(ridge, shape, rounds)),
            _ => None,
        }
    }

    /// Whether it scores with the network.
    #[must_use]
    pub(crate) fn has_network(&self) -> bool {
        matches!(self.settings, PolicySettings::Network(_) | PolicySettings::NetworkConfidence(_))
    }

    /// What it is told after a round.
    pub(in crate::experiment) fn feedback(&self) -> FeedbackKind {
        match &self.settings {
            PolicySettings::Algorithm1(learner) => learner.feedback,
            PolicySettings::Auto(router) => router.feedback.unwrap_or(FeedbackKind::Bandit),
            PolicySettings::Command(command) => command.feedback,
            _ => FeedbackKind::Bandit,
        }
    }

    /// The program it is, if it is one.
    #[must_use]
    pub(in crate::experiment) fn command(&self) -> Option<&CommandSpec> {
        match &self.settings {
            PolicySettings::Command(command) => Some(command),
            _ => None,
        }
    }

    /// Whether it is run on the stream of that name.
    #[must_use]
    pub fn runs_on(&self, stream: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == stream))
    }
}

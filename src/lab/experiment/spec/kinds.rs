//! Streams and policies: a name, and exactly one kind with its settings.
//!
//! In the file the kind is a key beside the name (`uniform = {}`, `[stream.table]`). In the canonical
//! configuration, whose hash finds stored runs, the first kinds there were appear as `null` in a stream
//! or policy of another kind, and later ones are left out: both are kept, so that no hash changes.

use super::super::data::{LabelMeSpec, Reuters4Spec, TableSpec};
use super::peers::{EpsilonGreedySpec, LinUcbSpec, RidgeCbSpec, RunningMeansSpec, ThompsonSpec};
use super::policies::{
    AutoSpec, BeliefSpec, CommandSpec, ConfidenceSpec, FixedExpertSpec, LearnerSpec,
    NetworkConfidenceSpec, NetworkPolicySpec, Nothing, SquareCbSpec,
};
use super::questions::{PolicySpec, StreamSpec};
use super::streams::{LawSpec, PhasesSpec, RecordedSpec};
use crate::stream::{ChangeConfig, Cifar10hConfig, SyntheticConfig};
use serde::de::{self, Deserialize, Deserializer, MapAccess};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The kinds of one list: which there are, each with its settings, and the specification as a map in
/// which the kind is a key.
macro_rules! kinds {
    (
        $(#[$about:meta])*
        $kind:ident with $settings_of:ident of $spec:ident in $list:literal $(with $more:ident)?;
        $( $(#[$doc:meta])* $key:literal $absent:ident => $variant:ident($settings:ty), )+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $kind { $( $(#[$doc])* $variant, )+ }

        /// The kind with what the file says about it.
        #[derive(Clone, Debug, PartialEq)]
        pub(in crate::experiment) enum $settings_of { $( $variant($settings), )+ }

        impl $spec {
            /// What kind it is.
            #[must_use]
            pub fn kind(&self) -> $kind {
                match self.settings { $( $settings_of::$variant(_) => $kind::$variant, )+ }
            }
        }

        impl Serialize for $spec {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("name", &self.name)?;
                map.serialize_entry("label", &self.label)?;
                $( map.serialize_entry(stringify!($more), &self.$more)?; )?
                $(
                    if let $settings_of::$variant(settings) = &self.settings {
                        map.serialize_entry($key, settings)?;
                    } else if Absent::$absent == Absent::Null {
                        map.serialize_entry($key, &())?;
                    }
                )+
                map.end()
            }
        }

        impl<'de> Deserialize<'de> for $spec {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> de::Visitor<'de> for Visitor {
                    type Value = $spec;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a ", $list, " with a name and a kind"))
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$spec, A::Error> {
                        const KEYS: &[&str] = &["name", "label", $( stringify!($more), )? $( $key ),+];
                        let (mut name, mut label, mut kinds) = (None, None, Vec::new());
                        $( let mut $more = None; )?
                        while let Some(key) = map.next_key::<String>()? {
                            match key.as_str() {
                                "name" => name = Some(map.next_value()?),
                                "label" => label = map.next_value()?,
                                $( stringify!($more) => $more = map.next_value()?, )?
                                $( $key => {
                                    let settings: Option<$settings> = map.next_value()?;
                                    kinds.extend(settings.map($settings_of::$variant));
                                } )+
                                unknown => return Err(de::Error::unknown_field(unknown, KEYS)),
                            }
                        }
                        let name: String = name.ok_or_else(|| de::Error::missing_field("name"))?;
                        let settings = one_kind($list, &name, kinds, &[$( $key ),+]);
                        let settings = settings.map_err(de::Error::custom)?;
                        let label = label.unwrap_or_else(|| name.clone());
                        Ok($spec { name, label, $( $more, )? settings })
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }
    };
}

/// How a kind that is not given is written.
#[derive(PartialEq)]
enum Absent {
    Null,
    LeftOut,
}

/// An entry of a list whose kind is not clear.
#[derive(Debug, thiserror::Error)]
#[error("{list} `{name}` has {wrong}: give one of {known}")]
struct NotOneKind {
    list: &'static str,
    name: String,
    wrong: &'static str,
    known: String,
}

fn one_kind<K>(
    list: &'static str,
    name: &str,
    mut kinds: Vec<K>,
    known: &[&str],
) -> Result<K, NotOneKind> {
    let wrong = match (kinds.pop(), kinds.is_empty()) {
        (Some(kind), true) => return Ok(kind),
        (None, _) => "no kind",
        (Some(_), false) => "more than one kind",
    };
    Err(NotOneKind { list, name: name.into(), wrong, known: known.join(", ") })
}

kinds! {
    /// Where rounds come from.
    StreamKind with StreamSettings of StreamSpec in "stream";
    /// The streams of App. G.
    "synthetic" Null => Synthetic(SyntheticConfig),
    /// Independent draws from a list of conditional laws.
    "law" Null => Law(LawSpec),
    /// Rounds recorded in a file of JSON lines.
    "recorded" Null => Recorded(RecordedSpec),
    /// A list of laws, each round the one on which the learner is about to lose most.
    "adversary" LeftOut => Adversary(LawSpec),
    /// Laws that follow one another, phase by phase.
    "phases" LeftOut => Phases(PhasesSpec),
    /// Corrupted images and human experts (App. G.4).
    "cifar10h" LeftOut => Cifar10h(Cifar10hConfig),
    /// Reuters4 with generated experts.
    "reuters4" LeftOut => Reuters4(Reuters4Spec),
    /// LabelMe with its annotators.
    "labelme" LeftOut => LabelMe(LabelMeSpec),
    /// Experts who change, without classes or inputs.
    "change" LeftOut => Change(ChangeConfig),
    /// A table of one's own.
    "table" LeftOut => Table(TableSpec),
}

kinds! {
    /// How a policy acts.
    PolicyKind with PolicySettings of PolicySpec in "policy" with only;
    /// The paper's learner.
    "algorithm1" Null => Algorithm1(LearnerSpec),
    /// The recommended learner.
    "auto" LeftOut => Auto(AutoSpec),
    /// Estimates scores, with one belief over the labels.
    "belief" LeftOut => Belief(BeliefSpec),
    /// Estimates scores, with one regression per action.
    "square_cb" LeftOut => SquareCb(SquareCbSpec),
    /// Another program.
    "command" LeftOut => Command(CommandSpec),
    /// One ridge forecaster per action, with a regret bound for any availability.
    "ridge_cb" LeftOut => RidgeCb(RidgeCbSpec),
    /// Linear models and upper confidence bounds.
    "lin_ucb" LeftOut => LinUcb(LinUcbSpec),
    /// Linear models and draws from their posterior.
    "thompson" LeftOut => Thompson(ThompsonSpec),
    /// Logistic models and a constant share of uniform play.
    "epsilon_greedy" LeftOut => EpsilonGreedy(EpsilonGreedySpec),
    /// What every action earned on average, whatever the input.
    "running_means" LeftOut => RunningMeans(RunningMeansSpec),
    /// Never defers.
    "classifier_only" Null => ClassifierOnly(LearnerSpec),
    /// Defers when the classifier is not sure.
    "confidence" Null => Confidence(ConfidenceSpec),
    /// The paper's learner on the network.
    "network" LeftOut => Network(NetworkPolicySpec),
    /// The network as it was trained beforehand, which defers when it is not sure.
    "network_confidence" LeftOut => NetworkConfidence(NetworkConfidenceSpec),
    /// Asks experts in a fixed order.
    "fixed_expert" Null => FixedExpert(FixedExpertSpec),
    /// Uniform over the active actions.
    "uniform" Null => Uniform(Nothing),
    /// Knows the scores.
    "oracle" Null => Oracle(Nothing),
}

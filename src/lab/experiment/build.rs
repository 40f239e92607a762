//! From specifications to streams and policies.

use super::data::Loaded;
use super::network;
use super::seed::sha256_hex;
use super::spec::{
    BeliefSpec, FixedExpertSpec, LawSpec, LearnerSpec, PolicySpec, Spec, SquareCbSpec, StreamSpec,
};
use crate::stream::cifar10h::{Cifar10h, HumanImages};
use crate::stream::crew::CrewConfig;
use crate::stream::labelled::{Labelled, LabelledInputs};
use crate::stream::recorded::{Recorded, Recording};
use crate::stream::synthetic::{Synthetic, SyntheticConfig};
use crate::stream::{LawItem, LawStream, Stream};
use learner::baseline::{ClassifierOnly, ConfidenceThreshold, FixedExpert, Oracle, Uniform};
use learner::{Algorithm1, BeliefConfig, BeliefRouter, Config, LearnerError, Policy};
use learner::{SquareCb, SquareCbConfig};
use problem::{ActionSpace, ProblemError, RoundLaw};
use std::path::Path;
use std::sync::Arc;

/// A stream that can be opened many times, with one seed or another.
#[derive(Clone, Debug)]
pub enum Source {
    /// App. G.
    Synthetic(SyntheticConfig),
    /// A list of laws.
    Law(Vec<LawItem>),
    /// Recorded rounds, and whether they are reshuffled.
    Recorded(Arc<Recording>, bool),
    /// App. G.4.
    Cifar10h(Arc<HumanImages>),
    /// Labelled inputs and generated experts.
    Labelled(Arc<LabelledInputs>, CrewConfig),
}

/// What a policy must know of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`.
    pub dim: usize,
    /// The largest `|(x, 1)|`.
    pub rho: f64,
}

impl Source {
    /// Reads what has to be read, and says so in `loaded`.
    ///
    /// # Errors
    /// In words: which stream, which field, what was expected.
    pub fn new(spec: &StreamSpec, folder: &Path, loaded: &mut Loaded) -> Result<Self, String> {
        let named = |what: String| format!("stream `{}`: {what}", spec.name);
        if let Some(config) = &spec.synthetic {
            return Ok(Source::Synthetic(config.clone()));
        }
        if let Some(law) = &spec.law {
            return Ok(Source::Law(law_items(law).map_err(named)?));
        }
        if let Some(config) = &spec.cifar10h {
            let images = network::read_images(config, loaded).map_err(|e| named(e.to_string()))?;
            return Ok(Source::Cifar10h(Arc::new(images)));
        }
        if let Some(reuters4) = &spec.reuters4 {
            let found = crate::data::reuters4().map_err(|e| named(e.to_string()))?;
            loaded.add(found.files, found.stand_in);
            return Ok(Source::Labelled(found.data, reuters4.crew()));
        }
        if let Some(labelme) = &spec.labelme {
            let recording = labelme.load(loaded).map_err(named)?;
            return Ok(Source::Recorded(Arc::new(recording), true));
        }
        if let Some(table) = &spec.table {
            let recording = table.load(folder, loaded).map_err(named)?;
            return Ok(Source::Recorded(Arc::new(recording), table.shuffle));
        }
        let recorded = spec.recorded.as_ref().ok_or_else(|| named("it has no kind".into()))?;
        let path = folder.join(&recorded.file);
        let at = |e: &dyn std::fmt::Display| named(format!("{}: {e}", path.display()));
        let bytes = std::fs::read(&path).map_err(|e| at(&e))?;
        let entry = (recorded.file.display().to_string(), sha256_hex(&bytes));
        let text = String::from_utf8(bytes).map_err(|_| at(&"not UTF-8 text"))?;
        let recording = Recording::read(&text, recorded.classes, recorded.cost);
        let recording = recording.map_err(|e| at(&e))?;
        loaded.add([entry], None);
        Ok(Source::Recorded(Arc::new(recording), recorded.shuffle))
    }

    /// The stream of one run.
    ///
    /// # Errors
    /// In words, naming the setting.
    pub fn open(&self, seed: u64) -> Result<Box<dyn Stream>, String> {
        Ok(match self {
            Source::Synthetic(config) => {
                Box::new(Synthetic::new(config, seed).map_err(|e| e.to_string())?)
            }
            Source::Law(items) => {
                Box::new(LawStream::new(items.clone(), seed).map_err(|e| e.to_string())?)
            }
            Source::Recorded(recording, true) => {
                Box::new(Recorded::shuffled(recording.clone(), seed))
            }
            Source::Recorded(recording, false) => Box::new(Recorded::once(recording.clone())),
            Source::Cifar10h(images) => Box::new(Cifar10h::new(images.clone(), seed)),
            Source::Labelled(data, crew) => {
                let stream = Labelled::new(data.clone(), crew, seed);
                Box::new(stream.map_err(|e| e.to_string())?)
            }
        })
    }

    /// Its shape.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn shape(&self) -> Result<Shape, String> {
        let stream = self.open(0)?;
        let rho = match self {
            Source::Synthetic(config) => {
                Synthetic::new(config, 0).map_err(|e| e.to_string())?.inputs().rho()
            }
            Source::Law(items) => {
                let norm2 = |item: &LawItem| 1.0 + item.x.iter().map(|v| v * v).sum::<f64>();
                items.iter().map(norm2).fold(1.0, f64::max).sqrt()
            }
            Source::Recorded(recording, _) => recording.rho(),
            // Pixels lie in [0, 1].
            Source::Cifar10h(_) => ((1 + stream.dim()) as f64).sqrt(),
            Source::Labelled(data, _) => data.inputs.rho(),
        };
        Ok(Shape { space: stream.space(), dim: stream.dim(), rho })
    }
}

fn law_items(law: &LawSpec) -> Result<Vec<LawItem>, String> {
    let item = |i: usize| -> Result<LawItem, ProblemError> {
        let spec = &law.item[i];
        let space = ActionSpace::new(spec.p.len(), spec.cost.len())?;
        let active = match &spec.available {
            Some(available) => space.active(available.iter().copied())?,
            None => space.all_active(),
        };
        let law = RoundLaw::new(space, &spec.p, &spec.cost)?;
        Ok(LawItem { weight: spec.weight, x: spec.x.clone(), active, law })
    };
    (0..law.item.len()).map(|i| item(i).map_err(|e| format!("law.item[{i}]: {e}"))).collect()
}

/// The configuration of a learner on a stream of that shape.
pub fn learner_config(spec: &LearnerSpec, shape: Shape) -> Config {
    Config {
        space: shape.space,
        dim: shape.dim,
        radius: spec.radius.value(shape.space.len()),
        rho: spec.rho.unwrap_or(shape.rho),
        surrogate: spec.surrogate,
        optimizer: spec.optimizer,
        schedule: spec.schedule,
        feedback: spec.feedback,
    }
}

fn belief_config(spec: &BeliefSpec, shape: Shape) -> BeliefConfig {
    let default = BeliefConfig::new(shape.space, shape.dim);
    BeliefConfig {
        rate: spec.rate.unwrap_or(default.rate),
        wrong_answers: spec.wrong_answers.unwrap_or(default.wrong_answers),
        calibrate: spec.calibrate.unwrap_or(default.calibrate),
        exploration: spec.exploration.unwrap_or(default.exploration),
        ..default
    }
}

fn square_cb_config(spec: &SquareCbSpec, shape: Shape) -> SquareCbConfig {
    let default = SquareCbConfig::new(shape.space, shape.dim);
    SquareCbConfig {
        regression: spec.regression.unwrap_or(default.regression),
        rate: spec.rate.unwrap_or(default.rate),
        exploration: spec.exploration.unwrap_or(default.exploration),
        ..default
    }
}

/// A policy at its first round.
///
/// # Errors
/// In words: which policy, which field, what was expected.
pub fn policy(spec: &PolicySpec, shape: Shape) -> Result<Box<dyn Policy>, String> {
    let make = || -> Result<Box<dyn Policy>, LearnerError> {
        let space = shape.space;
        Ok(if let Some(learner) = &spec.algorithm1 {
            Box::new(Algorithm1::new(learner_config(learner, shape))?)
        } else if let Some(router) = &spec.belief {
            Box::new(BeliefRouter::new(belief_config(router, shape))?)
        } else if let Some(router) = &spec.square_cb {
            Box::new(SquareCb::new(square_cb_config(router, shape))?)
        } else if let Some(learner) = &spec.classifier_only {
            Box::new(ClassifierOnly::new(learner_config(learner, shape))?)
        } else if let Some(confidence) = &spec.confidence {
            let config = learner_config(&confidence.learner, shape);
            Box::new(ConfidenceThreshold::new(config, confidence.threshold)?)
        } else if let Some(fixed) = &spec.fixed_expert {
            Box::new(FixedExpert::new(space, fixed.mean_costs.as_deref().unwrap_or_default())?)
        } else if spec.oracle.is_some() {
            Box::new(Oracle::new(space))
        } else {
            Box::new(Uniform::new(space))
        })
    };
    make().map_err(|e| format!("policy `{}`: {e}", spec.name))
}

/// A policy at its first round on `source`, which may know what the specification leaves open.
///
/// # Errors
/// As [`policy`].
pub fn policy_on(
    spec: &PolicySpec,
    source: &Source,
    shape: Shape,
) -> Result<Box<dyn Policy>, String> {
    if let (Some(FixedExpertSpec { mean_costs: None }), Source::Recorded(recording, _)) =
        (&spec.fixed_expert, source)
    {
        let mean_costs = Some(recording.mean_costs());
        let fixed_expert = Some(FixedExpertSpec { mean_costs });
        return policy(&PolicySpec { fixed_expert, ..spec.clone() }, shape);
    }
    policy(spec, shape)
}

/// Builds everything once, so that a fault is found before anything runs.
///
/// # Errors
/// The first fault, in words.
pub fn check(spec: &Spec, folder: &Path, loaded: &mut Loaded) -> Result<(), String> {
    for stream in &spec.stream {
        let named = |what: String| format!("stream `{}`: {what}", stream.name);
        let source = Source::new(stream, folder, loaded)?;
        let shape = source.shape().map_err(named)?;
        if let Source::Recorded(recording, false) = &source
            && (recording.rounds() as u64) < spec.rounds
        {
            return Err(named(format!(
                "it has {} rounds, the experiment asks for {}: lower `rounds` or set `shuffle = true`",
                recording.rounds(),
                spec.rounds
            )));
        }
        let acting = |p: &&PolicySpec| p.runs_on(&stream.name) && !p.has_network();
        for p in spec.policy.iter().filter(acting) {
            policy_on(p, &source, shape)?;
        }
    }
    Ok(())
}

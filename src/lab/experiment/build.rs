//! From specifications to streams and policies.

use super::build_peers;
use super::data::Loaded;
use super::error::{PolicyFault, SpecFault, StreamFault};
use super::network;
use super::spec::{
    AutoSpec, BeliefSpec, CommandSpec, ExperimentSpec, FixedExpertSpec, LawItemSpec, LearnerSpec,
    PhaseSpec, PhasesSpec, PolicySettings, PolicySpec, SquareCbSpec, StreamSettings, StreamSpec,
};
use crate::limits;
use crate::stream::{
    Change, ChangeConfig, Cifar10h, CrewConfig, DiskRecording, FromDisk, HumanImages, Labelled,
    LabelledInputs, LawItem, Laws, Recorded, Recording, Stream, Synthetic, SyntheticConfig,
};
use learner::{
    Algorithm1, AutoConfig, AutoRouter, Baseline, BeliefConfig, BeliefRouter, Config, PlainLearner,
    Policy,
};
use learner::{RidgeCb, SquareCb, SquareCbConfig};
use problem::{ActionSpace, FeedbackKind, ProblemError, RoundLaw, SMALL_ACTIONS};
use std::path::Path;
use std::sync::Arc;

/// A stream that can be opened many times, with one seed or another.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// App. G.
    Synthetic(SyntheticConfig),
    /// Conditional laws.
    Laws(Laws),
    /// Recorded rounds, and whether they are reshuffled.
    Recorded(Arc<Recording>, bool),
    /// Recorded rounds that stay on disk.
    Disk(Arc<DiskRecording>),
    /// App. G.4.
    Cifar10h(Arc<HumanImages>),
    /// Experts who change.
    Change(ChangeConfig),
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
    /// Reads what has to be read and was not read before, and says so in `loaded`.
    ///
    /// # Errors
    /// Which stream, which field, what was expected.
    pub(super) fn new(
        spec: &StreamSpec,
        folder: &Path,
        loaded: &mut Loaded,
    ) -> Result<Self, SpecFault> {
        Source::load(&spec.settings, folder, loaded)
            .map_err(|source| SpecFault::Stream { name: spec.name.clone(), source: source.into() })
    }

    fn load(
        kind: &StreamSettings,
        folder: &Path,
        loaded: &mut Loaded,
    ) -> Result<Self, StreamFault> {
        if let Some((_, source)) = loaded.sources.iter().find(|(known, _)| known == kind) {
            return Ok(source.clone());
        }
        let source = match kind {
            StreamSettings::Synthetic(config) => return Ok(Source::Synthetic(config.clone())),
            StreamSettings::Law(law) => {
                return Ok(Source::Laws(Laws::Drawn(law_items(&law.item)?)));
            }
            StreamSettings::Adversary(law) => {
                return Ok(Source::Laws(Laws::Adversary(law_items(&law.item)?)));
            }
            StreamSettings::Phases(phases) => return phase_items(phases),
            StreamSettings::Change(config) => return Ok(Source::Change(config.clone())),
            StreamSettings::Cifar10h(config) => {
                Source::Cifar10h(Arc::new(network::read_images(config, loaded)?))
            }
            StreamSettings::Reuters4(reuters4) => {
                let found = crate::data::reuters4()?;
                loaded.add(found.files, found.stand_in)?;
                Source::Labelled(found.data, reuters4.crew())
            }
            StreamSettings::LabelMe(labelme) => {
                Source::Recorded(Arc::new(labelme.load(loaded)?), true)
            }
            StreamSettings::Table(table) => {
                Source::Recorded(Arc::new(table.load(folder, loaded)?), table.shuffle)
            }
            StreamSettings::Recorded(recorded) if recorded.disk => {
                Source::Disk(Arc::new(recorded.on_disk(folder, loaded)?))
            }
            StreamSettings::Recorded(recorded) => {
                let recording = recorded.load(folder, loaded)?;
                Source::Recorded(Arc::new(recording), recorded.shuffle)
            }
        };
        loaded.sources.push((kind.clone(), source.clone()));
        Ok(source)
    }

    /// The stream of one run.
    ///
    /// # Errors
    /// Names the setting.
    pub(super) fn open(&self, seed: u64) -> Result<Box<dyn Stream>, StreamFault> {
        Ok(match self {
            Source::Synthetic(config) => Box::new(Synthetic::make(config, seed)?),
            Source::Change(config) => Box::new(Change::new(config, seed)?),
            Source::Laws(laws) => laws.open(seed)?,
            Source::Recorded(recording, true) => {
                Box::new(Recorded::shuffled(recording.clone(), seed))
            }
            Source::Recorded(recording, false) => Box::new(Recorded::once(recording.clone())),
            Source::Disk(recording) => Box::new(FromDisk::new(recording.clone())?),
            Source::Cifar10h(images) => Box::new(Cifar10h::new(images.clone(), seed)),
            Source::Labelled(data, crew) => Box::new(Labelled::new(data.clone(), crew, seed)?),
        })
    }

    /// The kinds of rounds of a stream that is given by its law; none of any other.
    pub(super) fn law_items(&self) -> impl Iterator<Item = &LawItem> {
        let laws = if let Source::Laws(laws) = self { Some(laws) } else { None };
        laws.into_iter().flat_map(Laws::items)
    }

    /// What each expert costs on average where it is available; 1 if it never is. Of all recorded
    /// rounds, or of the ones that this seed will show.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub(super) fn mean_costs(&self, seed: u64, rounds: u64) -> Result<Vec<f64>, StreamFault> {
        match self {
            Source::Recorded(recording, _) => return Ok(recording.mean_costs()),
            Source::Disk(recording) => return Ok(recording.mean_costs().to_vec()),
            _ => {}
        }
        let mut stream = self.open(seed)?;
        let mut sums = vec![(0.0, 0u64); stream.space().experts()];
        for _ in 0..rounds {
            let Some(round) = stream.next_round() else { break };
            for j in round.active.experts() {
                sums[j].0 += round.costs[j];
                sums[j].1 += 1;
            }
        }
        Ok(sums.iter().map(|&(sum, n)| if n == 0 { 1.0 } else { sum / n as f64 }).collect())
    }

    /// Its shape.
    ///
    /// # Errors
    /// As [`Source::open`], or more weights than a learner may have.
    pub(super) fn shape(&self) -> Result<Shape, StreamFault> {
        let stream = self.open(0)?;
        let rho = match self {
            Source::Synthetic(config) => Synthetic::make(config, 0)?.rho(),
            Source::Laws(laws) => {
                let norm2 = |item: &LawItem| 1.0 + item.x.iter().map(|v| v * v).sum::<f64>();
                laws.items().map(norm2).fold(1.0, f64::max).sqrt()
            }
            Source::Change(_) => 1.0,
            Source::Recorded(recording, _) => recording.rho(),
            Source::Disk(recording) => recording.rho(),
            Source::Cifar10h(images) => images.rho(),
            Source::Labelled(data, _) => data.inputs.rho(),
        };
        let (space, dim) = (stream.space(), stream.dim());
        limits::WEIGHTS.check((dim as u64 + 1).saturating_mul(space.len() as u64))?;
        Ok(Shape { space, dim, rho })
    }
}

/// Writes down what the experts are called where the file said it and the experiment did not.
pub(super) fn name_experts(kind: &mut StreamSettings, source: &Source) {
    let Source::Recorded(recording, _) = source else { return };
    let experts = match kind {
        StreamSettings::Table(table) => &mut table.experts,
        StreamSettings::Recorded(recorded) => &mut recorded.experts,
        _ => return,
    };
    if let Some(names) = recording.names() {
        *experts = Some(names.to_vec());
    }
}

fn law_items(items: &[LawItemSpec]) -> Result<Vec<LawItem>, StreamFault> {
    let item = |spec: &LawItemSpec| -> Result<LawItem, ProblemError> {
        let space = ActionSpace::new(spec.p.len(), spec.cost.len())?.of_the_paper()?;
        let active = match &spec.available {
            Some(available) => space.active(available.iter().copied())?,
            None => space.all_active(),
        };
        let law = RoundLaw::new(space, &spec.p, &spec.cost)?;
        Ok(LawItem { weight: spec.weight, x: spec.x.clone(), active, law })
    };
    let numbered = items.iter().enumerate();
    numbered
        .map(|(i, spec)| item(spec).map_err(|source| StreamFault::Law { item: i, source }))
        .collect()
}

fn phase_items(spec: &PhasesSpec) -> Result<Source, StreamFault> {
    // A phase that outgrows all counts would overflow its length.
    if !(1.0..=16.0).contains(&spec.grow) {
        return Err(StreamFault::Grow(spec.grow));
    }
    let phase = |phase: &PhaseSpec| Ok((phase.rounds, law_items(&phase.item)?));
    let phases = spec.phase.iter().map(phase).collect::<Result<_, StreamFault>>()?;
    Ok(Source::Laws(Laws::Phases(phases, spec.grow)))
}

/// The configuration of a learner on a stream of that shape.
#[must_use]
pub(super) fn learner_config(spec: &LearnerSpec, shape: Shape) -> Config {
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

pub(super) fn belief_config(spec: &BeliefSpec, shape: Shape) -> BeliefConfig {
    let default = BeliefConfig::new(shape.space, shape.dim);
    BeliefConfig {
        rate: spec.rate.unwrap_or(default.rate),
        wrong_answers: spec.wrong_answers.unwrap_or(default.wrong_answers),
        calibrate: spec.calibrate.unwrap_or(default.calibrate),
        exploration: spec.exploration.unwrap_or(default.exploration),
        ..default
    }
}

pub(super) fn auto_config(spec: &AutoSpec, shape: Shape) -> AutoConfig {
    let default = AutoConfig::new(shape.space, shape.dim);
    AutoConfig {
        rates: spec.rates.clone().unwrap_or(default.rates),
        greed: spec.greed.unwrap_or(default.greed),
        half_life: spec.half_life.or(default.half_life),
        floor: spec.floor.unwrap_or(default.floor),
        feedback: spec.feedback.unwrap_or(default.feedback),
        ..default
    }
}

pub(super) fn square_cb_config(spec: &SquareCbSpec, shape: Shape) -> SquareCbConfig {
    let default = SquareCbConfig::new(shape.space, shape.dim);
    SquareCbConfig {
        regression: spec.regression.unwrap_or(default.regression),
        rate: spec.rate.unwrap_or(default.rate),
        exploration: spec.exploration.unwrap_or(default.exploration),
        ..default
    }
}

/// A policy, or why there is none.
pub(super) type Made = Result<Box<dyn Policy>, PolicyFault>;

/// What a policy may be made from besides its settings and the shape of the stream.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// For draws of its own.
    pub seed: u64,
    /// How many rounds will be played.
    pub rounds: u64,
    /// What each expert costs on average, where hindsight is asked for.
    pub mean_costs: Vec<f64>,
}

/// A policy at its first round.
///
/// # Errors
/// Which field, what was expected; or it needs a network, which a [`super::NetworkFactory`] makes.
pub(super) fn policy(spec: &PolicySpec, shape: Shape, run: &Run) -> Made {
    let space = shape.space;
    Ok(match &spec.settings {
        // More actions than the fast one has kernels for.
        PolicySettings::Algorithm1(learner) if space.len() > SMALL_ACTIONS => {
            Box::new(PlainLearner::new(learner_config(learner, shape))?)
        }
        PolicySettings::Algorithm1(learner) => {
            Box::new(Algorithm1::new(learner_config(learner, shape))?)
        }
        PolicySettings::Belief(router) => {
            Box::new(BeliefRouter::new(belief_config(router, shape))?)
        }
        PolicySettings::Auto(router) => Box::new(AutoRouter::new(auto_config(router, shape))?),
        PolicySettings::SquareCb(router) => {
            Box::new(SquareCb::new(square_cb_config(router, shape))?)
        }
        PolicySettings::ClassifierOnly(learner) => {
            Baseline::ClassifierOnly(learner_config(learner, shape)).policy()?
        }
        PolicySettings::Confidence(confidence) => {
            let config = learner_config(&confidence.learner, shape);
            Baseline::ConfidenceThreshold(config, confidence.threshold).policy()?
        }
        PolicySettings::FixedExpert(fixed) => {
            let mean_costs = fixed.mean_costs.as_ref().unwrap_or(&run.mean_costs).clone();
            Baseline::FixedExpert(space, mean_costs).policy()?
        }
        PolicySettings::RidgeCb(ridge) => {
            Box::new(RidgeCb::new(build_peers::ridge_cb(ridge, shape, run.rounds))?)
        }
        PolicySettings::LinUcb(linear) => build_peers::lin_ucb(linear, shape)?,
        PolicySettings::Thompson(linear) => build_peers::thompson(linear, shape, run.seed)?,
        PolicySettings::EpsilonGreedy(logistic) => {
            Box::new(SquareCb::new(build_peers::epsilon_greedy(logistic, shape))?)
        }
        PolicySettings::RunningMeans(means) => build_peers::running_means(means, shape)?,
        PolicySettings::Oracle(_) => Baseline::Oracle(space).policy()?,
        PolicySettings::Uniform(_) => Baseline::Uniform(space).policy()?,
        PolicySettings::Network(_) | PolicySettings::NetworkConfidence(_) => {
            return Err(PolicyFault::NoNetwork);
        }
        PolicySettings::Command(_) => return Err(PolicyFault::NotStartedYet),
    })
}

/// Whether a policy must know what experts cost on average.
pub(super) fn needs_hindsight(spec: &PolicySpec) -> bool {
    matches!(spec.settings, PolicySettings::FixedExpert(FixedExpertSpec { mean_costs: None }))
}

/// Refuses what would have to be made up: the best action where the law is not known, right and wrong
/// where only costs or rewards are.
fn fits(policy: &PolicySpec, stream: &str, source: &Source) -> Result<(), PolicyFault> {
    let stream = || stream.to_string();
    let (feedback, command) = (policy.feedback(), policy.command().is_some());
    let (judges, labels, classes) = match source {
        Source::Recorded(recording, _) => {
            (recording.judges(), recording.has_labels(), recording.space().classes())
        }
        Source::Disk(recording) => {
            (recording.judges(), recording.has_labels(), recording.space().classes())
        }
        // Generated experts are right or wrong; what a wrong one answers is not drawn.
        _ if feedback == FeedbackKind::Answer => {
            return Err(PolicyFault::NoAnswers { stream: stream() });
        }
        _ => return Ok(()),
    };
    match feedback {
        _ if matches!(policy.settings, PolicySettings::Oracle(_)) => {
            Err(PolicyFault::NoScores { stream: stream() })
        }
        FeedbackKind::Answer if !judges || classes == 0 => {
            Err(PolicyFault::NoAnswers { stream: stream() })
        }
        FeedbackKind::Full if !labels => Err(PolicyFault::NoLabels { stream: stream() }),
        FeedbackKind::Bandit if command && !judges => {
            Err(PolicyFault::NotJudged { stream: stream() })
        }
        _ => Ok(()),
    }
}

/// The files that a command names, with their `SHA-256`: a program that was changed is another one, and
/// stored runs of the old one are not its own.
fn scripts(command: &CommandSpec, folder: &Path) -> Vec<(String, String)> {
    let words = command.run.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let file = |word: &str| {
        let path = folder.join(word);
        let hash = path.is_file().then(|| crate::data::sha256_of(&path).ok()).flatten()?;
        Some((word.to_string(), hash))
    };
    words.filter_map(file).collect()
}

/// Builds everything once, so that a fault is found before anything runs. What was read is kept and
/// played later: nothing is read a second time.
///
/// # Errors
/// The first fault.
pub(super) fn prepare(
    spec: &ExperimentSpec,
    folder: &Path,
    loaded: &mut Loaded,
) -> Result<Vec<(Source, Shape)>, SpecFault> {
    let mut sources = Vec::new();
    for stream in &spec.stream {
        let named = |source: StreamFault| SpecFault::Stream {
            name: stream.name.clone(),
            source: source.into(),
        };
        let source = Source::new(stream, folder, loaded)?;
        let shape = source.shape().map_err(named)?;
        let asked = spec.rounds;
        let once = match &source {
            Source::Recorded(recording, false) => Some(recording.rounds() as u64),
            Source::Disk(recording) => Some(recording.rounds()),
            _ => None,
        };
        if let Some(has) = once.filter(|has| *has < asked) {
            return Err(named(StreamFault::TooShort { has, asked }));
        }
        let acting = |p: &&PolicySpec| p.runs_on(&stream.name) && !p.has_network();
        // Tried out only: any costs will do.
        let mean_costs = vec![1.0; shape.space.experts()];
        let run = Run { seed: 0, rounds: spec.rounds, mean_costs };
        for p in spec.policy.iter().filter(acting) {
            let named = |fault: PolicyFault| SpecFault::Policy {
                name: p.name.clone(),
                source: fault.into(),
            };
            fits(p, &stream.name, &source).map_err(named)?;
            match p.command() {
                None => drop(policy(p, shape, &run).map_err(named)?),
                Some(command) => {
                    command.limit().map_err(named)?;
                    loaded.add(scripts(command, folder), None).map_err(|error| {
                        SpecFault::Stream {
                            name: stream.name.clone(),
                            source: Box::new(error.into()),
                        }
                    })?;
                }
            }
        }
        sources.push((source, shape));
    }
    Ok(sources)
}

//! Networks and the images they work on: what must be there before a run, and making it.

use super::data::Loaded;
use super::error::{JobError, PolicyFault, SpecFault};
use super::network_spec::NetworkSpec;
use super::parse::Plan;
use super::progress::Progress;
use super::record::Key;
use super::spec::{
    ExperimentSpec, NetworkConfidenceSpec, NetworkPolicySpec, PolicySettings, PolicySpec,
    StreamSettings, StreamSpec,
};
use crate::data::{self, DataError, ImageSet, data_folders, sha256_of};
use crate::stream::{Cifar10hConfig, HumanImages};
use learner::{Algorithm1, Config, LearnerError, Policy};
use problem::ActionSpace;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Networks that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// This program has none.
    #[error(
        "this deferlab was built without networks: use `cargo run --profile network --features wrn -- reproduce cifar10h`"
    )]
    NotBuilt,
    /// The images they are trained on.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A job that the plan should not have let through.
    #[error("policy `{name}`: expected a policy with a network, on images")]
    NotANetwork {
        /// Its name.
        name: String,
    },
    /// Training was asked to stop; it starts again the next time.
    #[error("stopped while the network was trained; run it again to train it")]
    Stopped,
    /// What the maker of networks says.
    #[error(transparent)]
    Factory(Box<dyn std::error::Error + Send + Sync>),
    /// The learner on top of the network cannot be.
    #[error(transparent)]
    Learner(#[from] LearnerError),
}

/// Whether the network settings of an experiment make sense.
///
/// # Errors
/// Which setting, what was expected.
pub(super) fn check(spec: &ExperimentSpec) -> Result<(), SpecFault> {
    if let Some(network) = &spec.network {
        network.check()?;
    }
    for stream in &spec.stream {
        if let StreamSettings::Cifar10h(config) = &stream.settings {
            let name = stream.name.clone();
            config.space().map_err(|e| SpecFault::Stream { name, source: Box::new(e.into()) })?;
        }
    }
    for policy in spec.policy.iter().filter(|p| p.has_network()) {
        check_policy(spec, policy).map_err(|source| SpecFault::Policy {
            name: policy.name.clone(),
            source: source.into(),
        })?;
    }
    Ok(())
}

fn check_policy(spec: &ExperimentSpec, policy: &PolicySpec) -> Result<(), PolicyFault> {
    if spec.network.is_none() {
        return Err(PolicyFault::NoNetwork);
    }
    let imageless = |s: &&StreamSpec| {
        policy.runs_on(&s.name) && !matches!(s.settings, StreamSettings::Cifar10h(_))
    };
    if let Some(stream) = spec.stream.iter().find(imageless) {
        return Err(PolicyFault::NoImages { stream: stream.name.clone() });
    }
    match &policy.settings {
        PolicySettings::Network(learner) => {
            // Refused as any learner without a ball refuses it, whatever its space and inputs.
            let space = ActionSpace::new(2, 0).map_err(LearnerError::from)?;
            let schedule = learner.schedule;
            Algorithm1::new(Config { radius: None, schedule, ..Config::new(space, 1) })?;
        }
        PolicySettings::NetworkConfidence(NetworkConfidenceSpec { threshold })
            if !(0.0..=1.0).contains(threshold) =>
        {
            return Err(PolicyFault::Threshold(*threshold));
        }
        _ => {}
    }
    Ok(())
}

/// What an experiment needs and is not there, and how to get it.
pub(super) fn missing_data(spec: &ExperimentSpec) -> Option<String> {
    let mut missing = spec.stream.iter().filter_map(|stream| match &stream.settings {
        StreamSettings::Cifar10h(config) => config.locate(&data_folders()).err(),
        _ => None,
    });
    missing.next().map(|error| {
        format!(
            "{error}. `just data` fetches CIFAR-10 into data/cifar10; the human answers are \
             cifar10h-counts.npy of the project CIFAR10H (github.com/jcpeterson/cifar-10h), which \
             its licence (CC BY-NC-SA) lets you fetch but not us include: put them into \
             cifar10h/ of the data folder"
        )
    })
}

/// Why an experiment cannot be run here, if it cannot.
#[must_use]
pub fn obstacle(plan: &Plan, networks: Option<&dyn NetworkFactory>) -> Option<String> {
    let needed = plan.points.iter().flat_map(|p| &p.spec.policy).any(|p| p.has_network());
    match &plan.missing_data {
        _ if needed && networks.is_none() => Some(NetworkError::NotBuilt.to_string()),
        missing => missing.clone(),
    }
}

/// Reads images and answers; `loaded` gets the name and the hash of every file, also of the training
/// images, which are read when a network is trained and compared with these hashes then.
///
/// # Errors
/// A file that is missing or not what it should be.
pub(super) fn read_images(
    config: &Cifar10hConfig,
    loaded: &mut Loaded,
) -> Result<HumanImages, DataError> {
    let files = config.locate(&data_folders())?;
    for path in files.train.iter().chain([&files.train_labels]) {
        loaded.add([(file_name(path), sha256_of(path)?)], None)?;
    }
    let (images, hashes) = HumanImages::read(config, &files)?;
    let names = [&files.test, &files.test_labels, &files.answers].map(|path| file_name(path));
    loaded.add(names.into_iter().zip(hashes), None)?;
    Ok(images)
}

/// The files to train on: images, file after file, and their labels last.
///
/// # Errors
/// What is missing first.
pub(super) fn training_files(images: &Cifar10hConfig) -> Result<Vec<PathBuf>, DataError> {
    let files = images.locate(&data_folders())?;
    Ok(files.train.into_iter().chain([files.train_labels]).collect())
}

/// The name under which a configuration has the hash of an image file.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes networks. This crate knows none itself: whoever runs an experiment brings them in
/// [`super::RunOptions`].
pub trait NetworkFactory: std::fmt::Debug + Sync {
    /// Trains a network and keeps its weights.
    ///
    /// # Errors
    /// Training failed or was asked to stop, or the file cannot be written.
    fn train(&self, training: &NetworkTraining<'_>) -> Result<(), NetworkError>;

    /// The policy of a job, at its first round.
    ///
    /// # Errors
    /// Weights that cannot be read, settings that cannot be.
    fn policy(&self, job: &NetworkJob<'_>) -> Result<Box<dyn Policy>, NetworkError>;
}

/// A network to be trained before the first round.
#[derive(Clone, Copy)]
pub struct NetworkTraining<'a> {
    /// What is trained, and how.
    pub network: &'a NetworkSpec,
    /// On what.
    pub images: &'a ImageSet,
    /// Number of classes.
    pub classes: usize,
    /// The file of its weights, which is to appear whole or not at all.
    pub weights: &'a Path,
    /// The experiment it is for.
    pub experiment: &'a str,
    /// Who hears of its steps.
    pub progress: &'a dyn Progress,
    /// Set while it trains: it then ends after the step it is at.
    pub stop: &'a AtomicBool,
}

/// A policy with a network.
#[derive(Clone, Copy, Debug)]
pub struct NetworkJob<'a> {
    /// The network.
    pub network: &'a NetworkSpec,
    /// The file of its weights.
    pub weights: &'a Path,
    /// Height and width of the images.
    pub side: usize,
    /// Classes and experts of every round.
    pub space: ActionSpace,
    /// Which run.
    pub run: u32,
    /// What is done with it.
    pub play: NetworkPlay<'a>,
}

/// What is done with a network.
#[derive(Clone, Copy, Debug)]
pub enum NetworkPlay<'a> {
    /// It goes on learning as Algorithm 1 does.
    Learns(&'a NetworkPolicySpec),
    /// It stays as it is, and defers below this confidence.
    DefersBelow(f64),
}

/// The networks of a plan that are ready to play.
pub(super) struct Networks {
    factory: Option<&'static dyn NetworkFactory>,
    /// The file with the weights of every sweep point, empty where there is no network to run.
    weights: Vec<PathBuf>,
}

impl Networks {
    /// Trains the network of every sweep point that has one and a pending job, or finds it trained
    /// already. Weights are kept beside the store, whatever the experiment is called.
    ///
    /// # Errors
    /// Files that are missing or changed, training that failed or was asked to stop, a file that cannot be
    /// written.
    pub(super) fn prepare(
        factory: Option<&'static dyn NetworkFactory>,
        plan: &Plan,
        pending: &[Key],
        store: &Path,
        (progress, stop): (&dyn Progress, &AtomicBool),
    ) -> Result<Self, NetworkError> {
        let folder = store.parent().unwrap_or(store).join("weights");
        let mut weights = Vec::new();
        for (point, p) in plan.points.iter().enumerate() {
            let has_network = |key: &&Key| {
                key.point == point && key.policy.is_some_and(|i| p.spec.policy[i].has_network())
            };
            let Some(key) = pending.iter().find(has_network) else {
                weights.push(PathBuf::new());
                continue;
            };
            let factory = factory.ok_or(NetworkError::NotBuilt)?;
            let (network, images) = of_job(&p.spec, *key)?;
            let classes = images.classes;
            let train = |images: &ImageSet, weights: &Path| {
                factory.train(&NetworkTraining {
                    network,
                    images,
                    classes,
                    weights,
                    experiment: &plan.spec.name,
                    progress,
                    stop,
                })
            };
            weights.push(trained(plan, network, images, &folder, train)?);
        }
        Ok(Networks { factory, weights })
    }

    /// The policy of a job, at its first round.
    ///
    /// # Errors
    /// As [`NetworkFactory::policy`].
    pub(super) fn policy(
        &self,
        spec: &ExperimentSpec,
        key: Key,
        space: ActionSpace,
    ) -> Result<Box<dyn Policy>, NetworkError> {
        let factory = self.factory.ok_or(NetworkError::NotBuilt)?;
        let (network, images) = of_job(spec, key)?;
        let policy = key.policy.map(|i| &spec.policy[i]);
        let play = match policy.map(|policy| &policy.settings) {
            Some(PolicySettings::Network(learner)) => NetworkPlay::Learns(learner),
            Some(PolicySettings::NetworkConfidence(NetworkConfidenceSpec { threshold })) => {
                NetworkPlay::DefersBelow(*threshold)
            }
            _ => return Err(not_a_network(spec, key)),
        };
        let (weights, side) = (self.weights[key.point].as_path(), images.side);
        let job = NetworkJob { network, weights, side, space, run: key.run, play };
        factory.policy(&job)
    }
}

/// The network and the images of a job that has them.
fn of_job(
    spec: &ExperimentSpec,
    key: Key,
) -> Result<(&NetworkSpec, &Cifar10hConfig), NetworkError> {
    let images = spec.stream[key.stream].images();
    spec.network.as_ref().zip(images).ok_or_else(|| not_a_network(spec, key))
}

fn not_a_network(spec: &ExperimentSpec, key: Key) -> NetworkError {
    let name = key.policy.map_or("trace", |i| &spec.policy[i].name);
    NetworkError::NotANetwork { name: name.into() }
}

/// The file with the weights, made if it is not there. The images it is trained on must be those whose
/// hashes are in the configuration.
fn trained(
    plan: &Plan,
    network: &NetworkSpec,
    images: &Cifar10hConfig,
    folder: &Path,
    train: impl FnOnce(&ImageSet, &Path) -> Result<(), NetworkError>,
) -> Result<PathBuf, NetworkError> {
    let stem = plan.weights_stem(network, images)?;
    if let Some(path) = plan.kept_weights(&stem)? {
        return Ok(path);
    }
    let path = folder.join(format!("{stem}.safetensors"));
    if path.is_file() {
        return Ok(path);
    }
    let paths = training_files(images)?;
    let (labels, pngs) = paths.split_last().expect("labels come last");
    let (set, now) = data::read_images(pngs, labels, images.side, images.classes)?;
    for (path, now) in paths.iter().zip(now) {
        let name = file_name(path);
        let first = plan.data_sha256(&name).unwrap_or("not read").to_string();
        if first != now {
            return Err(DataError::Changed { name, first, now }.into());
        }
    }
    train(&set, &path)?;
    Ok(path)
}

/// Runs `job` on a thread that is not one of the runner's. A runner's thread that waits for a part of
/// a network's sum takes up another job meanwhile, and that job could wait for a lock which the first
/// one holds.
pub(super) fn apart<T: Send>(
    job: impl FnOnce() -> Result<T, JobError> + Send,
) -> Result<T, JobError> {
    std::thread::scope(|scope| scope.spawn(job).join()).unwrap_or(Err(JobError::Panicked))
}

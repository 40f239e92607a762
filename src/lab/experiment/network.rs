//! Networks and the images they work on: what must be there before a run, and making it.

use super::build::Shape;
use super::data::Loaded;
use super::error::{JobError, PolicyFault, SpecFault};
use super::parse::Plan;
use super::progress::Progress;
use super::record::Key;
use super::spec::{
    ExperimentSpec, NetworkConfidenceSpec, PolicySettings, PolicySpec, StreamSettings, StreamSpec,
};
use crate::data::{self, DataError, ImageSet, data_folders, sha256_of};
use crate::stream::{Cifar10hConfig, HumanImages};
use learner::{LearnerError, Policy};
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
    /// A policy that cannot be made.
    #[error("policy `{name}`: {source}")]
    Policy {
        /// Its name.
        name: String,
        /// Why not.
        source: LearnerError,
    },
    /// Training was asked to stop; it starts again the next time.
    #[error("stopped while the network was trained; run it again to train it")]
    Stopped,
    /// What the maker of networks says.
    #[error(transparent)]
    Factory(Box<dyn std::error::Error + Send + Sync>),
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
            learner.schedule.rates(2, None, 1.0)?;
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
pub fn obstacle(plan: &Plan, networks: &dyn NetworkFactory) -> Option<String> {
    let needed = plan.points.iter().flat_map(|p| &p.spec.policy).any(|p| p.has_network());
    match &plan.missing_data {
        _ if needed && !networks.can_build() => Some(NetworkError::NotBuilt.to_string()),
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

/// The images of a stream: how large they are, and which there are to train on.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// Height and width.
    pub side: usize,
    /// Number of classes.
    pub classes: usize,
    config: &'a Cifar10hConfig,
}

impl<'a> Images<'a> {
    pub(super) fn of(config: &'a Cifar10hConfig) -> Self {
        Images { side: config.side, classes: config.classes, config }
    }

    /// The files to train on: images, file after file, and their labels last.
    ///
    /// # Errors
    /// What is missing first.
    pub fn training_files(self) -> Result<Vec<PathBuf>, DataError> {
        let files = self.config.locate(&data_folders())?;
        Ok(files.train.into_iter().chain([files.train_labels]).collect())
    }

    /// Reads these files; the `SHA-256` of each comes with them.
    ///
    /// # Errors
    /// A file that is not what it should be.
    pub fn read_training(self, files: &[PathBuf]) -> Result<(ImageSet, Vec<String>), DataError> {
        let (labels, images) = files.split_last().expect("labels come last");
        data::read_images(images, labels, self.side, self.classes)
    }
}

/// The name under which a configuration has the hash of an image file.
#[must_use]
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes the policies of an experiment that have a network. This crate knows none itself: whoever
/// runs an experiment brings them in [`super::RunOptions`].
pub trait NetworkFactory: std::fmt::Debug + Sync {
    /// Whether there are networks at all.
    fn can_build(&self) -> bool {
        true
    }

    /// Trains the network of every sweep point that has one and a pending job, or finds it trained
    /// already. Weights are kept beside the store, whatever the experiment is called.
    ///
    /// # Errors
    /// Files that are missing or changed, training that failed or was asked to stop, a file that cannot be
    /// written.
    fn prepare(
        &self,
        plan: &Plan,
        pending: &[Key],
        store: &Path,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Networks>, NetworkError>;
}

/// Networks that are ready to play.
pub trait Networks: Sync {
    /// The policy of a job, at its first round.
    ///
    /// # Errors
    /// Weights that cannot be read, settings that cannot be.
    fn policy(
        &self,
        spec: &ExperimentSpec,
        key: Key,
        shape: Shape,
    ) -> Result<Box<dyn Policy>, NetworkError>;
}

/// A program that was built without networks.
#[derive(Debug)]
pub struct NoNetworks;

impl NetworkFactory for NoNetworks {
    fn can_build(&self) -> bool {
        false
    }

    fn prepare(
        &self,
        plan: &Plan,
        pending: &[Key],
        _: &Path,
        _: &dyn Progress,
        _: &AtomicBool,
    ) -> Result<Box<dyn Networks>, NetworkError> {
        match pending.iter().any(|key| needs_network(plan, key)) {
            true => Err(NetworkError::NotBuilt),
            false => Ok(Box::new(NoNetworks)),
        }
    }
}

impl Networks for NoNetworks {
    fn policy(
        &self,
        _: &ExperimentSpec,
        _: Key,
        _: Shape,
    ) -> Result<Box<dyn Policy>, NetworkError> {
        Err(NetworkError::NotBuilt)
    }
}

/// Whether the policy of a job has a network.
#[must_use]
pub fn needs_network(plan: &Plan, key: &Key) -> bool {
    key.policy.is_some_and(|i| plan.points[key.point].spec.policy[i].has_network())
}

/// Runs `job` on a thread that is not one of the runner's. A runner's thread that waits for a part of
/// a network's sum takes up another job meanwhile, and that job could wait for a lock which the first
/// one holds.
pub(super) fn apart<T: Send>(
    job: impl FnOnce() -> Result<T, JobError> + Send,
) -> Result<T, JobError> {
    std::thread::scope(|scope| scope.spawn(job).join()).unwrap_or(Err(JobError::Panicked))
}

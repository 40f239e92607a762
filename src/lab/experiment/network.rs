//! Networks and the images they work on: what must be there before a run, and making it.

use super::build::Shape;
use super::data::Loaded;
use super::parse::Plan;
use super::progress::Progress;
use super::record::Key;
use super::seed::sha256_hex;
use super::spec::Spec;
use crate::data::{DataError, data_folders};
use crate::stream::cifar10h::{Cifar10hConfig, HumanImages};
use learner::Policy;
use std::path::Path;

/// How to get a program that can run networks.
pub const NO_FEATURE: &str = "this deferlab was built without networks: use \
    `cargo run --release --features wrn -- reproduce cifar10h`";

/// Whether the network settings of an experiment make sense.
///
/// # Errors
/// In words: which setting, what was expected.
pub fn check(spec: &Spec) -> Result<(), String> {
    if let Some(network) = &spec.network {
        network.check()?;
    }
    for stream in &spec.stream {
        if let Some(config) = &stream.cifar10h {
            config.space().map_err(|e| format!("stream `{}`: cifar10h.{e}", stream.name))?;
        }
    }
    for policy in spec.policy.iter().filter(|p| p.has_network()) {
        let named = |what: &str| format!("policy `{}`: {what}", policy.name);
        if spec.network.is_none() {
            return Err(named("it needs a network: give the experiment a [network]"));
        }
        if let Some(s) =
            spec.stream.iter().find(|s| policy.runs_on(&s.name) && s.cifar10h.is_none())
        {
            return Err(named(&format!("stream `{}` has no images for a network", s.name)));
        }
        if let Some(learner) = &policy.network {
            learner.schedule.rates(2, None, 1.0).map_err(|e| named(&e.to_string()))?;
        }
        if let Some(confidence) = &policy.network_confidence
            && !(0.0..=1.0).contains(&confidence.threshold)
        {
            let value = confidence.threshold;
            return Err(named(&format!("threshold = {value}: expected a number in [0, 1]")));
        }
    }
    Ok(())
}

/// What an experiment needs and is not there, and how to get it.
pub fn missing_data(spec: &Spec) -> Option<String> {
    let configs = spec.stream.iter().filter_map(|s| s.cifar10h.as_ref());
    let mut missing = configs.filter_map(|config| config.locate(&data_folders()).err());
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
pub fn obstacle(plan: &Plan, networks: &dyn NetworkFactory) -> Option<String> {
    let needed = plan.points.iter().flat_map(|p| &p.spec.policy).any(|p| p.has_network());
    match &plan.missing_data {
        _ if needed && !networks.can_build() => Some(NO_FEATURE.into()),
        missing => missing.clone(),
    }
}

/// Reads images and answers; `loaded` gets the name and the hash of every file, also of the training
/// images.
///
/// # Errors
/// A file that is missing or not what it should be.
pub fn read_images(config: &Cifar10hConfig, loaded: &mut Loaded) -> Result<HumanImages, DataError> {
    let files = config.locate(&data_folders())?;
    for path in files.all() {
        let bytes =
            std::fs::read(path).map_err(|source| DataError::Io { path: path.clone(), source })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        loaded.add([(name, sha256_hex(&bytes))], None);
    }
    HumanImages::read(config, &files)
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
    /// In words: files that are missing, training that failed, a file that cannot be written.
    fn prepare(
        &self,
        plan: &Plan,
        pending: &[Key],
        store: &Path,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Networks>, String>;
}

/// Networks that are ready to play.
pub trait Networks: Sync {
    /// The policy of a job, at its first round.
    ///
    /// # Errors
    /// In words: weights that cannot be read, settings that cannot be.
    fn policy(&self, spec: &Spec, key: Key, shape: Shape) -> Result<Box<dyn Policy>, String>;
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
    ) -> Result<Box<dyn Networks>, String> {
        match pending.iter().any(|key| needs_network(plan, key)) {
            true => Err(NO_FEATURE.into()),
            false => Ok(Box::new(NoNetworks)),
        }
    }
}

impl Networks for NoNetworks {
    fn policy(&self, _: &Spec, _: Key, _: Shape) -> Result<Box<dyn Policy>, String> {
        Err(NO_FEATURE.into())
    }
}

/// Whether the policy of a job has a network.
pub fn needs_network(plan: &Plan, key: &Key) -> bool {
    key.policy.is_some_and(|i| plan.points[key.point].spec.policy[i].has_network())
}

/// Runs `job` on a thread that is not one of the runner's. A runner's thread that waits for a part of
/// a network's sum takes up another job meanwhile, and that job could wait for a lock which the first
/// one holds.
pub(super) fn apart<T: Send>(job: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| scope.spawn(job).join())
        .unwrap_or_else(|_| Err("the network panicked; this is a fault of deferlab".into()))
}

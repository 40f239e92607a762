//! Networks and the images they work on: what must be there before a run, and making it.

use super::build::Shape;
use super::data::Loaded;
use super::parse::Plan;
use super::progress::Progress;
use super::record::Key;
use super::seed::sha256_hex;
use super::spec::Spec;
use crate::data::{DataError, data_folders};
use crate::learner::Policy;
use crate::stream::cifar10h::{Cifar10hConfig, HumanImages};
use std::path::Path;

/// How to get a program that can run networks.
pub const NO_FEATURE: &str = "this deferlab was built without networks: use \
    `cargo run --release --features wrn -- reproduce cifar10h`";

/// Whether this program can run networks.
pub const fn has_feature() -> bool {
    cfg!(feature = "wrn")
}

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
pub fn obstacle(plan: &Plan) -> Option<String> {
    let networks = plan.points.iter().flat_map(|p| &p.spec.policy).any(|p| p.has_network());
    match &plan.missing_data {
        _ if networks && !has_feature() => Some(NO_FEATURE.into()),
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

/// Networks, trained where they had to be.
pub struct Networks {
    #[cfg(feature = "wrn")]
    weights: Vec<std::path::PathBuf>,
}

#[cfg(not(feature = "wrn"))]
impl Networks {
    /// Nothing to prepare, unless a pending job has a network.
    ///
    /// # Errors
    /// [`NO_FEATURE`].
    pub fn prepare(
        plan: &Plan,
        pending: &[Key],
        _: &Path,
        _: &dyn Progress,
    ) -> Result<Self, String> {
        if pending.iter().any(|key| needs_network(plan, key)) {
            return Err(NO_FEATURE.into());
        }
        Ok(Networks {})
    }

    /// Never a policy.
    ///
    /// # Errors
    /// [`NO_FEATURE`].
    pub fn policy(&self, _: &Spec, _: Key, _: Shape) -> Result<Box<dyn Policy>, String> {
        Err(NO_FEATURE.into())
    }
}

fn needs_network(plan: &Plan, key: &Key) -> bool {
    key.policy.is_some_and(|i| plan.points[key.point].spec.policy[i].has_network())
}

impl Networks {
    /// Runs `job` on a thread that is not one of the runner's. A runner's thread that waits for a
    /// part of a network's sum takes up another job meanwhile, and that job could wait for a lock
    /// which the first one holds.
    ///
    /// # Errors
    /// Those of `job`, and a panic in words.
    pub fn apart<T: Send>(
        &self,
        job: impl FnOnce() -> Result<T, String> + Send,
    ) -> Result<T, String> {
        std::thread::scope(|scope| scope.spawn(job).join())
            .unwrap_or_else(|_| Err("the network panicked; this is a fault of deferlab".into()))
    }
}

#[cfg(feature = "wrn")]
mod built {
    use super::*;
    use crate::data::read_images;
    use crate::vision::{
        ConfidentScorer, Learned, NetworkSpec, OnScorer, Trained, WideResNet, cache,
    };
    use burn::module::Module;
    use burn::tensor::Device;
    use serde_json::json;
    use std::path::PathBuf;

    /// Bumped when the same settings start to give other weights.
    const WEIGHTS: u32 = 1;

    impl Networks {
        /// Trains the network of every sweep point that has one and a job to run, or finds it
        /// trained already. Weights are kept beside the stores, whatever the experiment is called.
        ///
        /// # Errors
        /// In words: files that are missing, training that failed, a file that cannot be written.
        pub fn prepare(
            plan: &Plan,
            pending: &[Key],
            store: &Path,
            progress: &dyn Progress,
        ) -> Result<Self, String> {
            let folder = store.parent().unwrap_or(store).join("weights");
            let mut weights = Vec::new();
            for (point, p) in plan.points.iter().enumerate() {
                let mut jobs = pending.iter().filter(|key| key.point == point);
                let job = jobs.find(|key| needs_network(plan, key));
                weights.push(match (job, &p.spec.network) {
                    (Some(key), Some(network)) => {
                        let stream = &p.spec.stream[key.stream];
                        let config = stream.cifar10h.as_ref().ok_or("no images for a network")?;
                        trained(&plan.spec.name, network, config, &folder, progress)?
                    }
                    _ => PathBuf::new(),
                });
            }
            Ok(Networks { weights })
        }

        /// The policy of a job, at its first round.
        ///
        /// # Errors
        /// In words: weights that cannot be read, settings that cannot be.
        pub fn policy(
            &self,
            spec: &Spec,
            key: Key,
            shape: Shape,
        ) -> Result<Box<dyn Policy>, String> {
            let policy = key.policy.map(|i| &spec.policy[i]).ok_or("no policy")?;
            let network = spec.network.as_ref().ok_or("no [network]")?;
            let config = spec.stream[key.stream].cifar10h.as_ref().ok_or("no images")?;
            let (space, device) = (shape.space, Device::flex().autodiff());
            let load = |device: &Device| {
                let path = &self.weights[key.point];
                cache::load(path, &network.shape, config.side, config.classes, device)
            };
            let named = |e: crate::learner::LearnerError| format!("policy `{}`: {e}", policy.name);
            if let Some(learner) = &policy.network {
                let seed = network.pretrain.seed.wrapping_add(1 + u64::from(key.run));
                let start = match learner.pretrained {
                    true => load(&device)?,
                    false => {
                        WideResNet::new(&network.shape, config.side, config.classes, seed, &device)
                    }
                };
                let start = start.with_more_outputs(space.experts(), &device);
                let start = match learner.train {
                    Trained::All => start.freeze_statistics(),
                    Trained::Head => start.freeze_all_but_head(),
                };
                let scorer = Learned::new(start, device);
                let policy = OnScorer::new(scorer, space, learner.schedule).map_err(named)?;
                return Ok(Box::new(policy));
            }
            let threshold = policy.network_confidence.as_ref().map_or(0.0, |c| c.threshold);
            let device = Device::flex();
            let start = load(&device)?.with_more_outputs(space.experts(), &device).valid();
            let scorer = Learned::new(start, device);
            Ok(Box::new(ConfidentScorer::new(scorer, space, threshold).map_err(named)?))
        }
    }

    /// The file with the weights, made if it is not there.
    fn trained(
        name: &str,
        network: &NetworkSpec,
        config: &Cifar10hConfig,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf, String> {
        let files = config.locate(&data_folders()).map_err(|e| e.to_string())?;
        let mut hashes = Vec::new();
        for path in files.train.iter().chain([&files.train_labels]) {
            let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
            hashes.push(sha256_hex(&bytes));
        }
        let key = json!({ "version": WEIGHTS, "network": network, "data": hashes });
        let hash = sha256_hex(key.to_string().as_bytes());
        let path = folder.join(format!("wrn-{}.safetensors", &hash[..32]));
        if path.is_file() {
            return Ok(path);
        }
        let images = read_images(&files.train, &files.train_labels, config.side, config.classes);
        let images = images.map_err(|e| e.to_string())?;
        let (batch, steps) = network.pretrain.steps(images.len());
        progress.start(&format!("{name}, pre-training"), steps, (steps * batch) as u64, 0);
        let tell = |_: usize, _: f64| progress.done(batch as u64);
        cache::train(&path, network, &images, config.classes, &tell)?;
        progress.end();
        Ok(path)
    }
}

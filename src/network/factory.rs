//! The networks of an experiment: trained once, kept beside the store or beside the experiment file,
//! handed to every job.

use crate::{Learned, TrainError, WideResNet, cache, pretrain};
use burn::module::Module;
use burn::tensor::Device;
use lab::data::DataError;
use lab::experiment::{
    ExperimentSpec, Images, Key, NetworkError, NetworkFactory, NetworkPolicySpec, NetworkSpec,
    Networks, Plan, Progress, Shape, Trained, file_name, needs_network,
};
use learner::{ConfidentScorer, LearnerError, OnScorer, Policy};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds wide residual networks.
#[derive(Debug)]
pub struct WideResNets;

/// The file with the weights of every sweep point, empty where there is no network to run.
struct Prepared {
    weights: Vec<PathBuf>,
}

impl NetworkFactory for WideResNets {
    fn prepare(
        &self,
        plan: &Plan,
        pending: &[Key],
        store: &Path,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Networks>, NetworkError> {
        let folder = store.parent().unwrap_or(store).join("weights");
        let mut weights = Vec::new();
        for (point, p) in plan.points.iter().enumerate() {
            let mut jobs = pending.iter().filter(|key| key.point == point);
            let job = jobs.find(|key| needs_network(plan, key));
            weights.push(match (job, &p.spec.network) {
                (Some(key), Some(network)) => {
                    let stream = &p.spec.stream[key.stream];
                    let images = stream.images().ok_or(TrainError::NotANetworkJob)?;
                    trained(plan, network, images, &folder, (progress, stop))?
                }
                _ => PathBuf::new(),
            });
        }
        Ok(Box::new(Prepared { weights }))
    }
}

impl Networks for Prepared {
    fn policy(
        &self,
        spec: &ExperimentSpec,
        key: Key,
        shape: Shape,
    ) -> Result<Box<dyn Policy>, NetworkError> {
        let policy = key.policy.map(|i| &spec.policy[i]).ok_or(TrainError::NotANetworkJob)?;
        let network = spec.network.as_ref().ok_or(TrainError::NotANetworkJob)?;
        let images = spec.stream[key.stream].images().ok_or(TrainError::NotANetworkJob)?;
        let weights = Weights { path: &self.weights[key.point], network, images };
        match (policy.network(), policy.network_threshold()) {
            (Some(learner), _) => weights.learning(learner, key, shape),
            (None, Some(threshold)) => weights.confident(threshold, shape),
            (None, None) => Err(Fault::Train(TrainError::NotANetworkJob)),
        }
        .map_err(|error| match error {
            Fault::Train(error) => error.into(),
            Fault::Learner(source) => NetworkError::Policy { name: policy.name.clone(), source },
        })
    }
}

/// Either the network or the learner on top of it.
enum Fault {
    Train(TrainError),
    Learner(LearnerError),
}

impl From<TrainError> for Fault {
    fn from(error: TrainError) -> Self {
        Fault::Train(error)
    }
}

impl From<LearnerError> for Fault {
    fn from(error: LearnerError) -> Self {
        Fault::Learner(error)
    }
}

/// Pre-trained weights and what they belong to.
struct Weights<'a> {
    path: &'a Path,
    network: &'a NetworkSpec,
    images: Images<'a>,
}

impl Weights<'_> {
    fn load(&self, device: &Device) -> Result<WideResNet, TrainError> {
        let (shape, images) = (&self.network.shape, self.images);
        cache::load(self.path, shape, images.side, images.classes, device)
    }

    /// Algorithm 1 on the network.
    fn learning(
        &self,
        learner: &NetworkPolicySpec,
        key: Key,
        shape: Shape,
    ) -> Result<Box<dyn Policy>, Fault> {
        let (space, device) = (shape.space, Device::flex().autodiff());
        let start = match learner.pretrained {
            true => self.load(&device)?,
            false => {
                let seed = self.network.pretrain.seed.wrapping_add(1 + u64::from(key.run));
                let (side, classes) = (self.images.side, self.images.classes);
                WideResNet::new(&self.network.shape, side, classes, seed, &device)
            }
        };
        let start = start.with_more_outputs(space.experts(), &device);
        let start = match learner.train {
            Trained::All => start.freeze_statistics(),
            Trained::Head => start.freeze_all_but_head(),
        };
        Ok(Box::new(OnScorer::new(Learned::new(start, device), space, learner.schedule)?))
    }

    /// The network as it was trained, which defers below `threshold`.
    fn confident(&self, threshold: f64, shape: Shape) -> Result<Box<dyn Policy>, Fault> {
        let (space, device) = (shape.space, Device::flex());
        let start = self.load(&device)?.with_more_outputs(space.experts(), &device).valid();
        Ok(Box::new(ConfidentScorer::new(Learned::new(start, device), space, threshold)?))
    }
}

/// The file with the weights, made if it is not there. The images it is trained on must be those whose
/// hashes are in the configuration.
fn trained(
    plan: &Plan,
    network: &NetworkSpec,
    images: Images<'_>,
    folder: &Path,
    (progress, stop): (&dyn Progress, &AtomicBool),
) -> Result<PathBuf, NetworkError> {
    let stem = plan.weights_stem(network, images)?;
    if let Some(path) = plan.kept_weights(&stem)? {
        return Ok(path);
    }
    let path = folder.join(format!("{stem}.safetensors"));
    if path.is_file() {
        return Ok(path);
    }
    let paths = images.training_files()?;
    let (set, now) = images.read_training(&paths)?;
    for (path, now) in paths.iter().zip(now) {
        let name = file_name(path);
        let first = plan.data_sha256(&name).unwrap_or("not read").to_string();
        if first != now {
            return Err(DataError::Changed { name, first, now }.into());
        }
    }
    let (batch, steps) = pretrain::steps(&network.pretrain, set.labels.len());
    let name = format!("{}, pre-training", plan.spec.name);
    progress.start(&name, steps, (steps * batch) as u64, 0);
    let tell = |_: usize, _: f64| {
        progress.done(batch as u64);
        !stop.load(Ordering::Relaxed)
    };
    cache::train(&path, network, &set, images.classes, &tell)?;
    progress.end();
    Ok(path)
}

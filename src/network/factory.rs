//! The networks of an experiment: trained once, kept beside the store, handed to every job.

use crate::{Learned, WideResNet, cache};
use burn::module::Module;
use burn::tensor::Device;
use lab::data::{data_folders, read_images};
use lab::experiment::build::Shape;
use lab::experiment::network::{NetworkFactory, Networks, needs_network};
use lab::experiment::network_spec::{NetworkSpec, Trained};
use lab::experiment::progress::Progress;
use lab::experiment::seed::sha256_hex;
use lab::experiment::{Key, Plan, Spec};
use lab::stream::cifar10h::Cifar10hConfig;
use learner::{ConfidentScorer, LearnerError, OnScorer, Policy};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Builds wide residual networks.
#[derive(Debug)]
pub struct WideResNets;

/// The file with the weights of every sweep point, empty where there is no network to run.
struct Prepared {
    weights: Vec<PathBuf>,
}

/// Bumped when the same settings start to give other weights.
const WEIGHTS: u32 = 1;

impl NetworkFactory for WideResNets {
    fn prepare(
        &self,
        plan: &Plan,
        pending: &[Key],
        store: &Path,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Networks>, String> {
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
        Ok(Box::new(Prepared { weights }))
    }
}

impl Networks for Prepared {
    fn policy(&self, spec: &Spec, key: Key, shape: Shape) -> Result<Box<dyn Policy>, String> {
        let policy = key.policy.map(|i| &spec.policy[i]).ok_or("no policy")?;
        let network = spec.network.as_ref().ok_or("no [network]")?;
        let config = spec.stream[key.stream].cifar10h.as_ref().ok_or("no images")?;
        let (space, device) = (shape.space, Device::flex().autodiff());
        let load = |device: &Device| {
            let path = &self.weights[key.point];
            cache::load(path, &network.shape, config.side, config.classes, device)
        };
        let named = |e: LearnerError| format!("policy `{}`: {e}", policy.name);
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

//! Pre-trained weights, kept as safetensors.

use crate::{TrainError, WideResNet, pretrain::pretrain};
use burn::store::{ModuleSnapshot, SafetensorsStore};
use burn::tensor::Device;
use lab::ImageSet;
use lab::experiment::{NetworkConfig, NetworkSpec};
use std::fmt::Display;
use std::path::Path;

/// The network whose weights are in `path`.
///
/// # Errors
/// They cannot be read or belong to another network.
pub(crate) fn load(
    path: &Path,
    shape: &NetworkConfig,
    side: usize,
    classes: usize,
    device: &Device,
) -> Result<WideResNet, TrainError> {
    let wrong = |problem: String| TrainError::Weights { path: path.into(), problem };
    let mut network = WideResNet::new(shape, side, classes, 0, device);
    let result = network.load_from(&mut SafetensorsStore::from_file(path));
    if !result.map_err(|e| wrong(e.to_string()))?.is_success() {
        return Err(wrong("not the weights of this network".into()));
    }
    Ok(network)
}

/// Trains the network and keeps its weights at `path`, which appears whole or not at all.
///
/// # Errors
/// Training failed, or the file cannot be written.
pub(crate) fn train(
    path: &Path,
    spec: &NetworkSpec,
    images: &ImageSet,
    classes: usize,
    tell: &dyn Fn(usize, f64) -> bool,
) -> Result<WideResNet, TrainError> {
    let network = pretrain(&spec.shape, &spec.pretrain, images, classes, tell)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let at = |e: &dyn Display| TrainError::Write { path: path.into(), problem: e.to_string() };
    std::fs::create_dir_all(folder).map_err(|e| at(&e))?;
    let partial = tempfile::tempdir_in(folder).map_err(|e| at(&e))?;
    let file = partial.path().join("weights.safetensors");
    network.save_into(&mut SafetensorsStore::from_file(&file)).map_err(|e| at(&e))?;
    std::fs::rename(&file, path).map_err(|e| at(&e))?;
    Ok(network)
}

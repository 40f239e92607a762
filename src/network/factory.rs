//! The networks of an experiment: trained, kept as a file, handed to every job.

use crate::{Learned, TrainError, WideResNet, cache, pretrain};
use burn::module::Module;
use burn::tensor::Device;
use lab::experiment::{
    NetworkError, NetworkFactory, NetworkJob, NetworkPlay, NetworkPolicySpec, NetworkTraining,
};
use learner::{ConfidentScorer, OnScorer, Policy};
use std::sync::atomic::Ordering;

/// Builds wide residual networks.
#[derive(Debug)]
pub struct WideResNets;

impl NetworkFactory for WideResNets {
    fn train(&self, training: &NetworkTraining<'_>) -> Result<(), NetworkError> {
        let NetworkTraining { network, images, progress, .. } = *training;
        let (batch, steps) = pretrain::steps(&network.pretrain, images.labels.len());
        let name = format!("{}, pre-training", training.experiment);
        progress.start(&name, steps, (steps * batch) as u64, 0);
        let tell = |_: usize, _: f64| {
            progress.done(batch as u64);
            !training.stop.load(Ordering::Relaxed)
        };
        cache::train(training.weights, network, images, training.classes, &tell)?;
        progress.end();
        Ok(())
    }

    fn policy(&self, job: &NetworkJob<'_>) -> Result<Box<dyn Policy>, NetworkError> {
        match job.play {
            NetworkPlay::Learns(learner) => learning(job, learner),
            NetworkPlay::DefersBelow(threshold) => confident(job, threshold),
        }
    }
}

fn load(job: &NetworkJob<'_>, device: &Device) -> Result<WideResNet, TrainError> {
    cache::load(job.weights, &job.network.shape, job.side, job.space.classes(), device)
}

/// Algorithm 1 on the network.
fn learning(
    job: &NetworkJob<'_>,
    learner: &NetworkPolicySpec,
) -> Result<Box<dyn Policy>, NetworkError> {
    let (space, device) = (job.space, Device::flex().autodiff());
    let start = match learner.pretrained {
        true => load(job, &device)?,
        false => {
            let seed = job.network.pretrain.seed.wrapping_add(1 + u64::from(job.run));
            WideResNet::new(&job.network.shape, job.side, space.classes(), seed, &device)
        }
    };
    let start = start.online(space.experts(), learner.train, &device);
    Ok(Box::new(OnScorer::new(Learned::new(start, device), space, learner.schedule)?))
}

/// The network as it was trained, which defers below `threshold`.
fn confident(job: &NetworkJob<'_>, threshold: f64) -> Result<Box<dyn Policy>, NetworkError> {
    let (space, device) = (job.space, Device::flex());
    let start = load(job, &device)?.with_more_outputs(space.experts(), &device).valid();
    Ok(Box::new(ConfidentScorer::new(Learned::new(start, device), space, threshold)?))
}

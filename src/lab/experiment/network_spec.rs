//! What a network and its training are set up with. Plain data: known with and without burn.

use super::error::SpecFault;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// The scorer of an experiment on images: its shape, and how it is trained beforehand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// Its shape.
    pub shape: NetworkConfig,
    /// How it is trained on the training images before the first round.
    pub pretrain: PretrainConfig,
}

/// The shape of a WideResNet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfig {
    /// `d = 6 b + 4`, with `b` blocks in each of the three groups.
    pub depth: usize,
    /// `k`: 16k, 32k and 64k channels.
    pub width: usize,
    /// Stride of the first convolution; 2 halves the image at once, at a quarter of the work.
    pub stem_stride: usize,
}

/// Supervised training on clean images: cross-entropy, stochastic gradient steps with momentum,
/// a rate that rises over the first fifth of the steps and then falls to zero along a straight
/// line, random left-right mirroring and shifts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PretrainConfig {
    /// Of the initial weights, the order of the images and their mirroring and shifts.
    pub seed: u64,
    /// Images used, the first ones of the training set.
    pub images: usize,
    /// Passes over them.
    pub epochs: usize,
    /// Images a step.
    pub batch: usize,
    /// The largest learning rate.
    pub rate: f64,
    /// Share of the last step in the next one.
    pub momentum: f64,
    /// Weight decay.
    pub decay: f64,
    /// Shifts of up to so many pixels in each direction.
    pub shift: usize,
}

/// Which weights learn online.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trained {
    /// Every layer; the batch norms keep the statistics of pre-training.
    #[default]
    All,
    /// The last layer alone.
    Head,
}

impl NetworkSpec {
    /// Whether there is such a network.
    ///
    /// # Errors
    /// Which setting, what was expected.
    pub(super) fn check(&self) -> Result<(), SpecFault> {
        let NetworkConfig { depth, width, stem_stride } = self.shape;
        let wrong = |field: &str, value: &dyn Display, expected: String| SpecFault::Setting {
            field: format!("network.{field}"),
            value: value.to_string(),
            expected,
        };
        let within = |field: &str, value: usize, low: usize, high: usize| match (low..=high)
            .contains(&value)
        {
            true => Ok(()),
            false => Err(wrong(field, &value, format!("{low} to {high}"))),
        };
        within("shape.depth", depth, 10, 1000)?;
        if depth % 6 != 4 {
            return Err(wrong("shape.depth", &depth, "6 b + 4 (10, 16, 22, ..)".into()));
        }
        within("shape.width", width, 1, 64)?;
        within("shape.stem_stride", stem_stride, 1, 4)?;
        let p = &self.pretrain;
        within("pretrain.images", p.images, 1, 1 << 24)?;
        within("pretrain.epochs", p.epochs, 0, 10_000)?;
        within("pretrain.batch", p.batch, 2, 4096)?;
        within("pretrain.shift", p.shift, 0, 16)?;
        let number =
            |field: &str, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
                true => Ok(()),
                false => Err(wrong(field, &value, format!("{low} to {high}"))),
            };
        number("pretrain.rate", p.rate, 0.0, 10.0)?;
        number("pretrain.momentum", p.momentum, 0.0, 0.999)?;
        number("pretrain.decay", p.decay, 0.0, 1.0)
    }
}

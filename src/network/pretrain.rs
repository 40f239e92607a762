//! Supervised training on the training images, before the first round.

use super::scorer::{centre, values};
use crate::wrn::CHANNELS;
use crate::{TrainError, WideResNet};
use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::{Device, Int, Tensor, TensorData};
use lab::ImageSet;
use lab::experiment::{NetworkConfig, PretrainConfig};
use rand::RngExt;
use rand_pcg::Pcg64;
use seed::Draws;

/// Images a step and the number of steps, with `available` images. A short last batch would give the
/// batch norms few images to see: it is left out.
pub(crate) fn steps(config: &PretrainConfig, available: usize) -> (usize, usize) {
    let images = config.images.min(available);
    let batch = config.batch.min(images).max(1);
    (batch, images / batch * config.epochs)
}

/// Trains a network for the classes of `images`. `tell` is told every step and its loss, and says
/// whether to go on.
///
/// # Errors
/// The loss stopped being a number, or `tell` said no.
pub(crate) fn pretrain(
    shape: &NetworkConfig,
    config: &PretrainConfig,
    images: &ImageSet,
    classes: usize,
    tell: &dyn Fn(usize, f64) -> bool,
) -> Result<WideResNet, TrainError> {
    let device = Device::flex().autodiff();
    let mut rng = Draws::Training.generator(config.seed);
    let mut network = WideResNet::new(shape, images.side, classes, config.seed, &device);
    let momentum = MomentumConfig::new().with_momentum(config.momentum).with_nesterov(true);
    let mut optimizer = SgdConfig::new()
        .with_momentum(Some(momentum))
        .with_weight_decay(Some(WeightDecayConfig::new(config.decay as f32)))
        .init();
    let loss_of = CrossEntropyLossConfig::new().init(&device);
    let mut order: Vec<usize> = (0..config.images.min(images.labels.len())).collect();
    let (batch, steps) = steps(config, images.labels.len());
    let mut step = 0;
    for _ in 0..config.epochs {
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last as u32) as usize);
        }
        for chosen in order.chunks_exact(batch) {
            let (pixels, labels) = augmented(images, chosen, config.shift, &mut rng);
            let shape = [chosen.len(), CHANNELS, images.side, images.side];
            let pixels = Tensor::<4>::from_data(TensorData::new(pixels, shape), &device);
            let labels =
                Tensor::<1, Int>::from_data(TensorData::new(labels, [chosen.len()]), &device);
            let loss = loss_of.forward(network.forward(pixels), labels);
            let seen: f64 = values(loss.clone()).iter().map(|&v| f64::from(v)).sum();
            if !seen.is_finite() {
                return Err(TrainError::Diverged { loss: seen, step, steps });
            }
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            let rate = config.rate * share_of_rate(step, steps);
            network = optimizer.step(rate, network, gradients);
            step += 1;
            if !tell(step, seen) {
                return Err(TrainError::Stopped);
            }
        }
    }
    Ok(network.valid())
}

/// Rises over the first fifth of the steps, then falls to zero.
fn share_of_rate(step: usize, steps: usize) -> f64 {
    let (at, peak) = ((step + 1) as f64, (steps as f64 / 5.0).max(1.0));
    if at <= peak { at / peak } else { (steps as f64 - at) / (steps as f64 - peak) }
}

/// A batch of images, mirrored with probability one half and shifted by up to `shift` pixels with
/// grey moving in.
fn augmented(
    images: &ImageSet,
    chosen: &[usize],
    shift: usize,
    rng: &mut Pcg64,
) -> (Vec<f32>, Vec<i64>) {
    let side = images.side;
    let plane = side * side;
    let mut pixels = vec![0.0; chosen.len() * CHANNELS * plane];
    for (&i, out) in chosen.iter().zip(pixels.chunks_exact_mut(CHANNELS * plane)) {
        let image = &images.pixels[i * CHANNELS * plane..][..CHANNELS * plane];
        let mirror = rng.random::<bool>();
        let mut draw = || rng.random_range(0..=2 * shift as u32) as usize;
        let (down, right) = (draw(), draw());
        for row in 0..side {
            // Positions in the image, with `shift` pixels of grey around it.
            let Some(from_row) = (row + down).checked_sub(shift).filter(|&r| r < side) else {
                continue;
            };
            for column in 0..side {
                let Some(from) = (column + right).checked_sub(shift).filter(|&c| c < side) else {
                    continue;
                };
                let from = if mirror { side - 1 - from } else { from };
                for channel in 0..CHANNELS {
                    let byte = image[(from_row * side + from) * CHANNELS + channel];
                    out[channel * plane + row * side + column] = centre(f64::from(byte) / 255.0);
                }
            }
        }
    }
    let labels = chosen.iter().map(|&i| images.labels[i] as i64).collect();
    (pixels, labels)
}

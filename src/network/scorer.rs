//! Networks as scorers: one image at a time, a gradient step by burn.

use super::WideResNet;
use super::wrn::CHANNELS;
use burn::module::Module;
use burn::nn::Linear;
use burn::optim::{GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::{Device, Tensor, TensorData};
use learner::Scorer;

/// A network that maps a batch of inputs to outputs.
pub trait Network: Module {
    /// Values of one input.
    fn inputs(&self) -> usize;

    /// Outputs for one input.
    fn run(&self, x: &[f64], device: &Device) -> Tensor<2>;
}

/// A [`Network`] that learns by plain gradient steps.
pub struct Learned<M> {
    /// The network as it is now.
    pub network: M,
    device: Device,
    optimizer: ModuleOptimizer,
    /// The outputs of the last input, with the graph that leads to them.
    outputs: Option<Tensor<2>>,
}

impl<M: Network> Learned<M> {
    /// `device` must be one that keeps gradients.
    #[must_use]
    pub fn new(network: M, device: Device) -> Self {
        Learned { network, device, optimizer: SgdConfig::new().init(), outputs: None }
    }
}

impl<M: Network> Scorer for Learned<M> {
    fn dim(&self) -> usize {
        self.network.inputs()
    }

    fn outputs(&mut self, x: &[f64], keep: bool, outputs: &mut [f64]) {
        let found = self.network.run(x, &self.device);
        for (to, from) in outputs.iter_mut().zip(values(found.clone())) {
            *to = from.into();
        }
        self.outputs = keep.then_some(found);
    }

    fn step(&mut self, g: &[f64], eta: f64) {
        let Some(outputs) = self.outputs.take() else { return };
        // The gradient of <g, outputs> with g held fixed is J^T g.
        let values: Vec<f32> = g.iter().map(|&g| g as f32).collect();
        let g = Tensor::<2>::from_data(TensorData::new(values, [1, g.len()]), &self.device);
        let gradients = (outputs * g).sum().backward();
        let gradients = GradientsParams::from_grads(gradients, &self.network);
        self.network = self.optimizer.step(eta, self.network.clone(), gradients);
    }
}

/// The numbers of a tensor; what is not 32-bit is converted.
pub(super) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

/// A single linear layer: the class of the theory, and what the network is compared with.
impl Network for Linear {
    fn inputs(&self) -> usize {
        self.weight.val().dims()[0]
    }

    fn run(&self, x: &[f64], device: &Device) -> Tensor<2> {
        let x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        let shape = [1, x.len()];
        self.forward(Tensor::from_data(TensorData::new(x, shape), device))
    }
}

/// Brings a pixel in `[0, 1]` about the origin; batch norms do the rest.
pub(super) fn centre(value: f64) -> f32 {
    ((value - 0.5) / 0.25) as f32
}

impl Network for WideResNet {
    fn inputs(&self) -> usize {
        self.side() * self.side() * CHANNELS
    }

    /// `x`: pixels in `[0, 1]`, colours of a pixel together.
    fn run(&self, x: &[f64], device: &Device) -> Tensor<2> {
        let side = self.side();
        let pixels = side * side;
        let mut planes = vec![0.0; x.len()];
        for (i, &value) in x.iter().enumerate() {
            planes[i % CHANNELS * pixels + i / CHANNELS] = centre(value);
        }
        let data = TensorData::new(planes, [1, CHANNELS, side, side]);
        self.forward(Tensor::from_data(data, device))
    }
}

//! The WideResNet, on burn's CPU backend.
//!
//! WRN-d-k of Zagoruyko and Komodakis: a convolution, three groups of `(d - 4)/6` pre-activation
//! blocks with 16k, 32k and 64k channels, the last two halving the image, a mean over what is left
//! of it, and a linear layer. Initial weights come from our own generator, so that they do not
//! depend on a seed that burn keeps for the whole process.

use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Initializer, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::{Device, Tensor, TensorData, activation::relu};
use lab::experiment::{NetworkConfig, Trained};
use lab::stream::Normal;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Red, green and blue: what a pixel of a [`lab::ImageSet`] has.
pub(super) const CHANNELS: usize = 3;

/// A residual block: `x + conv(relu(norm(conv(relu(norm(x))))))`.
#[derive(Module, Debug)]
struct Block {
    norm1: BatchNorm,
    conv1: Conv2d,
    norm2: BatchNorm,
    conv2: Conv2d,
    /// Where the shape changes, `x` passes through a convolution of one pixel.
    shortcut: Option<Conv2d>,
}

impl Block {
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let open = relu(self.norm1.forward(x.clone()));
        let skip = match &self.shortcut {
            Some(conv) => conv.forward(open.clone()),
            None => x,
        };
        let y = self.conv1.forward(open);
        self.conv2.forward(relu(self.norm2.forward(y))) + skip
    }
}

/// The network: images in, one output for every action out.
#[derive(Module, Debug)]
pub struct WideResNet {
    side: usize,
    stem: Conv2d,
    blocks: Vec<Block>,
    norm: BatchNorm,
    head: Linear,
}

impl WideResNet {
    /// A network for images of `side` x `side` with `outputs` outputs. Convolutions are drawn from
    /// `N(0, 2/fan-in)` with `seed`; the last layer starts at zero.
    #[must_use]
    pub fn new(
        config: &NetworkConfig,
        side: usize,
        outputs: usize,
        seed: u64,
        device: &Device,
    ) -> Self {
        let rng = Pcg64::seed_from_u64(seed);
        let mut draw = Draw { rng, normal: Normal::default(), device: device.clone() };
        // Channels after the first convolution and in each group, and blocks in a group.
        let (first, groups) = (16, [16, 32, 64].map(|channels| channels * config.width));
        let blocks_per_group = config.depth.saturating_sub(4) / 6;
        let stem = draw.conv([CHANNELS, first], 3, config.stem_stride);
        let (mut blocks, mut from) = (Vec::new(), first);
        for (group, to) in groups.into_iter().enumerate() {
            for block in 0..blocks_per_group {
                let stride = if group > 0 && block == 0 { 2 } else { 1 };
                blocks.push(Block {
                    norm1: BatchNormConfig::new(from).init(device),
                    conv1: draw.conv([from, to], 3, stride),
                    norm2: BatchNormConfig::new(to).init(device),
                    conv2: draw.conv([to, to], 3, 1),
                    shortcut: (from != to).then(|| draw.conv([from, to], 1, stride)),
                });
                from = to;
            }
        }
        let norm = BatchNormConfig::new(from).init(device);
        WideResNet { side, stem, blocks, norm, head: zero_head(from, outputs, device) }
    }

    /// Height and width of its images.
    #[must_use]
    pub(crate) fn side(&self) -> usize {
        self.side
    }

    /// Outputs for a batch of images `[batch, 3, side, side]`.
    #[must_use]
    pub(crate) fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        self.head.forward(self.features(images))
    }

    /// What the last layer sees.
    #[must_use]
    pub(crate) fn features(&self, images: Tensor<4>) -> Tensor<2> {
        let mut x = self.stem.forward(images);
        for block in &self.blocks {
            x = block.forward(x);
        }
        let x = relu(self.norm.forward(x));
        let [batch, channels, height, width] = x.dims();
        x.reshape([batch, channels, height * width]).mean_dim(2).reshape([batch, channels])
    }

    /// The network as it learns online beside so many experts: with an output for each, and `trained` of its
    /// weights.
    #[must_use]
    pub fn online(self, experts: usize, trained: Trained, device: &Device) -> Self {
        let network = self.with_more_outputs(experts, device);
        match trained {
            Trained::All => network.freeze_statistics(),
            Trained::Head => network.freeze_all_but_head(),
        }
    }

    /// The same network with `more` outputs behind the ones it has, all of weight zero: outputs for
    /// experts beside those of the classes.
    #[must_use]
    pub(crate) fn with_more_outputs(mut self, more: usize, device: &Device) -> Self {
        let [features, outputs] = self.head.weight.val().dims();
        let added = zero_head(features, more, device);
        let weight = Tensor::cat(vec![self.head.weight.val(), added.weight.val()], 1);
        let bias = |head: &Linear, outputs: usize| match &head.bias {
            Some(bias) => bias.val(),
            None => Tensor::zeros([outputs], device),
        };
        let bias = Tensor::cat(vec![bias(&self.head, outputs), bias(&added, more)], 0);
        self.head.weight = Param::from_tensor(weight.detach());
        self.head.bias = Some(Param::from_tensor(bias.detach()));
        self
    }

    /// Batch norms use the statistics of training from now on: one image at a time has none.
    #[must_use]
    fn freeze_statistics(mut self) -> Self {
        let inner = self.blocks.iter_mut().flat_map(|b| [&mut b.norm1, &mut b.norm2]);
        for norm in inner.chain([&mut self.norm]) {
            norm.training = Param::from_bool(false);
        }
        self
    }

    /// Only the last layer learns from now on.
    #[must_use]
    fn freeze_all_but_head(mut self) -> Self {
        self.stem = self.stem.freeze();
        self.blocks = self.blocks.into_iter().map(Block::freeze).collect();
        self.norm = self.norm.freeze();
        self
    }
}

fn zero_head(features: usize, outputs: usize, device: &Device) -> Linear {
    LinearConfig::new(features, outputs).with_initializer(Initializer::Zeros).init(device)
}

struct Draw {
    rng: Pcg64,
    normal: Normal,
    device: Device,
}

impl Draw {
    fn conv(&mut self, channels: [usize; 2], kernel: usize, stride: usize) -> Conv2d {
        let pad = kernel / 2;
        let mut conv = Conv2dConfig::new(channels, [kernel, kernel])
            .with_stride([stride, stride])
            .with_padding(PaddingConfig2d::Explicit(pad, pad, pad, pad))
            .with_bias(false)
            .with_initializer(Initializer::Zeros)
            .init(&self.device);
        let shape = [channels[1], channels[0], kernel, kernel];
        let sd = (2.0 / (channels[0] * kernel * kernel) as f64).sqrt();
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|_| (sd * self.normal.draw(&mut self.rng)) as f32)
            .collect();
        conv.weight = Param::from_data(TensorData::new(values, shape), &self.device);
        conv
    }
}

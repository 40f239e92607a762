//! The CIFAR10H experiment: Algorithm 1 with a WideResNet in place of the linear class (App. G.4).
//!
//! | question | module |
//! |---|---|
//! | the network itself | [`WideResNet`] |
//! | training beforehand, and keeping its result | [`pretrain`], [`cache`] |
//! | a gradient step by burn | [`Learned`] |
//! | the policies of an experiment | [`WideResNets`] |
//!
//! The sums inside burn's kernels follow the instruction set of the CPU, so runs of networks repeat bit
//! for bit on one kind of machine, not on any: they are outside the promise the linear learner keeps.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cache;
mod error;
mod factory;
mod pretrain;
mod scorer;
mod wrn;

/// The library underneath, for networks of one's own.
pub use burn;
pub(crate) use error::TrainError;
pub use factory::WideResNets;
pub use scorer::{Learned, Network};
pub use wrn::WideResNet;

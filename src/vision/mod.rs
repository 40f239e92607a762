//! The CIFAR10H experiment: Algorithm 1 with a WideResNet in place of the linear class (App. G.4).
//!
//! | question | module |
//! |---|---|
//! | which network, trained how? | [`config`] |
//! | Algorithm 1 and the confidence baseline on any scorer | [`online`] |
//! | the network itself | `wrn` |
//! | training beforehand, and keeping its result | `pretrain`, `cache` |
//! | a gradient step by burn | `scorer` |
//!
//! What needs burn is built with the feature `wrn` alone; the rest is plain arithmetic. The sums
//! inside burn's kernels follow the instruction set of the CPU, so runs of networks repeat bit for
//! bit on one kind of machine, not on any: they are outside the promise the linear learner keeps.

pub mod config;
pub mod online;

#[cfg(feature = "wrn")]
pub mod cache;
#[cfg(feature = "wrn")]
pub mod pretrain;
#[cfg(feature = "wrn")]
pub mod scorer;
#[cfg(feature = "wrn")]
pub mod wrn;

pub use config::{NetworkConfig, NetworkSpec, PretrainConfig, Trained};
pub use online::{ConfidentScorer, OnScorer, Scorer};
#[cfg(feature = "wrn")]
pub use scorer::{Learned, Network};
#[cfg(feature = "wrn")]
pub use wrn::WideResNet;

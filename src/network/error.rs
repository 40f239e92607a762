//! What can go wrong with a network.

use lab::experiment::NetworkError;
use std::path::PathBuf;
use thiserror::Error;

/// Training, keeping or reading a network went wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum TrainError {
    /// The loss stopped being a number.
    #[error(
        "pre-training: the loss is {loss} at step {step} of {steps}; lower network.pretrain.rate"
    )]
    Diverged {
        /// What it is.
        loss: f64,
        /// Where.
        step: usize,
        /// Of how many.
        steps: usize,
    },
    /// Weights that cannot be read or belong to another network.
    #[error("{}: {problem}; remove it, and the network is trained again", path.display())]
    Weights {
        /// Their file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Weights that cannot be kept.
    #[error("{}: {problem}", path.display())]
    Write {
        /// Their file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// Training was asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<TrainError> for NetworkError {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Stopped => NetworkError::Stopped,
            error => NetworkError::Factory(Box::new(error)),
        }
    }
}

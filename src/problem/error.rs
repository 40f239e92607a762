//! Bad input to the problem types: what was wrong, where, and what was expected.

use super::{MAX_ACTIONS, SMALL_ACTIONS};
use thiserror::Error;

/// A value that cannot be part of a learning-to-defer problem.
#[expect(missing_docs, reason = "the message of a variant says what it is")]
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    #[error("n = {n}: a problem needs at least 2 classes, or none at all where there are experts")]
    TooFewClasses { n: usize },
    #[error("n = 0: the paper's problem needs at least 2 classes to answer with")]
    NoClasses,
    #[error("n = 0 and n_e = 0: there is nothing to choose from")]
    NoActions,
    #[error(
        "n = {n} and n_e = {n_e}: at most {MAX_ACTIONS} actions (classes + experts) are supported"
    )]
    TooManyActions { n: usize, n_e: usize },
    #[error(
        "n = {n} and n_e = {n_e}: at most {SMALL_ACTIONS} actions (classes + experts) are supported here"
    )]
    NotSmall { n: usize, n_e: usize },
    #[error("reward = {value}: a reward must lie in [0, 1]")]
    RewardOutOfRange { value: f64 },
    #[error("action {index} does not exist: actions are 0..{actions}")]
    NoSuchAction { index: usize, actions: usize },
    #[error("class {label} does not exist: classes are 0..{classes}")]
    NoSuchClass { label: usize, classes: usize },
    #[error("expert {expert} does not exist: experts are 0..{experts}")]
    NoSuchExpert { expert: usize, experts: usize },
    #[error("{field} = {value}: costs must be finite and not negative")]
    NegativeCost { field: &'static str, value: f64 },
    #[error("{field} = {value}: a cost must lie in [0, 1]")]
    CostOutOfRange { field: String, value: f64 },
    #[error("{field} = {value}: a probability must lie in [0, 1]")]
    ProbabilityOutOfRange { field: String, value: f64 },
    #[error("{field} sums to {sum}, expected 1")]
    NotADistribution { field: &'static str, sum: f64 },
    #[error("{field} has {got} entries, expected {expected}")]
    WrongLength { field: String, got: usize, expected: usize },
    #[error("feature {index} = {value}: features must be finite")]
    FeatureNotFinite { index: usize, value: f64 },
    #[error(
        "the squared norm of the features overflows: scale them down (largest is feature {index} = {value:e})"
    )]
    FeaturesTooLarge { index: usize, value: f64 },
    #[error("features have dimension {got}, expected {expected}")]
    DimensionMismatch { got: usize, expected: usize },
    #[error("feature index {index} at position {position} is out of range: dimension is {dim}")]
    FeatureIndexOutOfRange { position: usize, index: u32, dim: usize },
    #[error("feature indices must increase: {index} at position {position} follows {previous}")]
    FeatureIndexOrder { position: usize, index: u32, previous: u32 },
    #[error("dim = {dim}: expected a power of two between 2 and 16777216 for hashed text")]
    TextDim { dim: usize },
}

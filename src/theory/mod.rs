//! Exact quantities the theorems talk about, sharing no code with the learner.

pub mod gap;
pub mod matrix;
pub mod stream;

#![forbid(unsafe_code)]
pub mod cli;
pub mod eval;
pub mod kernels;
pub mod learner;
pub mod prec;
pub mod problem;
pub mod stream;
pub mod surrogate;
pub mod theory;

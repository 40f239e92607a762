#![forbid(unsafe_code)]
pub mod kernels;
pub mod prec;
pub mod problem;
pub mod surrogate;

#![forbid(unsafe_code)]
pub mod eval;
pub mod prec;
pub mod problem;
pub mod theory;

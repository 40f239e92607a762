#![forbid(unsafe_code)]
pub mod prec;
pub mod problem;
pub mod theory;

//! Laws and properties of what `theory` computes. Compiled into that crate, which shows them what it
//! shows nobody else.

mod calibration;
mod comparator;
mod concentration;
mod constants;
mod gap;
mod pointwise;
mod random_streams;
mod scores;
mod transfer;

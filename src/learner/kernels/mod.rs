//! Kernels over a column-major matrix: one column per feature, actions contiguous.
//!
//! Lanes run across actions and features follow one another, so the order of every sum is fixed
//! by the shapes alone: the same bits come out of the AVX2 path and of the portable one. Nothing
//! here uses a fused multiply-add (Rust never fuses on its own), and nothing allocates.
//!
//! Every kernel has a plain twin in `plain` that tests compare it with.

mod columns;
mod cpu;
mod lanes;
#[cfg(test)]
mod plain;
mod round;
mod wide;

pub(crate) use columns::Columns;
pub(crate) use cpu::Cpu;
pub(crate) use lanes::{
    Motion, adagrad_step, copy_and_square, norm2, rank_one, rank_one_then_scores, rescale, scores,
};
pub(crate) use round::{Asked, Chosen, Gradient, are_finite, score_and_choose, step};

#[cfg(test)]
mod tests;

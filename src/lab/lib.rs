//! Experiments on streams of rounds: where rounds come from, how data is read, how an experiment is
//! specified, run in parallel and kept.
//!
//! | question | module |
//! |---|---|
//! | where do rounds come from? | [`stream`] |
//! | how are files read and checked? | [`data`] |
//! | how is a round played, and who watches? | [`rounds`] |
//! | how is an experiment specified, run and kept? | [`experiment`] |
#![forbid(unsafe_code)]

pub mod data;
pub mod experiment;
pub mod rounds;
pub mod stream;

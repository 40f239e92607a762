//! Experiments on streams of rounds: where rounds come from, how data is read, how an experiment is
//! specified, run in parallel and kept.
//!
//! | question | module |
//! |---|---|
//! | where do rounds come from? | [`stream`] |
//! | how are files read and checked? | `data` |
//! | how is a round played, and who watches? | [`play`] |
//! | how is an experiment specified, run and kept? | [`experiment`] |
//! | how is another program spoken to? | [`Program`], on `json_lines` |
//! | what is refused before it takes the machine down? | `limits` |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod data;
pub mod experiment;
mod hash;
mod json_lines;
mod limits;
mod process;
mod program;
mod rounds;
pub mod stream;
mod terminal;
#[cfg(test)]
mod tests;

pub use data::{Array2, DataError, ImageSet, read_npy};
pub use hash::sha256_hex;
pub use json_lines::{BadLine, parse_line, read_line};
pub use learner::nearest;
pub use limits::check_threads;
pub use process::TimeLimits;
pub use program::{Program, ProgramError, read_reply};
pub use rounds::{Event, Observer, play};
pub use terminal::terminal;

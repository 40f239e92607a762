//! Files: reading them, checking them, and saying precisely what is wrong with them.
//!
//! Every loader checks shape, ranges and finiteness; an error names file, row and field. No input
//! makes a loader panic, and memory grows only with what was actually read.

mod cifar;
mod classes;
mod error;
mod inputs;
mod locate;
mod matrix;
mod npy;
mod open;
mod sets;
mod standin;
mod svmlight;
mod table;

pub(crate) use cifar::CHANNELS;
pub use cifar::ImageSet;
pub(crate) use cifar::read_counts;
pub(crate) use cifar::read_images;
pub(crate) use classes::{Classes, NotAClass};
pub use error::DataError;
pub(crate) use inputs::{CsrRows, DenseRows, Inputs};
pub(crate) use locate::{data_folders, find, locate_in};
pub(crate) use matrix::{Answers, read_answers, read_labels};
pub use npy::{Array2, read_npy};
pub(crate) use open::{Opened, sha256_of};
pub(crate) use sets::{labelme, reuters4};
pub(crate) use svmlight::read_svmlight;
pub(crate) use table::{Answered, Columns, read_table};

#[cfg(test)]
pub(crate) mod tests;

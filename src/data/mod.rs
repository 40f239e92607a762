//! Files: reading them, checking them, and saying precisely what is wrong with them.
//!
//! Every loader checks shape, ranges and finiteness; an error names file, row and field. No input
//! makes a loader panic, and memory grows only with what was actually read.

mod cifar;
mod error;
mod locate;
mod matrix;
mod npy;
mod svmlight;

pub use cifar::{CHANNELS, ImageSet, read_counts, read_images};
pub use error::DataError;
pub use locate::{VARIABLE, data_folder, data_folders, locate, locate_in};
pub use matrix::{read_answers, read_labels};
pub use npy::{Array2, read_npy};
pub use svmlight::{Labelled, read_svmlight};

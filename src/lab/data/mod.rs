//! Files: reading them, checking them, and saying precisely what is wrong with them.
//!
//! Every loader checks shape, ranges and finiteness; an error names file, row and field. No input
//! makes a loader panic, and memory grows only with what was actually read.

mod cifar;
mod classes;
mod error;
mod locate;
mod matrix;
mod npy;
mod open;
mod sets;
pub mod standin;
mod svmlight;
mod table;

pub use cifar::{CHANNELS, ImageSet, read_counts, read_images};
pub use classes::{Classes, NotAClass};
pub use error::DataError;
pub(crate) use locate::locate_in;
pub use locate::{data_folder, data_folders, find, locate};
pub use matrix::{Answers, read_answers, read_labels};
pub use npy::{Array2, read_npy};
pub(crate) use open::{Opened, sha256_of};
pub use sets::{Found, labelme, reuters4};
pub use svmlight::{Labelled, read_svmlight};
pub use table::{Answered, Columns, read_table};

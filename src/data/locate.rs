//! Where data sets are looked for.

use super::DataError;
use std::path::{Path, PathBuf};

/// The variable that names the folder with the data sets.
pub const VARIABLE: &str = "DEFERLAB_DATA";

/// `$DEFERLAB_DATA` if it is set, otherwise `data`.
pub fn data_folder() -> PathBuf {
    std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map_or_else(|| "data".into(), Into::into)
}

/// The file `name` in `folder`.
///
/// # Errors
/// [`DataError::NotFound`], which says where to put it: never a silent skip.
pub fn locate(folder: &Path, name: &str) -> Result<PathBuf, DataError> {
    let path = folder.join(name);
    if path.is_file() { Ok(path) } else { Err(DataError::NotFound { name: name.to_owned() }) }
}

/// The file `name` in `$DEFERLAB_DATA`, then in `data`.
///
/// # Errors
/// As [`locate`].
pub fn find(name: &str) -> Result<PathBuf, DataError> {
    locate(&data_folder(), name).or_else(|_| locate(Path::new("data"), name))
}

//! Where data sets are looked for.

use super::DataError;
use std::path::{Path, PathBuf};

/// The variable that names the folder with the data sets.
const VARIABLE: &str = "DEFERLAB_DATA";

/// `$DEFERLAB_DATA` if it is set, otherwise `data`.
#[must_use]
pub fn data_folder() -> PathBuf {
    data_folders().swap_remove(0)
}

/// Every folder that is searched, in order: `$DEFERLAB_DATA` if it is set, and `data`.
pub fn data_folders() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    named.into_iter().chain([PathBuf::from("data")]).collect()
}

/// The file `name` in `folder`.
///
/// # Errors
/// [`DataError::NotFound`], which says where to put it: never a silent skip.
pub fn locate(folder: &Path, name: &str) -> Result<PathBuf, DataError> {
    locate_in(&[folder.to_owned()], name)
}

/// The file `name` in the first of `folders` that has it, so that one data set may stand in one
/// folder and the next in another.
///
/// # Errors
/// As [`locate`].
pub(crate) fn locate_in(folders: &[PathBuf], name: &str) -> Result<PathBuf, DataError> {
    let paths = folders.iter().map(|folder| folder.join(name));
    let found = paths.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| DataError::NotFound { name: name.to_owned() })
}

/// The file `name` in `$DEFERLAB_DATA`, then in `data`.
///
/// # Errors
/// As [`locate`].
pub fn find(name: &str) -> Result<PathBuf, DataError> {
    locate_in(&data_folders(), name)
}

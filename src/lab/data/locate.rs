//! Where data sets are looked for.

use super::DataError;
use std::path::PathBuf;

/// The variable that names the folder with the data sets.
const VARIABLE: &str = "DEFERLAB_DATA";

/// Every folder that is searched, in order: `$DEFERLAB_DATA` if it is set, and `data`.
pub(crate) fn data_folders() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    named.into_iter().chain([PathBuf::from("data")]).collect()
}

/// The file `name` in the first of `folders` that has it, so that one data set may stand in one
/// folder and the next in another.
///
/// # Errors
/// [`DataError::NotFound`], which says where to put it: never a silent skip.
pub(crate) fn locate_in(folders: &[PathBuf], name: &str) -> Result<PathBuf, DataError> {
    let paths = folders.iter().map(|folder| folder.join(name));
    let found = paths.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| DataError::NotFound { name: name.to_owned() })
}

/// The file `name` in `$DEFERLAB_DATA`, then in `data`.
///
/// # Errors
/// As [`locate_in`].
pub(crate) fn find(name: &str) -> Result<PathBuf, DataError> {
    locate_in(&data_folders(), name)
}

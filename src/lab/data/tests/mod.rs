//! Loaders on good, damaged and real files. What tests of other crates use as well is in their folder.

#[path = "../../../../theory_tests/broken_bytes/mod.rs"]
#[allow(unreachable_pub)]
mod broken_bytes;
mod damaged;
mod images;
mod real_files;
#[path = "../../../../theory_tests/tiny_images/mod.rs"]
#[allow(unreachable_pub)]
pub(crate) mod tiny_images;

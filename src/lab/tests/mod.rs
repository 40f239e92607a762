//! Whole experiments, from a file to a store.

mod hardness;
mod own;
mod peers;
mod shards;

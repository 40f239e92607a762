//! Laws and properties of what `theory` computes. Compiled into that crate, which shows them what it
//! shows nobody else.

mod calibration;
mod comparator;
mod gap;
mod pointwise;
mod random_streams;

use crate::stream::{FiniteStream, StreamItem};

/// A stream of [`random_streams::random_items`].
fn random_stream(
    sizes: (usize, usize),
    d: usize,
    contexts: usize,
    sets: usize,
    seed: u64,
) -> FiniteStream {
    let (space, items) = random_streams::random_items(sizes, d, contexts, sets, seed);
    FiniteStream::new(space, items).unwrap()
}

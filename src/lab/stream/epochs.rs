//! The order in which the rows of a file are played.

use rand::RngExt;
use rand_pcg::Pcg64;

/// Once in the order of the file, or reshuffled epoch after epoch without end.
#[derive(Clone, Debug)]
pub(super) struct Epochs {
    shuffle: Option<Pcg64>,
    order: Vec<u32>,
    at: usize,
}

impl Epochs {
    /// In the order of the file.
    pub(super) fn once(rows: usize) -> Self {
        Epochs { shuffle: None, order: (0..rows as u32).collect(), at: 0 }
    }

    /// A new order for every epoch.
    pub(super) fn shuffled(rows: usize, rng: Pcg64) -> Self {
        Epochs { shuffle: Some(rng), at: rows, ..Epochs::once(rows) }
    }

    /// The next row, or `None` when there are no more.
    #[inline]
    pub(super) fn next_row(&mut self) -> Option<usize> {
        if self.at == self.order.len() {
            let rng = self.shuffle.as_mut()?;
            self.at = 0;
            for i in (1..self.order.len()).rev() {
                self.order.swap(i, rng.random_range(0..=i as u32) as usize);
            }
        }
        let row = *self.order.get(self.at)?;
        self.at += 1;
        Some(row as usize)
    }
}

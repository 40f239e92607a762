//! SynSep inputs: sparse 0/1 vectors in linearly separable clusters.

use super::SyntheticFault;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// Which paper's recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Recipe {
    /// van der Hoeven et al. with parameter `n'`: keyword vectors of length `10 n'` with
    /// `U{n'..5n'}` bits on, then `30 n'` noise bits of which exactly `5 n'` are on; `d = 40 n'`.
    #[default]
    VanDerHoeven,
    /// Kakade et al., 400 words scaled to `d = 40 n'`: 30% of the words are keywords, a prototype
    /// has 20-40 per 120 of them, 5 per 120 are switched off in a document, and 20 per 280 of the
    /// common words are on.
    Kakade,
}

/// Keyword prototypes and how a document is made from one.
#[derive(Clone, Debug)]
pub(crate) struct SynSep {
    prototypes: Vec<BitSet>,
    keywords: usize,
    common: usize,
    common_on: usize,
    switched_off: usize,
    indices: Vec<u32>,
    /// All ones, as many as a document can have.
    ones: Vec<f64>,
    scratch: BitSet,
}

impl SynSep {
    /// Draws `clusters` prototypes.
    ///
    /// # Errors
    /// `n'` of zero or so large that indices overflow, or more clusters than prototypes can be
    /// told apart.
    pub(crate) fn new(
        recipe: Recipe,
        n_prime: usize,
        clusters: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, SyntheticFault> {
        if !(1..=100_000).contains(&n_prime) {
            let (field, value) = ("n_prime", n_prime as f64);
            return Err(SyntheticFault::Range { field, value, expected: "1 to 100000" });
        }
        let scaled = |per: f64, of: f64, words: usize| (per / of * words as f64 + 0.5) as usize;
        let (keywords, on, common_on, switched_off) = match recipe {
            Recipe::VanDerHoeven => (10 * n_prime, (n_prime, 5 * n_prime), 5 * n_prime, 0),
            Recipe::Kakade => {
                let keywords = 12 * n_prime;
                let on = (scaled(20.0, 120.0, keywords), scaled(40.0, 120.0, keywords));
                let off = scaled(5.0, 120.0, keywords);
                (keywords, on, scaled(20.0, 280.0, 28 * n_prime), off)
            }
        };
        let common = 40 * n_prime - keywords;
        let mut prototypes: Vec<BitSet> = Vec::with_capacity(clusters);
        let mut attempts = 0;
        while prototypes.len() < clusters {
            let mut candidate = BitSet::new(keywords);
            candidate.fill_random(rng.random_range(on.0..=on.1), rng);
            // Far enough apart that what is switched off cannot make two clusters alike.
            if prototypes.iter().all(|p| p.distance(&candidate) > 2 * switched_off) {
                prototypes.push(candidate);
            }
            attempts += 1;
            if attempts > 1000 * clusters {
                return Err(SyntheticFault::TooManyClusters { clusters, keywords });
            }
        }
        let scratch = BitSet::new(common);
        let ones = vec![1.0; on.1 + common_on];
        Ok(SynSep {
            prototypes,
            keywords,
            common,
            common_on,
            switched_off,
            indices: Vec::with_capacity(ones.len()),
            ones,
            scratch,
        })
    }

    /// `d`.
    #[must_use]
    pub(crate) fn dim(&self) -> usize {
        self.keywords + self.common
    }

    /// The keyword vector of a cluster as indices, and its squared norm.
    #[cfg(test)]
    pub(crate) fn prototype(&self, cluster: usize) -> (Vec<u32>, f64) {
        let mut indices = Vec::new();
        self.prototypes[cluster].list(0, &mut indices);
        let norm2 = indices.len() as f64;
        (indices, norm2)
    }

    /// The most `|(x, 1)|` can be.
    #[must_use]
    pub(crate) fn rho(&self) -> f64 {
        (1.0 + self.ones.len() as f64).sqrt()
    }

    /// Draws a document of `cluster`: its indices and values.
    pub(crate) fn draw(&mut self, cluster: usize, rng: &mut impl Rng) -> (&[u32], &[f64]) {
        self.indices.clear();
        self.prototypes[cluster].list(0, &mut self.indices);
        for _ in 0..self.switched_off {
            let at = rng.random_range(0..self.indices.len());
            self.indices.remove(at);
        }
        self.scratch.clear();
        self.scratch.fill_random(self.common_on, rng);
        self.scratch.list(self.keywords as u32, &mut self.indices);
        (&self.indices, &self.ones[..self.indices.len()])
    }
}

/// A set of small numbers that lists itself in order.
#[derive(Clone, Debug, PartialEq)]
struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    fn new(len: usize) -> Self {
        BitSet { words: vec![0; len.div_ceil(64)], len }
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Switches on `count` of the bits that are off, every choice equally likely.
    fn fill_random(&mut self, count: usize, rng: &mut impl Rng) {
        let mut left = count;
        while left > 0 {
            let i = rng.random_range(0..self.len as u32) as usize;
            let (word, bit) = (&mut self.words[i / 64], 1 << (i % 64));
            left -= usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    fn distance(&self, other: &BitSet) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// Appends its numbers, each moved by `offset`.
    fn list(&self, offset: u32, out: &mut Vec<u32>) {
        for (w, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                out.push(offset + 64 * w as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

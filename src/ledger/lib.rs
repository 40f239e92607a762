//! Claims with checks that can fail, and a record of what the checks said: a ledger for any paper.
//!
//! A [`Claim`] is data (where it is said, what it says, under which hypotheses) and a check that
//! computes an [`Outcome`]: a [`Verdict`] with the [`Grade`] of its evidence. [`run`] runs the checks,
//! [`Ledger`] records what they said, [`differences`] tells what changed since, [`markdown`] tells it to
//! people. A [`Saboteur`] is a false variant of a claim that its check must refute; [`teeth`] tries them.
//!
//! `examples/three_claims.rs` is a whole ledger about sorting and prime numbers.
//!
//! Nothing here knows what the claims are about.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod grade;
pub mod markdown;
mod outcome;
mod proof;
mod record;
mod run;
mod saboteur;
mod tally;

pub use grade::{Grade, Owner};
pub use outcome::{CheckFailure, Checked, Outcome, Tightness, Verdict};
pub use proof::{ProofRecord, SabotageResult, Stance, TheoremRecord};
pub use record::{Difference, Entry, FalseVariant, Ledger, LedgerError, differences};
pub use run::{Done, repeat, run};
pub use saboteur::{Saboteur, SaboteurFate, SaboteurRun, teeth};
pub use tally::Tally;

use rand_pcg::Pcg64;
use seed::Purpose;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};

/// What sort of statement a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Follows from the definitions.
    Definition,
    /// A theorem, proposition, lemma or corollary.
    Theorem,
    /// What the hypotheses of a theorem mean, and where they can hold.
    Hypothesis,
    /// A number inside a proof.
    Constant,
    /// Arithmetic and memory.
    Cost,
    /// Something about the experiments.
    Experiment,
    /// Something an implementation of the algorithm must do.
    Implementation,
}

/// One claim and how it is checked.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Short name, unique, for `--claim`.
    pub id: &'static str,
    /// Where the paper says it, in its own numbering.
    pub reference: &'static str,
    /// What it says, in one sentence of ours.
    pub statement: &'static str,
    /// What it assumes.
    pub hypotheses: &'static [&'static str],
    /// What sort of statement it is.
    pub kind: Kind,
    /// Whose claim it is.
    pub owner: Owner,
    /// Computes the verdict.
    pub check: fn(&Context) -> Checked,
    /// False variants that the check must refute.
    pub saboteurs: &'static [Saboteur],
}

impl Claim {
    /// A claim of the paper with nothing filled in, to be completed with `..Claim::BLANK`. Its check
    /// comes to no verdict.
    pub const BLANK: Claim = Claim {
        id: "",
        reference: "",
        statement: "",
        hypotheses: &[],
        kind: Kind::Theorem,
        owner: Owner::Paper,
        check: |_| Err(CheckFailure("this claim has no check".into())),
        saboteurs: &[],
    };
}

/// What a check may depend on besides the paper.
#[derive(Debug)]
pub struct Context {
    seed: u64,
    /// Whether anybody asked for the seed: a check that did not gives the same verdict with any.
    drew: AtomicBool,
}

impl Default for Context {
    fn default() -> Self {
        Context::new(1)
    }
}

impl Context {
    /// With a master seed for everything that is drawn.
    pub(crate) fn new(seed: u64) -> Self {
        Context { seed, drew: AtomicBool::new(false) }
    }

    /// The master seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.drew.store(true, Ordering::Relaxed);
        self.seed
    }

    /// Random numbers that depend on the master seed and on `purpose` (a claim id, mostly), never
    /// on the order in which checks run.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> Pcg64 {
        Pcg64::new(u128::from(seed::derive(self.seed(), purpose, 0, Purpose::Check)), 0)
    }

    /// The seed of run `i` for `purpose`.
    #[must_use]
    pub fn run_seed(&self, purpose: &str, i: u64) -> u64 {
        seed::derive(self.seed(), purpose, i, Purpose::CheckRun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_depend_on_purpose_and_master_seed() {
        use rand::Rng;
        let draw = |seed, purpose: &str| Context::new(seed).rng(purpose).next_u64();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        let runs: std::collections::BTreeSet<u64> =
            (0..100).map(|i| Context::default().run_seed("a", i)).collect();
        assert_eq!(runs.len(), 100);
    }
}

//! The ledger: every claim of the paper with a check that can fail.
//!
//! A [`Claim`] is data (where the paper says it, what it says, under which hypotheses) and a check
//! that computes an [`Outcome`]. No verdict is written down in the source: each check has a path to
//! [`Verdict::Fails`], and the recorded verdicts in `reports/ledger.json` are only what the checks
//! said last time.
//!
//! | part of the paper | module |
//! |---|---|
//! | Sec. 3 and 4: costs, losses, masses | [`definitions`] |
//! | Sec. 5: transfer | [`transfer`] |
//! | Sec. 6.1: estimate, projection, steps | [`estimator`], [`projection`], [`steps`] |
//! | Thm 6.3-6.5: regret | [`regret`], [`rates`], [`sublinear`] |
//! | Thm 6.5: what its condition means | [`concentration`] |
//! | App. B, C | [`benchmarks`], [`radius`] |
//! | App. D, E, F | [`appendix_d`], [`calibration`], [`constants`], [`slack`], [`gap`] |
//! | App. E with Thm 6.4: experts who come and go | [`availability`] |
//! | Sec. 6.1: arithmetic and memory | [`cost`] |
//! | App. G: what is not said, whether its tables fit and its figures appear | [`experiments`], [`tables`], [`figures`] |
//! | Alg. 1, as implemented | [`implementation`], with [`teeth`] |

pub mod appendix_d;
pub mod availability;
pub mod benchmarks;
pub mod calibration;
pub mod concentration;
pub mod constants;
pub mod cost;
pub mod definitions;
pub mod estimator;
mod exact;
pub mod experiments;
pub mod figures;
pub mod gap;
pub mod implementation;
mod ledger;
pub mod markdown;
mod outcome;
pub mod projection;
pub mod radius;
pub mod rates;
pub mod regret;
mod run;
pub mod slack;
pub mod steps;
mod streams;
pub mod sublinear;
pub mod tables;
mod tally;
pub mod teeth;
pub mod transfer;
pub mod trial;

pub use ledger::{Difference, Entry, Ledger, LedgerError, differences};
pub use outcome::{CheckFailure, Checked, Outcome, Tightness, Verdict};
pub use run::{Done, Repeated, repeat, run};
pub use tally::Tally;

use rand_pcg::Pcg64;
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
    /// Computes the verdict.
    pub check: fn(&Context) -> Checked,
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
    pub fn new(seed: u64) -> Self {
        Context { seed, drew: AtomicBool::new(false) }
    }

    /// The master seed.
    pub fn seed(&self) -> u64 {
        self.drew.store(true, Ordering::Relaxed);
        self.seed
    }

    /// Random numbers that depend on the master seed and on `purpose` (a claim id, mostly), never
    /// on the order in which checks run.
    pub fn rng(&self, purpose: &str) -> Pcg64 {
        Pcg64::new(u128::from(self.seed()), u128::from(hash(purpose)))
    }

    /// The seed of run `i` for `purpose`.
    pub fn run_seed(&self, purpose: &str, i: u64) -> u64 {
        hash(purpose)
            ^ self.seed().wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ i.wrapping_mul(0xd1b5_4a32)
    }
}

/// FNV-1a: short, and the same everywhere.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Every claim, in the order of the paper.
pub fn all() -> Vec<Claim> {
    let groups: [&[Claim]; 18] = [
        definitions::CLAIMS,
        transfer::CLAIMS,
        projection::CLAIMS,
        estimator::CLAIMS,
        steps::CLAIMS,
        regret::CLAIMS,
        rates::CLAIMS,
        sublinear::CLAIMS,
        concentration::CLAIMS,
        benchmarks::CLAIMS,
        radius::CLAIMS,
        appendix_d::CLAIMS,
        calibration::CLAIMS,
        constants::CLAIMS,
        slack::CLAIMS,
        gap::CLAIMS,
        availability::CLAIMS,
        cost::CLAIMS,
    ];
    let mut claims: Vec<Claim> = groups.concat();
    claims.extend_from_slice(experiments::CLAIMS);
    claims.extend_from_slice(tables::CLAIMS);
    claims.extend_from_slice(figures::CLAIMS);
    claims.extend_from_slice(implementation::CLAIMS);
    claims
}

/// Statements of the paper that no computation can decide, with the reason. They have no verdict.
pub const NOT_CHECKABLE: [(&str, &str); 3] = [
    (
        "Sec. 1: the first framework of its kind",
        "a statement about the literature, not about anything that can be computed",
    ),
    (
        "Sec. 6: sqrt(T) cannot be beaten on rich comparator classes",
        "a lower bound over all algorithms, quoted from the bandit literature; a run of one \
         algorithm cannot confirm or refute it",
    ),
    (
        "App. G: the realism of the three settings",
        "stories about clinics and compute budgets; the settings themselves are checked as \
         experiments",
    ),
];

/// The known id that is most like `id`, for messages.
pub fn nearest<'a>(id: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|candidate| edit_distance(id, candidate))
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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

    #[test]
    fn the_nearest_id_is_found() {
        let known = ["thm-6.3", "thm-6.5", "lem-6.2"];
        assert_eq!(nearest("thm6.5", known), Some("thm-6.5"));
        assert_eq!(nearest("lemma-6.2", known), Some("lem-6.2"));
        assert_eq!(nearest("x", []), None);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}

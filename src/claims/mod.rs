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

mod agreement;
mod appendix_d;
pub(crate) mod availability;
mod benchmarks;
mod calibration;
mod concentration;
mod constants;
mod cost;
mod definitions;
mod estimator;
mod exact;
mod experiments;
mod figures;
mod gap;
pub mod implementation;
mod projection;
mod radius;
mod rates;
mod regret;
mod slack;
mod steps;
mod streams;
mod sublinear;
mod tables;
pub mod teeth;
mod transfer;
mod trial;

pub use agreement::agreement;
pub use ledger::*;

use ledger::proofs::{ProofError, Proofs};
use std::path::Path;

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

/// The recorded proofs of claims, beside the files they were made from; none where nothing is recorded.
///
/// # Errors
/// A file cannot be read, or says what no proof may.
pub fn proofs(reports: &Path) -> Result<Option<Proofs>, ProofError> {
    Proofs::read(Path::new(PROOFS), &reports.join(PROOF_RECORD))
}

/// The folder of the proofs, seen from the top of the project.
pub const PROOFS: &str = "theory_tests/proofs";

/// Name of their record in the reports folder.
pub const PROOF_RECORD: &str = "proofs.json";

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

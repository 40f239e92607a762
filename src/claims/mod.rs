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
//! | Sec. 3: what asking costs, which losses are convex, when a gap is zero | [`asking`], [`nonconvex`], [`realizable`] |
//! | Sec. 5: transfer | [`transfer`], [`limits`] |
//! | Sec. 6.1: estimate, projection, steps | [`estimator`], [`projection`], [`steps`] |
//! | Thm 6.3-6.5: regret | [`regret`], [`rates`], [`sublinear`] |
//! | Thm 6.5: what its condition means | [`concentration`] |
//! | Sec. 4.1, App. A, B, C | [`protocol`], [`benchmarks`], [`radius`] |
//! | App. D, E, F | [`appendix_d`], [`calibration`], [`displayed`], [`constants`], [`slack`], [`proof_steps`], [`gap`] |
//! | App. E with Thm 6.4: experts who come and go | [`availability`], [`impossibility`], [`repair`] |
//! | not in the paper: a bandit with ridge forecasts | [`inverse_gap`], [`ridge`] |
//! | Sec. 6.1: arithmetic and memory | [`cost`] |
//! | Sec. 7, App. G: what is not said, whether tables fit and figures appear, what was replicated, what five runs say | [`experiments`], [`tables`], [`figures`], [`replication`], [`five_runs`] |
//! | Alg. 1, as implemented | `implementation`, with `teeth` |

mod agreement;
mod appendix_d;
mod asking;
pub(crate) mod availability;
mod benchmarks;
mod calibration;
mod concentration;
mod constants;
mod cost;
mod definitions;
mod displayed;
mod estimator;
mod exact;
mod experiments;
mod figures;
mod five_runs;
mod gap;
pub(crate) mod implementation;
pub(crate) mod impossibility;
mod in_paper;
mod inverse_gap;
mod limits;
mod nonconvex;
mod projection;
mod proof_steps;
mod protocol;
pub(crate) mod quantities;
mod radius;
mod rates;
mod realizable;
mod regret;
mod repair;
mod replication;
mod ridge;
mod searched;
mod slack;
mod steps;
mod stored;
mod streams;
mod sublinear;
mod tables;
pub(crate) mod teeth;
mod transfer;
mod trial;

pub(crate) use agreement::agreement;
pub(crate) use in_paper::says as in_paper;
pub use ledger::*;

pub use crate::proofs::ProofError;
use crate::proofs::Proofs;
use crate::report::{ClaimNote, PageNotes};
use std::path::Path;

/// A false variant that the check has to refute.
pub(crate) const fn refuted(
    name: &'static str,
    falsified: &'static str,
    check: fn(&Context) -> Checked,
) -> Saboteur {
    Saboteur { name, falsified, check, cannot_tell: None }
}

/// A false variant that the check lets pass, and why.
pub(crate) const fn declared(
    name: &'static str,
    falsified: &'static str,
    check: fn(&Context) -> Checked,
    why: &'static str,
) -> Saboteur {
    Saboteur { name, falsified, check, cannot_tell: Some(why) }
}

/// The claims of some modules, each with the file that has its checks.
macro_rules! groups {
    ($($module:ident),* $(,)?) => {
        vec![$((concat!("src/claims/", stringify!($module), ".rs"), $module::CLAIMS.to_vec())),*]
    };
}

/// The claims in the order of the paper, by module.
fn groups() -> Vec<(&'static str, Vec<Claim>)> {
    let mut groups = groups![
        definitions,
        asking,
        nonconvex,
        realizable,
        transfer,
        limits,
        projection,
        estimator,
        steps,
        regret,
        rates,
        sublinear,
        concentration,
        benchmarks,
        protocol,
        radius,
        appendix_d,
        calibration,
        displayed,
        constants,
        slack,
        proof_steps,
        gap,
        availability,
        impossibility,
        repair,
        inverse_gap,
        ridge,
        cost,
        experiments,
        tables,
        figures,
    ];
    groups.push(("src/claims/replication.rs", replication::claims()));
    groups.extend(groups![five_runs]);
    groups.push(("src/claims/implementation/mod.rs", implementation::CLAIMS.to_vec()));
    groups
}

/// Every claim, in the order of the paper.
#[must_use]
pub fn all() -> Vec<Claim> {
    groups().into_iter().flat_map(|(_, claims)| claims).collect()
}

/// What the page says about claims beyond the recorded ledger: where the paper has them, with every
/// condition it adds anywhere, and where their check is.
#[must_use]
pub fn page_notes() -> PageNotes<'static> {
    let notes = |(check, claims): (&'static str, Vec<Claim>)| {
        let note = move |c: Claim| ClaimNote { id: c.id, in_paper: in_paper::says(c.id), check };
        claims.into_iter().map(note)
    };
    PageNotes {
        not_checkable: &NOT_CHECKABLE,
        claims: groups().into_iter().flat_map(notes).collect(),
    }
}

/// The theorems about claims that the proof checker accepted, as long as their files are the ones it saw.
///
/// # Errors
/// A file cannot be read, or says what no proof may.
pub fn theorems(reports: &Path) -> Result<Vec<TheoremRecord>, ProofError> {
    Ok(proofs(reports)?.map_or(Vec::new(), |proofs| proofs.standing()))
}

/// The recorded proofs of claims, beside the files they were made from; none where nothing is recorded.
///
/// # Errors
/// As [`theorems`].
pub(crate) fn proofs(reports: &Path) -> Result<Option<Proofs>, ProofError> {
    Proofs::read(Path::new(PROOFS), &reports.join(PROOF_RECORD))
}

/// The ledger for people, with the formal statement, the axioms and the file of every theorem about a
/// claim.
#[must_use]
pub(crate) fn ledger_markdown(ledger: &Ledger, proofs: Option<&Proofs>) -> String {
    let mut text = markdown::ledger(ledger, &NOT_CHECKABLE, "deferlab verify");
    if let Some(proofs) = proofs {
        text += &format!("\n## Proofs\n\nAccepted by {}.\n", proofs.record.checker);
        for entry in &ledger.claims {
            text += &proved_about(proofs, &entry.id);
        }
    }
    text
}

/// What is proved about a claim, as the proof checker prints it; empty where nothing is.
#[must_use]
pub(crate) fn proved_about(proofs: &Proofs, claim: &str) -> String {
    let one = |t: &TheoremRecord| {
        let axioms = if t.axioms.is_empty() { "none".into() } else { t.axioms.join(", ") };
        let says = match t.stance {
            Stance::Proves => "proves",
            Stance::Refutes => "refutes",
            Stance::About => "says more about",
        };
        format!(
            "\n`{}` in `{PROOFS}/{}` {says} {claim}. Axioms: {axioms}.\n\n```coq\n{}\n```\n",
            t.name, t.file, t.statement
        )
    };
    proofs.theorems_of(claim).into_iter().map(one).collect()
}

/// The folder of the proofs, seen from the top of the project.
pub(crate) const PROOFS: &str = "theory_tests/proofs";

/// Name of their record in the reports folder.
pub(crate) const PROOF_RECORD: &str = "proofs.json";

/// Statements of the paper that no computation can decide, with the reason. They have no verdict.
pub(crate) const NOT_CHECKABLE: [(&str, &str); 3] = [
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every false variant of a claim is refuted by its check, or declared to be out of reach.
    #[test]
    fn false_variants_are_refuted_or_declared() {
        let runs = teeth(&all(), 1);
        let missed: Vec<String> = runs
            .iter()
            .filter(|run| !matches!(run.fate, SaboteurFate::Refuted | SaboteurFate::Declared))
            .map(|run| format!("{} {}: {:?}", run.claim, run.saboteur.name, run.fate))
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    /// What refutes the false variants must not refute the claim: otherwise it would refute anything.
    #[test]
    fn claims_with_false_variants_stand() {
        let with: Vec<Claim> = all().into_iter().filter(|c| !c.saboteurs.is_empty()).collect();
        let done = run(&with, 1, &[], |_, _| {});
        let fallen: Vec<String> = done
            .iter()
            .filter(|d| d.result.as_ref().map_or(true, |o| o.verdict() == Verdict::Fails))
            .map(|d| format!("{}: {:?}", d.claim.id, d.result))
            .collect();
        assert!(fallen.is_empty(), "{fallen:#?}");
    }

    /// The committed text is the committed ledger.
    #[test]
    fn the_ledger_for_people_is_the_recorded_one() {
        let recorded = Ledger::read(Path::new("reports/ledger.json")).unwrap();
        let proofs = proofs(Path::new("reports")).unwrap();
        let text = std::fs::read_to_string("reports/ledger.md").unwrap();
        assert_eq!(text, ledger_markdown(&recorded, proofs.as_ref()));
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<&str> = all().iter().map(|claim| claim.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}

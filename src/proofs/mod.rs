//! Proofs that a proof checker accepts: running it, and holding what it said against the files.
//!
//! A folder of Rocq files holds theorems, each after a comment that names the claims it stands for:
//!
//! ```text
//! (* claim: prop-6.1-idempotent *)
//! Theorem proj_idempotent : forall A u, ...
//! ```
//!
//! `claim:` proves the claims, `refutes:` proves that they are false as stated, `about:` says more about
//! them and decides nothing.
//!
//! [`check`] compiles the folder, lets the independent checker `coqchk` go over the compiled files, and asks for
//! the statement and the axioms of every theorem. What it found is a [`ProofRecord`], kept as a file. A
//! claim counts as machine-checked only while the record agrees with the sources ([`Proofs::standing`]): a
//! file that changed since, or one it rests on, takes that away until the checker has seen it again.

mod check;
mod sabotage;
mod source;

pub(crate) use check::{check, checker_version, evaluate};
use sabotage::sabotage;
use source::ProofSources;

use ledger::{LedgerError, ProofRecord, Stance, TheoremRecord};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How to get the checker.
pub(crate) const INSTALL: &str = "apt-get install --no-install-recommends coq";

/// Axioms a theorem may rest on: those of the real numbers in the standard library, extensionality of
/// functions and excluded middle, on which its lemmas about real functions rest.
const ALLOWED_AXIOMS: [&str; 4] = [
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
];

/// How the comment of a theorem begins that says this about its claims.
fn marker(stance: Stance) -> &'static str {
    match stance {
        Stance::Proves => "(* claim:",
        Stance::Refutes => "(* refutes:",
        Stance::About => "(* about:",
    }
}

/// The recorded proofs beside the sources they were made from.
#[derive(Clone, Debug)]
pub(crate) struct Proofs {
    /// What the checker said.
    pub(crate) record: ProofRecord,
    sources: ProofSources,
}

impl Proofs {
    /// The record of a folder of proofs; none where there is no record.
    ///
    /// # Errors
    /// The record or the folder cannot be read, or a file says what no proof may.
    pub(crate) fn read(folder: &Path, record: &Path) -> Result<Option<Self>, ProofError> {
        let Some(record) = ProofRecord::read(record)? else { return Ok(None) };
        Ok(Some(Proofs { record, sources: ProofSources::read(folder)? }))
    }

    /// The theorems whose files are the ones the checker saw, and the others.
    fn divided(&self) -> (Vec<&TheoremRecord>, Vec<&TheoremRecord>) {
        let agrees = |t: &&TheoremRecord| {
            self.sources.closure_sha256(&t.file).is_some_and(|now| now == t.source_sha256)
        };
        self.record.theorems.iter().partition(agrees)
    }

    /// The theorems whose files are the ones the checker saw.
    pub(crate) fn standing(&self) -> Vec<TheoremRecord> {
        self.divided().0.into_iter().cloned().collect()
    }

    /// Those of them that stand for a claim.
    pub(crate) fn theorems_of(&self, claim: &str) -> Vec<&TheoremRecord> {
        let stands = |t: &&TheoremRecord| t.claims.iter().any(|c| c == claim);
        self.divided().0.into_iter().filter(stands).collect()
    }

    /// What the record names and the sources no longer agree with: files that changed since.
    pub(crate) fn stale(&self) -> Vec<&TheoremRecord> {
        self.divided().1
    }
}

/// Proofs that cannot be trusted, or cannot be checked here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProofError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The record cannot be read.
    #[error(transparent)]
    Record(#[from] LedgerError),
    /// There is no checker.
    #[error(
        "`{program}` was not found: the proofs cannot be checked here (install it with `{INSTALL}`)"
    )]
    NoChecker {
        /// What was looked for.
        program: String,
    },
    /// A file says something that no proof may.
    #[error("{file}, line {line}: {what}")]
    Forbidden {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What is there, and why it is not allowed.
        what: String,
    },
    /// The checker refused.
    #[error("{what}\n{output}")]
    Refused {
        /// What was refused.
        what: String,
        /// What the checker printed.
        output: String,
    },
}

impl ProofError {
    fn io(path: &Path) -> impl Fn(std::io::Error) -> ProofError + '_ {
        move |source| ProofError::Io { path: path.into(), source }
    }
}

/// What is different in `now` from what was recorded, in words; empty when it is the same.
pub(crate) fn differences(recorded: &ProofRecord, now: &ProofRecord) -> Vec<String> {
    let mut all = Vec::new();
    if recorded.checker != now.checker {
        all.push(format!("checked by {:?}, recorded {:?}", now.checker, recorded.checker));
    }
    let key = |t: &TheoremRecord| (t.file.clone(), t.name.clone());
    for before in &recorded.theorems {
        let Some(after) = now.theorems.iter().find(|t| key(t) == key(before)) else {
            all.push(format!("{}: {} is gone", before.file, before.name));
            continue;
        };
        let parts = [
            ("statement", before.statement != after.statement),
            ("list of claims", (before.stance, &before.claims) != (after.stance, &after.claims)),
            ("list of axioms", before.axioms != after.axioms),
            ("source", before.source_sha256 != after.source_sha256),
        ];
        for (what, _) in parts.iter().filter(|(_, differs)| *differs) {
            all.push(format!("{}: the {what} of {} changed", before.file, before.name));
        }
    }
    for after in &now.theorems {
        if !recorded.theorems.iter().any(|t| key(t) == key(after)) {
            all.push(format!("{}: {} is not recorded", after.file, after.name));
        }
    }
    if recorded.saboteurs != now.saboteurs {
        all.push("the list of saboteurs changed".into());
    }
    all
}
#[cfg(test)]
mod tests {
    use super::*;

    fn record(statement: &str, hash: &str) -> ProofRecord {
        ProofRecord {
            checker: "checker 1".into(),
            theorems: vec![TheoremRecord {
                name: "two".into(),
                file: "A.v".into(),
                stance: Stance::Proves,
                claims: vec!["a-claim".into()],
                statement: statement.into(),
                proof: String::new(),
                axioms: Vec::new(),
                source_sha256: hash.into(),
            }],
            saboteurs: Vec::new(),
        }
    }

    #[test]
    fn a_weakened_statement_is_a_difference() {
        let before = record("forall x, x < 2", "h");
        assert!(differences(&before, &before).is_empty());
        let weaker = record("forall x, x < 1 -> x < 2", "i");
        let said = differences(&before, &weaker).join("; ");
        assert!(said.contains("statement of two") && said.contains("source of two"), "{said}");
        let gone = ProofRecord { theorems: Vec::new(), ..before.clone() };
        assert_eq!(differences(&before, &gone), ["A.v: two is gone"]);
        assert_eq!(differences(&gone, &before), ["A.v: two is not recorded"]);
    }

    #[test]
    fn only_sources_that_agree_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("_CoqProject"), "-Q . Lib\nA.v\n").unwrap();
        std::fs::write(folder.path().join("A.v"), "Theorem two : True. Proof. exact I. Qed.\n")
            .unwrap();
        let sources = ProofSources::read(folder.path()).unwrap();
        let hash = sources.closure_sha256("A.v").unwrap();
        let proofs = |hash| Proofs { record: record("True", hash), sources: sources.clone() };
        let (seen, changed) = (proofs(&hash), proofs("another"));
        assert_eq!(seen.theorems_of("a-claim").len(), 1);
        assert!(seen.theorems_of("another").is_empty());
        assert!(changed.theorems_of("a-claim").is_empty());
        assert_eq!((seen.standing().len(), seen.stale().len()), (1, 0));
        assert_eq!((changed.standing().len(), changed.stale().len()), (0, 1));
    }
}

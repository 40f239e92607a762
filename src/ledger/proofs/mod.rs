//! Proofs that a proof checker accepted, and the record of what it said.
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
//! claim counts as machine-checked only while the record agrees with the sources
//! ([`ProofRecord::theorems_of`]): a file that changed since, or one it rests on, takes that away until the
//! checker has seen it again.

mod check;
mod sabotage;
mod source;

pub use check::{check, checker_version, evaluate};
pub use sabotage::SabotageResult;
use sabotage::sabotage;
use source::ProofSources;

use crate::{CheckFailure, Checked, Outcome, Verdict};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How to get the checker.
pub const INSTALL: &str = "apt-get install --no-install-recommends coq";

/// Axioms a theorem may rest on: those of the real numbers in the standard library, extensionality of
/// functions and excluded middle, on which its lemmas about real functions rest.
pub(crate) const ALLOWED_AXIOMS: [&str; 4] = [
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
];

/// What the checker said about a folder of proofs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRecord {
    /// The program and its version.
    pub checker: String,
    /// The theorems that stand for claims, in the order of the files.
    pub theorems: Vec<TheoremRecord>,
    /// False variants of statements, each of which the checker refused.
    pub saboteurs: Vec<SabotageResult>,
}

/// What a theorem says about its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// They are true, for the whole stated domain.
    Proves,
    /// They are false as stated.
    Refutes,
    /// Something that belongs to them and decides nothing.
    About,
}

impl Stance {
    const ALL: [Stance; 3] = [Stance::Proves, Stance::Refutes, Stance::About];

    /// How its comment begins.
    fn marker(self) -> &'static str {
        match self {
            Stance::Proves => "(* claim:",
            Stance::Refutes => "(* refutes:",
            Stance::About => "(* about:",
        }
    }
}

/// A theorem that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TheoremRecord {
    /// Its name.
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// What it says about its claims.
    pub stance: Stance,
    /// The claims it is about.
    pub claims: Vec<String>,
    /// As the checker prints it.
    pub statement: String,
    /// The proof script, as the file has it.
    pub proof: String,
    /// What it assumes beyond the calculus itself.
    pub axioms: Vec<String>,
    /// SHA-256 of its file and of all files that one rests on.
    pub source_sha256: String,
}

impl TheoremRecord {
    /// The name of its file without the ending.
    #[must_use]
    pub fn module(&self) -> &str {
        self.file.strip_suffix(".v").unwrap_or(&self.file)
    }
}

/// The recorded proofs beside the sources they were made from.
#[derive(Clone, Debug)]
pub struct Proofs {
    /// What the checker said.
    pub record: ProofRecord,
    sources: ProofSources,
}

impl Proofs {
    /// The record of a folder of proofs; none where there is no record.
    ///
    /// # Errors
    /// The record or the folder cannot be read, or a file says what no proof may.
    pub fn read(folder: &Path, record: &Path) -> Result<Option<Self>, ProofError> {
        let Some(record) = ProofRecord::read(record)? else { return Ok(None) };
        Ok(Some(Proofs { record, sources: ProofSources::read(folder)? }))
    }

    /// The theorems about a claim whose files are the ones the checker saw.
    #[must_use]
    pub fn theorems_of(&self, claim: &str) -> Vec<&TheoremRecord> {
        self.record.theorems_of(claim, &self.sources)
    }

    /// What the record names and the sources no longer agree with: files that changed since.
    #[must_use]
    pub fn stale(&self) -> Vec<&TheoremRecord> {
        let fresh = |t: &&TheoremRecord| {
            self.sources.closure_sha256(&t.file).is_none_or(|now| now != t.source_sha256)
        };
        self.record.theorems.iter().filter(fresh).collect()
    }

    /// The outcome of a check together with what is proved about its claim: a claim that no case
    /// contradicted and that is proved becomes `Proved`; a refutation that is proved is machine-checked.
    ///
    /// # Errors
    /// Check and proof contradict each other: one of them is wrong, and both are ours.
    pub(crate) fn lift(&self, claim: &str, outcome: Outcome) -> Checked {
        let theorems = self.theorems_of(claim);
        let any = |stance| theorems.iter().any(|t| t.stance == stance);
        match (any(Stance::Proves), any(Stance::Refutes), outcome.verdict()) {
            (true, _, Verdict::Fails) => {
                Err(CheckFailure("the check refutes what a theorem proves".into()))
            }
            (_, true, Verdict::Proved | Verdict::Holds | Verdict::Consistent | Verdict::Loose) => {
                Err(CheckFailure(
                    "the check found nothing wrong with what a theorem refutes".into(),
                ))
            }
            (true, _, _) | (_, true, _) => Ok(outcome.machine_checked()),
            (false, false, _) => Ok(outcome),
        }
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
    /// The record is not one.
    #[error("{path}: not a record of proofs: {source}")]
    Format {
        /// Which.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
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
    pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> ProofError + '_ {
        move |source| ProofError::Io { path: path.into(), source }
    }
}

impl ProofRecord {
    /// Reads a record; none if there is no file.
    ///
    /// # Errors
    /// The file cannot be read or is not a record.
    pub fn read(path: &Path) -> Result<Option<Self>, ProofError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ProofError::Io { path: path.into(), source }),
        };
        let format = |source| ProofError::Format { path: path.into(), source };
        serde_json::from_str(&text).map(Some).map_err(format)
    }

    /// The record as it is stored.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings and lists of strings always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The theorems that stand for a claim and whose files are the ones the checker saw.
    #[must_use]
    fn theorems_of(&self, claim: &str, sources: &ProofSources) -> Vec<&TheoremRecord> {
        let stands = |t: &&TheoremRecord| t.claims.iter().any(|c| c == claim);
        let agrees = |t: &&TheoremRecord| {
            sources.closure_sha256(&t.file).is_some_and(|now| now == t.source_sha256)
        };
        self.theorems.iter().filter(stands).filter(agrees).collect()
    }

    /// What is different in `now`, in words; empty when it is the same.
    #[must_use]
    pub fn differences(&self, now: &ProofRecord) -> Vec<String> {
        let mut all = Vec::new();
        if self.checker != now.checker {
            all.push(format!("checked by {:?}, recorded {:?}", now.checker, self.checker));
        }
        let key = |t: &TheoremRecord| (t.file.clone(), t.name.clone());
        for before in &self.theorems {
            let Some(after) = now.theorems.iter().find(|t| key(t) == key(before)) else {
                all.push(format!("{}: {} is gone", before.file, before.name));
                continue;
            };
            let parts = [
                ("statement", before.statement != after.statement),
                (
                    "list of claims",
                    (before.stance, &before.claims) != (after.stance, &after.claims),
                ),
                ("list of axioms", before.axioms != after.axioms),
                ("source", before.source_sha256 != after.source_sha256),
            ];
            for (what, _) in parts.iter().filter(|(_, differs)| *differs) {
                all.push(format!("{}: the {what} of {} changed", before.file, before.name));
            }
        }
        for after in &now.theorems {
            if !self.theorems.iter().any(|t| key(t) == key(after)) {
                all.push(format!("{}: {} is not recorded", after.file, after.name));
            }
        }
        if self.saboteurs != now.saboteurs {
            all.push("the list of saboteurs changed".into());
        }
        all
    }
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
        assert!(before.differences(&before).is_empty());
        let weaker = record("forall x, x < 1 -> x < 2", "i");
        let said = before.differences(&weaker).join("; ");
        assert!(said.contains("statement of two") && said.contains("source of two"), "{said}");
        let gone = ProofRecord { theorems: Vec::new(), ..before.clone() };
        assert_eq!(before.differences(&gone), ["A.v: two is gone"]);
        assert_eq!(gone.differences(&before), ["A.v: two is not recorded"]);
    }

    #[test]
    fn a_proof_lifts_a_verdict_and_contradictions_are_faults() {
        use crate::Grade;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("_CoqProject"), "-Q . Lib\nA.v\n").unwrap();
        std::fs::write(folder.path().join("A.v"), "(* any *)").unwrap();
        let sources = ProofSources::read(folder.path()).unwrap();
        let mut record = record("True", &sources.closure_sha256("A.v").unwrap());
        let searched = |verdict| Outcome::new(verdict, Grade::Searched, "");
        let lift = |record: &ProofRecord, verdict| {
            let proofs = Proofs { record: record.clone(), sources: sources.clone() };
            let lifted = proofs.lift("a-claim", searched(verdict));
            lifted.map(|o| (o.verdict(), o.grade())).map_err(|_| ())
        };
        let proved = Ok((Verdict::Proved, Grade::MachineChecked));
        assert_eq!(lift(&record, Verdict::Holds), proved);
        assert_eq!(lift(&record, Verdict::Consistent), proved);
        assert_eq!(lift(&record, Verdict::Loose), Ok((Verdict::Loose, Grade::MachineChecked)));
        assert_eq!(lift(&record, Verdict::Fails), Err(()));
        record.theorems[0].stance = Stance::Refutes;
        assert_eq!(lift(&record, Verdict::Fails), Ok((Verdict::Fails, Grade::MachineChecked)));
        assert_eq!(lift(&record, Verdict::Vacuous), Ok((Verdict::Vacuous, Grade::MachineChecked)));
        assert_eq!(lift(&record, Verdict::Holds), Err(()));
        record.theorems[0].stance = Stance::About;
        assert_eq!(lift(&record, Verdict::Holds), Ok((Verdict::Holds, Grade::Searched)));
        record.theorems[0].stance = Stance::Proves;
        record.theorems[0].source_sha256 = "another".into();
        assert_eq!(lift(&record, Verdict::Holds), Ok((Verdict::Holds, Grade::Searched)));
    }

    #[test]
    fn only_sources_that_agree_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("_CoqProject"), "-Q . Lib\nA.v\n").unwrap();
        std::fs::write(folder.path().join("A.v"), "Theorem two : True. Proof. exact I. Qed.\n")
            .unwrap();
        let sources = ProofSources::read(folder.path()).unwrap();
        let hash = sources.closure_sha256("A.v").unwrap();
        assert_eq!(record("True", &hash).theorems_of("a-claim", &sources).len(), 1);
        assert!(record("True", &hash).theorems_of("another", &sources).is_empty());
        assert!(record("True", "another").theorems_of("a-claim", &sources).is_empty());
    }

    #[test]
    fn records_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proofs.json");
        assert!(ProofRecord::read(&path).unwrap().is_none());
        std::fs::write(&path, record("True", "h").to_json()).unwrap();
        assert_eq!(ProofRecord::read(&path).unwrap().unwrap(), record("True", "h"));
        std::fs::write(&path, "{}").unwrap();
        assert!(ProofRecord::read(&path).is_err());
    }
}

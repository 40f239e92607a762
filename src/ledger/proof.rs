//! The record of what a proof checker said, and what it does to verdicts. Whoever lets the checker run and
//! knows the files says which of the recorded theorems still stand.

use super::{CheckFailure, Checked, LedgerError, Outcome, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

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

/// A theorem that was accepted. Shown as `File.theorem`.
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

impl fmt::Display for TheoremRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.file.strip_suffix(".v").unwrap_or(&self.file), self.name)
    }
}

/// A false variant that the checker refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SabotageResult {
    /// The file of the theorem.
    pub file: String,
    /// Its name.
    pub theorem: String,
    /// What was put into its statement.
    pub variant: String,
    /// Why that is false.
    pub why: String,
}

impl ProofRecord {
    /// Reads a record; none if there is no file.
    ///
    /// # Errors
    /// The file cannot be read or is not a record.
    pub fn read(path: &Path) -> Result<Option<Self>, LedgerError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(LedgerError::Io { path: path.into(), source }),
        };
        let format = |source| LedgerError::ProofFormat { path: path.into(), source };
        serde_json::from_str(&text).map(Some).map_err(format)
    }
}

/// The outcome of a check together with the theorems about its claim: a claim that no case contradicted and
/// that is proved becomes `Proved`; a refutation that is proved is machine-checked.
///
/// # Errors
/// Check and proof contradict each other: one of them is wrong, and both are ours.
pub(crate) fn lift(theorems: &[&TheoremRecord], outcome: Outcome) -> Checked {
    let any = |stance| theorems.iter().any(|t| t.stance == stance);
    match (any(Stance::Proves), any(Stance::Refutes), outcome.verdict()) {
        (true, _, Verdict::Fails) => {
            Err(CheckFailure("the check refutes what a theorem proves".into()))
        }
        (_, true, Verdict::Proved | Verdict::Holds | Verdict::Consistent | Verdict::Loose) => {
            Err(CheckFailure("the check found nothing wrong with what a theorem refutes".into()))
        }
        (true, _, _) | (_, true, _) => Ok(outcome.machine_checked()),
        (false, false, _) => Ok(outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grade;

    fn theorem(stance: Stance) -> TheoremRecord {
        TheoremRecord {
            name: "two".into(),
            file: "A.v".into(),
            stance,
            claims: vec!["a-claim".into()],
            statement: "True".into(),
            proof: String::new(),
            axioms: Vec::new(),
            source_sha256: "h".into(),
        }
    }

    #[test]
    fn a_proof_lifts_a_verdict_and_contradictions_are_faults() {
        let searched = |verdict| Outcome::new(verdict, Grade::Searched, "");
        let lift = |stance, verdict| {
            let lifted = lift(&[&theorem(stance)], searched(verdict));
            lifted.map(|o| (o.verdict(), o.grade())).map_err(|_| ())
        };
        let proved = Ok((Verdict::Proved, Grade::MachineChecked));
        assert_eq!(lift(Stance::Proves, Verdict::Holds), proved);
        assert_eq!(lift(Stance::Proves, Verdict::Consistent), proved);
        let loose = Ok((Verdict::Loose, Grade::MachineChecked));
        assert_eq!(lift(Stance::Proves, Verdict::Loose), loose);
        assert_eq!(lift(Stance::Proves, Verdict::Fails), Err(()));
        let fails = Ok((Verdict::Fails, Grade::MachineChecked));
        assert_eq!(lift(Stance::Refutes, Verdict::Fails), fails);
        let vacuous = Ok((Verdict::Vacuous, Grade::MachineChecked));
        assert_eq!(lift(Stance::Refutes, Verdict::Vacuous), vacuous);
        assert_eq!(lift(Stance::Refutes, Verdict::Holds), Err(()));
        let holds = Ok((Verdict::Holds, Grade::Searched));
        assert_eq!(lift(Stance::About, Verdict::Holds), holds);
    }

    #[test]
    fn records_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proofs.json");
        assert!(ProofRecord::read(&path).unwrap().is_none());
        let record = ProofRecord {
            checker: "checker 1".into(),
            theorems: vec![theorem(Stance::Proves)],
            saboteurs: Vec::new(),
        };
        std::fs::write(&path, serde_json::to_string(&record).unwrap()).unwrap();
        assert_eq!(ProofRecord::read(&path).unwrap().unwrap(), record);
        assert_eq!(record.theorems[0].to_string(), "A.two");
        std::fs::write(&path, "{}").unwrap();
        let error = ProofRecord::read(&path).unwrap_err().to_string();
        assert!(error.contains("not a record of proofs"), "{error}");
    }
}

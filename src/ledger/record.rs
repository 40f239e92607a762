//! The ledger as a file, and what changed since it was written.

use super::{Done, Grade, Outcome, Owner, Saboteur, Tightness, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A ledger as it is written to a file. No times, no machine: the same seed gives the same
/// bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The master seed of everything that was drawn.
    pub seed: u64,
    /// One entry per claim, in the order of the paper.
    pub claims: Vec<Entry>,
}

/// A claim and what its check said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Short name of the claim.
    pub id: String,
    /// Whose claim it is.
    pub owner: Owner,
    /// What kind of evidence the verdict rests on.
    pub grade: Grade,
    /// Where the paper says it.
    pub reference: String,
    /// What sort of statement it is.
    pub kind: String,
    /// What it says.
    pub statement: String,
    /// What it assumes.
    pub hypotheses: Vec<String>,
    /// What the check said.
    pub verdict: Verdict,
    /// The evidence in one line.
    pub summary: String,
    /// The evidence.
    pub evidence: Map<String, Value>,
    /// An instance one can recheck by hand.
    pub witness: Option<Value>,
    /// How close the stated number is to the truth.
    pub tightness: Option<Tightness>,
    /// Theorems about it that the proof checker accepted: `File.theorem`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<String>,
    /// The claim made false by a little, and whether the check can tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_variants: Vec<FalseVariant>,
}

/// A false variant of a claim as it is recorded. The tests try each of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FalseVariant {
    /// What was made false.
    pub falsified: String,
    /// Why the check cannot tell it from the truth; nothing if it refutes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cannot_tell: Option<String>,
}

impl Entry {
    /// The entry of a claim after its check.
    #[must_use]
    pub fn new(done: &Done, outcome: &Outcome) -> Self {
        let claim = &done.claim;
        let kind = serde_json::to_value(claim.kind).ok();
        Entry {
            id: claim.id.into(),
            owner: claim.owner,
            grade: outcome.grade(),
            reference: claim.reference.into(),
            kind: kind.as_ref().and_then(Value::as_str).unwrap_or_default().into(),
            statement: claim.statement.into(),
            hypotheses: claim.hypotheses.iter().map(|&h| h.into()).collect(),
            verdict: outcome.verdict(),
            summary: outcome.summary.clone(),
            evidence: outcome.evidence.clone(),
            witness: outcome.witness.clone(),
            tightness: outcome.tightness.clone(),
            proofs: done.proofs.clone(),
            false_variants: claim.saboteurs.iter().map(FalseVariant::new).collect(),
        }
    }
}

impl FalseVariant {
    fn new(saboteur: &Saboteur) -> Self {
        FalseVariant {
            falsified: saboteur.falsified.into(),
            cannot_tell: saboteur.cannot_tell.map(str::to_owned),
        }
    }
}

/// A ledger file that cannot be used.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// There is no such file.
    #[error("{path}: there are no recorded verdicts here, record them first")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What should be a record of proofs holds something else.
    #[error("{path}: not a record of proofs: {source}")]
    ProofFormat {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// It holds something else.
    #[error("{path}: not a ledger: {source}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

impl Ledger {
    /// Reads a recorded ledger.
    ///
    /// # Errors
    /// Names the file: missing, unreadable, or not a ledger.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let io = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::NotFound => LedgerError::Missing { path: path.into() },
            _ => LedgerError::Io { path: path.into(), source },
        };
        let text = std::fs::read_to_string(path).map_err(io)?;
        let format = |source| LedgerError::Format { path: path.into(), source };
        serde_json::from_str(&text).map_err(format)
    }

    /// Writes the ledger, creating its folder.
    ///
    /// # Errors
    /// Names the file that could not be written.
    pub fn write(&self, path: &Path) -> Result<(), LedgerError> {
        let io = |source| LedgerError::Io { path: path.into(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let format = |source| LedgerError::Format { path: path.into(), source };
        let text = serde_json::to_string_pretty(self).map_err(format)?;
        std::fs::write(path, text + "\n").map_err(io)
    }
}

/// A claim whose verdict or grade is not the recorded one; `None` is a claim that is not there at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The claim.
    pub id: String,
    /// What the file says.
    pub recorded: Option<(Verdict, Grade)>,
    /// What the check says now.
    pub now: Option<(Verdict, Grade)>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = |said: Option<(Verdict, Grade)>| match said {
            Some((verdict, grade)) => format!("{verdict} ({grade})"),
            None => "absent".into(),
        };
        let (recorded, now) = (word(self.recorded), word(self.now));
        write!(f, "{}: recorded {recorded}, now {now}", self.id)
    }
}

/// Where `now` and `recorded` disagree. With `partial`, claims that were not run are not missed.
#[must_use]
pub fn differences(recorded: &Ledger, now: &[Entry], partial: bool) -> Vec<Difference> {
    type Said = Option<(Verdict, Grade)>;
    let mut verdicts: BTreeMap<&str, (Said, Said)> = BTreeMap::new();
    for entry in &recorded.claims {
        verdicts.entry(&entry.id).or_default().0 = Some((entry.verdict, entry.grade));
    }
    for entry in now {
        verdicts.entry(&entry.id).or_default().1 = Some((entry.verdict, entry.grade));
    }
    verdicts
        .into_iter()
        .filter(|(_, (before, after))| before != after && !(partial && after.is_none()))
        .map(|(id, (recorded, now))| Difference { id: id.into(), recorded, now })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, verdict: Verdict) -> Entry {
        Entry {
            id: id.into(),
            owner: Owner::Paper,
            grade: Grade::Searched,
            reference: "Sec. 0".into(),
            kind: "definition".into(),
            statement: "one".into(),
            hypotheses: vec![],
            verdict,
            summary: "two".into(),
            evidence: Map::new(),
            witness: None,
            tightness: None,
            proofs: vec![],
            false_variants: vec![],
        }
    }

    #[test]
    fn every_kind_of_difference_is_seen() {
        let recorded = Ledger {
            seed: 1,
            claims: vec![entry("a", Verdict::Holds), entry("b", Verdict::Fails)],
        };
        assert!(differences(&recorded, &recorded.claims, false).is_empty());
        let now = [entry("a", Verdict::Fails), entry("c", Verdict::Holds)];
        let said = |partial| {
            let found = differences(&recorded, &now, partial);
            found.iter().map(Difference::to_string).collect::<Vec<_>>()
        };
        let [changed, gone, new] = [
            "a: recorded Holds (searched), now Fails (searched)",
            "b: recorded Fails (searched), now absent",
            "c: recorded absent, now Holds (searched)",
        ];
        assert_eq!(said(false), [changed, gone, new]);
        assert_eq!(said(true), [changed, new]);
        let weaker = Entry { grade: Grade::Argued, ..entry("b", Verdict::Fails) };
        assert_eq!(
            differences(&recorded, &[weaker], true)[0].to_string(),
            "b: recorded Fails (searched), now Fails (argued)"
        );
    }

    #[test]
    fn files_come_back_as_they_were_and_bad_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/ledger.json");
        assert!(Ledger::read(&path).unwrap_err().to_string().contains("record them first"));
        let ledger = Ledger { seed: 7, claims: vec![entry("a", Verdict::Loose)] };
        ledger.write(&path).unwrap();
        assert_eq!(Ledger::read(&path).unwrap(), ledger);
        std::fs::write(&path, r#"{"seed":1,"claims":[{"id":"a","verdict":"Maybe"}]}"#).unwrap();
        assert!(Ledger::read(&path).unwrap_err().to_string().contains("not a ledger"));
    }
}

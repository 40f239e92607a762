//! What a check says.

use super::Grade;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// A machine-checked proof, or an enumeration of the whole stated domain.
    Proved,
    /// No violation in a stated search.
    Holds,
    /// Statistical, with an interval.
    Consistent,
    /// True, but the constant can be improved: it is said by how much.
    Loose,
    /// True, but too weak to matter at the paper's sizes.
    Vacuous,
    /// Refuted by a witness.
    Fails,
    /// Published numbers contradict each other or the stated protocol.
    Inconsistent,
    /// The paper does not say enough to decide, and it matters.
    Unspecified,
    /// It could not be tried here; the reason is in the evidence.
    Untried,
}

impl Verdict {
    /// All of them, from the most to the least comfortable.
    pub const ALL: [Verdict; 9] = [
        Verdict::Proved,
        Verdict::Holds,
        Verdict::Consistent,
        Verdict::Loose,
        Verdict::Vacuous,
        Verdict::Fails,
        Verdict::Inconsistent,
        Verdict::Unspecified,
        Verdict::Untried,
    ];

    /// What the word stands for, in one line.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Proved => "machine-checked, or the whole stated domain enumerated",
            Verdict::Holds => "no violation in the stated search",
            Verdict::Consistent => "a statistical check passed; the interval is given",
            Verdict::Loose => "true, but the constant can be improved",
            Verdict::Vacuous => "true, but too weak to matter at the paper's sizes",
            Verdict::Fails => "refuted by a witness",
            Verdict::Inconsistent => {
                "published numbers contradict each other, the protocol or our runs"
            }
            Verdict::Unspecified => "the paper does not say enough, and it matters",
            Verdict::Untried => "could not be tried here, for the reason given",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Proved => "Proved",
            Verdict::Holds => "Holds",
            Verdict::Consistent => "Consistent",
            Verdict::Loose => "Loose",
            Verdict::Vacuous => "Vacuous",
            Verdict::Fails => "Fails",
            Verdict::Inconsistent => "Inconsistent",
            Verdict::Unspecified => "Unspecified",
            Verdict::Untried => "Untried",
        })
    }
}

/// A stated number beside the one that is attained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tightness {
    /// Which number.
    pub what: String,
    /// As the paper has it.
    pub stated: f64,
    /// The best found, attained or measured.
    pub attained: f64,
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    verdict: Verdict,
    grade: Grade,
    /// The evidence in one line.
    pub summary: String,
    /// Counts, worst case, margin and the like, in the order they were added.
    pub evidence: Map<String, Value>,
    /// An instance one can recheck by hand: the counterexample, or the extreme case.
    pub witness: Option<Value>,
    /// How close the stated number is to the truth, where that makes sense.
    pub tightness: Option<Tightness>,
}

impl Outcome {
    /// A verdict, what kind of evidence it rests on, and that evidence in one line. `Proved` needs
    /// evidence that covers the whole stated domain; with any other it becomes `Holds`.
    #[must_use]
    pub fn new(verdict: Verdict, grade: Grade, summary: impl Into<String>) -> Self {
        let (summary, evidence) = (summary.into(), Map::new());
        Outcome {
            verdict: earned(verdict, grade),
            grade,
            summary,
            evidence,
            witness: None,
            tightness: None,
        }
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What kind of evidence it rests on.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.grade
    }

    /// The same evidence under another verdict, with another summary.
    #[must_use]
    pub fn judged(self, verdict: Verdict, summary: impl Into<String>) -> Self {
        Outcome { verdict: earned(verdict, self.grade), summary: summary.into(), ..self }
    }

    /// The same with a proof that the checker accepted for the whole stated domain: what no case
    /// contradicted is proved.
    #[must_use]
    pub(crate) fn machine_checked(self) -> Self {
        let verdict = match self.verdict {
            Verdict::Holds | Verdict::Consistent => Verdict::Proved,
            other => other,
        };
        Outcome { verdict, grade: Grade::MachineChecked, ..self }
    }

    /// Adds a piece of evidence.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.evidence.insert(key.into(), value.into());
        self
    }

    /// Adds an instance to recheck.
    #[must_use]
    pub fn witness(mut self, witness: Value) -> Self {
        self.witness = Some(witness);
        self
    }

    /// Adds the stated number and the attained one.
    #[must_use]
    pub fn tightness(mut self, what: &str, stated: f64, attained: f64) -> Self {
        self.tightness = Some(Tightness { what: what.into(), stated, attained });
        self
    }
}

/// No verdict claims more than its evidence carries.
fn earned(verdict: Verdict, grade: Grade) -> Verdict {
    match verdict {
        Verdict::Proved if !grade.is_proof() => Verdict::Holds,
        other => other,
    }
}

/// A check that could not come to a verdict: a fault of this project, never of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFailure(pub String);

impl<E: std::error::Error> From<E> for CheckFailure {
    fn from(error: E) -> Self {
        CheckFailure(error.to_string())
    }
}

impl fmt::Display for CheckFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a check returns.
pub type Checked = Result<Outcome, CheckFailure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proved_needs_evidence_for_the_whole_domain() {
        for grade in Grade::ALL {
            let strong = matches!(grade, Grade::MachineChecked | Grade::Enumerated);
            let expected = if strong { Verdict::Proved } else { Verdict::Holds };
            assert_eq!(Outcome::new(Verdict::Proved, grade, "").verdict(), expected);
            let judged = Outcome::new(Verdict::Fails, grade, "").judged(Verdict::Proved, "");
            assert_eq!(judged.verdict(), expected);
            assert_eq!(Outcome::new(Verdict::Loose, grade, "").verdict(), Verdict::Loose);
        }
    }
}

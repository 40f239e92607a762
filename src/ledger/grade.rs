//! How good the evidence is, and whose claim it is about.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of evidence a verdict rests on, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// A proof checker accepted a proof for the whole stated domain.
    MachineChecked,
    /// The stated domain was enumerated, or the check itself reduces it to the cases it went through.
    /// One exact witness is enough for a statement that something exists, or against a general one.
    Enumerated,
    /// There is a written argument; the machine only tried it on cases.
    Argued,
    /// Cases were searched or drawn, and no argument covers the others.
    Searched,
    /// Statistical.
    Sampled,
    /// Recomputed from published numbers.
    Computed,
}

impl Grade {
    /// All of them, from the strongest to the weakest.
    pub(crate) const ALL: [Grade; 6] = [
        Grade::MachineChecked,
        Grade::Enumerated,
        Grade::Argued,
        Grade::Searched,
        Grade::Sampled,
        Grade::Computed,
    ];

    /// Whether such evidence covers the whole stated domain, so that it can carry the word "proved".
    pub(crate) fn is_proof(self) -> bool {
        matches!(self, Grade::MachineChecked | Grade::Enumerated)
    }

    /// What the word stands for, in one line.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Grade::MachineChecked => "a proof checker accepted a proof for the whole stated domain",
            Grade::Enumerated => {
                "every case of the stated domain was checked, or one witness settles it"
            }
            Grade::Argued => "a written argument, tried on cases",
            Grade::Searched => "some cases were searched or drawn; the others were not checked",
            Grade::Sampled => "from runs with random draws: a statistical test, or means over runs",
            Grade::Computed => "recomputed from published numbers",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::MachineChecked => "machine-checked",
            Grade::Enumerated => "enumerated",
            Grade::Argued => "argued",
            Grade::Searched => "searched",
            Grade::Sampled => "sampled",
            Grade::Computed => "computed",
        })
    }
}

/// Whose claim it is. Claims of different owners are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The paper says it.
    Paper,
    /// We say it: theorems of our own, and what the hypotheses of the paper amount to.
    Project,
    /// It is about a program that implements the paper.
    Implementation,
}

impl Owner {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Owner; 3] = [Owner::Paper, Owner::Project, Owner::Implementation];
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Owner::Paper => "paper",
            Owner::Project => "project",
            Owner::Implementation => "implementation",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_on_screen_are_the_words_in_files() {
        for grade in Grade::ALL {
            assert_eq!(serde_json::to_value(grade).unwrap(), grade.to_string());
        }
        for owner in Owner::ALL {
            assert_eq!(serde_json::to_value(owner).unwrap(), owner.to_string());
        }
    }
}

//! Who catches whom.

use super::{Fault, FaultyLearner};
use crate::claims::implementation::{CHECKS, Failure};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write;

/// What one check says about one learner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Catch {
    /// Id of the check.
    pub(crate) check: &'static str,
    /// Its sentence if it caught the fault.
    pub(crate) caught: Option<String>,
}

/// One learner against all checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TeethRow {
    /// Name of the fault, or `healthy`.
    pub(crate) saboteur: &'static str,
    /// What is wrong with it.
    pub(crate) fault: &'static str,
    /// One entry per check.
    pub(crate) checks: Vec<Catch>,
}

impl TeethRow {
    /// Ids of the checks that caught it.
    pub(crate) fn caught_by(&self) -> Vec<&'static str> {
        self.checks.iter().filter(|catch| catch.caught.is_some()).map(|catch| catch.check).collect()
    }
}

/// All saboteurs against all checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TeethTable {
    /// The learner without a fault.
    pub(crate) healthy: TeethRow,
    /// One row per fault.
    pub(crate) rows: Vec<TeethRow>,
}

impl TeethTable {
    /// Puts every saboteur through every check, with the harness's `seed`.
    #[must_use]
    pub(crate) fn build(seed: u64) -> Self {
        let row = |fault: Option<Fault>| TeethRow {
            saboteur: fault.map_or("healthy", Fault::name),
            fault: fault.map_or("none", Fault::what),
            checks: CHECKS
                .iter()
                .map(|check| {
                    let mut subject = fault.map_or_else(FaultyLearner::healthy, FaultyLearner::new);
                    let caught = match (check.run)(&mut subject, seed) {
                        Ok(_) => None,
                        Err(Failure::Wrong(sentence)) => Some(sentence),
                        Err(Failure::Broken(error)) => Some(error.to_string()),
                    };
                    Catch { check: check.id, caught }
                })
                .collect(),
        };
        let rows = Fault::ALL.par_iter().with_max_len(1).map(|&fault| row(Some(fault))).collect();
        TeethTable { healthy: row(None), rows }
    }

    /// What is wrong with the checks, one sentence each; empty when they have teeth.
    #[must_use]
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for catch in &self.healthy.checks {
            if let Some(sentence) = &catch.caught {
                problems.push(format!("{} accuses a healthy learner: {sentence}", catch.check));
            }
        }
        for row in self.rows.iter().filter(|row| row.caught_by().is_empty()) {
            problems.push(format!("no check catches {} ({})", row.saboteur, row.fault));
        }
        for check in CHECKS {
            if !self.rows.iter().any(|row| row.caught_by().contains(&check.id)) {
                problems.push(format!("{} catches no saboteur", check.id));
            }
        }
        problems
    }

    /// The table for a terminal: a column per check, numbered below.
    pub(crate) fn to_text(&self) -> String {
        let width = self.rows.iter().map(|row| row.saboteur.len()).max().unwrap_or(0);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "{:width$} ", "saboteur");
        for k in 1..=CHECKS.len() {
            let _ = write!(text, " {k:>2}");
        }
        let _ = writeln!(text, "  caught by");
        for row in std::iter::once(&self.healthy).chain(&self.rows) {
            let _ = write!(text, "{:width$} ", row.saboteur);
            for catch in &row.checks {
                let _ = write!(text, "  {}", if catch.caught.is_some() { 'x' } else { '.' });
            }
            let _ = writeln!(text, "  {:>9}", row.caught_by().len());
        }
        let _ = writeln!(text);
        for (k, check) in CHECKS.iter().enumerate() {
            let caught = self.rows.iter().filter(|row| row.caught_by().contains(&check.id)).count();
            let _ =
                writeln!(text, "{:>2} {} catches {caught}: {}", k + 1, check.id, check.statement);
        }
        text
    }
}

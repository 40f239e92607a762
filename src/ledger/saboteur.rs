//! Checks that can fail, shown to fail: false variants of a claim that its own check must refute.

use super::{CheckFailure, Checked, Claim, Context, Verdict};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A claim made false by a little: a constant made smaller, a term or a hypothesis dropped.
#[derive(Clone, Copy, Debug)]
pub struct Saboteur {
    /// Short name, unique among the saboteurs of a claim.
    pub name: &'static str,
    /// What was made false.
    pub falsified: &'static str,
    /// The check of the claim, applied to the false statement.
    pub check: fn(&Context) -> Checked,
    /// Why the check cannot tell the false statement from the true one, if that is known: such a
    /// saboteur is declared in the ledger instead of being refuted.
    pub cannot_tell: Option<&'static str>,
}

/// What became of a saboteur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaboteurFate {
    /// The check refuted it.
    Refuted,
    /// The check let it pass, as declared.
    Declared,
    /// The check let it pass, or could not say anything: the check has no teeth here.
    Missed,
    /// Declared as out of reach, and refuted all the same: the declaration is wrong.
    RefutedAfterAll,
}

/// A saboteur after it was tried.
#[derive(Clone, Debug)]
pub struct SaboteurRun {
    /// Id of the claim.
    pub claim: &'static str,
    /// The saboteur.
    pub saboteur: Saboteur,
    /// What the check said about it.
    pub result: Checked,
    /// What that means.
    pub fate: SaboteurFate,
}

/// Tries every saboteur of every claim, in the order given.
#[must_use]
pub fn teeth(claims: &[Claim], seed: u64) -> Vec<SaboteurRun> {
    let all: Vec<(&'static str, Saboteur)> =
        claims.iter().flat_map(|c| c.saboteurs.iter().map(|s| (c.id, *s))).collect();
    all.into_par_iter()
        .with_max_len(1)
        .map(|(claim, saboteur)| attempt(claim, saboteur, seed))
        .collect()
}

fn attempt(claim: &'static str, saboteur: Saboteur, seed: u64) -> SaboteurRun {
    let context = Context::new(seed);
    let result = catch_unwind(AssertUnwindSafe(|| (saboteur.check)(&context)))
        .unwrap_or_else(|_| Err(CheckFailure("the check panicked".into())));
    let refuted = result
        .as_ref()
        .ok()
        .map(|outcome| matches!(outcome.verdict(), Verdict::Fails | Verdict::Inconsistent));
    let fate = match (refuted, saboteur.cannot_tell) {
        (Some(true), None) => SaboteurFate::Refuted,
        (Some(true), Some(_)) => SaboteurFate::RefutedAfterAll,
        (Some(false), Some(_)) => SaboteurFate::Declared,
        (Some(false), None) | (None, _) => SaboteurFate::Missed,
    };
    SaboteurRun { claim, saboteur, result, fate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grade, Outcome};

    fn says(verdict: Verdict) -> Checked {
        Ok(Outcome::new(verdict, Grade::Searched, ""))
    }

    #[test]
    fn every_fate_is_told_apart() {
        let saboteur =
            |check, cannot_tell| Saboteur { name: "", falsified: "", check, cannot_tell };
        let fate = |check, cannot_tell| attempt("a", saboteur(check, cannot_tell), 1).fate;
        type Check = fn(&Context) -> Checked;
        let (fails, holds): (Check, Check) = (|_| says(Verdict::Fails), |_| says(Verdict::Holds));
        assert_eq!(fate(fails, None), SaboteurFate::Refuted);
        assert_eq!(fate(fails, Some("slack 39")), SaboteurFate::RefutedAfterAll);
        assert_eq!(fate(holds, None), SaboteurFate::Missed);
        assert_eq!(fate(holds, Some("slack 39")), SaboteurFate::Declared);
        assert_eq!(fate(|_| panic!("on purpose"), Some("slack")), SaboteurFate::Missed);
        assert_eq!(fate(|_| Err(CheckFailure("no".into())), None), SaboteurFate::Missed);
    }
}

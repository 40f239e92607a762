//! Running checks.

use super::{CheckFailure, Checked, Claim, Context, Verdict};
use crate::proof::{TheoremRecord, lift};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A claim after its check.
#[derive(Clone, Debug)]
pub struct Done {
    /// The claim.
    pub claim: Claim,
    /// What its check said, or why it could not.
    pub result: Checked,
    /// How long it took.
    pub time: Duration,
    /// Whether it drew random numbers.
    pub drew: bool,
    /// Theorems about it that the proof checker accepted: `File.theorem`.
    pub proofs: Vec<String>,
}

/// Runs the checks in parallel with a master seed and returns them in the order given, with what is
/// proved about them by `theorems`; `progress` hears of each one as it starts (`None`) and ends, from
/// whichever thread ran it.
#[must_use]
pub fn run(
    claims: &[Claim],
    seed: u64,
    theorems: &[TheoremRecord],
    progress: impl Fn(&Claim, Option<&Done>) + Sync,
) -> Vec<Done> {
    claims
        .par_iter()
        // One at a time: some checks take a thousand times as long as others.
        .with_max_len(1)
        .map(|claim| {
            progress(claim, None);
            let (start, context) = (Instant::now(), Context::new(seed));
            // A check that panics is a fault of ours and must not take the others with it.
            let result = catch_unwind(AssertUnwindSafe(|| (claim.check)(&context)))
                .unwrap_or_else(|_| Err(CheckFailure("the check panicked".into())));
            let about: Vec<&TheoremRecord> =
                theorems.iter().filter(|t| t.claims.iter().any(|c| c == claim.id)).collect();
            let result = result.and_then(|outcome| lift(&about, outcome));
            let proofs = about.iter().map(ToString::to_string).collect();
            let (drew, time) = (context.drew.into_inner(), start.elapsed());
            let done = Done { claim: *claim, result, time, drew, proofs };
            progress(claim, Some(&done));
            done
        })
        .collect()
}

/// Runs the checks once for every master seed and counts how often each verdict came out; `None` where the
/// check could not say. Those that drew nothing with the first seed are not run again and not returned.
#[must_use]
pub fn repeat(
    claims: &[Claim],
    seeds: impl IntoIterator<Item = u64>,
    theorems: &[TheoremRecord],
    mut progress: impl FnMut(u64),
) -> Vec<(Claim, BTreeMap<Option<Verdict>, u64>)> {
    let mut drawing = claims.to_vec();
    let mut said = Vec::new();
    for (i, seed) in seeds.into_iter().enumerate() {
        let mut done = run(&drawing, seed, theorems, |_, _| {});
        if i == 0 {
            done.retain(|d| d.drew);
            drawing = done.iter().map(|d| d.claim).collect();
            said = drawing.iter().map(|&claim| (claim, BTreeMap::new())).collect();
        }
        for ((_, verdicts), done) in said.iter_mut().zip(&done) {
            let verdict = done.result.as_ref().ok().map(|outcome| outcome.verdict());
            *verdicts.entry(verdict).or_default() += 1;
        }
        progress(seed);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grade, Outcome};

    fn claim(id: &'static str, check: fn(&Context) -> Checked) -> Claim {
        Claim { id, check, ..Claim::BLANK }
    }

    #[test]
    fn order_is_kept_and_a_panic_is_contained() {
        let claims = [
            claim("a", |_| Ok(Outcome::new(Verdict::Holds, Grade::Enumerated, ""))),
            claim("b", |_| panic!("on purpose")),
            claim("c", |_| Err(CheckFailure("no".into()))),
        ];
        let done = run(&claims, 1, &[], |_, _| {});
        assert_eq!(done.iter().map(|d| d.claim.id).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(done[0].result.is_ok());
        assert_eq!(done[1].result, Err(CheckFailure("the check panicked".into())));
        assert_eq!(done[2].result, Err(CheckFailure("no".into())));
    }

    #[test]
    fn only_what_draws_is_repeated_and_every_verdict_counts() {
        let claims = [
            claim("still", |_| Ok(Outcome::new(Verdict::Proved, Grade::Enumerated, ""))),
            claim("odd", |context| match context.seed() % 2 {
                0 => Ok(Outcome::new(Verdict::Holds, Grade::Enumerated, "")),
                _ => Ok(Outcome::new(Verdict::Fails, Grade::Enumerated, "")),
            }),
            claim("four", |context| match context.seed() {
                4 => Err(CheckFailure("no".into())),
                _ => Ok(Outcome::new(Verdict::Holds, Grade::Enumerated, "")),
            }),
        ];
        let mut seen = Vec::new();
        let said = repeat(&claims, 2..7, &[], |seed| seen.push(seed));
        assert_eq!(seen, [2, 3, 4, 5, 6]);
        assert_eq!(said.iter().map(|(claim, _)| claim.id).collect::<Vec<_>>(), ["odd", "four"]);
        let counts = |i: usize, v| said[i].1.get(&v).copied();
        assert_eq!(counts(0, Some(Verdict::Holds)), Some(3));
        assert_eq!(counts(0, Some(Verdict::Fails)), Some(2));
        assert_eq!((counts(1, None), counts(1, Some(Verdict::Holds))), (Some(1), Some(4)));
    }
}

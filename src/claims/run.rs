//! Running checks.

use super::{CheckFailure, Checked, Claim, Context};
use rayon::prelude::*;
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
}

/// Runs the checks in parallel and returns them in the order given; `progress` hears of each one
/// as it starts (`None`) and ends, from whichever thread ran it.
pub fn run(
    claims: &[Claim],
    context: &Context,
    progress: impl Fn(&Claim, Option<&Done>) + Sync,
) -> Vec<Done> {
    claims
        .par_iter()
        // One at a time: some checks take a thousand times as long as others.
        .with_max_len(1)
        .map(|claim| {
            progress(claim, None);
            let start = Instant::now();
            // A check that panics is a fault of ours and must not take the others with it.
            let result = catch_unwind(AssertUnwindSafe(|| (claim.check)(context)))
                .unwrap_or_else(|_| Err(CheckFailure("the check panicked".into())));
            let done = Done { claim: *claim, result, time: start.elapsed() };
            progress(claim, Some(&done));
            done
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{Kind, Outcome, Verdict};

    #[test]
    fn order_is_kept_and_a_panic_is_contained() {
        let claim = |id, check: fn(&Context) -> Checked| Claim {
            id,
            reference: "",
            statement: "",
            hypotheses: &[],
            kind: Kind::Definition,
            check,
        };
        let claims = [
            claim("a", |_| Ok(Outcome::new(Verdict::Holds, ""))),
            claim("b", |_| panic!("on purpose")),
            claim("c", |_| Err(CheckFailure("no".into()))),
        ];
        let done = run(&claims, &Context::default(), |_, _| {});
        assert_eq!(done.iter().map(|d| d.claim.id).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(done[0].result.is_ok());
        assert_eq!(done[1].result, Err(CheckFailure("the check panicked".into())));
        assert_eq!(done[2].result, Err(CheckFailure("no".into())));
    }
}

//! Running checks.

use super::{Checked, Claim, Context};
use rayon::prelude::*;
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
            let result = (claim.check)(context);
            let done = Done { claim: *claim, result, time: start.elapsed() };
            progress(claim, Some(&done));
            done
        })
        .collect()
}

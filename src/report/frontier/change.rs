//! Experts who change: how long until it is noticed, and what watching out for it costs.

use super::{compact, stream_name};
use crate::ReportError;
use crate::case::{Case, mean_over};
use crate::escape::markdown;
use crate::number::fixed;
use crate::totals::{Total, Totals};
use lab::experiment::Series;

/// The change is noticed when what is lost a round, between two checkpoints, is at most this.
const RECOVERED: f64 = 0.05;
/// The stream on which nothing changes, and the policy that does not watch out.
const STILL: (&str, &str) = ("stationary", super::SUBJECT);

/// Rounds to recovery in words: the mean over runs, or in how many it never came.
fn recovery(runs: &[&Series], at: u64) -> String {
    let found: Vec<f64> = runs
        .iter()
        .filter_map(|run| run.rounds_to_recovery(at, RECOVERED))
        .map(|rounds| rounds as f64)
        .collect();
    match runs.len() - found.len() {
        0 => fixed(stats::mean(&found), 0),
        never if found.is_empty() => format!("never ({never} runs)"),
        never => {
            format!("{}; never in {never} of {} runs", fixed(stats::mean(&found), 0), runs.len())
        }
    }
}

/// One row a policy: rounds to recovery on every stream that changes, and the price where none does.
pub(super) fn table(cases: &[Case<'_>]) -> Result<String, ReportError> {
    let still = cases.iter().find(|case| stream_name(case) == STILL.0);
    let still = still.ok_or(ReportError::NoStream(STILL.0))?;
    let lost = |runs: &[&Series]| mean_over(runs, |s| s.mean(Total::Excess));
    let reference = lost(super::measure::runs(still, STILL.1)?);
    let moving = cases.iter().filter_map(|case| Some((case, case.stream().facts().changes_at?)));
    let moving: Vec<_> = moving.collect();
    let mut rows = Vec::new();
    for (i, runs) in &still.policies {
        let policy = still.policy(*i);
        let mut row = vec![markdown(&policy.label)];
        for (case, at) in &moving {
            row.push(recovery(super::measure::runs(case, &policy.name)?, *at));
        }
        row.extend([fixed(lost(runs), 4), fixed(lost(runs) - reference, 4)]);
        rows.push(row);
    }
    let labels: Vec<String> = moving.iter().map(|(case, _)| case.label()).collect();
    let mut head = vec!["learner"];
    head.extend(labels.iter().map(String::as_str));
    head.extend(["lost a round where nothing changes", "more than without watching out"]);
    Ok(compact(&head, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::experiment::Exact;

    fn series(excess: &[f64]) -> Series {
        let t: Vec<u64> = (1..=excess.len() as u64).map(|i| 10 * i).collect();
        let exact = Exact { excess: excess.to_vec(), ..Exact::default() };
        Series { t, exact: Some(exact), ..Series::default() }
    }

    /// Totals of the regret at rounds 10, 20, ..: 0.3 a round after the change in round 20 at first.
    #[test]
    fn recovery_in_words() {
        let late = series(&[0.1, 0.2, 3.2, 6.2, 6.3]);
        let never = series(&[0.1, 0.2, 3.2, 6.2, 9.2]);
        assert_eq!(recovery(&[&late, &late], 20), "30");
        assert_eq!(recovery(&[&late, &never], 20), "30; never in 1 of 2 runs");
        assert_eq!(recovery(&[&never], 20), "never (1 runs)");
    }
}

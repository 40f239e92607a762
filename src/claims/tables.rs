//! App. G: the published tables. Each claim is that a table fits the protocol it is said to follow;
//! the arithmetic is in [`crate::audit`].

use super::{CheckFailure, Checked, Claim, Grade, Kind, Outcome, Verdict};
use crate::audit::{Finding, Status, findings};
use serde_json::{Value, json};

/// A claim whose verdict is that of the finding with the same id.
macro_rules! table_claims {
    ($($id:literal: $reference:literal, $statement:literal;)*) => {
        pub(crate) const CLAIMS: &[Claim] = &[$(Claim {
            id: concat!("table-", $id),
            reference: $reference,
            statement: $statement,
            hypotheses: &["the numbers are rounded to nearest with the digits printed"],
            kind: Kind::Experiment,
            check: |_| check($id),
            ..Claim::BLANK
        }),*];
    };
}

table_claims! {
    "synthetic-expert-1": "App. G.2", "The accuracy of expert 1 follows from its two of six clusters.";
    "synthetic-expert-2": "App. G.2", "The accuracy of expert 2 follows from its two of six clusters.";
    "synthetic-expert-3": "App. G.2", "The accuracy of expert 3 is that of a guess among six labels.";
    "reuters4-partition": "App. G.3", "The accuracies of experts 1 and 3 fit two regions that \
                                       split the classes between them.";
    "cifar10h-regions": "App. G.4", "The expert accuracies fit experts who know four of ten labels.";
    "cifar10h-loss-ours": "App. G.4", "The loss of the method follows from its accuracy and its \
                                       queries at normalized cost.";
    "cifar10h-loss-baseline": "App. G.4", "The loss of the baseline follows from its accuracy and \
                                           its queries at normalized cost.";
    "cifar10h-exploration": "App. G.4", "The share of class answers leaves room for the stated exploration.";
    "cifar10h-baseline-uniform": "App. G.4", "The baseline defers uniformly to the three experts.";
}

fn check(id: &str) -> Checked {
    let finding = findings().into_iter().find(|finding| finding.id == id);
    let finding = finding.ok_or_else(|| CheckFailure(format!("the audit has no finding {id}")))?;
    outcome(&finding)
}

fn outcome(finding: &Finding) -> Checked {
    let (verdict, summary) = match finding.status {
        Status::Consistent => (Verdict::Holds, "the two sides agree before rounding".into()),
        Status::ConsistentByRounding => {
            (Verdict::Consistent, "the two sides agree within rounding and chance".into())
        }
        Status::Inconsistent => {
            let fitting = match finding.readings.iter().filter(|reading| reading.fits).count() {
                0 => "no other reading fits".to_owned(),
                1 => "1 other reading fits".to_owned(),
                several => format!("{several} other readings fit"),
            };
            let summary = format!(
                "expected {:.4} to {:.4}, published {:.4} to {:.4}: off by {:.4}; {fitting}",
                finding.expected.low,
                finding.expected.high,
                finding.published.low,
                finding.published.high,
                finding.misses_by
            );
            (Verdict::Inconsistent, summary)
        }
    };
    let readings: Vec<Value> = finding.readings.iter().map(|reading| json!(reading)).collect();
    Ok(Outcome::new(verdict, Grade::Computed, summary)
        .with("must_hold", finding.statement)
        .with("formula", finding.formula)
        .with("expected", json!(finding.expected))
        .with("published", json!(finding.published))
        .with("misses_by", finding.misses_by)
        .with("readings", readings)
        .with("remark", finding.remark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_is_a_claim_and_the_other_way_round() {
        let ids: Vec<String> = findings().iter().map(|f| format!("table-{}", f.id)).collect();
        let claims: Vec<&str> = CLAIMS.iter().map(|claim| claim.id).collect();
        assert_eq!(claims, ids);
        assert!(check("no-such-table").is_err());
    }

    /// The verdict follows the arithmetic: the same finding with its status changed says otherwise.
    #[test]
    fn the_verdict_is_the_audits() {
        let mut finding = findings().swap_remove(0);
        for (status, verdict) in [
            (Status::Consistent, Verdict::Holds),
            (Status::ConsistentByRounding, Verdict::Consistent),
            (Status::Inconsistent, Verdict::Inconsistent),
        ] {
            finding.status = status;
            assert_eq!(outcome(&finding).unwrap().verdict(), verdict);
        }
    }
}

//! App. B: benchmarks that cannot be reached.

use super::exact::{ExactLaw, integer, unit};
use super::{Claim, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::theory::{Rational, ratio};
use num_traits::{One, Zero};
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[Claim {
    id: "app-b-unrestricted",
    reference: "App. B",
    statement: "Against a comparator that may change every round, every algorithm has regret at \
                least T (n - 1) / n when labels are uniform and all experts are wrong.",
    hypotheses: &["labels drawn uniformly", "expert costs 1"],
    kind: Kind::Theorem,
    check: |_| Ok(unrestricted(&Rational::one())),
    saboteurs: &[refuted("useful-experts", "the same when asking an expert costs 1/10", |_| {
        Ok(unrestricted(&ratio(1, 10)))
    })],
    ..Claim::BLANK
}];

/// The loss is linear in the learner's mixture, so its smallest value is at an action; the
/// comparator knows the label and pays nothing. `cost` is what an expert costs.
fn unrestricted(cost: &Rational) -> Outcome {
    let mut tally = Tally::default();
    let mut least_excess: Option<Rational> = None;
    for n in 2..=10usize {
        for n_e in 0..=3usize {
            let stated = ratio(n as i64 - 1, n as i64);
            let law =
                ExactLaw { p: vec![ratio(1, n as i64); n], c: vec![vec![cost.clone(); n]; n_e] };
            for a in 0..n + n_e {
                let expected: Rational =
                    (0..n).map(|y| law.loss(a, y)).sum::<Rational>() / integer(n);
                tally.at_most(
                    &stated,
                    &expected,
                    || json!({ "n": n, "n_e": n_e, "action": a, "loss": expected.to_string() }),
                );
                let excess = expected - &stated;
                least_excess = Some(least_excess.map_or(excess.clone(), |l| l.min(excess)));
            }
            for y in 0..n {
                let knowing = ExactLaw { p: unit(n, y), ..law.clone() };
                let pays = knowing.loss(y, y);
                tally.equal(&pays, &Rational::zero(), || json!({ "n": n, "label": y }));
            }
        }
    }
    let sharp = least_excess.is_some_and(|excess| excess.is_zero());
    tally
        .outcome(Verdict::Holds, Grade::Argued, "actions and labels, n <= 10, n_e <= 3")
        .with("attained", sharp)
        .with("argument", "expected loss is linear in the learner's mixture: single actions decide")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_useful_expert_breaks_the_argument() {
        assert_eq!(unrestricted(&Rational::one()).verdict(), Verdict::Holds);
        assert_eq!(unrestricted(&ratio(1, 10)).verdict(), Verdict::Fails);
    }
}

//! App. C: how large the ball has to be.

use super::exact::show;
use super::{Checked, Claim, Grade, Kind, Outcome, Owner, Tally, Verdict};
use crate::problem::MAX_ACTIONS;
use crate::theory::rational::{Rational, ratio};
use crate::theory::{SurrogateId, pointwise};
use num_traits::{One, Signed, Zero};
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "app-c-radius",
        reference: "App. C",
        statement: "A Frobenius radius of B = N is enough for every pointwise minimiser of the \
                    constrained hinge.",
        hypotheses: &["|(x, 1)| >= 1"],
        kind: Kind::Constant,
        check: |_| radius(|n| ratio(n * n, 1)),
        ..Claim::BLANK
    },
    Claim {
        id: "hinge-needs-richness",
        reference: "Sec. 6 (linear calibration)",
        statement: "Linear calibration of the constrained hinge needs a class that contains the \
                    canonical margin vectors: over a small ball it is false.",
        hypotheses: &[],
        kind: Kind::Hypothesis,
        check: |_| Ok(richness(&ratio(1, 2))),
        owner: Owner::Project,
        ..Claim::BLANK
    },
];

/// Squared norms are integers: `K (K - 1)` at `|x~| = 1`, which is the worst input. `enough(n)` is
/// the square of the radius in question.
fn radius(enough: impl Fn(i64) -> Rational) -> Checked {
    let mut tally = Tally::new();
    let mut slack: Option<Rational> = None;
    for n in 2..=MAX_ACTIONS as i64 {
        let needed = |k: i64| ratio((k - 1) * (k - 1) + (k - 1), 1);
        for k in 2..=n {
            tally.at_most(&needed(k), &enough(n), || json!({ "N": n, "K": k }));
        }
        let left = enough(n) - needed(n);
        slack = Some(slack.map_or(left.clone(), |s: Rational| s.min(left)));
    }
    // Necessity of sqrt(N (N - 1)): a hair less, and the infimum over the ball is above the infimum.
    let mut necessary = true;
    for n in 2..=8usize {
        let mut s = vec![0.25 / n as f64; n];
        s[0] = 1.0 - 0.25 * (n - 1) as f64 / n as f64;
        let free = pointwise::infimum(SurrogateId::CstndHinge, &s)?.value;
        let reach = ((n * (n - 1)) as f64).sqrt();
        let at = |b| pointwise::infimum_in_ball(SurrogateId::CstndHinge, &s, b).map(|m| m.value);
        necessary &= at(0.999 * reach)? > free + 1e-6 && at(reach * (1.0 + 1e-12))? < free + 1e-9;
    }
    let sharp = slack.as_ref().is_none_or(|s| s.is_zero());
    let outcome = tally
        .outcome(Verdict::Holds, Grade::Argued, "pairs K <= N, N <= 128")
        .with("needed", "sqrt(N (N - 1)), attained at x = 0 with everybody available")
        .with("smaller_radius_misses_the_infimum", necessary);
    if outcome.verdict() == Verdict::Fails || sharp || !necessary {
        return Ok(outcome);
    }
    let summary = "B = N is enough; the smallest radius that is enough is sqrt(N (N - 1))";
    Ok(outcome.judged(Verdict::Loose, summary).tightness(
        "radius / N at N = 2 (the largest difference)",
        1.0,
        0.5f64.sqrt(),
    ))
}

/// `s = (0, 1, 0)` and `u = 0`, whose argmax is action 0: the zero-one gap is 1. In a ball of
/// radius `r` around zero the risk `sum_a (S - s_a)(1 + u_a)` cannot fall by more than
/// `r |(1, 0, 1) - mean| < 1`.
fn richness(r: &Rational) -> Outcome {
    let s = [Rational::zero(), Rational::one(), Rational::zero()];
    let slope: Vec<Rational> = super::exact::centred(&[ratio(1, 1), ratio(0, 1), ratio(1, 1)]);
    let length2: Rational = slope.iter().map(|v| v * v).sum();
    // gap <= r |slope|, and gap < 1 exactly when its square is.
    let gap2 = r * r * length2;
    let violated = (Rational::one() - &gap2).is_positive();
    let summary = format!(
        "at radius {r} the zero-one gap is 1 while the squared surrogate gap is at most {gap2}"
    );
    let verdict = if violated { Verdict::Holds } else { Verdict::Fails };
    Outcome::new(verdict, Grade::Searched, summary)
        .with("radius", r.to_string())
        .with("zero_one_gap", "1")
        .with("squared_surrogate_gap_at_most", gap2.to_string())
        .witness(json!({ "s": show(&s), "u": ["0", "0", "0"], "chosen": 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_are_told_apart() {
        let verdict = |f: fn(i64) -> Rational| radius(f).unwrap().verdict();
        assert_eq!(verdict(|n| ratio(n * n, 1)), Verdict::Loose);
        assert_eq!(verdict(|n| ratio(n * (n - 1), 1)), Verdict::Holds);
        assert_eq!(verdict(|n| ratio((n - 1) * (n - 1), 1)), Verdict::Fails);
        assert_eq!(richness(&ratio(1, 2)).verdict(), Verdict::Holds);
        assert_eq!(richness(&ratio(3, 1)).verdict(), Verdict::Fails);
    }
}

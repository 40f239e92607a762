//! App. C: how large the ball has to be.

use super::{Checked, Claim, Context, Grade, Kind, Owner, Tally, Verdict, refuted};
use crate::problem::SMALL_ACTIONS;
use crate::theory::{Rational, SurrogateId, infimum, infimum_in_ball, ratio};
use num_traits::Zero;
use rand::RngExt;
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
        saboteurs: &[refuted("one-less", "B = N - 1 is enough", |_| {
            radius(|n| ratio((n - 1) * (n - 1), 1))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "hinge-needs-richness",
        reference: "Sec. 6 (linear calibration), App. C",
        statement: "Over the ball of zero-sum scores of radius B the constrained hinge is \
                    linearly calibrated with constant 1 exactly if B^2 >= (K^2 - 2K + 4) / 2. To \
                    contain every minimiser the ball needs B^2 >= K (K - 1).",
        hypotheses: &["K >= 3", "|(x, 1)| = 1"],
        kind: Kind::Hypothesis,
        check: |context| richness(context, |k| (k * k - 2.0 * k + 4.0) / 2.0),
        owner: Owner::Project,
        saboteurs: &[
            refuted("every-minimiser", "exactly if B^2 >= K (K - 1)", |context| {
                richness(context, |k| k * (k - 1.0))
            }),
            refuted("tenth-less", "exactly from 0.9 times that value", |context| {
                richness(context, |k| 0.45 * (k * k - 2.0 * k + 4.0))
            }),
            refuted("tenth-more", "exactly from 1.1 times that value", |context| {
                richness(context, |k| 0.55 * (k * k - 2.0 * k + 4.0))
            }),
        ],
    },
];

/// Squared norms are integers: `K (K - 1)` at `|x~| = 1`, which is the worst input. `enough(n)` is
/// the square of the radius in question.
fn radius(enough: impl Fn(i64) -> Rational) -> Checked {
    let mut tally = Tally::default();
    let mut slack: Option<Rational> = None;
    for n in 2..=SMALL_ACTIONS as i64 {
        let needed = |k: i64| ratio((k - 1) * (k - 1) + (k - 1), 1);
        for k in 2..=n {
            tally.at_most(&needed(k), &enough(n), || json!({ "N": n, "K": k }));
        }
        let left = enough(n) - needed(n);
        slack = Some(slack.map_or(left.clone(), |s: Rational| s.min(left)));
    }
    // Necessity of sqrt(N (N - 1)): a hair less, and the infimum over the ball is above the infimum.
    let mut necessary = Tally::default();
    for n in 2..=8usize {
        let mut s = vec![0.25 / n as f64; n];
        s[0] = 1.0 - 0.25 * (n - 1) as f64 / n as f64;
        let free = infimum(SurrogateId::CstndHinge, &s)?.value;
        let reach = ((n * (n - 1)) as f64).sqrt();
        let at = |b| infimum_in_ball(SurrogateId::CstndHinge, &s, b).map(|m| m.value);
        let (inside, on) = (at(0.999 * reach)?, at(reach)?);
        necessary.within(free + 1e-6, inside, 0.0, || json!({ "N": n, "radius": 0.999 * reach }));
        necessary.within(on, free, 1e-9, || json!({ "N": n, "radius": reach }));
    }
    let necessary = necessary.outcome(Verdict::Holds, Grade::Searched, "infima over balls, N <= 8");
    let sharp = slack.as_ref().is_none_or(|s| s.is_zero());
    let outcome = tally
        .outcome(Verdict::Holds, Grade::Argued, "pairs K <= N, N <= 128")
        .with("needed", "sqrt(N (N - 1)), attained at x = 0 with everybody available")
        .with("smaller_radius_misses_the_infimum", necessary.evidence.clone());
    if outcome.verdict() == Verdict::Fails || sharp || necessary.verdict() == Verdict::Fails {
        return Ok(outcome);
    }
    let summary = "B = N is enough; the smallest radius that is enough is sqrt(N (N - 1))";
    Ok(outcome.judged(Verdict::Loose, summary).tightness(
        "radius / N at N = 2 (the largest difference)",
        1.0,
        0.5f64.sqrt(),
    ))
}

/// Accuracy of an infimum over a ball, with room; what is lost just below the radius is above it.
const ACCURACY: f64 = 1e-7;

/// At the squared radius `enough(K)` no scores violate calibration, at 0.97 of the radius the tie
/// `u = (K/2 - 1, K/2 - 1, -1, ..)` does: it cannot move to `(K/2 - 2, K/2, -1, ..)` any more.
fn richness(context: &Context, enough: fn(f64) -> f64) -> Checked {
    let mut rng = context.rng("hinge-needs-richness");
    let hinge = SurrogateId::CstndHinge;
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    for k in 3..=6usize {
        let reach = enough(k as f64).sqrt();
        let half = k as f64 / 2.0;
        let mut tie = vec![-1.0; k];
        (tie[0], tie[1]) = (half - 1.0, half - 1.0);
        let mut s = vec![0.0; k];
        (s[0], s[1]) = (0.49, 0.51);
        // What action 0 loses, over what the surrogate sees of it within the radius.
        let excess = |s: &[f64], u: &[f64], radius: f64| {
            infimum_in_ball(hinge, s, radius)
                .map(|least| hinge.conditional_risk(s, u) - least.value)
        };
        let below = excess(&s, &tie, 0.97 * reach)?;
        let tied = |radius: f64| json!({ "K": k, "s": s, "u": tie, "radius": radius });
        tally.within(below, 0.02, -ACCURACY, || tied(0.97 * reach));
        tally.within(0.02, excess(&s, &tie, reach)?, ACCURACY, || tied(reach));
        for _ in 0..15 {
            let s: Vec<f64> = (0..k).map(|_| rng.random_range(0.0..1.0)).collect();
            let mut u: Vec<f64> = (0..k).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mean = u.iter().sum::<f64>() / k as f64;
            u.iter_mut().for_each(|v| *v -= mean);
            let norm = u.iter().map(|v| v * v).sum::<f64>().sqrt();
            let size = rng.random_range(0.0..1.0) * reach / norm.max(1e-3);
            u.iter_mut().for_each(|v| *v *= size);
            let lost = s.iter().copied().fold(0.0, f64::max) - s[crate::theory::argmax(&u)];
            let case = || json!({ "K": k, "s": s, "u": u, "radius": reach });
            tally.within(lost, excess(&s, &u, reach)?, ACCURACY, case);
        }
        rows.push(
            json!({ "K": k, "squared_radius": reach * reach, "constant_at_0.97": below / 0.02,
            "contains_every_minimiser_from": k * (k - 1) }),
        );
    }
    let what = "comparisons at the radius and just below it, where a tie violates calibration,";
    Ok(tally.outcome(Verdict::Holds, Grade::Searched, what).with("radii", json!(rows)))
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
        let verdict = |f: fn(f64) -> f64| richness(&Context::default(), f).unwrap().verdict();
        assert_eq!(verdict(|k| (k * k - 2.0 * k + 4.0) / 2.0), Verdict::Holds);
        assert_eq!(verdict(|k| k * (k - 1.0)), Verdict::Fails);
    }
}

//! Sec. 3: when asking an expert can be worth its cost.

use super::exact::{bit, dot, show, unit};
use super::{Claim, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted};
use crate::theory::{Rational, ratio};
use num_traits::One;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "experts-never-best",
        reference: "Sec. 3 (experts as maps from inputs to labels, their costs)",
        statement: "An expert whose answer is a function of the input is worth at most as much as \
                    the class it answers. It is never a best action when asking costs anything.",
        hypotheses: &["alpha >= 1", "beta >= 0, and beta > 0 for the second part"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(never_best(&[2, 3, 4], &[1, 5, 20], false)),
        saboteurs: &[
            refuted("free", "asking is free, yet the expert is never among the best", |_| {
                Ok(never_best(&[2, 3, 4], &[0], false))
            }),
            refuted("cheap-errors", "alpha may be below 1", |_| {
                Ok(never_best(&[1], &[1, 5], false))
            }),
            refuted("random-answers", "the answer may be random given the input", |_| {
                Ok(never_best(&[2, 3, 4], &[1, 5, 20], true))
            }),
        ],
    },
    Claim {
        id: "normalisation-changes-the-rule",
        reference: "Sec. 3 (only the expert's cost is divided by max{1, alpha + beta})",
        statement: "Dividing the expert's cost but not the cost of predicting changes which \
                    action is best. Take p = (.42, .29, .29), alpha = 1, beta = 1/10 and an \
                    expert who is right half of the time: with raw costs it is best to predict, \
                    with normalised costs it is best to ask.",
        hypotheses: &["an expert whose answer is random given the input"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(rule(&ratio(1, 1), &ratio(1, 10))),
        saboteurs: &[
            refuted("free", "the same without a query cost", |_| {
                Ok(rule(&ratio(1, 1), &ratio(0, 1)))
            }),
            refuted(
                "small-costs",
                "the same with alpha + beta = 1, where nothing is divided",
                |_| Ok(rule(&ratio(9, 10), &ratio(1, 10))),
            ),
        ],
    },
];

/// `alpha 1[wrong] + beta`, divided by `max{1, alpha + beta}` if normalised.
fn cost(alpha: &Rational, beta: &Rational, right: bool, normalised: bool) -> Rational {
    let raw = alpha * bit(!right) + beta;
    match normalised {
        true => raw / (alpha + beta).max(Rational::one()),
        false => raw,
    }
}

/// Every label law in sixths over two and three classes, every answer, `alpha` in halves and `beta`
/// in twentieths; `spread` lets the expert answer each label with the same probability instead.
fn never_best(halves: &[i64], twentieths: &[i64], spread: bool) -> Outcome {
    let mut tally = Tally::default();
    for p in sixths() {
        for &alpha in halves {
            for &beta in twentieths {
                let (alpha, beta) = (ratio(alpha, 2), ratio(beta, 20));
                for answer in 0..p.len() {
                    let n = p.len() as i64;
                    let says = match spread {
                        // Right whatever the label: nobody who sees only the input can do that.
                        true => vec![ratio(n - 1, n); p.len()],
                        false => unit(p.len(), answer),
                    };
                    let price = |y: usize| {
                        let wrong = cost(&alpha, &beta, false, true);
                        &wrong + &says[y] * (cost(&alpha, &beta, true, true) - &wrong)
                    };
                    let costs: Vec<Rational> = (0..p.len()).map(price).collect();
                    let score = Rational::one() - dot(&p, &costs);
                    let best = p.iter().max().cloned().unwrap_or_default();
                    let case = || {
                        json!({ "p": show(&p), "answer": answer, "alpha": alpha.to_string(),
                            "beta": beta.to_string(), "score": score.to_string() })
                    };
                    tally.at_most(&score, &p[answer], case);
                    tally.below(&score, &best, case);
                }
            }
        }
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "comparisons of an expert with its class")
        .with("argument", "the score is alpha p(g) / (alpha + beta), at most p(g)")
}

/// Laws over two and three classes with common denominator six.
fn sixths() -> Vec<Vec<Rational>> {
    let sixth = |parts: &[i64]| parts.iter().map(|&v| ratio(v, 6)).collect::<Vec<_>>();
    let mut laws: Vec<Vec<Rational>> = (0..=6).map(|a| sixth(&[a, 6 - a])).collect();
    laws.extend((0..=6).flat_map(|a| (0..=6 - a).map(move |b| sixth(&[a, b, 6 - a - b]))));
    laws
}

/// What predicting the best class and asking cost, raw and normalised.
fn rule(alpha: &Rational, beta: &Rational) -> Outcome {
    let p = [ratio(42, 100), ratio(29, 100), ratio(29, 100)];
    let predict = Rational::one() - &p[0];
    let ask = |normalised| {
        let half = |right| cost(alpha, beta, right, normalised) / ratio(2, 1);
        half(true) + half(false)
    };
    let (raw, normalised) = (ask(false), ask(true));
    let mut tally = Tally::default();
    tally.below(&predict, &raw, || json!("raw"));
    tally.below(&normalised, &predict, || json!("normalised"));
    let outcome = tally.outcome(Verdict::Proved, Grade::Enumerated, "comparisons");
    let summary =
        format!("predicting costs {predict}, asking {raw} raw and {normalised} normalised");
    let verdict = outcome.verdict();
    outcome
        .judged(verdict, summary)
        .witness(json!({ "p": show(&p), "alpha": alpha.to_string(), "beta": beta.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;

    #[test]
    fn by_hand() {
        assert_eq!(cost(&ratio(1, 1), &ratio(1, 10), false, true), Rational::one());
        assert_eq!(cost(&ratio(1, 1), &ratio(1, 10), true, true), ratio(1, 11));
        assert!(cost(&ratio(1, 1), &Rational::zero(), true, true).is_zero());
        assert_eq!(rule(&ratio(1, 1), &ratio(1, 10)).verdict(), Verdict::Proved);
        assert_eq!(sixths().len(), 7 + 28);
    }
}

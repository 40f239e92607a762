//! What the condition of Thm 6.5 says about the experts.

use super::exact::{random_distribution, show};
use super::{Checked, Claim, Context, Grade, Kind, Owner, Tally, Verdict};
use crate::claims::quantities::concentration::{Concentration, Horizon, expert_limit};
use crate::theory::{Rational, ratio};
use num_traits::One;
use rand::RngExt;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[Claim {
    id: "thm-6.5-condition",
    reference: "Thm 6.5",
    statement: "Under the concentrated-score condition there is still something to defer: an \
                available expert can be worth asking.",
    hypotheses: &["T > 4"],
    kind: Kind::Hypothesis,
    check: |context| condition(context, 100_000, &ratio(1, 10)),
    owner: Owner::Project,
    ..Claim::BLANK
}];

/// Exact rounds in which the condition holds, and the horizons the costs of the experiments allow.
fn condition(context: &Context, rounds: u64, query_cost: &Rational) -> Checked {
    let mut rng = context.rng("thm-6.5-condition");
    let mut tally = Tally::default();
    for _ in 0..6_000 {
        let classes = rng.random_range(2..=4usize);
        let mut s = random_distribution(&mut rng, classes);
        // Push mass to one class and thin out the experts so that the condition is often met.
        let push = ratio(1, 10i64.pow(rng.random_range(0..6)));
        let top = rng.random_range(0..classes);
        for (a, s_a) in s.iter_mut().enumerate() {
            *s_a *= &push;
            if a == top {
                *s_a += Rational::one() - &push;
            }
        }
        for _ in 0..rng.random_range(0..=3u32) {
            let scale = 10i64.pow(rng.random_range(0..6));
            s.push(ratio(rng.random_range(0..=10), 10 * scale));
        }
        let round = Concentration::new(classes, s.clone())?;
        let t = 10u64.pow(rng.random_range(0..6)) + rng.random_range(0..50u64);
        if t > 4 && round.holds(t) {
            // Among them: the best action is a class.
            tally.truth(
                round.has_consequences(t),
                || json!({ "T": t, "n": classes, "s": show(&s) }),
            );
        }
    }
    let mut reach = Vec::new();
    let mut possible = false;
    for classes in [2usize, 4, 6, 10] {
        // A right answer costs beta / (1 + beta) and a wrong one 1; a certain label is the best case.
        let right = Rational::one() / (Rational::one() + query_cost);
        for (what, share) in [("always right", 1), ("guesses", classes as i64)] {
            let mut s = vec![ratio(0, 1); classes];
            s[0] = ratio(1, 1);
            s.push(&right / ratio(share, 1));
            let horizon = Concentration::new(classes, s)?.largest_horizon();
            possible |= horizon.reaches(rounds);
            let last = match horizon {
                Horizon::UpTo(t) => json!(t as u64),
                Horizon::Unlimited => json!("unlimited"),
            };
            reach.push(json!({ "n": classes, "expert": what, "largest_T": last }));
        }
    }
    let outcome = tally.outcome(Verdict::Holds, Grade::Searched, "rounds that meet the condition");
    if outcome.verdict() == Verdict::Fails {
        return Ok(outcome);
    }
    let limit = expert_limit(rounds).unwrap_or(f64::NAN);
    let outcome = outcome
        .with("expert_scores_may_sum_to", limit)
        .with("at_T", rounds)
        .with("largest_T_with_an_expert_of_the_experiments", reach);
    if possible {
        return Ok(outcome);
    }
    let shown = super::markdown::number(limit);
    let summary = format!(
        "the best action is a class and all available experts together are worth at most {shown} \
         at T = {rounds}; an expert as good as a guess already rules the condition out"
    );
    Ok(outcome.judged(Verdict::Vacuous, summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_horizons_or_worthless_experts_are_not_called_vacuous() {
        let context = Context::default();
        assert_eq!(
            condition(&context, 100_000, &ratio(1, 10)).unwrap().verdict(),
            Verdict::Vacuous
        );
        // A guess among ten classes passes up to T = 144 exactly.
        assert_eq!(condition(&context, 100, &ratio(1, 10)).unwrap().verdict(), Verdict::Holds);
        let outcome = condition(&context, 144, &ratio(1, 10)).unwrap();
        assert_eq!(outcome.verdict(), Verdict::Holds);
        assert_eq!(condition(&context, 145, &ratio(1, 10)).unwrap().verdict(), Verdict::Vacuous);
        // An expert so dear that even a right answer costs nearly one.
        assert_eq!(
            condition(&context, 100_000, &ratio(10_000, 1)).unwrap().verdict(),
            Verdict::Holds
        );
    }
}

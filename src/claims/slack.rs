//! Lem. F.2: the calibration slack, as printed and as used.

use super::exact::{argmax, centred, integer, random_distribution, random_vec, show};
use super::{Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::theory::{Rational, ratio};
use num_traits::{One, ToPrimitive, Zero};
use rand::RngExt;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "lem-f.2",
        reference: "Lem. F.2 (as printed)",
        statement: "For non-negative scores whose best action holds at least 1 - nu of the mass, \
                    nu <= 1/4 and K >= 3, the calibration slack of a wrong greedy action is at \
                    least 1/4.",
        hypotheses: &["no condition on the mass S"],
        kind: Kind::Theorem,
        check: |context| Ok(slack(context, "lem-f.2", None, &ratio(1, 4))),
        ..Claim::BLANK
    },
    Claim {
        id: "lem-f.2-with-mass",
        reference: "Lem. F.2 (as used in the proof of Thm 6.5)",
        statement: "For scores of mass S >= 1 whose best action holds at least 1 - nu of the \
                    mass, nu <= 1/4 and K >= 3, the calibration slack of a wrong greedy action is \
                    at least 1/4. The scores of a round have such a mass, and 1/4 is attained.",
        hypotheses: &["S >= 1"],
        kind: Kind::Theorem,
        check: |context| {
            Ok(slack(context, "lem-f.2-with-mass", Some(Rational::one()), &ratio(1, 4)))
        },
        saboteurs: &[
            refuted("a-hair-more", "at least 0.2501", |context| {
                Ok(slack(context, "lem-f.2-with-mass", Some(Rational::one()), &ratio(2501, 10_000)))
            }),
            refuted("half-the-mass", "the mass need only be 1/2", |context| {
                Ok(slack(context, "lem-f.2-with-mass", Some(ratio(1, 2)), &ratio(1, 4)))
            }),
        ],
        ..Claim::BLANK
    },
];

/// `C(u) - K (S - s_max) - (s_max - s_r)`.
pub(super) fn calibration_slack(s: &[Rational], u: &[Rational], greedy: usize) -> Rational {
    let mass: Rational = s.iter().sum();
    let best = &s[argmax(s)];
    let risk: Rational = s
        .iter()
        .zip(u)
        .map(|(s_a, u_a)| (&mass - s_a) * (Rational::one() + u_a).max(Rational::zero()))
        .sum();
    risk - integer(s.len()) * (&mass - best) - (best - &s[greedy])
}

/// Ties between a wrong action and the best one, and random scores, over masses from a tenth to
/// two; those below `least_mass` are left out.
fn slack(context: &Context, id: &str, least_mass: Option<Rational>, quarter: &Rational) -> Outcome {
    let mut rng = context.rng(id);
    let mut tally = Tally::default();
    let masses = [ratio(1, 10), ratio(1, 2), ratio(1, 1), ratio(3, 2), ratio(2, 1)];
    for mass in masses.iter().filter(|m| least_mass.as_ref().is_none_or(|least| *m >= least)) {
        for k in 3..=7usize {
            for nu in [ratio(0, 1), ratio(1, 8), ratio(1, 4)] {
                let mut s = vec![Rational::zero(); k];
                (s[0], s[1]) = (mass * &nu, mass * (Rational::one() - &nu));
                let half = ratio(k as i64, 2) - Rational::one();
                let mut u = vec![-Rational::one(); k];
                (u[0], u[1]) = (half.clone(), half);
                record(&mut tally, quarter, &s, &u);
            }
        }
        for _ in 0..600 {
            let k = rng.random_range(3..=6usize);
            let thin = ratio(1, rng.random_range(4..=40));
            let rest = random_distribution(&mut rng, k - 1);
            let mut s: Vec<Rational> = rest.iter().map(|r| r * &thin * mass).collect();
            s.insert(k / 2, (Rational::one() - &thin) * mass);
            let mut u = random_vec(&mut rng, k, -3, 3);
            if rng.random_bool(0.5) {
                // A tie at the top, where the slack is least.
                let top = u.iter().max().cloned().unwrap_or_default();
                u[k / 2] = top;
            }
            record(&mut tally, quarter, &s, &centred(&u));
        }
    }
    let outcome =
        tally.outcome(Verdict::Holds, Grade::Searched, "scores with a wrong greedy action");
    let outcome = match least_mass {
        Some(_) => {
            let least = tally.least_margin().map(|m| (m + quarter).to_f64().unwrap_or(f64::NAN));
            outcome.tightness("least slack, attained", 0.25, least.unwrap_or(f64::NAN))
        }
        None => {
            // The slack is homogeneous in the scores: without a least mass nothing is left of it.
            let at = |mass: &Rational| {
                let s = [mass / ratio(4, 1), mass * ratio(3, 4), Rational::zero()];
                calibration_slack(&s, &[ratio(1, 2), ratio(1, 2), ratio(-1, 1)], 0)
            };
            let masses = [ratio(1, 10), ratio(1, 1_000), ratio(1, 1_000_000_000)];
            let slacks: Vec<Rational> = masses.iter().map(at).collect();
            let last = slacks.last().and_then(|v| v.to_f64()).unwrap_or(f64::NAN);
            outcome.with("slack_at_masses_going_to_zero", show(&slacks)).tightness(
                "slack at mass 1e-9; its infimum is 0",
                0.25,
                last,
            )
        }
    };
    match (outcome.verdict(), &outcome.witness) {
        (Verdict::Fails, Some(w)) => {
            let summary = format!("s = {}, u = {}: slack {} < 1/4", w["s"], w["u"], w["slack"]);
            outcome.judged(
                Verdict::Fails,
                summary.replace('"', "").replace(',', ", ").replace(",  ", ", "),
            )
        }
        _ => outcome,
    }
}

/// Counts the case if some argmax of `u` is not the best action (ties may be broken either way).
fn record(tally: &mut Tally, quarter: &Rational, s: &[Rational], u: &[Rational]) {
    let (best, top) = (argmax(s), u.iter().max().cloned().unwrap_or_default());
    for greedy in (0..u.len()).filter(|&a| a != best && u[a] == top) {
        let slack = calibration_slack(s, u, greedy);
        tally.at_most(
            quarter,
            &slack,
            || json!({ "s": show(s), "u": show(u), "greedy": greedy, "slack": slack.to_string() }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mass_makes_the_difference() {
        let context = Context::default();
        let printed = slack(&context, "lem-f.2", None, &ratio(1, 4));
        assert_eq!(printed.verdict(), Verdict::Fails);
        // Recheck the witness by hand: K = 3, mass 1/10, nu = 1/4.
        let witness = printed.witness.unwrap();
        assert_eq!(witness["slack"], "1/40");
        let used = slack(&context, "lem-f.2-with-mass", Some(Rational::one()), &ratio(1, 4));
        assert_eq!(used.verdict(), Verdict::Holds);
        assert_eq!(used.evidence["least_margin"], "0");
    }

    #[test]
    fn slack_by_hand() {
        // s = (0, 1, 0), u = (1/2, 1/2, -1): C = 3/2, C* = 0, true gap 1.
        let s = [ratio(0, 1), ratio(1, 1), ratio(0, 1)];
        let u = [ratio(1, 2), ratio(1, 2), ratio(-1, 1)];
        assert_eq!(calibration_slack(&s, &u, 0), ratio(1, 2));
    }
}

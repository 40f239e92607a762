//! App. D: the lemmas behind the transfer theorem, in exact fractions.

use super::exact::{ExactLaw, argmax, bit, centred, cube, dot, integer, random_vec, show, unit};
use super::{Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::theory::{Piecewise, Rational, ratio};
use num_traits::{One, ToPrimitive, Zero};
use rand::RngExt;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "lem-d.1",
        reference: "Lem. D.1",
        statement: "The conditional true risk of an action is 1 - s, so the best one is 1 - max s \
                    and the gap of an action is max s - s.",
        hypotheses: &["the class can choose every active action"],
        kind: Kind::Theorem,
        check: |_| Ok(true_risk(ExactLaw::scores)),
        saboteurs: &[refuted("free-experts", "experts cost nothing", |_| {
            Ok(true_risk(free_experts))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "lem-d.2",
        reference: "Lem. D.2",
        statement: "The conditional surrogate risk is the sum over active actions of s times the \
                    multiclass surrogate.",
        hypotheses: &[],
        kind: Kind::Theorem,
        check: |_| Ok(surrogate_risk(ExactLaw::scores)),
        saboteurs: &[refuted("free-experts", "experts cost nothing", |_| {
            Ok(surrogate_risk(free_experts))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "lem-d.3",
        reference: "Lem. D.3",
        statement: "Under the normalised scores the best zero-one risk is 1 - max s-bar and the \
                    gap of an action is max s-bar - s-bar, that is its true gap divided by S.",
        hypotheses: &["the class can choose every active action"],
        kind: Kind::Theorem,
        check: |context| Ok(zero_one(context, |s| s.iter().sum())),
        saboteurs: &[refuted("no-mass", "without dividing by S", |context| {
            Ok(zero_one(context, |_| Rational::one()))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "lem-d.4",
        reference: "Lem. D.4",
        statement: "Per round, the true gap of the exploring learner is at most S times the \
                    calibration function of the surrogate gap over S, plus gamma.",
        hypotheses: &["a calibration function that holds pointwise (here: the hinge's)"],
        kind: Kind::Theorem,
        check: |context| Ok(per_round(context, &Rational::one())),
        saboteurs: &[refuted("half-the-calibration", "half the calibration function", |context| {
            Ok(per_round(context, &ratio(1, 2)))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "exploration-price",
        reference: "Lem. D.4 (proof)",
        statement: "Exploring at rate gamma raises the conditional true risk by at most gamma.",
        hypotheses: &["costs in [0, 1]"],
        kind: Kind::Constant,
        check: |_| Ok(exploration_price(&Rational::one())),
        saboteurs: &[refuted("three-quarters", "at most 3/4 gamma", |_| {
            Ok(exploration_price(&ratio(3, 4)))
        })],
        ..Claim::BLANK
    },
];

/// Scores as if experts cost nothing, a false variant.
fn free_experts(law: &ExactLaw) -> Vec<Rational> {
    let mut s = law.scores();
    s[law.p.len()..].iter_mut().for_each(|v| *v = Rational::one());
    s
}

const SIZES: [(usize, usize); 5] = [(2, 0), (2, 1), (2, 2), (3, 1), (3, 2)];

type Scores = fn(&ExactLaw) -> Vec<Rational>;

/// Risk and score are both affine in `p` and in every cost.
fn true_risk(scores: Scores) -> Outcome {
    let mut tally = Tally::default();
    for (n, n_e) in SIZES {
        for law in ExactLaw::vertices(n, n_e) {
            let s = scores(&law);
            for (a, s_a) in s.iter().enumerate() {
                let losses: Vec<Rational> = (0..n).map(|y| law.loss(a, y)).collect();
                let risk = dot(&law.p, &losses);
                tally.equal(
                    &risk,
                    &(Rational::one() - s_a),
                    || json!({ "law": law.show(), "action": a }),
                );
            }
        }
    }
    vertices(&tally)
}

/// Both sides are affine in `p` and the costs, and linear in the values of `Phi_01`.
fn surrogate_risk(scores: Scores) -> Outcome {
    let mut tally = Tally::default();
    for (n, n_e) in SIZES {
        for law in ExactLaw::vertices(n, n_e) {
            let s = scores(&law);
            for a in 0..law.actions() {
                let phi = unit(law.actions(), a);
                let given = |y: usize| -> Rational {
                    let experts = (0..n_e).map(|j| (Rational::one() - &law.c[j][y]) * &phi[n + j]);
                    &phi[y] + experts.sum::<Rational>()
                };
                let expected: Rational = (0..n).map(|y| &law.p[y] * given(y)).sum();
                tally.equal(&expected, &dot(&s, &phi), || json!({ "law": law.show(), "phi": a }));
            }
        }
    }
    vertices(&tally)
}

fn vertices(tally: &Tally) -> Outcome {
    tally
        .outcome(Verdict::Holds, Grade::Argued, "values at vertices")
        .with("sizes", json!(SIZES))
        .with(
            "argument",
            "both sides are affine in the label law and in every cost (and linear in Phi_01): sure \
         labels, 0/1 costs and unit vectors decide; more actions add terms of the same kind",
        )
}

fn zero_one(context: &Context, mass: fn(&[Rational]) -> Rational) -> Outcome {
    let mut rng = context.rng("lem-d.3");
    let mut tally = Tally::default();
    for _ in 0..1500 {
        let (n, n_e) = SIZES[rng.random_range(0..SIZES.len())];
        let law = ExactLaw::random(&mut rng, n, n_e);
        let s = law.scores();
        let total = mass(&s);
        let normal: Vec<Rational> = s.iter().map(|s_a| s_a / &total).collect();
        // Zero-one risk by its definition, as an expectation under s-bar.
        let risk = |a: usize| -> Rational {
            normal.iter().enumerate().map(|(b, p)| p * bit(a != b)).sum()
        };
        let least = (0..s.len()).map(risk).min().unwrap_or_default();
        let case = || json!({ "law": law.show(), "s": show(&s) });
        tally.equal(&least, &(Rational::one() - &normal[argmax(&normal)]), case);
        for a in 0..s.len() {
            let gap = risk(a) - &least;
            tally.equal(&gap, &((&s[argmax(&s)] - &s[a]) / &total), case);
        }
    }
    tally.outcome(Verdict::Holds, Grade::Searched, "risks in exact fractions")
}

/// `share` multiplies the calibration function.
fn per_round(context: &Context, share: &Rational) -> Outcome {
    let mut rng = context.rng("lem-d.4");
    let mut tally = Tally::default();
    let mut tightest = 0.0f64;
    for _ in 0..4000 {
        let (n, n_e) = SIZES[rng.random_range(0..SIZES.len())];
        let law = ExactLaw::random(&mut rng, n, n_e);
        let s = law.scores();
        let k = s.len();
        let size = rng.random_range(0..=2);
        let u = centred(&random_vec(&mut rng, k, -size, size));
        let gamma = ratio(rng.random_range(0..=4), 8);
        let greedy = argmax(&u);
        let q = (0..k).map(|a| bit(a == greedy) * (Rational::one() - &gamma) + &gamma / integer(k));
        let top = s[argmax(&s)].clone();
        let left: Rational = q.zip(&s).map(|(q_a, s_a)| q_a * (&top - s_a)).sum();
        let mass: Rational = s.iter().sum();
        let surrogate =
            Piecewise::CstndHinge.conditional_risk(&s, &u) - integer(k) * (&mass - &top);
        let right = share * surrogate + &gamma;
        if !right.is_zero() {
            tightest = tightest.max((&left / &right).to_f64().unwrap_or(f64::NAN));
        }
        tally.at_most(
            &left,
            &right,
            || json!({ "s": show(&s), "u": show(&u), "gamma": gamma.to_string() }),
        );
    }
    tally.outcome(Verdict::Holds, Grade::Searched, "random rounds in exact fractions").tightness(
        "largest left / right",
        1.0,
        tightest,
    )
}

/// The rise is `gamma (mean gap - gap of the greedy action)`: linear in `s`, so `0/1` scores decide
/// (every score vector in the cube is allowed here, which only adds cases). `share` multiplies the
/// stated `gamma`.
fn exploration_price(share: &Rational) -> Outcome {
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    let mut sharp = true;
    let mut largest = 0.0f64;
    for k in 2..=8usize {
        let mut most = Rational::zero();
        for s in cube(k) {
            let mean = s.iter().sum::<Rational>() / integer(k);
            for greedy in &s {
                let rise = greedy - &mean;
                tally.at_most(&rise, share, || json!({ "K": k, "s": show(&s) }));
                most = most.max(rise);
            }
        }
        sharp &= most == *share;
        largest = largest.max(most.to_f64().unwrap_or(f64::NAN));
        rows.push(json!({ "K": k, "largest_rise_over_gamma": most.to_string() }));
    }
    let outcome = tally
        .outcome(Verdict::Holds, Grade::Argued, "score vectors and greedy actions")
        .with("by_k", rows);
    if outcome.verdict() == Verdict::Fails || sharp {
        return outcome;
    }
    outcome
        .judged(
            Verdict::Loose,
            "true, but the increase is at most gamma (K - 1) / K, which is \
                                 smaller",
        )
        .tightness("rise / gamma at K = 8", 1.0, largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lemmas_are_refuted() {
        assert_eq!(true_risk(ExactLaw::scores).verdict(), Verdict::Holds);
        assert_eq!(surrogate_risk(ExactLaw::scores).verdict(), Verdict::Holds);
        let context = Context::default();
        assert_eq!(zero_one(&context, |s| s.iter().sum()).verdict(), Verdict::Holds);
        assert_eq!(zero_one(&context, |_| Rational::one()).verdict(), Verdict::Fails);
        assert_eq!(per_round(&context, &Rational::one()).verdict(), Verdict::Holds);
        assert_eq!(per_round(&context, &ratio(1, 2)).verdict(), Verdict::Fails);
        assert_eq!(exploration_price(&Rational::one()).verdict(), Verdict::Loose);
        assert_eq!(exploration_price(&ratio(3, 4)).verdict(), Verdict::Fails);
    }
}

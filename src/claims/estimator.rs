//! Sec. 6.1: the estimate of the surrogate loss from the feedback on one action.
//!
//! The estimate is `sum_a w_a Phi_01(., a)` with weights that depend on the action played. So a
//! statement about weights is a statement about values and about gradients at once.

use super::exact::{ExactLaw, argmax, bit, centred, cube, dot, random_vec, show};
use super::{Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::theory::{Piecewise, Rational, ratio};
use num_traits::{One, Signed, Zero};
use rand::RngExt;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "estimate-unbiased",
        reference: "Sec. 6.1",
        statement: "Averaged over the sampled action, the importance-weighted estimate is the \
                    surrogate deferral loss of the label that was drawn.",
        hypotheses: &["every action has positive probability", "K >= 3"],
        kind: Kind::Theorem,
        check: |_| Ok(unbiased(importance_weight)),
        saboteurs: &[
            refuted("no-weight", "without dividing by the probability", |_| {
                Ok(unbiased(unweighted))
            }),
            refuted("cost", "costs in place of rewards", |_| Ok(unbiased(cost_weight))),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "estimate-unbiased-gradient",
        reference: "Sec. 6.1, App. F.1",
        statement: "Averaged over the sampled action, the subgradient of the importance-weighted \
                    estimate is the subgradient of the surrogate deferral loss. For the \
                    constrained hinge this also holds at its kinks, if every target takes the \
                    same selection there.",
        hypotheses: &["every action has positive probability", "K >= 3"],
        kind: Kind::Theorem,
        check: |context| Ok(unbiased_gradient(context, importance_weight)),
        saboteurs: &[
            refuted("no-weight", "without dividing by the probability", |context| {
                Ok(unbiased_gradient(context, unweighted))
            }),
            refuted("cost", "costs in place of rewards", |context| {
                Ok(unbiased_gradient(context, cost_weight))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "estimate-convex",
        reference: "Sec. 6.1",
        statement: "The estimate is a convex function of the scores, whatever was observed.",
        hypotheses: &["costs in [0, 1]"],
        kind: Kind::Theorem,
        check: |context| Ok(convex(context, importance_weight)),
        saboteurs: &[refuted("larger-costs", "costs above 1", |context| {
            Ok(convex(context, |_, _, _, _| ratio(-1, 1)))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "two-actions-exact",
        reference: "Alg. 1 (line 9)",
        statement: "With two active actions the correctness bit reveals the label, so the loss \
                    itself can be used. This happens only with two classes and no expert.",
        hypotheses: &[],
        kind: Kind::Definition,
        check: |_| Ok(two_actions(|played, correct| if correct { played } else { 1 - played })),
        saboteurs: &[refuted("always-right", "the label is the action played", |_| {
            Ok(two_actions(|played, _| played))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "exploration-needed",
        reference: "Sec. 4.1",
        statement: "Importance-weighted rounds need gamma > 0. Without exploration the estimate \
                    misses the loss of every action except the greedy one, and the learner can \
                    stay where it started forever.",
        hypotheses: &["K >= 3"],
        kind: Kind::Hypothesis,
        check: |_| Ok(exploration_needed(&Rational::zero())),
        saboteurs: &[refuted("a-tenth", "the same at gamma = 1/10", |_| {
            Ok(exploration_needed(&ratio(1, 10)))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "exploration-floor",
        reference: "App. F (proofs of Thm 6.3 and 6.5)",
        statement: "The mixture gives every action at least gamma / K and, for gamma <= 1/2, the \
                    greedy one at least 1/2.",
        hypotheses: &["0 <= gamma <= 1"],
        kind: Kind::Constant,
        check: |_| Ok(exploration_floor(mixture)),
        saboteurs: &[refuted("over-all", "exploration spread over one action more", |_| {
            Ok(exploration_floor(|k, greedy, gamma| mixture(k + 1, greedy, gamma)))
        })],
        ..Claim::BLANK
    },
];

/// Sizes with at least three active actions.
const SIZES: [(usize, usize); 5] = [(2, 1), (3, 0), (2, 2), (3, 1), (4, 0)];

/// The reward of action `a` at label `y` over its probability: `v_{t,0}`, or `v_{t,j} (1 - c_j)`.
pub(super) fn importance_weight(law: &ExactLaw, y: usize, a: usize, q_a: &Rational) -> Rational {
    (Rational::one() - law.loss(a, y)) / q_a
}

/// What the estimate's weight must be on average (Def. 4.3).
pub(super) fn target_weight(law: &ExactLaw, y: usize, a: usize) -> Rational {
    Rational::one() - law.loss(a, y)
}

type Weight = fn(&ExactLaw, usize, usize, &Rational) -> Rational;

/// Rewards without the probability, a false variant.
fn unweighted(law: &ExactLaw, y: usize, a: usize, _: &Rational) -> Rational {
    Rational::one() - law.loss(a, y)
}

/// Costs in place of rewards, a false variant.
fn cost_weight(law: &ExactLaw, y: usize, a: usize, q_a: &Rational) -> Rational {
    law.loss(a, y) / q_a
}

/// Probabilities from `{1/4, 1/2}` each, normalised or not: an identity of the terms `q_a w_a`,
/// which are polynomials of degree one after multiplication by `q_a`, needs no more than two values.
fn unbiased(weight: Weight) -> Outcome {
    let mut tally = Tally::default();
    for (n, n_e) in SIZES {
        for law in ExactLaw::vertices(n, n_e) {
            for pattern in cube(law.actions()) {
                let q: Vec<Rational> =
                    pattern.iter().map(|b| (Rational::one() + b) / ratio(4, 1)).collect();
                for y in 0..n {
                    for a in 0..law.actions() {
                        let mean = &q[a] * weight(&law, y, a, &q[a]);
                        tally.equal(
                            &mean,
                            &target_weight(&law, y, a),
                            || json!({ "law": law.show(), "label": y, "action": a, "q": show(&q) }),
                        );
                    }
                }
            }
        }
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "expected weights").with("sizes", json!(SIZES)).with(
        "argument",
        "the estimate puts weight on the action played and on no other, so its mean is q_a w_a per \
         action; affine in the costs (0/1 decide) and of degree one in q_a (two values decide)",
    )
}

/// Coefficients of a hinge subgradient at `u` for `target`; `kink` is taken where `1 + u = 0`.
pub(super) fn hinge_gradient(u: &[Rational], target: usize, kink: &Rational) -> Vec<Rational> {
    let slope = |(b, u_b): (usize, &Rational)| {
        let above = u_b + Rational::one();
        match () {
            _ if b == target || above.is_negative() => Rational::zero(),
            _ if above.is_zero() => kink.clone(),
            _ => Rational::one(),
        }
    };
    u.iter().enumerate().map(slope).collect()
}

fn unbiased_gradient(context: &Context, weight: Weight) -> Outcome {
    let mut rng = context.rng("estimate-unbiased-gradient");
    let mut tally = Tally::default();
    for _ in 0..600 {
        let (n, n_e) = SIZES[rng.random_range(0..SIZES.len())];
        let law = ExactLaw::random(&mut rng, n, n_e);
        let k = law.actions();
        // Halves and integers, so that kinks are met.
        let u = centred(&(0..k).map(|_| ratio(rng.random_range(-4..=4), 2)).collect::<Vec<_>>());
        let kink = ratio(rng.random_range(0..=2), 2);
        let q = mixture(k, argmax(&u), &ratio(rng.random_range(1..=8), 8));
        for y in 0..n {
            let (mut mean, mut exact) = (vec![Rational::zero(); k], vec![Rational::zero(); k]);
            for a in 0..k {
                let g = hinge_gradient(&u, a, &kink);
                let (w, target) = (weight(&law, y, a, &q[a]), target_weight(&law, y, a));
                for b in 0..k {
                    mean[b] += &q[a] * &w * &g[b];
                    exact[b] += &target * &g[b];
                }
            }
            for (mean, exact) in centred(&mean).iter().zip(&centred(&exact)) {
                tally.equal(
                    mean,
                    exact,
                    || json!({ "law": law.show(), "label": y, "u": show(&u), "q": show(&q) }),
                );
            }
        }
    }
    tally.outcome(
        Verdict::Holds,
        Grade::Searched,
        "coordinates of projected gradients in exact fractions",
    )
}

fn convex(context: &Context, weight: Weight) -> Outcome {
    let mut rng = context.rng("estimate-convex");
    let mut tally = Tally::default();
    for _ in 0..1500 {
        let (n, n_e) = SIZES[rng.random_range(0..SIZES.len())];
        let law = ExactLaw::random(&mut rng, n, n_e);
        let k = law.actions();
        let (y, a) = (rng.random_range(0..n), rng.random_range(0..k));
        let w = weight(&law, y, a, &ratio(1, rng.random_range(1..=9)));
        let [u, v] = [(); 2].map(|()| centred(&random_vec(&mut rng, k, -3, 3)));
        let lambda = ratio(rng.random_range(0..=4), 4);
        let between: Vec<Rational> =
            u.iter().zip(&v).map(|(u, v)| (Rational::one() - &lambda) * u + &lambda * v).collect();
        let value = |u: &[Rational]| &w * Piecewise::CstndHinge.phi01(u, a);
        let chord = (Rational::one() - &lambda) * value(&u) + &lambda * value(&v);
        tally.at_most(&value(&between), &chord, || {
            json!({ "weight": w.to_string(), "target": a, "u": show(&u), "v": show(&v),
                    "lambda": lambda.to_string() })
        });
    }
    tally.outcome(Verdict::Holds, Grade::Searched, "segments in exact fractions")
}

/// `infer(played, correct)` must be the label, for both actions and labels.
fn two_actions(infer: impl Fn(usize, bool) -> usize) -> Outcome {
    let mut tally = Tally::default();
    for label in 0..2 {
        for played in 0..2 {
            let inferred = infer(played, played == label);
            tally.truth(inferred == label, || json!({ "label": label, "played": played }));
        }
    }
    for n in 2..=8usize {
        for available in 0..=8usize {
            let two = n + available == 2;
            tally.truth(two == (n == 2 && available == 0), || json!({ "n": n, "A": available }));
        }
    }
    tally.outcome(
        Verdict::Holds,
        Grade::Argued,
        "cases: every label with every action, every small size",
    )
}

/// `(1 - gamma) e_greedy + gamma / K`.
pub(super) fn mixture(k: usize, greedy: usize, gamma: &Rational) -> Vec<Rational> {
    let share = gamma / ratio(k as i64, 1);
    (0..k).map(|a| bit(a == greedy) * (Rational::one() - gamma) + &share).collect()
}

/// For every greedy action there is a law whose estimated weights miss something at rate `gamma`,
/// and a sure label that a start at zero never learns of.
fn exploration_needed(gamma: &Rational) -> Outcome {
    let mut tally = Tally::default();
    let mut witness = None;
    for (n, n_e) in SIZES {
        for greedy in 0..n + n_e {
            let q = mixture(n + n_e, greedy, gamma);
            // Expected estimated score of an action: s_a if it can be played at all.
            let missed = |law: &ExactLaw| {
                let s = law.scores();
                let seen: Rational =
                    s.iter().zip(&q).filter(|(_, q_a)| q_a.is_positive()).map(|(s_a, _)| s_a).sum();
                s.iter().sum::<Rational>() - seen
            };
            let worst = ExactLaw::vertices(n, n_e).max_by_key(|law| missed(law));
            let blind = worst.as_ref().is_some_and(|law| missed(law).is_positive());
            tally.truth(blind, || json!({ "n": n, "n_e": n_e, "greedy": greedy }));
            if let (None, Some(law), true) = (&witness, &worst, blind) {
                witness = Some(json!({ "n": n, "n_e": n_e, "greedy": greedy, "law": law.show(),
                                       "missed_mass": missed(law).to_string() }));
            }
        }
        // W = 0 is greedy for class 0. If the label is always class 1, every estimate is zero.
        let law = ExactLaw { p: super::exact::unit(n, 1), c: vec![super::exact::unit(n, 1); n_e] };
        let q = mixture(n + n_e, 0, gamma);
        let reach = dot(&q, &law.scores());
        tally
            .truth(reach.is_zero(), || json!({ "n": n, "n_e": n_e, "reached": reach.to_string() }));
    }
    let outcome = tally.outcome(Verdict::Holds, Grade::Argued, "greedy actions and starts");
    let outcome = outcome.with("gamma", gamma.to_string()).with(
        "stuck",
        "labels always class 1, W = 0 chooses class 0: every estimate is 0, W never \
                        moves, and the regret is T",
    );
    match witness {
        Some(witness) if outcome.verdict() == Verdict::Holds => outcome.witness(witness),
        _ => outcome,
    }
}

/// Linear in `gamma`: its ends decide on `[0, 1]` and on `[0, 1/2]`.
fn exploration_floor(q: impl Fn(usize, usize, &Rational) -> Vec<Rational>) -> Outcome {
    let mut tally = Tally::default();
    for k in 2..=12 {
        for greedy in 0..k {
            for gamma in [ratio(0, 1), ratio(1, 2), ratio(1, 1)] {
                let q = q(k, greedy, &gamma);
                let case = || json!({ "K": k, "greedy": greedy, "gamma": gamma.to_string() });
                let share = &gamma / ratio(k as i64, 1);
                q.iter().for_each(|q_a| tally.at_most(&share, q_a, case));
                tally.equal(&q.iter().sum(), &Rational::one(), case);
                if gamma <= ratio(1, 2) {
                    tally.at_most(&ratio(1, 2), &q[greedy], case);
                }
            }
        }
    }
    tally
        .outcome(
            Verdict::Holds,
            Grade::Argued,
            "inequalities at the ends of the range of gamma, K <= 12",
        )
        .with("argument", "linear in gamma")
}

/// Keeps the two hinges of this file and of `theory` together.
#[cfg(test)]
fn hinge_value(u: &[Rational], target: usize) -> Rational {
    let others = u.iter().enumerate().filter(|&(b, _)| b != target);
    others.map(|(_, u_b)| (Rational::one() + u_b).max(Rational::zero())).sum()
}

#[cfg(test)]
mod tests {
    use super::super::exact::random;
    use super::*;

    #[test]
    fn biased_estimates_are_caught() {
        let context = Context::default();
        assert_eq!(unbiased(importance_weight).verdict(), Verdict::Holds);
        assert_eq!(unbiased(unweighted).verdict(), Verdict::Fails);
        assert_eq!(convex(&context, importance_weight).verdict(), Verdict::Holds);
    }

    #[test]
    fn the_small_checks_can_fail() {
        assert_eq!(two_actions(|played, _| played).verdict(), Verdict::Fails);
        assert_eq!(exploration_needed(&ratio(1, 10)).verdict(), Verdict::Fails);
        assert_eq!(exploration_needed(&Rational::zero()).verdict(), Verdict::Holds);
        let over_all = |k: usize, greedy: usize, gamma: &Rational| mixture(k + 1, greedy, gamma);
        assert_eq!(exploration_floor(over_all).verdict(), Verdict::Fails);
        assert_eq!(exploration_floor(mixture).verdict(), Verdict::Holds);
    }

    #[test]
    fn slopes_are_those_of_the_hinge() {
        let mut rng = Context::default().rng("slopes");
        for _ in 0..200 {
            let u = random_vec(&mut rng, 4, -2, 2);
            let step = random(&mut rng, 0, 1) / ratio(1000, 1);
            for b in 0..4 {
                let mut moved = u.clone();
                moved[b] += &step;
                let rise = hinge_value(&moved, 1) - hinge_value(&u, 1);
                let slope = &hinge_gradient(&u, 1, &Rational::one())[b];
                assert_eq!(rise, slope * &step);
                assert_eq!(hinge_value(&u, 1), Piecewise::CstndHinge.phi01(&u, 1));
            }
        }
    }
}

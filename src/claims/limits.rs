//! Sec. 5 and 6: what the transfer bound says in the limit, and what it does not.

use super::{Claim, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted};
use crate::theory::{Piecewise, Rational, ratio};
use num_traits::{One, Signed, ToPrimitive, Zero};
use serde_json::{Value, json};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "bayes-consistency-limit",
        reference: "Sec. 5 (after Cor. 5.2)",
        statement: "If the surrogate regret per round and the exploration per round go to zero, so \
                    does the true regret per round.",
        hypotheses: &["zero surrogate gap", "Gamma concave, continuous at 0, Gamma(0) = 0"],
        check: |_| Ok(consistent(Wrong::Seldom, |t| 1.0 / t.cbrt())),
        saboteurs: &[
            refuted("steady-exploration", "exploration need not go to zero", |_| {
                Ok(consistent(Wrong::Seldom, |_| 0.5))
            }),
            refuted("steady-surrogate", "surrogate regret need not go to zero", |_| {
                Ok(consistent(Wrong::OneInTen, |t| 1.0 / t.cbrt()))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "bayes-consistency-needs-continuity",
        reference: "Sec. 5 (Gamma concave and non-decreasing with Gamma(0) = 0)",
        statement: "Continuity of Gamma at 0 is needed. There is a loss whose Gamma jumps at 0, \
                    with zero gap and surrogate regret at most 1 over any T rounds, but true \
                    regret T.",
        hypotheses: &["two classes, no exploration"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| {
            Ok(jump(|excess| Rational::from_integer(i64::from(excess.is_positive()).into())))
        },
        saboteurs: &[
            refuted("linear", "the same with Gamma(t) = 1000 t", |_| {
                Ok(jump(|excess| excess * ratio(1000, 1)))
            }),
            refuted("nothing", "the same with Gamma(t) = 0", |_| Ok(jump(|_| Rational::zero()))),
        ],
    },
    Claim {
        id: "sec-6-order",
        reference: "Sec. 6",
        statement: "Under linear calibration and zero gap the true regret is of the order of \
                    T Gamma(surrogate regret / T).",
        hypotheses: &["schedules of Thm 6.3"],
        check: |_| Ok(order(|t| (1.0 / (t as f64).cbrt()).min(0.5), false)),
        ..Claim::BLANK
    },
    Claim {
        id: "regret-without-exploration-term",
        reference: "Sec. 6 (R = O(T Gamma(R_Phi / T)))",
        statement: "For every T there is a stream with zero gap and zero surrogate regret whose \
                    true regret is half the sum of the exploration rates. No multiple of T \
                    Gamma(R_Phi / T) bounds it; the sum of the rates has to be added.",
        hypotheses: &["two classes, constrained hinge, rates of Thm 6.3"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(order(|t| (1.0 / (t as f64).cbrt()).min(0.5), true)),
        saboteurs: &[refuted("no-exploration", "the same without exploration", |_| {
            Ok(order(|_| 0.0, true))
        })],
    },
];

#[derive(Clone, Copy)]
enum Wrong {
    /// On `sqrt(T)` rounds.
    Seldom,
    /// On every tenth.
    OneInTen,
}

/// Two classes with probabilities 3/4 and 1/4 and the hinge. A learner that is at the optimum but
/// for some rounds, where it is at the other class's: its regrets per round at growing horizons.
fn consistent(wrong: Wrong, exploration: fn(f64) -> f64) -> Outcome {
    let s = [ratio(3, 4), ratio(1, 4)];
    let at = |m: i64| Piecewise::CstndHinge.conditional_risk(&s, &[ratio(m, 1), ratio(-m, 1)]);
    let excess = (at(-1) - at(1)).to_f64().unwrap_or(f64::NAN);
    let mut points = Vec::new();
    let mut tally = Tally::default();
    for power in [2u32, 4, 6] {
        let rounds = 10u64.pow(power);
        let misses = match wrong {
            Wrong::Seldom => (rounds as f64).sqrt(),
            Wrong::OneInTen => rounds as f64 / 10.0,
        };
        let explored: f64 = (1..=rounds).map(|t| exploration(t as f64).min(0.5)).sum();
        let t = rounds as f64;
        // Exploring plays each class half of the time; 1/2 is what the worse one costs.
        let truth = (misses * 0.5 + explored * 0.25) / t;
        let (surrogate, explored) = (misses * excess / t, explored / t);
        let case = || json!({ "T": rounds, "true_regret_per_round": truth });
        tally.within(truth, surrogate + explored, 0.0, case);
        // A hundred times the rounds, at most half of the regret per round.
        if let Some(before) =
            points.last().and_then(|p: &Value| p["true_regret_per_round"].as_f64())
        {
            tally.within(truth, before / 2.0, 0.0, case);
        }
        points.push(json!({ "T": rounds, "surrogate_regret_per_round": surrogate,
            "exploration_per_round": explored, "true_regret_per_round": truth }));
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "inequalities at growing horizons")
        .with("points", json!(points))
        .with(
            "argument",
            "the bound of Cor. 5.2 divided by T; a concave Gamma is continuous but at 0",
        )
}

/// The loss is 0 for the action strictly on top and `e^-margin` for the other. Its infimum is 0
/// whatever the scores, so every wrong choice has a positive excess that may be as small as one
/// likes; `e` stands for `e^-margin`.
fn jump(gamma: fn(&Rational) -> Rational) -> Outcome {
    let mut tally = Tally::default();
    for tenth in 0..=10i64 {
        let s = [ratio(tenth, 10), ratio(10 - tenth, 10)];
        for power in 0..=6u32 {
            let e = ratio(1, 10i64.pow(power));
            // At a tie (power 0) the loss is 1 for both; otherwise action `top` is ahead.
            for top in 0..2usize {
                let excess = if power == 0 { Rational::one() } else { &s[1 - top] * &e };
                let lost = &s[1 - top] - &s[top];
                tally.at_most(
                    &lost,
                    &gamma(&excess),
                    || json!({ "s0": s[0].to_string(), "top": top, "e^-margin": e.to_string() }),
                );
            }
        }
    }
    for rounds in [1i64, 10, 1_000, 1_000_000] {
        // A certain label, the other class ahead with e^-margin = 1/T.
        let (surrogate, truth) = (ratio(1, rounds) * ratio(rounds, 1), ratio(rounds, 1));
        tally.at_most(&surrogate, &Rational::one(), || json!({ "T": rounds }));
        tally.equal(&truth, &ratio(rounds, 1), || json!({ "T": rounds }));
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "inequalities at scores, margins and horizons")
}

/// A certain label and the canonical vector: the surrogate regret is zero, exploring costs.
fn order(rate: fn(u64) -> f64, needs_the_sum: bool) -> Outcome {
    let s = [Rational::one(), Rational::zero()];
    let best = [Rational::one(), -Rational::one()];
    let surrogate = Piecewise::CstndHinge.conditional_risk(&s, &best);
    let mut points = Vec::new();
    let mut exceeds = surrogate.is_zero();
    let mut shown = String::new();
    for rounds in [1u64, 10, 1_000, 100_000] {
        let truth: f64 = (1..=rounds).map(rate).sum::<f64>() / 2.0;
        exceeds &= truth > 0.0;
        shown = super::markdown::number(truth);
        points.push(
            json!({ "T": rounds, "surrogate_regret": surrogate.to_string(), "true_regret": truth }),
        );
    }
    let verdict = if exceeds == needs_the_sum { Verdict::Proved } else { Verdict::Fails };
    let summary = match exceeds {
        true => format!("surrogate regret 0, true regret {shown} at T = 100000"),
        false => "true regret 0 where surrogate regret is 0".into(),
    };
    // Against an order one horizon settles it; for every horizon the four are cases of an argument.
    let grade = if needs_the_sum { Grade::Argued } else { Grade::Enumerated };
    Outcome::new(verdict, grade, summary).with("points", json!(points)).witness(json!({
        "s": ["1", "0"], "u": ["1", "-1"], "Gamma(0)": "0"
    }))
}

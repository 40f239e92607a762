//! Sec. 3 and 4: which of the ten surrogates are convex.

use super::exact::show;
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted};
use crate::theory::{Piecewise, Rational, SurrogateId, ratio};
use num_traits::{Signed, Zero};
use rand::RngExt;
use serde_json::json;

const REFERENCE: &str = "Sec. 3 and 4.4 (convex surrogates), App. E";

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "surrogates-convex",
        reference: REFERENCE,
        statement: "All ten surrogates of App. E, for which the analysis is offered, are convex \
                    in the scores.",
        hypotheses: &[],
        kind: Kind::Definition,
        check: |context| convex(context, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ..Claim::BLANK
    },
    Claim {
        id: "convex-six",
        reference: REFERENCE,
        statement: "Six of the ten are convex: the exponential and logistic losses, the sums of \
                    squares and exponentials, the constrained hinge and its square.",
        hypotheses: &[],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |context| convex(context, &[0, 1, 4, 5, 7, 8]),
        saboteurs: &[
            refuted("with-gce", "the generalised cross-entropy as well", |c| convex(c, &[1, 2])),
            refuted("with-mae", "the mean absolute error as well", |c| convex(c, &[1, 3])),
            refuted("with-sum-tau", "the sum of ramps as well", |c| convex(c, &[1, 6])),
            refuted("with-cstnd-tau", "the constrained ramp as well", |c| convex(c, &[1, 9])),
        ],
    },
    Claim {
        id: "nonconvex-comp-mae",
        reference: REFERENCE,
        statement: "The mean absolute error is not convex. For any number of actions there are \
                    two score vectors where it is 1/2 and 4/5, and half-way between them it is \
                    2/3.",
        hypotheses: &["at least two actions"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(mae(2)),
        saboteurs: &[refuted("far-odds", "the values are 1/2, 8/9 and 2/3", |_| Ok(mae(3)))],
    },
    Claim {
        id: "nonconvex-comp-gce",
        reference: REFERENCE,
        statement: "The generalised cross-entropy is not convex for any alpha strictly between 0 \
                    and 1.",
        hypotheses: &["at least two actions"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| gce("comp_gce"),
        saboteurs: &[refuted("logistic", "its limit at alpha = 0 is not convex either", |_| {
            gce("comp_log")
        })],
    },
    Claim {
        id: "nonconvex-sum-tau",
        reference: REFERENCE,
        statement: "The sum of ramps is not convex for any tau: it is 0 and 1 at two score \
                    vectors and 1 half-way between them.",
        hypotheses: &["at least two actions", "tau > 0"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(ramp(|tau| Piecewise::SumTau(tau.clone()), false)),
        saboteurs: &[refuted("squares", "the sum of squared hinges is not convex either", |_| {
            Ok(ramp(|_| Piecewise::SumSq, false))
        })],
    },
    Claim {
        id: "nonconvex-cstnd-tau",
        reference: REFERENCE,
        statement: "The constrained ramp is not convex on zero-sum scores for any tau.",
        hypotheses: &["at least two actions", "tau > 0"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(ramp(|tau| Piecewise::CstndTau(tau.clone()), true)),
        saboteurs: &[
            refuted("hinge", "the constrained hinge is not convex either", |_| {
                Ok(ramp(|_| Piecewise::CstndHinge, true))
            }),
            refuted("square", "the constrained squared hinge is not convex either", |_| {
                Ok(ramp(|_| Piecewise::CstndSq, true))
            }),
        ],
    },
];

/// Rounding of a value near ten, with room.
const ROUNDING: f64 = 1e-12;

/// `Phi(mid) <= (Phi(u) + Phi(v)) / 2` at random zero-sum vectors, near ones and far ones.
fn convex(context: &Context, which: &[usize]) -> Checked {
    let mut rng = context.rng("surrogates-convex");
    let mut tally = Tally::default();
    let mut bent = Vec::new();
    for &index in which {
        let id = SurrogateId::parse(SurrogateId::NAMES[index], Some(0.7), Some(1.0))?;
        let mut fails = false;
        for _ in 0..2_000 {
            let k = rng.random_range(2..=5usize);
            let scale = [0.3, 1.0, 3.0][rng.random_range(0..3usize)];
            let mut draw = || {
                let u: Vec<f64> = (0..k).map(|_| scale * rng.random_range(-1.0..1.0)).collect();
                let mean = u.iter().sum::<f64>() / k as f64;
                u.iter().map(|v| v - mean).collect::<Vec<_>>()
            };
            let (u, v) = (draw(), draw());
            let mid: Vec<f64> = u.iter().zip(&v).map(|(a, b)| (a + b) / 2.0).collect();
            let mean = (id.phi01(&u, 0) + id.phi01(&v, 0)) / 2.0;
            let margin = mean - id.phi01(&mid, 0) + ROUNDING * (1.0 + mean);
            let exact = Rational::from_float(margin).unwrap_or_else(Rational::zero);
            fails |= exact.is_negative();
            tally.margin(
                exact,
                || json!({ "surrogate": id.to_string(), "u": u, "v": v, "at": mid }),
            );
        }
        if fails {
            bent.push(SurrogateId::NAMES[index]);
        }
    }
    let outcome = tally.outcome(Verdict::Holds, Grade::Searched, "midpoints");
    Ok(match bent.len() {
        0 => outcome,
        n => {
            let text = format!("{n} of {} are not convex: {}", which.len(), bent.join(", "));
            outcome.judged(Verdict::Fails, text)
        }
    }
    .with("not_convex", json!(bent)))
}

/// Scores `(ln(o (K - 1)), 0, .., 0)` give action 0 the probability `o / (1 + o)`, and the midpoint
/// of two such vectors has the geometric mean of their odds: `1` and `4^-1` have `2^-1`.
fn mae(power: u32) -> Outcome {
    let mut tally = Tally::default();
    let value = |odds: &Rational| ratio(1, 1) - odds / (odds + ratio(1, 1));
    let low = ratio(1, i64::pow(2, power));
    // The geometric mean of 1 and 2^-power, if it is a fraction.
    let middle = ratio(1, i64::pow(2, power / 2));
    for k in 2..=12usize {
        let case = || json!({ "K": k, "odds": ["1", low.to_string()] });
        tally.equal(&(&middle * &middle), &low, case);
        let half = (value(&ratio(1, 1)) + value(&low)) / ratio(2, 1);
        tally.below(&half, &value(&middle), case);
        tally.equal(&value(&middle), &ratio(2, 3), case);
        // The same in floating point, by the loss itself.
        let u = |odds: f64| {
            let mut u = vec![0.0; k];
            u[0] = (odds * (k - 1) as f64).ln();
            SurrogateId::CompMae.phi01(&u, 0)
        };
        let float = u(0.5) - (u(1.0) + u(0.25)) / 2.0;
        tally.within((float - 1.0 / 60.0).abs(), 0.0, ROUNDING, case);
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "values for K = 2 to 12")
        .with("above_the_chord_by", "1/60")
}

/// The odds of the argument: `1/8` and `r^2 / 8` with `r^alpha = 1/2`.
fn gce(name: &str) -> Checked {
    let (mut tally, mut least) = (Tally::default(), f64::INFINITY);
    for k in 2..=6usize {
        for hundredth in (5..=95).step_by(5) {
            let alpha = f64::from(hundredth) / 100.0;
            let id = SurrogateId::parse(name, (name == "comp_gce").then_some(alpha), None)?;
            let r = (-std::f64::consts::LN_2 / alpha).exp();
            let at = |power: f64| {
                let mut u = vec![0.0; k];
                u[0] = (r.powf(power) / 8.0 * (k - 1) as f64).ln();
                id.phi01(&u, 0)
            };
            let above = at(1.0) - (at(0.0) + at(2.0)) / 2.0;
            least = least.min(above);
            tally.within(ROUNDING, above, 0.0, || json!({ "K": k, "alpha": alpha }));
        }
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Searched, "pairs of K and alpha above the chord")
        .with("least_height_above_the_chord", least))
}

/// Two actions that exchange their scores, the others far below or at zero.
fn ramp(loss: fn(&Rational) -> Piecewise<Rational>, zero_sum: bool) -> Outcome {
    let mut tally = Tally::default();
    let mut example = json!(null);
    for k in 2..=8usize {
        for tau in [ratio(1, 3), ratio(1, 1), ratio(7, 2)] {
            let with = |x: &Rational, y: &Rational| {
                let rest = if zero_sum { Rational::zero() } else { -tau.clone() };
                let mut u = vec![rest; k];
                (u[0], u[1]) = (x.clone(), y.clone());
                u
            };
            let (u, v) = match zero_sum {
                true => (with(&tau, &-tau.clone()), with(&-tau.clone(), &tau)),
                false => (with(&tau, &Rational::zero()), with(&Rational::zero(), &tau)),
            };
            let mid: Vec<Rational> = u.iter().zip(&v).map(|(a, b)| (a + b) / ratio(2, 1)).collect();
            let at = |u: &[Rational]| loss(&tau).phi01(u, 0);
            example = json!({ "u": show(&u), "v": show(&v), "mid": show(&mid) });
            let chord = (at(&u) + at(&v)) / ratio(2, 1);
            tally.below(&chord, &at(&mid), || json!({ "K": k, "tau": tau.to_string() }));
        }
    }
    tally
        .outcome(
            Verdict::Holds,
            Grade::Argued,
            "pairs of K and tau with a midpoint above the chord",
        )
        .with("example", example)
}

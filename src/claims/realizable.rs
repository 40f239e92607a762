//! Sec. 3 to 5: when the minimizability gap is zero, and when it is not.

use super::exact::{ExactLaw, argmax, centred, random_vec, show};
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted};
use crate::problem::ActionSpace;
use crate::theory::{Piecewise, Rational, StreamItem, exact_hinge_gap, ratio};
use num_traits::{One, Signed, Zero};
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "gap-nonnegative",
        reference: "Sec. 4.3, proof of Thm 6.5",
        statement: "Neither the true nor the surrogate minimizability gap of a class is negative.",
        hypotheses: &[],
        check: |context| Ok(nonnegative(context, &Rational::zero())),
        saboteurs: &[refuted("positive", "both gaps are at least 1/1000", |context| {
            Ok(nonnegative(context, &ratio(1, 1000)))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "realizable-zero-gap",
        reference: "Sec. 5",
        statement: "The surrogate gap is zero if one hypothesis attains the least conditional \
                    surrogate risk on every round. It is zero only if some hypotheses come \
                    arbitrarily close to that.",
        hypotheses: &[],
        check: |context| Ok(realizable(context, Attains::Everywhere)),
        saboteurs: &[
            refuted("all-but-one", "it is enough to attain it on all rounds but one", |context| {
                Ok(realizable(context, Attains::AllButOne))
            }),
            refuted(
                "true-loss",
                "it is enough to attain the least true risk on every round",
                |c| Ok(realizable(c, Attains::TrueRisk)),
            ),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "gap-vanishes-h-all",
        reference: "Sec. 3",
        statement: "The minimizability gap of the class of all functions is zero.",
        hypotheses: &["the conditional law depends on the input only", "finitely many inputs"],
        check: |context| Ok(all_functions(context, Freedom::All)),
        saboteurs: &[
            refuted("drift", "the law at an input may change from round to round", |context| {
                Ok(all_functions(context, Freedom::Drift))
            }),
            refuted("constant", "the class of constant functions", |context| {
                Ok(all_functions(context, Freedom::Constant))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "gap-h-all-drifting-law",
        reference: "Sec. 3 with Sec. 4.1 (laws that change with the round)",
        statement: "When the law of the label at one input changes, even the class of all \
                    functions has a gap. Example: the label is 0 in the first round and 1 in the \
                    second. Each least hinge risk is 0, but the least sum is 2.",
        hypotheses: &["two classes, one input, two rounds"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| Ok(drifting(&[[1, 0], [0, 1]])),
        saboteurs: &[refuted("no-drift", "the same when the law stays", |_| {
            Ok(drifting(&[[1, 0], [1, 0]]))
        })],
    },
    Claim {
        id: "fixed-availability-gap",
        reference: "Thm 6.4 (hypothesis), with the pool of experts never changing",
        statement: "A pool that never changes does not make the gap zero. Example: three inputs, \
                    three actions that are always available, and a linear rule that is right \
                    everywhere. Yet the hinge gap is 16/25, and the hinge optimum is wrong at one \
                    input.",
        hypotheses: &["x = -2, -1, -1/2 with weights .3, .4, .3"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check: |_| fixed(&INPUTS, &ratio(16, 25)),
        saboteurs: &[
            refuted("larger", "the gap is 17/25", |_| fixed(&INPUTS, &ratio(17, 25))),
            refuted("two-inputs", "the first two inputs are enough for a positive gap", |_| {
                fixed(&INPUTS[..2], &ratio(16, 25))
            }),
        ],
    },
];

fn hinge(s: &[Rational], u: &[Rational]) -> Rational {
    Piecewise::CstndHinge.conditional_risk(s, &centred(u))
}

/// `1 - s` of the action on top.
fn truth(s: &[Rational], u: &[Rational]) -> Rational {
    Rational::one() - &s[argmax(u)]
}

/// `min_h sum_t risk - sum_t min_h risk`; `risk[h][t]`.
fn gap(risk: &[Vec<Rational>]) -> Rational {
    let best = risk.iter().map(|row| row.iter().sum::<Rational>()).min().unwrap_or_default();
    let rounds = risk.first().map_or(0, Vec::len);
    let pointwise: Rational =
        (0..rounds).filter_map(|t| risk.iter().map(|row| row[t].clone()).min()).sum();
    best - pointwise
}

/// Rounds of one pool, and a class of some score vectors for each of them.
fn draw(rng: &mut Pcg64) -> (Vec<Vec<Rational>>, Vec<Vec<Vec<Rational>>>) {
    let (n, n_e, rounds) =
        (rng.random_range(2..=3), rng.random_range(0..=2), rng.random_range(1..=4usize));
    let s: Vec<_> = (0..rounds).map(|_| ExactLaw::random(rng, n, n_e).scores()).collect();
    let vectors = |rng: &mut Pcg64| (0..rounds).map(|_| random_vec(rng, n + n_e, -2, 2)).collect();
    let members = rng.random_range(1..=5usize);
    let class = (0..members).map(|_| vectors(rng)).collect();
    (s, class)
}

type Risk = fn(&[Rational], &[Rational]) -> Rational;

fn table(s: &[Vec<Rational>], class: &[Vec<Vec<Rational>>], risk: Risk) -> Vec<Vec<Rational>> {
    let row = |h: &Vec<Vec<Rational>>| s.iter().zip(h).map(|(s, u)| risk(s, u)).collect();
    class.iter().map(row).collect()
}

fn nonnegative(context: &Context, least: &Rational) -> Outcome {
    let mut rng = context.rng("gap-nonnegative");
    let mut tally = Tally::default();
    for _ in 0..1_000 {
        let (s, class) = draw(&mut rng);
        for (what, risk) in [("true", truth as Risk), ("surrogate", hinge as Risk)] {
            let gap = gap(&table(&s, &class, risk));
            tally.at_most(least, &gap, || json!({ "gap": what, "value": gap.to_string() }));
        }
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "gaps of finite classes in exact fractions")
        .with("argument", "a sum of least values is at most the least value of a sum")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attains {
    Everywhere,
    AllButOne,
    TrueRisk,
}

/// Classes with a member made optimal: canonical margin vectors for the best actions.
fn realizable(context: &Context, attains: Attains) -> Outcome {
    let mut rng = context.rng("realizable-zero-gap");
    let mut tally = Tally::default();
    for _ in 0..600 {
        let (s, mut class) = draw(&mut rng);
        let k = s[0].len() as i64;
        let size = if attains == Attains::TrueRisk { ratio(1, 3) } else { ratio(1, 1) };
        let right = |s: &Vec<Rational>| {
            let mut u = vec![-size.clone(); s.len()];
            u[argmax(s)] = ratio(k - 1, 1) * &size;
            u
        };
        let mut best: Vec<Vec<Rational>> = s.iter().map(right).collect();
        if attains != Attains::Everywhere {
            // A member that is better on the first round, so that the infimum is elsewhere.
            let mut first = class[0].clone();
            first[0] = best[0].iter().map(|v| v / &size).collect();
            class.push(first);
            if attains == Attains::AllButOne {
                best[0] = random_vec(&mut rng, k as usize, -2, 2);
            }
        }
        class.push(best);
        let risks = table(&s, &class, hinge);
        let value = gap(&risks);
        let case = || json!({ "scores": s.iter().map(|s| show(s)).collect::<Vec<_>>() });
        tally.equal(&value, &Rational::zero(), case);
        // The other direction, for finite classes: zero only with a member optimal throughout.
        let (_, other) = draw(&mut rng);
        let rounds = s.len().min(other[0].len());
        let fits = other.iter().all(|h| h.iter().all(|u| u.len() == s[0].len()));
        if fits {
            let risks = table(&s[..rounds], &other, hinge);
            let attained = risks
                .iter()
                .any(|row| (0..rounds).all(|t| risks.iter().all(|other| row[t] <= other[t])));
            tally.truth(attained == gap(&risks).is_zero(), case);
        }
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "finite classes in exact fractions")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Freedom {
    All,
    Constant,
    Drift,
}

/// Three inputs, each several times, and every function from them to a few score vectors.
fn all_functions(context: &Context, freedom: Freedom) -> Outcome {
    let mut rng = context.rng("gap-vanishes-h-all");
    let mut tally = Tally::default();
    for _ in 0..200 {
        let k = rng.random_range(2..=4usize);
        let menu: Vec<_> = (0..4).map(|_| random_vec(&mut rng, k, -2, 2)).collect();
        let laws: Vec<_> = (0..3).map(|_| ExactLaw::random(&mut rng, k, 0).scores()).collect();
        let rounds: Vec<(usize, Vec<Rational>)> = (0..5)
            .map(|_| {
                let x = rng.random_range(0..3usize);
                let drifted = ExactLaw::random(&mut rng, k, 0).scores();
                (x, if freedom == Freedom::Drift { drifted } else { laws[x].clone() })
            })
            .collect();
        let functions = (0..64usize).map(|code| [code % 4, code / 4 % 4, code / 16]);
        let class: Vec<Vec<Rational>> = functions
            .filter(|f| freedom != Freedom::Constant || (f[0] == f[1] && f[1] == f[2]))
            .map(|f| rounds.iter().map(|(x, s)| hinge(s, &menu[f[*x]])).collect())
            .collect();
        let value = gap(&class);
        tally.equal(&value, &Rational::zero(), || json!({ "gap": value.to_string(), "K": k }));
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "streams with all functions enumerated")
        .with("argument", "a function may choose at each input what is best there")
}

/// Two rounds at one input; between the kinks of a convex piecewise linear function of one variable
/// (the difference of the two scores) there is no lower point than at them.
fn drifting(laws: &[[i64; 2]; 2]) -> Outcome {
    let s: Vec<Vec<Rational>> =
        laws.iter().map(|law| law.iter().map(|&v| ratio(v, 1)).collect()).collect();
    let kinks = [ratio(1, 1), ratio(-1, 1)].map(|m| vec![m.clone(), -m]);
    let least = |of: &[Vec<Rational>]| {
        kinks.iter().map(|u| of.iter().map(|s| hinge(s, u)).sum::<Rational>()).min()
    };
    let (first, second, both) = (least(&s[..1]), least(&s[1..]), least(&s));
    let mut tally = Tally::default();
    for (found, stated) in [(&first, 0), (&second, 0), (&both, 2)] {
        let found = found.clone().unwrap_or_default();
        tally.equal(&found, &ratio(stated, 1), || json!({ "least": found.to_string() }));
    }
    tally.outcome(Verdict::Proved, Grade::Enumerated, "least values at the kinks")
}

/// Input in halves, weight and scores in tenths.
const INPUTS: [(i64, i64, [i64; 3]); 3] =
    [(-4, 3, [4, 6, 5]), (-2, 4, [1, 9, 5]), (-1, 3, [9, 1, 5])];

fn fixed(inputs: &[(i64, i64, [i64; 3])], stated: &Rational) -> Checked {
    let space = ActionSpace::new(2, 1)?;
    let item = |&(x, w, s): &(i64, i64, [i64; 3])| StreamItem {
        weight: ratio(w, 10),
        x: vec![ratio(x, 2)],
        active: space.all_active(),
        s: s.iter().map(|&v| ratio(v, 10)).collect(),
    };
    let items: Vec<StreamItem<Rational>> = inputs.iter().map(item).collect();
    let Some(solved) = exact_hinge_gap(space, &items)? else {
        return Err(super::CheckFailure("the linear program was not certified".into()));
    };
    let scores = |w: &[Vec<Rational>], x: &Rational| {
        w.iter().map(|row| &row[0] * x + &row[1]).collect::<Vec<_>>()
    };
    let wrong = |w: &[Vec<Rational>]| {
        items.iter().filter(|i| argmax(&scores(w, &i.x[0])) != argmax(&i.s)).count()
    };
    let right_rule =
        [vec![ratio(1, 1), ratio(3, 4)], vec![ratio(0, 1); 2], vec![ratio(0, 1), ratio(-1, 1)]];
    let weight: Rational = items.iter().map(|i| i.weight.clone()).sum();
    let value = &solved.gap_per_round * weight;
    let holds = value == *stated
        && value.is_positive()
        && wrong(&right_rule) == 0
        && wrong(&solved.matrix) == 1;
    let verdict = if holds { Verdict::Proved } else { Verdict::Fails };
    let summary = format!(
        "gap {value}, certified by duality in fractions; the optimum is wrong at {} of the \
         inputs, the linear rule at {}",
        wrong(&solved.matrix),
        wrong(&right_rule)
    );
    let outcome = Outcome::new(verdict, Grade::Enumerated, summary)
        .with("inputs", items.len())
        .with("gap", value.to_string());
    Ok(outcome.witness(json!({
        "optimum": solved.matrix.iter().map(|row| show(row)).collect::<Vec<_>>(),
        "right_everywhere": right_rule.iter().map(|row| show(row)).collect::<Vec<_>>(),
        "squared_norm_of_the_optimum": solved.squared_norm.to_string(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_by_hand() {
        let row = |a, b| vec![ratio(a, 1), ratio(b, 1)];
        assert_eq!(gap(&[row(0, 2), row(1, 0)]), ratio(1, 1));
        assert_eq!(gap(&[row(0, 0), row(1, 0)]), ratio(0, 1));
    }
}

//! What the definitions of Sec. 3 and 4 imply.

use super::exact::{ExactLaw, integer, unit};
use super::quantities::risk::{loss_given_label, phi_def_from_phi01};
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::prec;
use crate::problem::{ActionSpace, ActiveSet, RoundLaw};
use crate::theory::{Rational, SurrogateId, ratio};
use num_traits::{One, ToPrimitive, Zero};
use rand::RngExt;
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "cost-range",
        reference: "Sec. 3",
        statement: "Dividing by max{1, alpha + beta} brings every expert cost into [0, 1]. With \
                    alpha = 1, a wrong answer costs 1 and a right answer costs beta / (1 + beta).",
        hypotheses: &["alpha, beta >= 0"],
        kind: Kind::Definition,
        check: |_| Ok(costs(normalized)),
        saboteurs: &[
            refuted("raw", "without dividing", |_| {
                Ok(costs(|a, b, wrong| if wrong { a + b } else { b.clone() }))
            }),
            refuted("capped", "dividing by at most 4", |_| {
                Ok(costs(|a, b, wrong| {
                    let raw = if wrong { a + b } else { b.clone() };
                    raw / (a + b).max(Rational::one()).min(ratio(4, 1))
                }))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "batch-reduction",
        reference: "Def. 3.2, 3.3, 4.1, 4.3",
        statement: "When every expert is always available, the online deferral loss and its \
                    surrogate are the batch ones.",
        hypotheses: &["costs in [0, 1]"],
        kind: Kind::Definition,
        check: |_| batch_reduction(|law, y, a| law.loss(a, y)),
        saboteurs: &[refuted("reward", "1 - c in place of the cost c", |_| {
            batch_reduction(|law, y, a| match a.checked_sub(law.p.len()) {
                None => law.loss(a, y),
                Some(_) => Rational::one() - law.loss(a, y),
            })
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "absent-experts",
        reference: "Def. 4.2",
        statement: "The varying surrogate does not depend on the scores of experts that are not \
                    available.",
        hypotheses: &[],
        kind: Kind::Definition,
        check: |context| absent_experts(context, Reading::Stated),
        saboteurs: &[
            refuted("all-compete", "all actions compete, absent or not", |context| {
                absent_experts(context, Reading::AllCompete)
            }),
            refuted(
                "mean-over-all",
                "scores are centred by the mean over all actions",
                |context| absent_experts(context, Reading::MeanOverAll),
            ),
            refuted("absent-targets", "absent experts are not left out of the sum", |context| {
                absent_experts(context, Reading::AbsentTargets)
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "score-mass",
        reference: "Thm 5.1 (last line)",
        statement: "The score mass S lies between 1 and the number K of active actions.",
        hypotheses: &["costs in [0, 1]", "n >= 2 classes"],
        kind: Kind::Constant,
        check: |_| Ok(score_mass(ExactLaw::scores)),
        saboteurs: &[
            refuted("larger-costs", "costs up to 3", |_| {
                Ok(score_mass(|law| {
                    let costly = |c: &Vec<Rational>| c.iter().map(|v| v * ratio(3, 1)).collect();
                    ExactLaw { p: law.p.clone(), c: law.c.iter().map(costly).collect() }.scores()
                }))
            }),
            refuted("experts-alone", "the mass of the experts alone is at least 1", |_| {
                Ok(score_mass(|law| law.scores().split_off(law.p.len())))
            }),
        ],
        ..Claim::BLANK
    },
];

/// `r / max{1, alpha + beta}`.
fn normalized(alpha: &Rational, beta: &Rational, wrong: bool) -> Rational {
    let raw = if wrong { alpha + beta } else { beta.clone() };
    raw / (alpha + beta).max(Rational::one())
}

/// For `alpha + beta <= 1` the cost is linear in `(alpha, beta)`, beyond it depends on the
/// direction only and is linear along the segment `alpha + beta = 1`. So the vertices of the
/// triangle decide; the grid makes sure that the reduction itself is right.
fn costs(cost: impl Fn(&Rational, &Rational, bool) -> Rational) -> Outcome {
    let mut tally = Tally::default();
    let (zero, one) = (Rational::zero(), Rational::one());
    for i in 0..=60 {
        for j in 0..=60 {
            let (alpha, beta) = (ratio(i, 12), ratio(j, 12));
            for wrong in [false, true] {
                let c = cost(&alpha, &beta, wrong);
                let case = || {
                    json!({ "alpha": alpha.to_string(), "beta": beta.to_string(),
                                      "wrong": wrong, "c": c.to_string() })
                };
                tally.at_most(&zero, &c, case);
                tally.at_most(&c, &one, case);
                let total = &alpha + &beta;
                if total >= one {
                    let on_segment = cost(&(&alpha / &total), &(&beta / &total), wrong);
                    tally.equal(&c, &on_segment, case);
                } else {
                    // The third vertex, the origin, costs nothing: it is on the grid itself.
                    let by_vertices =
                        &alpha * cost(&one, &zero, wrong) + &beta * cost(&zero, &one, wrong);
                    tally.equal(&c, &by_vertices, case);
                }
                if alpha.is_one() {
                    let expected = if wrong { one.clone() } else { &beta / (&one + &beta) };
                    tally.equal(&c, &expected, case);
                }
            }
        }
    }
    tally.outcome(Verdict::Holds, Grade::Searched, "equations and inequalities over alpha, beta in twelfths").with(
        "argument",
        "linear on the triangle alpha + beta <= 1, constant along rays beyond it: three vertices \
         decide, the grid confirms the reduction",
    )
}

/// The online quantities of this project against the batch formulas. Everything is affine in each
/// cost and linear in the values `Phi_01(u, a)`, so `0/1` costs and unit vectors decide; those are
/// exact in floating point.
fn batch_reduction(batch: impl Fn(&ExactLaw, usize, usize) -> Rational) -> Checked {
    let mut tally = Tally::default();
    for (n, n_e) in [(2, 0), (2, 1), (2, 2), (3, 1), (3, 2)] {
        let space = ActionSpace::new(n, n_e)?;
        let all = space.all_active();
        for exact in ExactLaw::vertices(n, n_e) {
            let float = |v: &Rational| v.to_f64().unwrap_or(f64::NAN);
            let p: Vec<f64> = exact.p.iter().map(float).collect();
            let c: Vec<Vec<f64>> = exact.c.iter().map(|c| c.iter().map(float).collect()).collect();
            let law = RoundLaw::new(space, &p, &c)?;
            for a in 0..n + n_e {
                let e_a: Vec<f64> = unit(n + n_e, a).iter().map(float).collect();
                let surrogate = phi_def_from_phi01(&law, all, &e_a);
                let truth = loss_given_label(&law, all, &e_a)?;
                for y in 0..n {
                    let case =
                        || json!({ "n": n, "n_e": n_e, "law": exact.show(), "a": a, "y": y });
                    let expected = batch(&exact, y, a);
                    tally.equal(&exact_of(truth[y]), &expected, case);
                    // Weight of Phi_01(., a) in Def. 3.3: 1 at the label, 1 - c_j at expert j.
                    let weight = Rational::one() - expected;
                    tally.equal(&exact_of(surrogate[y]), &weight, case);
                }
            }
        }
    }
    Ok(tally.outcome(Verdict::Holds, Grade::Argued, "values at vertices").with(
        "argument",
        "affine in every cost and linear in the values of Phi_01: 0/1 costs and unit vectors \
         decide; more classes or experts add terms of the same kind",
    ))
}

/// What is not finite becomes a number that nothing here equals.
fn exact_of(value: f64) -> Rational {
    Rational::from_float(value).unwrap_or_else(|| integer(1 << 40))
}

/// How a surrogate of a full score vector is read off where experts are absent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Def. 4.2: the surrogate of the active actions, 0 at absent targets.
    Stated,
    /// All actions compete, absent or not.
    AllCompete,
    /// Scores are centred by the mean over all actions.
    MeanOverAll,
    /// An absent target counts like a present one.
    AbsentTargets,
}

impl Reading {
    /// `Phi~_01(h, (x, A), target)` from the scores of all `N` actions.
    fn surrogate(self, id: SurrogateId, scores: &[f64], active: ActiveSet, target: usize) -> f64 {
        let everybody: Vec<usize> = (0..scores.len()).collect();
        let mut competing: Vec<usize> = active.iter().map(|a| a.index()).collect();
        if self == Reading::AllCompete {
            competing.clone_from(&everybody);
        }
        if !competing.contains(&target) {
            if self != Reading::AbsentTargets {
                return 0.0;
            }
            competing.push(target);
        }
        let averaged = if self == Reading::MeanOverAll { &everybody } else { &competing };
        let mean = averaged.iter().map(|&a| scores[a]).sum::<f64>() / averaged.len() as f64;
        let shift = if id.is_constrained() { mean } else { 0.0 };
        let u: Vec<f64> = competing.iter().map(|&a| scores[a] - shift).collect();
        id.phi01(&u, competing.iter().position(|&a| a == target).unwrap_or(0))
    }
}

/// Changes scores and costs of experts who are absent and looks whether a bit of the surrogate of any
/// target, or of the surrogate deferral loss, changes; and compares the latter with the one of this
/// project, which only ever sees active actions.
fn absent_experts(context: &Context, reading: Reading) -> Checked {
    let mut rng = context.rng("absent-experts");
    let mut tally = Tally::default();
    for case in 0..300u64 {
        let space = ActionSpace::new(rng.random_range(2..4), rng.random_range(1..5))?;
        let (n, all) = (space.classes(), space.len());
        let absent = rng.random_range(0..space.experts());
        let mask = rng.random_range(0..1u128 << space.experts()) & !(1 << absent);
        let active = space.active_from_mask(mask)?;
        let before: Vec<f64> = (0..all).map(|_| rng.random_range(-2.0..2.0)).collect();
        let mut after = before.clone();
        after[n + absent] += rng.random_range(0.5..3.0);
        let mut costs: Vec<Vec<f64>> = (0..space.experts())
            .map(|_| vec![f64::from(rng.random_range(0..=4u8)) / 4.0; n])
            .collect();
        let p = vec![1.0 / n as f64; n];
        let law = RoundLaw::new(space, &p, &costs)?;
        costs[absent] = vec![rng.random_range(0.0..1.0); n];
        let other_law = RoundLaw::new(space, &p, &costs)?;
        for name in SurrogateId::NAMES {
            let id = SurrogateId::parse(name, Some(0.5), Some(1.0))?;
            let values = |scores: &[f64]| -> Vec<f64> {
                (0..all).map(|a| reading.surrogate(id, scores, active, a)).collect()
            };
            let (old, new) = (values(&before), values(&after));
            let deferral = |law: &RoundLaw, values: &[f64]| -> Vec<f64> {
                let expert = |j: usize, y: usize| (1.0 - law.cost(j)[y]) * values[n + j];
                let total =
                    |y: usize| (0..space.experts()).fold(values[y], |sum, j| sum + expert(j, y));
                (0..n).map(total).collect()
            };
            let seen: Vec<f64> = active.iter().map(|a| old[a.index()]).collect();
            let ours = phi_def_from_phi01(&law, active, &seen);
            let (first, second) = (deferral(&law, &old), deferral(&other_law, &new));
            let size = first.iter().fold(1.0f64, |size, v| size.max(v.abs()));
            let described = || {
                json!({ "case": case, "surrogate": id.to_string(), "before": old, "after": new,
                        "deferral_surrogate": first, "of_this_project": ours })
            };
            for (before, after) in old.iter().chain(&first).zip(new.iter().chain(&second)) {
                tally.equal(&exact_of(*before), &exact_of(*after), described);
            }
            for (first, ours) in first.iter().zip(&ours) {
                tally.within((first - ours).abs(), 0.0, prec::SIDES * size, described);
            }
        }
    }
    Ok(tally
        .outcome(
            Verdict::Holds,
            Grade::Searched,
            "changes of an absent expert's score and cost, all ten surrogates",
        )
        .with("compared", "bit for bit; with this project's sum up to its order"))
}

/// `S` is affine in `p` and in every cost: vertices decide. The upper end is compared with `K`.
fn score_mass(scores: impl Fn(&ExactLaw) -> Vec<Rational>) -> Outcome {
    let mut tally = Tally::default();
    let mut per_size = Vec::new();
    let mut sharp = true;
    let mut shares = Vec::new();
    for (n, n_e) in [(2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (4, 2)] {
        let mut masses = BTreeSet::new();
        for law in ExactLaw::vertices(n, n_e) {
            let mass: Rational = scores(&law).iter().sum();
            let case = || json!({ "law": law.show(), "S": mass.to_string() });
            tally.at_most(&Rational::one(), &mass, case);
            tally.at_most(&mass, &integer(n + n_e), case);
            masses.insert(mass);
        }
        let (least, most) = (
            masses.first().cloned().unwrap_or_default(),
            masses.last().cloned().unwrap_or_default(),
        );
        sharp &= most == integer(n + n_e);
        shares.push((&most / integer(n + n_e)).to_f64().unwrap_or(f64::NAN));
        per_size.push(json!({ "n": n, "n_e": n_e, "K": n + n_e, "least": least.to_string(),
                              "largest": most.to_string() }));
    }
    let outcome =
        tally.outcome(Verdict::Holds, Grade::Argued, "laws (vertices)").with("extremes", per_size);
    if outcome.verdict() == Verdict::Fails || sharp {
        return outcome;
    }
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let summary =
        "S = 1 is attained, but S = K never is: the class scores sum to one, so S <= K - n + 1";
    outcome.judged(Verdict::Loose, summary).tightness(
        "largest S / K over the sizes tried",
        1.0,
        largest,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_check_notices_other_normalisations() {
        assert_eq!(costs(normalized).verdict(), Verdict::Holds);
        // Not normalised; normalised by alpha + beta always; beta left out of the sum.
        let raw = |a: &Rational, b: &Rational, wrong: bool| if wrong { a + b } else { b.clone() };
        assert_eq!(costs(raw).verdict(), Verdict::Fails);
        assert_eq!(costs(|a, b, w| raw(a, b, w) / (a + b + ratio(1, 1))).verdict(), Verdict::Fails);
        assert_eq!(
            costs(|a, b, w| raw(a, b, w) / a.clone().max(ratio(1, 1))).verdict(),
            Verdict::Fails
        );
    }

    #[test]
    fn the_other_checks_notice_what_they_should() {
        let wrong = |law: &ExactLaw, y: usize, a: usize| match a.checked_sub(law.p.len()) {
            None => super::super::exact::bit(a != y),
            Some(j) => Rational::one() - &law.c[j][y],
        };
        assert_eq!(batch_reduction(wrong).unwrap().verdict(), Verdict::Fails);
        let context = Context::default();
        assert_eq!(absent_experts(&context, Reading::Stated).unwrap().verdict(), Verdict::Holds);
        assert_eq!(score_mass(ExactLaw::scores).verdict(), Verdict::Loose);
        // Costs that were never normalised.
        let doubled = |law: &ExactLaw| {
            let costly = |c: &Vec<Rational>| c.iter().map(|v| v * ratio(3, 1)).collect();
            ExactLaw { p: law.p.clone(), c: law.c.iter().map(costly).collect() }.scores()
        };
        assert_eq!(score_mass(doubled).verdict(), Verdict::Fails);
        // Everybody is always right: S = K.
        let all_right = |law: &ExactLaw| vec![Rational::one(); law.actions()];
        assert_eq!(score_mass(all_right).verdict(), Verdict::Holds);
    }
}

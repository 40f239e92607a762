//! App. F.4: the minimizability gap, and when it can be zero.

use super::exact::{ExactLaw, argmax, centred, integer, random_vec, show};
use super::{
    CheckFailure, Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted,
};
use crate::problem::{ActionSpace, ActiveSet};
use crate::theory::{Piecewise, Rational, StreamItem, exact_hinge_gap, ratio};
use num_traits::{One, Zero};
use rand::RngExt;
use rayon::prelude::*;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "thm-f.4",
        reference: "Thm F.4",
        statement: "The least conditional hinge risk at a round is K (S - max s), attained by the \
                    canonical margin vector.",
        hypotheses: &["the class contains the canonical margin vectors"],
        kind: Kind::Theorem,
        check: |context| Ok(pointwise(context, |s| integer(s.len()) * rest(s))),
        saboteurs: &[
            refuted("no-K", "S - max s", |context| Ok(pointwise(context, rest))),
            refuted("one-action-less", "(K - 1) (S - max s)", |context| {
                Ok(pointwise(context, |s| integer(s.len() - 1) * rest(s)))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "zero-gap-best-changes",
        reference: "Thm 6.4, 6.5 (hypothesis), App. B (arbitrary variation of availability)",
        statement: "When an expert that is better than every class comes and goes at an input, the \
                    surrogate gap is positive.",
        hypotheses: &["one input, equal weights", "one best class, of probability below 1"],
        kind: Kind::Hypothesis,
        check: |_| exactly_at_ties(Family::ExpertBest, |_, _| false),
        owner: Owner::Project,
        saboteurs: &[refuted("barely", "the gap is zero for an expert 1/10 better", |_| {
            exactly_at_ties(Family::ExpertBest, |p, e| e - p <= ratio(1, 10))
        })],
    },
    Claim {
        id: "zero-gap-size-changes",
        reference: "Thm 6.4, 6.5 (hypothesis), App. B (arbitrary variation of availability)",
        statement: "When an expert comes and goes at an input whose best class is unique and not \
                    certain, the surrogate gap is zero exactly if the expert is as good as that \
                    class.",
        hypotheses: &["one input, equal weights", "one best class, of probability below 1"],
        kind: Kind::Hypothesis,
        check: |_| exactly_at_ties(Family::ClassBest, |p, e| p == e),
        owner: Owner::Project,
        saboteurs: &[
            refuted("ties-too", "the gap is positive at ties as well", |_| {
                exactly_at_ties(Family::ClassBest, |_, _| false)
            }),
            refuted("nearly", "the gap is zero for an expert 1/10 worse as well", |_| {
                exactly_at_ties(Family::ClassBest, |p, e| p - e <= ratio(1, 10))
            }),
        ],
    },
    Claim {
        id: "zero-gap-constant-size",
        reference: "Thm 6.4 (hypothesis)",
        statement: "The surrogate gap can be zero when experts replace one another at an input, \
                    so that the number of active actions stays the same.",
        hypotheses: &["one input, equal weights", "the best action is always the same class"],
        kind: Kind::Hypothesis,
        check: |_| varying(Family::Swap),
        owner: Owner::Project,
        ..Claim::BLANK
    },
];

/// `S - max s`.
fn rest(s: &[Rational]) -> Rational {
    s.iter().sum::<Rational>() - &s[argmax(s)]
}

/// Primal: the canonical vector. Dual: multipliers `S - max s` for every action are stationary on
/// zero-sum vectors and lie in `[0, S - s_a]`, so their sum bounds every risk from below.
fn pointwise(context: &Context, value: fn(&[Rational]) -> Rational) -> Outcome {
    let mut rng = context.rng("thm-f.4");
    let mut tally = Tally::default();
    for _ in 0..1500 {
        let (n, n_e) = (rng.random_range(2..=3), rng.random_range(0..=3));
        let s = ExactLaw::random(&mut rng, n, n_e).scores();
        let k = s.len();
        let stated = value(&s);
        let mut canonical = vec![-Rational::one(); k];
        canonical[argmax(&s)] = integer(k - 1);
        let case = || json!({ "s": show(&s), "stated": stated.to_string() });
        let risk = |u: &[Rational]| Piecewise::CstndHinge.conditional_risk(&s, u);
        tally.equal(&risk(&canonical), &stated, case);
        let multiplier = &stated / integer(k);
        let mass: Rational = s.iter().sum();
        s.iter().for_each(|s_a| tally.at_most(&multiplier, &(&mass - s_a), case));
        tally.at_most(&Rational::zero(), &multiplier, case);
        let u = centred(&random_vec(&mut rng, k, -3, 3));
        tally.at_most(&stated, &risk(&u), case);
    }
    tally.outcome(Verdict::Holds, Grade::Searched, "conditions on exact laws").with(
        "argument",
        "a primal-dual pair for every s: equal multipliers S - max s are feasible because \
         s_a <= max s, stationary because scores sum to zero, and of the same value",
    )
}

/// How availability varies at the one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// One expert, better than every class, there half of the time.
    ExpertBest,
    /// One expert, at most as good as the best class, there half of the time.
    ClassBest,
    /// Two experts worse than the best class, one at a time.
    Swap,
}

/// Label laws of the search: nobody is certain, and there is one best class.
fn laws() -> Vec<Vec<Rational>> {
    let tenths = |parts: &[i64]| parts.iter().map(|&v| ratio(v, 10)).collect();
    [&[6, 4][..], &[7, 3], &[8, 2], &[9, 1], &[5, 3, 2], &[6, 2, 2], &[8, 1, 1]].map(tenths).into()
}

type Stream = (ActionSpace, Vec<StreamItem<Rational>>);

fn streams(family: Family) -> Result<Vec<Stream>, CheckFailure> {
    let mut streams = Vec::new();
    for p in laws() {
        for expert in 0..=10 {
            let score = ratio(expert, 10);
            let wanted = match family {
                Family::ExpertBest => score > p[0],
                Family::ClassBest => score <= p[0],
                Family::Swap => score < p[0],
            };
            if !wanted {
                continue;
            }
            let experts = if family == Family::Swap { 2 } else { 1 };
            let space = ActionSpace::new(p.len(), experts)?;
            let item = |active: ActiveSet| {
                let extra = active.len() - p.len();
                let s = p.iter().chain(std::iter::repeat_n(&score, extra)).cloned().collect();
                StreamItem { weight: ratio(1, 2), x: vec![Rational::zero()], active, s }
            };
            let sets = match family {
                Family::Swap => [space.active([0])?, space.active([1])?],
                _ => [space.all_active(), space.classes_only()],
            };
            streams.push((space, sets.map(item).to_vec()));
        }
    }
    Ok(streams)
}

fn varying(family: Family) -> Checked {
    let solved: Result<Vec<_>, CheckFailure> = streams(family)?
        .into_par_iter()
        .map(|(space, items)| {
            let gap = exact_hinge_gap(space, &items)?;
            Ok(gap.map(|gap| {
                let scores: Vec<_> = items.iter().map(|i| show(&i.s)).collect();
                let shown =
                    json!({ "scores": scores, "gap_per_round": gap.gap_per_round.to_string() });
                (gap.gap_per_round, shown)
            }))
        })
        .collect();
    let solved = solved?;
    let unsolved = solved.iter().filter(|s| s.is_none()).count();
    let gaps: Vec<_> = solved.into_iter().flatten().collect();
    Ok(judge(&gaps, unsolved))
}

/// On every stream of the family the gap is zero if and only if `zero(best class, expert)` says so.
fn exactly_at_ties(family: Family, zero: fn(&Rational, &Rational) -> bool) -> Checked {
    let solved: Result<Vec<_>, CheckFailure> = streams(family)?
        .into_par_iter()
        .map(|(space, items)| {
            let (best, expert) = (items[1].s.iter().max(), items[0].s.last());
            let expected = best.zip(expert).is_some_and(|(p, e)| zero(p, e));
            Ok((expected, show(&items[0].s), exact_hinge_gap(space, &items)?))
        })
        .collect();
    let mut tally = Tally::default();
    let (mut unsolved, mut zeros) = (Vec::new(), 0u64);
    for (expected, scores, gap) in solved? {
        let Some(gap) = gap else {
            unsolved.push(scores);
            continue;
        };
        zeros += u64::from(gap.gap_per_round.is_zero());
        tally.truth(
            gap.gap_per_round.is_zero() == expected,
            || json!({ "scores": scores, "gap_per_round": gap.gap_per_round.to_string() }),
        );
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Searched, "streams, gaps in exact fractions")
        .with("zero_gaps", zeros)
        .with("not_solved_exactly", unsolved.len())
        .with("method", "linear programs solved and certified in exact fractions"))
}

/// `Holds` with an example of a zero gap, `Vacuous` when there is none.
fn judge(gaps: &[(Rational, serde_json::Value)], unsolved: usize) -> Outcome {
    let zero = gaps.iter().filter(|(gap, _)| gap.is_zero()).count();
    let least = gaps.iter().min_by(|a, b| a.0.cmp(&b.0));
    let largest = gaps.iter().max_by(|a, b| a.0.cmp(&b.0));
    // One zero gap, solved exactly, shows that there can be one; its absence is a search.
    let grade = if zero > 0 { Grade::Enumerated } else { Grade::Searched };
    let (verdict, summary) = match (least, zero) {
        (None, _) => (Verdict::Fails, "no stream could be solved exactly".to_string()),
        (Some((least, _)), 0) => {
            let text = format!(
                "the gap is positive on all {} streams (least {least} per round): the hypothesis \
                 never holds here",
                gaps.len()
            );
            (Verdict::Vacuous, text)
        }
        _ => (Verdict::Holds, format!("the gap is zero on {zero} of {} streams", gaps.len())),
    };
    let outcome = Outcome::new(verdict, grade, summary)
        .with("streams", gaps.len())
        .with("zero_gaps", zero)
        .with("not_solved_exactly", unsolved)
        .with("method", "linear programs solved and certified in exact fractions");
    let outcome = match largest {
        Some((_, shown)) => outcome.with("largest", shown.clone()),
        None => outcome,
    };
    match least {
        Some((_, shown)) => outcome.witness(shown.clone()),
        None => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formulas_are_refuted() {
        let context = Context::default();
        assert_eq!(pointwise(&context, |s| integer(s.len()) * rest(s)).verdict(), Verdict::Holds);
        assert_eq!(pointwise(&context, rest).verdict(), Verdict::Fails);
        let worst = |s: &[Rational]| integer(s.len()) * (s.iter().sum::<Rational>() - &s[0]);
        assert_eq!(pointwise(&context, worst).verdict(), Verdict::Fails);
    }

    #[test]
    fn a_zero_gap_is_noticed() {
        let gap = |p, q| (ratio(p, q), json!({}));
        assert_eq!(judge(&[gap(1, 5), gap(1, 9)], 0).verdict(), Verdict::Vacuous);
        assert_eq!(judge(&[gap(1, 5), gap(0, 1)], 0).verdict(), Verdict::Holds);
        assert_eq!(judge(&[], 3).verdict(), Verdict::Fails);
        // One zero settles that there is one; that there is none was only searched.
        assert_eq!(judge(&[gap(1, 5)], 0).grade(), Grade::Searched);
        assert_eq!(judge(&[gap(0, 1)], 0).grade(), Grade::Enumerated);
    }

    #[test]
    fn families_are_what_they_say() {
        for (space, items) in streams(Family::Swap).unwrap() {
            assert_eq!(space.experts(), 2);
            assert!(items.iter().all(|i| i.active.len() == space.classes() + 1));
        }
        for (space, items) in streams(Family::ExpertBest).unwrap() {
            assert_eq!(argmax(&items[0].s), space.classes());
        }
    }
}

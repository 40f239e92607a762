//! Which of the ten surrogates can serve experts who come and go with one score vector per input.

use super::exact::{ExactLaw, argmax, random_vec, show};
use super::quantities::common::{ladder, vector};
use super::quantities::mixture::Mixture;
use super::quantities::phase::{OneExpert, PhaseChoice, critical_availability};
use super::{
    CheckFailure, Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted,
};
use crate::prec;
use crate::problem::ActionSpace;
use crate::theory::availability::optimum;
use crate::theory::calibration::SquaredSurrogate;
use crate::theory::{Piecewise, Rational, SurrogateId, calibration_gap, ratio};
use num_traits::{Signed, Zero};
use rand::RngExt;
use serde_json::{Value, json};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        saboteurs: &[refuted("wrong-vector", "the common vector is 1.02 times as long", |c| {
            smooth(c, 0, 1.02)
        })],
        ..serves(
            "availability-comp-exp",
            "One score vector per input that minimises the exponential comp-sum loss has the best active \
         action on top in every active set, however availability varies.",
            |c| served(c, 0),
        )
    },
    Claim {
        saboteurs: &[refuted("wrong-vector", "the common vector is 1.02 times as long", |c| {
            smooth(c, 1, 1.02)
        })],
        ..serves(
            "availability-comp-log",
            "One score vector per input that minimises the logistic loss has the best active \
         action on top in every active set, however availability varies.",
            |c| served(c, 1),
        )
    },
    Claim {
        saboteurs: &[refuted("wrong-vector", "the common vector is 1.02 times as long", |c| {
            smooth(c, 2, 1.02)
        })],
        ..serves(
            "availability-comp-gce",
            "One score vector per input that minimises the generalised cross-entropy has the best active \
         action on top in every active set, however availability varies.",
            |c| served(c, 2),
        )
    },
    Claim {
        saboteurs: &[refuted("wrong-vector", "the common vector is upside down", |c| {
            smooth(c, 3, -1.0)
        })],
        ..serves(
            "availability-comp-mae",
            "One score vector per input that minimises the mean absolute error has the best active \
         action on top in every active set, however availability varies.",
            |c| served(c, 3),
        )
    },
    serves(
        "availability-sum-sq",
        "One score vector per input that minimises the sum of squared hinges has the best active \
         action on top in every active set, however availability varies.",
        |_| sum_sq(),
    ),
    Claim {
        saboteurs: &[refuted("wrong-vector", "the common vector is 1.02 times as long", |c| {
            smooth(c, 5, 1.02)
        })],
        ..serves(
            "availability-sum-exp",
            "One score vector per input that minimises the sum of exponentials has the best active \
         action on top in every active set, however availability varies.",
            |c| served(c, 5),
        )
    },
    serves(
        "availability-sum-tau",
        "One score vector per input that minimises the sum of ramps has the best active \
         action on top in every active set, however availability varies.",
        |c| ramps(c, false, false),
    ),
    serves(
        "availability-cstnd-hinge",
        "One score vector per input that minimises the constrained hinge has the best active \
         action on top in every active set, however availability varies.",
        |_| Ok(hinge()),
    ),
    serves(
        "availability-cstnd-sq",
        "One score vector per input that minimises the constrained squared hinge has the best active \
         action on top in every active set, however availability varies.",
        |_| cstnd_sq(),
    ),
    Claim {
        saboteurs: &[refuted("no-tower", "steps of equal height are enough", |c| {
            ramps(c, true, false)
        })],
        ..serves(
            "availability-cstnd-tau",
            "One score vector per input that minimises the constrained ramp has the best active \
         action on top in every active set, however availability varies.",
            |c| ramps(c, true, true),
        )
    },
];

/// What is asked of every surrogate, in the words of the first: minimising it over one score vector
/// per input puts the best active action on top in every active set, however availability varies.
const fn serves(
    id: &'static str,
    statement: &'static str,
    check: fn(&Context) -> Checked,
) -> Claim {
    Claim {
        id,
        reference: "Def. 4.2, 4.3, App. E, and Thm 6.4 where experts come and go",
        statement,
        hypotheses: &["one input", "scores that do not depend on who else is available"],
        kind: Kind::Hypothesis,
        owner: Owner::Project,
        check,
        ..Claim::BLANK
    }
}

const ARGUMENT: &str = "one vector reaches the pointwise infimum of every active set, so every \
                        minimising sequence has a calibration gap going to zero in every set, and \
                        a calibrated loss then ranks the best action first";

/// Every subset of the experts, with all the classes, as positions among all actions.
fn subsets(classes: usize, experts: usize) -> Vec<Vec<usize>> {
    let with = |mask: usize| {
        let there = (0..experts).filter(|j| mask >> j & 1 == 1).map(|j| classes + j);
        (0..classes).chain(there).collect()
    };
    (0..1usize << experts).map(with).collect()
}

fn pick<T: Clone>(values: &[T], at: &[usize]) -> Vec<T> {
    at.iter().map(|&a| values[a].clone()).collect()
}

/// The smooth ones: `scale` is 1 but for saboteurs.
fn served(context: &Context, index: usize) -> Checked {
    smooth(context, index, 1.0)
}

fn smooth(context: &Context, index: usize, scale: f64) -> Checked {
    let mut rng = context.rng(SurrogateId::NAMES[index]);
    let mut tally = Tally::default();
    let mut worst = 0f64;
    for _ in 0..300 {
        let (n, n_e) = (rng.random_range(2..=3), rng.random_range(1..=3));
        let s = ExactLaw::random(&mut rng, n, n_e).scores();
        // An action worth nothing wants minus infinity: the limit of what is checked here.
        if s.iter().any(Zero::is_zero) {
            continue;
        }
        let alpha = [0.1, 0.5, 0.9][rng.random_range(0..3usize)];
        let id = SurrogateId::parse(SurrogateId::NAMES[index], Some(alpha), None)?;
        let s: Vec<f64> = s.iter().map(super::trial::float).collect();
        let Some(v) = vector(id, &s, prec::SHARPENED) else {
            return Err(CheckFailure(format!("{id} has no common vector")));
        };
        let v: Vec<f64> = v.iter().map(|v| scale * v).collect();
        for set in subsets(n, n_e) {
            let over = calibration_gap(id, &pick(&s, &set), &pick(&v, &set))?;
            worst = worst.max(over);
            tally.within(
                over,
                0.0,
                prec::SERVED,
                || json!({ "surrogate": id.to_string(), "s": s, "set": set, "excess": over }),
            );
        }
    }
    let outcome =
        tally.outcome(Verdict::Holds, Grade::Argued, "active sets at the vector of the argument");
    Ok(outcome.with("argument", ARGUMENT).with("largest_excess", worst))
}

/// The ramps, in exact numbers; `tower` is right for the constrained one only.
fn ramps(context: &Context, constrained: bool, tower: bool) -> Checked {
    let mut rng = context.rng(if constrained { "cstnd_tau" } else { "sum_tau" });
    let mut tally = Tally::default();
    let mut largest = Rational::zero();
    for _ in 0..300 {
        let (n, n_e) = (rng.random_range(2..=3), rng.random_range(1..=3));
        let mut s = ExactLaw::random(&mut rng, n, n_e).scores();
        s.truncate(n);
        s.extend(random_vec(&mut rng, n_e, 0, 1));
        let tau = ratio(rng.random_range(1..=4), 2);
        let v = ladder(&s, &tau, tower);
        largest = v.iter().max().cloned().unwrap_or_default().max(largest);
        for set in subsets(n, n_e) {
            let (s, mut u) = (pick(&s, &set), pick(&v, &set));
            let (loss, least) = if constrained {
                u = super::exact::centred(&u);
                let mass: Rational = s.iter().sum();
                (Piecewise::CstndTau(tau.clone()), mass - &s[argmax(&s)])
            } else {
                let pairs = |b: usize| s[..b].iter().map(move |s_a| (s_a, b));
                let least = (0..s.len()).flat_map(pairs).map(|(s_a, b)| s_a.min(&s[b])).sum();
                (Piecewise::SumTau(tau.clone()), least)
            };
            let risk = loss.conditional_risk(&s, &u);
            tally.equal(
                &risk,
                &least,
                || json!({ "tau": tau.to_string(), "s": show(&s), "u": show(&u) }),
            );
        }
    }
    let outcome =
        tally.outcome(Verdict::Holds, Grade::Argued, "active sets at the vector of the argument");
    Ok(outcome
        .with("argument", ARGUMENT)
        .with("largest_score_needed", largest.to_string())
        .with("but", "the loss is not convex, so descent need not find this vector"))
}

/// The optimum in every cell of a small grid. Strict failures (the lowest-index rule goes wrong) are
/// counted apart from ties that only a rule which breaks them evenly loses; the witness is a cell
/// whose optimum never defers.
fn hinge() -> Outcome {
    let (mut cells, mut strict, mut ties) = (0u64, 0u64, 0u64);
    let mut worst: Worst = None;
    for (top, expert, availability) in grid() {
        let one = OneExpert { classes: 2, top, expert, availability };
        let phase = one.solve();
        cells += 1;
        match phase.choice {
            PhaseChoice::Right => continue,
            PhaseChoice::ForgetsClasses => ties += 1,
            PhaseChoice::NeverDefers | PhaseChoice::OtherwiseWrong => strict += 1,
        }
        let case = described(&one);
        let never = phase.choice == PhaseChoice::NeverDefers;
        if never && worst.as_ref().is_none_or(|(most, _)| phase.regret > *most) {
            worst = Some((phase.regret, case));
        }
    }
    let largest = worst.as_ref().map(|(_, case)| case.clone()).unwrap_or_default();
    misled(cells, strict, worst, "every crossing of the kinks is compared in exact fractions")
        .with("only_by_how_ties_are_broken", ties)
        .with("largest_loss_of_an_optimum_that_never_defers", largest)
}

fn described(one: &OneExpert) -> Value {
    let phase = one.solve();
    let critical = critical_availability(2, &one.top, &one.expert);
    json!({
        "n": 2,
        "p": show(&[one.top.clone(), ratio(1, 1) - &one.top]),
        "expert_score": one.expert.to_string(),
        "availability": one.availability.to_string(),
        "the_optimum": format!("{:?}", phase.choice),
        "never_defers_below_availability": critical.to_string(),
        "gap_per_round": phase.gap.to_string(),
        "true_regret_per_round": phase.regret.to_string(),
    })
}

/// Two classes; the expert is better than both.
fn grid() -> Vec<(Rational, Rational, Rational)> {
    let mut cells = Vec::new();
    for top in 6..=9 {
        for expert in top + 1..=10 {
            for availability in 1..=9 {
                cells.push((ratio(top, 10), ratio(expert, 10), ratio(availability, 10)));
            }
        }
    }
    cells
}

/// True regret per round and description of the mixture that loses most.
type Worst = Option<(Rational, Value)>;

fn misled(cells: u64, wrong: u64, worst: Worst, method: &str) -> Outcome {
    let outcome = match worst {
        Some((regret, case)) if regret.is_positive() => Outcome::new(
            Verdict::Fails,
            Grade::Enumerated,
            format!(
                "the optimum chooses a wrong action on {wrong} of {cells} mixtures, and loses \
                 {regret} per round at the witness"
            ),
        )
        .witness(case),
        _ => {
            Outcome::new(Verdict::Holds, Grade::Searched, format!("right on all {cells} mixtures"))
        }
    };
    outcome.with("mixtures", cells).with("misled", wrong).with("method", method)
}

const NEWTON: &str = "optimum in exact fractions, its gradient exactly zero";

fn worst_of(
    loss: SquaredSurrogate,
    mixtures: impl IntoIterator<Item = Mixture>,
) -> Result<(u64, u64, Worst), CheckFailure> {
    let (mut cells, mut wrong) = (0, 0);
    let mut worst: Worst = None;
    for mixture in mixtures {
        let Some(found) = optimum(loss, &mixture.s, &mixture.sets) else {
            return Err(CheckFailure(format!("no optimum of {mixture:?}")));
        };
        cells += 1;
        let Some(set) = mixture.misled(&found.scores) else { continue };
        wrong += 1;
        let regret = mixture.true_regret(&found.scores);
        if worst.as_ref().is_none_or(|(most, _)| regret > *most) {
            let sets = |(weight, active): &(Rational, crate::problem::ActiveSet)| {
                let there: Vec<usize> = active.experts().collect();
                json!({ "weight": weight.to_string(), "experts": there })
            };
            let case = json!({
                "scores_of_classes_then_experts": show(&mixture.s),
                "availability": mixture.sets.iter().map(sets).collect::<Vec<_>>(),
                "optimum": show(&found.scores),
                "misled_with_experts": set.experts().collect::<Vec<_>>(),
                "gap_per_round": found.gap.to_string(),
                "true_regret_per_round": regret.to_string(),
            });
            worst = Some((regret, case));
        }
    }
    Ok((cells, wrong, worst))
}

fn cstnd_sq() -> Checked {
    let mut mixtures = Vec::new();
    for (top, expert, availability) in grid() {
        let p = [top.clone(), ratio(1, 1) - top];
        mixtures.push(Mixture::independent(&p, &[expert], &[availability])?);
    }
    let (cells, wrong, worst) = worst_of(SquaredSurrogate::CstndSq, mixtures)?;
    Ok(misled(cells, wrong, worst, NEWTON))
}

fn sum_sq() -> Checked {
    let (cells, wrong, worst) = worst_of(SquaredSurrogate::SumSq, together()?)?;
    let (independent, of_these, _) = worst_of(SquaredSurrogate::SumSq, apart()?)?;
    Ok(misled(cells, wrong, worst, NEWTON)
        .with("independent_mixtures", independent)
        .with("of_these_misled", of_these)
        .with(
            "remark",
            "the zero-gap hypothesis fails either way. If experts are available independently of \
             each other, the order of actions is still right (see the argument in \
             theory::availability)",
        ))
}

/// Two experts who are only there together: a good one and a poor one.
fn together() -> Result<Vec<Mixture>, CheckFailure> {
    let space = ActionSpace::new(2, 2)?;
    let mut mixtures = Vec::new();
    for top in [6, 7, 8] {
        for ahead in [1, 2] {
            for poor in [0, 1, 2] {
                for there in [1, 2, 5] {
                    let s = vec![
                        ratio(top, 10),
                        ratio(10 - top, 10),
                        ratio(10 * top + ahead, 100),
                        ratio(poor, 10),
                    ];
                    let weight = ratio(there, 10);
                    let sets = vec![
                        (weight.clone(), space.all_active()),
                        (ratio(1, 1) - weight, space.classes_only()),
                    ];
                    mixtures.push(Mixture { space, s, sets });
                }
            }
        }
    }
    Ok(mixtures)
}

/// The same experts, each for itself.
fn apart() -> Result<Vec<Mixture>, CheckFailure> {
    let mut mixtures = Vec::new();
    for mixture in together()? {
        let (p, experts) = mixture.s.split_at(2);
        let often = mixture.sets[0].0.clone();
        mixtures.push(Mixture::independent(p, experts, &[often.clone(), often])?);
    }
    Ok(mixtures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_vectors_are_noticed() {
        let context = Context::default();
        for index in [0, 1, 2, 5] {
            assert_eq!(smooth(&context, index, 1.0).unwrap().verdict(), Verdict::Holds);
            assert_eq!(smooth(&context, index, 1.02).unwrap().verdict(), Verdict::Fails);
        }
        // Half as sharp is still sharp; upside down is not.
        assert_eq!(smooth(&context, 3, 1.0).unwrap().verdict(), Verdict::Holds);
        assert_eq!(smooth(&context, 3, -1.0).unwrap().verdict(), Verdict::Fails);
        assert_eq!(ramps(&context, true, true).unwrap().verdict(), Verdict::Holds);
        assert_eq!(ramps(&context, true, false).unwrap().verdict(), Verdict::Fails);
        assert_eq!(ramps(&context, false, false).unwrap().verdict(), Verdict::Holds);
    }

    #[test]
    fn what_never_misleads_is_not_called_failing() {
        assert_eq!(misled(5, 0, None, "").verdict(), Verdict::Holds);
        let (cells, wrong, worst) = worst_of(SquaredSurrogate::SumSq, apart().unwrap()).unwrap();
        assert!(cells > 50 && wrong == 0 && worst.is_none());
    }
}

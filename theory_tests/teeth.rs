//! The checks of the implementation against learners with one deliberate fault, and against healthy
//! ones with many seeds.

use super::{Fault, FaultyLearner, TeethTable};
use crate::claims::implementation::{CHECKS, CLAIMS, Failure, check};
use crate::claims::{Context, Verdict};
use crate::subject::InProcess;
use rayon::prelude::*;
use std::sync::LazyLock;

#[test]
fn every_saboteur_is_caught_and_every_check_catches_one() {
    assert!(Fault::ALL.len() >= 25);
    for (seed, table) in [(1, &*FIRST), (2, &TeethTable::build(2)), (3, &TeethTable::build(3))] {
        assert_eq!(table.rows.len(), Fault::ALL.len());
        assert_eq!(table.problems(), Vec::<String>::new(), "seed {seed}");
    }
}

/// The table of seed 1, which two tests look at.
static FIRST: LazyLock<TeethTable> = LazyLock::new(|| TeethTable::build(1));

#[test]
fn missing_teeth_are_noticed() {
    let mut table = FIRST.clone();
    for catch in &mut table.rows[0].checks {
        catch.caught = None;
    }
    table.healthy.checks[0].caught = Some("a made-up reason".into());
    for row in &mut table.rows {
        row.checks.last_mut().unwrap().caught = None;
    }
    let problems = table.problems();
    let name = table.rows[0].saboteur;
    assert!(problems.contains(&format!("no check catches {name} ({})", table.rows[0].fault)));
    assert!(problems.iter().any(|p| p.contains("accuses a healthy learner: a made-up reason")));
    let last = CHECKS.last().unwrap().id;
    assert!(problems.contains(&format!("{last} catches no saboteur")), "{problems:?}");
}

/// The fault that a check is named after is caught by that check, not just by some other one.
#[test]
fn faults_are_caught_where_they_belong() {
    let expected = [
        (Fault::UnavailableLeaks, "impl-active-set", "is not available"),
        (Fault::ScoresNotProjected, "impl-scores", "not to 0"),
        (Fault::GammaRoot, "impl-mixture", "gamma ="),
        (Fault::ShareOfAll, "impl-mixture", "expected"),
        (Fault::ExploresAll, "impl-mixture", "not to 1"),
        (Fault::TiesToHighest, "impl-ties", "lowest index"),
        (Fault::NoImportanceWeight, "impl-unbiased-gradient", "biased for action"),
        (Fault::CostAsReward, "impl-importance-weight", "at cost"),
        (Fault::ExplorationWeight, "impl-monte-carlo", "with certainty between"),
        (Fault::NoTwoActionRule, "impl-two-actions", "so the label is"),
        (Fault::FullExplores, "impl-full-feedback", "full feedback"),
        (Fault::NotProjected, "impl-projected-gradient", "the gradient is not projected"),
        (Fault::AbsentRowsDecay, "impl-projected-gradient", "who is absent"),
        (Fault::BiasMissing, "impl-outer-product", "multiple of (x, 1)"),
        (Fault::KinkOne, "impl-kink", "at the kink"),
        (Fault::ScheduleAhead, "impl-step-size", "the one of t = 2"),
        (Fault::ScheduleBehind, "impl-step-size", "the one of t = 1"),
        (Fault::AdagradNoRoot, "impl-adagrad", "AdaGrad"),
        (Fault::NoBall, "impl-ball", "outside the ball"),
        (Fault::StaleNorm, "impl-ball", "outside the ball"),
        (Fault::BallByRow, "impl-ball", "the ball of radius"),
        (Fault::StaleNorm, "impl-long-run", "after round"),
        (Fault::RoundWraps, "impl-long-run", "gamma"),
        (Fault::WeightsSurvive, "impl-restart", "a new start"),
        (Fault::SquaresSurvive, "impl-restart", "a new start"),
        (Fault::LookingAdvances, "impl-repeatable", "asking for the weights"),
        (Fault::Dither, "impl-repeatable", "same inputs"),
        (Fault::AcceptsAnything, "impl-refusals", "before any decision"),
        (Fault::WideTail, "impl-sizes", "features"),
        (Fault::NinthExpert, "impl-sizes", "expert 8"),
        (Fault::HugeClipped, "impl-inputs", "of size up to"),
        (Fault::TinyDropped, "impl-inputs", "of size up to"),
        (Fault::CostCapped, "impl-costs", "costs"),
        (Fault::FreeExpert, "impl-costs", "costs ends"),
        (Fault::RareBias, "impl-combinations", "the bias"),
        (Fault::TinyBall, "impl-combinations", "B ="),
        (Fault::GammaFloor, "impl-late", "gamma"),
        (Fault::RoundSixteen, "impl-late", "gamma"),
        (Fault::HugeDim, "impl-sizes", "50000 features"),
        (Fault::FullHouse, "impl-sizes", "64 experts"),
        (Fault::VeryHuge, "impl-inputs", "of size up to 1e9"),
        (Fault::VeryTiny, "impl-inputs", "of size up to 1e-11"),
        (Fault::RepeatedInput, "impl-inputs", "the projected score"),
        (Fault::CostHair, "impl-costs", "costs ends"),
        (Fault::LargeBall, "impl-combinations", "B ="),
        (Fault::LongAbsence, "impl-returns", "after round"),
        (Fault::LateAlone, "impl-late", "after round 6000"),
        (Fault::AdagradForgets, "impl-late", "after round"),
        (Fault::FullFrozen, "impl-late", "after round"),
        (Fault::CrowdedWide, "impl-combinations", "expert"),
    ];
    for (fault, id, words) in expected {
        let run = check(id).unwrap().run;
        match run(&mut FaultyLearner::new(fault), 1) {
            Err(Failure::Wrong(sentence)) => {
                assert!(sentence.contains(words), "{fault:?} under {id}: {sentence}");
            }
            other => panic!("{fault:?} under {id}: {other:?}"),
        }
    }
}

/// A bias is named with the numbers a person can recompute: with an importance weight left out,
/// what is seen of an action is its value times its probability.
#[test]
fn a_bias_is_explained() {
    let run = check("impl-unbiased-gradient").unwrap().run;
    let Err(Failure::Wrong(sentence)) = run(&mut FaultyLearner::new(Fault::CostAsReward), 1) else {
        panic!("not caught");
    };
    let number = |after: &str| -> f64 {
        let start = sentence.find(after).unwrap() + after.len();
        let text: String =
            sentence[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        text.parse().unwrap()
    };
    let (expected, got) = (number("expected "), number("got "));
    assert!((expected + got - 1.0).abs() < 2e-3, "1 - c and c: {sentence}");
    assert!(sentence.contains("(expert "), "{sentence}");
}

/// No seed may accuse a healthy learner: neither ours nor the one the faults are put into.
#[test]
fn healthy_learners_pass_with_many_seeds() {
    (1..=50u64).into_par_iter().for_each(|seed| {
        for check in CHECKS {
            for (name, verdict) in [
                ("ours", (check.run)(&mut InProcess::default(), seed)),
                ("plain", (check.run)(&mut FaultyLearner::healthy(), seed)),
            ] {
                assert!(verdict.is_ok(), "{} on {name}, seed {seed}: {verdict:?}", check.id);
            }
        }
    });
}

#[test]
fn the_statistical_check_sees_a_missing_weight_with_every_seed() {
    let run = check("impl-monte-carlo").unwrap().run;
    for seed in 1000..1010 {
        let verdict = run(&mut FaultyLearner::new(Fault::NoImportanceWeight), seed);
        assert!(verdict.is_err(), "seed {seed} does not see it");
    }
}

#[test]
fn the_ledger_has_every_check_and_its_verdict_comes_from_the_check() {
    assert_eq!(CLAIMS.len(), CHECKS.len());
    for (claim, check) in CLAIMS.iter().zip(CHECKS) {
        assert_eq!(claim.id, check.id);
        assert!(claim.id.starts_with("impl-"));
        let outcome = (claim.check)(&Context::default()).unwrap();
        let expected = match claim.id {
            "impl-monte-carlo" => Verdict::Consistent,
            _ => Verdict::Holds,
        };
        assert_eq!(outcome.verdict(), expected, "{}: {}", claim.id, outcome.summary);
        assert_eq!(Ok(outcome.summary), (check.run)(&mut InProcess::default(), 1));
    }
}

#[test]
fn names_are_unique_and_found() {
    for &fault in Fault::ALL {
        assert_eq!(Fault::named(fault.name()), Some(fault));
        assert!(!fault.what().is_empty());
    }
    assert_eq!(Fault::named("none"), None);
}

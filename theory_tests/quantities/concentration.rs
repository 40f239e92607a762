//! The concentrated-score condition: exact decisions against floating point and the definition.

use super::super::concentration::{Concentration, Horizon, expert_limit};
use num_traits::ToPrimitive;
use problem::{ActionSpace, RoundLaw};
use proptest::prelude::*;
use theory::{Rational, Scores, ratio};

/// Class weights dominated by the first, and small expert scores: the condition holds for
/// horizons of every size.
fn round() -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    let dominant = prop_oneof![0..50i64, 1_000..100_000i64];
    let classes = (dominant, prop::collection::vec(0..5i64, 1..4));
    let expert = prop_oneof![Just(0i64), 1..200i64, 0..=1_000_000i64];
    (classes, prop::collection::vec(expert, 0..3)).prop_map(|((first, mut rest), experts)| {
        rest.insert(0, first + 1);
        (rest, experts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_condition_and_what_follows_from_it(
        (classes, experts) in round(), t in prop_oneof![1..40u64, 1..2_000_000_000u64]
    ) {
        let total: i64 = classes.iter().sum();
        let mut s: Vec<Rational> = classes.iter().map(|&w| ratio(w, total)).collect();
        s.extend(experts.iter().map(|&e| ratio(e, 1_000_000)));
        let exact = Concentration::new(classes.len(), s.clone()).unwrap();
        prop_assert_eq!(exact.holds(t), exact.largest_horizon().reaches(t));

        let float: Vec<f64> = s.iter().map(|v| v.to_f64().unwrap()).collect();
        let share = float.iter().copied().fold(0.0, f64::max) / float.iter().sum::<f64>();
        let margin = share - (1.0 - 1.0 / (t as f64).sqrt());
        if margin.abs() > 1e-12 {
            prop_assert_eq!(exact.holds(t), margin > 0.0);
        }
        if exact.holds(t) && t > 4 {
            prop_assert!(exact.has_consequences(t), "{:?}", s);
            let sum: f64 = float[classes.len()..].iter().sum();
            prop_assert!(sum <= expert_limit(t).unwrap() * (1.0 + 1e-12));
            prop_assert!(exact.best() < classes.len());
        }
        if exact.best() >= classes.len() {
            prop_assert!(exact.largest_horizon() <= Horizon::UpTo(4));
        }
    }

    #[test]
    fn no_label_distribution_beats_a_certain_label(
        weights in prop::collection::vec(0..20u32, 3),
        costs in prop::collection::vec(prop::collection::vec(0..=16u32, 3), 2),
    ) {
        let total: u32 = weights.iter().sum();
        prop_assume!(total > 0);
        let space = ActionSpace::new(3, 2).unwrap();
        let p: Vec<f64> = weights.iter().map(|&w| f64::from(w) / f64::from(total)).collect();
        // Sixteenths are exact, so only the label probabilities are rounded.
        let costs: Vec<Vec<f64>> =
            costs.iter().map(|row| row.iter().map(|&c| f64::from(c) / 16.0).collect()).collect();
        let horizon = |p: &[f64]| {
            let law = RoundLaw::new(space, p, &costs).unwrap();
            let scores = Scores::from_law(&law, space.all_active()).unwrap();
            Concentration::of(&scores).unwrap().largest_horizon()
        };
        // The condition is linear in the label distribution, so a certain label is best.
        let sure = |y: usize| {
            let mut p = [0.0; 3];
            p[y] = 1.0;
            horizon(&p)
        };
        prop_assert!(horizon(&p) <= (0..3).map(sure).max().unwrap());
    }
}

//! The fast learner against its plain dense twin, round by round. Compiled into `learner`, which shows it what
//! it shows nobody else.

use crate::made_up_rounds::{Scenario, relative_distance};
use crate::{Algorithm1, Config, Optimizer, PlainLearner, Policy, Schedule, Surrogate};
use problem::{Feedback, FeedbackKind};

/// Agreement asked of the weights, relative to the norm of the plain ones.
const AGREEMENT: f64 = 1e-11;

/// Plays the same rounds and actions through both; returns the share of rounds in which the ball
/// was reached, so that a test can insist that it was.
fn compare(config: Config, scenario: Scenario, sparse: bool, rounds: u64) -> f64 {
    let mut fast = Algorithm1::new(config.clone()).unwrap();
    let mut plain = PlainLearner::new(config.clone()).unwrap();
    let mut source = scenario.start();
    let mut at_the_ball = 0u64;
    for t in 1..=rounds {
        let round = source.next_round();
        let x = if sparse { round.sparse() } else { round.dense() };
        let (greedy, action) = {
            let decision = plain.decide(round.dense(), round.active).unwrap();
            (decision.greedy, decision.sample(round.quantile))
        };
        let decision = fast.decide(x, round.active).unwrap();
        assert_eq!(decision.greedy, greedy, "round {t}");
        let feedback = match config.feedback {
            FeedbackKind::Full => Feedback::Full { label: round.label, costs: &round.costs },
            _ => round.bandit(action),
        };
        fast.observe(feedback).unwrap();
        plain.observe(feedback).unwrap();
        at_the_ball += u64::from(config.radius.is_some_and(|b| plain.norm() > b * (1.0 - 1e-9)));
        if t % 1000 == 0 || t == rounds || t < 20 {
            let distance = relative_distance(&fast.weights(), plain.weights());
            assert!(distance <= AGREEMENT, "round {t}: {distance:e}");
        }
    }
    assert!(plain.norm() > 0.0, "nothing was learned");
    at_the_ball as f64 / rounds as f64
}

fn config(scenario: &Scenario, optimizer: Optimizer, schedule: Schedule, radius: f64) -> Config {
    Config {
        radius: Some(radius),
        optimizer,
        schedule,
        ..Config::new(scenario.space, scenario.dim)
    }
}

#[test]
fn ogd_with_a_small_ball_over_100_000_rounds() {
    let scenario = Scenario::new(6, 3, 12, 11);
    let config = config(&scenario, Optimizer::Ogd, Schedule::General, 0.05);
    let share = compare(config, scenario, false, 100_000);
    assert!(share > 0.25, "the ball was active in only {share} of the rounds");
}

#[test]
fn ogd_on_sparse_rows_over_100_000_rounds() {
    let scenario = Scenario::new(4, 3, 30, 12);
    let config = config(&scenario, Optimizer::Ogd, Schedule::EXPERIMENT, 0.02);
    let share = compare(config, scenario, true, 100_000);
    assert!(share > 0.25, "the ball was active in only {share} of the rounds");
}

#[test]
fn adagrad_with_a_small_ball_over_100_000_rounds() {
    let scenario = Scenario::new(4, 3, 10, 13);
    let config = config(&scenario, Optimizer::ADAGRAD, Schedule::EXPERIMENT, 1.0);
    let share = compare(config, scenario, true, 100_000);
    assert!(share > 0.25, "the ball was active in only {share} of the rounds");
}

#[test]
fn adagrad_on_dense_rows_over_100_000_rounds() {
    let scenario = Scenario::new(2, 5, 8, 14);
    let config = config(&scenario, Optimizer::ADAGRAD, Schedule::General, 0.7);
    let share = compare(config, scenario, false, 100_000);
    assert!(share > 0.25, "the ball was active in only {share} of the rounds");
}

/// Every convex surrogate, both optimisers, bandit and full feedback, with and without a ball,
/// two classes (so that the K = 2 rule is used) and more.
#[test]
fn every_convex_surrogate_and_feedback() {
    let mut runs = 0;
    for name in Surrogate::NAMES {
        let surrogate = Surrogate::from_name(name, 0.7, 1.0).unwrap();
        if !surrogate.is_convex() {
            continue;
        }
        for optimizer in [Optimizer::Ogd, Optimizer::ADAGRAD] {
            for feedback in [FeedbackKind::Bandit, FeedbackKind::Full] {
                for (n, radius) in [(2, Some(0.5)), (3, None), (5, Some(2.0))] {
                    let scenario = Scenario::new(n, 2, 5, 100 + runs);
                    let config = Config {
                        radius,
                        optimizer,
                        surrogate,
                        feedback,
                        schedule: Schedule::EXPERIMENT,
                        ..Config::new(scenario.space, scenario.dim)
                    };
                    compare(config, scenario, runs % 2 == 0, 2000);
                    runs += 1;
                }
            }
        }
    }
    assert_eq!(runs, 6 * 2 * 2 * 3);
}

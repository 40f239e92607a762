//! The learner from outside: bad input, saving and restoring, allocation, and whether it learns.

use crate::made_up_rounds;

use deferlab::learner::{Algorithm1, Config, LearnerError, Optimizer, Policy, Schedule};
use deferlab::problem::{ActionSpace, Features, Feedback, FeedbackKind, ProblemError, SparseRow};
use made_up_rounds::Scenario;

fn state(learner: &Algorithm1) -> String {
    serde_json::to_string(learner).unwrap()
}

fn configs(scenario: Scenario) -> Vec<Config> {
    let base = Config { radius: Some(0.5), ..Config::new(scenario.space, scenario.dim) };
    vec![
        base.clone(),
        Config { optimizer: Optimizer::ADAGRAD, schedule: Schedule::EXPERIMENT, ..base.clone() },
        Config {
            feedback: FeedbackKind::Full,
            radius: None,
            schedule: Schedule::EXPERIMENT,
            ..base
        },
    ]
}

/// Plays `rounds` rounds and returns what was decided.
fn advance(
    learner: &mut Algorithm1,
    source: &mut made_up_rounds::Source,
    rounds: usize,
) -> Vec<u64> {
    let mut seen = Vec::new();
    for t in 0..rounds {
        let round = source.next_round();
        let x = if t % 2 == 0 { round.sparse() } else { round.dense() };
        let decision = learner.decide(x, round.active).unwrap();
        seen.extend(decision.q.iter().chain(decision.scores).map(|v| v.to_bits()));
        let action = decision.sample(round.quantile);
        let feedback = match learner.feedback() {
            FeedbackKind::Bandit => round.bandit(action),
            _ => Feedback::Full { label: round.label, costs: &round.costs },
        };
        learner.observe(feedback).unwrap();
    }
    seen
}

#[test]
fn a_restored_learner_goes_on_bit_for_bit() {
    let scenario = Scenario::new(4, 3, 9, 21);
    for config in configs(scenario) {
        let mut learner = Algorithm1::new(config).unwrap();
        let mut source = scenario.start();
        advance(&mut learner, &mut source, 777);
        // In the middle of a round, with the question open.
        let round = source.next_round();
        learner.decide(round.sparse(), round.active).unwrap();
        let saved = state(&learner);
        let mut restored: Algorithm1 = serde_json::from_str(&saved).unwrap();
        assert_eq!(state(&restored), saved);
        let feedback = match learner.feedback() {
            FeedbackKind::Bandit => round.bandit(scenario.space.class(0).unwrap()),
            _ => Feedback::Full { label: round.label, costs: &round.costs },
        };
        learner.observe(feedback).unwrap();
        restored.observe(feedback).unwrap();
        let mut again = scenario.start();
        for _ in 0..778 {
            again.next_round();
        }
        let expected = advance(&mut learner, &mut source, 500);
        assert_eq!(advance(&mut restored, &mut again, 500), expected);
        assert_eq!(state(&restored), state(&learner));
    }
}

/// A step waits for the next decision, and nobody can tell: a learner that is asked for its weights,
/// cloned, saved, asked nonsense or asked twice in between goes on like one that is left alone.
#[test]
fn a_step_that_waits_is_seen_by_everybody() {
    for (n, n_e, dim) in [(4, 3, 9), (2, 1, 2), (6, 3, 120), (8, 59, 16)] {
        let scenario = Scenario::new(n, n_e, dim, 26);
        for config in configs(scenario) {
            let mut alone = Algorithm1::new(config).unwrap();
            let mut watched = alone.clone();
            let mut source = scenario.start();
            for t in 0..200 {
                let round = source.next_round();
                // Dense after dense, sparse after dense, dense after sparse.
                let x = if t % 3 < 2 { round.dense() } else { round.sparse() };
                if t % 5 == 1 {
                    let nan = vec![f64::NAN; dim];
                    assert!(watched.decide(Features::Dense(&nan), round.active).is_err());
                }
                if t % 7 == 2 {
                    watched.decide(round.sparse(), scenario.space.all_active()).unwrap();
                }
                let expected = alone.decide(x, round.active).unwrap();
                let decision = watched.decide(x, round.active).unwrap();
                assert_eq!(decision, expected, "round {t}");
                let action = expected.sample(round.quantile);
                let feedback = match alone.feedback() {
                    FeedbackKind::Bandit => round.bandit(action),
                    _ => Feedback::Full { label: round.label, costs: &round.costs },
                };
                alone.observe(feedback).unwrap();
                watched.observe(feedback).unwrap();
                let (weights, norm) = (watched.weights(), watched.norm());
                let saved: Algorithm1 = serde_json::from_str(&state(&watched)).unwrap();
                assert_eq!((saved.weights(), saved.norm()), (weights, norm), "round {t}");
                watched = if t % 2 == 0 { watched.clone() } else { saved };
            }
            assert_eq!(state(&watched), state(&alone));
        }
    }
}

#[test]
fn a_state_that_does_not_fit_together_is_refused() {
    let scenario = Scenario::new(3, 2, 2, 22);
    let mut learner = Algorithm1::new(configs(scenario)[1].clone()).unwrap();
    advance(&mut learner, &mut scenario.start(), 50);
    let saved: serde_json::Value = serde_json::from_str(&state(&learner)).unwrap();
    let refuse = |pointer: &str, value: serde_json::Value| {
        let mut broken = saved.clone();
        *broken.pointer_mut(pointer).unwrap() = value;
        serde_json::from_value::<Algorithm1>(broken).unwrap_err().to_string()
    };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert!(refuse("/format", json("99")).contains("format 99"));
    assert!(refuse("/t", json("0")).contains("t = 0"));
    assert!(refuse("/weights/columns", json("[]")).contains("0 columns"));
    assert!(refuse("/weights/columns/1", json("[1.0]")).contains("weights[1] has 1"));
    assert!(refuse("/weights/scale", json("-1.0")).contains("scale"));
    assert!(refuse("/accumulator", json("null")).contains("accumulator"));
    assert!(refuse("/config/radius", json("-2.0")).contains("radius = -2"));
    assert!(refuse("/config/space", json(r#"{"n":1,"n_e":1}"#)).contains("n = 1"));
    assert!(serde_json::from_value::<Algorithm1>(saved.clone()).is_ok());
}

/// Every refusal leaves the learner exactly as it was, open question included.
#[test]
fn errors_leave_no_trace() {
    let scenario = Scenario::new(3, 2, 4, 23);
    for config in configs(scenario) {
        let mut learner = Algorithm1::new(config.clone()).unwrap();
        let mut source = scenario.start();
        let nothing = Feedback::Bandit {
            action: scenario.space.class(0).unwrap(),
            correct: true,
            cost: None,
        };
        assert_eq!(learner.observe(nothing), Err(LearnerError::NothingDecided { t: 1 }));
        advance(&mut learner, &mut source, 40);
        let only_one = scenario.space.active([1]).unwrap();
        learner.decide(Features::Dense(&[0.1, -0.2, 0.3, 0.4]), only_one).unwrap();
        let before = state(&learner);

        let elsewhere = ActionSpace::new(3, 3).unwrap().all_active();
        let questions: [(&[f64], _, &str); 6] = [
            (&[0.0; 3], only_one, "dimension 3, expected 4"),
            (&[0.0, f64::NAN, 0.0, 0.0], only_one, "feature 1 = NaN"),
            (&[0.0, 0.0, f64::INFINITY, 0.0], only_one, "feature 2 = inf"),
            (&[f64::NEG_INFINITY, 0.0, 0.0, 0.0], only_one, "feature 0 = -inf"),
            (&[1e200, 1e200, 0.0, 0.0], only_one, "overflows"),
            (&[0.0; 4], elsewhere, "3 experts"),
        ];
        for (x, active, part) in questions {
            let message = learner.decide(Features::Dense(x), active).unwrap_err().to_string();
            assert!(message.starts_with("round 41:") && message.contains(part), "{message}");
            assert_eq!(state(&learner), before, "{message}");
        }
        let row = SparseRow::new(5, &[4], &[1.0]).unwrap();
        assert!(learner.decide(row.into(), only_one).is_err());
        assert_eq!(state(&learner), before);

        let action = |index| ActionSpace::new(3, 9).unwrap().action(index).unwrap();
        let bandit = |index, cost| Feedback::Bandit { action: action(index), correct: true, cost };
        let mut outcomes = vec![];
        if config.feedback == FeedbackKind::Bandit {
            outcomes.extend([
                (bandit(3, Some(0.5)), "expert 0) was not available"),
                (bandit(7, Some(0.5)), "action 7 does not exist"),
                (bandit(4, None), "needs the cost"),
                (bandit(4, Some(-0.1)), "cost = -0.1"),
                (bandit(4, Some(f64::NAN)), "cost = NaN"),
                (bandit(0, Some(0.5)), "no expert cost"),
                (Feedback::Full { label: 0, costs: &[0.0, 0.0] }, "set up for bandit"),
            ]);
        } else {
            outcomes.extend([
                (Feedback::Full { label: 3, costs: &[0.0, 0.0] }, "class 3 does not exist"),
                (Feedback::Full { label: 0, costs: &[0.0] }, "costs has 1 entries"),
                (Feedback::Full { label: 0, costs: &[0.0, 1.5] }, "costs[1] = 1.5"),
                (bandit(0, None), "set up for full"),
            ]);
        }
        for (feedback, part) in outcomes {
            let message = learner.observe(feedback).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
            assert_eq!(state(&learner), before, "{message}");
        }
        // And the round can still be finished.
        let finish = match config.feedback {
            FeedbackKind::Bandit => bandit(4, Some(0.5)),
            _ => Feedback::Full { label: 0, costs: &[0.0, 0.5] },
        };
        learner.observe(finish).unwrap();
        assert_ne!(state(&learner), before);
    }
}

/// A step that would overflow is refused; without a ball nothing else would stop it.
#[test]
fn overflow_is_an_error_not_a_corruption() {
    use deferlab::learner::Surrogate;
    let space = ActionSpace::new(3, 0).unwrap();
    let schedule = Schedule::PowerLaw {
        eta0: 1e150,
        eta_power: 0.0,
        gamma0: 1.0,
        gamma_power: 0.0,
        gamma_max: 1.0,
    };
    let config =
        Config { radius: None, schedule, surrogate: Surrogate::CompExp, ..Config::new(space, 1) };
    let mut learner = Algorithm1::new(config).unwrap();
    let mut refused = false;
    for _ in 0..10 {
        let before = state(&learner);
        if let Err(error) = learner.decide(Features::Dense(&[1e100]), space.classes_only()) {
            assert!(matches!(error, LearnerError::Overflow { .. }), "{error}");
            assert_eq!(state(&learner), before);
            refused = true;
            break;
        }
        let before = state(&learner);
        let action = space.class(1).unwrap();
        if let Err(error) = learner.observe(Feedback::Bandit { action, correct: true, cost: None })
        {
            assert!(matches!(error, LearnerError::Overflow { .. }), "{error}");
            assert_eq!(state(&learner), before);
            refused = true;
            break;
        }
    }
    assert!(refused);
    assert!(learner.weights().iter().flatten().all(|w| w.is_finite()));
}

#[test]
fn bandit_rounds_need_exploration() {
    let space = ActionSpace::new(2, 1).unwrap();
    let schedule = Schedule::PowerLaw {
        eta0: 0.1,
        eta_power: 0.5,
        gamma0: 0.0,
        gamma_power: 0.0,
        gamma_max: 0.5,
    };
    let mut learner = Algorithm1::new(Config { schedule, ..Config::new(space, 1) }).unwrap();
    let x = Features::Dense(&[1.0]);
    assert!(matches!(
        learner.decide(x, space.all_active()),
        Err(LearnerError::NoExploration { t: 1, .. })
    ));
    // With two classes and nobody to ask the label is known anyway.
    assert!(learner.decide(x, space.classes_only()).is_ok());
}

/// Once the buffers have grown to the largest input, a round allocates nothing.
#[test]
fn rounds_do_not_allocate() {
    let scenario = Scenario::new(5, 3, 20, 24);
    for config in configs(scenario) {
        let mut learner = Algorithm1::new(config.clone()).unwrap();
        let mut source = scenario.start();
        let rounds: Vec<_> = (0..300).map(|_| source.next_round()).collect();
        let mut play = |use_sparse: bool| {
            for round in &rounds {
                let x = if use_sparse { round.sparse() } else { round.dense() };
                let decision = learner.decide(x, round.active).unwrap();
                let action = decision.sample(round.quantile);
                let feedback = match config.feedback {
                    FeedbackKind::Bandit => round.bandit(action),
                    _ => Feedback::Full { label: round.label, costs: &round.costs },
                };
                learner.observe(feedback).unwrap();
            }
        };
        play(true);
        play(false);
        let counted = allocation_counter::measure(|| {
            play(true);
            play(false);
        });
        assert_eq!(counted.count_total, 0, "{config:?}");
    }
}

/// Sanity that no identity can give: on an easy stream it gets better than guessing by far.
#[test]
fn it_learns() {
    let scenario = Scenario::new(3, 2, 6, 25);
    let config = Config {
        optimizer: Optimizer::ADAGRAD,
        schedule: Schedule::EXPERIMENT,
        ..Config::new(scenario.space, scenario.dim)
    };
    let mut learner = Algorithm1::new(config).unwrap();
    let mut source = scenario.start();
    let (mut early, mut late) = (0.0, 0.0);
    for t in 0..40_000 {
        let round = source.next_round();
        let action = learner.decide(round.dense(), round.active).unwrap().sample(round.quantile);
        let Feedback::Bandit { correct, cost, .. } = round.bandit(action) else { unreachable!() };
        let loss = cost.unwrap_or(f64::from(!correct));
        if t < 1000 {
            early += loss / 1000.0;
        } else if t >= 35_000 {
            late += loss / 5000.0;
        }
        learner.observe(round.bandit(action)).unwrap();
    }
    assert!(late < 0.75 * early, "{early} then {late}");
}

#[test]
fn errors_name_the_round_and_the_problem() {
    let source = ProblemError::DimensionMismatch { got: 3, expected: 4 };
    let error = LearnerError::Round { t: 17, source };
    assert_eq!(error.to_string(), "round 17: features have dimension 3, expected 4");
}

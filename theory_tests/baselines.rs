//! What the policies that learners are compared with must do, on a stream whose law is known.

use deferlab::lab::stream::{LawItem, Laws, Stream, StreamRound};
use deferlab::lab::{Event, play};
use deferlab::learner::baseline::*;
use deferlab::learner::{
    Config, Exploration, LearnerError, LinearConfig, Policy, RidgeCb, RidgeCbConfig,
};
use deferlab::problem::{ActionSpace, Features, Feedback, RoundLaw};
use rand::SeedableRng;
use rand_pcg::Pcg64;

fn space() -> ActionSpace {
    ActionSpace::new(2, 2).unwrap()
}

/// Two contexts; label 0 or 1 nearly surely by context; expert 0 is poor, expert 1 is good.
fn stream(seed: u64) -> Box<dyn Stream> {
    let item = |x: f64, p: [f64; 2], available: &[usize]| LawItem {
        weight: 1.0,
        x: vec![x],
        active: space().active(available.iter().copied()).unwrap(),
        law: RoundLaw::new(space(), &p, &[[0.8, 0.8], [0.3, 0.3]]).unwrap(),
    };
    let items = vec![
        item(1.0, [0.95, 0.05], &[0, 1]),
        item(-1.0, [0.05, 0.95], &[0]),
        item(1.0, [0.95, 0.05], &[]),
        item(-1.0, [0.05, 0.95], &[1]),
    ];
    Laws::Drawn(items).open(seed).unwrap()
}

fn mean_loss(policy: &mut dyn Policy) -> f64 {
    let mut loss = 0.0;
    let mut add = |event: &Event<'_>| loss += event.loss;
    let rounds = 20_000;
    let mut rng = Pcg64::seed_from_u64(5);
    assert_eq!(play(policy, stream(3).as_mut(), &mut rng, rounds, &mut [&mut add]), Ok(rounds));
    loss / rounds as f64
}

/// Expected losses by hand: 4 equally likely rounds; a class guess costs 1/2, the experts 0.8 and
/// 0.3, the right class 0.05. Deviations are 4 standard errors of a mean of 20,000.
#[test]
fn losses_by_hand() {
    let close = |got: f64, expected: f64| {
        assert!((got - expected).abs() < 4.0 * 0.5 / 20_000f64.sqrt(), "{got} not {expected}");
    };
    let uniform = (2.1 / 4.0 + 1.8 / 3.0 + 0.5 + 1.3 / 3.0) / 4.0;
    close(mean_loss(&mut Uniform::new(space())), uniform);
    close(mean_loss(&mut Oracle::new(space())), 0.05);
    let mut fixed = FixedExpert::new(space(), &[0.8, 0.3]).unwrap();
    close(mean_loss(&mut fixed), (0.3 + 0.8 + 0.5 + 0.3) / 4.0);
    // Ranked the wrong way round, the poor expert is asked first.
    let mut wrong = FixedExpert::new(space(), &[0.3, 0.8]).unwrap();
    close(mean_loss(&mut wrong), (0.8 + 0.8 + 0.5 + 0.3) / 4.0);
}

#[test]
fn classifiers_learn_and_only_one_defers() {
    let config = Config::new(space(), 1);
    let mut classifier = ClassifierOnly::new(config.clone()).unwrap();
    let loss = mean_loss(&mut classifier);
    // 0.05 plus what exploration costs: gamma = t^(-1/3) averages 0.055 over 20,000 rounds.
    assert!(loss < 0.12, "{loss}");
    let mut shy = ConfidenceThreshold::new(config.clone(), 1.0).unwrap();
    // A confidence of exactly one is never reached: everything with an expert is deferred.
    let loss = mean_loss(&mut shy);
    assert!(loss > (0.55 + 0.8 + 0.3) / 4.0 && loss < (0.55 + 0.8 + 0.3 + 0.2) / 4.0, "{loss}");
    let mut bold = ConfidenceThreshold::new(config, 0.0).unwrap();
    assert!(mean_loss(&mut bold) < 0.12);
}

/// Linear models see the context and come close to the oracle's 0.05; means do not, and learn that
/// the good expert is worth asking whenever he is there: 0.3 in two rounds of four, a guess otherwise.
#[test]
fn textbook_policies_learn_what_they_can() {
    let linear = LinearConfig::new(space(), 1);
    assert!(mean_loss(&mut LinUcb::new(linear, 0.5).unwrap()) < 0.07);
    let mut rng = Pcg64::seed_from_u64(9);
    let mut normal = deferlab::lab::stream::Normal::default();
    let draw = move || normal.draw(&mut rng);
    assert!(mean_loss(&mut LinearThompson::new(linear, 0.25, draw).unwrap()) < 0.07);
    let loss = mean_loss(&mut RidgeCb::new(RidgeCbConfig::new(space(), 1)).unwrap());
    // Inverse gaps of about 0.6 with gamma = sqrt(t): some 2 / (0.6 sqrt(20,000)) of exploration.
    assert!(loss < 0.10, "{loss}");
    let greedy = Exploration::Uniform { gamma0: 0.05, power: 0.0 };
    let loss = mean_loss(&mut RunningMeans::new(space(), greedy).unwrap());
    assert!((loss - (0.3 + 0.5 + 0.5 + 0.3) / 4.0).abs() < 0.04, "{loss}");
}

#[test]
fn wrong_use_is_refused() {
    let message =
        |mean_costs: &[f64]| FixedExpert::new(space(), mean_costs).unwrap_err().to_string();
    assert!(message(&[0.5]).contains("mean_costs has 1 entries"));
    assert!(message(&[0.5, 2.0]).contains("mean_costs[1] = 2"));
    let threshold = ConfidenceThreshold::new(Config::new(space(), 1), 1.5);
    assert!(threshold.unwrap_err().to_string().contains("threshold = 1.5"));

    let mut stream = stream(1);
    let StreamRound { x, active, .. } = stream.next_round().unwrap();
    let action = space().class(0).unwrap();
    let feedback = Feedback::Bandit { action, correct: true, cost: None };
    let mut policies: Vec<Box<dyn Policy>> = vec![
        Box::new(Uniform::new(space())),
        Box::new(Oracle::new(space())),
        Box::new(FixedExpert::new(space(), &[0.1, 0.2]).unwrap()),
        Box::new(ClassifierOnly::new(Config::new(space(), 1)).unwrap()),
        Box::new(ConfidenceThreshold::new(Config::new(space(), 1), 0.5).unwrap()),
        Box::new(LinUcb::new(LinearConfig::new(space(), 1), 0.5).unwrap()),
        Box::new(LinearThompson::new(LinearConfig::new(space(), 1), 0.5, || 0.0).unwrap()),
        Box::new(RidgeCb::new(RidgeCbConfig::new(space(), 1)).unwrap()),
        Box::new(RunningMeans::new(space(), Exploration::InverseGap { greed: 30.0 }).unwrap()),
    ];
    for policy in &mut policies {
        assert!(matches!(policy.observe(feedback), Err(LearnerError::NothingDecided { t: 1 })));
        let other = ActionSpace::new(3, 2).unwrap().all_active();
        assert!(matches!(policy.decide(x, other), Err(LearnerError::OtherSpace { .. })));
        let nan = [f64::NAN];
        assert!(policy.decide(Features::Dense(&nan), active).is_err());
    }
}

#[test]
fn refusals_name_the_round() {
    let mut policy = Uniform::new(space());
    let action = space().class(0).unwrap();
    let feedback = Feedback::Bandit { action, correct: true, cost: None };
    for t in 1..4 {
        policy.decide(Features::Dense(&[1.0]), space().all_active()).unwrap();
        policy.observe(feedback).unwrap();
        assert_eq!(policy.observe(feedback), Err(LearnerError::NothingDecided { t: t + 1 }));
    }
}

#[test]
fn an_oracle_breaks_ties_by_the_lowest_index() {
    let mut oracle = Oracle::new(space());
    oracle.inform(&[0.2, 0.7, 0.7, 0.1]);
    let decision = oracle.decide(Features::Dense(&[1.0]), space().all_active()).unwrap();
    assert_eq!(decision.q, [0.0, 1.0, 0.0, 0.0]);
    // Told nothing, it does not remember the round before.
    let decision = oracle.decide(Features::Dense(&[1.0]), space().all_active()).unwrap();
    assert_eq!(decision.q, [0.25; 4]);
}

/// The exploration rate that a baseline reports is the one it played with: 1 when everything is
/// drawn, that of the classifier inside (1/2 in its first rounds) when it answers, 0 when it defers.
#[test]
fn exploration_is_reported() {
    let config = Config::new(space(), 1);
    let (x, active) = (Features::Dense(&[1.0]), space().all_active());
    let gamma = |policy: &mut dyn Policy| policy.decide(x, active).unwrap().gamma;
    assert_eq!(gamma(&mut Uniform::new(space())), 1.0);
    assert_eq!(gamma(&mut ClassifierOnly::new(config.clone()).unwrap()), 0.5);
    assert_eq!(gamma(&mut ConfidenceThreshold::new(config.clone(), 0.5).unwrap()), 0.5);
    assert_eq!(gamma(&mut ConfidenceThreshold::new(config, 0.6).unwrap()), 0.0);
}

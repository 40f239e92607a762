//! What the policies that learners are compared with must do, on a stream whose law is known.

use deferlab::lab::stream::{LawItem, Laws, Stream, StreamRound};
use deferlab::lab::{Event, play};
use deferlab::learner::{
    Baseline, Config, Exploration, LearnerError, LinearConfig, Policy, RidgeCb, RidgeCbConfig,
};
use deferlab::problem::{ActionSpace, Features, Feedback, RoundLaw};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// A baseline that can be made.
fn made(baseline: Baseline) -> Box<dyn Policy> {
    baseline.policy().unwrap()
}

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
    close(mean_loss(made(Baseline::Uniform(space())).as_mut()), uniform);
    close(mean_loss(made(Baseline::Oracle(space())).as_mut()), 0.05);
    let mut fixed = made(Baseline::FixedExpert(space(), vec![0.8, 0.3]));
    close(mean_loss(fixed.as_mut()), (0.3 + 0.8 + 0.5 + 0.3) / 4.0);
    // Ranked the wrong way round, the poor expert is asked first.
    let mut wrong = made(Baseline::FixedExpert(space(), vec![0.3, 0.8]));
    close(mean_loss(wrong.as_mut()), (0.8 + 0.8 + 0.5 + 0.3) / 4.0);
}

#[test]
fn classifiers_learn_and_only_one_defers() {
    let config = Config::new(space(), 1);
    let mut classifier = made(Baseline::ClassifierOnly(config.clone()));
    let loss = mean_loss(classifier.as_mut());
    // 0.05 plus what exploration costs: gamma = t^(-1/3) averages 0.055 over 20,000 rounds.
    assert!(loss < 0.12, "{loss}");
    let mut shy = made(Baseline::ConfidenceThreshold(config.clone(), 1.0));
    // A confidence of exactly one is never reached: everything with an expert is deferred.
    let loss = mean_loss(shy.as_mut());
    assert!(loss > (0.55 + 0.8 + 0.3) / 4.0 && loss < (0.55 + 0.8 + 0.3 + 0.2) / 4.0, "{loss}");
    let mut bold = made(Baseline::ConfidenceThreshold(config, 0.0));
    assert!(mean_loss(bold.as_mut()) < 0.12);
}

/// Linear models see the context and come close to the oracle's 0.05; means do not, and learn that
/// the good expert is worth asking whenever he is there: 0.3 in two rounds of four, a guess otherwise.
#[test]
fn textbook_policies_learn_what_they_can() {
    let linear = LinearConfig::new(space(), 1);
    assert!(mean_loss(made(Baseline::LinUcb(linear, 0.5)).as_mut()) < 0.07);
    let mut rng = Pcg64::seed_from_u64(9);
    let mut normal = deferlab::lab::stream::Normal::default();
    let draw = Box::new(move || normal.draw(&mut rng));
    assert!(mean_loss(made(Baseline::LinearThompson(linear, 0.25, draw)).as_mut()) < 0.07);
    let loss = mean_loss(&mut RidgeCb::new(RidgeCbConfig::new(space(), 1)).unwrap());
    // Inverse gaps of about 0.6 with gamma = sqrt(t): some 2 / (0.6 sqrt(20,000)) of exploration.
    assert!(loss < 0.10, "{loss}");
    let greedy = Exploration::Uniform { gamma0: 0.05, power: 0.0 };
    let loss = mean_loss(made(Baseline::RunningMeans(space(), greedy)).as_mut());
    assert!((loss - (0.3 + 0.5 + 0.5 + 0.3) / 4.0).abs() < 0.04, "{loss}");
}

#[test]
fn wrong_use_is_refused() {
    let refused = |baseline: Baseline| baseline.policy().err().unwrap().to_string();
    let message = |costs: &[f64]| refused(Baseline::FixedExpert(space(), costs.to_vec()));
    assert!(message(&[0.5]).contains("mean_costs has 1 entries"));
    assert!(message(&[0.5, 2.0]).contains("mean_costs[1] = 2"));
    let threshold = Baseline::ConfidenceThreshold(Config::new(space(), 1), 1.5);
    assert!(refused(threshold).contains("threshold = 1.5"));

    let mut stream = stream(1);
    let StreamRound { x, active, .. } = stream.next_round().unwrap();
    let action = space().class(0).unwrap();
    let feedback = Feedback::Bandit { action, correct: true, cost: None };
    let mut policies: Vec<Box<dyn Policy>> = vec![
        made(Baseline::Uniform(space())),
        made(Baseline::Oracle(space())),
        made(Baseline::FixedExpert(space(), vec![0.1, 0.2])),
        made(Baseline::ClassifierOnly(Config::new(space(), 1))),
        made(Baseline::ConfidenceThreshold(Config::new(space(), 1), 0.5)),
        made(Baseline::LinUcb(LinearConfig::new(space(), 1), 0.5)),
        made(Baseline::LinearThompson(LinearConfig::new(space(), 1), 0.5, Box::new(|| 0.0))),
        Box::new(RidgeCb::new(RidgeCbConfig::new(space(), 1)).unwrap()),
        made(Baseline::RunningMeans(space(), Exploration::InverseGap { greed: 30.0 })),
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
    let mut policy = made(Baseline::Uniform(space()));
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
    let mut oracle = made(Baseline::Oracle(space()));
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
    assert_eq!(gamma(made(Baseline::Uniform(space())).as_mut()), 1.0);
    assert_eq!(gamma(made(Baseline::ClassifierOnly(config.clone())).as_mut()), 0.5);
    assert_eq!(gamma(made(Baseline::ConfidenceThreshold(config.clone(), 0.5)).as_mut()), 0.5);
    assert_eq!(gamma(made(Baseline::ConfidenceThreshold(config, 0.6)).as_mut()), 0.0);
}

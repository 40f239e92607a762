//! Learners for varying experts, on streams whose law is known: regret is exact, not sampled.

use crate::made_up_rounds;

use deferlab::lab::stream::{LawItem, Laws, Stream};
use deferlab::lab::{Event, play};
use deferlab::learner::{Algorithm1, BeliefConfig, BeliefRouter, Config, LearnerError, Policy};
use deferlab::learner::{Exploration, Regression, SquareCb, SquareCbConfig};
use deferlab::problem::{ActionSpace, Features, Feedback, RoundLaw};
use made_up_rounds::Scenario;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// `sum_t max_a s_a - <q_t, s>`: regret against the best action of every round.
fn regret(policy: &mut dyn Policy, mut stream: Box<dyn Stream>, rounds: u64) -> f64 {
    let mut total = 0.0;
    let mut add = |event: &Event<'_>| {
        let s = event.round.scores.unwrap();
        let active = event.decision.active;
        let best = active.iter().map(|a| s[a.index()]).fold(0.0, f64::max);
        let expected: f64 =
            active.iter().zip(event.decision.q).map(|(a, q)| q * s[a.index()]).sum();
        total += best - expected;
    };
    let mut rng = Pcg64::seed_from_u64(9);
    play(policy, stream.as_mut(), &mut rng, rounds, &mut [&mut add]).unwrap();
    total
}

fn space() -> ActionSpace {
    ActionSpace::new(2, 1).unwrap()
}

/// One context, labels 4/5 and 1/5, a free perfect expert who is there every other round.
fn witness() -> Box<dyn Stream> {
    let law = RoundLaw::new(space(), &[0.8, 0.2], &[[0.0, 0.0]]).unwrap();
    let item = |active| LawItem { weight: 1.0, x: vec![0.0], active, law: law.clone() };
    Laws::Drawn(vec![item(space().all_active()), item(space().classes_only())]).open(4).unwrap()
}

/// Two contexts and everybody always there: what the theorems assume.
fn fixed() -> Box<dyn Stream> {
    let item = |x: f64, p: [f64; 2], cost: f64| LawItem {
        weight: 1.0,
        x: vec![x],
        active: space().all_active(),
        law: RoundLaw::new(space(), &p, &[[cost, cost]]).unwrap(),
    };
    Laws::Drawn(vec![item(1.0, [0.9, 0.1], 0.5), item(-1.0, [0.4, 0.6], 0.1)]).open(4).unwrap()
}

#[test]
fn algorithm_1_never_learns_to_defer_on_the_witness_and_the_router_does() {
    let rounds = 100_000;
    let mut paper = Algorithm1::new(Config::new(space(), 1)).unwrap();
    let linear = regret(&mut paper, witness(), rounds);
    // 1/5 in every round with the expert there is 1/10 a round.
    assert!(linear > 0.05 * rounds as f64, "{linear}");
    let mut router = BeliefRouter::new(BeliefConfig::new(space(), 1)).unwrap();
    let sublinear = regret(&mut router, witness(), rounds);
    assert!(20.0 * sublinear < linear, "{sublinear} against {linear}");
}

#[test]
fn the_router_is_no_worse_where_the_hypotheses_hold() {
    let mut paper = Algorithm1::new(Config::new(space(), 1)).unwrap();
    let mut router = BeliefRouter::new(BeliefConfig::new(space(), 1)).unwrap();
    let (theirs, ours) =
        (regret(&mut paper, fixed(), 50_000), regret(&mut router, fixed(), 50_000));
    assert!(ours < 1.1 * theirs, "{ours} against {theirs}");
}

/// SquareCB once more, dense and without a thought for speed.
struct PlainSquareCb {
    config: SquareCbConfig,
    t: f64,
    w: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
}

impl PlainSquareCb {
    fn linear(&self, action: usize, x: &[f64]) -> f64 {
        self.w[action].iter().zip(x).map(|(w, x)| w * x).sum()
    }

    fn estimate(&self, action: usize, x: &[f64]) -> f64 {
        let z = self.linear(action, x);
        match self.config.regression {
            Regression::Logistic => 1.0 / (1.0 + (-z).exp()),
            Regression::Squared => (0.5 + z).clamp(0.0, 1.0),
        }
    }

    fn q(&self, actions: &[usize], x: &[f64]) -> Vec<f64> {
        let Exploration::InverseGap { greed } = self.config.exploration else { unreachable!() };
        let scores: Vec<f64> = actions.iter().map(|&a| self.estimate(a, x)).collect();
        let top = scores.iter().copied().fold(0.0, f64::max);
        let best = scores.iter().position(|&s| s == top).unwrap();
        let weight = |s: &f64| 1.0 / (scores.len() as f64 + greed * self.t.sqrt() * (top - s));
        let mut q: Vec<f64> = scores.iter().map(weight).collect();
        q[best] = 0.0;
        q[best] = 1.0 - q.iter().sum::<f64>();
        q
    }

    fn learn(&mut self, action: usize, x: &[f64], reward: f64) {
        let error = match self.config.regression {
            Regression::Logistic => self.estimate(action, x) - reward,
            Regression::Squared => 0.5 + self.linear(action, x) - reward,
        };
        let rate = self.config.rate / x.iter().map(|v| v * v).sum::<f64>().sqrt();
        for (j, &v) in x.iter().enumerate() {
            let g = error * v;
            self.squares[action][j] += g * g;
            self.w[action][j] -= rate * g / (self.squares[action][j].sqrt() + 1e-10);
        }
        self.t += 1.0;
    }
}

#[test]
fn square_cb_is_its_plain_twin() {
    for regression in [Regression::Logistic, Regression::Squared] {
        let scenario = Scenario::new(4, 2, 9, 33);
        let config =
            SquareCbConfig { regression, ..SquareCbConfig::new(scenario.space, scenario.dim) };
        let mut fast = SquareCb::new(config.clone()).unwrap();
        let zeros = vec![vec![0.0; scenario.dim + 1]; scenario.space.len()];
        let mut plain = PlainSquareCb { config, t: 1.0, w: zeros.clone(), squares: zeros };
        let mut source = scenario.start();
        for t in 0..2_000 {
            let round = source.next_round();
            let x: Vec<f64> = round.x.iter().copied().chain([1.0]).collect();
            let actions: Vec<usize> = round.active.iter().map(|a| a.index()).collect();
            let expected = plain.q(&actions, &x);
            let features = if t % 3 == 0 { round.dense() } else { round.sparse() };
            let decision = fast.decide(features, round.active).unwrap();
            let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
            assert!(decision.q.iter().zip(&expected).all(close), "{regression:?}, round {t}");
            let action = decision.sample(round.quantile);
            let feedback = round.bandit(action);
            let Feedback::Bandit { correct, cost, .. } = feedback else { unreachable!() };
            let reward = cost.map_or(f64::from(correct), |cost| 1.0 - cost);
            fast.observe(feedback).unwrap();
            plain.learn(action.index(), &x, reward);
        }
    }
}

#[test]
fn errors_leave_no_trace() {
    let scenario = Scenario::new(3, 2, 2, 32);
    let config = BeliefConfig::new(scenario.space, 2);
    let mut router = BeliefRouter::new(config.clone()).unwrap();
    let class = scenario.space.class(0).unwrap();
    let feedback = Feedback::Bandit { action: class, correct: true, cost: None };
    assert_eq!(router.observe(feedback), Err(LearnerError::NothingDecided { t: 1 }));
    let active = scenario.space.active([1]).unwrap();
    router.decide(Features::Dense(&[0.5, 0.5]), active).unwrap();
    let before = serde_json::to_string(&router).unwrap();
    for x in [&[0.5][..], &[f64::NAN, 0.0], &[f64::INFINITY, 0.0]] {
        assert!(router.decide(Features::Dense(x), active).is_err());
    }
    let absent = scenario.space.expert(0).unwrap();
    let bad = [
        Feedback::Bandit { action: absent, correct: true, cost: Some(0.1) },
        Feedback::Bandit { action: class, correct: true, cost: Some(0.1) },
        Feedback::Full { label: 0, costs: &[0.0, 0.0] },
    ];
    for feedback in bad {
        assert!(router.observe(feedback).is_err());
    }
    assert_eq!(serde_json::to_string(&router).unwrap(), before);
    for (rate, exploration) in [
        (0.0, Exploration::InverseGap { greed: 1.0 }),
        (1.0, Exploration::InverseGap { greed: f64::NAN }),
        (1.0, Exploration::Uniform { gamma0: 0.0, power: 0.5 }),
        (1.0, Exploration::Uniform { gamma0: 0.1, power: -0.5 }),
    ] {
        assert!(BeliefRouter::new(BeliefConfig { rate, exploration, ..config.clone() }).is_err());
    }
}

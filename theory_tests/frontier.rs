//! Learners for varying experts, on streams whose law is known: regret is exact, not sampled.

use crate::common;

use common::Scenario;
use deferlab::kernels::Cpu;
use deferlab::learner::rounds::{Event, play};
use deferlab::learner::{Algorithm1, BeliefConfig, BeliefRouter, Config, LearnerError, Policy};
use deferlab::problem::{ActionSpace, Features, Feedback, RoundLaw};
use deferlab::stream::{LawItem, LawStream};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// `sum_t max_a s_a - <q_t, s>`: regret against the best action of every round.
fn regret(policy: &mut dyn Policy, mut stream: LawStream, rounds: u64) -> f64 {
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
    play(policy, &mut stream, &mut rng, rounds, &mut [&mut add]).unwrap();
    total
}

fn space() -> ActionSpace {
    ActionSpace::new(2, 1).unwrap()
}

/// One context, labels 4/5 and 1/5, a free perfect expert who is there every other round.
fn witness() -> LawStream {
    let law = RoundLaw::new(space(), &[0.8, 0.2], &[[0.0, 0.0]]).unwrap();
    let item = |active| LawItem { weight: 1.0, x: vec![0.0], active, law: law.clone() };
    LawStream::new(vec![item(space().all_active()), item(space().classes_only())], 4).unwrap()
}

/// Two contexts and everybody always there: what the theorems assume.
fn fixed() -> LawStream {
    let item = |x: f64, p: [f64; 2], cost: f64| LawItem {
        weight: 1.0,
        x: vec![x],
        active: space().all_active(),
        law: RoundLaw::new(space(), &p, &[[cost, cost]]).unwrap(),
    };
    LawStream::new(vec![item(1.0, [0.9, 0.1], 0.5), item(-1.0, [0.4, 0.6], 0.1)], 4).unwrap()
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

/// Plays `rounds` rounds of a scenario; the decisions, to the bit.
fn advance(router: &mut BeliefRouter, source: &mut common::Source, rounds: usize) -> Vec<u64> {
    let mut seen = Vec::new();
    for t in 0..rounds {
        let round = source.next_round();
        let x = if t % 2 == 0 { round.sparse() } else { round.dense() };
        let decision = router.decide(x, round.active).unwrap();
        seen.extend(decision.q.iter().chain(decision.scores).map(|v| v.to_bits()));
        let action = decision.sample(round.quantile);
        router.observe(round.bandit(action)).unwrap();
    }
    seen
}

#[test]
fn the_router_restores_to_the_bit_and_runs_the_same_on_every_path() {
    let scenario = Scenario::new(5, 3, 12, 31);
    let start = || BeliefRouter::new(BeliefConfig::new(scenario.space, scenario.dim)).unwrap();
    let (mut router, mut portable) = (start(), start().on(Cpu::portable()));
    let mut source = scenario.start();
    let first = advance(&mut router, &mut source, 400);
    assert_eq!(advance(&mut portable, &mut scenario.start(), 400), first);
    let round = source.next_round();
    router.decide(round.sparse(), round.active).unwrap();
    let saved = serde_json::to_string(&router).unwrap();
    let mut restored: BeliefRouter = serde_json::from_str(&saved).unwrap();
    let action = scenario.space.class(1).unwrap();
    router.observe(round.bandit(action)).unwrap();
    restored.observe(round.bandit(action)).unwrap();
    let mut again = scenario.start();
    (0..401).for_each(|_| drop(again.next_round()));
    assert_eq!(advance(&mut restored, &mut again, 100), advance(&mut router, &mut source, 100));
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
    for (rate, greed) in [(0.0, 1.0), (1.0, f64::NAN)] {
        assert!(BeliefRouter::new(BeliefConfig { rate, greed, ..config.clone() }).is_err());
    }
}

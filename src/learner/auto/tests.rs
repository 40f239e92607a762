use super::*;
use crate::{BeliefConfig, BeliefRouter};

fn space(n: usize, n_e: usize) -> ActionSpace {
    ActionSpace::new(n, n_e).unwrap()
}

#[test]
fn settings_are_named() {
    let good = AutoConfig::new(space(2, 1), 1);
    let message = |change: fn(&mut AutoConfig)| {
        let mut config = good.clone();
        change(&mut config);
        AutoRouter::new(config).unwrap_err().to_string()
    };
    assert!(AutoRouter::new(good.clone()).is_ok());
    assert!(message(|c| c.greed = 0.0).contains("greed = 0"));
    assert!(message(|c| c.floor = 1.0).contains("floor = 1"));
    assert!(message(|c| c.rates.push(f64::NAN)).contains("rates = NaN"));
    assert!(message(|c| c.rates.clear()).contains("number of rates = 0: expected at least one"));
    assert!(message(|c| c.half_life = Some(0.5)).contains("half_life = 0.5"));
    assert!(message(|c| c.cost_weight = -1.0).contains("cost_weight = -1"));
    assert!(message(|c| c.dim = usize::MAX).contains("at most 2 GiB"));
    assert!(message(|c| c.dim = 1 << 26).contains("dim = 67108864"));
    assert!(message(|c| c.feedback = FeedbackKind::Full).contains("feedback = \"full\""));
    // Told all the same, it says so and is as it was.
    let mut router = AutoRouter::new(good.clone()).unwrap();
    router.decide(Features::Dense(&[1.0]), good.space.all_active()).unwrap();
    let full = Feedback::Full { label: 0, costs: &[0.5] };
    assert!(router.observe(full).unwrap_err().to_string().contains("got full"));
    let action = good.space.class(0).unwrap();
    router.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
}

/// One copy, one class round, no experts: the step is that of the belief router on the same input.
#[test]
fn one_copy_steps_as_the_belief_router_does() {
    let space = space(3, 0);
    let config = AutoConfig { rates: vec![0.6], ..AutoConfig::new(space, 2) };
    let mut auto = AutoRouter::new(config).unwrap();
    let mut belief =
        BeliefRouter::new(BeliefConfig { calibrate: false, ..BeliefConfig::new(space, 2) })
            .unwrap();
    let row = problem::SparseRow::new(2, &[0, 1], &[0.6, -0.8]).unwrap();
    let x = Features::Sparse(row);
    for t in 0..50 {
        belief.decide(x, space.all_active()).unwrap();
        auto.decide(x, space.all_active()).unwrap();
        let action = space.class(t % 3).unwrap();
        let feedback = Feedback::Bandit { action, correct: t % 4 == 0, cost: None };
        auto.observe(feedback).unwrap();
        belief.observe(feedback).unwrap();
    }
    auto.decide(x, space.all_active()).unwrap();
    let expected = belief.decide(x, space.all_active()).unwrap().scores;
    assert_eq!(auto.copies[0].belief, expected);
}

/// The exploration floor is kept whatever is known, and a round adds up.
#[test]
fn the_floor_is_a_floor() {
    let space = space(0, 4);
    let config = AutoConfig { floor: 0.2, ..AutoConfig::new(space, 0) };
    let mut router = AutoRouter::new(config).unwrap();
    for _ in 0..2000 {
        router.decide(Features::Dense(&[]), space.all_active()).unwrap();
        let action = space.expert(1).unwrap();
        router.observe(Feedback::Reward { action, reward: 1.0, cost: 0.0 }).unwrap();
    }
    let decision = router.decide(Features::Dense(&[]), space.all_active()).unwrap();
    assert!(decision.q.iter().all(|&q| q >= 0.05 - 1e-12), "{:?}", decision.q);
    assert!((decision.q.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(decision.greedy, space.expert(1).unwrap());
}

/// Plays experts who earn their means; returns the share of the last rounds that went to the best.
fn share_of_best(config: AutoConfig, rounds: usize, means: impl Fn(usize, usize) -> f64) -> f64 {
    let space = config.space;
    let mut router = AutoRouter::new(config).unwrap();
    let mut hits = 0;
    for t in 0..rounds {
        let decision = router.decide(Features::Dense(&[]), space.all_active()).unwrap();
        let action = decision.sample((t as f64 * 0.618_033_988_749_895).fract());
        let j = action.index();
        let u = (t as f64 * 0.414_213_562_373_095 + j as f64 * 0.3).fract();
        let reward = f64::from(u8::from(u < means(t, j)));
        router.observe(Feedback::Reward { action, reward, cost: 0.0 }).unwrap();
        let best = (0..space.len()).max_by(|&a, &b| means(t, a).total_cmp(&means(t, b)));
        hits += usize::from(t >= rounds * 9 / 10 && Some(j) == best);
    }
    hits as f64 / (rounds as f64 / 10.0)
}

#[test]
fn an_expert_who_silently_improves_is_found_by_who_forgets() {
    let config = AutoConfig::new(space(0, 3), 0);
    let forgets = AutoConfig { half_life: Some(1000.0), floor: 0.01, ..config.clone() };
    let means = |t: usize, j: usize| match j {
        0 => 0.7,
        1 if t >= 10_000 => 0.95,
        _ => 0.3,
    };
    let found = share_of_best(forgets, 20_000, means);
    assert!(found > 0.8, "{found}");
    let stationary = share_of_best(config, 5_000, |_, j| [0.7, 0.3, 0.5][j]);
    assert!(stationary > 0.9, "{stationary}");
}

/// Without any option: one improves, the best one breaks, and a good one is ill for fifty rounds.
#[test]
fn changes_are_noticed_by_default() {
    let config = AutoConfig::new(space(0, 3), 0);
    let improves = |t: usize, j: usize| match j {
        1 if t >= 5_000 => 0.95,
        _ => [0.75, 0.4, 0.5][j],
    };
    let breaks = |t: usize, j: usize| match j {
        0 if t >= 5_000 => 0.2,
        _ => [0.9, 0.7, 0.5][j],
    };
    let ill = |t: usize, j: usize| match j {
        0 if (5_000..5_050).contains(&t) => 0.0,
        _ => [0.9, 0.7, 0.5][j],
    };
    let found = [
        share_of_best(config.clone(), 10_000, improves),
        share_of_best(config.clone(), 10_000, breaks),
        share_of_best(config, 10_000, ill),
    ];
    assert!(found.iter().all(|&share| share > 0.9), "{found:?}");
}

#[test]
fn a_state_without_records_is_refused() {
    let router = AutoRouter::new(AutoConfig::new(space(2, 2), 1)).unwrap();
    let state = serde_json::to_value(&router).unwrap();
    let refused = |change: fn(&mut serde_json::Value)| {
        let mut state = state.clone();
        change(&mut state);
        serde_json::from_value::<AutoRouter>(state).unwrap_err().to_string()
    };
    assert!(serde_json::from_value::<AutoRouter>(state.clone()).is_ok());
    let missing = refused(|s| drop(s.as_object_mut().unwrap().remove("records")));
    assert_eq!(missing, "missing field `records`");
    let short = refused(|s| drop(s["records"].as_array_mut().unwrap().pop()));
    assert!(short.contains("records does not belong to 2 classes, 2 experts"), "{short}");
    let future = refused(|s| s["records"][0]["since"] = 7.0.into());
    assert!(future.contains("records"), "{future}");
}

/// Every part of a state, with a question open: what is written again is what was written.
#[test]
fn what_was_saved_is_restored() {
    let space = space(2, 2);
    let mut router = AutoRouter::new(AutoConfig::new(space, 2)).unwrap();
    for t in 0..200u32 {
        let x = [f64::from(t % 7), f64::from(t % 5)];
        let decision = router.decide(Features::Dense(&x), space.all_active()).unwrap();
        let action = decision.sample(f64::from(t % 97) / 97.0);
        let cost = space.expert_of(action).map(|_| f64::from(t % 3) / 2.0);
        router.observe(Feedback::Bandit { action, correct: t % 3 == 0, cost }).unwrap();
    }
    router.decide(Features::Dense(&[1.0, 2.0]), space.all_active()).unwrap();
    let state = serde_json::to_value(&router).unwrap();
    let restored: AutoRouter = serde_json::from_value(state.clone()).unwrap();
    assert_eq!(serde_json::to_value(&restored).unwrap(), state);
    let mut wrong = state;
    wrong["gain"]["facts"] = (-1.0).into();
    let refused = serde_json::from_value::<AutoRouter>(wrong).unwrap_err().to_string();
    assert!(refused.contains("gain does not belong to"), "{refused}");
}

#[test]
fn somebody_new_is_tried_at_once() {
    let space = space(0, 3);
    let mut router = AutoRouter::new(AutoConfig::new(space, 0)).unwrap();
    for t in 0..3000u32 {
        let j = if t % 10 == 0 { 1 } else { 0 };
        router.decide(Features::Dense(&[]), space.active([0, 1]).unwrap()).unwrap();
        let reward = if j == 0 { f64::from(t % 10 < 7) } else { f64::from(t % 20 < 10) };
        let action = space.expert(j).unwrap();
        router.observe(Feedback::Reward { action, reward, cost: 0.0 }).unwrap();
    }
    let q = router.decide(Features::Dense(&[]), space.all_active()).unwrap().q.to_vec();
    assert!(q[2] > 0.2 && q[2] > 5.0 * q[1], "{q:?}");
    router.add_expert().unwrap();
    assert_eq!(router.space().experts(), 4);
    assert!(router.asked().is_some());
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let space = space(2, 3);
    let play = |cpu: Cpu| {
        let mut router = AutoRouter::new(AutoConfig::new(space, 5)).unwrap().on(cpu);
        let mut all = Vec::new();
        for t in 0..300u32 {
            let x: Vec<f64> = (0..5).map(|i| f64::from((t * 7 + i * 13) % 11) - 5.0).collect();
            let active = space.active_from_mask(u128::from(t % 8)).unwrap();
            let decision = router.decide(Features::Dense(&x), active).unwrap();
            all.extend_from_slice(decision.q);
            let action = decision.sample(f64::from(t % 97) / 97.0);
            let cost = space.expert_of(action).map(|_| f64::from(t % 3) / 2.0);
            router.observe(Feedback::Bandit { action, correct: t % 3 == 0, cost }).unwrap();
        }
        all
    };
    assert_eq!(play(Cpu::detect()), play(Cpu::portable()));
}

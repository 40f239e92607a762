use super::*;
use proptest::prelude::*;

fn options(dim: usize) -> RouterOptions {
    RouterOptions { dim, seed: 7, ..RouterOptions::default() }
}

fn router(classes: &[&str], experts: &[&str], dim: usize) -> NamedRouter {
    NamedRouter::new(classes, experts, options(dim)).unwrap()
}

fn right(correct: bool) -> Observed<'static> {
    Observed::Correct { correct, cost: None }
}

/// Who has not been retired.
fn everybody(router: &NamedRouter) -> Vec<String> {
    router.experts().map(String::from).collect()
}

#[test]
fn names_are_checked_and_the_near_one_is_named() {
    let none: [&str; 0] = [];
    let new = |classes: &[&str], experts: &[&str]| {
        NamedRouter::new(classes, experts, options(0)).unwrap_err().to_string()
    };
    assert!(new(&["a", "a"], &["e"]).contains("\"a\" is already the name of a class"));
    assert!(new(&["a", "b"], &["e", "e"]).contains("already the name of an expert"));
    assert!(new(&[""; 2], &["e"]).contains("must not be empty"));
    assert!(new(&["a"], &["e"]).contains("at least 2 classes"));
    assert!(new(&none, &none).contains("nothing to choose from"));
    let mut router = router(&["cat", "dog"], &["anna", "bo"], 1);
    let x = Features::Dense(&[0.5]);
    let message = |result: Result<Choice<'_>, NamedError>| result.unwrap_err().to_string();
    let unknown = message(router.decide(x, &["ana"]));
    assert_eq!(unknown, "there is no expert \"ana\", did you mean \"anna\"?");
    assert!(message(router.decide(x, &["cat"])).contains("there is no expert \"cat\""));
    assert!(message(router.decide(Features::Dense(&[]), &["bo"])).contains("dimension 0"));
    assert!(router.observe(right(true)).unwrap_err().to_string().contains("without a decide"));
    router.retire_expert("bo").unwrap();
    assert!(message(router.decide(x, &["bo"])).contains("has been retired"));
    assert!(router.retire_expert("bo").is_err() && router.retire_expert("cleo").is_err());
    assert!(router.add_expert("anna").unwrap_err().to_string().contains("already the name"));
    assert!(router.add_expert("cat").unwrap_err().to_string().contains("of a class"));
    assert_eq!(router.experts().collect::<Vec<_>>(), ["anna"]);
    router.add_expert("bo").unwrap();
    assert_eq!(router.experts().collect::<Vec<_>>(), ["anna", "bo"]);
}

#[test]
fn outcomes_that_cannot_be_are_refused_and_change_nothing() {
    let mut router = router(&["cat", "dog"], &["anna"], 1);
    router.decide(Features::Dense(&[0.5]), &["anna"]).unwrap();
    let before = serde_json::to_string(&router).unwrap();
    let answer = |answer| Observed::Answer { answer, correct: true, cost: 0.0 };
    let reward = |reward, cost| Observed::Reward { reward, cost };
    let label = |label| Observed::Label { label, reward: None, cost: 0.0 };
    for (action, outcome, told) in [
        ("cat", answer("dog"), "is a class"),
        ("cat", Observed::Correct { correct: true, cost: Some(0.1) }, "is a class"),
        ("anna", answer("cow"), "there is no class \"cow\""),
        ("anna", reward(1.1, 0.0), "reward = 1.1"),
        ("anna", reward(0.5, -1.0), "cost = -1"),
        ("anna", reward(f64::NAN, 0.0), "reward = NaN"),
        ("anna", label("cat"), "say its reward"),
        ("ann", right(true), "did you mean \"anna\"?"),
    ] {
        let message = router.observe_action(action, outcome).unwrap_err().to_string();
        assert!(message.contains(told), "{message}");
    }
    assert_eq!(serde_json::to_string(&router).unwrap(), before);
    router.observe_action("cat", label("dog")).unwrap();
    assert_eq!(router.round(), 2);
}

#[test]
fn without_classes_somebody_must_be_there() {
    let mut router = router(&[], &["anna", "bo"], 0);
    let nobody: [&str; 0] = [];
    let x = Features::Dense(&[]);
    let message = router.decide(x, &nobody).unwrap_err().to_string();
    assert!(message.contains("round 1: nobody is available"), "{message}");
    let choice = router.decide(x, &["bo"]).unwrap();
    assert_eq!((choice.action, choice.probability, choice.expert), ("bo", 1.0, true));
    router.observe(Observed::Reward { reward: 0.5, cost: 2.0 }).unwrap();
}

/// A right answer of an expert teaches the classes; a wrong one rules a class out.
#[test]
fn answers_teach_the_classes() {
    let estimate = |correct| {
        let mut router = router(&["cat", "dog", "cow"], &["anna"], 1);
        let x = Features::Dense(&[1.0]);
        for _ in 0..20 {
            router
                .learn(x, "anna", Observed::Answer { answer: "dog", correct, cost: 0.0 })
                .unwrap();
        }
        let choice = router.decide(x, &["anna"]).unwrap();
        choice.offers.iter().map(|offer| offer.estimate).collect::<Vec<_>>()
    };
    let (taught, ruled_out) = (estimate(true), estimate(false));
    assert!(taught[1] > 0.8 && taught[0] < 0.2 && taught[3] > 0.7, "{taught:?}");
    assert!(ruled_out[1] < 0.1 && ruled_out[0] > 0.3 && ruled_out[3] < 0.3, "{ruled_out:?}");
}

/// Two experts who are always right; one costs more than it is worth at this exchange rate.
#[test]
fn costs_count_at_their_exchange_rate() {
    for (cost_weight, told, better) in
        [(0.0, false, "dear"), (0.1, false, "cheap"), (0.1, true, "cheap")]
    {
        let options = RouterOptions { cost_weight, ..options(0) };
        let mut router = NamedRouter::new::<&str, _>(&[], &["dear", "cheap"], options).unwrap();
        if told {
            router.set_costs(&[("dear", 5.0), ("cheap", 1.0)]).unwrap();
        }
        let x = Features::Dense(&[]);
        for _ in 0..if told { 1 } else { 200 } {
            let (dear, cheap) = if told { (0.0, 0.0) } else { (5.0, 1.0) };
            router.learn(x, "dear", Observed::Reward { reward: 1.0, cost: dear }).unwrap();
            router.learn(x, "cheap", Observed::Reward { reward: 0.9, cost: cheap }).unwrap();
        }
        let choice = router.decide(x, &everybody(&router)).unwrap();
        let best = choice.offers.iter().max_by(|a, b| a.estimate.total_cmp(&b.estimate)).unwrap();
        assert_eq!(best.name, better, "{cost_weight} {told}: {choice:?}");
    }
    let mut router = router(&[], &["dear"], 0);
    assert!(
        router.set_costs(&[("dear", -1.0)]).is_err() && router.set_costs(&[("x", 1.0)]).is_err()
    );
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let mut router = router(&["cat", "dog"], &["anna"], 1);
    router.decide(Features::Dense(&[1.0]), &everybody(&router)).unwrap();
    let good = serde_json::to_value(&router).unwrap();
    let message = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut state = good.clone();
        change(&mut state);
        serde_json::from_value::<NamedRouter>(state).unwrap_err().to_string()
    };
    assert!(serde_json::from_value::<NamedRouter>(good.clone()).is_ok());
    assert!(message(&|s| s["version"] = 9.into()).contains("version 9, expected 1"));
    assert!(message(&|s| s["classes"] = vec!["cat"].into()).contains("1 classes and 1 experts"));
    assert!(message(&|s| s["classes"][1] = "anna".into()).contains("already the name"));
    assert!(message(&|s| s["chosen"] = 7.into()).contains("chosen = 7"));
    assert!(message(&|s| s["router"]["question"] = serde_json::Value::Null).contains("not asked"));
    assert!(message(&|s| s["router"]["t"] = 0.into()).contains("t does not belong"));
    assert!(message(&|s| s["router"]["faded"] = vec![2.0].into()).contains("faded"));
    assert!(message(&|s| s["router"]["pool"]["members"][0]["n"] = (-1.0).into()).contains("pool"));
    assert!(message(&|s| s["router"]["config"]["dim"] = 3.into()).contains("copies"));
    assert!(message(&|s| s["extra"] = 1.into()).contains("unknown field"));
}

/// What happens to a router in a life.
#[derive(Clone, Debug)]
enum Step {
    Round { x: f64, skip: usize, reward: f64, kind: u8 },
    Add(u8),
    Retire(u8),
    Save,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (-2.0..2.0, 0usize..4, 0.0..=1.0, 0u8..4)
            .prop_map(|(x, skip, reward, kind)| Step::Round { x, skip, reward, kind }),
        2 => (0u8..12).prop_map(Step::Add),
        1 => (0u8..12).prop_map(Step::Retire),
        1 => Just(Step::Save),
    ];
    prop::collection::vec(step, 1..60)
}

fn live(router: &mut NamedRouter, step: &Step, stop: bool) -> Result<String, TestCaseError> {
    match step {
        Step::Round { x, skip, reward, kind } => {
            let there: Vec<String> = router.experts().skip(*skip).map(String::from).collect();
            let choice = match router.decide(Features::Dense(&[*x]), &there) {
                Ok(choice) => choice,
                Err(error) => return Ok(error.to_string()),
            };
            let sum: f64 = choice.offers.iter().map(|offer| offer.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9 && choice.probability > 0.0);
            prop_assert!(choice.offers.iter().all(|o| o.probability >= 0.0 && o.estimate <= 1.0));
            let (told, expert) = (format!("{choice:?}"), choice.expert);
            if stop {
                // Stopped between a decision and its outcome.
                let text = serde_json::to_string(router).unwrap();
                *router = serde_json::from_str(&text).unwrap();
                prop_assert_eq!(serde_json::to_string(router).unwrap(), text);
            }
            let answer = router.classes().next().unwrap_or("").to_string();
            let correct = *reward > 0.5;
            router.observe(match kind {
                0 => Observed::Correct { correct, cost: expert.then_some(1.0 - reward) },
                1 if expert && !answer.is_empty() => {
                    Observed::Answer { answer: &answer, correct, cost: *reward }
                }
                2 if !answer.is_empty() => {
                    Observed::Label { label: &answer, reward: Some(*reward), cost: 0.0 }
                }
                _ => Observed::Reward { reward: *reward, cost: 2.0 * reward },
            })?;
            Ok(told)
        }
        Step::Add(name) => Ok(format!("{:?}", router.add_expert(&format!("e{name}")).is_ok())),
        Step::Retire(name) => Ok(format!("{:?}", router.retire_expert(&format!("e{name}")))),
        Step::Save => {
            if stop {
                let text = serde_json::to_string(router).unwrap();
                *router = serde_json::from_str(&text).unwrap();
            }
            Ok(String::new())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// A router that is stopped whenever it can be makes the same choices, bit for bit, as one that
    /// never stops, whoever comes and goes.
    #[test]
    fn stopping_changes_nothing(
        steps in steps(), classes in 0usize..4, forgets: bool, floor in 0.0..0.2,
    ) {
        let classes: Vec<String> = (0..classes).filter(|_| classes != 1).map(|y| format!("y{y}")).collect();
        let options = RouterOptions {
            half_life: forgets.then_some(20.0), floor, cost_weight: 0.1, ..options(1)
        };
        let mut steady = NamedRouter::new(&classes, &["e0", "e1"], options).unwrap();
        let mut stopped = steady.clone();
        for step in &steps {
            prop_assert_eq!(live(&mut steady, step, false)?, live(&mut stopped, step, true)?);
        }
        prop_assert_eq!(serde_json::to_string(&steady).unwrap(), serde_json::to_string(&stopped).unwrap());
    }
}

/// 126 experts, hardly any of them there in a round, most of them alike: the few good ones are found.
#[test]
fn many_experts_who_are_hardly_there() {
    let names: Vec<String> = (0..126).map(|j| format!("e{j}")).collect();
    let mut router = NamedRouter::new::<&str, _>(&[], &names, options(1)).unwrap();
    let worth = |j: usize| if j.is_multiple_of(6) { 0.9 } else { 0.5 };
    let (mut got, mut late) = (0.0, 0.0);
    for t in 0..4000usize {
        let there: Vec<String> = (0..5).map(|i| format!("e{}", (t * 37 + i * 25) % 126)).collect();
        let choice = router.decide(Features::Dense(&[1.0]), &there).unwrap();
        let j: usize = choice.action[1..].parse().unwrap();
        let u = (t * 7919 + j * 104_729) % 1000;
        let reward = f64::from(u8::from((u as f64) < 1000.0 * worth(j)));
        router.observe(Observed::Reward { reward, cost: 0.0 }).unwrap();
        if t >= 2000 {
            got += worth(j);
            late += there.iter().map(|e| worth(e[1..].parse().unwrap())).fold(0.0, f64::max);
        }
    }
    assert!(got / late > 0.93, "{}", got / late);
}

#[test]
fn four_thousand_actions() {
    let names: Vec<String> = (0..4094).map(|j| format!("e{j}")).collect();
    let mut router = NamedRouter::new(&["a", "b"], &names, options(2)).unwrap();
    assert!(router.add_expert("one too many").is_err());
    let x = Features::Dense(&[1.0, 0.5]);
    for name in ["e4000", "e4093", "e130"] {
        let choice = router.decide(x, &[name, "e5"]).unwrap();
        assert_eq!(choice.offers.len(), 4);
        router.observe_action(name, Observed::Reward { reward: 1.0, cost: 0.0 }).unwrap();
    }
    assert_eq!(router.decide(x, &everybody(&router)).unwrap().offers.len(), 4096);
    let choice = router.decide(x, &["e4000", "e7"]).unwrap();
    assert!(choice.offers[3].estimate > choice.offers[2].estimate, "{:?}", choice.offers);
    let again: NamedRouter =
        serde_json::from_str(&serde_json::to_string(&router).unwrap()).unwrap();
    assert_eq!(again.round(), 4);
}

/// By positions the same is decided as by names; looking changes nothing but the question, and a stream
/// that is played draws the same numbers.
#[test]
fn positions_instead_of_names() {
    let mut named = router(&["cat", "dog"], &["anna", "bo"], 1);
    let (mut placed, mut played) = (named.clone(), named.clone());
    let mut active = ActiveBuffer::new(placed.config().space);
    for t in 0..50 {
        let x = [f64::from(t) / 50.0];
        let x = Features::Dense(&x);
        let choice = named.decide(x, &["bo"]).unwrap();
        let (name, q) = (choice.action.to_string(), choice.probability);
        let bo = active.fill([1]).unwrap();
        assert_eq!(placed.consider(x, bo).unwrap().q.len(), 3);
        assert!(placed.observe(right(true)).is_err(), "nothing was drawn");
        let (decision, action) = placed.draw(x, bo).unwrap();
        assert_eq!(decision.probability(action).to_bits(), q.to_bits());
        assert_eq!(placed.chosen(), Some(action.index()));
        assert_eq!(placed.name(action.index()), name);
        let (policy, draws) = played.playing();
        assert_eq!(policy.decide(x, bo).unwrap().sample(draws.random()), action);
        for router in [&mut named, &mut placed] {
            router.observe(right(t % 3 == 0)).unwrap();
        }
        played.chosen = Some(action.index());
        played.observe(right(t % 3 == 0)).unwrap();
    }
    let state = |router: &NamedRouter| serde_json::to_string(router).unwrap();
    assert_eq!(state(&named), state(&placed));
    assert_eq!(state(&named), state(&played));
}

//! From a first round to a claim of your own. Every example here is run by the test-suite.
//!
//! # 1. A round
//! An input comes, some experts are there. A policy answers with a distribution over the classes
//! and the experts that are there; you draw the action, and tell it what came of it.
//!
//! ```
//! use deferlab::prelude::*;
//!
//! let space = ActionSpace::new(2, 1)?; // two classes, one expert: actions 0, 1 and 2
//! let mut learner = Algorithm1::new(Config::new(space, 3))?; // inputs of dimension 3
//! let decision = learner.decide(Features::Dense(&[0.5, 0.0, -1.0]), space.active([0])?)?;
//! assert_eq!(decision.q.len(), 3); // everybody is there, so K = 3
//! let action = decision.sample(0.1); // a uniform draw of yours
//!
//! let correct = true; // it turns out
//! let asking = ExpertCost::new(1.0, 0.1)?;
//! let cost = space.expert_of(action).map(|_| asking.normalized(correct));
//! learner.observe(Feedback::Bandit { action, correct, cost })?;
//! # Ok::<(), LearnerError>(())
//! ```
//!
//! # 2. A stream, and what a policy loses on it
//! Where the law of a round is known, so are the scores `s`, and the loss of a decision needs no
//! sampling: playing `q` costs `1 - sum_a q_a s_a`. An observer sees every round.
//!
//! ```
//! use deferlab::lab::{Event, play};
//! use deferlab::learner::{Algorithm1, Config};
//! use deferlab::problem::{ActionSpace, RoundLaw};
//! use deferlab::lab::stream::{LawItem, LawStream};
//! use rand::SeedableRng;
//!
//! let space = ActionSpace::new(2, 1)?;
//! // One input. The label is 0 in four of five rounds; the expert is always right, asking is
//! // free, and it comes in every other round.
//! let law = RoundLaw::new(space, &[0.8, 0.2], &[[0.0, 0.0]])?;
//! let item = |active| LawItem { weight: 1.0, x: vec![0.0], active, law: law.clone() };
//! let items = vec![item(space.all_active()), item(space.classes_only())];
//! let mut stream = LawStream::new(items, 1)?;
//!
//! let mut regret = 0.0;
//! let mut add = |event: &Event<'_>| {
//!     let scores = event.round.scores.expect("the law is known");
//!     let active = event.round.active.iter().map(|a| scores[a.index()]);
//!     let (mut best, mut played) = (0.0_f64, 0.0);
//!     for (s, q) in active.zip(event.decision.q) {
//!         best = best.max(s);
//!         played += s * q;
//!     }
//!     regret += best - played;
//! };
//! let mut learner = Algorithm1::new(Config::new(space, 1))?;
//! // A seed of its own: the stream's would tie the draws to the labels.
//! let mut draws = rand_pcg::Pcg64::seed_from_u64(2);
//! play(&mut learner, &mut stream, &mut draws, 50_000, &mut [&mut add])?;
//! // It does not learn to ask, and loses 1/5 in every other round: claim `regret-sublinear`.
//! assert!(regret > 0.05 * 50_000.0, "{regret}");
//! # Ok::<(), deferlab::learner::LearnerError>(())
//! ```
//!
//! # 3. What is exactly true
//! [`theory`](crate::theory) computes what the theorems talk about and shares no code with the
//! learner.
//!
//! ```
//! use deferlab::problem::{ActionSpace, RoundLaw};
//! use deferlab::theory::{Scores, risk};
//!
//! let space = ActionSpace::new(2, 1)?;
//! let law = RoundLaw::new(space, &[0.75, 0.25], &[[0.5, 0.5]])?;
//! let scores = Scores::from_law(&law, space.all_active())?;
//! assert_eq!(scores.s(), [0.75, 0.25, 0.5]);
//! assert_eq!(scores.mass(), 1.5);
//! assert_eq!(risk::best_risk(&scores), 0.25);
//! # Ok::<(), deferlab::theory::TheoryError>(())
//! ```
//!
//! # 4. An experiment
//! A file says everything; an unknown key is an error with the nearest known name. `deferlab run
//! FILE.toml` does what follows.
//!
//! ```
//! use deferlab::lab::experiment::Silent;
//! use deferlab::lab::experiment::{Plan, RunOptions, Store, StoreMode, run, jobs};
//!
//! let text = r#"
//!     name = "mine"
//!     seed = 1
//!     runs = 2
//!     rounds = 200
//!     checkpoints = { linear = 4 }
//!     stream = [{ name = "two", law.item = [
//!         { weight = 1.0, x = [1.0], p = [0.9, 0.1], cost = [[0.5, 0.5]] },
//!     ] }]
//!     policy = [{ name = "learner", algorithm1 = {} }, { name = "random", uniform = {} }]
//! "#;
//! let plan = Plan::from_text(text, "mine.toml", "".into())?;
//! let folder = tempfile::tempdir()?;
//! let mut store = Store::open(folder.path(), &plan, StoreMode::Continue)?;
//! run(&plan, &mut store, RunOptions { threads: Some(1), fail_fast: true, ..RunOptions::default() }, &Silent)?;
//! let stored = Store::read(folder.path(), &plan, &jobs(&plan))?;
//! let report = deferlab::report::make(&plan, stored.records())?;
//! assert!(report.figures.iter().any(|f| f.lines.len() == 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # 5. A claim of your own
//! A claim is data and a check. The check computes a verdict and must be able to say `Fails`: here
//! it does, for a bound that is too good to be true.
//!
//! ```
//! use deferlab::claims::{self, Claim, Grade, Outcome, Owner, Saboteur, Tally, Verdict};
//! use deferlab::ledger::teeth;
//! use deferlab::theory::rational::{Rational, ratio};
//! use serde_json::json;
//!
//! /// The product of shares p and 1 - p is at most `bound`, over a grid.
//! fn product(bound: Rational) -> Outcome {
//!     let mut tally = Tally::new();
//!     for i in 0..=100 {
//!         let (p, rest) = (ratio(i, 100), ratio(100 - i, 100));
//!         tally.at_most(&(&p * &rest), &bound, || json!({ "p": p.to_string() }));
//!     }
//!     tally.outcome(Verdict::Holds, Grade::Searched, "shares")
//! }
//!
//! let claim = Claim {
//!     id: "product",
//!     reference: "mine",
//!     statement: "The product of a share and its complement is at most a quarter.",
//!     hypotheses: &["shares between 0 and 1"],
//!     owner: Owner::Project,
//!     check: |_| Ok(product(ratio(1, 4))),
//!     saboteurs: &[Saboteur {
//!         name: "a-fifth",
//!         falsified: "at most a fifth",
//!         check: |_| Ok(product(ratio(1, 5))),
//!         cannot_tell: None,
//!     }],
//!     ..Claim::BLANK
//! };
//! let done = claims::run(&[claim], 1, None, |_, _| {});
//! assert_eq!(done[0].result.as_ref().unwrap().verdict(), Verdict::Holds);
//! assert!(teeth(&[claim], 1)[0].is_as_promised()); // the check refutes the false variant
//! ```
//!
//! # Recipes
//!
//! **Add a surrogate.**
//! 1. A variant of [`Surrogate`](crate::learner::Surrogate) with its formula, and its name in
//!    `NAMES`; value and gradient in the file of its family.
//! 2. The same loss once more, written afresh, in [`theory::loss`](crate::theory::loss): the two
//!    sides share nothing.
//! 3. `is_convex`, `is_constrained` and the calibration function it is said to have.
//! 4. A claim `gamma-...` in `src/claims/calibration.rs`.
//! 5. `cargo test surrogate` compares values with the twin and gradients with differences.
//!
//! **Add a stream.**
//! 1. A file in `src/lab/stream` whose type implements [`Stream`](crate::lab::stream::Stream).
//! 2. Give `scores` when the law of the round is known: regret is then exact, not sampled.
//! 3. Draw from a generator made from the seed you are handed, and from nothing else.
//! 4. A variant of `StreamSpec` in `src/lab/experiment/spec.rs`, its keys in `parse.rs`, its
//!    construction in `build.rs`: now a file can name it.
//! 5. Test that the same seed gives the same rounds and that frequencies are what they should be.
//!
//! **Add a claim.**
//! 1. An entry in the `CLAIMS` of the module for that part of the paper: id, reference, a sentence
//!    of your own, hypotheses, whose claim it is, check.
//! 2. Exact numbers where possible ([`Tally`](crate::claims::Tally)), an interval with a stated
//!    false-alarm rate where not. The grade says what kind of evidence that is; `Proved` is kept only
//!    for `MachineChecked` and `Enumerated`.
//! 3. Saboteurs: the statement made false by a little, which the same check must refute.
//! 4. `deferlab verify --claim ID` tells its story; `deferlab verify --record` records it and
//!    makes the page again.
//!
//! **Add a faulty learner.**
//! 1. A line in `src/claims/teeth/faults.rs`: variant, name, what is wrong.
//! 2. The place where it acts, in `faulty_learner.rs` or `run.rs` beside it: `if has(Fault::Yours)`.
//! 3. `deferlab verify --teeth` shows which checks catch it; one that none catches is a failure,
//!    and means that a check is missing in `src/claims/implementation`.
//!
//! **Add a report to the page.** Nothing to do: a folder of `reports/` with a `report.json`, and a
//! Markdown document beside the ledger, find their place by themselves ([`page`](crate::report::page)).

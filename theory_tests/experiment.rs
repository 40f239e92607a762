//! Experiment files are read strictly, and what a run gives depends on the file alone.

use crate::small_experiment;

use deferlab::lab::experiment::{
    Key, Plan, RunError, RunOptions, RunOutcome, Store, StoreMode, jobs, run,
};
use deferlab::lab::stream::{Stream, StreamRound, Synthetic, SyntheticConfig};
use deferlab::lab::{Event, play, sha256_hex};
use deferlab::learner::{Algorithm1, Config, Schedule};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use seed::Purpose;
use serde_json::Value as Json;
use small_experiment::{SMALL, plan, run_all};
use std::path::{Path, PathBuf};

fn message(text: &str) -> String {
    Plan::from_text(text, "own.toml", PathBuf::new()).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_the_nearest_name() {
    let changed = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        message(&SMALL.replacen(from, to, 1))
    };
    let line = |needle: &str| SMALL.lines().position(|l| l.contains(needle)).unwrap() + 1;
    let m = changed("rounds = 400", "ruonds = 400");
    assert!(m.starts_with(&format!("own.toml, line {}: ", line("rounds = 400"))), "{m}");
    assert!(m.contains("did you mean `rounds`?"), "{m}");
    // Inside a tagged value, where serde itself loses the place.
    let m = changed("eta0 = 0.01", "eta = 0.01");
    assert!(m.contains(&format!("line {}", line("eta0 = 0.01"))), "{m}");
    assert!(m.contains("did you mean `eta0`?"), "{m}");
    let m = changed("availability = { start", "availability = { strat");
    assert!(m.contains("did you mean `start`?") && m.contains("line 12"), "{m}");
    assert!(changed("runs = 3", "runs = \"three\"").contains("line 5: invalid type"));
    assert!(changed("runs = 3", "runs = -3").contains("line 5"));
    assert!(changed("runs = 3", "runs = 0").contains("runs = 0: expected at least 1"));
    assert!(
        changed("name = \"experiment\"", "name = \"experimental\"")
            .contains("did you mean `experiment`")
    );
    assert!(changed("uniform = {}", "").contains("policy `random` has no kind"));
    assert!(changed("uniform = {}", "uniform = {}\noracle = {}").contains("more than one kind"));
    assert!(changed("only = [\"drift\"]", "only = [\"drfit\"]").contains("did you mean `drift`?"));
    assert!(changed("name = \"random\"", "name = \"learner\"").contains("two [[policy]]"));
    assert!(changed("name = \"small\"", "name = \"../small\"").contains("expected letters"));
    assert!(changed("subject = \"learner\"", "subject = \"lerner\"").contains("report.subject"));
    assert!(changed("p = [0.8, 0.2]", "p = [0.8, 0.3]").contains("law.item[0]: p sums to 1.1"));
    assert!(changed("{ schedule", "{ rho = -1.0, schedule").contains("policy `learner`: rho = -1"));
    // Sweeps.
    let m = changed("policy.learner.algorithm1.schedule.gamma0", "policy.lerner.algorithm1.rho");
    assert!(m.contains("there is no `lerner`; did you mean `learner`?"), "{m}");
    let m = changed("schedule.gamma0\"", "schedule.gamma\"");
    assert!(m.contains("sweep") && m.contains("did you mean `gamma0`?"), "{m}");
    assert!(changed("[1.0, 3.0]", "[]").contains("at least one value"));
    assert!(changed("[1.0, 3.0]", "[1.0, -3.0]").contains("schedule.gamma0 = -3"));
    let missing = Plan::read(std::path::Path::new("/nowhere/at/all.toml")).unwrap_err();
    assert!(missing.to_string().starts_with("/nowhere/at/all.toml: "));
}

#[test]
fn sweeps_combine_everything_with_everything() {
    let text = SMALL.replace("[sweep]", "[sweep]\nrounds = [50, 60, 70]");
    let plan = plan(&text);
    let points: Vec<(u64, String)> =
        plan.points.iter().map(|p| (p.spec.rounds, p.label.clone())).collect();
    assert_eq!(points.len(), 6);
    assert_eq!(points[1], (50, "rounds = 50, gamma0 = 3.0".to_string()));
    assert_eq!(points[5], (70, "rounds = 70, gamma0 = 3.0".to_string()));
    // (trace + 3 policies) on one stream, (trace + 2) on the other, three runs.
    assert_eq!(jobs(&plan).len(), 6 * 7 * 3);
}

#[test]
fn only_what_matters_for_the_numbers_is_in_the_key() {
    let hash = |from: &str, to: &str| plan(&SMALL.replacen(from, to, 1)).hash();
    let base = plan(SMALL).hash();
    assert_eq!(base, hash("A small experiment", "Another title"));
    assert_eq!(base, hash("label = \"two inputs\"", ""));
    assert_eq!(base, hash("subject = \"learner\"", ""));
    // Defaults spelled out are the same configuration.
    assert_eq!(base, hash("[stream.synthetic]", "[stream.synthetic]\nn_prime = 3"));
    for (from, to) in [
        ("seed = 7", "seed = 8"),
        ("rounds = 400", "rounds = 401"),
        ("eta0 = 0.01", "eta0 = 0.011"),
        ("[1.0, 3.0]", "[1.0, 2.0]"),
        ("p = [0.8, 0.2]", "p = [0.7, 0.3]"),
        ("name = \"drift\"", "name = \"adrift\""),
    ] {
        if from.contains("drift") {
            let text = SMALL.replace("\"drift\"", "\"adrift\"");
            assert_ne!(base, plan(&text).hash());
        } else {
            assert_ne!(base, hash(from, to), "{from}");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let plan = plan(SMALL);
    let roots: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let bytes: Vec<Vec<u8>> = roots
        .iter()
        .zip([1, 2, 5])
        .map(|(root, threads)| run_all(&plan, root.path(), threads))
        .collect();
    assert!(!bytes[0].is_empty());
    assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2]);
}

/// The record of a run against a loop written here, with risks from the theory module.
#[test]
fn totals_are_those_of_a_plain_loop() {
    let plan = plan(SMALL);
    let root = tempfile::tempdir().unwrap();
    run_all(&plan, root.path(), 2);
    let store = Store::read(root.path(), &plan, &jobs(&plan)).unwrap();
    let key = Key { point: 1, stream: 0, policy: Some(0), run: 2 };
    let RunOutcome::Series(series) = &store[&key].outcome else { panic!("a series") };

    let said = serde_json::to_value(&plan.points[1].spec.stream[0]).unwrap();
    let config: SyntheticConfig = serde_json::from_value(said["synthetic"].clone()).unwrap();
    let by_hand = |run: u64| {
        let mut stream =
            Synthetic::new(&config, seed::derive(7, "small", run, Purpose::Stream)).unwrap();
        let mut rng = Pcg64::seed_from_u64(seed::derive(7, "small", run, Purpose::Actions));
        let schedule = Schedule::Experiment { eta0: 0.01, gamma0: 3.0 };
        let space = stream.space();
        let mut learner =
            Algorithm1::new(Config { schedule, rho: 31f64.sqrt(), ..Config::new(space, 120) })
                .unwrap();
        let (mut loss, mut risk, mut excess, mut explore) = (0.0, 0.0, 0.0, 0.0);
        let (mut right, mut asked) = (0, [0; 3]);
        let mut see = |event: &Event<'_>| {
            let StreamRound { active, scores, .. } = event.round;
            let s: Vec<f64> = active.iter().map(|a| scores.unwrap()[a.index()]).collect();
            let q = event.decision.q;
            let uniform = vec![1.0 / q.len() as f64; q.len()];
            let risk_of = |q: &[f64]| q.iter().zip(&s).map(|(q, s)| q * (1.0 - s)).sum::<f64>();
            let best = 1.0 - s.iter().copied().fold(0.0, f64::max);
            loss += event.loss;
            risk += risk_of(q);
            excess += risk_of(q) - best;
            explore += event.decision.gamma * (risk_of(&uniform) - best);
            right += u64::from(event.round.is_right(event.action).unwrap());
            space.expert_of(event.action).into_iter().for_each(|j| asked[j] += 1);
        };
        play(&mut learner, &mut stream, &mut rng, 400, &mut [&mut see]).unwrap();
        (loss, [risk, excess, explore], right, asked.to_vec())
    };
    let (loss, sums, right, asked) = by_hand(2);
    assert_eq!(series.t.last(), Some(&400));
    assert_eq!(series.loss.last(), Some(&loss));
    assert_eq!(series.right.last(), Some(&right));
    assert_eq!(series.asked.last(), Some(&asked));
    let exact = series.exact.as_ref().unwrap();
    let stored = [&exact.risk, &exact.excess, &exact.exploration].map(|v| *v.last().unwrap());
    for (stored, sum) in stored.iter().zip(sums) {
        // Two orders of summing 400 numbers below one.
        assert!((stored - sum).abs() < 1e-11, "{stored} {sum}");
    }
    // Another run is another run.
    assert_ne!(by_hand(1).0, loss);
}

fn lines_of(root: &Path) -> usize {
    let records = std::fs::read_to_string(root.join("small/records.jsonl")).unwrap();
    records.lines().count()
}

/// A learner that runs over fails its own jobs and no others; fail-fast leaves work undone.
#[test]
fn failing_jobs_do_not_take_the_others_with_them() {
    let text = SMALL.replace("x = [1.0]", "x = [1e120]").replace(
        "algorithm1 = { schedule",
        "algorithm1 = { radius = \"none\", surrogate = { name = \"cstnd_sq\" }, schedule",
    );
    let plan = plan(&text);
    let root = tempfile::tempdir().unwrap();
    let go = |fail_fast| {
        let mut store = Store::open(root.path(), &plan, StoreMode::Fresh).unwrap();
        let options = RunOptions { threads: Some(1), fail_fast, ..RunOptions::default() };
        let error = run(&plan, &mut store, options, &()).unwrap_err();
        let RunError::Jobs { failures, .. } = error else { panic!("{error}") };
        assert!(failures[0].contains("`learner`") && failures[0].contains("round"), "{failures:?}");
        (failures.len(), lines_of(root.path()))
    };
    let (failed, kept) = go(false);
    assert_eq!(failed + kept, jobs(&plan).len());
    assert!(failed >= 2 && kept >= 24, "{failed} {kept}");
    let (failed, kept) = go(true);
    assert!(failed == 1 && kept < jobs(&plan).len() - 1, "{failed} {kept}");
}

/// Stored runs are found by this hash and reports print it: whatever happens to the types of the
/// specification, the configuration of every experiment stays what its report recorded.
#[test]
fn canonical_configurations_are_the_recorded_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for entry in std::fs::read_dir(root.join("experiments")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let recorded = std::fs::read(root.join("reports").join(&name).join("report.json")).unwrap();
        let recorded: Json = serde_json::from_slice(&recorded).unwrap();
        let recorded = &recorded["provenance"];
        let plan = Plan::read(&path).unwrap();
        // Without the data, its hashes are those of the report and the name is the real one.
        let mut canonical = plan.canonical.clone();
        canonical["experiment"]["name"] = name.clone().into();
        canonical["data"] = recorded["data_sha256"].clone();
        // As text: the order of the keys is part of what is hashed.
        let [ours, theirs] =
            [&canonical["experiment"], &recorded["configuration"]].map(|v| v.to_string());
        assert_eq!(ours, theirs, "{name}");
        let hash = sha256_hex(canonical.to_string().as_bytes());
        assert_eq!(Some(hash.as_str()), recorded["configuration_sha256"].as_str(), "{name}");
        if plan.missing_data.is_none() && plan.stand_ins.is_empty() {
            assert_eq!(plan.hash(), hash, "{name}");
        }
        seen += 1;
    }
    assert!(seen >= 19, "{seen}");
}

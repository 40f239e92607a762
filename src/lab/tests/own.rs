//! What people bring: programs that play, recorded rounds, texts, and a log of every round.

use crate::experiment::{Plan, RunError, RunOptions, RunOutcome, Store, StoreMode, run};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;

const HEAD: &str =
    "name = \"own\"\nseed = 1\nruns = 2\nrounds = 40\ncheckpoints = { linear = 4 }\n";

/// Rounds with answers: `ann` is always right, `bob` is there every second time.
fn answers() -> String {
    let line = |i: usize| {
        let (y, bob) = (i % 2, if i.is_multiple_of(2) { "1" } else { "null" });
        format!(
            "{{\"x\":{{\"{i}\":3.0}},\"label\":{y},\"answers\":{{\"ann\":{y},\"bob\":{bob}}}}}\n"
        )
    };
    (0..8).map(line).collect()
}

const RECORDED: &str = "[[stream]]\nname = \"s\"\n[stream.recorded]\nfile = \"rounds.jsonl\"\nclasses = 2\nexperts = [\"ann\", \"bob\"]\ndim = 8\nunit_norm = true\nshuffle = true\n";

const BELIEF: &str = "[[policy]]\nname = \"belief\"\nbelief = {}\n";

/// A program in shell: says yes to everything, and `decide` to `then`.
fn shell(then: &str) -> String {
    format!(
        "while read -r line; do case $line in *decide*) {then};; *) echo '{{\"ok\":true}}';; esac; done"
    )
}

fn command(name: &str, run: &str) -> String {
    let run = serde_json::to_string(run).unwrap();
    format!("[[policy]]\nname = \"{name}\"\n[policy.command]\nrun = {run}\ntime_limit = 20.0\n")
}

fn plan(folder: &Path, text: &str) -> Result<Plan, String> {
    let path = folder.join("own.toml");
    fs::write(&path, text).unwrap();
    Plan::read(&path).map_err(|error| error.to_string())
}

/// Runs the plan; what failed, and the store.
fn play(plan: &Plan, root: &Path, log: Option<&Path>, threads: usize) -> (Vec<String>, Store) {
    let mut store = Store::open(root, plan, StoreMode::Continue).unwrap();
    let log = log.map(Path::to_path_buf);
    let options = RunOptions { threads: Some(threads), log, ..RunOptions::default() };
    let failures = match run(plan, &mut store, options, &()) {
        Ok(_) => Vec::new(),
        Err(RunError::Jobs { failures, .. }) => failures,
        Err(other) => panic!("{other}"),
    };
    (failures, store)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn programs_play_and_whoever_fails_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    // One probability more when bob is there.
    let good = shell(
        "case $line in *'[0,1]'*) echo '{\"q\":[0.1,0.2,0.3,0.4]}';; *) echo '{\"q\":[0.5,0.25,0.25]}';; esac",
    );
    let faults = [
        (
            "crash",
            shell("echo 'no more' >&2; exit 3"),
            "round 1: the program crashed: it ended (exit status: 3)",
        ),
        (
            "rubbish",
            shell("echo hello"),
            "round 1: the program sent invalid JSON in reply to decide (request 2): \"hello\"",
        ),
        ("short", shell("echo '{\"q\":[0.5,0.5]}'"), "q has 2 entries, expected"),
        (
            "sum",
            shell(
                "case $line in *'[0,1]'*) echo '{\"q\":[0,0,0,0]}';; *) echo '{\"q\":[0,0,0]}';; esac",
            ),
            "q sums to 0, expected 1",
        ),
        (
            "refuses",
            shell("echo '{\"error\":\"not today\"}'"),
            "the program refused decide (request 2): not today",
        ),
        ("missing", "no-such-program-anywhere".into(), "not found"),
    ];
    let mut text = format!("{HEAD}{RECORDED}{BELIEF}{}", command("good", &good));
    faults.iter().for_each(|(name, run, _)| text += &command(name, run));
    let plan = plan(folder.path(), &text).unwrap();
    let (failures, store) = play(&plan, &folder.path().join("runs"), None, 2);
    for (name, _, expected) in &faults {
        let of: Vec<&String> =
            failures.iter().filter(|f| f.contains(&format!("stream `s`, `{name}`, run"))).collect();
        assert_eq!(of.len(), 2, "{name}: {failures:?}");
        assert!(of.iter().all(|f| f.contains(expected)), "{of:?}");
    }
    assert_eq!(failures.len(), 2 * faults.len());
    // Two runs each of the stream, the router and the good program.
    assert_eq!(store.len(), 6);
}

#[test]
fn a_hang_ends_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    let slow = command("slow", &shell("sleep 1000")).replace("20.0", "0.5");
    let plan = plan(folder.path(), &format!("{HEAD}{RECORDED}{slow}")).unwrap();
    let (failures, _) = play(&plan, &folder.path().join("runs"), None, 2);
    assert!(
        failures.len() == 2 && failures[0].contains("no reply to decide (request 2) within 0.5 s"),
        "{failures:?}"
    );
}

#[test]
fn a_program_is_told_what_it_plays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    let script = "while read -r line; do echo \"$line\" >> said.jsonl; case $line in *decide*) case $line in *'[0,1]'*) echo '{\"q\":[0,0,1,0]}';; *) echo '{\"q\":[0,0,1]}';; esac;; *) echo '{\"ok\":true}';; esac; done";
    fs::write(folder.path().join("mine.sh"), script).unwrap();
    let text =
        format!("{HEAD}{RECORDED}{}", "[[policy]]\nname = \"mine\"\ncommand = \"sh mine.sh\"\n");
    let text = text.replace("runs = 2", "runs = 1");
    let first = plan(folder.path(), &text).unwrap();
    // A script that changes is another policy.
    assert!(first.data_sha256("mine.sh").is_some());
    fs::write(folder.path().join("mine.sh"), format!("{script}\n# changed")).unwrap();
    assert_ne!(plan(folder.path(), &text).unwrap().hash(), first.hash());
    fs::write(folder.path().join("mine.sh"), script).unwrap();
    let (failures, store) = play(&first, &folder.path().join("runs"), None, 1);
    assert!(failures.is_empty(), "{failures:?}");
    let said = lines(&folder.path().join("said.jsonl"));
    // init, 40 rounds, bye
    assert_eq!(said.len(), 82);
    assert_eq!(said[0]["classes"], serde_json::json!(["0", "1"]));
    assert_eq!(said[0]["experts"], serde_json::json!(["ann", "bob"]));
    assert_eq!((&said[0]["d"], &said[0]["feedback"]), (&8.into(), &"bandit".into()));
    let x = said[1]["x"].as_object().unwrap();
    assert_eq!(x.values().collect::<Vec<_>>(), [&serde_json::json!(1.0)], "unit norm");
    assert_eq!((&said[2]["action"], &said[2]["correct"]), (&2.into(), &true.into()));
    assert!((said[2]["cost"].as_f64().unwrap() - 0.1 / 1.1).abs() < 1e-15);
    assert_eq!(said[81]["op"], "bye");
    let stored = store.stored().unwrap();
    let RunOutcome::Series(series) = &stored.values().last().unwrap().outcome else {
        panic!("no series")
    };
    assert_eq!(series.right.last(), series.t.last());
    assert_eq!(series.asked.last().map(|asked| &asked[0]), series.t.last());
}

#[test]
fn every_round_is_logged_and_threads_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    let text = format!("{HEAD}{RECORDED}{BELIEF}[[policy]]\nname = \"random\"\nuniform = {{}}\n");
    let plan = plan(folder.path(), &text).unwrap();
    let log = folder.path().join("log.jsonl");
    let (_, store) = play(&plan, &folder.path().join("runs"), Some(&log), 2);
    let bytes = fs::read(&log).unwrap();
    let said = lines(&log);
    assert_eq!(said.len(), 2 * 2 * 40);
    let first = &said[0];
    assert_eq!((&first["stream"], &first["policy"]), (&"s".into(), &"belief".into()));
    assert_eq!((&first["run"], &first["round"]), (&0.into(), &1.into()));
    for (i, line) in said.iter().enumerate() {
        let q: Vec<f64> = serde_json::from_value(line["q"].clone()).unwrap();
        assert_eq!(q.len(), 2 + line["available"].as_array().unwrap().len());
        assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(line["round"], (i % 40 + 1) as u64);
        let (action, correct) = (&line["action"], &line["outcome"]["correct"]);
        assert!(["0", "1", "ann", "bob"].contains(&action.as_str().unwrap()));
        assert!(action != "ann" || correct == true);
    }
    // The losses in the log are those in the store.
    let of_first: f64 =
        said[..40].iter().map(|line| line["outcome"]["loss"].as_f64().unwrap()).sum();
    let stored = store.stored().unwrap();
    let series = stored.values().find_map(|record| match &record.outcome {
        RunOutcome::Series(series) => Some(series),
        RunOutcome::Trace(_) => None,
    });
    assert!((series.unwrap().loss[3] - of_first).abs() < 1e-9);
    // Once more, from the store, on one thread.
    let again = folder.path().join("again.jsonl");
    drop(store);
    let (failures, _) = play(&plan, &folder.path().join("runs"), Some(&again), 1);
    assert!(failures.is_empty());
    assert_eq!(fs::read(&again).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "nothing is left behind");
}

/// A program that draws its own numbers does not repeat itself, and that is said.
#[test]
fn a_replay_that_differs_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    let moody = "if [ -e seen ]; then a=1; b=0; else a=0; b=1; fi; : > seen; while read -r line; do case $line in *decide*) case $line in *'[0,1]'*) echo \"{\\\"q\\\":[$a,$b,0,0]}\";; *) echo \"{\\\"q\\\":[$a,$b,0]}\";; esac;; *) echo '{\"ok\":true}';; esac; done";
    let text =
        format!("{HEAD}{RECORDED}{}", command("moody", moody)).replace("runs = 2", "runs = 1");
    let plan = plan(folder.path(), &text).unwrap();
    let (first, _) = play(&plan, &folder.path().join("runs"), None, 1);
    assert!(first.is_empty(), "{first:?}");
    let (again, _) =
        play(&plan, &folder.path().join("runs"), Some(&folder.path().join("log.jsonl")), 1);
    assert!(again.len() == 1 && again[0].contains("it gave other results"), "{again:?}");
}

#[test]
fn texts_rewards_and_prices_from_a_gzipped_file() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| {
        let (word, small) = if i.is_multiple_of(2) { ("easy", 0.9) } else { ("hard", 0.2) };
        format!(
            "{{\"text\":\"An {word} one\",\"rewards\":{{\"small\":{small},\"large\":0.8}},\"prices\":{{\"small\":0.0,\"large\":0.5}}}}\n"
        )
    };
    let text: String = (0..20).map(line).collect();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    fs::write(folder.path().join("rounds.jsonl.gz"), packed.finish().unwrap()).unwrap();
    let stream = "[[stream]]\nname = \"s\"\n[stream.recorded]\nfile = \"rounds.jsonl.gz\"\nclasses = 0\nexperts = [\"small\", \"large\"]\ndim = 64\nexchange = 0.5\nshuffle = true\ncomes = { large = 11 }\n";
    let fixed = "[[policy]]\nname = \"fixed\"\nfixed_expert = { mean_costs = [1.0, 0.0] }\n";
    let plan = plan(folder.path(), &format!("{HEAD}{stream}{fixed}{BELIEF}")).unwrap();
    let log = folder.path().join("log.jsonl");
    let (failures, store) = play(&plan, &folder.path().join("runs"), Some(&log), 2);
    assert!(failures.is_empty(), "{failures:?}");
    let said = lines(&log);
    let nobody_knows = said.iter().all(|line| line["outcome"].get("correct").is_none());
    assert!(nobody_knows, "right and wrong are not made up");
    let fixed: Vec<&Value> = said.iter().filter(|line| line["policy"] == "fixed").collect();
    for line in &fixed {
        let late = line["round"].as_u64().unwrap() >= 11;
        assert_eq!(line["action"], if late { "large" } else { "small" });
        let price = line["outcome"]["price"].as_f64().unwrap();
        assert_eq!(price, if late { 0.5 } else { 0.0 });
    }
    for record in store.stored().unwrap().values() {
        match &record.outcome {
            RunOutcome::Series(series) => {
                assert!(series.graded);
                let earnings = series.earnings.as_ref().unwrap();
                assert_eq!(earnings.reward.len(), 4);
            }
            RunOutcome::Trace(trace) => {
                assert_eq!(trace.expert_right.last().and_then(|right| right.first()), None);
                assert_eq!(trace.available.last(), Some(&vec![40, 30]));
                let earnings = trace.earnings.as_ref().unwrap();
                let last = |rows: &[Vec<f64>]| rows[rows.len() - 1][1];
                assert!((last(&earnings.reward) - 30.0 * 0.8).abs() < 1e-9);
                assert_eq!(last(&earnings.price), 15.0);
            }
        }
    }
}

#[test]
fn what_is_not_defined_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rounds.jsonl"), answers()).unwrap();
    let message = |text: String| plan(folder.path(), &text).unwrap_err();
    let oracle = message(format!("{HEAD}{RECORDED}[[policy]]\nname = \"o\"\noracle = {{}}\n"));
    assert!(
        oracle.contains("policy `o`: an oracle plays the best action by the true scores"),
        "{oracle}"
    );
    fs::write(
        folder.path().join("costs.jsonl"),
        "{\"x\":[1],\"label\":0,\"costs\":[0.5,null]}\n".repeat(50),
    )
    .unwrap();
    let costs =
        "[[stream]]\nname = \"s\"\n[stream.recorded]\nfile = \"costs.jsonl\"\nclasses = 2\n";
    let bit = message(format!("{HEAD}{costs}{}", command("p", "cat")));
    assert!(bit.contains("policy `p`: stream `s` records costs or rewards"), "{bit}");
    let limit = message(format!("{HEAD}{RECORDED}{}", command("p", "cat").replace("20.0", "-1.0")));
    assert!(limit.contains("time_limit = -1: expected seconds above 0"), "{limit}");
    let unknown =
        format!("{HEAD}{RECORDED}{}", command("p", "cat").replace("time_limit", "timelimit"));
    assert!(message(unknown).contains("unknown field `timelimit`"));
    let line = message(format!("{HEAD}{}{BELIEF}", RECORDED.replace("dim = 8", "dim = 4")));
    assert!(line.contains("rounds.jsonl: line 5: feature index 4"), "{line}");
    let comes = format!("{HEAD}{RECORDED}comes = {{ anne = 3 }}\n{BELIEF}");
    assert!(message(comes).contains("comes.anne = 3: there is no such expert; did you mean ann?"));
    let ends = message(format!("{HEAD}{}{BELIEF}", RECORDED.replace("shuffle = true", "")));
    assert!(ends.contains("it has 8 rounds, the experiment asks for 40"), "{ends}");
}

/// Every policy in a space with more actions than fit 128 bits, and without any class of its own;
/// Algorithm 1 and what is built on it say why they cannot play then.
#[test]
fn every_policy_plays_many_experts_and_only_experts() {
    let folder = tempfile::tempdir().unwrap();
    let experts: Vec<String> = (0..150).map(|j| format!("w{j}")).collect();
    let mut text = format!("a,b,truth,{}\n", experts.join(","));
    for i in 0..40 {
        let answer = |j: usize| match (i + j) % 3 {
            0 => String::new(),
            _ => ((i + j) % 2).to_string(),
        };
        let answers: Vec<String> = (0..150).map(answer).collect();
        text += &format!("{},{},{},{}\n", i % 3, i % 5, i % 2, answers.join(","));
    }
    fs::write(folder.path().join("wide.csv"), text).unwrap();
    let table = "[[stream]]\nname = \"s\"\n[stream.table]\nfile = \"wide.csv\"\nlabel = \"truth\"\nexperts = [\"w*\"]\nclasses = 2\n";
    let anybody = [
        "auto = {}",
        "auto = { feedback = \"reward\" }",
        "belief = {}",
        "square_cb = {}",
        "ridge_cb = {}",
        "lin_ucb = {}",
        "thompson = {}",
        "epsilon_greedy = {}",
        "running_means = {}",
        "fixed_expert = {}",
        "uniform = {}",
    ];
    let with_classes = [
        "auto = { feedback = \"answer\" }",
        "algorithm1 = {}",
        "classifier_only = {}",
        "confidence = { threshold = 0.8 }",
    ];
    let policies = |kinds: &[&str]| -> String {
        let one = |(i, kind): (usize, &&str)| format!("[[policy]]\nname = \"p{i}\"\n{kind}\n");
        kinds.iter().enumerate().map(one).collect()
    };
    let all: Vec<&str> = anybody.iter().chain(&with_classes).copied().collect();
    let wide = plan(folder.path(), &format!("{HEAD}{table}{}", policies(&all))).unwrap();
    let (failures, store) = play(&wide, &folder.path().join("wide"), None, 2);
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(store.len(), 2 * (1 + all.len()));
    let prices: Vec<String> = experts.iter().map(|name| format!("{name} = 0.1")).collect();
    let prices = prices.join(", ");
    let only = format!("{table}experts_only = true\nprices = {{ {prices} }}\nexchange = 0.5\n");
    let text = |kinds: &[&str]| format!("{HEAD}{only}{}", policies(kinds));
    let without = plan(folder.path(), &text(&anybody)).unwrap();
    let (failures, _) = play(&without, &folder.path().join("only"), None, 2);
    assert!(failures.is_empty(), "{failures:?}");
    let message = |kind: &str| plan(folder.path(), &text(&[kind])).unwrap_err();
    for kind in &with_classes[1..] {
        let said = message(kind);
        assert!(said.contains("Algorithm 1 answers with classes and needs at least 2"), "{said}");
    }
    assert!(message(with_classes[0]).contains("needs what the experts answered and classes"));
    assert!(message("auto = { feedback = \"full\" }").contains("bandit, answer or reward"));
}

/// Experts of a table who come and go and have prices.
#[test]
fn a_table_has_seasons_and_prices() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "a,truth,ann,bob\n1,0,0,1\n2,1,1,1\n").unwrap();
    let table = "[[stream]]\nname = \"s\"\n[stream.table]\nfile = \"t.csv\"\nlabel = \"truth\"\nexperts = [\"ann\", \"bob\"]\nclasses = 2\nshuffle = true\ncomes = { ann = 21 }\nprices = { ann = 3.0, bob = 1.0 }\n";
    let plan_of = |more: &str| plan(folder.path(), &format!("{HEAD}{table}{more}{BELIEF}"));
    assert!(plan_of("").unwrap_err().contains("(`exchange`)"));
    let both = plan_of("exchange = 0.1\ncost = { alpha = 1.0, beta = 0.5 }\n").unwrap_err();
    assert!(both.contains("`cost` and `prices` both say"), "{both}");
    let plan = plan_of("exchange = 0.1\n").unwrap();
    let log = folder.path().join("log.jsonl");
    let (failures, _) = play(&plan, &folder.path().join("runs"), Some(&log), 1);
    assert!(failures.is_empty(), "{failures:?}");
    for line in lines(&log) {
        let late = line["round"].as_u64().unwrap() > 20;
        assert_eq!(line["available"].as_array().unwrap().len(), if late { 2 } else { 1 });
        let (action, outcome) = (&line["action"], &line["outcome"]);
        let right = outcome["correct"].as_bool().unwrap();
        assert_eq!(outcome["reward"].as_f64().unwrap(), f64::from(u8::from(right)));
        if action == "ann" {
            assert_eq!(outcome["price"], 3.0);
            assert!((outcome["loss"].as_f64().unwrap() - 0.3 / 1.3).abs() < 1e-15);
        }
    }
}

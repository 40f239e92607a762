//! App. G: what the text says of its figures, asked of our own runs of the same settings.
//!
//! The experiment files are those of `experiments/`, with their five runs and their seed; the rule
//! that decides each statement stands with its numbers in [`crate::report`]. The master seed of the
//! ledger does not enter.

use super::{CheckFailure, Checked, Claim, Grade, Kind, Outcome, Verdict};
use crate::lab::experiment::jobs;
use crate::lab::experiment::{Plan, RunOptions, Store, StoreMode, run};
use crate::report::{self, Observation};
use serde_json::json;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The synthetic settings of which the text says something that can be decided, as files.
const SETTINGS: [(&str, &str); 2] = [
    ("synthetic-1.toml", include_str!("../../experiments/synthetic-1.toml")),
    ("synthetic-2.toml", include_str!("../../experiments/synthetic-2.toml")),
];

/// A claim about setting `$setting` decided by the observation `$observation` of its runs.
macro_rules! figure_claims {
    ($($id:literal: setting $setting:literal, $observation:literal, $statement:literal;)*) => {
        pub(crate) const CLAIMS: &[Claim] = &[$(Claim {
            id: $id,
            reference: "App. G.2, figures of the synthetic settings",
            statement: $statement,
            hypotheses: &["the protocol as we read it, B = N, 100,000 rounds, five runs"],
            kind: Kind::Experiment,
            check: |_| check($setting, concat!($observation, "/alg1-n")),
            ..Claim::BLANK
        }),*];
    };
}

figure_claims! {
    "figure-syn-1-accuracy": setting 1, "accuracy-rises",
        "In setting 1 the accuracy of the method increases over the rounds.";
    "figure-syn-1-loss": setting 1, "loss-falls",
        "In setting 1 the normalized deferral loss of the method decreases over the rounds.";
    "figure-syn-1-knowing": setting 1, "knowing-experts-asked-most",
        "In setting 1 the experts with a region are asked most.";
    "figure-syn-1-weak": setting 1, "guessing-expert-hardly-asked",
        "In setting 1 the weak expert is hardly asked.";
    "figure-syn-1-queried": setting 1, "asked-where-they-know",
        "In setting 1 experts are asked where they know the answer: their accuracy on queried \
         rounds is high.";
    "figure-syn-1-baseline": setting 1, "beats-baseline",
        "In setting 1 the method has lower loss and higher accuracy than the random baseline.";
    "figure-syn-2-queried": setting 2, "asked-where-they-know",
        "In setting 2 accuracy on queried rounds is high.";
}

/// The observations of a setting, computed once a process.
fn observations(setting: usize) -> Result<&'static [Observation], CheckFailure> {
    static DONE: [OnceLock<Result<Vec<Observation>, CheckFailure>>; 2] =
        [const { OnceLock::new() }; 2];
    // On a thread of its own: a worker of the pool that runs the checks would look for other work
    // while it waits for the experiment, and could pick a claim that waits for this very cell. With a
    // pool of its own: all workers of the other one may be waiting for such cells.
    let apart = || {
        let pool = rayon::ThreadPoolBuilder::new().build()?;
        let thread =
            std::thread::spawn(move || pool.install(|| run_setting(SETTINGS[setting - 1])));
        thread.join().unwrap_or_else(|_| Err(CheckFailure("the experiment panicked".into())))
    };
    let done = DONE[setting - 1].get_or_init(apart);
    done.as_deref().map_err(CheckFailure::clone)
}

fn run_setting((name, text): (&str, &str)) -> Result<Vec<Observation>, CheckFailure> {
    let say = |error: &dyn std::fmt::Display| CheckFailure(format!("{name}: {error}"));
    let text = compared(text).map_err(|e| say(&e))?;
    let plan = Plan::from_text(&text, name, PathBuf::new()).map_err(|e| say(&e))?;
    let folder = tempfile::tempdir().map_err(|e| say(&e))?;
    let mut store = Store::open(folder.path(), &plan, StoreMode::Continue).map_err(|e| say(&e))?;
    run(&plan, &mut store, RunOptions::default(), &()).map_err(|e| say(&e))?;
    drop(store);
    let stored = Store::read(folder.path(), &plan, &jobs(&plan)).map_err(|e| say(&e))?;
    let report = report::make(&plan, &stored, &[]).map_err(|e| say(&e))?;
    Ok(report.observations)
}

/// The policies that the statements are about: the method with `B = N`, and chance.
const COMPARED: [&str; 2] = ["alg1-n", "random"];

/// The file without the other policies. A run is the same whoever else plays.
fn compared(text: &str) -> Result<String, toml::de::Error> {
    let mut file: toml::Table = text.parse()?;
    if let Some(toml::Value::Array(policies)) = file.get_mut("policy") {
        policies.retain(|policy| {
            let name = policy.get("name").and_then(toml::Value::as_str);
            name.is_some_and(|name| COMPARED.contains(&name))
        });
    }
    if let Some(toml::Value::Table(report)) = file.get_mut("report") {
        report.remove("oracle");
    }
    Ok(file.to_string())
}

fn check(setting: usize, id: &str) -> Checked {
    let found = observations(setting)?.iter().find(|observation| observation.id == id);
    let found = found.ok_or_else(|| CheckFailure(format!("setting {setting} has no {id}")))?;
    Ok(outcome(found))
}

/// The numbers of an observation in one line; counts have no decimals.
pub(super) fn in_words(observation: &Observation) -> String {
    let one = |(what, value): (&String, &f64)| match value.fract() == 0.0 {
        true => format!("{what} {value}"),
        false => format!("{what} {value:.4}"),
    };
    observation.numbers.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn outcome(observation: &Observation) -> Outcome {
    let (verdict, word) = match observation.holds {
        true => (Verdict::Consistent, "our runs show it"),
        false => (Verdict::Inconsistent, "our runs of the stated protocol do not show it"),
    };
    Outcome::new(verdict, Grade::Sampled, format!("{word}: {}", in_words(observation)))
        .with("rule", observation.statement.clone())
        .with("numbers", json!(observation.numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed<const N: usize>(numbers: [(&str, f64); N]) -> Observation {
        Observation {
            id: "x".into(),
            statement: "rule".into(),
            holds: true,
            numbers: numbers.map(|(what, value)| (what.to_owned(), value)).into(),
        }
    }

    #[test]
    fn the_verdict_follows_the_observation() {
        let mut observation = observed([("first", 0.5)]);
        assert_eq!(outcome(&observation).verdict(), Verdict::Consistent);
        observation.holds = false;
        assert_eq!(outcome(&observation).verdict(), Verdict::Inconsistent);
    }

    #[test]
    fn counts_have_no_decimals() {
        let observation = observed([("runs", 5.0), ("share", 0.25), ("whole share", 1.0)]);
        assert_eq!(in_words(&observation), "runs 5, share 0.2500, whole share 1");
    }

    #[test]
    fn only_who_is_compared_plays() {
        for (name, text) in SETTINGS {
            let text = compared(text).unwrap();
            let plan = Plan::from_text(&text, name, PathBuf::new()).unwrap();
            // Two policies and the streams themselves, in five runs.
            assert_eq!(jobs(&plan).len(), 3 * 5, "{name}");
        }
    }
}

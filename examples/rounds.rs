//! Prints the rounds of a run of an experiment as JSON lines, so that another program can play them
//! in the same order: `cargo run --release --example rounds -- experiments/NAME.toml STREAM RUN`.
//!
//! The first line says where the rounds come from. Then, for each round: `x` as `[feature, value]`
//! pairs, the `active` experts, and for every action (classes, then all experts) its `loss`, whether
//! it is `right`, and its expected reward where the law is known (`scores`). A learner may look at `x`
//! and `active` before it acts, and afterwards at the loss and `right` of its own action alone.

use deferlab::lab::experiment::{Game, Plan};
use deferlab::problem::Features;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, run] = arguments.as_slice() else {
        return Err("usage: rounds EXPERIMENT.toml STREAM RUN".into());
    };
    let run: u32 = run.parse()?;
    let plan = Plan::read(Path::new(file))?;
    let spec = plan.spec.clone();
    let stream = spec.stream.iter().position(|s| s.name == *name);
    let stream = stream.ok_or_else(|| format!("{file}: there is no stream {name:?}"))?;
    let mut rounds = Game::new(&plan, 0, stream, run)?.stream()?;
    let space = rounds.space();

    let mut out = BufWriter::new(std::io::stdout().lock());
    let head = json!({
        "experiment": spec.name, "stream": name, "run": run, "runs": spec.runs, "seed": spec.seed,
        "rounds": spec.rounds, "classes": space.classes(), "experts": space.experts(),
        "data_sha256": plan.canonical["data"],
    });
    writeln!(out, "{head}")?;
    for _ in 0..spec.rounds {
        let round = rounds.next_round().ok_or("the stream ended early")?;
        let x: Vec<Value> = match round.x {
            Features::Dense(values) => {
                values.iter().enumerate().map(|(i, v)| json!([i, v])).collect()
            }
            Features::Sparse(row) => {
                row.indices.iter().zip(row.values).map(|(i, v)| json!([i, v])).collect()
            }
        };
        let actions = || (0..space.len()).filter_map(|a| space.action(a).ok());
        let line = json!({
            "x": x,
            "active": round.active.experts().collect::<Vec<_>>(),
            "loss": actions().map(|a| round.loss(a)).collect::<Vec<_>>(),
            "right": actions().map(|a| round.is_right(a)).collect::<Vec<_>>(),
            "scores": round.scores,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

//! `deferlab run`: one's own experiment.

use super::progress::Shown;
use super::{End, Format, networks, pretty, print, say, signals};
use crate::lab::experiment::Progress;
use crate::lab::experiment::obstacle;
use crate::lab::experiment::write_whole;
use crate::lab::experiment::{
    Plan, RunError, RunOptions, Shard, Store, StoreMode, run as run_experiment,
};
use crate::overview;
use crate::report::{self, Report};
use lab::check_threads;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What running an experiment needs, whichever it is.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Running {
    /// Folder of stored runs; an interrupted experiment continues from there.
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    pub store: PathBuf,
    /// Threads; as many as the machine has without it. Results do not depend on it.
    #[arg(long, value_parser = threads)]
    pub threads: Option<usize>,
    /// Stop at the first job that fails; without it the others are still run.
    #[arg(long)]
    pub fail_fast: bool,
    /// Move stored runs aside and start again.
    #[arg(long)]
    pub fresh: bool,
    /// Keep every good record of a store that was damaged, say what was dropped, and go on.
    #[arg(long, conflicts_with = "fresh")]
    pub repair: bool,
}

/// At least one thread, and no more than the machine can stand.
fn threads(text: &str) -> Result<usize, ThreadsError> {
    let threads: usize = text.parse()?;
    check_threads(threads)?;
    if threads == 0 { Err(ThreadsError::None) } else { Ok(threads) }
}

/// Why a number of threads is not accepted.
#[derive(Debug, thiserror::Error)]
enum ThreadsError {
    #[error(transparent)]
    NotANumber(#[from] std::num::ParseIntError),
    #[error(transparent)]
    TooMany(#[from] RunError),
    #[error("expected at least one")]
    None,
}

/// Run an experiment file and write its report.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  deferlab run examples/own-data/tickets.toml\n  deferlab run mine.toml --log rounds.jsonl\n  deferlab run mine.toml --shard 1/4"
)]
pub(super) struct Args {
    /// The experiment, a TOML file.
    file: PathBuf,
    #[command(flatten)]
    running: Running,
    /// Only part I of N of the jobs, without a report: any N covers all jobs, each once. `merge` puts the
    /// parts together.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["fresh", "repair", "out"])]
    shard: Option<Shard>,
    /// Folder for the report; `STORE/NAME/report` without it.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// How the summary is printed.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write every round to this file: who was available, the probabilities, the action, what came of it
    /// (JSON lines). Runs that are stored already are played once more for it.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub(super) fn run(args: Args) -> End {
    let plan = match Plan::read(&args.file) {
        Ok(plan) => plan,
        Err(error) => return End::bad_input(error),
    };
    if let Some(why) = obstacle(&plan, networks()) {
        return End::bad_input(format!("{}: {why}", args.file.display()));
    }
    plan.hints.iter().for_each(|hint| say(format!("note: {hint}")));
    let (run, stored) = match run_plan(&plan, &args.running, args.shard, args.log) {
        Ok(done) => done,
        Err(end) => return end,
    };
    if let Some(shard) = args.shard {
        let said = format!("{}, part {shard}: {run} jobs run, {stored} stored", plan.spec.name);
        return print(said + "\n").into();
    }
    let out = args.out.unwrap_or_else(|| args.running.store.join(&plan.spec.name).join("report"));
    match write_report(&plan, &args.running.store, &out) {
        Ok(report) => print_summary(&report, &out, args.format),
        Err(end) => end,
    }
}

/// Runs what is not stored yet; how many jobs that were, and how many were stored before.
pub(super) fn run_plan(
    plan: &Plan,
    running: &Running,
    shard: Option<Shard>,
    log: Option<PathBuf>,
) -> Result<(usize, usize), End> {
    let progress = Shown::default();
    let start = Instant::now();
    let mode = match (shard, running.fresh, running.repair) {
        (Some(shard), ..) => StoreMode::Shard(shard),
        (_, true, _) => StoreMode::Fresh,
        (_, _, true) => StoreMode::Repair,
        _ => StoreMode::Continue,
    };
    let mut store = Store::open(&running.store, plan, mode).map_err(End::bad_input)?;
    let Running { threads, fail_fast, .. } = *running;
    let stop = signals::stop();
    let options = RunOptions { threads, fail_fast, networks: networks(), stop, log };
    let done = run_experiment(plan, &mut store, options, &progress).map_err(|error| {
        progress.end();
        match error {
            RunError::Jobs { .. } => {
                say(format!("deferlab: {error}"));
                End::CheckFailed
            }
            RunError::Stopped { .. } => End::Stopped(error.to_string()),
            _ => End::bad_input(error),
        }
    })?;
    if done.0 > 0 && shard.is_none() {
        let seconds = start.elapsed().as_secs_f64();
        let threads = threads.unwrap_or_else(rayon::current_num_threads);
        let timing = json!({ "seconds": seconds, "threads": threads, "jobs": done.0 });
        keep_timing(&running.store, &plan.spec.name, timing).map_err(End::bad_input)?;
    }
    Ok(done)
}

/// Timings are kept beside the runs: they belong to a machine and not into a report.
fn keep_timing(
    store: &Path,
    name: &str,
    timing: Json,
) -> Result<(), crate::lab::experiment::StoreError> {
    let path = store.join("timings.json");
    let known = std::fs::read_to_string(&path).ok();
    let mut all: BTreeMap<String, Json> =
        known.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    all.insert(name.into(), timing);
    write_whole(&path, pretty(&all).as_bytes())
}

/// Makes the report of stored runs and writes it to `out`.
pub(super) fn write_report(plan: &Plan, store: &Path, out: &Path) -> Result<Report, End> {
    let jobs = crate::lab::experiment::jobs(plan);
    let stored = Store::read(store, plan, &jobs).map_err(End::bad_input)?;
    let report = overview::make_report(plan, &stored).map_err(End::bad_input)?;
    report::write(&report, out).map_err(End::bad_input)?;
    Ok(report)
}

pub(super) fn print_summary(report: &Report, out: &Path, format: Format) -> End {
    print(match format {
        Format::Json => pretty(report),
        Format::Text => {
            format!("{report}\nreport: {}\n", out.display())
        }
    })
    .into()
}

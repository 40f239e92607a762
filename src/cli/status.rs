//! `deferlab status`: how far an experiment is, whoever works on it.

use super::{End, Format, pretty, print};
use crate::lab::experiment::{Plan, StoreStatus, WorkerStatus};
use lab::terminal;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How many jobs are done, running, failed and missing; exit code 1 if some failed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  deferlab status experiments/synthetic-1.toml")]
pub(super) struct Args {
    /// The experiment, a TOML file.
    file: PathBuf,
    /// Folder of stored runs.
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    store: PathBuf,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Lines of a log that are shown.
const LAST_LINES: usize = 3;

pub(super) fn run(args: &Args) -> End {
    let plan = match Plan::read(&args.file) {
        Ok(plan) => plan,
        Err(error) => return End::bad_input(error),
    };
    let status = match StoreStatus::read(&args.store, &plan) {
        Ok(status) => status,
        Err(error) => return End::bad_input(error),
    };
    let text = match args.format {
        Format::Json => pretty(&status),
        Format::Text => in_words(&plan.spec.name, &status, &args.store.join(&plan.spec.name)),
    };
    match print(text) {
        Ok(()) if !status.failed.is_empty() => End::CheckFailed,
        shown => shown.into(),
    }
}

fn in_words(name: &str, status: &StoreStatus, folder: &Path) -> String {
    let StoreStatus { jobs, done, running, failed, missing, saved, workers } = status;
    let mut out = format!(
        "{name}: {jobs} jobs: {done} done, {running} running, {} failed, {missing} missing\n",
        failed.len()
    );
    if *saved > 0 {
        let _ = writeln!(out, "{saved} jobs were stopped in the middle and go on from there");
    }
    for failure in failed {
        let _ = writeln!(out, "failed: {}", terminal(&failure.what));
    }
    for worker in workers.iter().filter(|w| w.running || w.shard.is_some() && w.done < w.jobs) {
        let WorkerStatus { running, place, jobs, done, .. } = worker;
        let part = match &worker.shard {
            Some(shard) => format!("part {shard}"),
            None => "all jobs".into(),
        };
        let what = if *running { "running" } else { "ended too early" };
        let place = terminal(place);
        let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
        let _ = writeln!(out, "{what}: {part}{place}, {done} of {jobs} done");
        if !running && let Some(index) = worker.index {
            log(&folder.join("slurm").join(format!("{index}.log")), &mut out);
        }
    }
    out
}

/// Where the log of a task is, and how it ends.
fn log(path: &Path, out: &mut String) {
    let Ok(text) = std::fs::read(path) else { return };
    let text = String::from_utf8_lossy(&text);
    let _ = writeln!(out, "  log: {}", path.display());
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
        let _ = writeln!(out, "    {}", terminal(line));
    }
}

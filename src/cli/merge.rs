//! `deferlab merge`: what many workers left becomes one store.

use super::{End, print, say};
use crate::lab::experiment::jobs;
use crate::lab::experiment::{Plan, Store, StoreMode};
use std::path::PathBuf;

/// Merge what workers with `run --shard` stored, here and in other folders.
///
/// A union by content: doing it twice changes nothing, and what belongs to another configuration, is
/// damaged or contradicts what is there is refused. Exit code 1 says that jobs are still missing; `run`
/// plays only those.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  deferlab merge experiments/synthetic-1.toml\n  deferlab merge mine.toml --from /mnt/other/runs"
)]
pub(super) struct Args {
    /// The experiment, a TOML file.
    file: PathBuf,
    /// Folder of stored runs.
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    store: PathBuf,
    /// Another folder of stored runs to take over, such as one copied from another machine.
    #[arg(long, value_name = "FOLDER")]
    from: Vec<PathBuf>,
}

pub(super) fn run(args: &Args) -> End {
    let plan = match Plan::read(&args.file) {
        Ok(plan) => plan,
        Err(error) => return End::bad_input(error),
    };
    let jobs = jobs(&plan);
    let merge = || {
        let mut store = Store::open(&args.store, &plan, StoreMode::Continue)?;
        for folder in &args.from {
            store.merge(folder, &plan)?;
        }
        store.notes.iter().for_each(say);
        store.complete(&jobs)
    };
    let missing = match merge() {
        Ok(missing) => missing,
        Err(error) => return End::bad_input(error),
    };
    let (name, all) = (&plan.spec.name, jobs.len());
    let text =
        format!("{name}: {} of {all} jobs are there, {missing} are missing\n", all - missing);
    match print(text) {
        Ok(()) if missing > 0 => End::CheckFailed,
        shown => shown.into(),
    }
}

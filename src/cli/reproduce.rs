//! `deferlab reproduce`: the experiments of the project, and their reports.

use super::report::{find, write_pages};
use super::run::{Running, print_summary, run_plan, write_report};
use super::{End, Format, networks, say};
use crate::lab::experiment::obstacle;
use std::path::PathBuf;

/// Run experiments and write their reports.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  deferlab reproduce\n  deferlab reproduce synthetic-1 witness")]
pub(super) struct Args {
    /// Names of experiments; all of them without any.
    #[arg(value_name = "EXPERIMENT")]
    names: Vec<String>,
    /// Folder of experiment files.
    #[arg(long, default_value = "experiments", value_name = "FOLDER")]
    experiments: PathBuf,
    /// Folder for the reports.
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    running: Running,
    /// How the summaries are printed.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub(super) fn run(args: Args) -> End {
    let plans = match find(&args.experiments, &args.names) {
        Ok(plans) => plans,
        Err(end) => return end,
    };
    let (mut worst, mut skipped) = (End::Ok, 0);
    for plan in &plans {
        if let Some(why) = obstacle(plan, networks()) {
            // What was asked for by name must not be passed over.
            if !args.names.is_empty() {
                return End::bad_input(format!("{}: {why}", plan.spec.name));
            }
            say(format!("skipped, not run: {}: {why}", plan.spec.name));
            skipped += 1;
            continue;
        }
        let out = args.out.join(&plan.spec.name);
        let report = run_plan(plan, &args.running, None, None)
            .and_then(|_| write_report(plan, &args.running.store, &out));
        match report {
            // A summary that cannot be shown is told at the end: the other experiments are still made.
            Ok(report) => match print_summary(&report, &out, args.format) {
                End::Ok => {}
                end => worst = end,
            },
            // Jobs of one experiment failed: the other experiments can still be made.
            Err(End::CheckFailed) if !args.running.fail_fast => worst = End::CheckFailed,
            Err(end) => return end,
        }
    }
    if skipped == plans.len() {
        return worst;
    }
    match write_pages(&args.experiments, &args.running.store, &args.out, args.format) {
        End::Ok => worst,
        end => end,
    }
}

//! `deferlab report`: reports again, from stored runs alone.

use super::run::{print_summary, write_report};
use super::{End, Format, print, say};
use crate::lab::experiment::Plan;
use crate::overview;
use std::path::{Path, PathBuf};

/// Write reports from stored runs, without running anything.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  deferlab report\n  deferlab report synthetic-1")]
pub(super) struct Args {
    /// Names of experiments, or experiment files; all of the folder without any.
    #[arg(value_name = "EXPERIMENT")]
    names: Vec<String>,
    /// Folder of experiment files.
    #[arg(long, default_value = "experiments", value_name = "FOLDER")]
    experiments: PathBuf,
    /// Folder of stored runs.
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    store: PathBuf,
    /// Folder for the reports.
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    out: PathBuf,
    /// How the summaries are printed.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub(super) fn run(args: Args) -> End {
    let plans = match find(&args.experiments, &args.names) {
        Ok(plans) => plans,
        Err(end) => return end,
    };
    let mut worst = End::Ok;
    for plan in &plans {
        if let Some(why) = &plan.missing_data {
            if !args.names.is_empty() {
                return End::bad_input(format!("{}: {why}", plan.spec.name));
            }
            say(format!("skipped, not reported: {}: {why}", plan.spec.name));
            continue;
        }
        let out = args.out.join(&plan.spec.name);
        match write_report(plan, &args.store, &out) {
            Ok(report) => match print_summary(&report, &out, args.format) {
                End::Ok => {}
                end => worst = end,
            },
            Err(end) => return end,
        };
    }
    match write_pages(&args.experiments, &args.store, &args.out, args.format) {
        End::Ok => worst,
        end => end,
    }
}

/// Writes the documents about everything, then the page that has them all, and says so.
pub(super) fn write_pages(experiments: &Path, store: &Path, out: &Path, format: Format) -> End {
    match overview::write(experiments, store, out) {
        Ok(said) => {
            let said: String = said.iter().map(|line| format!("overview: {line}\n")).collect();
            let shown = if format == Format::Text { print(said) } else { Ok(()) };
            match super::page::refresh(out) {
                End::Ok => shown.into(),
                end => end,
            }
        }
        Err(what) => End::bad_input(what),
    }
}

/// The experiments of those names in a folder (or files), in the order asked for; all of the
/// folder, sorted, without names.
pub(super) fn find(folder: &Path, names: &[String]) -> Result<Vec<Plan>, End> {
    let mut paths = Vec::new();
    let listed = || -> std::io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "toml") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    };
    if names.is_empty() {
        if !folder.is_dir() {
            return Err(End::bad_input(format!(
                "{}: there is no such folder: a checkout of deferlab has one, --experiments names another",
                folder.display()
            )));
        }
        let all = listed();
        paths = all.map_err(|e| End::bad_input(format!("{}: {e}", folder.display())))?;
    }
    for name in names {
        let path = if name.ends_with(".toml") {
            PathBuf::from(name)
        } else {
            folder.join(format!("{name}.toml"))
        };
        if !path.is_file() {
            let known: Vec<String> = listed()
                .unwrap_or_default()
                .iter()
                .filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()))
                .collect();
            let near = super::verify::suggestion(name, known.iter().map(String::as_str));
            return Err(End::bad_input(format!(
                "there is no experiment {name:?} in {}{near}; there are: {}",
                folder.display(),
                known.join(", ")
            )));
        }
        paths.push(path);
    }
    paths.iter().map(|path| Plan::read(path).map_err(End::bad_input)).collect()
}

//! `deferlab slurm`: scripts that run an experiment on a cluster, and nothing that stays alive.

use super::{End, print};
use crate::lab::experiment::jobs;
use crate::lab::experiment::{Plan, Shard, write_whole};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// Write scripts for Slurm: an array of tasks, each a part of the jobs, and a job that merges and reports.
///
/// Nothing is submitted; the last line says how.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  deferlab slurm experiments/synthetic-1.toml --tasks 10 --time 00:30:00"
)]
pub(super) struct Args {
    /// The experiment, a TOML file.
    file: PathBuf,
    /// Tasks; each should take minutes, so that starting it costs nothing.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    tasks: u32,
    /// Tasks that run at the same time, at most [default: all].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    at_once: Option<u32>,
    /// Partition of the cluster [default: the cluster's].
    #[arg(long, value_parser = word)]
    partition: Option<String>,
    /// Time limit of a task, as Slurm writes it. A task that needs longer is requeued and goes on.
    #[arg(long, default_value = "01:00:00", value_parser = word)]
    time: String,
    /// Memory of a task, as Slurm writes it.
    #[arg(long, default_value = "2G", value_parser = word)]
    memory: String,
    /// Threads of a task.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Seconds before the time limit at which a task saves its jobs and stops.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    stop_before: u32,
    /// Folder of stored runs, seen by every node.
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    store: PathBuf,
    /// Folder for the report; `STORE/NAME/report` without it.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Why a setting cannot stand in a script.
#[derive(Debug, thiserror::Error)]
enum ScriptError {
    #[error("{0:?}: expected letters, digits and any of :._-,+ only")]
    Word(String),
    #[error(
        "{0:?}: Slurm reads this path in a comment; expected no spaces, quotes, % or line ends"
    )]
    Path(PathBuf),
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error(transparent)]
    Store(#[from] crate::lab::experiment::StoreError),
}

/// A setting that is one word to Slurm.
fn word(text: &str) -> Result<String, ScriptError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || ":._-,+".contains(c);
    match !text.is_empty() && text.chars().all(fine) {
        true => Ok(text.into()),
        false => Err(ScriptError::Word(text.into())),
    }
}

/// An absolute path that needs no quoting.
fn plain_path(path: &Path) -> Result<String, ScriptError> {
    let absolute = std::path::absolute(path)
        .map_err(|source| ScriptError::Io { path: path.display().to_string(), source })?;
    let fine = |c: char| c.is_alphanumeric() || "/._-+=:,@~".contains(c);
    match absolute.to_str() {
        Some(text) if text.chars().all(fine) => Ok(text.into()),
        _ => Err(ScriptError::Path(absolute)),
    }
}

pub(super) fn run(args: &Args) -> End {
    let plan = match Plan::read(&args.file) {
        Ok(plan) => plan,
        Err(error) => return End::bad_input(error),
    };
    match write(args, &plan) {
        Ok(text) => print(text).into(),
        Err(error) => End::bad_input(error),
    }
}

/// Writes the scripts, and says what to do with them.
fn write(args: &Args, plan: &Plan) -> Result<String, ScriptError> {
    let (name, jobs) = (&plan.spec.name, jobs(plan).len());
    let folder = args.store.join(name).join("slurm");
    let program = std::env::current_exe()
        .map_err(|source| ScriptError::Io { path: "this program".into(), source })?;
    let out = match &args.out {
        Some(out) => format!(" --out {}", plain_path(out)?),
        None => String::new(),
    };
    let partition = args.partition.as_ref().map(|p| format!("#SBATCH --partition={p}\n"));
    let values = [
        ("@NAME@", name.clone()),
        ("@JOBS@", jobs.to_string()),
        ("@TASKS@", args.tasks.to_string()),
        ("@AT_ONCE@", args.at_once.unwrap_or(args.tasks).to_string()),
        ("@THREADS@", args.threads.to_string()),
        ("@MEMORY@", args.memory.clone()),
        ("@TIME@", args.time.clone()),
        ("@SECONDS@", args.stop_before.to_string()),
        ("@PARTITION@", partition.unwrap_or_default()),
        ("@FOLDER@", plain_path(&folder)?),
        ("@PROGRAM@", plain_path(&program)?),
        ("@FILE@", plain_path(&args.file)?),
        ("@STORE@", plain_path(&args.store)?),
        ("@OUT@", out),
    ];
    let templates = [
        ("array.sh", include_str!("array.sh")),
        ("merge.sh", include_str!("merge.sh")),
        ("submit.sh", include_str!("submit.sh")),
    ];
    for (file, template) in templates {
        let filled = values
            .iter()
            .fold(template.to_string(), |text, (mark, value)| text.replace(mark, value));
        write_whole(&folder.join(file), filled.as_bytes())?;
    }
    let each = jobs.div_ceil(args.tasks as usize);
    let mut said = format!("{name}: {jobs} jobs in {} tasks, about {each} each", args.tasks);
    if let Some(minutes) = minutes(&args.store, name, jobs, args) {
        said += &format!(", about {minutes:.1} minutes by the last run here");
        if minutes < 1.0 {
            said += "; fewer tasks would waste less on starting them";
        }
    }
    let submit = folder.join("submit.sh");
    Ok(format!("{said}\nwrote {}\nsubmit: bash {}\n", folder.display(), submit.display()))
}

/// Minutes a task would take, by what the experiment took here before.
fn minutes(store: &Path, name: &str, jobs: usize, args: &Args) -> Option<f64> {
    let text = std::fs::read_to_string(store.join("timings.json")).ok()?;
    let timing = &serde_json::from_str::<Json>(&text).ok()?[name];
    let number = |field: &str| timing[field].as_f64();
    let cpu = number("seconds")? * number("threads")? / number("jobs")?;
    Some(cpu * jobs as f64 / f64::from(args.tasks) / f64::from(args.threads) / 60.0)
}

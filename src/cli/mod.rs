//! The `deferlab` command: one file per subcommand.
//!
//! Exit codes: 0 all is well, 1 a check failed, 2 bad input or usage, 75 stopped by a signal before it was
//! done, so that running it again goes on.

mod audit;
mod claims;
mod eval;
mod merge;
mod page;
mod progress;
mod report;
mod reproduce;
mod run;
mod screen;
mod shell;
mod signals;
mod slurm;
mod status;
mod story;
mod subject;
mod summary;
mod teeth;
mod verify;
mod verify_proofs;
mod verify_seeds;
mod verify_subject;

use clap::{ColorChoice, Parser, Subcommand};
use lab::experiment::NetworkFactory;
use lab::terminal;
use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;

/// The version, and in a release build from a Git checkout the commit.
const VERSION: &str = match option_env!("DEFERLAB_COMMIT") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Checks the paper "Online Learning-to-Defer with Varying Experts" by running it.
#[derive(Parser)]
#[command(
    name = "deferlab",
    bin_name = "deferlab",
    version = VERSION,
    about,
    arg_required_else_help = true,
    after_help = "Examples:\n  deferlab verify                      every claim, its check, its verdict\n  deferlab verify --claim thm-6.5      everything about one claim\n  deferlab run examples/own-data/tickets.toml\n\nExit codes: 0 all is well, 1 a check failed, 2 bad input or usage, 75 stopped by a signal."
)]
struct Cli {
    /// Colour in what is printed; `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check whether the numbers of the published tables fit together and fit the stated protocol
    Audit(audit::Args),
    /// Exact quantities: JSON lines in on standard input, JSON lines out.
    Eval(eval::Args),
    /// Run the ledger: every claim of the paper, checked, against the recorded verdicts.
    Verify(verify::Args),
    /// Serve a learner to other programs: JSON lines on standard input and output.
    Subject(subject::Args),
    /// List the claims without running them.
    Claims(claims::Args),
    Run(run::Args),
    Reproduce(reproduce::Args),
    Report(report::Args),
    Page(page::Args),
    Summary(summary::Args),
    Completions(shell::Completions),
    /// Print the manual page (`deferlab man | man -l -`).
    #[command(after_help = "Example:\n  deferlab man | man -l -")]
    Man,
    Merge(merge::Args),
    Status(status::Args),
    Slurm(slurm::Args),
}

/// Who makes policies with a network: nobody, unless the program was built with them.
fn networks() -> Option<&'static dyn NetworkFactory> {
    #[cfg(feature = "wrn")]
    return Some(&network::WideResNets);
    #[cfg(not(feature = "wrn"))]
    return None;
}

/// How a command ended.
pub(crate) enum End {
    /// All is well.
    Ok,
    /// A check failed; it has been said which.
    CheckFailed,
    /// Bad input or usage, in words for a person.
    BadInput(String),
    /// Asked to stop before it was done, in words for a person: run it again to go on.
    Stopped(String),
}

impl End {
    pub(crate) fn bad_input(problem: impl Display) -> Self {
        End::BadInput(problem.to_string())
    }
}

/// What `sysexits.h` calls a temporary failure: try again.
const STOPPED: u8 = 75;

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Plain data as JSON of several lines, the last one ended.
fn pretty(data: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(data).expect("plain data") + "\n"
}

impl From<Result<(), End>> for End {
    fn from(result: Result<(), End>) -> Self {
        result.err().unwrap_or(End::Ok)
    }
}

/// Writes to standard output, at once. A reader who has had enough is no error: what the command does
/// besides goes on, and its verdict stays. A disk that is full is one.
pub(crate) fn print(text: impl AsRef<str>) -> Result<(), End> {
    use std::io::{ErrorKind, Write, stdout};
    let mut out = stdout().lock();
    match out.write_all(text.as_ref().as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(End::bad_input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, where it cannot steer the terminal. What cannot be said is not worth
/// failing for.
pub(crate) fn say(text: impl AsRef<str>) {
    use std::io::Write;
    let lines = text.as_ref().lines().map(|line| terminal(line) + "\n");
    let _ = std::io::stderr().write_all(lines.collect::<String>().as_bytes());
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os()))
}

/// Runs a command line, the name of the program first, and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => {
            screen::choose(cli.color);
            cli.command
        }
        // Help and the version are errors to clap as well.
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let end = match command {
        Command::Audit(args) => audit::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Verify(args) => verify::run(&args),
        Command::Subject(args) => subject::run(args),
        Command::Claims(args) => claims::run(&args),
        Command::Run(args) => run::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Report(args) => report::run(args),
        Command::Page(args) => page::run(args),
        Command::Summary(args) => summary::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
        Command::Merge(args) => merge::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Slurm(args) => slurm::run(&args),
    };
    match end {
        End::Ok => 0,
        End::CheckFailed => 1,
        End::BadInput(problem) => {
            say(format!("deferlab: {problem}"));
            2
        }
        End::Stopped(what) => {
            say(format!("deferlab: {what}"));
            STOPPED
        }
    }
}

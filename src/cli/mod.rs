//! The `deferlab` command: one file per subcommand.
//!
//! Exit codes: 0 all is well, 1 a check failed, 2 bad input or usage.

mod eval;
mod subject;
mod teeth;
mod verify_subject;

use clap::{Parser, Subcommand};
use std::fmt::Display;
use std::process::ExitCode;

/// Checks the paper "Online Learning-to-Defer with Varying Experts" by running it.
#[derive(Parser)]
#[command(name = "deferlab", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Exact quantities: JSON lines in on standard input, JSON lines out.
    Eval(eval::Args),
    /// Serve the learner over the subject protocol: JSON lines on standard input and output.
    Subject(subject::Args),
    /// Put the checks of the implementation to the test, or a learner of your own.
    Verify(Verify),
}

#[derive(clap::Args)]
struct Verify {
    /// Show which check catches which deliberately faulty learner.
    #[arg(long, conflicts_with = "subject")]
    teeth: bool,
    /// Put this program, spoken to over the subject protocol, through the checks.
    #[arg(long, value_name = "CMD")]
    subject: Option<String>,
    /// Seconds a subject may take for a reply.
    #[arg(long, value_name = "SECONDS", requires = "subject")]
    time_limit: Option<f64>,
    /// Master seed of everything that is drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// `text` or `json`.
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

fn verify(args: Verify) -> End {
    let json = args.format == "json";
    match args.subject {
        Some(command) => verify_subject::run(&command, args.seed, args.time_limit, json),
        None => teeth::run(args.seed, json),
    }
}

/// How a command ended.
pub(crate) enum End {
    /// All is well.
    Ok,
    /// A check failed; it has been said which.
    #[allow(dead_code)] // until the first command that checks something
    CheckFailed,
    /// Bad input or usage, in words for a person.
    BadInput(String),
}

impl End {
    pub(crate) fn bad_input(problem: impl Display) -> Self {
        End::BadInput(problem.to_string())
    }
}

/// Runs the command line; clap itself exits with 2 on bad usage.
pub fn main() -> ExitCode {
    let end = match Cli::parse().command {
        Command::Eval(args) => eval::run(args),
        Command::Subject(args) => subject::run(args),
        Command::Verify(args) => verify(args),
    };
    match end {
        End::Ok => ExitCode::SUCCESS,
        End::CheckFailed => ExitCode::from(1),
        End::BadInput(problem) => {
            eprintln!("deferlab: {problem}");
            ExitCode::from(2)
        }
    }
}

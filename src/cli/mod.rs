//! The `deferlab` command: one file per subcommand.
//!
//! Exit codes: 0 all is well, 1 a check failed, 2 bad input or usage.

mod eval;
mod report;
mod reproduce;
mod run;

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
    Run(run::Args),
    Reproduce(reproduce::Args),
    Report(report::Args),
}

/// How a command ended.
pub(crate) enum End {
    /// All is well.
    Ok,
    /// A check failed; it has been said which.
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
        Command::Run(args) => run::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Report(args) => report::run(args),
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

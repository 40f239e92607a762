//! `deferlab summary`: two pages for a review or a rebuttal.

use super::{End, print};
use report::{SummaryFormat, summary};
use std::path::PathBuf;

/// Print two pages for a review: verdicts, failing claims with witness and repair, replication.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  deferlab summary > review.md\n  deferlab summary --format tex > review.tex"
)]
pub(super) struct Args {
    /// How it is written.
    #[arg(long, value_enum, default_value = "md")]
    format: Written,
    /// Folder of the recorded ledger.
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    reports: PathBuf,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Written {
    /// Markdown.
    Md,
    /// LaTeX, with booktabs.
    Tex,
    /// One HTML file.
    Html,
}

pub(super) fn run(args: &Args) -> End {
    let format = match args.format {
        Written::Md => SummaryFormat::Markdown,
        Written::Tex => SummaryFormat::Latex,
        Written::Html => SummaryFormat::Html,
    };
    match summary(&args.reports, format) {
        Ok(text) => print(text).map_or_else(|end| end, |()| End::Ok),
        Err(error) => End::bad_input(error),
    }
}

//! `deferlab page`: everything in the reports folder as one HTML file.

use super::{End, say};
use crate::claims::page_notes;
use crate::report::page;
use lab::experiment::write_whole;
use std::path::{Path, PathBuf};

/// Write `index.html` from the recorded ledger and the stored reports, without running anything.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  deferlab page")]
pub(super) struct Args {
    /// Folder of the reports.
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    reports: PathBuf,
}

pub(crate) fn run(args: Args) -> End {
    refresh(&args.reports)
}

/// Makes the page of a folder again; what the command printed before stays alone on standard
/// output.
pub(super) fn refresh(folder: &Path) -> End {
    if !folder.is_dir() {
        return End::bad_input(format!(
            "{}: there is no such folder: a checkout of deferlab has one, `deferlab verify --record` makes one",
            folder.display()
        ));
    }
    let page = match page(folder, &page_notes()) {
        Ok(page) => page,
        Err(error) => return End::bad_input(error),
    };
    let path = folder.join("index.html");
    if let Err(error) = write_whole(&path, page.as_bytes()) {
        return End::bad_input(error);
    }
    say(format!("page: {}", path.display()));
    End::Ok
}

//! `deferlab eval`.

use super::End;
use crate::eval::run as run_eval;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

/// Requests are `{"id": .., "kind": .., "input": {..}}`, one a line; a bad one gets
/// `{"id": .., "error": ".."}` and the stream goes on.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Read requests from this file instead of standard input.
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> End {
    let input: Box<dyn Read> = match &args.file {
        None => Box::new(io::stdin().lock()),
        Some(path) => match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) => return End::bad_input(format!("{}: {error}", path.display())),
        },
    };
    match run_eval(input, io::stdout().lock()) {
        Ok(()) => End::Ok,
        // Whoever read the answers has had enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => End::Ok,
        Err(error) => End::bad_input(format!("eval: {error}")),
    }
}

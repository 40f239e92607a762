//! `deferlab eval`.

use super::End;
use crate::eval::run as run_eval;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "A request is {\"id\": .., \"kind\": .., \"input\": {..}} on one line. A bad one gets {\"id\": .., \"error\": ..}, the\nothers are answered, and the exit code is 2. docs/eval.md describes every kind.\n\nExamples:\n  deferlab eval examples/requests.jsonl\n  echo '{\"id\":1,\"kind\":\"normalized_cost\",\"input\":{\"alpha\":1,\"beta\":0.1}}' | deferlab eval"
)]
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
        Ok(0) => End::Ok,
        Ok(bad) => End::bad_input(format!(
            "eval: {bad} bad {}; the answers with `error` say what is wrong (docs/eval.md has all kinds)",
            if bad == 1 { "request" } else { "requests" }
        )),
        // Whoever read the answers has had enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => End::Ok,
        Err(error) => End::bad_input(format!("eval: {error}")),
    }
}

//! `deferlab subject`: our learner under the subject protocol.

use super::End;
use crate::claims::teeth::{Fault, FaultyLearner};
use crate::subject::{InProcess, Subject, serve};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Serve a learner with this deliberate fault instead (names: `verify --teeth`).
    #[arg(long, value_name = "NAME")]
    fault: Option<String>,
}

pub(super) fn run(args: Args) -> End {
    let mut subject: Box<dyn Subject> = match args.fault {
        None => Box::new(InProcess::default()),
        Some(name) => match Fault::named(&name) {
            Some(fault) => Box::new(FaultyLearner::new(fault)),
            None => {
                let names = Fault::ALL.iter().map(|fault| fault.name());
                let near = lab::nearest(&name, names)
                    .map_or(String::new(), |near| format!(", did you mean {near}?"));
                return End::bad_input(format!("--fault {name}: there is no such fault{near}"));
            }
        },
    };
    match serve(std::io::stdin().lock(), std::io::stdout().lock(), subject.as_mut()) {
        Ok(()) => End::Ok,
        // Whoever listened is gone: nobody is left to tell.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => End::Ok,
        Err(error) => End::bad_input(format!("standard input or output: {error}")),
    }
}

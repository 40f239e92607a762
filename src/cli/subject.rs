//! `deferlab subject`: our learners as programs that answer JSON lines.

use super::End;
use crate::claims::teeth::{Fault, FaultyLearner};
use crate::subject::{InProcess, RouterServer, Subject, serve};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  deferlab subject\n  deferlab subject --learner router --state router.json"
)]
pub(super) struct Args {
    /// Who is served: Algorithm 1 under the protocol of `verify --subject`, or the recommended router
    /// under that of a policy's `command`.
    #[arg(long, value_enum, default_value = "algorithm1")]
    learner: Learner,
    /// Serve Algorithm 1 with this deliberate fault instead (names: `verify --teeth`).
    #[arg(long, value_name = "NAME", conflicts_with_all = ["state", "save_every"])]
    fault: Option<String>,
    /// File that the router is kept in and restored from, bit for bit.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Outcomes between two saves of the state; it is also saved when asked to, and at the end.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "state")]
    save_every: u64,
}

/// Who is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Learner {
    /// Algorithm 1 of the paper.
    Algorithm1,
    /// The recommended router, with names and experts who come and go (also called `belief`).
    #[value(alias = "belief", alias = "auto")]
    Router,
}

pub(super) fn run(args: Args) -> End {
    let (stdin, stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let served = match (args.learner, args.fault) {
        (Learner::Router, None) => {
            let server = match &args.state {
                None => Ok(RouterServer::default()),
                Some(path) => RouterServer::with_state(path, args.save_every),
            };
            match server {
                Ok(mut server) => server.serve(stdin, stdout),
                Err(error) => return End::bad_input(error),
            }
        }
        (Learner::Router, Some(_)) => {
            return End::bad_input("--fault belongs to --learner algorithm1");
        }
        (Learner::Algorithm1, _) if args.state.is_some() => {
            return End::bad_input("--state belongs to --learner router");
        }
        (Learner::Algorithm1, fault) => {
            let mut subject: Box<dyn Subject> = match fault {
                None => Box::new(InProcess::default()),
                Some(name) => match Fault::named(&name) {
                    Some(fault) => Box::new(FaultyLearner::new(fault)),
                    None => {
                        let names = Fault::ALL.iter().map(|fault| fault.name());
                        let near = lab::nearest(&name, names)
                            .map_or(String::new(), |near| format!(", did you mean {near}?"));
                        return End::bad_input(format!(
                            "--fault {name}: there is no such fault{near}"
                        ));
                    }
                },
            };
            serve(stdin, stdout, subject.as_mut())
        }
    };
    match served {
        Ok(()) => End::Ok,
        // Whoever listened is gone: nobody is left to tell.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => End::Ok,
        Err(error) => End::bad_input(format!("standard input or output: {error}")),
    }
}

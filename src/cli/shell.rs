//! `deferlab completions` and `deferlab man`: made from the definition of the command line itself.

use super::{Cli, End, print};
use clap::CommandFactory;

/// Print the completion script of a shell.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  deferlab completions bash > ~/.local/share/bash-completion/completions/deferlab"
)]
pub(super) struct Completions {
    /// For which shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(super) fn completions(args: &Completions) -> End {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "deferlab", &mut script);
    print(String::from_utf8_lossy(&script)).map_or_else(|end| end, |()| End::Ok)
}

/// The manual page, all subcommands in it.
pub(super) fn man() -> End {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page).and_then(|()| {
        command
            .get_subcommands()
            .filter(|c| c.get_name() != "help")
            .try_for_each(|one| clap_mangen::Man::new(one.clone()).render(&mut page))
    });
    match rendered {
        Ok(()) => print(String::from_utf8_lossy(&page)).map_or_else(|end| end, |()| End::Ok),
        Err(error) => End::bad_input(error),
    }
}

//! `deferlab claims`: what the ledger contains, without running anything.

use super::screen::{width, wrapped};
use super::{End, Format, print};
use crate::claims::{self, NOT_CHECKABLE};
use serde_json::json;
use std::fmt::Write;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  deferlab claims\n  deferlab claims --format json")]
pub(super) struct Args {
    /// How to print the list.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args) -> End {
    let all = claims::all();
    let mut out = String::new();
    match args.format {
        Format::Text => {
            let screen = width();
            for claim in &all {
                let _ = writeln!(out, "{:<28} {}", claim.id, wrapped(claim.reference, 29, screen));
                let _ = writeln!(out, "    {}", wrapped(claim.statement, 4, screen));
            }
            out.push_str("\nNo verdict is possible for:\n");
            for (what, why) in NOT_CHECKABLE {
                let _ = writeln!(out, "    {}", wrapped(&format!("{what}: {why}"), 4, screen));
            }
        }
        Format::Json => {
            let list: Vec<_> = all
                .iter()
                .map(|c| {
                    json!({ "id": c.id, "reference": c.reference, "kind": c.kind, "owner": c.owner,
                            "statement": c.statement, "hypotheses": c.hypotheses })
                })
                .collect();
            let without: Vec<_> = NOT_CHECKABLE
                .iter()
                .map(|(what, why)| json!({ "statement": what, "reason": why }))
                .collect();
            let _ = writeln!(out, "{:#}", json!({ "claims": list, "not_checkable": without }));
        }
    }
    print(out).into()
}

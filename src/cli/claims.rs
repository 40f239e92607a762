//! `deferlab claims`: what the ledger contains, without running anything.

use super::{End, Format};
use crate::claims::{self, NOT_CHECKABLE};
use serde_json::json;

#[derive(clap::Args)]
pub(super) struct Args {
    /// How to print the list.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args) -> End {
    let all = claims::all();
    match args.format {
        Format::Text => {
            for claim in &all {
                println!("{:<28} {}", claim.id, claim.reference);
                println!("    {}", claim.statement);
            }
            println!("\nNo verdict is possible for:");
            for (what, why) in NOT_CHECKABLE {
                println!("    {what}: {why}");
            }
        }
        Format::Json => {
            let list: Vec<_> = all
                .iter()
                .map(|c| {
                    json!({ "id": c.id, "reference": c.reference, "kind": c.kind,
                            "statement": c.statement, "hypotheses": c.hypotheses })
                })
                .collect();
            let without: Vec<_> = NOT_CHECKABLE
                .iter()
                .map(|(what, why)| json!({ "statement": what, "reason": why }))
                .collect();
            println!("{:#}", json!({ "claims": list, "not_checkable": without }));
        }
    }
    End::Ok
}

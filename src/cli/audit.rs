//! `deferlab audit`.

use super::screen::{Ink, paint, width, wrapped};
use super::{End, Format, print};
use crate::audit::{Finding, Status, findings, published_tables};
use serde_json::json;
use std::fmt::Write;

/// Published tables against the protocol they are said to follow.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  deferlab audit\n  deferlab audit --format json")]
pub(super) struct Args {
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args) -> End {
    let all = findings();
    print(match args.format {
        Format::Json => {
            let report = json!({"findings": all, "published": published_tables()});
            format!("{report:#}\n")
        }
        Format::Text => all.iter().map(in_words).collect(),
    })
    .into()
}

fn in_words(finding: &Finding) -> String {
    let verdict = match finding.status {
        Status::Consistent => "consistent".into(),
        Status::ConsistentByRounding => "consistent within rounding and chance".into(),
        Status::Inconsistent => {
            paint(Ink::Red, format!("INCONSISTENT by {:.4}", finding.misses_by))
        }
    };
    let mut text = format!("{}: {verdict}\n", finding.id);
    let screen = width();
    let mut line = |label: &str, value: &str| {
        writeln!(text, "  {label:<10} {}", wrapped(value, 13, screen)).expect("a string");
    };
    line("where", finding.reference);
    line("must hold", finding.statement);
    line("formula", finding.formula);
    let interval = |i: crate::audit::Interval| format!("[{:.5}, {:.5}]", i.low, i.high);
    line("expected", &interval(finding.expected));
    line("published", &interval(finding.published));
    for reading in &finding.readings {
        let fit =
            if reading.fits { "fits".into() } else { format!("off by {:.4}", reading.misses_by) };
        line("reading", &format!("{} -> {fit}", reading.name));
    }
    line("remark", finding.remark);
    text.push('\n');
    text
}

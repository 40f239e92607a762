//! `deferlab verify`: run the ledger and compare it with the recorded verdicts.

use super::{End, Format, print, teeth, verify_seeds, verify_subject};
use crate::claims::{
    self, Claim, Context, Done, Entry, Ledger, LedgerError, NOT_CHECKABLE, Verdict, differences,
    markdown,
};
use crate::experiment::progress;
use indicatif::ProgressBar;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only this claim, with its whole story.
    #[arg(long, value_name = "ID")]
    claim: Option<String>,
    /// How to print the results.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Master seed of everything that is drawn.
    #[arg(long, default_value_t = Context::default().seed())]
    seed: u64,
    /// Repeat every check that draws numbers with this many master seeds, from `--seed` on, and
    /// count how often its verdict is not the recorded one.
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["record", "teeth", "subject"],
          value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Write the verdicts to the reports folder instead of comparing with it.
    #[arg(long, conflicts_with = "claim")]
    record: bool,
    /// Show which check of the implementation catches which deliberately faulty learner.
    #[arg(long, conflicts_with_all = ["claim", "record", "subject"])]
    teeth: bool,
    /// Put this program, spoken to over the subject protocol, through the same checks.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["claim", "record"])]
    subject: Option<String>,
    /// Seconds a subject may take for a reply [default: 15 for the first, then 5].
    #[arg(long, value_name = "SECONDS", requires = "subject")]
    time_limit: Option<f64>,
    /// Folder of `ledger.json` and `ledger.md`.
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

pub(super) fn run(args: &Args) -> End {
    let json = args.format == Format::Json;
    if args.teeth {
        return teeth::run(args.seed, json);
    }
    if let Some(command) = &args.subject {
        return verify_subject::run(command, args.seed, args.time_limit, json);
    }
    let all = claims::all();
    let chosen: Vec<Claim> = match &args.claim {
        None => all,
        Some(id) => match all.iter().find(|c| c.id == id) {
            Some(claim) => vec![*claim],
            None => {
                let known = all.iter().map(|c| c.id);
                let near = lab::nearest(id, known)
                    .map_or(String::new(), |near| format!(", did you mean {near:?}?"));
                return End::bad_input(format!(
                    "claim {id:?} is not known{near}; `deferlab claims` lists them"
                ));
            }
        },
    };
    let path = args.reports.join("ledger.json");
    let recorded = match (args.record, Ledger::read(&path)) {
        (true, _) => None,
        (false, Ok(ledger)) => Some(ledger),
        // One claim can be told without a record; a whole run without one would compare nothing.
        (false, Err(LedgerError::Missing { .. })) if args.claim.is_some() => None,
        (false, Err(error)) => return End::bad_input(error),
    };

    if let Some(count) = args.seeds {
        let recorded = recorded.map(|ledger| ledger.claims).unwrap_or_default();
        return verify_seeds::run(
            &chosen,
            &recorded,
            args.seed..=args.seed.saturating_add(count - 1),
            json,
        );
    }
    let bar = progress::bar("claims", chosen.len() as u64);
    let done = claims::run(&chosen, args.seed, |claim, done| tell(&bar, claim, done));
    bar.finish_and_clear();

    let mut entries = Vec::new();
    let mut broken = Vec::new();
    for d in &done {
        match &d.result {
            Ok(outcome) => entries.push(Entry::new(&d.claim, outcome)),
            Err(failure) => broken.push(format!("{}: {failure}", d.claim.id)),
        }
    }
    let changed = recorded
        .as_ref()
        .map(|recorded| differences(recorded, &entries, args.claim.is_some()))
        .unwrap_or_default();
    let before = |id: &str| {
        let entry = recorded.iter().flat_map(|l| &l.claims).find(|e| e.id == id);
        entry.map(|e| e.verdict)
    };

    let text = match (args.format, args.claim.is_some()) {
        (Format::Json, _) => {
            let json = json!({ "seed": args.seed, "claims": entries, "differences": changed,
                               "failures": broken });
            format!("{json:#}\n")
        }
        (Format::Text, true) => {
            let story = |e: &Entry| markdown::story(e, args.seed, before(&e.id));
            entries.iter().map(story).collect()
        }
        (Format::Text, false) => table(&done),
    };
    if let End::BadInput(problem) = print(text) {
        return End::BadInput(problem);
    }

    for failure in &broken {
        eprintln!("deferlab: the check of {failure}");
    }
    for difference in &changed {
        eprintln!("deferlab: {difference}");
    }
    if !broken.is_empty() {
        return End::CheckFailed;
    }
    if args.record {
        let ledger = Ledger { seed: args.seed, claims: entries };
        let text = args.reports.join("ledger.md");
        if let Err(error) = ledger.write(&path) {
            return End::bad_input(error);
        }
        if let Err(error) = std::fs::write(&text, markdown::ledger(&ledger, &NOT_CHECKABLE)) {
            return End::bad_input(format!("{}: {error}", text.display()));
        }
        eprintln!("wrote {} and {}", path.display(), text.display());
        if let End::BadInput(problem) = super::page::refresh(&args.reports) {
            return End::BadInput(problem);
        }
    }
    if changed.is_empty() { End::Ok } else { End::CheckFailed }
}

/// Claim, verdict, time, evidence; then the counts.
fn table(done: &[Done]) -> String {
    let width = done.iter().map(|d| d.claim.id.len()).max().unwrap_or(0);
    let mut out = format!("{:<width$}  {:<12} {:>7}  evidence\n", "claim", "verdict", "time");
    for d in done {
        let (id, time) = (d.claim.id, seconds(d.time));
        let _ = match &d.result {
            Ok(o) => writeln!(out, "{id:<width$}  {:<12} {time:>7}  {}", o.verdict, o.summary),
            Err(f) => writeln!(out, "{id:<width$}  {:<12} {time:>7}  {f}", "(no verdict)"),
        };
    }
    let verdicts = || done.iter().filter_map(|d| d.result.as_ref().ok()).map(|o| o.verdict);
    let counts: Vec<String> = Verdict::ALL
        .into_iter()
        .map(|v| (verdicts().filter(|&w| w == v).count(), v))
        .filter(|(count, _)| *count > 0)
        .map(|(count, v)| format!("{count} {v}"))
        .collect();
    let _ = writeln!(out, "\n{} claims: {}", done.len(), counts.join(", "));
    out
}

fn seconds(time: Duration) -> String {
    format!("{:.2}s", time.as_secs_f64())
}

/// Moves the bar; without a terminal, writes a line per claim.
fn tell(bar: &ProgressBar, claim: &Claim, done: Option<&Done>) {
    match done {
        None => bar.set_message(claim.id),
        Some(d) => {
            bar.inc(1);
            if bar.is_hidden() {
                let verdict =
                    d.result.as_ref().map_or("(no verdict)".into(), |o| o.verdict.to_string());
                eprintln!("{:<28} {verdict:<12} {}", claim.id, seconds(d.time));
            }
        }
    }
}

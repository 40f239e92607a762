//! `deferlab verify`: run the ledger and compare it with the recorded verdicts.

use super::{End, Format, print, teeth, verify_seeds, verify_subject};
use crate::claims::{
    self, Claim, Context, Done, Entry, Ledger, LedgerError, NOT_CHECKABLE, Owner, Verdict,
    differences, markdown,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::fmt::Write;
use std::io::IsTerminal;
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

/// What runs the checks, for those who read about them.
const COMMAND: &str = "deferlab verify";

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
                let nearest = claims::nearest(id, known).unwrap_or_default();
                return End::bad_input(format!(
                    "claim {id:?} is not known: did you mean {nearest:?}? `deferlab claims` lists them"
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
        (false, Err(error @ LedgerError::Missing { .. })) => {
            return End::bad_input(format!("{error}: `{COMMAND} --record`"));
        }
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
    let progress = Progress::new(chosen.len());
    let done = claims::run(&chosen, args.seed, |claim, done| progress.tell(claim, done));
    progress.finish();

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
            let story = |e: &Entry| markdown::story(e, args.seed, before(&e.id), COMMAND);
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
        if let Err(error) =
            std::fs::write(&text, markdown::ledger(&ledger, &NOT_CHECKABLE, COMMAND))
        {
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
    let mut out =
        format!("{:<width$}  {:<12} {:<15} {:>7}  evidence\n", "claim", "verdict", "grade", "time");
    for d in done {
        let (id, time) = (d.claim.id, seconds(d.time));
        let _ = match &d.result {
            Ok(o) => writeln!(
                out,
                "{id:<width$}  {:<12} {:<15} {time:>7}  {}",
                o.verdict(),
                o.grade(),
                o.summary
            ),
            Err(f) => {
                writeln!(out, "{id:<width$}  {:<12} {:<15} {time:>7}  {f}", "(no verdict)", "")
            }
        };
    }
    let _ = writeln!(out, "\n{} claims", done.len());
    for owner in Owner::ALL {
        let of_owner: Vec<&Done> = done.iter().filter(|d| d.claim.owner == owner).collect();
        let verdicts = || of_owner.iter().filter_map(|d| d.result.as_ref().ok()?.verdict().into());
        let counts: Vec<String> = Verdict::ALL
            .into_iter()
            .map(|v| (verdicts().filter(|&w: &Verdict| w == v).count(), v))
            .filter(|(count, _)| *count > 0)
            .map(|(count, v)| format!("{count} {v}"))
            .collect();
        if !of_owner.is_empty() {
            let _ = writeln!(out, "  {} of the {owner}: {}", of_owner.len(), counts.join(", "));
        }
    }
    out
}

fn seconds(time: Duration) -> String {
    format!("{:.2}s", time.as_secs_f64())
}

/// A bar on a terminal, a line per claim elsewhere; always on standard error.
enum Progress {
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    fn new(claims: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress::Lines;
        }
        let bar = ProgressBar::new(claims as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos}/{len} claims, {eta} left  {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::Bar(bar)
    }

    fn tell(&self, claim: &Claim, done: Option<&Done>) {
        match (self, done) {
            (Progress::Bar(bar), None) => bar.set_message(claim.id),
            (Progress::Bar(bar), Some(_)) => bar.inc(1),
            (Progress::Lines, None) => {}
            (Progress::Lines, Some(d)) => {
                let verdict =
                    d.result.as_ref().map_or("(no verdict)".into(), |o| o.verdict().to_string());
                eprintln!("{:<28} {verdict:<12} {}", claim.id, seconds(d.time));
            }
        }
    }

    fn finish(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

//! `deferlab verify`: run the ledger and compare it with the recorded verdicts.

use super::progress::progress_bar;
use super::screen::{Ink, ink, paint, width, wrapped};
use super::{End, Format, print, say, story, teeth, verify_proofs, verify_seeds, verify_subject};
use crate::claims::{
    self, Claim, Context, Done, Entry, Ledger, LedgerError, Owner, Verdict, differences,
};
use crate::proofs::{INSTALL, Proofs, checker_version};
use indicatif::ProgressBar;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  deferlab verify\n  deferlab verify --claim thm-6.5\n  deferlab verify --format json > verdicts.json\n  deferlab verify --subject \"python3 examples/subject.py\"\n  deferlab verify --proofs"
)]
pub(super) struct Args {
    /// Only this claim, with everything about it.
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
    /// Also fail when a check gives other evidence than the recorded one, even under the same
    /// verdict.
    #[arg(long, conflicts_with_all = ["record", "seeds", "teeth", "subject", "proofs"])]
    exact: bool,
    /// Show which check of the implementation catches which deliberately faulty learner, and which
    /// false variants of claims their checks refute (with `--claim`: of this one only).
    #[arg(long, conflicts_with_all = ["record", "subject"])]
    teeth: bool,
    /// Check every proof with the proof checker and compare with the record.
    #[arg(long, conflicts_with_all = ["claim", "teeth", "subject", "seeds"])]
    proofs: bool,
    /// Run the same checks on this program, an implementation of Algorithm 1 that speaks the
    /// subject protocol (any other learner: the `command` of a policy, see `run`).
    #[arg(long, value_name = "CMD", conflicts_with_all = ["claim", "record"])]
    subject: Option<String>,
    #[command(flatten)]
    limits: verify_subject::Limits,
    /// Folder of `ledger.json` and `ledger.md`.
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

pub(super) fn run(args: &Args) -> End {
    let json = args.format == Format::Json;
    if args.teeth {
        return match chosen(args) {
            Ok(chosen) => teeth::run(&chosen, args.claim.is_none(), args.seed, json),
            Err(end) => end,
        };
    }
    if args.proofs {
        return verify_proofs::run(&args.reports, args.record, args.format);
    }
    if let Some(command) = &args.subject {
        return verify_subject::run(command, args.seed, &args.limits, json);
    }
    let chosen = match chosen(args) {
        Ok(chosen) => chosen,
        Err(end) => return end,
    };
    let recorded = match recorded(args) {
        Ok(recorded) => recorded,
        Err(end) => return end,
    };
    let proofs = match claims::proofs(&args.reports) {
        Ok(proofs) => proofs,
        Err(error) => return End::bad_input(error),
    };
    let theorems = proofs.as_ref().map_or(Vec::new(), |proofs| proofs.standing());
    if let Some(count) = args.seeds {
        let recorded = recorded.map(|ledger| ledger.claims).unwrap_or_default();
        let seeds = args.seed..=args.seed.saturating_add(count - 1);
        return verify_seeds::run(&chosen, &recorded, seeds, &theorems, json);
    }
    let bar = progress_bar("claims", chosen.len() as u64);
    let done = claims::run(&chosen, args.seed, &theorems, |claim, done| tell(&bar, claim, done));
    bar.finish_and_clear();
    tell_about_proofs(proofs.as_ref());
    let mut judged = Judged::new(&done, recorded.as_ref(), args.claim.is_some());
    if let (true, Some(recorded)) = (args.exact, &recorded) {
        judged.compare_evidence(recorded, args.seed);
    }
    match judged.tell(args, &done, recorded.as_ref(), proofs.as_ref()) {
        End::Ok if args.record => record(args, judged.entries, proofs.as_ref()),
        end => end,
    }
}

/// The claims that were asked for.
fn chosen(args: &Args) -> Result<Vec<Claim>, End> {
    let all = claims::all();
    let Some(id) = &args.claim else { return Ok(all) };
    if let Some(claim) = all.iter().find(|c| c.id == id) {
        return Ok(vec![*claim]);
    }
    Err(End::bad_input(format!(
        "claim {id:?} is not known{}; `deferlab claims` lists them",
        suggestion(id, all.iter().map(|c| c.id))
    )))
}

/// What was probably meant: a name in another case, names that contain it, or the nearest one.
pub(super) fn suggestion<'a>(given: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    const MOST: usize = 6;
    let low = given.to_lowercase();
    if let Some(name) = names.clone().find(|name| name.to_lowercase() == low) {
        return format!(", did you mean {name:?}?");
    }
    let holding: Vec<&str> =
        names.clone().filter(|name| low.len() >= 2 && name.to_lowercase().contains(&low)).collect();
    if !holding.is_empty() {
        let more = holding.len().saturating_sub(MOST);
        let shown = holding.iter().take(MOST).map(|name| format!("{name:?}"));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return format!(", did you mean one of {shown}{more}?");
    }
    // Names are compared in small letters, so that "Thm 6.5" is near "thm-6.5".
    let plain = low.replace(' ', "-");
    lab::nearest(&plain, names).map_or(String::new(), |near| format!(", did you mean {near:?}?"))
}

/// The recorded verdicts, unless they are about to be replaced.
fn recorded(args: &Args) -> Result<Option<Ledger>, End> {
    if args.record {
        return Ok(None);
    }
    match Ledger::read(&args.reports.join(LEDGER)) {
        Ok(ledger) => Ok(Some(ledger)),
        Err(error @ LedgerError::Missing { .. }) => {
            Err(End::bad_input(format!("{error}: `{COMMAND} --record`")))
        }
        Err(error) => Err(End::bad_input(error)),
    }
}

/// What runs the checks, for those who read about them.
const COMMAND: &str = "deferlab verify";

const LEDGER: &str = "ledger.json";

/// Says whether the proof checker has seen the proofs as they are.
fn tell_about_proofs(proofs: Option<&Proofs>) {
    let Some(proofs) = proofs else {
        say(format!(
            "proofs: none recorded (`{COMMAND} --proofs --record` checks and records them)"
        ));
        return;
    };
    let stale = proofs.stale();
    if stale.is_empty() {
        let how = match checker_version() {
            Ok(_) => format!("`{COMMAND} --proofs` checks them again"),
            Err(_) => format!("to check them again: `{INSTALL}`, then `{COMMAND} --proofs`"),
        };
        say(format!("proofs: recorded, not rechecked here ({}); {how}", proofs.record.checker));
    }
    for theorem in stale {
        say(format!(
            "proofs: {} changed since {} was checked: it does not count until `{COMMAND} --proofs \
             --record`",
            theorem.file, theorem.name
        ));
    }
}

/// What came of the checks.
struct Judged {
    entries: Vec<Entry>,
    /// Checks that ended without a verdict.
    broken: Vec<String>,
    /// Verdicts that are not the recorded ones.
    changed: Vec<ledger::Difference>,
    /// Claims with other evidence than the recorded one, where that was asked for.
    other_evidence: Vec<String>,
}

impl Judged {
    fn new(done: &[Done], recorded: Option<&Ledger>, one_claim: bool) -> Self {
        let (mut entries, mut broken) = (Vec::new(), Vec::new());
        for d in done {
            match &d.result {
                Ok(outcome) => entries.push(Entry::new(d, outcome)),
                Err(failure) => broken.push(format!("{}: {failure}", d.claim.id)),
            }
        }
        let changed =
            recorded.map(|recorded| differences(recorded, &entries, one_claim)).unwrap_or_default();
        Judged { entries, broken, changed, other_evidence: Vec::new() }
    }

    /// Word for word and digit for digit; nothing where the record was made with another seed.
    fn compare_evidence(&mut self, recorded: &Ledger, seed: u64) {
        let before = |entry: &Entry| recorded.claims.iter().find(|e| e.id == entry.id);
        let differs =
            |entry: &&Entry| recorded.seed == seed && before(entry).is_some_and(|e| e != *entry);
        self.other_evidence =
            self.entries.iter().filter(differs).map(|entry| entry.id.clone()).collect();
    }

    /// Prints everything, and fails if a check broke or a verdict changed.
    fn tell(
        &self,
        args: &Args,
        done: &[Done],
        recorded: Option<&Ledger>,
        proofs: Option<&Proofs>,
    ) -> End {
        let Judged { entries, broken, changed, other_evidence } = self;
        let before = |id: &str| {
            let entry = recorded.iter().flat_map(|l| &l.claims).find(|e| e.id == id);
            entry.map(|e| e.verdict)
        };
        let text = match (args.format, args.claim.is_some()) {
            (Format::Json, _) => {
                let json = json!({ "seed": args.seed, "claims": entries, "differences": changed,
                                   "other_evidence": other_evidence, "failures": broken });
                format!("{json:#}\n")
            }
            (Format::Text, true) => {
                let story = |e: &Entry| {
                    let rerun = format!("{COMMAND} --claim {} --seed {}", e.id, args.seed);
                    story::story(e, before(&e.id), proofs, &rerun)
                };
                entries.iter().map(story).collect()
            }
            (Format::Text, false) => table(done),
        };
        if let Err(end) = print(text) {
            return end;
        }
        broken.iter().for_each(|failure| say(format!("deferlab: the check of {failure}")));
        changed.iter().for_each(|difference| say(format!("deferlab: {difference}")));
        for id in other_evidence {
            say(format!("deferlab: {id}: other evidence than recorded (`{COMMAND} --claim {id}`)"));
        }
        match broken.is_empty() && changed.is_empty() && other_evidence.is_empty() {
            true => End::Ok,
            false => End::CheckFailed,
        }
    }
}

/// Writes the verdicts, and the page that shows them.
fn record(args: &Args, claims: Vec<Entry>, proofs: Option<&Proofs>) -> End {
    let ledger = Ledger { seed: args.seed, claims };
    let (path, text) = (args.reports.join(LEDGER), args.reports.join("ledger.md"));
    if let Err(error) = ledger.write(&path) {
        return End::bad_input(error);
    }
    if let Err(error) = std::fs::write(&text, claims::ledger_markdown(&ledger, proofs)) {
        return End::bad_input(format!("{}: {error}", text.display()));
    }
    say(format!("wrote {} and {}", path.display(), text.display()));
    super::page::refresh(&args.reports)
}

/// Claim, verdict, grade, time, evidence; then the counts. On a narrow terminal the evidence has lines of
/// its own.
fn table(done: &[Done]) -> String {
    let ids = done.iter().map(|d| d.claim.id.len()).max().unwrap_or(0);
    let before = ids + 2 + 13 + 16 + 7 + 2;
    let screen = width();
    let below = screen.is_some_and(|columns| columns < before + 40);
    let mut out = format!("{:<ids$}  {:<12} {:<15} {:>7}", "claim", "verdict", "grade", "time");
    out += if below { "\n" } else { "  evidence\n" };
    for d in done {
        let (verdict, grade, found) = match &d.result {
            Ok(o) => {
                let word = format!("{:<12}", o.verdict().to_string());
                (paint(ink(o.verdict()), word), o.grade().to_string(), o.summary.clone())
            }
            Err(f) => (paint(Ink::Red, "(no verdict)"), String::new(), f.to_string()),
        };
        let _ = write!(out, "{:<ids$}  {verdict} {grade:<15} {:>7}", d.claim.id, seconds(d.time));
        let indent = if below { 4 } else { before };
        out += &if below { format!("\n{}", " ".repeat(indent)) } else { "  ".into() };
        let _ = writeln!(out, "{}", wrapped(&found, indent, screen));
    }
    let _ = writeln!(out, "\n{} claims", done.len());
    for owner in Owner::ALL {
        let of_owner: Vec<&Done> = done.iter().filter(|d| d.claim.owner == owner).collect();
        let verdicts = || of_owner.iter().filter_map(|d| d.result.as_ref().ok()?.verdict().into());
        let counts: Vec<String> = Verdict::ALL
            .into_iter()
            .map(|v| (verdicts().filter(|&w: &Verdict| w == v).count(), v))
            .filter(|(count, _)| *count > 0)
            .map(|(count, v)| paint(ink(v), format!("{count} {v}")))
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

/// Moves the bar; without a terminal, writes a line for every tenth of the claims. Each claim has its line
/// in the table that follows.
fn tell(bar: &ProgressBar, claim: &Claim, done: Option<&Done>) {
    match done {
        None => bar.set_message(claim.id),
        Some(_) => {
            bar.inc(1);
            let (now, all) = (bar.position(), bar.length().unwrap_or(0));
            if bar.is_hidden() && all >= 10 && 10 * now / all > 10 * (now - 1) / all {
                say(format!("{now} of {all} claims checked"));
            }
        }
    }
}

//! Mutation testing of the checks behind the ledger: `just mutants-claims [part of a file name]...`.
//!
//! Every mutant (an operator exchanged, a `!` or `-` dropped) is compiled into one test binary behind a
//! switch, which takes one build instead of one a mutant. Every unit test of the checks, every claim and
//! every saboteur is run once without a mutant, to hear what it says, how long it takes and in which
//! mutants it could see a difference: those that it reaches, and of the comparisons only those that
//! come out otherwise somewhere. Each mutant is then switched on in those, the quickest first, in a process of
//! their own, until one notices: a test fails, a claim says something else (verdict, grade, evidence or witness:
//! what `verify --exact` compares with the record), a saboteur meets another fate, or the time
//! is three times what it was.
//!
//! Survivors with a reason are listed in `.cargo/mutants-claims.txt`; any other makes the run fail. Four
//! kinds need no line there:
//! - Mutants that do not compile are left out.
//! - What stands in the false variant of a claim itself (`refuted`, `declared`, `teeth`) is not mutated: it
//!   is a fault already, and another one would do as well.
//! - `<` is not exchanged with `<=` where a tolerance is compared: it is a margin with room, and nothing
//!   depends on the side to which its last bit belongs.
//! - Code that only false variants reach, each of which is still refuted with the mutant on: the
//!   true statement never gets there, so that no verdict depends on it. These are counted.
//!
//! Results are kept in `target/mutants-claims`: a run that was stopped goes on where it was as long as
//! the sources are the same. `--again` tries only what was alive at the last run, after a change.

mod compile;
mod reasons;
mod rewrite;
mod units;

use compile::Build;
use rayon::prelude::*;
use reasons::Reasons;
use rewrite::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use units::{Fate, Place};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reasons for survivors.
const EXPLAINED: &str = ".cargo/mutants-claims.txt";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Failure> {
    let mut filters: Vec<String> = std::env::args().skip(1).collect();
    let again = filters.iter().any(|f| f == "--again");
    filters.retain(|f| f != "--again");
    let root = std::env::current_dir()?;
    let folder = root.join("target/mutants-claims");
    let tree = folder.join("tree");
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global()?;
    compile::link_tree(&root, &tree)?;
    let out_file = folder.join("left-out");
    let mut left_out: BTreeSet<String> =
        fs::read_to_string(&out_file).unwrap_or_default().lines().map(str::to_owned).collect();
    let (binary, mutants) = loop {
        let mutants = rewrite::rewrite(&root, &tree, &filters, &left_out)?;
        eprintln!("{} mutants, building", mutants.len());
        match compile::build(&root, &tree)? {
            Build::Binary(path) => break (path, mutants),
            Build::Errors(places) => {
                let wrong = compile::culprits(&tree, &places, &mutants)?;
                if wrong.is_empty() {
                    return Err("the tree does not build, and no mutant is to blame".into());
                }
                eprintln!("{} mutants do not compile and are left out", wrong.len());
                left_out.extend(wrong);
                fs::write(&out_file, left_out.iter().cloned().collect::<Vec<_>>().join("\n"))?;
            }
        }
    };
    let reasons = Reasons::read(&root.join(EXPLAINED))?;
    let fates = Fates::open(&folder.join("fates"), &binary, again)?;
    let place = Place { binary, tree, scratch: folder.join("scratch") };
    let units = units::cover(&place)?;
    let reached: BTreeSet<u32> = units.iter().flat_map(|u| u.hits.iter().copied()).collect();
    eprintln!(
        "{} tests, claims and saboteurs see a difference in {} of {} mutants",
        units.len(),
        reached.len(),
        mutants.len()
    );
    let of_variants =
        |m: &Mutant| units.iter().any(|u| u.reaches(m.id)) && !units.iter().any(|u| u.checks(m.id));
    let done = AtomicUsize::new(0);
    let one = |m: &Mutant| -> Result<Fate, Failure> {
        let fate = match fates.known(m) {
            Some(fate) => fate,
            None => {
                let (fate, by) = place.attempt(&units, m.id)?;
                let kind = if reached.contains(&m.id) { "alive" } else { "alive, no difference" };
                if fate == Fate::Alive && reasons.of(m).is_none() && !of_variants(m) {
                    eprintln!("{kind}: {}", m.key());
                }
                fates.note(m, fate, by)?;
                fate
            }
        };
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(100) {
            eprintln!("{count} of {} mutants", mutants.len());
        }
        Ok(fate)
    };
    let found: Vec<Fate> =
        mutants.par_iter().with_max_len(1).map(one).collect::<Result<_, Failure>>()?;
    let count = |fate: Fate| found.iter().filter(|&&f| f == fate).count();
    let alive: Vec<&Mutant> =
        mutants.iter().zip(&found).filter(|(_, f)| **f == Fate::Alive).map(|(m, _)| m).collect();
    let (variants, alive): (Vec<&Mutant>, Vec<&Mutant>) =
        alive.into_iter().partition(|m| of_variants(m));
    let open: Vec<&&Mutant> = alive.iter().filter(|m| reasons.of(m).is_none()).collect();
    for mutant in &open {
        println!("{}", mutant.key());
    }
    let unused = if filters.is_empty() { reasons.without(&alive) } else { Vec::new() };
    for line in &unused {
        println!("explains no survivor: {line}");
    }
    println!(
        "{} mutants: {} noticed, {} out of time, {} in what only false variants reach, {} alive of which \
         {} without a reason; {} do not compile",
        mutants.len(),
        count(Fate::Noticed),
        count(Fate::OutOfTime),
        variants.len(),
        alive.len(),
        open.len(),
        left_out.len()
    );
    Ok(open.is_empty() && unused.is_empty())
}

/// What became of mutants, kept in a file as it is found.
struct Fates {
    known: BTreeMap<String, Fate>,
    file: Mutex<File>,
}

impl Fates {
    /// With another binary only `again` keeps something: what was noticed before.
    fn open(path: &Path, binary: &Path, again: bool) -> Result<Self, Failure> {
        let mut hasher = DefaultHasher::new();
        fs::read(binary)?.hash(&mut hasher);
        let head = format!("binary {:016x}", hasher.finish());
        let text = fs::read_to_string(path).unwrap_or_default();
        let same = text.lines().next() == Some(&head);
        let mut known = BTreeMap::new();
        for line in text.lines().skip(1) {
            let Some((fate, key)) = line.split_once('\t') else { continue };
            let key = key.split('\t').next().unwrap_or(key).to_owned();
            match fate {
                "noticed" if same || again => known.insert(key, Fate::Noticed),
                "out of time" if same || again => known.insert(key, Fate::OutOfTime),
                "alive" if same => known.insert(key, Fate::Alive),
                _ => known.remove(&key),
            };
        }
        if !same {
            let kept: String =
                known.iter().map(|(key, fate)| format!("{}\t{key}\n", word(*fate))).collect();
            fs::write(path, format!("{head}\n{kept}"))?;
        }
        let file = Mutex::new(OpenOptions::new().append(true).open(path)?);
        Ok(Fates { known, file })
    }

    fn known(&self, mutant: &Mutant) -> Option<Fate> {
        self.known.get(&mutant.key()).copied()
    }

    fn note(&self, mutant: &Mutant, fate: Fate, by: &str) -> Result<(), Failure> {
        let line = format!("{}\t{}\t{by}\n", word(fate), mutant.key());
        self.file.lock().map_err(|_| "a worker panicked")?.write_all(line.as_bytes())?;
        Ok(())
    }
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Noticed => "noticed",
        Fate::OutOfTime => "out of time",
        Fate::Alive => "alive",
    }
}

//! What can notice a mutant: unit tests, claims and saboteurs, each run in a process of its own.

use crate::Failure;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Noticed,
    OutOfTime,
    Alive,
}

/// Claims run with the seed of the ledger, saboteurs likewise.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Test,
    /// A claim, or `claim/saboteur`.
    Says,
}

/// One thing that can notice a mutant.
#[derive(Clone, Debug)]
pub struct Unit {
    kind: Kind,
    name: String,
    /// What it says without a mutant; a test says nothing.
    said: String,
    /// How long it takes without a mutant, in seconds of processor time.
    takes: f64,
    /// The mutants that make a difference in it.
    pub hits: BTreeSet<u32>,
    /// Those whose code it runs.
    reached: BTreeSet<u32>,
}

impl Unit {
    /// Whether true statements run the code of a mutant here, and not only false variants of them.
    pub fn checks(&self, id: u32) -> bool {
        let saboteur = self.kind == Kind::Says && self.name.contains('/');
        !saboteur && self.reached.contains(&id)
    }

    pub fn reaches(&self, id: u32) -> bool {
        self.reached.contains(&id)
    }
}

/// Where units run.
pub struct Place {
    pub binary: PathBuf,
    pub tree: PathBuf,
    /// Folder for what they write.
    pub scratch: PathBuf,
}

/// These run every claim and saboteur, each of which is a unit of its own.
const ALL_AT_ONCE: [&str; 2] = [
    "claims::tests::claims_with_false_variants_stand",
    "claims::tests::false_variants_are_refuted_or_declared",
];

/// Every unit, with the mutants that it can notice, the quickest first.
pub fn cover(place: &Place) -> Result<Vec<Unit>, Failure> {
    fs::create_dir_all(&place.scratch)?;
    let names = place.scratch.join("names");
    place
        .command("claims::mutant::tests::names")
        .env("MUTANT_NAMES", &names)
        .stdout(Stdio::null())
        .status()?;
    let listed = Command::new(&place.binary).args(["--list", "claims::"]).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let tests = listed
        .lines()
        .filter_map(|l| l.strip_suffix(": test"))
        .filter(|l| !l.starts_with("claims::mutant::") && !ALL_AT_ONCE.contains(l))
        .map(|l| (Kind::Test, l.to_owned()));
    let says = fs::read_to_string(&names)?;
    let says = says.lines().map(|l| (Kind::Says, l.to_owned()));
    let all: Vec<(Kind, String)> = tests.chain(says).collect();
    let one = |(i, (kind, name)): (usize, (Kind, String))| {
        let unit = Unit {
            kind,
            name,
            said: String::new(),
            takes: 1e3,
            hits: BTreeSet::new(),
            reached: BTreeSet::new(),
        };
        let hits = place.scratch.join(format!("hits-{i}"));
        fs::write(&hits, "")?;
        let (fate, said) = place.run(&unit, "cover", Some(&hits), &format!("cover-{i}"))?;
        if fate != Fate::Alive {
            return Err(format!("{} fails without a mutant", unit.name).into());
        }
        let takes = seconds(&fs::read_to_string(format!("{}.times", hits.display()))?);
        let written = fs::read_to_string(&hits)?;
        let hits: BTreeSet<u32> = written.lines().filter_map(|l| l.parse().ok()).collect();
        let reached = written.lines().filter_map(|l| l.strip_prefix("reached ")?.parse().ok());
        let reached = reached.chain(hits.iter().copied()).collect();
        Ok(Unit { said, takes, hits, reached, ..unit })
    };
    let mut units: Vec<Unit> =
        all.into_par_iter().enumerate().with_max_len(1).map(one).collect::<Result<_, Failure>>()?;
    units.sort_by(|a, b| a.takes.total_cmp(&b.takes));
    Ok(units)
}

/// Processor time of the children in what the shell's `times` prints: `0m1.25s 0m0.01s`, second line.
fn seconds(times: &str) -> f64 {
    let one = |word: &str| -> Option<f64> {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let children = times.lines().nth(1).unwrap_or_default();
    children.split_whitespace().filter_map(one).sum()
}

impl Place {
    fn command(&self, test: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["--exact", test]).current_dir(&self.tree).env("RAYON_NUM_THREADS", "1");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// What becomes of a mutant, and who noticed it.
    pub fn attempt<'a>(&self, units: &'a [Unit], id: u32) -> Result<(Fate, &'a str), Failure> {
        for unit in units.iter().filter(|u| u.hits.contains(&id)) {
            let (fate, said) = self.run(unit, &id.to_string(), None, &format!("mutant-{id}"))?;
            if fate != Fate::Alive || said != unit.said {
                return Ok((if fate == Fate::Alive { Fate::Noticed } else { fate }, &unit.name));
            }
        }
        Ok((Fate::Alive, ""))
    }

    /// Runs a unit with a mutant on. Time is limited by that of the processor, which does not depend on what else
    /// the machine does, and so is memory.
    fn run(
        &self,
        unit: &Unit,
        mutant: &str,
        hits: Option<&Path>,
        file: &str,
    ) -> Result<(Fate, String), Failure> {
        let said = self.scratch.join(file);
        fs::write(&said, "")?;
        let test = match unit.kind {
            Kind::Test => &unit.name,
            Kind::Says => "claims::mutant::tests::says",
        };
        let seconds = (unit.takes * 3.0).ceil() as u64 + 2;
        let mut command = Command::new("sh");
        let run = match hits {
            None => "exec \"$@\"",
            Some(_) => "\"$@\" && times > ${MUTANT_HITS}.times",
        };
        command
            .args(["-c", &format!("ulimit -c 0; ulimit -v 6000000; ulimit -t $0; {run}")])
            .arg(seconds.to_string())
            .arg(&self.binary)
            .args(["--test-threads=1", "--exact", test])
            .current_dir(&self.tree)
            .env("RAYON_NUM_THREADS", "1")
            .env("MUTANT", mutant)
            .env("MUTANT_SAID", &said)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if unit.kind == Kind::Says {
            command.env("MUTANT_UNIT", &unit.name);
        }
        if let Some(hits) = hits {
            command.env("MUTANT_HITS", hits);
        }
        let mut child = command.spawn()?;
        // Should a mutant wait for something that never comes.
        let limit = Duration::from_secs(60 + 20 * seconds);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let text = fs::read_to_string(&said)?;
        fs::remove_file(&said)?;
        Ok(match status {
            Some(status) if status.success() => (Fate::Alive, text),
            Some(status) if status.code().is_some() => (Fate::Noticed, text),
            _ => (Fate::OutOfTime, text),
        })
    }
}

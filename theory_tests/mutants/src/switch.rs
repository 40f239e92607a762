//! The switch that the copy of the checks gets as `claims/mutant.rs`; no part of this tool's own build.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// No mutant is on.
const NONE: u32 = 0;
/// No mutant is on, and those that would make a difference are written down.
const COVER: u32 = u32::MAX;
const UNSET: u32 = u32::MAX - 1;

static ON: AtomicU32 = AtomicU32::new(UNSET);
static HIT: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];
static REACHED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];

fn now() -> u32 {
    match ON.load(Ordering::Relaxed) {
        UNSET => read(),
        on => on,
    }
}

#[cold]
fn read() -> u32 {
    let on = match std::env::var("MUTANT").as_deref() {
        Ok("cover") => COVER,
        Ok(id) => id.parse().unwrap_or(NONE),
        Err(_) => NONE,
    };
    ON.store(on, Ordering::Relaxed);
    on
}

/// Marks a place for messages of the compiler, and writes down that it is reached.
pub(crate) fn at(id: u32) {
    if now() == COVER {
        write(id, &REACHED, "reached ");
    }
}

/// Whether a mutant is on.
pub(crate) fn on(id: u32) -> bool {
    now() == id
}

/// Whether mutants that would make a difference are written down.
pub(crate) fn covers() -> bool {
    now() == COVER
}

/// Whether a mutant is on that makes a difference wherever it is reached.
pub(crate) fn is(id: u32) -> bool {
    let on = now();
    if on == COVER {
        hit(id);
    }
    on == id
}

/// Writes down that a mutant would make a difference here.
pub(crate) fn hit(id: u32) {
    write(id, &HIT, "");
}

#[cold]
fn write(id: u32, seen: &[AtomicBool; MUTANTS], what: &str) {
    static FILE: OnceLock<Option<std::fs::File>> = OnceLock::new();
    if seen[id as usize].swap(true, Ordering::Relaxed) {
        return;
    }
    let open = || {
        let path = std::env::var("MUTANT_HITS").ok()?;
        OpenOptions::new().create(true).append(true).open(path).ok()
    };
    if let Some(mut file) = FILE.get_or_init(open).as_ref() {
        file.write_all(format!("{what}{id}\n").as_bytes()).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use crate::claims::{
        self,
        teeth::{Fault, FaultyLearner},
    };

    /// What one claim says, or what becomes of one saboteur: `MUTANT_UNIT` is `claim` or `claim/saboteur`.
    #[test]
    fn says() {
        let Ok(unit) = std::env::var("MUTANT_UNIT") else { return };
        let (id, saboteur) =
            unit.split_once('/').map_or((&*unit, None), |(id, name)| (id, Some(name)));
        let claim = claims::all().into_iter().find(|c| c.id == id).expect("a claim");
        let said = match saboteur {
            None => {
                let done = claims::run(&[claim], 1, &[], |_, _| {});
                format!("{:?}", done[0].result)
            }
            // Which learners with a fault a check of implementations accuses.
            Some("faults") => {
                let check = claims::implementation::check(id).expect("a check");
                let caught =
                    |fault: &Fault| (check.run)(&mut FaultyLearner::new(*fault), 1).is_err();
                format!("{:?}", Fault::ALL.iter().map(caught).collect::<Vec<_>>())
            }
            Some(name) => {
                let one = claim.saboteurs.iter().find(|s| s.name == name).expect("a saboteur");
                let one: &'static [claims::Saboteur] = Box::leak(Box::new([*one]));
                let claim = claims::Claim { saboteurs: one, ..claim };
                format!("{:?}", claims::teeth(&[claim], 1)[0].fate)
            }
        };
        std::fs::write(std::env::var("MUTANT_SAID").unwrap(), said).unwrap();
    }

    /// Every claim and every saboteur, one a line.
    #[test]
    fn names() {
        let Ok(path) = std::env::var("MUTANT_NAMES") else { return };
        let mut names = String::new();
        for claim in claims::all() {
            names += &format!("{}\n", claim.id);
            for saboteur in claim.saboteurs {
                names += &format!("{}/{}\n", claim.id, saboteur.name);
            }
        }
        for check in claims::implementation::CHECKS {
            names += &format!("{}/faults\n", check.id);
        }
        std::fs::write(path, names).unwrap();
    }
}

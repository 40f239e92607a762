//! The two pages that put everything together: what does not hold, and what does better.
//!
//! `audit.md` is computed on the spot (exact fractions, the ledger's availability checks, the
//! published tables). `frontier.md` is made from the stored runs of the experiments it names; on a
//! machine without the data it goes by another name, so that made-up data never replaces real.

mod audit;
mod heat;

use lab::experiment::parse::STAND_IN;
use lab::experiment::run::jobs;
use lab::experiment::{Plan, Store};
use report::{Document, frontier};
use std::path::Path;

/// What does not hold, computed now.
///
/// # Errors
/// A computation that should always succeed did not.
pub(crate) fn audit() -> Result<Document, String> {
    audit::page()
}

/// The words of [`audit`] without its figure, which takes longer than all the rest.
///
/// # Errors
/// As [`audit`].
pub fn audit_text() -> Result<String, String> {
    audit::text()
}

/// Writes what can be written and says what was done. A folder of experiments without those of the
/// frontier is somebody else's, and gets nothing.
///
/// # Errors
/// In words.
pub fn write(experiments: &Path, store: &Path, out: &Path) -> Result<Vec<String>, String> {
    let files = frontier::EXPERIMENTS.map(|name| experiments.join(format!("{name}.toml")));
    if !files.iter().all(|file| file.is_file()) {
        return Ok(Vec::new());
    }
    let mut said = vec![format!("{}", out.join("audit.md").display())];
    audit()?.write(out)?;
    let mut loaded = Vec::new();
    for file in &files {
        let plan = Plan::read(file).map_err(|e| e.to_string())?;
        match Store::read(store, &plan, &jobs(&plan)) {
            Ok(stored) => loaded.push((plan, stored)),
            Err(_) => {
                let name = &plan.spec.name;
                said.push(format!("frontier.md is left as it is: `{name}` has no complete runs"));
                return Ok(said);
            }
        }
    }
    let made_up = loaded.iter().any(|(plan, _)| !plan.stand_ins.is_empty());
    let suffix = if made_up { STAND_IN } else { "" };
    let page = frontier::page(&loaded, suffix)?;
    page.write(out)?;
    said.push(format!("{}", out.join(format!("{}.md", page.name)).display()));
    Ok(said)
}

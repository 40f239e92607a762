//! The two pages that put everything together: what does not hold, and what does better.
//!
//! `audit.md` is computed on the spot (exact fractions, the ledger's availability checks, the
//! published tables). `frontier.md` is made from the stored runs of the experiments it names; on a
//! machine without the data it goes by another name, so that made-up data never replaces real.

mod audit;
mod frontier;
mod heat;
mod ladder;
mod measure;
mod words;

use crate::experiment::parse::STAND_IN;
use crate::experiment::run::jobs;
use crate::experiment::store::write_whole;
use crate::experiment::{Plan, Store};
use std::path::Path;

/// A page and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// File name without its ending.
    pub name: String,
    /// Markdown.
    pub text: String,
    /// Figures: file name and SVG.
    pub figures: Vec<(String, String)>,
}

impl Page {
    fn write(&self, out: &Path) -> Result<(), String> {
        let text = std::iter::once((format!("{}.md", self.name), &self.text));
        let figures = self.figures.iter().map(|(name, svg)| (name.clone(), svg));
        for (name, content) in text.chain(figures) {
            write_whole(&out.join(name), content.as_bytes()).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// What does not hold, computed now.
///
/// # Errors
/// A computation that should always succeed did not.
pub fn audit() -> Result<Page, String> {
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

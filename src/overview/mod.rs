//! The two pages that put everything together: what does not hold, and what does better.
//!
//! `audit.md` is computed on the spot (exact fractions, the ledger's availability checks, the
//! published tables). `frontier.md` is made from the stored runs of the experiments it names; on a
//! machine without the data it goes by another name, so that made-up data never replaces real.

mod audit;
mod hypotheses;

use lab::experiment::write_whole;
use lab::experiment::{Key, Plan, Record, ReportKind, STAND_IN, Store, jobs};
use learner::{Config, Surrogate};
use report::{Report, ReportError, frontier};
use std::collections::BTreeMap;
use std::path::Path;

/// The report of a complete store, with what has to be solved for it: `report` makes everything that
/// follows from the stored runs, a report on rates also says whether the hypotheses hold.
///
/// # Errors
/// The stored runs cannot be what the plan asked for, or a stream cannot be opened.
pub fn make_report(plan: &Plan, records: &BTreeMap<Key, Record>) -> Result<Report, ReportError> {
    let assumptions = match plan.spec.report.kind {
        ReportKind::Rates => hypotheses::assumptions(plan, |_| true)?,
        _ => Vec::new(),
    };
    report::make(plan, records, &assumptions)
}

/// The words of `audit.md` without its figure, which takes longer than all the rest.
///
/// # Errors
/// A computation that should always succeed did not.
#[cfg(test)]
pub(crate) fn audit_text() -> Result<String, ReportError> {
    audit::text()
}

/// Writes what can be written and says what was done. A folder of experiments without those of the
/// frontier is somebody else's, and gets nothing.
///
/// # Errors
/// A page cannot be made or written.
pub(crate) fn write(
    experiments: &Path,
    store: &Path,
    out: &Path,
) -> Result<Vec<String>, ReportError> {
    let files = frontier::EXPERIMENTS.map(|name| experiments.join(format!("{name}.toml")));
    if !files.iter().all(|file| file.is_file()) {
        return Ok(Vec::new());
    }
    let mut said = vec![format!("{}", out.join("audit.md").display())];
    for (name, content) in audit::files()? {
        write_whole(&out.join(name), content.as_bytes())?;
    }
    let mut loaded = Vec::new();
    for file in &files {
        let plan = Plan::read(file)?;
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
    let hinge = |learner: &Config| learner.surrogate == Surrogate::CstndHinge;
    let assumptions = |plan: &Plan| hypotheses::assumptions(plan, hinge);
    let page = frontier::write(&loaded, assumptions, suffix, out)?;
    said.push(page.display().to_string());
    Ok(said)
}

/// For `map_err`: a computation of `what`, which should always succeed, did not.
fn computing<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    what: &str,
) -> impl Fn(E) -> ReportError + '_ {
    move |error| ReportError::Computation { what: what.into(), source: error.into() }
}

#[cfg(test)]
#[path = "../../theory_tests/overview.rs"]
mod tests;

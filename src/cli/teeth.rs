//! `deferlab verify --teeth`: which check catches which saboteur.

use super::{End, print};
use crate::claims::teeth::TeethTable;

/// Prints the table, as JSON if asked to, and fails if the checks lack teeth.
pub(super) fn run(seed: u64, json: bool) -> End {
    let table = TeethTable::build(seed);
    let problems = table.problems();
    let text = if json {
        let value = serde_json::json!({"teeth": table, "problems": problems});
        format!("{value:#}\n")
    } else {
        let verdict = if problems.is_empty() {
            format!("all {} saboteurs are caught, the healthy learner passes\n", table.rows.len())
        } else {
            problems.iter().map(|problem| format!("PROBLEM: {problem}\n")).collect()
        };
        format!("{}\n{verdict}", table.to_text())
    };
    if let Err(end) = print(text) {
        return end;
    }
    if problems.is_empty() { End::Ok } else { End::CheckFailed }
}

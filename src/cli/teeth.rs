//! `deferlab verify --teeth`: which check catches which saboteur.

use super::{End, print};
use crate::claims::teeth::TeethTable;
use crate::claims::{Claim, SaboteurFate, SaboteurRun, teeth};

/// Prints the faulty learners (`learners`) and the false variants of `claims`, as JSON if asked to, and
/// fails if the checks lack teeth.
pub(super) fn run(claims: &[Claim], learners: bool, seed: u64, json: bool) -> End {
    let table = learners.then(|| TeethTable::build(seed));
    let mut problems = table.as_ref().map(TeethTable::problems).unwrap_or_default();
    let runs = teeth(claims, seed);
    problems.extend(runs.iter().filter_map(problem));
    let text = if json {
        let variants: Vec<serde_json::Value> = runs.iter().map(variant).collect();
        let value = serde_json::json!({
            "teeth": table, "false_variants": variants, "problems": problems,
        });
        format!("{value:#}\n")
    } else {
        let declared = runs.iter().filter(|run| run.fate == SaboteurFate::Declared).count();
        let verdict = match (problems.is_empty(), &table) {
            (true, Some(table)) => format!(
                "all {} faulty learners are caught, the healthy one passes\n",
                table.rows.len()
            ),
            _ => problems.iter().map(|problem| format!("PROBLEM: {problem}\n")).collect(),
        };
        let learners = table.map(|table| format!("{}\n", table.to_text())).unwrap_or_default();
        format!(
            "{learners}{verdict}{} false variants of claims: {} refuted, {declared} declared as out of \
             reach\n",
            runs.len(),
            runs.iter().filter(|run| run.fate == SaboteurFate::Refuted).count()
        )
    };
    if let Err(end) = print(text) {
        return end;
    }
    if problems.is_empty() { End::Ok } else { End::CheckFailed }
}

/// What is wrong with the check if this came of a saboteur that it should tell from the truth, or cannot.
fn problem(run: &SaboteurRun) -> Option<String> {
    if matches!(run.fate, SaboteurFate::Refuted | SaboteurFate::Declared) {
        return None;
    }
    let said = match &run.result {
        Ok(outcome) => outcome.summary.clone(),
        Err(failure) => failure.to_string(),
    };
    Some(format!(
        "{} {} ({}): {:?}: {said}",
        run.claim, run.saboteur.name, run.saboteur.falsified, run.fate
    ))
}

fn variant(run: &SaboteurRun) -> serde_json::Value {
    serde_json::json!({
        "claim": run.claim, "name": run.saboteur.name, "falsified": run.saboteur.falsified,
        "refuted": run.fate == SaboteurFate::Refuted, "cannot_tell": run.saboteur.cannot_tell,
        "found": run.result.as_ref().ok().map(|outcome| outcome.summary.clone()),
    })
}

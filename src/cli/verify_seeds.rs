//! `deferlab verify --seeds COUNT`: how often a check that draws numbers changes its mind.

use super::progress::progress_bar;
use super::{End, print, say};
use crate::claims::{self, Claim, Entry, TheoremRecord, Verdict};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// A verdict other than the recorded one is a false alarm: the claim did not change with the seed.
pub(super) fn run(
    chosen: &[Claim],
    recorded: &[Entry],
    seeds: RangeInclusive<u64>,
    theorems: &[TheoremRecord],
    json: bool,
) -> End {
    let (first, last) = (*seeds.start(), *seeds.end());
    let bar = progress_bar("seeds", (last - first).saturating_add(1));
    let said = claims::repeat(chosen, seeds, theorems, |seed| {
        bar.set_position(seed - first);
        if bar.is_hidden() {
            say(format!("seed {seed} of {first}..={last}"));
        }
    });
    bar.finish_and_clear();
    let alarms = |(claim, verdicts): &(Claim, BTreeMap<Option<Verdict>, u64>)| -> u64 {
        let expected = recorded.iter().find(|e| e.id == claim.id).map(|e| e.verdict);
        verdicts.iter().filter(|(v, _)| **v != expected || v.is_none()).map(|(_, n)| n).sum()
    };
    let total: u64 = said.iter().map(alarms).sum();
    let word = |v: &Option<Verdict>| v.map_or("(no verdict)".into(), |v| v.to_string());
    let text = if json {
        let row = |of: &(Claim, _)| {
            let alarms = alarms(of);
            let (claim, verdicts) = of;
            let verdicts: serde_json::Map<_, _> =
                verdicts.iter().map(|(v, n)| (word(v), json!(n))).collect();
            json!({ "id": claim.id, "verdicts": verdicts, "false_alarms": alarms })
        };
        let claims: Vec<_> = said.iter().map(row).collect();
        format!(
            "{:#}\n",
            json!({ "seeds": [first, last], "claims": claims, "false_alarms": total })
        )
    } else {
        let width = said.iter().map(|(claim, _)| claim.id.len()).max().unwrap_or(0);
        let mut out = format!("{:<width$}  {:>12}  verdicts\n", "claim", "false alarms");
        for of in &said {
            let alarms = alarms(of);
            let (claim, verdicts) = of;
            let verdicts: Vec<String> =
                verdicts.iter().map(|(v, n)| format!("{n} {}", word(v))).collect();
            let id = claim.id;
            let _ = writeln!(out, "{id:<width$}  {alarms:>12}  {}", verdicts.join(", "));
        }
        let (claims, runs) = (said.len(), last - first + 1);
        let _ = writeln!(
            out,
            "\n{claims} claims draw numbers, {runs} master seeds, {total} false alarms"
        );
        out
    };
    match print(text) {
        Ok(()) if total > 0 => End::CheckFailed,
        shown => shown.into(),
    }
}

//! `deferlab verify --proofs`: the proof checker goes over every proof.

use super::{End, Format, pretty, print, say};
use crate::claims::{PROOF_RECORD, PROOFS, agreement};
use crate::proofs::{ProofError, check, differences};
use ledger::ProofRecord;
use std::path::Path;
use std::time::Instant;

pub(super) fn run(reports: &Path, record: bool, format: Format) -> End {
    let start = Instant::now();
    let tell = |what: &str| say(format!("{:>6.1}s  {what}", start.elapsed().as_secs_f64()));
    let path = reports.join(PROOF_RECORD);
    let found = ProofRecord::read(&path).map_err(ProofError::from).and_then(|recorded| {
        let folder = Path::new(PROOFS);
        let (points, numbers) = agreement(folder)?;
        tell(&format!(
            "definitions agree with the program at {points} points ({numbers} fractions)"
        ));
        Ok((check(folder, &tell)?, recorded))
    });
    let (now, recorded) = match found {
        Ok(found) => found,
        Err(error) => {
            let failed = matches!(error, ProofError::Forbidden { .. } | ProofError::Refused { .. });
            let end = End::bad_input(error);
            return match end {
                End::BadInput(words) if failed => {
                    say(format!("deferlab: {words}"));
                    End::CheckFailed
                }
                other => other,
            };
        }
    };
    let json = pretty(&now);
    let text = match format {
        Format::Json => json.clone(),
        Format::Text => table(&now),
    };
    if let Err(end) = print(text) {
        return end;
    }
    if record {
        return match std::fs::write(&path, json) {
            Ok(()) => {
                say(format!("wrote {}", path.display()));
                End::Ok
            }
            Err(error) => End::bad_input(format!("{}: {error}", path.display())),
        };
    }
    let changes = match &recorded {
        Some(recorded) => differences(recorded, &now),
        None => vec![format!("{}: nothing is recorded (write it with --record)", path.display())],
    };
    changes.iter().for_each(|difference| say(format!("deferlab: {difference}")));
    if changes.is_empty() { End::Ok } else { End::CheckFailed }
}

/// Theorem, file and claims; then the counts.
fn table(record: &ProofRecord) -> String {
    let mut out = format!("{}\n\n", record.checker);
    for t in &record.theorems {
        out += &format!("{}  {}  ({})\n", t.file, t.name, t.claims.join(", "));
    }
    let mut claims: Vec<&String> = record.theorems.iter().flat_map(|t| &t.claims).collect();
    claims.sort();
    claims.dedup();
    let mut axioms: Vec<&String> = record.theorems.iter().flat_map(|t| &t.axioms).collect();
    axioms.sort();
    axioms.dedup();
    let axioms: Vec<&str> = axioms.iter().map(|a| a.as_str()).collect();
    out += &format!(
        "\n{} theorems stand for {} claims; {} false variants were refused; axioms: {}\n",
        record.theorems.len(),
        claims.len(),
        record.saboteurs.len(),
        if axioms.is_empty() { "none".into() } else { axioms.join(", ") }
    );
    out
}

//! Keeping what is good of a damaged store.

use super::files::{CONFIG, RECORDS, copy_aside, failed, write_whole};
use super::{Header, StoreError};
use crate::experiment::parse::Plan;
use crate::experiment::record::{Key, LineFault, Record};
use crate::experiment::run::jobs;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Leaves a store with every good record and no other, and says what was dropped. What was there is
/// copied to `before-N` first. A store that is whole, or that belongs to another configuration, is left
/// as it is.
pub(super) fn repair(folder: &Path, plan: &Plan) -> Result<Vec<String>, StoreError> {
    let (config, records) = (folder.join(CONFIG), folder.join(RECORDS));
    let header = match config.exists() {
        true => Header::read(&config).map(Some),
        false => Ok(None),
    };
    let mut notes = Vec::new();
    let lost_header = match header {
        // The checksum of a line covers the configuration: records of another one cannot pass.
        Ok(Some(header)) if header.sha256 != plan.hash() => return Ok(notes),
        Ok(Some(_)) => false,
        Ok(None) => records.exists(),
        Err(error @ StoreError::CorruptConfiguration { .. }) => {
            notes.push(format!("made again: {}", first_clause(&error)));
            true
        }
        Err(error) => return Err(error),
    };
    let bytes = match records.exists() {
        true => fs::read(&records).map_err(failed(&records, "read"))?,
        false => Vec::new(),
    };
    let Repaired { lines, kept, dropped } = Repaired::of(&bytes, &plan.hash(), &jobs(plan));
    if !lost_header && dropped.is_empty() {
        return Ok(notes);
    }
    let aside = copy_aside(folder)?;
    for (line, fault) in &dropped {
        notes.push(format!("{}, line {line}: {fault}; dropped", records.display()));
    }
    notes.push(format!(
        "repaired: {kept} good records kept, {} lines dropped, what was there is in {}",
        dropped.len(),
        aside.display()
    ));
    // The records first: killed in between, the next repair finds the same fault of the header.
    write_whole(&records, lines.as_bytes())?;
    if lost_header {
        Header::write(&config, plan)?;
    }
    Ok(notes)
}

fn first_clause(error: &StoreError) -> String {
    let text = error.to_string();
    text.split(';').next().unwrap_or_default().to_string()
}

/// What a repair makes of the bytes of a damaged file.
struct Repaired {
    /// Every good record, sorted.
    lines: String,
    /// How many they are.
    kept: usize,
    /// Lines that are gone, counted from 1, and what is wrong with them in words.
    dropped: Vec<(usize, String)>,
}

impl Repaired {
    /// `configuration`: the hash that checksums cover. `jobs`: those of the plan, in order.
    fn of(bytes: &[u8], configuration: &str, jobs: &[Key]) -> Self {
        let Sorted { good, dropped } = sort(bytes, configuration, jobs);
        let lines = good.values().map(|(record, _)| record.to_line(configuration).0).collect();
        let dropped = dropped.into_iter().map(|(line, fault)| (line, fault.to_string())).collect();
        Repaired { lines, kept: good.len(), dropped }
    }
}

struct Sorted {
    /// With their checksums.
    good: BTreeMap<Key, (Record, u128)>,
    /// Line, counted from 1, and what is wrong with it.
    dropped: Vec<(usize, LineFault)>,
}

/// Good records and bad lines. Of lines that contradict each other none can be trusted.
fn sort(bytes: &[u8], configuration: &str, jobs: &[Key]) -> Sorted {
    let mut sorted = Sorted { good: BTreeMap::new(), dropped: Vec::new() };
    let mut first_line = BTreeMap::new();
    let mut contradicted = BTreeSet::new();
    for (i, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        match Record::from_line(line, configuration) {
            Err(fault) => sorted.dropped.push((i + 1, fault)),
            Ok((Record { key, .. }, _)) if jobs.binary_search(&key).is_err() => {
                sorted.dropped.push((i + 1, LineFault::NoSuchJob(key)));
            }
            Ok((record, sum)) => {
                let key = record.key;
                // As whoever opens the store: two texts for one job are two, whatever they mean.
                let other = sorted.good.get(&key).is_some_and(|(_, known)| *known != sum);
                if other || contradicted.contains(&key) {
                    sorted.dropped.push((i + 1, LineFault::Contradicts(key)));
                    if sorted.good.remove(&key).is_some() {
                        sorted.dropped.push((first_line[&key], LineFault::Contradicts(key)));
                    }
                    contradicted.insert(key);
                } else if sorted.good.insert(key, (record, sum)).is_none() {
                    first_line.insert(key, i + 1);
                }
            }
        }
    }
    sorted.dropped.sort_by_key(|(line, _)| *line);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::metrics::Series;
    use crate::experiment::record::{RunOutcome, sealed};

    /// The same record twice is one; two that differ are none.
    #[test]
    fn records_that_contradict_each_other_are_all_dropped() {
        let record = |run, seed| {
            let key = Key { point: 0, stream: 0, policy: Some(0), run };
            Record { key, seed, outcome: RunOutcome::Series(Series::default()) }
        };
        let all = [record(0, 1), record(1, 1), record(1, 1), record(0, 2), record(0, 1)];
        let text: String = all.iter().map(|r| r.to_line("c").0).collect();
        let jobs = [record(0, 1).key, record(1, 1).key];
        let Sorted { good, dropped } = sort(text.as_bytes(), "c", &jobs);
        let good: Vec<Record> = good.into_values().map(|(record, _)| record).collect();
        assert_eq!(good, [record(1, 1)]);
        assert_eq!(dropped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 4, 5]);
        assert_eq!(sort(text.as_bytes(), "other", &jobs).dropped.len(), 5);
        assert_eq!(sort(text.as_bytes(), "c", &jobs[..1]).dropped.len(), 5);
    }

    /// An index would refuse the second text, so a repair that kept it would not help.
    #[test]
    fn one_record_in_two_texts_is_dropped() {
        let text = |seed| {
            let key = r#"{"point":0,"stream":0,"policy":null,"run":0}"#;
            let trace = r#"{"t":[],"available":[],"expert_right":[],"label":[],"regional":null}"#;
            sealed("c", &format!(r#"{{"key":{key},"seed":{seed},"outcome":{{"trace":{trace}}}}}"#))
                .0
        };
        let jobs = [Key { point: 0, stream: 0, policy: None, run: 0 }];
        let Sorted { good, dropped } = sort((text("1") + &text(" 1")).as_bytes(), "c", &jobs);
        assert_eq!((good.len(), dropped.len()), (0, 2));
        assert_eq!(sort((text("1") + &text("1")).as_bytes(), "c", &jobs).good.len(), 1);
    }
}

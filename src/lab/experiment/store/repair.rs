//! Keeping what is good of a damaged store.

use super::files::{CONFIG, RECORDS, copy_aside, failed, write_whole};
use super::{Header, StoreError};
use crate::experiment::parse::Plan;
use crate::experiment::record::{Key, LineFault, Record};
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
    let Sorted { good, dropped } = sort(&bytes, &plan.hash());
    if !lost_header && dropped.is_empty() {
        return Ok(notes);
    }
    let aside = copy_aside(folder)?;
    for (line, fault) in &dropped {
        notes.push(format!("{}, line {line}: {fault}; dropped", records.display()));
    }
    let (kept, lost) = (good.len(), dropped.len());
    notes.push(format!(
        "repaired: {kept} good records kept, {lost} lines dropped, what was there is in {}",
        aside.display()
    ));
    // The records first: killed in between, the next repair finds the same fault of the header.
    let text: String = good.values().map(|r| r.to_line(&plan.hash()).0).collect();
    write_whole(&records, text.as_bytes())?;
    if lost_header {
        Header::write(&config, plan)?;
    }
    Ok(notes)
}

fn first_clause(error: &StoreError) -> String {
    let text = error.to_string();
    text.split(';').next().unwrap_or_default().to_string()
}

struct Sorted {
    good: BTreeMap<Key, Record>,
    /// Line, counted from 1, and what is wrong with it.
    dropped: Vec<(usize, LineFault)>,
}

/// Good records and bad lines. Of lines that contradict each other none can be trusted.
fn sort(bytes: &[u8], configuration: &str) -> Sorted {
    let mut sorted = Sorted { good: BTreeMap::new(), dropped: Vec::new() };
    let mut first_line = BTreeMap::new();
    let mut contradicted = BTreeSet::new();
    for (i, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        match Record::from_line(line, configuration) {
            Err(fault) => sorted.dropped.push((i + 1, fault)),
            Ok(record) => {
                let key = record.key;
                let other = sorted.good.get(&key).is_some_and(|known| *known != record);
                if other || contradicted.contains(&key) {
                    sorted.dropped.push((i + 1, LineFault::Contradicts(key)));
                    if sorted.good.remove(&key).is_some() {
                        sorted.dropped.push((first_line[&key], LineFault::Contradicts(key)));
                    }
                    contradicted.insert(key);
                } else if sorted.good.insert(key, record).is_none() {
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
    use crate::experiment::record::RunOutcome;

    /// The same record twice is one; two that differ are none.
    #[test]
    fn records_that_contradict_each_other_are_all_dropped() {
        let record = |run, seed| {
            let key = Key { point: 0, stream: 0, policy: Some(0), run };
            Record { key, seed, outcome: RunOutcome::Series(Series::default()) }
        };
        let all = [record(0, 1), record(1, 1), record(1, 1), record(0, 2), record(0, 1)];
        let text: String = all.iter().map(|r| r.to_line("c").0).collect();
        let Sorted { good, dropped } = sort(text.as_bytes(), "c");
        assert_eq!(good.into_values().collect::<Vec<_>>(), [record(1, 1)]);
        assert_eq!(dropped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 4, 5]);
        assert_eq!(sort(text.as_bytes(), "other").dropped.len(), 5);
    }
}

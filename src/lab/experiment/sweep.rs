//! Sweeps: every combination of the swept settings is a specification of its own.

use super::error::{SpecFault, SweepFault, UnknownName};
use crate::limits;

/// Settings of one sweep point: `(path, value)`, in the order of the file.
pub(super) type Settings = Vec<(String, toml::Value)>;

/// All combinations, the last setting running fastest.
pub(super) fn combinations(sweep: &toml::Table) -> Result<Vec<Settings>, SpecFault> {
    let mut lists = Vec::new();
    for (path, values) in sweep {
        let list = values.as_array().filter(|list| !list.is_empty());
        lists.push((path, list.ok_or_else(|| fault(path, values, SweepFault::NotAList))?));
    }
    // Counted before anything is made: a few short lists multiply to more than memory holds.
    let count = lists.iter().fold(1u64, |n, (_, list)| n.saturating_mul(list.len() as u64));
    limits::SWEEP_POINTS.check(count)?;
    let mut all: Vec<Settings> = vec![Vec::new()];
    for (path, values) in lists {
        let longer = |settings: &Settings, value: &toml::Value| {
            let mut settings = settings.clone();
            settings.push((path.clone(), value.clone()));
            settings
        };
        all = all.iter().flat_map(|s| values.iter().map(move |v| longer(s, v))).collect();
    }
    Ok(all)
}

fn fault(path: &str, value: &toml::Value, source: SweepFault) -> SpecFault {
    SpecFault::Sweep { path: path.into(), value: value.to_string(), source }
}

/// `table` with these settings in place of its own.
pub(super) fn apply(table: &toml::Table, settings: &Settings) -> Result<toml::Table, SpecFault> {
    let mut changed = table.clone();
    changed.remove("sweep");
    for (path, value) in settings {
        set(&mut changed, path, value).map_err(|source| fault(path, value, source))?;
    }
    Ok(changed)
}

/// Puts `value` at `path`; a list is entered by the `name` of an element or by its position.
fn set(table: &mut toml::Table, path: &str, value: &toml::Value) -> Result<(), SweepFault> {
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    let mut at = table;
    let mut segments = parents.split('.').filter(|s| !s.is_empty());
    while let Some(segment) = segments.next() {
        let known: Vec<String> = at.keys().cloned().collect();
        let unknown = || UnknownName { name: segment.into(), known };
        at = match at.get_mut(segment).ok_or_else(unknown)? {
            toml::Value::Table(table) => table,
            toml::Value::Array(items) => {
                let name = segments.next().ok_or_else(|| SweepFault::List(segment.into()))?;
                element(items, name)?
            }
            _ => return Err(SweepFault::SingleValue(segment.into())),
        };
    }
    at.insert(last.into(), value.clone());
    Ok(())
}

fn element<'a>(
    items: &'a mut [toml::Value],
    name: &str,
) -> Result<&'a mut toml::Table, SweepFault> {
    let name_of = |item: &toml::Value| item.get("name").and_then(|n| n.as_str().map(String::from));
    let position = items
        .iter()
        .position(|item| name_of(item).as_deref() == Some(name))
        .or_else(|| name.parse().ok().filter(|&i: &usize| i < items.len()));
    match position {
        Some(i) => items[i].as_table_mut().ok_or_else(|| SweepFault::NotATable(name.into())),
        None => {
            let known = items.iter().filter_map(name_of).collect();
            Err(UnknownName { name: name.into(), known }.into())
        }
    }
}

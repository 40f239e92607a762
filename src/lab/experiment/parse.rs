//! Reading experiment files: strictly, with the line and the nearest known name.

use super::data::Loaded;
use super::spec::{PolicySpec, Spec, StreamSpec};
use super::{build, network, seed};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that is not an experiment.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SpecError {
    #[error("{path}: {message}")]
    Read { path: String, message: String },
    #[error("{path}, line {line}: {message}")]
    Syntax { path: String, line: usize, message: String },
    #[error("{path}: {what}")]
    Content { path: String, what: String },
}

/// An experiment that was read and checked, with its sweep spelled out.
#[derive(Clone, Debug)]
pub struct Plan {
    /// As the file has it.
    pub spec: Spec,
    /// The folder that file names in the specification start from.
    pub folder: PathBuf,
    /// One specification for each combination of swept settings; one alone without a sweep.
    pub points: Vec<Point>,
    /// Everything the results depend on.
    pub canonical: Json,
    /// Data files that are not there, in words: the plan can be read but not run.
    pub missing_data: Option<String>,
    /// One sentence for each data set that was stood in for; the name then ends in [`STAND_IN`].
    pub stand_ins: Vec<String>,
}

/// Ends the name of an experiment that was run on made-up data in place of a data set that was not
/// there, so that neither its runs nor its report can be taken for those on the real data.
pub const STAND_IN: &str = "-standin";

/// One combination of swept settings.
#[derive(Clone, Debug)]
pub struct Point {
    /// `(path, value)`, in the order of the file.
    pub settings: Vec<(String, toml::Value)>,
    /// The specification with those settings.
    pub spec: Spec,
}

impl Point {
    /// `setting = value, ..`, empty without a sweep. Paths are cut to their last name where that
    /// says which.
    pub fn label(&self) -> String {
        let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_string();
        let one = |(path, value): &(String, toml::Value)| {
            let alike = self.settings.iter().filter(|(other, _)| last(other) == last(path)).count();
            let name = if alike > 1 { path.clone() } else { last(path) };
            match value.as_str() {
                Some(text) => format!("{name} = {text}"),
                None => format!("{name} = {value}"),
            }
        };
        self.settings.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Bumped when the same configuration starts to give other numbers, so that runs kept from before
/// are not taken for runs of today.
pub const ENGINE: u32 = 1;

impl Plan {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Says the file, and where it can the line, what is wrong and what was expected.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let text = std::fs::read_to_string(path).map_err(|error| SpecError::Read {
            path: path.display().to_string(),
            message: error.to_string(),
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Plan::from_text(&text, &path.display().to_string(), folder)
    }

    /// Checks `text`, which messages call `path`.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn from_text(text: &str, path: &str, folder: PathBuf) -> Result<Self, SpecError> {
        let content = |what: String| SpecError::Content { path: path.into(), what };
        let mut spec: Spec = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let (line, message) = explain(text, start, error.message());
            SpecError::Syntax { path: path.into(), line, message }
        })?;
        let table: toml::Table = toml::from_str(text).map_err(|e| content(e.message().into()))?;
        let mut points = Vec::new();
        for settings in combinations(&spec.sweep).map_err(content)? {
            let mut changed = table.clone();
            changed.remove("sweep");
            for (path, value) in &settings {
                let setting = format!("sweep.\"{path}\" = {value}");
                set(&mut changed, path, value).map_err(|e| content(format!("{setting}: {e}")))?;
            }
            let swept = Spec::deserialize(changed).map_err(|error| {
                let point = Point { settings: settings.clone(), spec: spec.clone() };
                content(format!("sweep, {}: {}", point.label(), nearest(error.message())))
            })?;
            points.push(Point { settings, spec: swept });
        }
        let mut loaded = Loaded::default();
        let missing_data = network::missing_data(&spec);
        for point in &points {
            check(&point.spec).map_err(content)?;
            if missing_data.is_none() {
                build::check(&point.spec, &folder, &mut loaded).map_err(content)?;
            }
        }
        if !loaded.stand_ins.is_empty() {
            points.iter_mut().for_each(|point| point.spec.name += STAND_IN);
            spec.name += STAND_IN;
        }
        let canonical = canonical(&spec, loaded.files);
        Ok(Plan { spec, folder, points, canonical, missing_data, stand_ins: loaded.stand_ins })
    }

    /// `SHA-256` of the canonical configuration.
    pub fn hash(&self) -> String {
        seed::sha256_hex(self.canonical.to_string().as_bytes())
    }
}

/// What the results depend on, and nothing that is only for the reader.
fn canonical(spec: &Spec, data: Vec<(String, String)>) -> Json {
    let mut json = serde_json::to_value(spec).expect("a specification is plain data");
    let forget = |value: &mut Json, key: &str| {
        value.as_object_mut().and_then(|object| object.shift_remove(key));
    };
    forget(&mut json, "title");
    forget(&mut json, "report");
    for list in ["stream", "policy"] {
        if let Some(items) = json[list].as_array_mut() {
            items.iter_mut().for_each(|item| forget(item, "label"));
        }
    }
    let data: serde_json::Map<String, Json> =
        data.into_iter().map(|(file, hash)| (file, json!(hash))).collect();
    json!({ "engine": ENGINE, "experiment": json, "data": data })
}

/// All combinations, the last setting running fastest.
fn combinations(sweep: &toml::Table) -> Result<Vec<Vec<(String, toml::Value)>>, String> {
    let mut all = vec![Vec::new()];
    for (path, values) in sweep {
        let values = values.as_array().filter(|list| !list.is_empty()).ok_or_else(|| {
            format!("sweep.\"{path}\" = {values}: expected a list with at least one value")
        })?;
        let extend = |settings: &Vec<(String, toml::Value)>| {
            let settings = settings.clone();
            values
                .iter()
                .map(move |value| {
                    let mut longer = settings.clone();
                    longer.push((path.clone(), value.clone()));
                    longer
                })
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    Ok(all)
}

/// Puts `value` at `path`; a list is entered by the `name` of an element or by its position.
fn set(table: &mut toml::Table, path: &str, value: &toml::Value) -> Result<(), String> {
    let (parents, last) = match path.rsplit_once('.') {
        Some((parents, last)) => (parents, last),
        None => ("", path),
    };
    let mut at = table;
    let mut segments = parents.split('.').filter(|s| !s.is_empty()).peekable();
    while let Some(segment) = segments.next() {
        let known: Vec<String> = at.keys().cloned().collect();
        let next = at.get_mut(segment).ok_or_else(|| missing(segment, &known))?;
        at = match next {
            toml::Value::Table(table) => table,
            toml::Value::Array(items) => {
                let name = segments
                    .next()
                    .ok_or_else(|| format!("`{segment}` is a list: name one of its elements"))?;
                let name_of = |item: &toml::Value| {
                    item.get("name").and_then(|n| n.as_str().map(String::from))
                };
                let names: Vec<String> = items.iter().filter_map(name_of).collect();
                let position = items
                    .iter()
                    .position(|item| name_of(item).as_deref() == Some(name))
                    .or_else(|| name.parse().ok().filter(|&i: &usize| i < items.len()))
                    .ok_or_else(|| missing(name, &names))?;
                items[position].as_table_mut().ok_or_else(|| format!("`{name}` is not a table"))?
            }
            _ => return Err(format!("`{segment}` is a single value and has no settings inside")),
        };
    }
    at.insert(last.into(), value.clone());
    Ok(())
}

fn missing(name: &str, known: &[String]) -> String {
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    match closest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("there is no `{name}`; did you mean `{near}`? (known: {list})"),
        None => format!("there is no `{name}` (known: {list})"),
    }
}

/// What serde cannot know: names, counts, and that each stream and policy has one kind.
fn check(spec: &Spec) -> Result<(), String> {
    let plain = |field: &str, name: &str| {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !name.is_empty() && name.len() <= 64 && name.chars().all(fine) {
            return Ok(());
        }
        Err(format!("{field} = {name:?}: expected letters, digits, `-` and `_`, at most 64"))
    };
    plain("name", &spec.name)?;
    for (field, count) in [("runs", u64::from(spec.runs)), ("rounds", spec.rounds)] {
        if count == 0 {
            return Err(format!("{field} = 0: expected at least 1"));
        }
    }
    let names = |list: &str, names: Vec<&str>| {
        if names.is_empty() {
            return Err(format!("there is no [[{list}]]: give at least one"));
        }
        for (i, name) in names.iter().enumerate() {
            plain(&format!("{list}[{i}].name"), name)?;
            if names[..i].contains(name) {
                return Err(format!("two [[{list}]] are called {name:?}"));
            }
        }
        Ok(())
    };
    names("stream", spec.stream.iter().map(|s| s.name.as_str()).collect())?;
    names("policy", spec.policy.iter().map(|p| p.name.as_str()).collect())?;
    let streams: Vec<String> = spec.stream.iter().map(|s| s.name.clone()).collect();
    for PolicySpec { name, only, .. } in &spec.policy {
        if let Some(stream) = only.iter().flatten().find(|stream| !streams.contains(stream)) {
            return Err(format!("policy `{name}`, only: {}", missing(stream, &streams)));
        }
    }
    let policies: Vec<String> = spec.policy.iter().map(|p| p.name.clone()).collect();
    let report = &spec.report;
    for (field, name) in
        [("subject", &report.subject), ("baseline", &report.baseline), ("oracle", &report.oracle)]
    {
        if let Some(name) = name.as_ref().filter(|name| !policies.contains(name)) {
            return Err(format!("report.{field}: {}", missing(name, &policies)));
        }
    }
    spec.stream.iter().try_for_each(one_kind_of_stream)?;
    spec.policy.iter().try_for_each(one_kind_of_policy)?;
    network::check(spec)
}

fn one_kind_of_stream(s: &StreamSpec) -> Result<(), String> {
    let kinds = [
        s.synthetic.is_some(),
        s.law.is_some(),
        s.recorded.is_some(),
        s.cifar10h.is_some(),
        s.reuters4.is_some(),
        s.labelme.is_some(),
        s.table.is_some(),
    ];
    let known = "synthetic, law, recorded, cifar10h, reuters4, labelme, table";
    one_kind("stream", &s.name, &kinds, known)
}

fn one_kind_of_policy(p: &PolicySpec) -> Result<(), String> {
    let kinds = [
        p.algorithm1.is_some(),
        p.belief.is_some(),
        p.square_cb.is_some(),
        p.classifier_only.is_some(),
        p.confidence.is_some(),
        p.network.is_some(),
        p.network_confidence.is_some(),
        p.fixed_expert.is_some(),
        p.uniform.is_some(),
        p.oracle.is_some(),
    ];
    let known = "algorithm1, belief, square_cb, classifier_only, confidence, network, \
                 network_confidence, fixed_expert, uniform, oracle";
    one_kind("policy", &p.name, &kinds, known)
}

fn one_kind(list: &str, name: &str, kinds: &[bool], known: &str) -> Result<(), String> {
    match kinds.iter().filter(|&&given| given).count() {
        1 => Ok(()),
        0 => Err(format!("{list} `{name}` has no kind: give one of {known}")),
        _ => Err(format!("{list} `{name}` has more than one kind: give one of {known}")),
    }
}

/// The line of an error and its message with the nearest known name. Inside tagged values serde
/// loses the place; the first line from `start` on that sets the unknown key is then meant.
fn explain(text: &str, start: usize, message: &str) -> (usize, String) {
    let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let mut line = line_of(start);
    if let Some(key) = message.strip_prefix("unknown field `").and_then(|m| m.split('`').next()) {
        let sets = |l: &str| {
            let mut words = l.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
            words.any(|word| word == key)
        };
        let from = text.lines().enumerate().skip(line - 1);
        line = from.into_iter().find(|(_, l)| sets(l)).map_or(line, |(i, _)| i + 1);
    }
    (line, nearest(message))
}

/// Adds a did-you-mean to serde's `unknown field` and `unknown variant`.
fn nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if let (true, Some(name)) = (message.starts_with("unknown "), quoted.next())
        && let Some(near) = closest(name, quoted)
    {
        return format!("{message}; did you mean `{near}`?");
    }
    message.to_string()
}

/// The known name with the fewest edits, if there are few enough to be a slip.
fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 2).max(1);
    known
        .map(|k| (edits(name, k), k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// Insertions, deletions, changes and swaps of neighbours that make `b` of `a`.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

//! Reading experiment files: strictly, with the line and the nearest known name.

use super::build::{self, Shape, Source};
use super::data::Loaded;
use super::error::{SpecError, SpecFault, SpecProblem, UnknownName};
use super::spec::{
    ExperimentSpec, FixedExpertSpec, LearnerSpec, PolicySettings, PolicySpec, Radius,
    StreamSettings,
};
use super::{kept, network, sweep};
use crate::hash::sha256_hex;
use crate::limits;
use learner::{Optimizer, Schedule, nearest};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::io::Read;
use std::path::{Path, PathBuf};

/// An experiment that was read and checked, with its sweep spelled out.
#[derive(Clone, Debug)]
pub struct Plan {
    /// As the file has it.
    pub spec: ExperimentSpec,
    /// The folder that file names in the specification start from.
    pub folder: PathBuf,
    /// One specification for each combination of swept settings; one alone without a sweep.
    pub points: Vec<Point>,
    /// Everything the results depend on.
    pub canonical: Json,
    /// Data files that are not there, in words: the plan can be read but not run.
    pub missing_data: Option<String>,
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// One sentence for each thing in a data file that is allowed and probably not meant.
    pub hints: Vec<String>,
    /// One sentence for each data set that was stood in for; the name then ends in [`STAND_IN`].
    pub stand_ins: Vec<String>,
    /// What was read and hashed, one source for every point and stream: it is what is played.
    sources: Vec<Vec<(Source, Shape)>>,
}

/// Ends the name of an experiment that was run on made-up data in place of a data set that was not
/// there, so that neither its runs nor its report can be taken for those on the real data.
pub const STAND_IN: &str = "-standin";

/// One combination of swept settings.
#[derive(Clone, Debug)]
pub struct Point {
    /// `(path, value)`, in the order of the file.
    pub settings: Vec<(String, toml::Value)>,
    /// The same in words, `setting = value, ..`; empty without a sweep.
    pub label: String,
    /// The specification with those settings.
    pub spec: ExperimentSpec,
}

/// `setting = value, ..`. Paths are cut to their last name where that says which.
fn label(settings: &[(String, toml::Value)]) -> String {
    let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_string();
    let one = |(path, value): &(String, toml::Value)| {
        let alike = settings.iter().filter(|(other, _)| last(other) == last(path)).count();
        let name = if alike > 1 { path.clone() } else { last(path) };
        match value.as_str() {
            Some(text) => format!("{name} = {text}"),
            None => format!("{name} = {value}"),
        }
    };
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Bumped when the same configuration starts to give other numbers, so that runs kept from before
/// are not taken for runs of today.
pub(crate) const ENGINE: u32 = 1;

impl Plan {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Says the file, and where it can the line, what is wrong and what was expected.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let unread = |source| SpecProblem::Read { path: path.into(), source };
        let mut text = String::new();
        let most = limits::EXPERIMENT_BYTES.most;
        let file = std::fs::File::open(path).map_err(unread)?;
        file.take(most + 1).read_to_string(&mut text).map_err(unread)?;
        limits::EXPERIMENT_BYTES
            .check(text.len() as u64)
            .map_err(|e| SpecProblem::Content { path: path.into(), source: e.into() })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let plan = Plan::from_text(&text, path, folder)?;
        Ok(Plan { file: Some(path.into()), ..plan })
    }

    /// Checks `text`, which messages call `path`.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn from_text(
        text: &str,
        path: impl Into<PathBuf>,
        folder: PathBuf,
    ) -> Result<Self, SpecError> {
        let path = path.into();
        let syntax = |error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let (line, message) = explain(text, start, error.message());
            SpecProblem::Syntax { path: path.clone(), line, message }
        };
        let spec: ExperimentSpec = toml::from_str(text).map_err(syntax)?;
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        let plan = Plan::of(spec, &table, folder);
        Ok(plan.map_err(|source| SpecProblem::Content { path, source })?)
    }

    fn of(
        mut spec: ExperimentSpec,
        table: &toml::Table,
        folder: PathBuf,
    ) -> Result<Self, SpecFault> {
        let mut points = points(&spec, table)?;
        add_baselines(&mut spec);
        points.iter_mut().for_each(|point| add_baselines(&mut point.spec));
        let mut jobs = 0u64;
        for point in &points {
            check(&point.spec)?;
            let kinds = point.spec.stream.len() * (point.spec.policy.len() + 1);
            jobs = jobs.saturating_add(u64::from(point.spec.runs).saturating_mul(kinds as u64));
        }
        limits::JOBS.check(jobs)?;
        let (mut loaded, mut sources) = (Loaded::default(), Vec::new());
        let missing_data = network::missing_data(&spec);
        if missing_data.is_none() {
            for point in &mut points {
                let read = build::prepare(&point.spec, &folder, &mut loaded)?;
                for (stream, (source, _)) in point.spec.stream.iter_mut().zip(&read) {
                    build::name_experts(&mut stream.settings, source);
                }
                sources.push(read);
                kept::find(&point.spec, &folder, &mut loaded)
                    .map_err(|source| SpecFault::Weights(Box::new(source)))?;
            }
        }
        if !loaded.stand_ins.is_empty() {
            points.iter_mut().for_each(|point| point.spec.name += STAND_IN);
            spec.name += STAND_IN;
        }
        let canonical = canonical(&spec, loaded.files);
        let (stand_ins, mut hints) = (loaded.stand_ins, loaded.hints);
        hints.dedup();
        let file = None;
        Ok(Plan { spec, folder, points, canonical, missing_data, file, hints, stand_ins, sources })
    }

    /// The source of a stream at a sweep point, as it was when the plan was read, and its shape. None
    /// where data is missing.
    #[must_use]
    pub(super) fn source(&self, point: usize, stream: usize) -> Option<&(Source, Shape)> {
        self.sources.get(point)?.get(stream)
    }

    /// `SHA-256` that the data file of that name had when the plan was read.
    #[must_use]
    pub(crate) fn data_sha256(&self, name: &str) -> Option<&str> {
        self.canonical["data"][name].as_str()
    }

    /// `SHA-256` of the canonical configuration.
    #[must_use]
    pub fn hash(&self) -> String {
        sha256_hex(self.canonical.to_string().as_bytes())
    }
}

/// One specification for each combination of swept settings.
fn points(spec: &ExperimentSpec, table: &toml::Table) -> Result<Vec<Point>, SpecFault> {
    let mut points = Vec::new();
    for settings in sweep::combinations(&spec.sweep)? {
        let swept = ExperimentSpec::deserialize(sweep::apply(table, &settings)?);
        let label = label(&settings);
        let spec = swept.map_err(|error| {
            let message = with_nearest(error.message());
            SpecFault::SweptSpec { point: label.clone(), message }
        })?;
        points.push(Point { settings, label, spec });
    }
    Ok(points)
}

/// On a table of one's own two policies that never learn whom to ask are played too, unless the file has
/// them or says `baselines = false`: a router that does not beat them is not worth its trouble.
fn add_baselines(spec: &mut ExperimentSpec) {
    let own = spec.stream.iter().filter_map(|s| match &s.settings {
        StreamSettings::Table(table) => Some((s.name.clone(), table.experts_only)),
        _ => None,
    });
    let own: Vec<(String, bool)> = own.collect();
    if own.is_empty() || !spec.baselines || spec.policy.is_empty() {
        return;
    }
    let of = |keep: fn(bool) -> bool| -> Vec<String> {
        own.iter().filter(|(_, only)| keep(*only)).map(|(name, _)| name.clone()).collect()
    };
    let settings = spec.policy.iter().find_map(|p| p.learner().cloned());
    let settings = settings.unwrap_or_else(|| LearnerSpec {
        radius: Radius::None,
        optimizer: Optimizer::Adagrad { rate: 0.1, epsilon: 1e-10 },
        schedule: Schedule::Experiment { eta0: 5e-4, gamma0: 10.0 },
        ..LearnerSpec::default()
    });
    let fixed = FixedExpertSpec { mean_costs: None };
    let wanted = [
        (
            "classifier-only",
            "classifier only",
            of(|only| !only),
            PolicySettings::ClassifierOnly(settings),
        ),
        ("best-expert", "best fixed expert", of(|_| true), PolicySettings::FixedExpert(fixed)),
    ];
    for (name, label, only, settings) in wanted {
        let wanted = std::mem::discriminant(&settings);
        let same = |p: &PolicySpec| p.name == name || std::mem::discriminant(&p.settings) == wanted;
        if !only.is_empty() && !spec.policy.iter().any(same) {
            let (name, label) = (name.into(), label.into());
            // Streams without it would make a list of all of them differ from no list.
            let only = (only.len() < spec.stream.len()).then_some(only);
            spec.policy.push(PolicySpec { name, label, only, settings });
        }
    }
}

/// What the results depend on, and nothing that is only for the reader.
fn canonical(spec: &ExperimentSpec, data: Vec<(String, String)>) -> Json {
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

/// What serde cannot know: names and counts.
fn check(spec: &ExperimentSpec) -> Result<(), SpecFault> {
    plain("name".into(), &spec.name)?;
    for (field, count) in [("runs", u64::from(spec.runs)), ("rounds", spec.rounds)] {
        if count == 0 {
            return Err(SpecFault::Zero { field });
        }
    }
    limits::ROUNDS.check(spec.rounds)?;
    spec.checkpoints.check()?;
    let streams: Vec<String> = spec.stream.iter().map(|s| s.name.clone()).collect();
    let policies: Vec<String> = spec.policy.iter().map(|p| p.name.clone()).collect();
    unique("stream", &streams)?;
    unique("policy", &policies)?;
    for PolicySpec { name, only, .. } in &spec.policy {
        for stream in only.iter().flatten() {
            known(stream, &streams, || format!("policy `{name}`, only"))?;
        }
    }
    let report = &spec.report;
    for (field, name) in
        [("subject", &report.subject), ("baseline", &report.baseline), ("oracle", &report.oracle)]
    {
        if let Some(name) = name {
            known(name, &policies, || format!("report.{field}"))?;
        }
    }
    network::check(spec)
}

/// A name that can be the name of a folder.
fn plain(field: String, name: &str) -> Result<(), SpecFault> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.len() <= 64 && name.chars().all(fine) {
        true => Ok(()),
        false => Err(SpecFault::Name { field, name: name.into() }),
    }
}

fn unique(list: &'static str, names: &[String]) -> Result<(), SpecFault> {
    if names.is_empty() {
        return Err(SpecFault::Empty { list });
    }
    for (i, name) in names.iter().enumerate() {
        plain(format!("{list}[{i}].name"), name)?;
        if names[..i].contains(name) {
            return Err(SpecFault::SameName { list, name: name.clone() });
        }
    }
    Ok(())
}

fn known(name: &str, names: &[String], place: impl FnOnce() -> String) -> Result<(), SpecFault> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let unknown = UnknownName { name: name.into(), known: names.to_vec() };
    Err(SpecFault::Unknown { place: place(), unknown })
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
    (line, with_nearest(message))
}

/// Adds a did-you-mean to serde's `unknown field` and `unknown variant`.
fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if let (true, Some(name)) = (message.starts_with("unknown "), quoted.next())
        && let Some(near) = nearest(name, quoted)
    {
        return format!("{message}; did you mean `{near}`?");
    }
    message.to_string()
}

//! Streams made from data: what an experiment file says of them, and how they are loaded.

use super::build::Source;
use super::error::StreamFault;
use super::names::Names;
use super::spec::{RecordedSpec, StreamSettings, or_paper_cost, paper_cost};
use crate::data::Inputs;
use crate::data::{self, Classes, Columns, DataError, Opened};
use crate::stream::{
    Availability, Boundary, CrewConfig, DiskFault, DiskRecording, Drift, LineFormat, RecordedError,
    Recording, Seasons,
};
use problem::{ActionSpace, ExpertCost, TEXT_DIM};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an experiment read: every data set once, so that what is hashed is what is used.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// Name and `SHA-256` of each file.
    pub(super) files: Vec<(String, String)>,
    /// One sentence for each data set that was not there and was stood in for.
    pub(super) stand_ins: Vec<String>,
    /// One sentence for each thing in a user's file that is allowed and probably not meant.
    pub(super) hints: Vec<String>,
    /// Streams that came from files; sweep points share them.
    pub(super) sources: Vec<(StreamSettings, Source)>,
}

impl Loaded {
    /// Remembers what was read.
    ///
    /// # Errors
    /// A file of that name was read before with other content.
    pub(super) fn add(
        &mut self,
        files: impl IntoIterator<Item = (String, String)>,
        stand_in: Option<String>,
    ) -> Result<(), DataError> {
        for (name, now) in files {
            match self.files.iter().find(|(known, _)| *known == name) {
                None => self.files.push((name, now)),
                Some((_, first)) if *first == now => {}
                Some((_, first)) => {
                    return Err(DataError::Changed { name, first: first.clone(), now });
                }
            }
        }
        self.stand_ins.extend(stand_in.filter(|note| !self.stand_ins.contains(note)));
        Ok(())
    }
}

/// Reuters4 (App. G.3): real documents in a new order every epoch, three generated experts.
/// Defaults are setting 1; what can be said is what [`CrewConfig`] says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Reuters4Spec {
    /// The classes each expert knows at the start.
    pub(crate) knows: Vec<Vec<usize>>,
    /// How expertise drifts; constant without.
    pub(crate) drift: Option<Drift>,
    /// Random availability; without it everybody is always there.
    pub(crate) availability: Option<Availability>,
    /// What walks and bridges do at the ends of `[0, 1]`.
    pub(crate) boundary: Boundary,
    /// What experts cost.
    pub(crate) cost: ExpertCost,
}

impl Default for Reuters4Spec {
    fn default() -> Self {
        Reuters4Spec {
            knows: vec![vec![0, 1], vec![1, 2], vec![2, 3]],
            drift: None,
            availability: None,
            boundary: Boundary::Reflect,
            cost: paper_cost(),
        }
    }
}

impl Reuters4Spec {
    /// Its experts.
    pub(super) fn crew(&self) -> CrewConfig {
        CrewConfig {
            knows: self.knows.clone(),
            drift: self.drift.clone(),
            availability: self.availability,
            boundary: self.boundary,
            cost: self.cost,
        }
    }
}

/// LabelMe: images in a new order every epoch, annotators available where they answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LabelMeSpec {
    /// Whether inputs are divided by their norm.
    pub(crate) unit_norm: bool,
    /// What an answer costs.
    pub(crate) cost: ExpertCost,
}

impl Default for LabelMeSpec {
    fn default() -> Self {
        LabelMeSpec { unit_norm: true, cost: paper_cost() }
    }
}

impl LabelMeSpec {
    /// # Errors
    /// Names the file.
    pub(super) fn load(&self, loaded: &mut Loaded) -> Result<Recording, StreamFault> {
        let found = data::labelme()?;
        loaded.add(found.files, found.stand_in)?;
        let data = &found.data;
        let inputs = scaled(data.inputs.clone(), self.unit_norm);
        let classes = 8;
        let classes = (classes, false);
        Recording::from_answers(inputs, &data.labels, &data.answers, classes, self.cost).map_err(
            |source| StreamFault::Recorded { path: "labelme".into(), source: Box::new(source) },
        )
    }
}

/// Data of one's own: a CSV table, or svmlight inputs with a file of answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSpec {
    /// CSV with a header line, or svmlight; relative to the experiment file.
    pub(crate) file: PathBuf,
    /// How many classes there are (written `0`, `1`, ..), or their names.
    pub(crate) classes: Classes,
    /// CSV: the column with the label.
    #[serde(default)]
    pub(crate) label: Option<String>,
    /// CSV: the columns with the answers, one per expert; empty means not available. `ann*` stands for
    /// all columns whose names begin so.
    #[serde(default)]
    pub(crate) experts: Option<Vec<String>>,
    /// CSV: the columns of the input, or beginnings of their names (`pixel*`); all that are left
    /// without it.
    #[serde(default)]
    pub(crate) features: Option<Vec<String>>,
    /// CSV: the column with a text, hashed into `dim` features (4096 without it). Other columns are then
    /// part of the input only where `features` names them; they come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The classes only judge answers, they cannot be played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) experts_only: bool,
    /// svmlight: the file with one line of answers for each line of inputs; -1 means not available.
    #[serde(default)]
    pub(crate) answers: Option<PathBuf>,
    /// svmlight: how many features there are. Text: how many it is hashed into.
    #[serde(default)]
    pub(crate) dim: Option<usize>,
    /// Whether inputs are divided by their norm.
    #[serde(default)]
    pub(crate) unit_norm: bool,
    /// A new order for each run, epoch after epoch, until the rounds are played; without it the
    /// order of the file, once.
    #[serde(default)]
    pub(crate) shuffle: bool,
    /// What an answer costs; the paper's without it.
    #[serde(default, serialize_with = "or_paper_cost")]
    pub(crate) cost: Option<ExpertCost>,
    /// In place of `cost`: what asking each expert costs, in one's own unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prices: BTreeMap<String, f64>,
    /// What one unit of a price is worth in reward: a right answer is worth 1, a wrong one 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exchange: Option<f64>,
    /// First round of experts who are not there from the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) comes: BTreeMap<String, u64>,
    /// Last round of experts who leave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) goes: BTreeMap<String, u64>,
}

impl TableSpec {
    /// # Errors
    /// Names the file, the row and the field, or the setting that is missing.
    pub(super) fn load(
        &self,
        folder: &Path,
        loaded: &mut Loaded,
    ) -> Result<Recording, StreamFault> {
        let Rows { inputs, labels, answers, experts } = match &self.answers {
            None => self.read_csv(folder, loaded)?,
            Some(answers) => self.read_svmlight(folder, answers, loaded)?,
        };
        loaded.hints.extend(self.hints(&labels, &answers));
        let inputs = scaled(inputs, self.unit_norm);
        let classes = (self.classes.count(), self.experts_only);
        let made = || -> Result<Recording, RecordedError> {
            let cost = answer_cost(self.cost, &self.prices)?;
            Recording::from_answers(inputs, &labels, &answers, classes, cost)?
                .with_names(experts)
                .with_prices(&self.prices, self.exchange)?
                .with_comings_and_goings(&self.comes, &self.goes)
        };
        made().map_err(|source| StreamFault::Recorded {
            path: folder.join(&self.file),
            source: Box::new(source),
        })
    }

    /// Experts who never answered and classes that are no label.
    fn hints(&self, labels: &[usize], answers: &data::Answers) -> Vec<String> {
        let file = self.file.display();
        let named = |j: usize| match self.experts.as_ref().and_then(|names| names.get(j)) {
            Some(name) => format!("`{name}`"),
            None => format!("{}", j + 1),
        };
        let silent = |j: &usize| answers.iter().all(|row| row.get(*j).is_none_or(Option::is_none));
        let experts = (0..answers.first().map_or(0, Vec::len)).filter(silent);
        let experts = experts.map(|j| {
            format!("{file}: expert {} never answers, so it is never available", named(j))
        });
        let unseen = (0..self.classes.count()).filter(|class| !labels.contains(class));
        let unseen = unseen.map(|class| {
            format!("{file}: class `{}` is never the label", self.classes.name(class))
        });
        experts.chain(unseen).collect()
    }

    fn read_csv(&self, folder: &Path, loaded: &mut Loaded) -> Result<Rows, StreamFault> {
        let (Some(label), Some(experts)) = (&self.label, &self.experts) else {
            return Err(StreamFault::Table(
                "a CSV table needs `label` and `experts`, svmlight inputs need `answers` and `dim`",
            ));
        };
        let text = self.text.as_deref().map(|column| (column, self.dim.unwrap_or(TEXT_DIM)));
        if self.dim.is_some() && text.is_none() {
            let problem = "`dim` belongs to `text`, and to svmlight inputs, which need `answers`";
            return Err(StreamFault::Table(problem));
        }
        let columns = Columns { label, experts, features: self.features.as_deref(), text };
        let (table, hash) = data::read_table(&folder.join(&self.file), columns, &self.classes)?;
        loaded.add([(self.file.display().to_string(), hash)], None)?;
        let experts = Some(table.experts);
        Ok(Rows { inputs: table.inputs, labels: table.labels, answers: table.answers, experts })
    }

    fn read_svmlight(
        &self,
        folder: &Path,
        answers_file: &Path,
        loaded: &mut Loaded,
    ) -> Result<Rows, StreamFault> {
        let named = [&self.label, &self.text].iter().any(|column| column.is_some());
        if named || self.experts.is_some() || self.features.is_some() {
            return Err(StreamFault::Table(
                "`label`, `text`, `experts` and `features` name columns of a CSV table; svmlight inputs with `answers` have none",
            ));
        }
        let Classes::Count(classes) = self.classes else {
            let problem = "svmlight labels are integers: give `classes` as a number";
            return Err(StreamFault::Table(problem));
        };
        let problem = "svmlight inputs need `dim`, the number of features";
        let dim = self.dim.ok_or(StreamFault::Table(problem))?;
        let read = data::read_svmlight(&folder.join(&self.file), dim, classes)?;
        let (answers, hash) = data::read_answers(&folder.join(answers_file), classes)?;
        let name = |path: &Path| path.display().to_string();
        loaded.add([(name(&self.file), read.sha256), (name(answers_file), hash)], None)?;
        let inputs = Inputs::Sparse(read.rows);
        Ok(Rows { inputs, labels: read.labels, answers, experts: None })
    }
}

impl RecordedSpec {
    fn format(&self) -> Result<LineFormat<'_>, RecordedError> {
        Ok(LineFormat {
            classes: self.classes.count(),
            class_names: match &self.classes {
                Classes::Count(_) => None,
                Classes::Names(names) => Some(names),
            },
            experts_only: self.experts_only,
            experts: self.experts.as_deref(),
            x: self.x.as_deref(),
            text: self.text.as_deref(),
            ignore: &self.ignore,
            dim: self.dim,
            cost: answer_cost(self.cost, &self.prices)?,
            exchange: self.exchange,
            prices: Some(&self.prices).filter(|prices| !prices.is_empty()),
        })
    }

    fn seasons(&self, space: ActionSpace) -> Result<Option<Seasons>, RecordedError> {
        let names = Names::of(&StreamSettings::Recorded(self.clone()), space);
        Seasons::new(&names.experts, &self.comes, &self.goes)
    }

    /// # Errors
    /// Names the file, the line and the field.
    pub(super) fn load(
        &self,
        folder: &Path,
        loaded: &mut Loaded,
    ) -> Result<Recording, StreamFault> {
        let path = folder.join(&self.file);
        let (text, sha256) = Opened::text(&path)?;
        loaded.add([(self.file.display().to_string(), sha256)], None)?;
        let read = || -> Result<Recording, RecordedError> {
            let mut recording = Recording::read(&text, &self.format()?)?;
            if self.unit_norm {
                recording.scale_to_unit_norm();
            }
            recording.with_comings_and_goings(&self.comes, &self.goes)
        };
        read().map_err(|source| StreamFault::Recorded { path, source: Box::new(source) })
    }

    /// The same, to be played from disk.
    ///
    /// # Errors
    /// The same.
    pub(super) fn on_disk(
        &self,
        folder: &Path,
        loaded: &mut Loaded,
    ) -> Result<DiskRecording, StreamFault> {
        if self.shuffle {
            return Err(StreamFault::DiskShuffled);
        }
        let path = folder.join(&self.file);
        let seasons = |space| self.seasons(space);
        let recorded =
            |source| StreamFault::Recorded { path: path.clone(), source: Box::new(source) };
        let format = self.format().map_err(recorded)?;
        let read = DiskRecording::read(&path, &format, self.unit_norm, seasons);
        let (recording, sha256) = read.map_err(|fault| match fault {
            DiskFault::Data(error) => StreamFault::Data(error),
            DiskFault::Recorded(source) => recorded(source),
        })?;
        loaded.add([(self.file.display().to_string(), sha256)], None)?;
        Ok(recording)
    }
}

/// Inputs, labels and answers, and names of the experts where the file has them.
struct Rows {
    inputs: Inputs,
    labels: Vec<usize>,
    answers: data::Answers,
    experts: Option<Vec<String>>,
}

/// What an answer costs where there are no prices.
///
/// # Errors
/// There are prices as well.
fn answer_cost(
    cost: Option<ExpertCost>,
    prices: &BTreeMap<String, f64>,
) -> Result<ExpertCost, RecordedError> {
    if cost.is_some() && !prices.is_empty() {
        return Err(RecordedError::CostAndPrices);
    }
    Ok(cost.unwrap_or_else(paper_cost))
}

fn scaled(mut inputs: Inputs, unit_norm: bool) -> Inputs {
    if unit_norm {
        inputs.scale_to_unit_norm();
    }
    inputs
}

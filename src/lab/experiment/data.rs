//! Streams made from data: what an experiment file says of them, and how they are loaded.

use super::spec::paper_cost;
use crate::data::{self, Classes, Columns, DataError};
use crate::stream::crew::{Availability, CrewConfig, Drift};
use crate::stream::recorded::Recording;
use crate::stream::walk::Boundary;
use problem::{ExpertCost, Inputs};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Files that an experiment read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// Name and `SHA-256` of each.
    pub files: Vec<(String, String)>,
    /// One sentence for each data set that was not there and was stood in for.
    pub stand_ins: Vec<String>,
}

impl Loaded {
    /// Remembers what was read, once.
    pub fn add(
        &mut self,
        files: impl IntoIterator<Item = (String, String)>,
        stand_in: Option<String>,
    ) {
        for file in files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        self.stand_ins.extend(stand_in.filter(|note| !self.stand_ins.contains(note)));
    }
}

/// Reuters4 (App. G.3): real documents in a new order every epoch, three generated experts.
/// Defaults are setting 1; what can be said is what [`CrewConfig`] says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reuters4Spec {
    /// The classes each expert knows at the start.
    pub knows: Vec<Vec<usize>>,
    /// How expertise drifts; constant without.
    pub drift: Option<Drift>,
    /// Random availability; without it everybody is always there.
    pub availability: Option<Availability>,
    /// What walks and bridges do at the ends of `[0, 1]`.
    pub boundary: Boundary,
    /// What experts cost.
    pub cost: ExpertCost,
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
    pub fn crew(&self) -> CrewConfig {
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
pub struct LabelMeSpec {
    /// Whether inputs are divided by their norm.
    pub unit_norm: bool,
    /// What an answer costs.
    pub cost: ExpertCost,
}

impl Default for LabelMeSpec {
    fn default() -> Self {
        LabelMeSpec { unit_norm: true, cost: paper_cost() }
    }
}

impl LabelMeSpec {
    /// # Errors
    /// In words, naming the file.
    pub fn load(&self, loaded: &mut Loaded) -> Result<Recording, String> {
        let found = data::labelme().map_err(|e| e.to_string())?;
        loaded.add(found.files, found.stand_in);
        let data = &found.data;
        let inputs = scaled(data.inputs.clone(), self.unit_norm);
        let classes = 8;
        Recording::from_answers(inputs, &data.labels, &data.answers, classes, self.cost)
            .map_err(|e| e.to_string())
    }
}

/// Data of one's own: a CSV table, or svmlight inputs with a file of answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// CSV with a header line, or svmlight; relative to the experiment file.
    pub file: PathBuf,
    /// How many classes there are (written `0`, `1`, ..), or their names.
    pub classes: Classes,
    /// CSV: the column with the label.
    #[serde(default)]
    pub label: Option<String>,
    /// CSV: the columns with the answers, one per expert; empty means not available.
    #[serde(default)]
    pub experts: Option<Vec<String>>,
    /// CSV: the columns of the input; all that are left without it.
    #[serde(default)]
    pub features: Option<Vec<String>>,
    /// svmlight: the file with one line of answers for each line of inputs; -1 means not available.
    #[serde(default)]
    pub answers: Option<PathBuf>,
    /// svmlight: how many features there are.
    #[serde(default)]
    pub dim: Option<usize>,
    /// Whether inputs are divided by their norm.
    #[serde(default)]
    pub unit_norm: bool,
    /// A new order for each run, epoch after epoch, until the rounds are played; without it the
    /// order of the file, once.
    #[serde(default)]
    pub shuffle: bool,
    /// What an answer costs.
    #[serde(default = "paper_cost")]
    pub cost: ExpertCost,
}

impl TableSpec {
    /// # Errors
    /// In words, naming the file, the row and the field, or the setting that is missing.
    pub fn load(&self, folder: &Path, loaded: &mut Loaded) -> Result<Recording, String> {
        let said = |e: DataError| e.to_string();
        let name = |path: &Path| path.display().to_string();
        let path = folder.join(&self.file);
        let (inputs, labels, answers) = match &self.answers {
            None => {
                let (Some(label), Some(experts)) = (&self.label, &self.experts) else {
                    return Err("a CSV table needs `label` and `experts`, svmlight inputs need `answers` and `dim`".into());
                };
                if self.dim.is_some() {
                    return Err("`dim` belongs to svmlight inputs, which need `answers`".into());
                }
                let features = self.features.as_deref();
                let columns = Columns { label, experts, features };
                let (table, hash) =
                    data::read_table(&path, columns, &self.classes).map_err(said)?;
                loaded.add([(name(&self.file), hash)], None);
                (table.inputs, table.labels, table.answers)
            }
            Some(file) => {
                if self.label.is_some() || self.experts.is_some() || self.features.is_some() {
                    return Err("`label`, `experts` and `features` name columns of a CSV table; svmlight inputs with `answers` have none".into());
                }
                let Classes::Count(classes) = self.classes else {
                    return Err("svmlight labels are integers: give `classes` as a number".into());
                };
                let dim = self.dim.ok_or("svmlight inputs need `dim`, the number of features")?;
                let read = data::read_svmlight(&path, dim, classes).map_err(said)?;
                let answers_path = folder.join(file);
                let (answers, hash) =
                    data::read_answers_hashed(&answers_path, classes).map_err(said)?;
                loaded.add([(name(&self.file), read.sha256), (name(file), hash)], None);
                (Inputs::Sparse(read.rows), read.labels, answers)
            }
        };
        let inputs = scaled(inputs, self.unit_norm);
        let classes = self.classes.count();
        Recording::from_answers(inputs, &labels, &answers, classes, self.cost)
            .map_err(|e| format!("{}: {e}", path.display()))
    }
}

fn scaled(mut inputs: Inputs, unit_norm: bool) -> Inputs {
    if unit_norm {
        inputs.scale_to_unit_norm();
    }
    inputs
}

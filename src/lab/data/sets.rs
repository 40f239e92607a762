//! The data sets that experiments know by name, or their stand-ins.

use super::standin;
use super::{Answered, DataError, find, read_answers, read_labels, read_npy, read_svmlight};
use crate::data::{DenseRows, Inputs};
use crate::stream::LabelledInputs;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// A data set and where it comes from.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// The data, shared by everything in this process that uses it.
    pub data: Arc<T>,
    /// Name and `SHA-256` of every file, or of the stand-in.
    pub files: Vec<(String, String)>,
    /// What a reader must know when it is a stand-in.
    pub stand_in: Option<String>,
}

impl<T> Clone for Found<T> {
    fn clone(&self) -> Self {
        let (data, files, stand_in) = (&self.data, &self.files, &self.stand_in);
        Found { data: data.clone(), files: files.clone(), stand_in: stand_in.clone() }
    }
}

const REUTERS4: &str = "reuters4/reuters4.svm.gz";

const LABELME: [&str; 3] =
    ["labelme/LabelMe_VGG_avg_train.npy", "labelme/LabelMe_Z_train.txt", "labelme/answers.txt"];

/// Documents of RCV1 with exactly one of four topics.
///
/// # Errors
/// The file is there and cannot be used. A file that is not there gives the stand-in.
pub(crate) fn reuters4() -> Result<Found<LabelledInputs>, DataError> {
    static KNOWN: Cache<LabelledInputs> = Cache::new();
    let path = find(REUTERS4).ok();
    KNOWN.get(path.as_slice(), || {
        let Some(path) = &path else {
            let data = standin::reuters4();
            let hash = standin::sha256(&data.inputs, &data.labels);
            return Ok(stand_in(data, "Reuters4", REUTERS4, hash));
        };
        let read = read_svmlight(path, standin::WORDS, 4)?;
        let data =
            LabelledInputs { inputs: Inputs::Sparse(read.rows), labels: read.labels, classes: 4 };
        let files = vec![(REUTERS4.into(), read.sha256)];
        Ok(Found { data: Arc::new(data), files, stand_in: None })
    })
}

/// Images as features, with the answers of 59 annotators.
///
/// # Errors
/// Some files are there and cannot be used, or only some are there. Without any: the stand-in.
pub(crate) fn labelme() -> Result<Found<Answered>, DataError> {
    static KNOWN: Cache<Answered> = Cache::new();
    if LABELME.iter().all(|name| find(name).is_err()) {
        return KNOWN.get(&[], || {
            let data = standin::labelme();
            let hash = standin::sha256(&data.inputs, &data.labels);
            Ok(stand_in(data, "LabelMe", "labelme/", hash))
        });
    }
    let paths = LABELME.iter().map(|name| find(name)).collect::<Result<Vec<PathBuf>, _>>()?;
    KNOWN.get(&paths, || {
        let (images, features, classes, annotators) = standin::LABELME;
        let (array, array_sha256) = read_npy(&paths[0])?;
        if (array.rows, array.columns) != (images, features) {
            let found = format!("{} x {}", array.rows, array.columns);
            let problem = format!("{found} numbers, expected {images} x {features}");
            return Err(DataError::shape(&paths[0], problem));
        }
        let mut inputs = DenseRows::new(features);
        for row in 0..images {
            inputs.push(array.row(row)).map_err(|source| DataError::Row {
                path: paths[0].clone(),
                row: row + 1,
                source,
            })?;
        }
        let (labels, labels_sha256) = read_labels(&paths[1], classes)?;
        let (answers, answers_sha256) = read_answers(&paths[2], classes)?;
        for (path, rows) in [(&paths[1], labels.len()), (&paths[2], answers.len())] {
            if rows != images {
                return Err(DataError::shape(path, format!("{rows} rows, expected {images}")));
            }
        }
        if answers[0].len() != annotators {
            let problem = format!("{} annotators, expected {annotators}", answers[0].len());
            return Err(DataError::shape(&paths[2], problem));
        }
        let hashes = [array_sha256, labels_sha256, answers_sha256];
        let files = LABELME.map(String::from).into_iter().zip(hashes).collect();
        let data = Answered { inputs: Inputs::Dense(inputs), labels, answers, experts: Vec::new() };
        Ok(Found { data: Arc::new(data), files, stand_in: None })
    })
}

fn stand_in<T>(data: T, name: &str, file: &str, hash: String) -> Found<T> {
    let note = format!(
        "Stand-in data: {name} was not found (`{file}` under the folder named by DEFERLAB_DATA, or under data/), and made-up data of the same shape was used. Nothing here says anything about {name}."
    );
    Found {
        data: Arc::new(data),
        files: vec![(format!("stand-in for {file}"), hash)],
        stand_in: Some(note),
    }
}

/// What was loaded, by the state of the files it came from: sweep points, policies and experiments
/// of one process share one copy.
struct Cache<T>(Mutex<BTreeMap<Vec<FileState>, Found<T>>>);

type FileState = (PathBuf, u64, Option<SystemTime>);

impl<T> Cache<T> {
    const fn new() -> Self {
        Cache(Mutex::new(BTreeMap::new()))
    }

    fn get(
        &self,
        paths: &[PathBuf],
        load: impl FnOnce() -> Result<Found<T>, DataError>,
    ) -> Result<Found<T>, DataError> {
        let state = |path: &PathBuf| -> Result<FileState, DataError> {
            let about = std::fs::metadata(path).map_err(DataError::io(path))?;
            Ok((path.clone(), about.len(), about.modified().ok()))
        };
        let key = paths.iter().map(state).collect::<Result<Vec<_>, _>>()?;
        // Held while loading, so that two threads do not load the same file.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return Ok(found.clone());
        }
        let found = load()?;
        known.insert(key, found.clone());
        Ok(found)
    }
}

//! App. G.4: corrupted CIFAR-10 test images and three experts made of real human answers.
//!
//! - Images: the test images, each met once a pass, in an order of its own for every run. Gaussian
//!   noise as CIFAR-10-C adds it: `x/255 + N(0, sigma^2)` cut to `[0, 1]`, times 255, rounded down;
//!   drawn once for each image, whatever the run, as the corrupted data set is one fixed set.
//! - Experts: the answers that people gave for an image (CIFAR10H has about fifty, as counts) are
//!   dealt out at random, evenly, to one group per expert. On the labels an expert knows it answers
//!   with a uniform draw from its group; elsewhere with a uniform draw from all classes.
//!
//! The paper says neither how the groups are formed nor what noise is put on the other labels: even
//! groups and uniform answers are the readings taken here, and they fit its table of accuracies.

use super::edges::{self, ImageFeatures};
use super::walk::Normal;
use super::{Right, Stream, StreamRound};
use crate::data::{DataError, ImageSet, locate_in, read_counts, read_images};
use problem::{ActionSpace, ExpertCost, Features, ProblemError};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use seed::Draws;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Which images, which noise, which experts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cifar10hConfig {
    /// Folder of the images, under a data folder.
    #[serde(default = "cifar10")]
    pub(crate) folder: String,
    /// Counts of human answers for the test images, under a data folder.
    #[serde(default = "cifar10h")]
    pub(crate) answers: String,
    /// Height and width of an image.
    #[serde(default = "thirty_two")]
    pub(crate) side: usize,
    /// Number of classes.
    #[serde(default = "ten")]
    pub(crate) classes: usize,
    /// Standard deviation of the noise on pixels in `[0, 1]`: 0.06 is severity 2.
    pub(crate) noise_sigma: f64,
    /// Seed of the noise, the same for all runs.
    pub(crate) noise_seed: u64,
    /// The labels each expert knows.
    pub(crate) knows: Vec<Vec<usize>>,
    /// What an answer costs.
    pub(crate) cost: ExpertCost,
    /// What stands for an image; its pixels without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<ImageFeatures>,
}

/// Settings that cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub(crate) enum Cifar10hError {
    /// Classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A label that does not exist.
    #[error("knows[{expert}]: {source}")]
    Knows {
        /// Who knows it.
        expert: usize,
        /// Which labels there are.
        source: ProblemError,
    },
    /// Images that are too small or too large.
    #[error("side = {0}: expected 1 to 256 pixels")]
    Side(usize),
    /// Noise out of range.
    #[error("noise_sigma = {0}: expected 0 to 1")]
    Noise(f64),
}

fn cifar10() -> String {
    "cifar10".into()
}

fn cifar10h() -> String {
    "cifar10h/cifar10h-counts.npy".into()
}

fn thirty_two() -> usize {
    32
}

fn ten() -> usize {
    10
}

/// The files of a data set that were found.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// Training images, file after file.
    pub(crate) train: Vec<PathBuf>,
    /// Their labels.
    pub(crate) train_labels: PathBuf,
    /// Test images.
    pub(crate) test: PathBuf,
    /// Their labels.
    pub(crate) test_labels: PathBuf,
    /// Human answers.
    pub(crate) answers: PathBuf,
}

impl Cifar10hConfig {
    /// Classes and experts, when the settings make sense together.
    ///
    /// # Errors
    /// Which setting, what was expected.
    pub(crate) fn space(&self) -> Result<ActionSpace, Cifar10hError> {
        let space = ActionSpace::new(self.classes, self.knows.len())?.of_the_paper()?;
        for (expert, labels) in self.knows.iter().enumerate() {
            let known = labels.iter().try_for_each(|&label| space.class(label).map(drop));
            known.map_err(|source| Cifar10hError::Knows { expert, source })?;
        }
        if !(1..=256).contains(&self.side) {
            return Err(Cifar10hError::Side(self.side));
        }
        if !(0.0..=1.0).contains(&self.noise_sigma) {
            return Err(Cifar10hError::Noise(self.noise_sigma));
        }
        Ok(space)
    }

    /// Finds the files, each in the first of `folders` that has it.
    ///
    /// # Errors
    /// What is missing first.
    pub(crate) fn locate(&self, folders: &[PathBuf]) -> Result<Files, DataError> {
        let image = |name: &str| locate_in(folders, &format!("{}/{name}", self.folder));
        let mut train = vec![image("data_batch_1.png")?];
        train.extend((2..=5).map_while(|i| image(&format!("data_batch_{i}.png")).ok()));
        Ok(Files {
            train,
            train_labels: image("train_lables.json")?,
            test: image("test_batch.png")?,
            test_labels: image("test_lables.json")?,
            answers: locate_in(folders, &self.answers)?,
        })
    }
}

/// The test images with the answers people gave.
#[derive(Clone, Debug)]
pub(crate) struct HumanImages {
    config: Cifar10hConfig,
    space: ActionSpace,
    images: ImageSet,
    /// `answers[i]`: how many people called image `i` each class.
    answers: Vec<Vec<usize>>,
    /// What stands for the images, if not their pixels.
    features: Option<Vec<Vec<f64>>>,
}

impl HumanImages {
    /// Reads test images and answers, and checks that they belong together. Returns the `SHA-256` of
    /// images, labels and answers as well.
    ///
    /// # Errors
    /// Names file, row and field.
    pub(crate) fn read(
        config: &Cifar10hConfig,
        files: &Files,
    ) -> Result<(Self, Vec<String>), DataError> {
        let space = config.space().map_err(|e| DataError::Shape {
            path: files.answers.clone(),
            problem: e.to_string(),
        })?;
        let test = std::slice::from_ref(&files.test);
        let (images, mut sha256) =
            read_images(test, &files.test_labels, config.side, config.classes)?;
        let shape = (images.len(), config.classes);
        let (answers, answers_sha256) = read_counts(&files.answers, shape, config.knows.len())?;
        sha256.push(answers_sha256);
        let config = config.clone();
        let mut read = HumanImages { config, space, images, answers, features: None };
        read.features = read.make_features(files)?;
        Ok((read, sha256))
    }

    fn make_features(&self, files: &Files) -> Result<Option<Vec<Vec<f64>>>, DataError> {
        let Cifar10hConfig { side, classes, noise_seed, features, .. } = self.config;
        let Some(kind) = features else { return Ok(None) };
        let training = match kind {
            ImageFeatures::Edges => None,
            ImageFeatures::ClassProbabilities => {
                Some(read_images(&files.train, &files.train_labels, side, classes)?.0)
            }
        };
        Ok(Some(edges::rows(kind, self, (side, classes, noise_seed), training.as_ref())))
    }

    /// Values of an input.
    #[must_use]
    fn dim(&self) -> usize {
        let features = self.features.as_ref().and_then(|rows| rows.first());
        features.map_or_else(|| self.images.bytes_each(), Vec::len)
    }

    /// The largest `|(x, 1)|`; pixels lie in `[0, 1]`.
    #[must_use]
    pub(crate) fn rho(&self) -> f64 {
        let squares = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>();
        let largest = match &self.features {
            None => self.images.bytes_each() as f64,
            Some(rows) => rows.iter().map(squares).fold(0.0, f64::max),
        };
        (1.0 + largest).sqrt()
    }

    /// How many images there are.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.images.len()
    }

    /// Image `i` with its noise, in `[0, 1]`.
    pub(crate) fn corrupted(&self, i: usize, x: &mut Vec<f64>) {
        let sigma = self.config.noise_sigma;
        let mut rng = Draws::Pixels(i).generator(self.config.noise_seed);
        let mut normal = Normal::default();
        x.clear();
        x.extend(self.images.image(i).iter().map(|&byte| {
            let noisy = f64::from(byte) / 255.0 + sigma * normal.draw(&mut rng);
            (noisy.clamp(0.0, 1.0) * 255.0).trunc() / 255.0
        }));
    }
}

/// The rounds of one run.
#[derive(Clone, Debug)]
pub(crate) struct Cifar10h {
    data: Arc<HumanImages>,
    seed: u64,
    rng: Pcg64,
    order: Vec<u32>,
    next: usize,
    x: Vec<f64>,
    costs: Vec<f64>,
    scores: Vec<f64>,
}

impl Cifar10h {
    /// Opens the rounds of the run with that seed.
    #[must_use]
    pub(crate) fn new(data: Arc<HumanImages>, seed: u64) -> Self {
        let order: Vec<u32> = (0..data.len() as u32).collect();
        let (n, experts) = (data.space.len(), data.space.experts());
        let (next, costs, scores) = (order.len(), vec![0.0; experts], vec![0.0; n]);
        let rng = Pcg64::seed_from_u64(seed);
        Cifar10h { data, seed, rng, order, next, x: Vec::new(), costs, scores }
    }

    /// The answers people gave for image `i`, dealt to one group per expert: the same whenever the
    /// image comes up in this run.
    fn groups(&self, i: usize) -> Vec<Vec<usize>> {
        let counts = self.data.answers[i].iter().enumerate();
        let mut all: Vec<usize> =
            counts.flat_map(|(label, &n)| std::iter::repeat_n(label, n)).collect();
        shuffle(&mut all, &mut Draws::Groups(i).generator(self.seed));
        let experts = self.data.space.experts();
        (0..experts).map(|j| all.iter().skip(j).step_by(experts).copied().collect()).collect()
    }
}

fn shuffle<T>(items: &mut [T], rng: &mut Pcg64) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.random_range(0..=last as u32) as usize);
    }
}

impl Stream for Cifar10h {
    fn space(&self) -> ActionSpace {
        self.data.space
    }

    fn dim(&self) -> usize {
        self.data.dim()
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        if self.next == self.order.len() {
            shuffle(&mut self.order, &mut self.rng);
            self.next = 0;
        }
        let i = self.order[self.next] as usize;
        self.next += 1;
        let groups = self.groups(i);
        let (data, config) = (&self.data, &self.data.config);
        let (label, classes) = (data.images.labels[i], config.classes);
        match &data.features {
            None => data.corrupted(i, &mut self.x),
            Some(rows) => self.x.clone_from(&rows[i]),
        }
        self.scores.fill(0.0);
        self.scores[label] = 1.0;
        let mut right = 0;
        for (j, group) in groups.iter().enumerate() {
            // Two draws whether or not the first is used: experts do not shift one another.
            let (person, class) = (
                self.rng.random_range(0..group.len() as u32) as usize,
                self.rng.random_range(0..classes as u32) as usize,
            );
            let (answer, chance) = if config.knows[j].contains(&label) {
                let agreeing = group.iter().filter(|&&answer| answer == label).count();
                (group[person], agreeing as f64 / group.len() as f64)
            } else {
                (class, 1.0 / classes as f64)
            };
            right |= u128::from(answer == label) << j;
            self.costs[j] = config.cost.normalized(answer == label);
            self.scores[classes + j] = chance * (1.0 - config.cost.normalized(true))
                + (1.0 - chance) * (1.0 - config.cost.normalized(false));
        }
        Some(StreamRound {
            x: Features::Dense(&self.x),
            active: self.data.space.all_active(),
            label: Some(label),
            costs: &self.costs,
            right: Right::Bits(right),
            answers: None,
            scores: Some(&self.scores),
        })
    }
}

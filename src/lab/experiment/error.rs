//! What can be wrong with an experiment, from its file to its jobs.

use super::network::NetworkError;
use super::store::StoreError;
use crate::data::DataError;
use crate::limits::LimitExceeded;
use crate::program::ProgramError;
use crate::stream::{Cifar10hError, LabelledError, RecordedError, Stream, SyntheticFault};
use learner::LearnerError;
use learner::nearest;
use problem::ProblemError;
use std::path::PathBuf;
use thiserror::Error;

/// A file that is not an experiment: which, where in it, what was found and what was expected.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct SpecError(#[from] SpecProblem);

/// What is wrong with the file.
#[derive(Debug, Error)]
pub(super) enum SpecProblem {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is not TOML, or has an unknown key or a value of another type.
    #[error("{}, line {line}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What was found and expected, with the nearest known name.
        message: String,
    },
    /// What it says cannot be run.
    #[error("{}: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: SpecFault,
    },
}

/// Why an experiment cannot be run as its file says.
#[derive(Debug, Error)]
pub(super) enum SpecFault {
    /// A name that cannot be the name of a folder.
    #[error("{field} = {name:?}: expected letters, digits, `-` and `_`, at most 64")]
    Name {
        /// Where it stands.
        field: String,
        /// What stands there.
        name: String,
    },
    /// Nothing would be run.
    #[error("{field} = 0: expected at least 1")]
    Zero {
        /// Where it stands.
        field: &'static str,
    },
    /// An empty list.
    #[error("there is no [[{list}]]: give at least one")]
    Empty {
        /// Its name.
        list: &'static str,
    },
    /// A name twice.
    #[error("two [[{list}]] are called {name:?}")]
    SameName {
        /// The list.
        list: &'static str,
        /// The name.
        name: String,
    },
    /// A name that is nobody's.
    #[error("{place}: {unknown}")]
    Unknown {
        /// Where it stands.
        place: String,
        /// Which.
        unknown: UnknownName,
    },
    /// A setting that is out of range.
    #[error("{field} = {value}: expected {expected}")]
    Setting {
        /// Its path.
        field: String,
        /// What it is.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// A swept setting that cannot be set.
    #[error("sweep.\"{path}\" = {value}: {source}")]
    Sweep {
        /// Path of the setting.
        path: String,
        /// One of its values, or what stands in place of their list.
        value: String,
        /// Why not.
        source: SweepFault,
    },
    /// A combination of swept settings that is no specification.
    #[error("sweep, {point}: {message}")]
    SweptSpec {
        /// The combination.
        point: String,
        /// What was found and expected.
        message: String,
    },
    /// More than is accepted.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// A stream that cannot be made.
    #[error("stream `{name}`: {source}")]
    Stream {
        /// Its name.
        name: String,
        /// Why not.
        source: Box<StreamFault>,
    },
    /// A policy that cannot be made.
    #[error("policy `{name}`: {source}")]
    Policy {
        /// Its name.
        name: String,
        /// Why not.
        source: Box<PolicyFault>,
    },
    /// Kept weights of a network that cannot be used.
    #[error("weights of the network: {0}")]
    Weights(#[source] Box<DataError>),
}

/// Why a setting cannot be swept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum SweepFault {
    /// Nothing to sweep over.
    #[error("expected a list with at least one value")]
    NotAList,
    /// A list is entered by the name of an element.
    #[error("`{0}` is a list: name one of its elements")]
    List(String),
    /// There are no settings inside.
    #[error("`{0}` is a single value and has no settings inside")]
    SingleValue(String),
    /// An element without settings.
    #[error("`{0}` is not a table")]
    NotATable(String),
    /// A name that is nobody's.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
}

/// A name that is not among the known ones; the message has the nearest of them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no `{name}`{} (known: {})", self.hint(), self.list())]
pub(super) struct UnknownName {
    /// What was asked for.
    pub(super) name: String,
    /// What there is.
    pub(super) known: Vec<String>,
}

impl UnknownName {
    fn hint(&self) -> String {
        match nearest(&self.name, self.known.iter().map(String::as_str)) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        }
    }

    fn list(&self) -> String {
        self.known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
    }
}

/// Why a stream cannot be made.
#[derive(Debug, Error)]
pub(super) enum StreamFault {
    /// A data file.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An item of a law.
    #[error("law.item[{item}]: {source}")]
    Law {
        /// Its position.
        item: usize,
        /// What is wrong with it.
        source: ProblemError,
    },
    /// Phases that shrink, or grow beyond all measure.
    #[error("phases.grow = {0}: expected a number in [1, 16]")]
    Grow(f64),
    /// Items that do not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Recorded rounds.
    #[error("{}: {source}", path.display())]
    Recorded {
        /// Their file.
        path: PathBuf,
        /// What is wrong with them.
        source: Box<RecordedError>,
    },
    /// Rounds from disk in an order that is not the file's.
    #[error("`disk` plays the rounds in the order of the file, once: leave out `shuffle`")]
    DiskShuffled,
    /// Settings of a table that do not belong together.
    #[error("{0}")]
    Table(&'static str),
    /// A synthetic stream.
    #[error(transparent)]
    Synthetic(#[from] SyntheticFault),
    /// Labelled inputs with generated experts.
    #[error(transparent)]
    Labelled(#[from] LabelledError),
    /// Images.
    #[error("cifar10h.{0}")]
    Cifar10h(#[from] Cifar10hError),
    /// More than is accepted.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// A file with fewer rounds than are to be played.
    #[error(
        "it has {has} rounds, the experiment asks for {asked}: lower `rounds` or set `shuffle = true`"
    )]
    TooShort {
        /// Rounds of the file.
        has: u64,
        /// Rounds of the experiment.
        asked: u64,
    },
}

/// Why a policy cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub(super) enum PolicyFault {
    /// The learner does not accept its settings.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// It scores with a network, and there is none.
    #[error("it needs a network: give the experiment a [network]")]
    NoNetwork,
    /// It scores images, and there are none.
    #[error("stream `{stream}` has no images for a network")]
    NoImages {
        /// A stream it is run on.
        stream: String,
    },
    /// An oracle without anything to know.
    #[error(
        "an oracle plays the best action by the true scores, and stream `{stream}` does not know them: leave it out (`only`)"
    )]
    NoScores {
        /// A stream it is run on.
        stream: String,
    },
    /// Right and wrong where there are only costs or rewards.
    #[error(
        "stream `{stream}` records costs or rewards, and nobody knows who was right: give it `feedback = \"reward\"`"
    )]
    NotJudged {
        /// A stream it is run on.
        stream: String,
    },
    /// Answers that nobody recorded.
    #[error(
        "feedback = \"answer\" needs what the experts answered and classes to learn about, and stream `{stream}` has not both"
    )]
    NoAnswers {
        /// A stream it is run on.
        stream: String,
    },
    /// Labels that nobody recorded.
    #[error(
        "feedback = \"full\" needs the label of every round, and stream `{stream}` has not all"
    )]
    NoLabels {
        /// A stream it is run on.
        stream: String,
    },
    /// A program that fails at its start.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// It is started when the experiment runs.
    #[error("it is another program, which only `run` starts")]
    NotStartedYet,
    /// A limit that cannot be.
    #[error("command.time_limit = {0}: expected seconds above 0")]
    TimeLimit(f64),
    /// A confidence that cannot be.
    #[error("threshold = {0}: expected a number in [0, 1]")]
    Threshold(f64),
}

/// Running went wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Threads that cannot be started.
    #[error("cannot start {threads} threads: {message}")]
    Threads {
        /// How many were asked for; 0 means as many as there are cores.
        threads: usize,
        /// Why not.
        message: String,
    },
    /// More than is accepted.
    #[error(transparent)]
    Limit(Box<dyn std::error::Error + Send + Sync>),
    /// Data that is not there.
    #[error("{0}")]
    MissingData(String),
    /// Networks that cannot be prepared.
    #[error(transparent)]
    Network(Box<dyn std::error::Error + Send + Sync>),
    /// A run of a stream that cannot be played: data that is missing, a setting that cannot be.
    #[error(transparent)]
    Game(Box<dyn std::error::Error + Send + Sync>),
    /// Asked to stop; what was done is stored.
    #[error(
        "stopped: {left} of {total} jobs are left, {saved} of them saved in the middle; run it again to go on"
    )]
    Stopped {
        /// Jobs whose state was saved.
        saved: usize,
        /// Jobs that are not done.
        left: usize,
        /// Of how many.
        total: usize,
    },
    /// Jobs that failed; the others are stored.
    #[error("{} of {total} jobs failed:\n{}", failures.len(), failures.join("\n"))]
    Jobs {
        /// Which, and why.
        failures: Vec<String>,
        /// Of how many.
        total: usize,
    },
}

impl From<LimitExceeded> for RunError {
    fn from(error: LimitExceeded) -> Self {
        RunError::Limit(error.into())
    }
}

impl From<NetworkError> for RunError {
    fn from(error: NetworkError) -> Self {
        RunError::Network(error.into())
    }
}

impl From<JobError> for RunError {
    fn from(error: JobError) -> Self {
        RunError::Game(error.into())
    }
}

/// Why a job failed.
#[derive(Debug, Error)]
pub(super) enum JobError {
    /// Asked to stop in the middle.
    #[error("stopped")]
    Stopped {
        /// It can go on from there.
        saved: bool,
    },
    /// Where it is cannot be saved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its stream cannot be made.
    #[error(transparent)]
    Stream(#[from] StreamFault),
    /// Its policy cannot be made.
    #[error("policy `{name}`: {source}")]
    Policy {
        /// Which.
        name: String,
        /// Why not.
        source: PolicyFault,
    },
    /// Its network cannot be made.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The learner refused a round.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// Fewer rounds than were asked for.
    #[error("the stream ended after {played} of {rounds} rounds")]
    Ended {
        /// How many there were.
        played: u64,
        /// How many were asked for.
        rounds: u64,
    },
    /// Nothing to play.
    #[error("its data was not there when the plan was read")]
    NoData,
    /// Not the fault of the experiment.
    #[error("the network panicked; this is a fault of deferlab")]
    Panicked,
    /// Its rounds cannot be written down.
    #[error("its log: {0}")]
    Log(StoreError),
    /// The same job gave something else before.
    #[error(
        "played again for the log, it gave other results than those that are stored: a program that does not repeat itself, or one that changed? `--fresh` starts again"
    )]
    Changed,
}

impl JobError {
    /// Fewer rounds than were asked for, and why if the stream knows.
    pub(super) fn ended<S: Stream + ?Sized>(stream: &mut S, played: u64, rounds: u64) -> Self {
        match stream.fault() {
            Some(fault) => JobError::Stream(fault.into()),
            None => JobError::Ended { played, rounds },
        }
    }
}

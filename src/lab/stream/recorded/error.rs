//! What is wrong with recorded rounds.

use crate::data::NotAClass;
use crate::json_lines::BadLine;
use problem::ProblemError;
use thiserror::Error;

/// Rounds that do not fit together.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub(crate) enum RecordedError {
    /// Nothing to play.
    #[error("the file has no rounds")]
    Empty,
    /// A line of the file.
    #[error("line {line}: {source}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        source: RoundFault,
    },
    /// Lists of different lengths.
    #[error(
        "there are {inputs} inputs, {labels} labels and {answers} rows of answers: expected as many of each"
    )]
    Lengths {
        /// How many inputs.
        inputs: usize,
        /// How many labels.
        labels: usize,
        /// How many rows of answers.
        answers: usize,
    },
    /// A round.
    #[error("round {round}: {source}")]
    Round {
        /// Counted from 1.
        round: usize,
        /// What is wrong with it.
        source: RoundFault,
    },
    /// A season that nobody can be in.
    #[error("{field}.{expert} = {round}: {problem}")]
    Season {
        /// `comes` or `goes`.
        field: &'static str,
        /// Whose.
        expert: String,
        /// The round that is given.
        round: u64,
        /// Why it cannot be.
        problem: String,
    },
    /// A price that cannot be.
    #[error("prices.{expert}: {problem}")]
    Price {
        /// Whose.
        expert: String,
        /// Why not.
        problem: String,
    },
    /// Prices and rewards have different units.
    #[error("there are prices: say what one unit of them is worth in reward (`exchange`)")]
    NoExchange,
    /// Prices by name of experts who have none.
    #[error("`prices` have names: list them in `experts`")]
    PricesOfNobody,
    /// Two ways of saying what an answer costs.
    #[error("`cost` and `prices` both say what asking costs: leave one of them out")]
    CostAndPrices,
    /// An exchange rate that is none.
    #[error("exchange = {0}: expected a finite number of at least 0")]
    Exchange(f64),
    /// Classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl RecordedError {
    /// Of a part of a file that comes after so many lines and rounds.
    pub(super) fn later(self, lines: usize, rounds: usize) -> Self {
        match self {
            RecordedError::Line { line, source } => {
                RecordedError::Line { line: line + lines, source }
            }
            RecordedError::Round { round, source } => {
                RecordedError::Round { round: round + rounds, source }
            }
            other => other,
        }
    }
}

/// What is wrong with a round.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub(crate) enum RoundFault {
    /// Not a JSON object with the known keys.
    #[error("{0}")]
    Json(BadLine),
    /// Neither, or both.
    #[error("expected either `x` or `text`")]
    Input,
    /// Rounds of different kinds.
    #[error("the input is {got}, that of the first round is {expected}")]
    InputKind {
        /// Which.
        got: &'static str,
        /// That of the first round.
        expected: &'static str,
    },
    /// Sparse inputs do not say how many features there are.
    #[error("x is sparse: say how many features there are (`dim`)")]
    NoDim,
    /// A list says itself how long it is.
    #[error("x is a list of {got} numbers, but `dim` is {dim}")]
    Dim {
        /// Its length.
        got: usize,
        /// What was said.
        dim: usize,
    },
    /// None, or more than one.
    #[error("expected one of `answers`, `costs` and `rewards`")]
    Outcome,
    /// A class is right or wrong by the label.
    #[error(
        "there is no `label`: without it no class can be judged; give it, or set `classes = 0` to choose between experts only"
    )]
    NoLabel,
    /// A label of nothing.
    #[error(
        "`label` and `answers` are classes, but `classes` is 0: say how many there are, or their names"
    )]
    NoClasses,
    /// Whoever does not answer is not available.
    #[error("`available` belongs to `costs` and `rewards`; with `answers` use null")]
    AvailableWithAnswers,
    /// Costs have prices in them.
    #[error("`prices` belong to `rewards` or `answers`; `costs` are all that an expert costs")]
    PricesWithCosts,
    /// Some rounds have prices.
    #[error("answers have `prices` in every round or in none, and the first round is different")]
    SomePrices,
    /// A word that names no class.
    #[error("{field}: {source}")]
    NotAClass {
        /// Where it stands.
        field: String,
        /// What was found and expected.
        source: NotAClass,
    },
    /// What Python writes where a number is missing.
    #[error("{0} (NaN and Infinity are not JSON: write null for whoever was not there)")]
    NotANumber(BadLine),
    /// Prices and rewards have different units.
    #[error("there are prices: say what one unit of them is worth in reward (`exchange`)")]
    NoExchange,
    /// One without the other.
    #[error("{expert} earns something and has no price")]
    NoPrice {
        /// Who.
        expert: String,
    },
    /// Available, with nothing known about it.
    #[error("{expert} is `available`, but its value is null")]
    NotThere {
        /// Who.
        expert: String,
    },
    /// Names that were not listed.
    #[error("{field} has names: list them in `experts`")]
    Names {
        /// Which list.
        field: &'static str,
    },
    /// A name that is nobody's.
    #[error("{field}: there is no expert {name:?}{hint}")]
    NoSuchName {
        /// Which list.
        field: &'static str,
        /// The name.
        name: String,
        /// The one that was probably meant.
        hint: String,
    },
    /// Nobody could be asked and there is nothing else to do.
    #[error("nobody is available, and there are no classes to answer with")]
    Nobody,
    /// Rounds of different shapes.
    #[error("{field} has {got} entries, expected {expected} as in the first round or in `experts`")]
    Length {
        /// Which list.
        field: &'static str,
        /// Its length.
        got: usize,
        /// That of the first round.
        expected: usize,
    },
    /// Rows of answers of different lengths.
    #[error("{got} answers, expected {expected}")]
    Answers {
        /// How many.
        got: usize,
        /// How many in the first round.
        expected: usize,
    },
    /// A value that cannot be part of a problem.
    #[error("{field}: {source}")]
    Field {
        /// Which.
        field: String,
        /// Why not.
        source: ProblemError,
    },
    /// A number out of range.
    #[error("{field}[{expert}] = {value}: expected {expected}")]
    Range {
        /// Which list.
        field: &'static str,
        /// Whose.
        expert: String,
        /// What it is.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// Inputs, classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl RoundFault {
    pub(super) fn field(field: impl Into<String>) -> impl FnOnce(ProblemError) -> RoundFault {
        let field = field.into();
        move |source| RoundFault::Field { field, source }
    }
}

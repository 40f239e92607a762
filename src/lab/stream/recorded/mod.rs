//! Rounds that were written down: inputs, labels, and what every expert answered.

mod lines;

use super::epochs::Epochs;
use super::{Right, Stream, StreamRound};
use problem::{ActionSpace, ActiveBuffer, ExpertCost, Inputs, ProblemError};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::sync::Arc;
use thiserror::Error;

/// Rounds that do not fit together.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RecordedError {
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
    /// Classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// What is wrong with a round.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RoundFault {
    /// Not a JSON object with the known keys.
    #[error("{0}")]
    Json(String),
    /// Neither, or both.
    #[error("expected either `answers` or `costs`")]
    AnswersOrCosts,
    /// Whoever does not answer is not available.
    #[error("`available` belongs to `costs`; with `answers` use null")]
    AvailableWithAnswers,
    /// Rounds of different shapes.
    #[error("{field} has {got} entries, the first round has {expected}")]
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
    /// A label where there are no classes, or none where there are.
    #[error("{}", if *.classes == 0 { "`label` has no meaning without classes" } else { "`label` is missing" })]
    Label {
        /// How many classes there are.
        classes: usize,
    },
    /// A cost out of range.
    #[error("costs[{expert}] = {cost}: a cost must lie in [0, 1]")]
    Cost {
        /// Whose.
        expert: usize,
        /// What it is.
        cost: f64,
    },
    /// Inputs, classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl RoundFault {
    fn field(field: impl Into<String>) -> impl FnOnce(ProblemError) -> RoundFault {
        let field = field.into();
        move |source| RoundFault::Field { field, source }
    }
}

/// Rounds, read and checked.
#[derive(Clone, Debug)]
pub struct Recording {
    space: ActionSpace,
    inputs: Inputs,
    entries: Vec<Entry>,
}

/// A round without its input.
#[derive(Clone, Debug)]
struct Entry {
    active: ActiveBuffer,
    label: Option<usize>,
    costs: Vec<f64>,
    right: Option<Vec<bool>>,
    answers: Option<Vec<Option<usize>>>,
}

impl Entry {
    /// Whoever did not answer was not available.
    fn answered(
        space: ActionSpace,
        label: usize,
        answers: &[Option<usize>],
        cost: ExpertCost,
    ) -> Result<Self, RoundFault> {
        space.class(label).map_err(RoundFault::field("label"))?;
        let (mut costs, mut available) = (vec![1.0; answers.len()], Vec::new());
        let mut right = vec![false; answers.len()];
        for (j, answer) in answers.iter().enumerate() {
            let Some(answer) = *answer else { continue };
            space.class(answer).map_err(RoundFault::field(format!("answers[{j}]")))?;
            let correct = answer == label;
            costs[j] = cost.normalized(correct);
            right[j] = correct;
            available.push(j);
        }
        let mut active = ActiveBuffer::new(space);
        active.fill(available)?;
        let (label, right, answers) = (Some(label), Some(right), Some(answers.to_vec()));
        Ok(Entry { active, label, costs, right, answers })
    }
}

impl Recording {
    /// Reads JSON lines, `{"x": [..], "label": 1, "answers": [1, null]}` or with `costs` and
    /// `available` instead of `answers`. `cost` turns answers into costs; a given cost below one
    /// counts as right.
    ///
    /// # Errors
    /// Says the line and what is wrong with it.
    pub fn read(text: &str, classes: usize, cost: ExpertCost) -> Result<Self, RecordedError> {
        lines::read(text, classes, cost)
    }

    /// Inputs with their labels and the answers of every expert, `None` from whoever was not
    /// available. `cost` turns answers into costs.
    ///
    /// # Errors
    /// Says the round and what is wrong with it.
    pub(crate) fn from_answers(
        inputs: Inputs,
        labels: &[usize],
        answers: &[Vec<Option<usize>>],
        classes: usize,
        cost: ExpertCost,
    ) -> Result<Self, RecordedError> {
        let counts = (inputs.len(), labels.len(), answers.len());
        if counts.0 != counts.1 || counts.1 != counts.2 {
            let (inputs, labels, answers) = counts;
            return Err(RecordedError::Lengths { inputs, labels, answers });
        }
        let experts = answers.first().ok_or(RecordedError::Empty)?.len();
        let space = ActionSpace::new(classes, experts)?;
        let entry = |(round, (&label, answers)): (usize, (&usize, &Vec<Option<usize>>))| {
            let bad = |source| RecordedError::Round { round: round + 1, source };
            if answers.len() != experts {
                return Err(bad(RoundFault::Answers { got: answers.len(), expected: experts }));
            }
            Entry::answered(space, label, answers, cost).map_err(bad)
        };
        let entries =
            labels.iter().zip(answers).enumerate().map(entry).collect::<Result<_, _>>()?;
        Ok(Recording { space, inputs, entries })
    }

    /// Classes and experts.
    #[must_use]
    pub fn space(&self) -> ActionSpace {
        self.space
    }

    /// `d`.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.inputs.dim()
    }

    /// How many rounds it has.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.entries.len()
    }

    /// What each expert costs on average where it is available; 1 if it never is.
    #[must_use]
    pub(crate) fn mean_costs(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.space.experts()];
        for entry in &self.entries {
            for j in entry.active.get().experts() {
                sums[j].0 += entry.costs[j];
                sums[j].1 += 1.0;
            }
        }
        sums.into_iter().map(|(sum, n)| if n == 0.0 { 1.0 } else { sum / n }).collect()
    }

    /// The largest `|(x, 1)|`.
    #[must_use]
    pub fn rho(&self) -> f64 {
        self.inputs.rho()
    }
}

/// A recording that is played: once in its order, or reshuffled epoch after epoch without end.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    recording: Arc<Recording>,
    order: Epochs,
}

impl Recorded {
    /// In the order of the file.
    #[must_use]
    pub(crate) fn once(recording: Arc<Recording>) -> Self {
        Recorded { order: Epochs::once(recording.rounds()), recording }
    }

    /// A new order for every epoch.
    #[must_use]
    pub(crate) fn shuffled(recording: Arc<Recording>, seed: u64) -> Self {
        let order = Epochs::shuffled(recording.rounds(), Pcg64::seed_from_u64(seed));
        Recorded { recording, order }
    }
}

impl Stream for Recorded {
    fn space(&self) -> ActionSpace {
        self.recording.space
    }

    fn dim(&self) -> usize {
        self.recording.dim()
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let row = self.order.next_row()?;
        let Entry { active, label, costs, right, answers } = &self.recording.entries[row];
        Some(StreamRound {
            x: self.recording.inputs.row(row),
            active: active.get(),
            label: *label,
            costs,
            right: right.as_deref().map_or(Right::Unknown, Right::Each),
            answers: answers.as_deref(),
            scores: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::DenseRows;

    fn paper() -> ExpertCost {
        ExpertCost::new(1.0, 0.1).unwrap()
    }

    #[test]
    fn answers_that_do_not_fit_are_named() {
        let inputs = |rows: usize| {
            let mut inputs = DenseRows::new(1);
            (0..rows).for_each(|i| inputs.push(&[i as f64]).unwrap());
            Inputs::Dense(inputs)
        };
        let make = |rows, labels: &[usize], answers: &[Vec<Option<usize>>]| {
            Recording::from_answers(inputs(rows), labels, answers, 2, paper())
        };
        let message = |rows, labels: &[usize], answers: &[Vec<Option<usize>>]| {
            make(rows, labels, answers).unwrap_err().to_string()
        };
        let good = [vec![Some(0), None], vec![None, None]];
        let recording = Arc::new(make(2, &[0, 1], &good).unwrap());
        assert_eq!(recording.mean_costs(), [0.1 / 1.1, 1.0]);
        let mut stream = Recorded::once(recording);
        let first = stream.next_round().unwrap();
        assert_eq!(
            (first.right, first.costs),
            (Right::Each(&[true, false]), &[0.1 / 1.1, 1.0][..])
        );
        assert_eq!(first.active.experts().collect::<Vec<_>>(), [0]);
        assert_eq!(stream.next_round().unwrap().active.experts().count(), 0);
        assert!(message(3, &[0, 1], &good).contains("3 inputs, 2 labels and 2 rows"));
        assert!(message(2, &[0, 2], &good).contains("round 2: label: class 2"));
        let bad = [vec![Some(0), Some(7)], vec![None, None]];
        assert!(message(2, &[0, 1], &bad).contains("round 1: answers[1]: class 7"));
        let short = [vec![Some(0), None], vec![None]];
        assert!(message(2, &[0, 1], &short).contains("round 2: 1 answers, expected 2"));
        assert_eq!(make(0, &[], &[]).unwrap_err(), RecordedError::Empty);
    }

    #[test]
    fn epochs_are_permutations_of_the_file() {
        let lines: Vec<String> =
            (0..20).map(|i| format!(r#"{{"x":[{i}],"label":0,"answers":[0]}}"#)).collect();
        let recording = Arc::new(Recording::read(&lines.join("\n"), 2, paper()).unwrap());
        let epoch = |stream: &mut Recorded| -> Vec<u64> {
            (0..20).map(|_| stream.next_round().unwrap().x.values()[0] as u64).collect()
        };
        let mut stream = Recorded::shuffled(recording.clone(), 1);
        let (first, second) = (epoch(&mut stream), epoch(&mut stream));
        assert_ne!(first, second);
        for mut order in [first.clone(), second] {
            order.sort_unstable();
            assert_eq!(order, (0..20).collect::<Vec<_>>());
        }
        assert_eq!(first, epoch(&mut Recorded::shuffled(recording.clone(), 1)));
        assert_ne!(first, epoch(&mut Recorded::shuffled(recording, 2)));
    }
}

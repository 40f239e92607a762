//! Rounds that were written down: inputs, labels, and what every expert answered.

mod disk;
mod error;
mod lines;
#[cfg(test)]
mod lines_tests;
mod prices;
mod seasons;
mod wire;

pub(crate) use disk::DiskRecording;
pub(crate) use disk::{DiskFault, FromDisk};
pub(crate) use error::{RecordedError, RoundFault};
pub(crate) use lines::LineFormat;
pub(crate) use seasons::Seasons;

use super::epochs::Epochs;
use super::{Grades, Right, Stream, StreamRound};
use crate::data::Inputs;
use problem::{ActionSpace, ActiveBuffer, ExpertCost, ProblemError};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rounds, read and checked.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    space: ActionSpace,
    inputs: Inputs,
    entries: Vec<Entry>,
    seasons: Option<Seasons>,
    /// What the file calls the experts, where it does.
    names: Option<Vec<String>>,
}

/// A round without its input.
#[derive(Clone, Debug)]
struct Entry {
    active: ActiveBuffer,
    label: Option<usize>,
    costs: Vec<f64>,
    outcome: Outcome,
}

/// What is known of the experts besides their costs.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// What each answered, whether that was right, and what it earned and took where there are prices.
    Answers { answers: Vec<Option<usize>>, right: Vec<bool>, grades: Option<Grades> },
    /// Nothing, or how good they were: nobody is right or wrong.
    Grades(Grades),
}

impl Entry {
    /// Refuses a round in which there is nothing to choose.
    fn new(
        space: ActionSpace,
        available: Vec<usize>,
        label: Option<usize>,
        costs: Vec<f64>,
        outcome: Outcome,
    ) -> Result<Self, RoundFault> {
        if space.classes() == 0 && available.is_empty() {
            return Err(RoundFault::Nobody);
        }
        let mut active = ActiveBuffer::new(space);
        active.fill(available)?;
        Ok(Entry { active, label, costs, outcome })
    }

    /// Whoever did not answer was not available. `classes` are those that labels and answers are of,
    /// whether or not they can be played.
    fn answered(
        space: ActionSpace,
        classes: usize,
        label: usize,
        answers: &[Option<usize>],
        cost: ExpertCost,
    ) -> Result<Self, RoundFault> {
        let check = |field: &dyn Fn() -> String, label: usize| match label < classes {
            true => Ok(()),
            false => Err(RoundFault::field(field())(ProblemError::NoSuchClass { label, classes })),
        };
        check(&|| "label".into(), label)?;
        let (mut costs, mut available) = (vec![1.0; answers.len()], Vec::new());
        let mut right = vec![false; answers.len()];
        for (j, answer) in answers.iter().enumerate() {
            let Some(answer) = *answer else { continue };
            check(&|| format!("answers[{j}]"), answer)?;
            let correct = answer == label;
            costs[j] = cost.normalized(correct);
            right[j] = correct;
            available.push(j);
        }
        let outcome = Outcome::Answers { answers: answers.to_vec(), right, grades: None };
        Entry::new(space, available, Some(label), costs, outcome)
    }
}

impl Recording {
    /// Reads JSON lines: `{"x": [..], "label": 1, "answers": [1, null]}` and the other forms that
    /// `lines.rs` shows. `format` says what they mean.
    ///
    /// # Errors
    /// Says the line and what is wrong with it.
    pub(crate) fn read(text: &str, format: &LineFormat<'_>) -> Result<Self, RecordedError> {
        lines::read(text, format)
    }

    /// Inputs with their labels and the answers of every expert, `None` from whoever was not
    /// available. `cost` turns answers into costs; with `experts_only` the classes judge answers and
    /// cannot be played.
    ///
    /// # Errors
    /// Says the round and what is wrong with it.
    pub(crate) fn from_answers(
        inputs: Inputs,
        labels: &[usize],
        answers: &[Vec<Option<usize>>],
        (classes, experts_only): (usize, bool),
        cost: ExpertCost,
    ) -> Result<Self, RecordedError> {
        let counts = (inputs.len(), labels.len(), answers.len());
        if counts.0 != counts.1 || counts.1 != counts.2 {
            let (inputs, labels, answers) = counts;
            return Err(RecordedError::Lengths { inputs, labels, answers });
        }
        let experts = answers.first().ok_or(RecordedError::Empty)?.len();
        let space = ActionSpace::new(if experts_only { 0 } else { classes }, experts)?;
        let entry = |(round, (&label, answers)): (usize, (&usize, &Vec<Option<usize>>))| {
            let bad = |source| RecordedError::Round { round: round + 1, source };
            if answers.len() != experts {
                return Err(bad(RoundFault::Answers { got: answers.len(), expected: experts }));
            }
            Entry::answered(space, classes, label, answers, cost).map_err(bad)
        };
        let entries =
            labels.iter().zip(answers).enumerate().map(entry).collect::<Result<_, _>>()?;
        Ok(Recording { space, inputs, entries, seasons: None, names: None })
    }

    /// The same rounds, with experts who come in the rounds `comes` says and leave after those of `goes`.
    ///
    /// # Errors
    /// A name that is nobody's, a season without rounds, or rounds with nobody to choose.
    pub(crate) fn with_comings_and_goings(
        self,
        comes: &BTreeMap<String, u64>,
        goes: &BTreeMap<String, u64>,
    ) -> Result<Self, RecordedError> {
        let seasons = Seasons::new(&self.called(), comes, goes)?;
        self.with_seasons(seasons)
    }

    /// Names of all experts: `g1`, `g2`, .. where nobody said others.
    fn called(&self) -> Vec<String> {
        let unnamed = || (1..=self.space.experts()).map(|j| format!("g{j}")).collect();
        self.names.clone().unwrap_or_else(unnamed)
    }

    /// The same rounds, with experts who come and go.
    ///
    /// # Errors
    /// A recorded round could come when nobody is there, and there are no classes.
    fn with_seasons(mut self, seasons: Option<Seasons>) -> Result<Self, RecordedError> {
        self.seasons = seasons;
        if let (Some(seasons), 0) = (&self.seasons, self.space.classes()) {
            for (i, entry) in self.entries.iter().enumerate() {
                let nobody = |t: &u64| !entry.active.get().experts().any(|j| seasons.has(j, *t));
                if seasons.changes().iter().any(nobody) {
                    let source = RoundFault::Nobody;
                    return Err(RecordedError::Round { round: i + 1, source });
                }
            }
        }
        Ok(self)
    }

    /// The same rounds of experts who have names.
    pub(crate) fn with_names(mut self, names: Option<Vec<String>>) -> Self {
        self.names = names;
        self
    }

    /// What the experts are called, where the file or whoever read it said so.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Whether every round has a label.
    pub(crate) fn has_labels(&self) -> bool {
        self.entries.iter().all(|entry| entry.label.is_some())
    }

    /// Divides every input by its norm.
    pub(crate) fn scale_to_unit_norm(&mut self) {
        self.inputs.scale_to_unit_norm();
    }

    /// Whether it is known who was right, in every round.
    pub(crate) fn judges(&self) -> bool {
        self.entries.iter().all(|entry| matches!(entry.outcome, Outcome::Answers { .. }))
    }

    /// Classes and experts.
    #[must_use]
    pub(crate) fn space(&self) -> ActionSpace {
        self.space
    }

    /// `d`.
    #[must_use]
    pub(crate) fn dim(&self) -> usize {
        self.inputs.dim()
    }

    /// How many rounds it has.
    #[must_use]
    pub(crate) fn rounds(&self) -> usize {
        self.entries.len()
    }

    /// What each expert costs on average where it is available; 1 if it never is.
    #[must_use]
    pub(crate) fn mean_costs(&self) -> Vec<f64> {
        let mut sums = CostSums::default();
        sums.add(self);
        sums.means(self.space.experts())
    }

    /// The largest `|(x, 1)|`.
    #[must_use]
    pub(crate) fn rho(&self) -> f64 {
        self.inputs.rho()
    }
}

/// What experts cost where they are available, and how often that is.
#[derive(Debug, Default)]
struct CostSums(Vec<(f64, f64)>);

impl CostSums {
    fn add(&mut self, recording: &Recording) {
        self.0.resize(recording.space.experts(), (0.0, 0.0));
        for entry in &recording.entries {
            for j in entry.active.get().experts() {
                self.0[j].0 += entry.costs[j];
                self.0[j].1 += 1.0;
            }
        }
    }

    fn means(mut self, experts: usize) -> Vec<f64> {
        self.0.resize(experts, (0.0, 0.0));
        self.0.into_iter().map(|(sum, n)| if n == 0.0 { 1.0 } else { sum / n }).collect()
    }
}

/// A recording that is played: once in its order, or reshuffled epoch after epoch without end.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    recording: Arc<Recording>,
    order: Epochs,
    t: u64,
    /// Who is there, where experts come and go.
    active: ActiveBuffer,
}

impl Recorded {
    /// In the order of the file.
    #[must_use]
    pub(crate) fn once(recording: Arc<Recording>) -> Self {
        Recorded::ordered(Epochs::once(recording.rounds()), recording)
    }

    /// A new order for every epoch.
    #[must_use]
    pub(crate) fn shuffled(recording: Arc<Recording>, seed: u64) -> Self {
        let order = Epochs::shuffled(recording.rounds(), Pcg64::seed_from_u64(seed));
        Recorded::ordered(order, recording)
    }

    /// Other rounds in the order of their file, counted on from these.
    fn followed_by(&self, recording: Arc<Recording>) -> Self {
        Recorded { t: self.t, ..Recorded::once(recording) }
    }

    fn recording(&self) -> &Recording {
        &self.recording
    }

    fn ordered(order: Epochs, recording: Arc<Recording>) -> Self {
        Recorded { active: ActiveBuffer::new(recording.space), recording, order, t: 0 }
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
        self.t += 1;
        let recording = &*self.recording;
        let Entry { active, label, costs, outcome } = &recording.entries[row];
        let active = match &recording.seasons {
            None => active.get(),
            Some(seasons) => {
                let there = active.get().experts().filter(|&j| seasons.has(j, self.t));
                self.active.fill(there).ok()?;
                self.active.get()
            }
        };
        let (right, answers) = match outcome {
            Outcome::Answers { answers, right, grades } => {
                let right = match grades {
                    None => Right::Each(right),
                    Some(grades) => Right::Priced(right, grades),
                };
                (right, Some(&answers[..]))
            }
            Outcome::Grades(grades) => (Right::Graded(grades), None),
        };
        Some(StreamRound {
            x: recording.inputs.row(row),
            active,
            label: *label,
            costs,
            right,
            answers,
            scores: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DenseRows;

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
            Recording::from_answers(inputs(rows), labels, answers, (2, false), paper())
        };
        let message = |rows, labels: &[usize], answers: &[Vec<Option<usize>>]| {
            make(rows, labels, answers).unwrap_err().to_string()
        };
        let good = [vec![Some(0), None], vec![None, None]];
        let recording = Arc::new(make(2, &[0, 1], &good).unwrap());
        assert_eq!(recording.mean_costs(), [0.1 / 1.1, 1.0]);
        let mut stream = Recorded::once(recording);
        let first = stream.next_round().unwrap();
        assert_eq!(first.right, Right::Each(&[true, false]));
        assert_eq!(first.costs, [0.1 / 1.1, 1.0]);
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
        let recording =
            Arc::new(Recording::read(&lines.join("\n"), &LineFormat::new(2, paper())).unwrap());
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

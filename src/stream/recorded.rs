//! Streams that were written down: one JSON object a line.
//!
//! ```text
//! {"x": [0.1, 2.0], "label": 1, "answers": [1, null]}                    null: not available
//! {"x": [0.1, 2.0], "label": 1, "costs": [0.2, 1.0], "available": [0]}   without: everybody
//! ```

use super::{Round, Stream};
use crate::problem::{ActionSpace, ActiveSet, ExpertCost, Features, ProblemError};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use std::sync::Arc;
use thiserror::Error;

/// A line that is not a round.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RecordedError {
    #[error("the file has no rounds")]
    Empty,
    #[error("line {line}: {message}")]
    Line { line: usize, message: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    x: Vec<f64>,
    label: usize,
    answers: Option<Vec<Option<usize>>>,
    costs: Option<Vec<f64>>,
    available: Option<Vec<usize>>,
}

/// Rounds of a file, read and checked.
#[derive(Clone, Debug)]
pub struct Recording {
    space: ActionSpace,
    dim: usize,
    rounds: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    x: Vec<f64>,
    active: ActiveSet,
    label: usize,
    costs: Vec<f64>,
    right: u128,
}

impl Recording {
    /// Reads `text`. `cost` turns answers into costs; a given cost below one counts as right.
    ///
    /// # Errors
    /// Says the line and what is wrong with it.
    pub fn read(text: &str, classes: usize, cost: ExpertCost) -> Result<Self, RecordedError> {
        let mut recording: Option<Recording> = None;
        for (i, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let bad = |message: String| RecordedError::Line { line: i + 1, message };
            let line: Line = serde_json::from_str(text).map_err(|e| bad(e.to_string()))?;
            let experts = match (&line.answers, &line.costs) {
                (Some(answers), None) => answers.len(),
                (None, Some(costs)) => costs.len(),
                _ => return Err(bad("expected either `answers` or `costs`".into())),
            };
            if recording.is_none() {
                let space = ActionSpace::new(classes, experts).map_err(|e| bad(e.to_string()))?;
                recording = Some(Recording { space, dim: line.x.len(), rounds: Vec::new() });
            }
            let to = recording.as_mut().expect("just made");
            let round = round(line, to.space, to.dim, experts, cost).map_err(bad)?;
            to.rounds.push(round);
        }
        recording.ok_or(RecordedError::Empty)
    }

    /// Classes and experts.
    pub fn space(&self) -> ActionSpace {
        self.space
    }

    /// `d`.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// How many rounds it has.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// The largest `|(x, 1)|`.
    pub fn rho(&self) -> f64 {
        let norm2 = |r: &Entry| 1.0 + r.x.iter().map(|v| v * v).sum::<f64>();
        self.rounds.iter().map(norm2).fold(1.0, f64::max).sqrt()
    }
}

fn round(
    line: Line,
    space: ActionSpace,
    dim: usize,
    experts: usize,
    cost: ExpertCost,
) -> Result<Entry, String> {
    let said = |e: ProblemError| e.to_string();
    let length = |field: &str, got: usize, expected: usize| {
        if got == expected {
            return Ok(());
        }
        Err(format!("{field} has {got} entries, the first round has {expected}"))
    };
    length("x", line.x.len(), dim)?;
    length("answers or costs", experts, space.experts())?;
    Features::from(&line.x).check_finite().map_err(said)?;
    space.class(line.label).map_err(|e| format!("label: {e}"))?;
    let (mut costs, mut right, mut available) = (vec![1.0; experts], 0u128, Vec::new());
    if let Some(answers) = line.answers {
        if line.available.is_some() {
            return Err("`available` belongs to `costs`; with `answers` use null".into());
        }
        for (j, answer) in answers.into_iter().enumerate() {
            let Some(answer) = answer else { continue };
            space.class(answer).map_err(|e| format!("answers[{j}]: {e}"))?;
            let correct = answer == line.label;
            costs[j] = cost.normalized(correct);
            right |= u128::from(correct) << j;
            available.push(j);
        }
    } else {
        for (j, &c) in line.costs.iter().flatten().enumerate() {
            if !(0.0..=1.0).contains(&c) {
                return Err(format!("costs[{j}] = {c}: a cost must lie in [0, 1]"));
            }
            (costs[j], right) = (c, right | u128::from(c < 1.0) << j);
        }
        available = line.available.unwrap_or_else(|| (0..experts).collect());
    }
    let active = space.active(available).map_err(|e| format!("available: {e}"))?;
    Ok(Entry { x: line.x, active, label: line.label, costs, right })
}

/// A recording that is played: once in its order, or reshuffled epoch after epoch without end.
#[derive(Clone, Debug)]
pub struct Recorded {
    recording: Arc<Recording>,
    shuffle: Option<Pcg64>,
    order: Vec<u32>,
    at: usize,
}

impl Recorded {
    /// In the order of the file.
    pub fn once(recording: Arc<Recording>) -> Self {
        let order = (0..recording.rounds() as u32).collect();
        Recorded { recording, shuffle: None, order, at: 0 }
    }

    /// A new order for every epoch.
    pub fn shuffled(recording: Arc<Recording>, seed: u64) -> Self {
        let mut stream = Recorded::once(recording);
        stream.shuffle = Some(Pcg64::seed_from_u64(seed));
        stream.at = stream.order.len();
        stream
    }
}

impl Stream for Recorded {
    fn space(&self) -> ActionSpace {
        self.recording.space
    }

    fn dim(&self) -> usize {
        self.recording.dim
    }

    fn next_round(&mut self) -> Option<Round<'_>> {
        if self.at == self.order.len() {
            let rng = self.shuffle.as_mut()?;
            self.at = 0;
            for i in (1..self.order.len()).rev() {
                self.order.swap(i, rng.random_range(0..=i as u32) as usize);
            }
        }
        let Entry { x, active, label, costs, right } =
            &self.recording.rounds[self.order[self.at] as usize];
        self.at += 1;
        let (active, label, right) = (*active, *label, *right);
        Some(Round { x: Features::Dense(x), active, label, costs, right, scores: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> ExpertCost {
        ExpertCost::new(1.0, 0.1).unwrap()
    }

    #[test]
    fn both_forms_and_their_faults() {
        let text = r#"{"x":[1,2],"label":1,"answers":[1,null]}

{"x":[0,1],"label":0,"costs":[0.5,1.0],"available":[1]}"#;
        let recording = Arc::new(Recording::read(text, 2, paper()).unwrap());
        let mut stream = Recorded::once(recording.clone());
        let first = stream.next_round().unwrap();
        assert_eq!((first.right, first.costs), (1, &[0.1 / 1.1, 1.0][..]));
        assert_eq!(first.active.experts().collect::<Vec<_>>(), [0]);
        let second = stream.next_round().unwrap();
        assert_eq!((second.right, second.costs), (1, &[0.5, 1.0][..]));
        assert!(stream.next_round().is_none());
        assert_eq!(recording.rho(), 6f64.sqrt());
        let message = |line: &str| {
            let text = format!("{}\n{line}", r#"{"x":[1],"label":0,"answers":[0]}"#);
            Recording::read(&text, 2, paper()).unwrap_err().to_string()
        };
        assert!(message("{").starts_with("line 2: "));
        assert!(message(r#"{"x":[1],"label":2,"answers":[0]}"#).contains("label: class 2"));
        assert!(message(r#"{"x":[1],"label":0,"answers":[5]}"#).contains("answers[0]: class 5"));
        assert!(message(r#"{"x":[1,2],"label":0,"answers":[0]}"#).contains("x has 2 entries"));
        assert!(message(r#"{"x":[1],"label":0,"costs":[1.5]}"#).contains("costs[0] = 1.5"));
        assert!(message(r#"{"x":[1],"label":0}"#).contains("either `answers` or `costs`"));
        assert!(message(r#"{"x":[1],"label":0,"anwsers":[0]}"#).contains("unknown field"));
        assert_eq!(Recording::read("", 2, paper()).unwrap_err(), RecordedError::Empty);
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

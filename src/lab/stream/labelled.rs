//! Real inputs with their labels, and generated experts around them: the Reuters4 streams.
//!
//! Every input of the file has one label, so given the input the label is certain and the scores
//! are known: 1 for the label, 0 for the other classes, and those of [`super::crew`] for experts
//! whose regions are the classes. The best action of a round is therefore its class, at no loss.

use super::crew::{Crew, CrewConfig, CrewError};
use super::epochs::Epochs;
use super::{Right, Stream, StreamRound};
use crate::data::Inputs;
use problem::{ActionSpace, ProblemError};
use seed::Draws;
use std::sync::Arc;
use thiserror::Error;

/// Inputs, one label each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LabelledInputs {
    /// The inputs.
    pub(crate) inputs: Inputs,
    /// `labels[i]` belongs to input `i`.
    pub(crate) labels: Vec<usize>,
    /// Labels are below this.
    pub(crate) classes: usize,
}

/// A stream that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub(crate) enum LabelledError {
    /// Lists of different lengths.
    #[error(
        "there are {inputs} inputs and {labels} labels: expected at least one of each, and as many"
    )]
    Lengths {
        /// How many inputs.
        inputs: usize,
        /// How many labels.
        labels: usize,
    },
    /// A label that does not exist.
    #[error("label of input {row}: {source}")]
    Label {
        /// Which input.
        row: usize,
        /// Which labels there are.
        source: ProblemError,
    },
    /// Experts that cannot be.
    #[error(transparent)]
    Experts(#[from] CrewError),
    /// Classes and experts that cannot be.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Labelled inputs in a new order every epoch, with generated experts. Endless.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    space: ActionSpace,
    data: Arc<LabelledInputs>,
    order: Epochs,
    crew: Crew,
    costs: Vec<f64>,
    scores: Vec<f64>,
}

impl Labelled {
    /// # Errors
    /// Labels that do not fit the inputs, or a setting of the experts out of range.
    pub(crate) fn new(
        data: Arc<LabelledInputs>,
        config: &CrewConfig,
        seed: u64,
    ) -> Result<Self, LabelledError> {
        let (inputs, labels) = (data.inputs.len(), data.labels.len());
        if inputs != labels || inputs == 0 {
            return Err(LabelledError::Lengths { inputs, labels });
        }
        let space = ActionSpace::new(data.classes, config.knows.len())?.of_the_paper()?;
        for (row, &label) in data.labels.iter().enumerate() {
            space.class(label).map_err(|source| LabelledError::Label { row, source })?;
        }
        Ok(Labelled {
            space,
            order: Epochs::shuffled(inputs, Draws::Inputs.generator(seed)),
            crew: Crew::new(space, config, seed)?,
            costs: vec![0.0; space.experts()],
            scores: vec![0.0; space.len()],
            data,
        })
    }
}

impl Stream for Labelled {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.data.inputs.dim()
    }

    fn regional_accuracy(&self) -> Option<Vec<Vec<f64>>> {
        Some(self.crew.accuracy())
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let n = self.space.classes();
        let active = self.crew.step();
        let row = self.order.next_row()?;
        let label = self.data.labels[row];
        self.scores[..n].fill(0.0);
        self.scores[label] = 1.0;
        let right = self.crew.answer(label, &mut self.costs, &mut self.scores[n..]);
        Some(StreamRound {
            x: self.data.inputs.row(row),
            active,
            label: Some(label),
            costs: &self.costs,
            right: Right::Bits(right),
            answers: None,
            scores: Some(&self.scores),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::CsrRows;
    use crate::stream::{Availability, Boundary, Drift, Moving};
    use problem::ExpertCost;

    /// Forty inputs, input `i` with the single feature `i` and the label `i mod 4`.
    fn numbered() -> Arc<LabelledInputs> {
        let mut rows = CsrRows::new(40);
        (0..40).for_each(|i| rows.push(&[i], &[1.0]).unwrap());
        let labels = (0..40).map(|i| i % 4).collect();
        Arc::new(LabelledInputs { inputs: Inputs::Sparse(rows), labels, classes: 4 })
    }

    fn crew(setting: u8) -> CrewConfig {
        CrewConfig {
            knows: vec![vec![0, 1], vec![1, 2], vec![2, 3]],
            drift: (setting == 3).then(|| Drift {
                to: vec![vec![2, 3], vec![0, 3], vec![0, 1]],
                rounds: 40_000,
                sigma: 2e-3,
                moving: Moving::ExpertsWithRegions,
            }),
            availability: (setting >= 2).then_some(Availability { start: 0.7, sigma: 2e-3 }),
            boundary: Boundary::Reflect,
            cost: ExpertCost::new(1.0, 0.1).unwrap(),
        }
    }

    /// Expected minus happened, in standard deviations: over 40,000 rounds of each setting the sums for
    /// classes are zero exactly and those for experts within 5 (nine sums: one false alarm in 10^5).
    #[test]
    fn labelled_rounds_follow_their_law() {
        let mut orders = Vec::new();
        for setting in 1..=3 {
            let mut stream = Labelled::new(numbered(), &crew(setting), 3).unwrap();
            let space = stream.space();
            let (mut excess, mut variance) = ([0.0; 7], [0.0; 7]);
            let (mut order, mut absent) = (Vec::new(), 0);
            for _ in 0..40_000 {
                let round = stream.next_round().unwrap();
                let mut index = 0;
                round.x.for_each(|i, _| index = i);
                assert_eq!(round.label, Some(index % 4));
                order.push(index);
                absent += 3 - round.active.experts().count();
                let s = round.scores.unwrap();
                for a in 0..7 {
                    let action = space.action(a).unwrap();
                    excess[a] += (1.0 - round.loss(action)) - s[a];
                    variance[a] += s[a] * (1.0 - s[a]);
                    assert_eq!(round.is_right(action), Some(round.loss(action) < 1.0));
                }
            }
            assert_eq!(excess[..4], [0.0; 4]);
            for a in 4..7 {
                let z: f64 = excess[a] / f64::sqrt(variance[a]);
                assert!(z.abs() < 5.0, "setting {setting}, expert {}: {z}", a - 4);
            }
            assert_eq!(absent > 0, setting >= 2);
            for epoch in order.chunks(40) {
                let mut seen = epoch.to_vec();
                seen.sort_unstable();
                assert_eq!(seen, (0..40).collect::<Vec<_>>());
            }
            assert_ne!(order[..40], order[40..80]);
            let end = stream.regional_accuracy().unwrap();
            let expected =
                if setting == 3 { [0.25, 0.25, 1.0, 1.0] } else { [1.0, 1.0, 0.25, 0.25] };
            assert_eq!(end[0], expected);
            orders.push(order);
        }
        // The settings meet the same documents.
        assert!(orders[1] == orders[0] && orders[2] == orders[0]);
        let other = LabelledInputs { labels: vec![0; 3], ..(*numbered()).clone() };
        let message = Labelled::new(Arc::new(other), &crew(1), 0).unwrap_err().to_string();
        assert!(message.contains("40 inputs and 3 labels"), "{message}");
        let other = LabelledInputs { classes: 3, ..(*numbered()).clone() };
        let message = Labelled::new(Arc::new(other), &crew(1), 0).unwrap_err().to_string();
        assert!(message.contains("label of input 3: class 3"), "{message}");
        let mut far = crew(1);
        far.knows[2] = vec![4];
        let message = Labelled::new(numbered(), &far, 0).unwrap_err().to_string();
        assert!(message.contains("knows[2] names region 4"), "{message}");
    }
}

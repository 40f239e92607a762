//! Real inputs with their labels, and generated experts around them: the Reuters4 streams.
//!
//! Every input of the file has one label, so given the input the label is certain and the scores
//! are known: 1 for the label, 0 for the other classes, and those of [`super::crew`] for experts
//! whose regions are the classes. The best action of a round is therefore its class, at no loss.

use super::crew::{Crew, CrewConfig, CrewError};
use super::epochs::Epochs;
use super::{Right, Stream, StreamRound};
use problem::{ActionSpace, Inputs, ProblemError};
use seed::Draws;
use std::sync::Arc;
use thiserror::Error;

/// Inputs, one label each.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledInputs {
    /// The inputs.
    pub inputs: Inputs,
    /// `labels[i]` belongs to input `i`.
    pub labels: Vec<usize>,
    /// Labels are below this.
    pub classes: usize,
}

/// A stream that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LabelledError {
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
pub struct Labelled {
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
    pub fn new(
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

//! What a Python program says came of an action.

use deferlab::learner::Observed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::borrow::Cow;

/// As it was given: what fits together becomes an outcome.
pub(crate) struct Told<'a> {
    pub(crate) correct: Option<bool>,
    pub(crate) loss: Option<f64>,
    pub(crate) answer: Option<Cow<'a, str>>,
    pub(crate) reward: Option<f64>,
    pub(crate) cost: Option<f64>,
    pub(crate) label: Option<Cow<'a, str>>,
}

impl<'a> Told<'a> {
    /// The outcome, of an expert or of a class.
    pub(crate) fn outcome(&'a self, expert: Option<bool>) -> PyResult<Observed<'a>> {
        let right = || match (&self.answer, &self.label) {
            (Some(answer), Some(label)) => Some(answer == label),
            _ => None,
        };
        let correct = self.correct.or_else(right);
        let cost = self.cost.unwrap_or(0.0);
        let told = match (self.label.as_deref(), self.answer.as_deref(), self.reward, correct) {
            (Some(label), _, reward, correct) => {
                let reward = reward.or(correct.map(f64::from));
                Observed::Label { label, reward: reward.filter(|_| expert != Some(false)), cost }
            }
            (None, Some(answer), None, Some(correct)) => Observed::Answer { answer, correct, cost },
            (None, None, Some(reward), None) => Observed::Reward { reward, cost },
            (None, None, None, Some(correct)) => match self.cost {
                None => Observed::Correct { correct, cost: self.loss },
                Some(cost) => Observed::Reward { reward: f64::from(correct), cost },
            },
            _ => {
                return Err(PyTypeError::new_err(
                    "expected correct (with answer, if an expert gave one), reward, or label",
                ));
            }
        };
        if self.loss.is_some() && !matches!(told, Observed::Correct { .. }) {
            return Err(PyTypeError::new_err(
                "loss belongs to correct, and replaces every other cost",
            ));
        }
        Ok(told)
    }
}

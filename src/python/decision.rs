//! What a router answers.

use crate::names::Names;
use deferlab::problem::Action;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;

/// What a router answers: an action that was drawn, with its probability, and what stands behind it.
#[pyclass(module = "deferlab", frozen)]
pub(crate) struct Decision {
    names: Arc<Names>,
    /// Places of the active actions.
    active: Box<[u16]>,
    /// Their estimates, then their probabilities.
    numbers: Box<[f64]>,
    /// The action, among the active ones.
    position: usize,
    /// The one that looked best.
    greedy: usize,
}

impl Decision {
    pub(crate) fn new(
        names: Arc<Names>,
        decision: &deferlab::learner::Decision<'_>,
        action: Action,
    ) -> Self {
        let k = decision.q.len();
        let mut numbers = Vec::with_capacity(2 * k);
        numbers.extend_from_slice(decision.scores);
        // Policies without estimates have none to show.
        numbers.resize(k, f64::NAN);
        numbers.extend_from_slice(decision.q);
        let at = |action| decision.active.position(action).unwrap_or_default();
        Decision {
            names,
            active: decision.active.iter().map(|a| a.index() as u16).collect(),
            numbers: numbers.into_boxed_slice(),
            position: at(action),
            greedy: at(decision.greedy),
        }
    }

    fn name(&self, py: Python<'_>, position: usize) -> Py<PyString> {
        self.names.all[self.active[position] as usize].clone_ref(py)
    }

    fn by_name<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (place, number) in self.active.iter().zip(numbers) {
            dict.set_item(&self.names.all[*place as usize], number)?;
        }
        Ok(dict)
    }
}

#[pymethods]
impl Decision {
    /// The class to answer, or the expert to ask.
    #[getter]
    fn action(&self, py: Python<'_>) -> Py<PyString> {
        self.name(py, self.position)
    }

    /// The probability with which it was drawn.
    #[getter]
    fn probability(&self) -> f64 {
        self.numbers[self.active.len() + self.position]
    }

    /// Whether the action is to ask an expert.
    #[getter]
    fn is_expert(&self) -> bool {
        self.active[self.position] as usize >= self.names.classes
    }

    /// The action that looked best.
    #[getter]
    fn greedy(&self, py: Python<'_>) -> Py<PyString> {
        self.name(py, self.greedy)
    }

    /// What the learner believes each active action to be worth.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, &self.numbers[..self.active.len()])
    }

    /// The probability of each active action.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, &self.numbers[self.active.len()..])
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let action = self.name(py, self.position);
        Ok(format!(
            "Decision(action={}, probability={})",
            action.bind(py).repr()?,
            self.probability()
        ))
    }
}

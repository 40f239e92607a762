//! Names of classes and experts, and where each stands.

use crate::errors::{did_you_mean, value_error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Names of the actions, classes first, and where each stands. Experts who were retired keep their place.
pub(crate) struct Names {
    pub(crate) all: Vec<Py<PyString>>,
    pub(crate) places: Py<PyDict>,
    pub(crate) classes: usize,
}

impl Names {
    pub(crate) fn new(py: Python<'_>, classes: &[String], experts: &[String]) -> PyResult<Self> {
        let places = PyDict::new(py);
        let mut all = Vec::new();
        for (place, name) in classes.iter().chain(experts).enumerate() {
            let interned = PyString::intern(py, name);
            if places.contains(&interned)? {
                return Err(value_error(format!("{name:?} is there twice: every name once")));
            }
            places.set_item(&interned, place)?;
            all.push(interned.unbind());
        }
        Ok(Names { all, places: places.unbind(), classes: classes.len() })
    }

    pub(crate) fn texts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.all.iter().map(|name| name.bind(py).extract()).collect()
    }

    /// Where a name stands.
    pub(crate) fn place(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        if let Some(place) = self.places.bind(name.py()).get_item(name)? {
            return place.extract();
        }
        let (known, given) = (self.texts(name.py())?, name.str()?.to_string());
        let near = did_you_mean(&given, known.iter().map(String::as_str));
        Err(value_error(format!("there is no class and no expert {given:?}{near}")))
    }

    /// The expert of that name, counted from 0.
    pub(crate) fn expert(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let place = self.place(name)?;
        place.checked_sub(self.classes).ok_or_else(|| {
            value_error(format!("{:?} is a class: only experts come and go", name.to_string()))
        })
    }
}

/// Positions of the experts in a list of names.
pub(crate) fn experts(
    names: &Names,
    retired: &[bool],
    available: &Bound<'_, PyAny>,
) -> PyResult<Vec<usize>> {
    if available.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("available is a str: expected a list of experts"));
    }
    let mut experts = Vec::with_capacity(retired.len());
    for name in available.try_iter()? {
        let name = name?;
        let expert = names.expert(&name)?;
        if retired[expert] {
            return Err(value_error(format!(
                "expert {:?} has been retired: call add_expert to bring it back",
                name.to_string()
            )));
        }
        experts.push(expert);
    }
    Ok(experts)
}

//! Experiment files: their streams, their policies, and what was stored of their runs.

use crate::errors::{did_you_mean, value_error};
use deferlab::lab::experiment::{Game, Plan, PolicySpec, RunOutcome, Store, jobs};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// An experiment file, read and checked.
#[pyclass(module = "deferlab._deferlab", frozen)]
pub(crate) struct Experiment {
    plan: Plan,
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PyErr {
    let near = did_you_mean(name, known);
    value_error(format!("{what} {name:?} is not in the experiment{near}"))
}

impl Experiment {
    /// A run of a stream, at the first combination of swept settings.
    pub(crate) fn game(&self, stream: &str, run: u32) -> PyResult<Game<'_>> {
        let spec = &self.plan.points[0].spec;
        let place = spec.stream.iter().position(|s| s.name == stream);
        let known = spec.stream.iter().map(|s| s.name.as_str());
        let place = place.ok_or_else(|| unknown("stream", stream, known))?;
        Game::new(&self.plan, 0, place, run).map_err(value_error)
    }

    /// Rounds of a run.
    pub(crate) fn length(&self) -> u64 {
        self.plan.spec.rounds
    }

    /// The settings of a policy.
    pub(crate) fn policy(&self, name: &str) -> PyResult<&PolicySpec> {
        let all = &self.plan.points[0].spec.policy;
        let known = all.iter().map(|p| p.name.as_str());
        all.iter().find(|p| p.name == name).ok_or_else(|| unknown("policy", name, known))
    }
}

#[pymethods]
impl Experiment {
    #[new]
    #[pyo3(signature = (path, /))]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Experiment { plan: Plan::read(&path).map_err(value_error)? })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.plan.spec.name
    }

    /// Rounds of a run.
    #[getter]
    fn rounds(&self) -> u64 {
        self.plan.spec.rounds
    }

    /// Runs of every policy on every stream.
    #[getter]
    fn runs(&self) -> u32 {
        self.plan.spec.runs
    }

    /// Names of its streams.
    #[getter]
    fn streams(&self) -> Vec<String> {
        self.plan.points[0].spec.stream.iter().map(|s| s.name.clone()).collect()
    }

    /// Names of its policies.
    #[getter]
    fn policies(&self) -> Vec<String> {
        self.plan.points[0].spec.policy.iter().map(|p| p.name.clone()).collect()
    }

    /// Classes, experts and features of a stream.
    #[pyo3(signature = (stream, /))]
    fn shape(&self, stream: &str) -> PyResult<(usize, usize, usize)> {
        let shape = self.game(stream, 0)?.shape;
        Ok((shape.space.classes(), shape.space.experts(), shape.dim))
    }

    /// What is stored of its runs, as JSON: one object per job.
    #[pyo3(signature = (store, /))]
    fn stored(&self, store: PathBuf) -> PyResult<String> {
        let stored = Store::read(&store, &self.plan, &jobs(&self.plan)).map_err(value_error)?;
        let rows: Vec<Value> = stored
            .values()
            .filter_map(|record| {
                let point = &self.plan.points[record.key.point];
                let RunOutcome::Series(series) = &record.outcome else { return None };
                Some(json!({
                    "point": point.label,
                    "stream": point.spec.stream[record.key.stream].name,
                    "policy": point.spec.policy[record.key.policy?].name,
                    "run": record.key.run,
                    "series": series,
                }))
            })
            .collect();
        serde_json::to_string(&rows).map_err(value_error)
    }
}

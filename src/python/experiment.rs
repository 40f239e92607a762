//! Experiment files: their streams, their policies, and what was stored of their runs.

use crate::errors::value_error;
use deferlab::lab::experiment::build::{self, Shape, Source};
use deferlab::lab::experiment::{ExperimentSpec, Plan, RunOutcome, Store};
use deferlab::learner::Policy;
use deferlab::seed::{self, Purpose};
use pyo3::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use std::path::PathBuf;

/// An experiment file, read and checked.
#[pyclass(module = "deferlab._deferlab", frozen)]
pub(crate) struct Experiment {
    plan: Plan,
}

/// A stream of an experiment, with the seeds of one run.
pub(crate) struct Game<'a> {
    spec: &'a ExperimentSpec,
    data: &'a (Source, Shape),
    pub(crate) rounds: u64,
    pub(crate) stream_seed: u64,
    action_seed: u64,
}

impl Game<'_> {
    pub(crate) fn source(&self) -> &Source {
        &self.data.0
    }

    pub(crate) fn shape(&self) -> Shape {
        self.data.1
    }

    /// Draws the actions, as `deferlab run` does.
    pub(crate) fn actions(&self) -> Pcg64 {
        Pcg64::seed_from_u64(self.action_seed)
    }

    /// A policy of the file at its first round.
    pub(crate) fn policy(&self, name: &str) -> PyResult<Box<dyn Policy>> {
        let known = || self.spec.policy.iter().map(|p| p.name.as_str());
        let Some(spec) = self.spec.policy.iter().find(|p| p.name == name) else {
            return Err(unknown("policy", name, known()));
        };
        build::policy_on(spec, self.source(), self.shape())
            .map_err(|source| value_error(format!("policy `{name}`: {source}")))
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PyErr {
    let near = deferlab::lab::nearest(name, known)
        .map_or(String::new(), |near| format!(", did you mean {near:?}?"));
    value_error(format!("{what} {name:?} is not in the experiment{near}"))
}

impl Experiment {
    /// At the first combination of swept settings.
    pub(crate) fn game(&self, stream: &str, run: u32) -> PyResult<Game<'_>> {
        let spec = &self.plan.points[0].spec;
        let place = spec.stream.iter().position(|s| s.name == stream);
        let known = spec.stream.iter().map(|s| s.name.as_str());
        let place = place.ok_or_else(|| unknown("stream", stream, known))?;
        let data = self.plan.source(0, place).ok_or_else(|| {
            value_error(self.plan.missing_data.clone().unwrap_or_else(|| "there is no data".into()))
        })?;
        let name = spec.family.as_ref().unwrap_or(&spec.name);
        let seed = |purpose| seed::derive(spec.seed, name, u64::from(run), purpose);
        let (stream_seed, action_seed) = (seed(Purpose::Stream), seed(Purpose::Actions));
        Ok(Game { spec, data, rounds: spec.rounds, stream_seed, action_seed })
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
        let shape = self.game(stream, 0)?.shape();
        Ok((shape.space.classes(), shape.space.experts(), shape.dim))
    }

    /// What is stored of its runs, as JSON: one object per job.
    #[pyo3(signature = (store, /))]
    fn stored(&self, store: PathBuf) -> PyResult<String> {
        let jobs = deferlab::lab::experiment::run::jobs(&self.plan);
        let stored = Store::read(&store, &self.plan, &jobs).map_err(value_error)?;
        let rows: Vec<Value> = stored
            .records()
            .values()
            .filter_map(|record| {
                let point = &self.plan.points[record.key.point];
                let RunOutcome::Series(series) = &record.outcome else { return None };
                Some(json!({
                    "point": point.label(),
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

//! The router: Python's names and inputs in front of a learner.

use crate::decision::Decision;
use crate::engine::{Engine, Learner};
use crate::errors::{named_error, value_error};
use crate::features::Reader;
use crate::names::{Names, experts};
use crate::outcome::Told;
use deferlab::learner::{NamedRouter, Policy};
use deferlab::problem::{ActiveBuffer, Features};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything a router is, on its way to a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    format: u32,
    classes: Vec<String>,
    experts: Vec<String>,
    retired: Vec<usize>,
    learner: Learner,
    settings: Map<String, Value>,
    seed: u64,
    dim: Option<usize>,
    features: Option<Vec<String>>,
    engine: Option<Engine>,
}

const FORMAT: u32 = 1;

/// Routes questions to classes or experts, and learns from what comes of it.
///
///     router = Router(classes=["billing", "shipping"], experts=["ann", "bob"])
///     decision = router.decide([0.2, 1.5], available=["bob"])
///     router.observe(True)
///
/// classes: names of the answers it can give itself, at least two, or none: then it only asks.
/// experts: names of those it can ask.
/// learner: "auto", or one that it is compared with: "belief", "square_cb", "algorithm1".
/// dim: number of features; without it the first input decides.
/// features: names of the features, for inputs that are dicts; without them dicts are hashed.
/// seed: where its random numbers start.
/// settings of "auto": cost_weight (what one unit of cost is worth in reward), half_life (rounds after
/// which what was learned about an expert counts half), floor (a share of rounds that explores for ever).
#[pyclass(module = "deferlab")]
pub(crate) struct Router {
    names: Arc<Names>,
    /// Which experts were retired, by position.
    retired: Vec<bool>,
    learner: Learner,
    settings: Map<String, Value>,
    seed: u64,
    reader: Reader,
    /// None until the dimension is known.
    engine: Option<Engine>,
    /// Who may be asked in the round at hand.
    active: Option<ActiveBuffer>,
}

impl Router {
    fn make(py: Python<'_>, saved: Saved) -> PyResult<Self> {
        let Saved { format, classes, experts, retired: gone, learner, settings, seed, .. } = saved;
        if format != FORMAT {
            return Err(value_error(format!("format {format}, this version reads {FORMAT}")));
        }
        let mut retired = vec![false; experts.len()];
        for j in gone {
            *retired.get_mut(j).ok_or_else(|| value_error(format!("there is no expert {j}")))? =
                true;
        }
        let names = Arc::new(Names::new(py, &classes, &experts)?);
        let reader = Reader::new(saved.dim, saved.features)?;
        let engine = saved.engine;
        let mut router =
            Router { names, retired, learner, settings, seed, reader, engine, active: None };
        if let Some(engine) = &router.engine {
            let space = engine.space();
            if (space.classes(), space.experts()) != (classes.len(), experts.len()) {
                return Err(value_error("the saved learner has other actions than the router"));
            }
            router.active = Some(ActiveBuffer::new(space));
        } else {
            // What is wrong with the settings is told at once, though the dimension may come later.
            router.start(py, router.reader.dim.unwrap_or(1))?;
            if router.reader.dim.is_none() {
                router.engine = None;
            }
        }
        Ok(router)
    }

    fn start(&mut self, py: Python<'_>, dim: usize) -> PyResult<()> {
        let mut classes = self.names.texts(py)?;
        let experts = classes.split_off(self.names.classes);
        let engine = self.learner.start(&classes, &experts, (dim, self.seed), &self.settings)?;
        self.active = Some(ActiveBuffer::new(engine.space()));
        self.engine = Some(engine);
        Ok(())
    }

    /// The learner; at its first round if there was none.
    fn started(&mut self, py: Python<'_>, dim: usize) -> PyResult<()> {
        if self.engine.is_none() {
            self.start(py, dim)?;
            self.reader.dim = Some(dim);
        }
        Ok(())
    }

    /// The policy and what draws its actions, for whole streams of inputs of that dimension.
    pub(crate) fn playing(
        &mut self,
        py: Python<'_>,
        dim: usize,
    ) -> PyResult<(&mut (dyn Policy + Send), &mut (dyn Rng + Send))> {
        self.started(py, dim)?;
        Ok(self.engine.as_mut().expect("started just now").playing())
    }

    fn ask(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
        draw: bool,
    ) -> PyResult<Decision> {
        let input = self.reader.read(x)?;
        let fresh = self.engine.is_none();
        let decision = self.answer(x.py(), input.features()?, available, draw);
        self.unless_refused(fresh, decision)
    }

    /// A first input that was refused does not decide the dimension.
    fn unless_refused<T>(&mut self, fresh: bool, done: PyResult<T>) -> PyResult<T> {
        if fresh && done.is_err() {
            (self.engine, self.active, self.reader.dim) = (None, None, None);
        }
        done
    }

    #[inline]
    fn answer(
        &mut self,
        py: Python<'_>,
        features: Features<'_>,
        available: Option<&Bound<'_, PyAny>>,
        draw: bool,
    ) -> PyResult<Decision> {
        self.started(py, features.dim())?;
        let (Some(engine), Some(active)) = (&mut self.engine, &mut self.active) else {
            return Err(value_error("the learner could not be started"));
        };
        let active = match available {
            None => {
                let serving = self.retired.iter().enumerate().filter(|(_, retired)| !**retired);
                active.fill(serving.map(|(j, _)| j)).map_err(value_error)?
            }
            Some(available) => {
                let experts = experts(&self.names, &self.retired, available)?;
                active.fill(experts).map_err(value_error)?
            }
        };
        let asked =
            if draw { engine.draw(features, active) } else { engine.consider(features, active) };
        let (decision, action) = asked?;
        Ok(Decision::new(self.names.clone(), &decision, action))
    }
}

#[pymethods]
impl Router {
    #[new]
    #[pyo3(signature = (classes = Vec::new(), experts = Vec::new(), *, learner = "auto", dim = None,
        features = None, seed = 1, **settings))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn new(
        py: Python<'_>,
        classes: Vec<String>,
        experts: Vec<String>,
        learner: &str,
        dim: Option<usize>,
        features: Option<Vec<String>>,
        seed: u64,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        // Settings are what JSON can say, as in experiment files.
        let settings = match settings {
            None => Map::new(),
            Some(settings) => {
                let text = py.import("json")?.call_method1("dumps", (settings,))?;
                serde_json::from_str(&text.extract::<String>()?).map_err(value_error)?
            }
        };
        let (learner, retired, engine) = (Learner::named(learner)?, Vec::new(), None);
        let format = FORMAT;
        let saved = Saved {
            format,
            classes,
            experts,
            retired,
            learner,
            settings,
            seed,
            dim,
            features,
            engine,
        };
        Router::make(py, saved)
    }

    /// Draws an action for `x`: one of the classes, or one of the experts in `available` (everybody who
    /// was not retired without it). Asking again before `observe` replaces the question.
    #[pyo3(signature = (x, available = None))]
    fn decide(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decision> {
        self.ask(x, available, true)
    }

    /// The answer to a question that is not asked: `action` is the one that looks best, nothing is drawn,
    /// and there is nothing to observe. A question that is open is dropped.
    #[pyo3(signature = (x, available = None))]
    fn consider(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decision> {
        self.ask(x, available, false)
    }

    /// Tells what came of the action that was decided last, or of `action` if another one was taken.
    #[pyo3(signature = (correct = None, *, action = None, loss = None, answer = None, reward = None,
        cost = None, label = None))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn observe(
        &mut self,
        correct: Option<bool>,
        action: Option<&Bound<'_, PyString>>,
        loss: Option<f64>,
        answer: Option<Cow<'_, str>>,
        reward: Option<f64>,
        cost: Option<f64>,
        label: Option<Cow<'_, str>>,
    ) -> PyResult<()> {
        let told = Told { correct, loss, answer, reward, cost, label };
        let engine = self
            .engine
            .as_mut()
            .ok_or_else(|| value_error("round 1: observe was called without a decide"))?;
        let Some(name) = action else {
            let expert = engine.chosen().map(|place| place >= self.names.classes);
            return engine.observe(None, told.outcome(expert)?);
        };
        let place = self.names.place(name)?;
        let outcome = told.outcome(Some(place >= self.names.classes))?;
        engine.observe(Some((place, &name.to_cow()?)), outcome)
    }

    /// Learns what came of `action` at `x`, decided before or elsewhere. A question that is open is
    /// dropped.
    #[pyo3(signature = (x, action, correct = None, *, loss = None, answer = None, reward = None,
        cost = None, label = None))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn learn(
        &mut self,
        x: &Bound<'_, PyAny>,
        action: &Bound<'_, PyString>,
        correct: Option<bool>,
        loss: Option<f64>,
        answer: Option<Cow<'_, str>>,
        reward: Option<f64>,
        cost: Option<f64>,
        label: Option<Cow<'_, str>>,
    ) -> PyResult<()> {
        let told = Told { correct, loss, answer, reward, cost, label };
        let place = self.names.place(action)?;
        let outcome = told.outcome(Some(place >= self.names.classes))?;
        let input = self.reader.read(x)?;
        let (features, name) = (input.features()?, action.to_cow()?);
        let fresh = self.engine.is_none();
        let learned = self.started(x.py(), features.dim()).and_then(|()| {
            let engine = self.engine.as_mut().expect("started just now");
            engine.learn(features, (place, &name), outcome)
        });
        self.unless_refused(fresh, learned)
    }

    /// Says what asking experts costs from now on, in the unit of `cost`: `{"ann": 0.02}`. Without it, what
    /// was paid on average counts.
    #[pyo3(signature = (costs, /))]
    fn set_costs(&mut self, costs: &Bound<'_, PyDict>) -> PyResult<()> {
        let costs: Vec<(String, f64)> = costs
            .iter()
            .map(|(name, cost)| {
                self.names.expert(&name)?;
                Ok((name.extract()?, cost.extract()?))
            })
            .collect::<PyResult<_>>()?;
        let pool = self.pool()?.ok_or_else(|| {
            value_error("the dimension of the inputs is not known yet: give dim=, or decide first")
        })?;
        pool.set_costs(&costs).map_err(named_error)
    }

    /// Adds an expert, who starts from what the others are like; or brings back one who was retired, with
    /// all that is known about it.
    #[pyo3(signature = (name, /))]
    fn add_expert(&mut self, py: Python<'_>, name: &str) -> PyResult<()> {
        let place = self.names.places.bind(py).get_item(name)?;
        let place: Option<usize> = place.map(|place| place.extract()).transpose()?;
        if let Some(pool) = self.pool()? {
            pool.add_expert(name).map_err(named_error)?;
            if let Some(place) = place {
                self.retired[place - self.names.classes] = false;
                return Ok(());
            }
        }
        let mut classes = self.names.texts(py)?;
        classes.push(name.into());
        let experts = classes.split_off(self.names.classes);
        self.names = Arc::new(Names::new(py, &classes, &experts)?);
        self.retired.push(false);
        self.active = self.engine.as_ref().map(|engine| ActiveBuffer::new(engine.space()));
        Ok(())
    }

    /// The expert is not asked any more. What is known about it is kept.
    #[pyo3(signature = (name, /))]
    fn retire_expert(&mut self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<()> {
        let expert = self.names.expert(name)?;
        let text = name.to_cow()?.into_owned();
        if let Some(pool) = self.pool()? {
            pool.retire_expert(&text).map_err(named_error)?;
            self.retired[expert] = true;
            return Ok(());
        }
        let mut classes = self.names.texts(py)?;
        let mut experts = classes.split_off(self.names.classes);
        experts.remove(expert);
        self.retired.remove(expert);
        self.names = Arc::new(Names::new(py, &classes, &experts)?);
        Ok(())
    }

    /// Names of the classes.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut all = self.names.texts(py)?;
        all.truncate(self.names.classes);
        Ok(all)
    }

    /// Names of all experts with whether each may be asked, in the order of their places.
    fn _roster(&self, py: Python<'_>) -> PyResult<Vec<(String, bool)>> {
        let all = self.names.texts(py)?.split_off(self.names.classes);
        Ok(all.into_iter().zip(self.retired.iter().map(|retired| !retired)).collect())
    }

    /// Names of the experts who were not retired.
    #[getter]
    fn experts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let serving = self._roster(py)?.into_iter().filter(|(_, serving)| *serving);
        Ok(serving.map(|(name, _)| name).collect())
    }

    /// Which learner it is.
    #[getter]
    fn learner(&self) -> PyResult<String> {
        let name = serde_json::to_value(self.learner).map_err(value_error)?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Where its random numbers started.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// Features of an input; None until the first one is seen.
    #[getter]
    fn dim(&self) -> Option<usize> {
        self.reader.dim
    }

    /// Everything there is to know about the router, as JSON. `from_json` goes on from there to the bit.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let mut classes = self.names.texts(py)?;
        let experts = classes.split_off(self.names.classes);
        let retired = self.retired.iter().enumerate().filter(|(_, retired)| **retired);
        let saved = Saved {
            format: FORMAT,
            classes,
            experts,
            retired: retired.map(|(j, _)| j).collect(),
            learner: self.learner,
            settings: self.settings.clone(),
            seed: self.seed,
            dim: self.reader.dim,
            features: self.reader.names.clone(),
            engine: self.engine.clone(),
        };
        serde_json::to_string(&saved).map_err(value_error)
    }

    /// The router that `to_json` wrote down.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let saved = serde_json::from_str(text)
            .map_err(|error| value_error(format!("not a saved router: {error}")))?;
        Router::make(py, saved)
    }

    /// Writes the router to a file, which appears whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let text = deferlab::subject::seal(&self.to_json(py)?);
        py.detach(|| deferlab::lab::experiment::write_whole(&path, text.as_bytes()))
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The router that `save` wrote.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let text = deferlab::subject::unseal(&std::fs::read_to_string(path)?);
        Router::from_json(py, &text.map_err(value_error)?)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = slf.borrow().to_json(slf.py())?;
        Ok((slf.get_type().getattr("from_json")?.unbind(), (text,)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (classes, experts) = (self.classes(py)?, self.experts(py)?);
        let quoted = |names: Vec<String>| names.into_pyobject(py)?.repr();
        Ok(format!(
            "Router(classes={}, experts={}, learner='{}')",
            quoted(classes)?,
            quoted(experts)?,
            self.learner()?
        ))
    }
}

impl Router {
    /// The learner with whom experts come and go; none before the first input.
    fn pool(&mut self) -> PyResult<Option<&mut NamedRouter>> {
        if self.learner != Learner::Auto {
            return Err(value_error("experts come and go with learner=\"auto\" alone"));
        }
        self.engine.as_mut().map(Engine::pool).transpose()
    }
}

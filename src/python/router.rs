//! The router: names for people, positions for the learner.

use crate::engine::{Engine, Learner};
use crate::errors::{learner_error, value_error};
use crate::features::Reader;
use deferlab::learner::Policy;
use deferlab::problem::{Action, ActionSpace, ActiveSet, ExpertCost, Feedback};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Names of the actions, classes first, and where each stands.
pub(crate) struct Names {
    all: Vec<Py<PyString>>,
    places: Py<PyDict>,
    classes: usize,
}

impl Names {
    fn new(py: Python<'_>, classes: &[String], experts: &[String]) -> PyResult<Self> {
        let places = PyDict::new(py);
        let mut all = Vec::new();
        for (place, name) in classes.iter().chain(experts).enumerate() {
            let name = PyString::intern(py, name);
            if places.contains(&name)? {
                return Err(value_error(format!("{name:?} is there twice: every name once")));
            }
            places.set_item(&name, place)?;
            all.push(name.unbind());
        }
        Ok(Names { all, places: places.unbind(), classes: classes.len() })
    }

    fn texts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.all.iter().map(|name| name.bind(py).extract()).collect()
    }

    fn place(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        match self.places.bind(name.py()).get_item(name)? {
            Some(place) => place.extract(),
            None => {
                let known = self.texts(name.py())?;
                let given = name.str()?.to_string();
                let near = deferlab::lab::nearest(&given, known.iter().map(String::as_str))
                    .map_or(String::new(), |near| format!(", did you mean {near:?}?"));
                Err(PyKeyError::new_err(format!("{given:?} is no class and no expert{near}")))
            }
        }
    }

    fn expert(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let place = self.place(name)?;
        place.checked_sub(self.classes).ok_or_else(|| {
            value_error(format!("{:?} is a class: only experts come and go", name.to_string()))
        })
    }

    fn class(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let place = self.place(name)?;
        if place < self.classes {
            return Ok(place);
        }
        Err(value_error(format!("{:?} is an expert: expected a class", name.to_string())))
    }
}

/// What a router answers: an action that was drawn, with its probability, and what stands behind it.
#[pyclass(module = "deferlab", frozen)]
pub(crate) struct Decision {
    names: Arc<Names>,
    active: ActiveSet,
    /// Estimates of the active actions, then their probabilities.
    numbers: Box<[f64]>,
    /// Place of the action in all names, and among the active ones.
    place: usize,
    position: usize,
}

#[pymethods]
impl Decision {
    /// The class to answer, or the expert to ask.
    #[getter]
    fn action(&self, py: Python<'_>) -> Py<PyString> {
        self.names.all[self.place].clone_ref(py)
    }

    /// The probability with which it was drawn.
    #[getter]
    fn probability(&self) -> f64 {
        self.numbers[self.numbers.len() / 2 + self.position]
    }

    /// Whether the action is to ask an expert.
    #[getter]
    fn is_expert(&self) -> bool {
        self.place >= self.names.classes
    }

    /// The action that looked best.
    #[getter]
    fn greedy(&self, py: Python<'_>) -> Py<PyString> {
        let estimates = &self.numbers[..self.numbers.len() / 2];
        let mut best = 0;
        for (position, estimate) in estimates.iter().enumerate() {
            if *estimate > estimates[best] {
                best = position;
            }
        }
        let place = self.active.iter().nth(best).map_or(self.place, Action::index);
        self.names.all[place].clone_ref(py)
    }

    /// What the learner believes each active action to be worth.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, &self.numbers[..self.numbers.len() / 2])
    }

    /// The probability of each active action.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, &self.numbers[self.numbers.len() / 2..])
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let action = self.names.all[self.place].bind(py).repr()?;
        Ok(format!("Decision(action={action}, probability={})", self.probability()))
    }
}

impl Decision {
    fn by_name<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (action, number) in self.active.iter().zip(numbers) {
            dict.set_item(&self.names.all[action.index()], number)?;
        }
        Ok(dict)
    }
}

/// Everything a router is, on its way to a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    format: u32,
    classes: Vec<String>,
    experts: Vec<String>,
    learner: Learner,
    settings: serde_json::Map<String, serde_json::Value>,
    ask_cost: f64,
    seed: u64,
    draws: u64,
    dim: Option<usize>,
    features: Option<Vec<String>>,
    drawn: Option<usize>,
    engine: Option<Engine>,
}

const FORMAT: u32 = 1;

/// Routes questions to classes or experts, and learns from what comes of it.
#[pyclass(module = "deferlab")]
pub(crate) struct Router {
    names: Arc<Names>,
    space: ActionSpace,
    learner: Learner,
    settings: serde_json::Map<String, serde_json::Value>,
    cost: ExpertCost,
    ask_cost: f64,
    reader: Reader,
    seed: u64,
    /// How many numbers were drawn: with the seed all there is to know of the generator.
    draws: u64,
    rng: Pcg64,
    engine: Option<Engine>,
    /// The action of the open question.
    drawn: Option<Action>,
}

impl Router {
    fn make(py: Python<'_>, saved: Saved) -> PyResult<Self> {
        if saved.format != FORMAT {
            return Err(value_error(format!(
                "format {}, this version reads {FORMAT}",
                saved.format
            )));
        }
        let space =
            ActionSpace::new(saved.classes.len(), saved.experts.len()).map_err(value_error)?;
        let mut rng = Pcg64::seed_from_u64(saved.seed);
        rng.advance(u128::from(saved.draws));
        let mut router = Router {
            names: Arc::new(Names::new(py, &saved.classes, &saved.experts)?),
            space,
            learner: saved.learner,
            settings: saved.settings,
            cost: ExpertCost::new(1.0, saved.ask_cost).map_err(value_error)?,
            ask_cost: saved.ask_cost,
            reader: Reader::new(saved.dim, saved.features)?,
            seed: saved.seed,
            draws: saved.draws,
            rng,
            engine: saved.engine,
            drawn: saved.drawn.map(|index| space.action(index)).transpose().map_err(value_error)?,
        };
        match (&router.engine, router.reader.dim) {
            (None, Some(dim)) => router.start(dim)?,
            (Some(engine), _) if engine.space() != space => {
                return Err(value_error("the saved learner has other actions than the router"));
            }
            _ => {}
        }
        Ok(router)
    }

    fn start(&mut self, dim: usize) -> PyResult<()> {
        self.reader.dim = Some(dim);
        self.engine = Some(self.learner.start(self.space, dim, &self.settings)?);
        Ok(())
    }

    /// The learner, for whoever plays many rounds with it.
    pub(crate) fn playing(&mut self, dim: usize) -> PyResult<(&mut Engine, &mut Pcg64, &mut u64)> {
        if self.engine.is_none() {
            self.start(dim)?;
        }
        self.drawn = None;
        let engine = self.engine.as_mut().expect("started just now");
        Ok((engine, &mut self.rng, &mut self.draws))
    }

    fn active(&self, available: Option<&Bound<'_, PyAny>>) -> PyResult<ActiveSet> {
        let Some(available) = available else { return Ok(self.space.all_active()) };
        if available.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("available is a str: expected a list of experts"));
        }
        let mut experts = 0u128;
        for name in available.try_iter()? {
            experts |= 1 << self.names.expert(&name?)?;
        }
        self.space.active_from_mask(experts).map_err(value_error)
    }

    /// Opens a question; `pick` says which action it is about.
    fn ask(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
        draw: bool,
    ) -> PyResult<Decision> {
        let active = self.active(available)?;
        let input = self.reader.read(x)?;
        let features = input.features()?;
        if self.engine.is_none() {
            self.start(features.dim())?;
        }
        let engine = self.engine.as_mut().expect("started just now");
        let decision = engine.decide(features, active).map_err(learner_error)?;
        let action = if draw {
            self.draws += 1;
            decision.sample(self.rng.random())
        } else {
            decision.greedy
        };
        let k = decision.q.len();
        let mut numbers = Vec::with_capacity(2 * k);
        numbers.extend_from_slice(decision.scores);
        numbers.resize(k, f64::NAN);
        numbers.extend_from_slice(decision.q);
        let position = active.position(action).unwrap_or(0);
        self.drawn = draw.then_some(action);
        Ok(Decision {
            names: self.names.clone(),
            active,
            numbers: numbers.into_boxed_slice(),
            place: action.index(),
            position,
        })
    }

    fn saved(&self, py: Python<'_>) -> PyResult<Saved> {
        let mut classes = self.names.texts(py)?;
        let experts = classes.split_off(self.names.classes);
        Ok(Saved {
            format: FORMAT,
            classes,
            experts,
            learner: self.learner,
            settings: self.settings.clone(),
            ask_cost: self.ask_cost,
            seed: self.seed,
            draws: self.draws,
            dim: self.reader.dim,
            features: self.reader.names.clone(),
            drawn: self.drawn.map(Action::index),
            engine: self.engine.clone(),
        })
    }
}

#[pymethods]
impl Router {
    #[new]
    #[pyo3(signature = (classes = Vec::new(), experts = Vec::new(), *, learner = "belief", dim = None,
        features = None, ask_cost = 0.0, seed = 1, **settings))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn new(
        py: Python<'_>,
        classes: Vec<String>,
        experts: Vec<String>,
        learner: &str,
        dim: Option<usize>,
        features: Option<Vec<String>>,
        ask_cost: f64,
        seed: u64,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        // Settings are those of experiment files: what JSON can say.
        let settings = match settings {
            None => Ok(Default::default()),
            Some(settings) => {
                let text = py.import("json")?.call_method1("dumps", (settings,))?;
                serde_json::from_str(&text.extract::<String>()?)
            }
        };
        let saved = Saved {
            format: FORMAT,
            classes,
            experts,
            learner: Learner::named(learner)?,
            settings: settings.map_err(value_error)?,
            ask_cost,
            seed,
            draws: 0,
            dim,
            features,
            drawn: None,
            engine: None,
        };
        Router::make(py, saved)
    }

    /// Draws an action for `x`: one of the classes, or one of the experts in `available` (everybody
    /// without it). Asking again before `observe` replaces the question.
    #[pyo3(signature = (x, available = None))]
    fn decide(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decision> {
        self.ask(x, available, true)
    }

    /// The same question without a draw: `action` of the answer is the one that looks best. What came of
    /// it is observed with `action=`.
    #[pyo3(signature = (x, available = None))]
    fn consider(
        &mut self,
        x: &Bound<'_, PyAny>,
        available: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decision> {
        self.ask(x, available, false)
    }

    /// Tells what came of the action that was decided last, or of `action` if another one was taken.
    #[pyo3(signature = (correct = None, *, action = None, answer = None, reward = None, cost = None,
        label = None, costs = None))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn observe(
        &mut self,
        correct: Option<bool>,
        action: Option<&Bound<'_, PyAny>>,
        answer: Option<&Bound<'_, PyAny>>,
        reward: Option<f64>,
        cost: Option<f64>,
        label: Option<&Bound<'_, PyAny>>,
        costs: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let action = match action {
            None => self.drawn,
            Some(name) => Some(self.space.action(self.names.place(name)?).map_err(value_error)?),
        };
        let engine = self
            .engine
            .as_mut()
            .ok_or_else(|| PyValueError::new_err("round 1: observe was called without a decide"))?;
        let label = label.map(|label| self.names.class(label)).transpose()?;
        if let (Some(label), Some(costs)) = (label, &costs) {
            engine.observe(Feedback::Full { label, costs }).map_err(learner_error)?;
            self.drawn = None;
            return Ok(());
        }
        let action = action.ok_or_else(|| {
            value_error("observe was called without a decide: give the action that was taken")
        })?;
        let answer = answer.map(|answer| self.names.class(answer)).transpose()?;
        let _ = reward;
        let expert = self.space.expert_of(action);
        let correct = match (correct, label, answer, expert) {
            (Some(correct), ..) => correct,
            (None, Some(label), _, None) => label == action.index(),
            (None, Some(label), Some(answer), Some(_)) => label == answer,
            _ => {
                return Err(PyTypeError::new_err(
                    "observe needs correct=, or label= (and answer= for an expert), or reward=",
                ));
            }
        };
        let cost = expert.map(|_| cost.unwrap_or_else(|| self.cost.normalized(correct))).or(cost);
        engine.observe(Feedback::Bandit { action, correct, cost }).map_err(learner_error)?;
        self.drawn = None;
        Ok(())
    }

    /// Names of the classes.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut all = self.names.texts(py)?;
        all.truncate(self.names.classes);
        Ok(all)
    }

    /// Names of the experts.
    #[getter]
    fn experts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.names.texts(py)?.split_off(self.names.classes))
    }

    /// Which learner it is.
    #[getter]
    fn learner(&self) -> PyResult<String> {
        let name = serde_json::to_value(self.learner).map_err(value_error)?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Features of an input; None until the first one is seen.
    #[getter]
    fn dim(&self) -> Option<usize> {
        self.reader.dim
    }

    /// Everything there is to know about the router, as JSON. `from_json` goes on from there to the bit.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.saved(py)?).map_err(value_error)
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
        let text = self.to_json(py)?;
        py.detach(|| deferlab::lab::experiment::store::write_whole(&path, text.as_bytes()))
            .map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))
    }

    /// The router that `save` wrote.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Router::from_json(py, &std::fs::read_to_string(path)?)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = slf.borrow().to_json(slf.py())?;
        Ok((slf.get_type().getattr("from_json")?.unbind(), (text,)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = self.names.texts(py)?;
        let (classes, experts) = names.split_at(self.names.classes);
        Ok(format!(
            "Router(classes={classes:?}, experts={experts:?}, learner={:?})",
            self.learner()?
        ))
    }
}

//! A whole stream in Rust, with the interpreter released.

use crate::errors::{learner_error, value_error};
use crate::experiment::Experiment;
use crate::router::Router;
use crate::stream::Rounds;
use deferlab::lab::stream::Stream;
use deferlab::lab::{Event, play};
use deferlab::learner::Policy;
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::Rng;
use std::time::{Duration, Instant};

/// How often Python is asked whether to go on: Ctrl-C has to work within a second.
const PAUSE: Duration = Duration::from_millis(100);

/// Rounds between two looks at the clock.
const STRETCH: u64 = 256;

/// What happened, round by round.
#[derive(Default)]
pub(crate) struct Log {
    action: Vec<i64>,
    probability: Vec<f64>,
    loss: Vec<f64>,
    correct: Vec<bool>,
}

impl Log {
    fn with_capacity(rounds: usize) -> Self {
        Log {
            action: Vec::with_capacity(rounds),
            probability: Vec::with_capacity(rounds),
            loss: Vec::with_capacity(rounds),
            correct: Vec::with_capacity(rounds),
        }
    }

    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self.action.push(event.action.index() as i64);
        self.probability.push(event.decision.probability(event.action));
        self.loss.push(event.loss);
        // Where nothing is right or wrong, what earned anything counts as right.
        self.correct.push(event.round.is_right(event.action).unwrap_or(event.loss < 1.0));
    }

    fn into_arrays(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("action", PyArray1::from_vec(py, self.action))?;
        out.set_item("probability", PyArray1::from_vec(py, self.probability))?;
        out.set_item("loss", PyArray1::from_vec(py, self.loss))?;
        out.set_item("correct", self.correct.to_pyarray(py))?;
        Ok(out)
    }
}

/// Plays up to `rounds` rounds; now and then `go_on` is told how many are done, and may end it.
fn drive<P: Policy + ?Sized, S: Stream + ?Sized>(
    policy: &mut P,
    stream: &mut S,
    mut rng: &mut (dyn Rng + Send),
    rounds: u64,
    log: &mut Log,
    go_on: impl Fn(u64) -> PyResult<()>,
) -> PyResult<u64> {
    let (mut done, mut asked) = (0, Instant::now());
    while done < rounds {
        let stretch = STRETCH.min(rounds - done);
        let mut see = |event: &Event<'_>| log.see(event);
        let played =
            play(policy, stream, &mut rng, stretch, &mut [&mut see]).map_err(learner_error)?;
        done += played;
        if played < stretch {
            if let Some(fault) = stream.fault() {
                return Err(value_error(fault));
            }
            break;
        }
        if asked.elapsed() >= PAUSE {
            go_on(done)?;
            asked = Instant::now();
        }
    }
    go_on(done)?;
    Ok(done)
}

/// Asks the interpreter for signals, and tells whoever shows progress.
fn go_on(progress: Option<&Py<PyAny>>) -> impl Fn(u64) -> PyResult<()> {
    move |done| {
        Python::attach(|py| {
            py.check_signals()?;
            progress.map_or(Ok(()), |tell| tell.call1(py, (done,)).map(|_| ()))
        })
    }
}

/// Plays a router on recorded rounds, from its state on, and returns what happened as arrays.
#[pyfunction]
#[pyo3(signature = (router, rounds, count, progress = None))]
pub(crate) fn simulate_rounds<'py>(
    py: Python<'py>,
    router: &Bound<'py, Router>,
    rounds: &Bound<'py, Rounds>,
    count: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut router = router.try_borrow_mut()?;
    let rounds = rounds.borrow();
    let guards = rounds.guards(py)?;
    let mut stream = guards.stream()?;
    let (policy, rng) = router.playing(py, stream.dim())?;
    let mut log = Log::with_capacity(count.min(1 << 24) as usize);
    py.detach(|| drive(policy, &mut stream, rng, count, &mut log, go_on(progress.as_ref())))?;
    log.into_arrays(py)
}

/// Plays a router, or a policy of the experiment, on a stream of an experiment with the seeds of `run`.
#[pyfunction]
#[pyo3(signature = (experiment, stream, policy, run, count = None, progress = None))]
pub(crate) fn simulate_experiment<'py>(
    py: Python<'py>,
    experiment: &Bound<'py, Experiment>,
    stream: &str,
    policy: &Bound<'py, PyAny>,
    run: u32,
    count: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let experiment = experiment.get();
    let game = experiment.game(stream, run)?;
    let count = count.unwrap_or(experiment.length());
    let mut log = Log::with_capacity(count.min(1 << 24) as usize);
    if let Ok(router) = policy.cast::<Router>() {
        let mut router = router.try_borrow_mut()?;
        let (policy, rng) = router.playing(py, game.shape.dim)?;
        py.detach(|| {
            let mut stream = game.stream().map_err(value_error)?;
            drive(policy, stream.as_mut(), rng, count, &mut log, go_on(progress.as_ref()))
        })?;
    } else {
        let policy = experiment.policy(&policy.extract::<String>()?)?;
        py.detach(|| {
            let mut rng = game.actions();
            let mut stream = game.stream().map_err(value_error)?;
            let mut policy = game.policy(policy).map_err(value_error)?;
            drive(
                policy.as_mut(),
                stream.as_mut(),
                &mut rng,
                count,
                &mut log,
                go_on(progress.as_ref()),
            )
        })?;
    }
    log.into_arrays(py)
}

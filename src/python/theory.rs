//! Exact quantities: what `deferlab eval` answers, calibration, and minimizability gaps.

use crate::errors::value_error;
use deferlab::problem::ActionSpace;
use deferlab::theory::{FiniteStream, StreamItem, SurrogateId, calibration, minimizability_gap};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A request of `deferlab eval` and its answer, one line of JSON each.
#[pyfunction]
#[pyo3(signature = (line, /))]
pub(crate) fn evaluate(py: Python<'_>, line: &str) -> String {
    py.detach(|| deferlab::eval::answer(line))
}

fn surrogate(name: &str, alpha: Option<f64>, tau: Option<f64>) -> PyResult<SurrogateId> {
    SurrogateId::parse(name, alpha, tau).map_err(value_error)
}

/// `C_Phi(u) - inf C_Phi` at the scores `s`.
#[pyfunction]
#[pyo3(signature = (name, s, u, alpha = None, tau = None))]
pub(crate) fn calibration_gap(
    name: &str,
    s: PyReadonlyArray1<'_, f64>,
    u: PyReadonlyArray1<'_, f64>,
    alpha: Option<f64>,
    tau: Option<f64>,
) -> PyResult<f64> {
    let id = surrogate(name, alpha, tau)?;
    deferlab::theory::calibration_gap(id, s.as_slice()?, u.as_slice()?).map_err(value_error)
}

/// What is proved about a calibration function with `actions` active actions, as JSON.
#[pyfunction]
#[pyo3(signature = (name, actions, alpha = None, tau = None))]
pub(crate) fn calibration_bound(
    name: &str,
    actions: usize,
    alpha: Option<f64>,
    tau: Option<f64>,
) -> PyResult<String> {
    let id = surrogate(name, alpha, tau)?;
    // Asked first, because it refuses a number of actions that makes no sense.
    calibration::witness(id, actions).map_err(value_error)?;
    serde_json::to_string(&calibration::proved(id, actions)).map_err(value_error)
}

/// A counterexample to the stated calibration function in fractions, as JSON; `null` if there is none.
#[pyfunction]
#[pyo3(signature = (name, actions, alpha = None, tau = None))]
pub(crate) fn calibration_witness(
    name: &str,
    actions: usize,
    alpha: Option<f64>,
    tau: Option<f64>,
) -> PyResult<String> {
    let id = surrogate(name, alpha, tau)?;
    let witness = calibration::witness(id, actions).map_err(value_error)?;
    serde_json::to_string(&witness).map_err(value_error)
}

/// The minimizability gap on weighted rounds with its certificate. Row `t` of `scores` holds `s` for all
/// actions; those of experts that are not `available` are not looked at.
#[pyfunction]
#[pyo3(signature = (classes, x, scores, available, weights, name, radius = None, alpha = None, tau = None))]
#[allow(clippy::too_many_arguments)] // Python calls it with keywords
pub(crate) fn min_gap<'py>(
    py: Python<'py>,
    classes: usize,
    x: PyReadonlyArray2<'py, f64>,
    scores: PyReadonlyArray2<'py, f64>,
    available: PyReadonlyArray2<'py, bool>,
    weights: PyReadonlyArray1<'py, f64>,
    name: &str,
    radius: Option<f64>,
    alpha: Option<f64>,
    tau: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let id = surrogate(name, alpha, tau)?;
    let (x, scores, available) = (x.as_array(), scores.as_array(), available.as_array());
    let weights = weights.as_array();
    let rows = x.nrows();
    if [scores.nrows(), available.nrows(), weights.len()] != [rows; 3] {
        return Err(value_error(format!(
            "there are {rows} rows of x, {} of scores, {} of available and {} weights: expected as many of each",
            scores.nrows(),
            available.nrows(),
            weights.len()
        )));
    }
    let experts = available.ncols();
    if scores.ncols() != classes + experts {
        return Err(value_error(format!(
            "scores has {} columns: expected {classes} classes and {experts} experts",
            scores.ncols()
        )));
    }
    let space = ActionSpace::new(classes, experts).map_err(value_error)?;
    let mut items = Vec::with_capacity(rows);
    for t in 0..rows {
        let there = (0..experts).filter(|&j| available[(t, j)]);
        let active = space.active(there).map_err(value_error)?;
        let s = active.iter().map(|a| scores[(t, a.index())]).collect();
        items.push(StreamItem { weight: weights[t], x: x.row(t).to_vec(), active, s });
    }
    let stream = FiniteStream::new(space, items).map_err(value_error)?;
    let gap = py.detach(|| minimizability_gap(&stream, id, radius)).map_err(value_error)?;

    let out = PyDict::new(py);
    out.set_item("gap", gap.gap_per_round)?;
    out.set_item("gap_in_ball", gap.gap_in_ball_per_round)?;
    let total = stream.total_weight;
    out.set_item("best_value", gap.best_value / total)?;
    out.set_item("pointwise", gap.pointwise / total)?;
    let columns = gap.matrix.columns;
    let rows: Vec<Vec<f64>> = gap.matrix.values.chunks(columns).map(<[f64]>::to_vec).collect();
    out.set_item("matrix", PyArray2::from_vec2(py, &rows).map_err(value_error)?)?;
    let actions: Vec<usize> = gap.actions.iter().map(|a| a.index()).collect();
    out.set_item("actions", actions)?;
    out.set_item("true_regret", gap.true_regret_per_round)?;
    out.set_item("certified", gap.certified)?;
    out.set_item("upper", gap.certificate.primal)?;
    out.set_item("lower", gap.certificate.dual)?;
    out.set_item("radius", gap.certificate.radius)?;
    out.set_item("kind", format!("{:?}", gap.certificate.kind))?;
    Ok(out)
}

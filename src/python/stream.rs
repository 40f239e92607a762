//! Rounds that stand in numpy arrays, played where they are.

use crate::errors::value_error;
use deferlab::lab::stream::{Right, Stream, StreamRound};
use deferlab::problem::{ActionSpace, ActiveBuffer, Features, SparseRow};
use numpy::PyUntypedArrayMethods;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// Inputs of all rounds: dense rows, or the three arrays of a CSR matrix.
enum Rows {
    Dense(Py<PyArray2<f64>>),
    Sparse {
        offsets: Py<PyArray1<i64>>,
        indices: Py<PyArray1<u32>>,
        values: Py<PyArray1<f64>>,
        dim: usize,
    },
}

/// Inputs, labels, and what everybody would have cost: `T` rows each. Python has made the arrays what they
/// are here; they are checked once and then only read.
#[pyclass(module = "deferlab._deferlab", frozen)]
pub(crate) struct Rounds {
    space: ActionSpace,
    rows: Rows,
    label: Py<PyArray1<i64>>,
    cost: Py<PyArray2<f64>>,
    right: Py<PyArray2<bool>>,
    available: Py<PyArray2<bool>>,
}

#[pymethods]
impl Rounds {
    #[new]
    #[pyo3(signature = (classes, x, label, cost, right, available))]
    fn new(
        py: Python<'_>,
        classes: usize,
        x: &Bound<'_, PyAny>,
        label: Py<PyArray1<i64>>,
        cost: Py<PyArray2<f64>>,
        right: Py<PyArray2<bool>>,
        available: Py<PyArray2<bool>>,
    ) -> PyResult<Self> {
        let rows = match x.cast::<PyArray2<f64>>() {
            Ok(x) => Rows::Dense(x.clone().unbind()),
            Err(_) => {
                let (offsets, indices, values, dim) = x.extract()?;
                Rows::Sparse { offsets, indices, values, dim }
            }
        };
        let experts = cost.bind(py).shape()[1];
        let space = ActionSpace::new(classes, experts).map_err(value_error)?;
        let rounds = Rounds { space, rows, label, cost, right, available };
        rounds.guards(py)?.check()?;
        Ok(rounds)
    }

    /// How many there are.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.label.bind(py).len()
    }
}

impl Rounds {
    /// Holds the arrays, so that nobody writes to them while they are played.
    pub(crate) fn guards<'py>(&self, py: Python<'py>) -> PyResult<Guards<'py>> {
        let rows = match &self.rows {
            Rows::Dense(x) => GuardedRows::Dense(x.bind(py).try_readonly().map_err(value_error)?),
            Rows::Sparse { offsets, indices, values, dim } => GuardedRows::Sparse {
                offsets: offsets.bind(py).try_readonly().map_err(value_error)?,
                indices: indices.bind(py).try_readonly().map_err(value_error)?,
                values: values.bind(py).try_readonly().map_err(value_error)?,
                dim: *dim,
            },
        };
        Ok(Guards {
            space: self.space,
            rows,
            label: self.label.bind(py).try_readonly().map_err(value_error)?,
            cost: self.cost.bind(py).try_readonly().map_err(value_error)?,
            right: self.right.bind(py).try_readonly().map_err(value_error)?,
            available: self.available.bind(py).try_readonly().map_err(value_error)?,
        })
    }
}

enum GuardedRows<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse {
        offsets: PyReadonlyArray1<'py, i64>,
        indices: PyReadonlyArray1<'py, u32>,
        values: PyReadonlyArray1<'py, f64>,
        dim: usize,
    },
}

/// The arrays of [`Rounds`], held.
pub(crate) struct Guards<'py> {
    space: ActionSpace,
    rows: GuardedRows<'py>,
    label: PyReadonlyArray1<'py, i64>,
    cost: PyReadonlyArray2<'py, f64>,
    right: PyReadonlyArray2<'py, bool>,
    available: PyReadonlyArray2<'py, bool>,
}

impl Guards<'_> {
    /// The rounds from the first one on.
    pub(crate) fn stream(&self) -> PyResult<ArrayStream<'_>> {
        let rows = match &self.rows {
            GuardedRows::Dense(x) => ArrayRows::Dense { x: x.as_slice()?, dim: x.shape()[1] },
            GuardedRows::Sparse { offsets, indices, values, dim } => ArrayRows::Sparse {
                offsets: offsets.as_slice()?,
                indices: indices.as_slice()?,
                values: values.as_slice()?,
                dim: *dim,
            },
        };
        Ok(ArrayStream {
            space: self.space,
            rows,
            label: self.label.as_slice()?,
            cost: self.cost.as_slice()?,
            right: self.right.as_slice()?,
            available: self.available.as_slice()?,
            active: ActiveBuffer::new(self.space),
            next: 0,
        })
    }

    /// Says the round and what is wrong with it.
    fn check(&self) -> PyResult<()> {
        let (rounds, experts) = (self.label.len(), self.space.experts());
        let inputs = match &self.rows {
            GuardedRows::Dense(x) => x.shape()[0],
            GuardedRows::Sparse { offsets, .. } => offsets.len().saturating_sub(1),
        };
        let others = [self.cost.shape(), self.right.shape(), self.available.shape()];
        if inputs != rounds || others.iter().any(|shape| *shape != [rounds, experts]) {
            return Err(value_error(format!(
                "there are {inputs} inputs and {rounds} labels, and costs, right and available have shapes \
                 {others:?}: expected {rounds} rows of {experts} experts"
            )));
        }
        let stream = self.stream()?;
        let classes = self.space.classes();
        for t in 0..rounds {
            let bad = |what: String| value_error(format!("round {}: {what}", t + 1));
            let label = stream.label[t];
            if !(0..classes as i64).contains(&label) && classes > 0 {
                return Err(bad(format!("label = {label}: expected a class below {classes}")));
            }
            for (j, cost) in stream.cost[t * experts..][..experts].iter().enumerate() {
                if !(0.0..=1.0).contains(cost) {
                    return Err(bad(format!("costs[{j}] = {cost}: a cost must lie in [0, 1]")));
                }
            }
            stream
                .rows
                .row_checked(t)
                .map_err(|e| bad(e.to_string()))?
                .check_finite()
                .map_err(|e| bad(e.to_string()))?;
        }
        Ok(())
    }
}

enum ArrayRows<'a> {
    Dense { x: &'a [f64], dim: usize },
    Sparse { offsets: &'a [i64], indices: &'a [u32], values: &'a [f64], dim: usize },
}

impl<'a> ArrayRows<'a> {
    fn dim(&self) -> usize {
        match self {
            ArrayRows::Dense { dim, .. } | ArrayRows::Sparse { dim, .. } => *dim,
        }
    }

    fn row_checked(&self, t: usize) -> Result<Features<'a>, deferlab::problem::ProblemError> {
        if let ArrayRows::Sparse { offsets, indices, values, dim } = self {
            let range = offsets[t] as usize..offsets[t + 1] as usize;
            let (indices, values) = (indices.get(range.clone()), values.get(range));
            let row = (indices.unwrap_or_default(), values.unwrap_or_default());
            return SparseRow::new(*dim, row.0, row.1).map(Features::Sparse);
        }
        Ok(self.row(t))
    }

    #[inline]
    fn row(&self, t: usize) -> Features<'a> {
        match self {
            ArrayRows::Dense { x, dim } => Features::Dense(&x[t * dim..(t + 1) * dim]),
            ArrayRows::Sparse { offsets, indices, values, dim } => {
                let range = offsets[t] as usize..offsets[t + 1] as usize;
                let (indices, values) = (&indices[range.clone()], &values[range]);
                Features::Sparse(SparseRow { dim: *dim, indices, values })
            }
        }
    }
}

/// [`Rounds`] as a stream.
pub(crate) struct ArrayStream<'a> {
    space: ActionSpace,
    rows: ArrayRows<'a>,
    label: &'a [i64],
    cost: &'a [f64],
    right: &'a [bool],
    available: &'a [bool],
    active: ActiveBuffer,
    next: usize,
}

impl Stream for ArrayStream<'_> {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.rows.dim()
    }

    #[inline]
    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let (t, experts) = (self.next, self.space.experts());
        // A round without classes has no label.
        let label = usize::try_from(*self.label.get(t)?).ok().filter(|_| self.space.classes() > 0);
        self.next += 1;
        let row = t * experts..(t + 1) * experts;
        let there = self.available[row.clone()].iter().enumerate();
        let there = there.filter_map(|(j, &there)| there.then_some(j));
        let active = self.active.fill(there).ok()?;
        Some(StreamRound {
            x: self.rows.row(t),
            active,
            label,
            costs: &self.cost[row.clone()],
            right: Right::Each(&self.right[row]),
            answers: None,
            scores: None,
        })
    }
}

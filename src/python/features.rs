//! What a Python program may give as an input: arrays, sparse rows, named features, text.

use crate::errors::{did_you_mean, kind, value_error};
use deferlab::problem::{Features, ProblemError, SparseRow, TEXT_DIM, hash_named, hash_text};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::BTreeMap;

/// An input, borrowed from numpy where that is possible.
pub(crate) enum Input<'py> {
    Borrowed(PyReadonlyArray1<'py, f64>),
    Dense(Vec<f64>),
    Sparse { dim: usize, indices: Vec<u32>, values: Vec<f64> },
}

impl Input<'_> {
    /// For the learner.
    #[inline]
    pub(crate) fn features(&self) -> PyResult<Features<'_>> {
        Ok(match self {
            Input::Borrowed(array) => Features::Dense(array.as_slice()?),
            Input::Dense(values) => Features::Dense(values),
            Input::Sparse { dim, indices, values } => {
                Features::Sparse(SparseRow::new(*dim, indices, values).map_err(value_error)?)
            }
        })
    }
}

/// How objects become inputs. Named features stand where the list says; without a list they are hashed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    /// `d`; the first input decides when it is not given.
    pub(crate) dim: Option<usize>,
    /// Names of the features.
    pub(crate) names: Option<Vec<String>>,
    places: BTreeMap<String, u32>,
}

impl Reader {
    pub(crate) fn new(dim: Option<usize>, names: Option<Vec<String>>) -> PyResult<Self> {
        let mut places = BTreeMap::new();
        for (place, name) in names.iter().flatten().enumerate() {
            if places.insert(name.clone(), place as u32).is_some() {
                return Err(value_error(format!("features: {name:?} is there twice")));
            }
        }
        if let (Some(dim), Some(names)) = (dim, &names)
            && dim != names.len()
        {
            return Err(value_error(format!(
                "dim = {dim}: expected {}, the number of features",
                names.len()
            )));
        }
        let dim = names.as_ref().map(Vec::len).or(dim);
        Ok(Reader { dim, names, places })
    }

    /// An array of another type, a list, a sparse row, a dict or a text.
    pub(crate) fn read<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Input<'py>> {
        if let Ok(array) = x.cast::<PyArray1<f64>>() {
            let array = array.try_readonly().map_err(value_error)?;
            if array.is_c_contiguous() {
                return Ok(Input::Borrowed(array));
            }
            return Ok(Input::Dense(array.as_array().to_vec()));
        }
        // What networks give.
        if let Ok(array) = x.cast::<PyArray1<f32>>() {
            let array = array.try_readonly().map_err(value_error)?;
            return Ok(Input::Dense(array.as_array().iter().map(|&v| f64::from(v)).collect()));
        }
        if let Ok(text) = x.cast::<PyString>() {
            return self.hashed(hash_text(&text.to_cow()?, self.hashed_dim()));
        }
        if let Ok(features) = x.cast::<PyDict>() {
            return self.named(features);
        }
        if x.hasattr("tocsr")? {
            return sparse(x);
        }
        self.converted(x)
    }

    fn hashed_dim(&self) -> usize {
        self.dim.unwrap_or(TEXT_DIM)
    }

    fn hashed(&self, sums: Result<(Vec<u32>, Vec<f64>), ProblemError>) -> PyResult<Input<'static>> {
        let (indices, values) = sums.map_err(value_error)?;
        Ok(Input::Sparse { dim: self.hashed_dim(), indices, values })
    }

    /// `{"age": 41, "city": "Lyon"}`: a number stands at its name, a text makes a name of its own.
    fn named(&self, features: &Bound<'_, PyDict>) -> PyResult<Input<'static>> {
        let mut pairs = Vec::with_capacity(features.len());
        for (name, value) in features.iter() {
            let name: String = name.str()?.extract()?;
            match value.cast::<PyString>() {
                Ok(text) => pairs.push((format!("{name}={}", text.to_cow()?), 1.0)),
                Err(_) => pairs.push((name, number(&value)?)),
            }
        }
        if self.names.is_none() {
            return self.hashed(hash_named(&pairs, self.hashed_dim()));
        }
        let mut at = BTreeMap::new();
        for (name, value) in pairs {
            let Some(&place) = self.places.get(&name) else {
                let known = self.places.keys().map(String::as_str);
                let near = did_you_mean(&name, known);
                return Err(value_error(format!("feature {name:?} is not known{near}")));
            };
            at.insert(place, value);
        }
        let (indices, values) = at.into_iter().unzip();
        Ok(Input::Sparse { dim: self.places.len(), indices, values })
    }

    /// Whatever numpy can make an array of.
    fn converted(&self, x: &Bound<'_, PyAny>) -> PyResult<Input<'static>> {
        let py = x.py();
        let numpy = py.import(pyo3::intern!(py, "numpy"))?;
        let array = numpy.call_method1(
            pyo3::intern!(py, "asarray"),
            (x, numpy.getattr(pyo3::intern!(py, "float64"))?),
        );
        let array = array.map_err(|cause| {
            let error = PyTypeError::new_err(format!(
                "x is {}: expected an array of numbers, a sparse row, a dict of features or a text",
                kind(x)
            ));
            error.set_cause(py, Some(cause));
            error
        })?;
        let shape: Vec<usize> = array.getattr(pyo3::intern!(py, "shape"))?.extract()?;
        if !matches!(shape[..], [_] | [1, _]) {
            return Err(value_error(format!("x has shape {}: expected one row", tuple(&shape))));
        }
        let array = array.call_method0(pyo3::intern!(py, "ravel"))?;
        let array = array.cast_into::<PyArray1<f64>>()?;
        Ok(Input::Dense(array.readonly().as_array().to_vec()))
    }
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| {
        PyTypeError::new_err(format!("a feature is {}: expected a number or a text", kind(value)))
    })
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
}

/// One row of a sparse matrix.
fn sparse(x: &Bound<'_, PyAny>) -> PyResult<Input<'static>> {
    let row = x.call_method0("tocsr")?;
    let shape: Vec<usize> = row.getattr("shape")?.extract()?;
    let dim = match shape[..] {
        [1, dim] | [dim] => dim,
        _ => return Err(value_error(format!("x has shape {}: expected one row", tuple(&shape)))),
    };
    row.call_method0("sum_duplicates")?;
    let values = row.getattr("data")?.call_method1("astype", ("float64",))?;
    let values: PyReadonlyArray1<'_, f64> = values.extract()?;
    let indices = row.getattr("indices")?.call_method1("astype", ("uint32",))?;
    let indices: PyReadonlyArray1<'_, u32> = indices.extract()?;
    Ok(Input::Sparse {
        dim,
        indices: indices.as_slice()?.to_vec(),
        values: values.as_slice()?.to_vec(),
    })
}

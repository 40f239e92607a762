//! An input with its scores, kept between decide and observe.

use super::LearnerError;
use crate::kernels;
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, ProblemError, SparseRow};
use serde::{Deserialize, Serialize};

/// An input and its scores, in buffers that are allocated once.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    sparse: bool,
    indices: Vec<u32>,
    pub values: Vec<f64>,
    /// `|(x, 1)|^2`
    pub x_norm2: f64,
    /// Scores of all lanes, in the units of the matrix they came from.
    pub lanes: Vec<f64>,
}

impl Scored {
    pub(crate) fn new(lanes: usize) -> Self {
        let (indices, values) = (Vec::new(), Vec::new());
        Scored { sparse: false, indices, values, x_norm2: 1.0, lanes: vec![0.0; lanes] }
    }

    /// Completes what was written into `lanes` and `values`, the scores and a copy of `x`, and insists that
    /// everything is finite. `squares` is the sum of the squared values.
    #[inline(always)]
    pub(crate) fn complete(
        &mut self,
        t: u64,
        x: Features<'_>,
        squares: f64,
    ) -> Result<(), LearnerError> {
        self.x_norm2 = 1.0 + squares;
        self.sparse = false;
        if let Features::Sparse(row) = x {
            self.sparse = true;
            self.indices.clear();
            self.indices.extend_from_slice(row.indices);
        }
        if kernels::are_finite(squares, &self.lanes) {
            return Ok(());
        }
        x.check_finite().map_err(|source| LearnerError::Round { t, source })?;
        Err(LearnerError::Overflow { t })
    }

    /// The input, which is dense.
    #[inline]
    pub(crate) fn dense(&self) -> &[f64] {
        debug_assert!(!self.sparse);
        &self.values
    }

    #[inline]
    pub(crate) fn features(&self, dim: usize) -> Features<'_> {
        if self.sparse {
            Features::Sparse(SparseRow { dim, indices: &self.indices, values: &self.values })
        } else {
            Features::Dense(&self.values)
        }
    }
}

/// Whether a question belongs to a learner of this shape at all.
#[inline]
pub(super) fn check_question(
    t: u64,
    space: ActionSpace,
    dim: usize,
    x: Features<'_>,
    active: ActiveRef<'_>,
) -> Result<(), LearnerError> {
    let other = active.space();
    if other != space {
        let (got_n, got_e) = (other.classes(), other.experts());
        let (n, n_e) = (space.classes(), space.experts());
        return Err(LearnerError::OtherSpace { t, got_n, got_e, n, n_e });
    }
    if x.dim() != dim {
        let source = ProblemError::DimensionMismatch { got: x.dim(), expected: dim };
        return Err(LearnerError::Round { t, source });
    }
    if active.is_empty() {
        return Err(LearnerError::NobodyAvailable { t });
    }
    Ok(())
}

/// An open question, written down.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    indices: Option<Vec<u32>>,
    values: Vec<f64>,
    available: Vec<usize>,
}

impl Question {
    pub(crate) fn new(x: &Scored, active: ActiveRef<'_>) -> Self {
        let indices = x.sparse.then(|| x.indices.clone());
        Question { indices, values: x.values.clone(), available: active.experts().collect() }
    }

    /// Asks it again.
    pub(crate) fn ask(
        self,
        space: ActionSpace,
        dim: usize,
        decide: impl FnOnce(Features<'_>, ActiveRef<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError> {
        let mut active = ActiveBuffer::new(space);
        active.fill(self.available)?;
        let x = match &self.indices {
            Some(indices) => SparseRow::new(dim, indices, &self.values)?.into(),
            None => Features::Dense(&self.values),
        };
        decide(x, active.get())
    }
}

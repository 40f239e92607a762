//! The score matrix as `W = scale * V`, so that projecting on the Frobenius ball costs nothing.
//!
//! Shrinking `W` into the ball only changes `scale`. The norm that decides about it is carried
//! along from numbers a round has at hand:
//!
//! ```text
//! |V + D|^2 = |V|^2 + 2 <V, D> + |D|^2,    <V, c x~^T> = sum_a c_a <V_a, x~>
//! ```
//!
//! and is recomputed from scratch on a schedule fixed by the work done, so that rounding cannot
//! build up and a round stays `O(N nnz)` on average.

use super::LearnerError;
use super::scored::Scored;
use crate::kernels::{self, Asked, Chosen, Columns, Cpu, Motion};
use crate::prec;
use problem::{ActiveSet, Features};

/// `N x (d+1)` weights, bias last, held as `scale * V`.
#[derive(Clone, Debug)]
pub(crate) struct ScaledWeights {
    v: Columns,
    scale: f64,
    norm2: Compensated,
    /// Features visited since the norm was last computed from scratch.
    touched: u64,
}

/// A running sum that also carries what its additions rounded away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    /// Knuth's two-sum: exact, and without a branch.
    #[inline]
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let shifted = sum - self.sum;
        self.lost += (self.sum - (sum - shifted)) + (term - shifted);
        self.sum = sum;
    }

    #[inline]
    fn value(self) -> f64 {
        (self.sum + self.lost).max(0.0)
    }
}

/// How [`ScaledWeights`] is written down: plain rows and the parts of the running norm.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedWeights {
    columns: Vec<Vec<f64>>,
    scale: f64,
    norm2: (f64, f64),
    touched: u64,
}

impl ScaledWeights {
    /// `W = 0`.
    pub(crate) fn zeros(actions: usize, dim: usize) -> Self {
        ScaledWeights {
            v: Columns::zeros(actions, dim + 1),
            scale: 1.0,
            norm2: Compensated::default(),
            touched: 0,
        }
    }

    /// The factor between `V` and `W`.
    #[inline]
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Length of every lane array.
    #[inline]
    pub(crate) fn lanes(&self) -> usize {
        self.v.lanes()
    }

    /// Announces `W += c x~^T` and says whether the result is finite. If so, the norm is carried along,
    /// and `V` follows in [`Self::apply`] or on the way of [`Self::scores`]. `c` is in units of `V`;
    /// `of_c` are its inner product with the scores of `V` at `x`, and `|c|^2`; `x_norm2 = |x~|^2`.
    #[inline]
    pub(super) fn announce_rank_one(
        &mut self,
        x: Features<'_>,
        x_norm2: f64,
        of_c: Motion,
    ) -> bool {
        let motion = Motion { dot: of_c.dot, norm2: of_c.norm2 * x_norm2 };
        if !(self.norm2.value() + 2.0 * motion.dot + motion.norm2).is_finite() {
            return false;
        }
        self.moved(motion, x);
        true
    }

    /// Carries out an announced step.
    #[inline]
    pub(super) fn apply(&mut self, cpu: Cpu, (x, c): (Features<'_>, &[f64])) {
        kernels::rank_one(cpu, &mut self.v, x, c);
    }

    /// Scores of `V` at `x`, once the step announced at a dense input has been carried out, and what is
    /// chosen among the active actions: in one pass over the entries where `x` is dense, too. `next` gets
    /// the scores and the values of `x`; the sum of the squared values is returned. Nothing is chosen if
    /// that or a score is not finite.
    #[inline(always)]
    pub(super) fn choose(
        &mut self,
        cpu: Cpu,
        announced: Option<(&[f64], &[f64])>,
        x: Features<'_>,
        next: &mut Scored,
        (active, gamma, chosen): (&ActiveSet, f64, &mut Chosen),
    ) -> f64 {
        // The columns of a sparse input are few: nothing would be carried out on the way.
        let (step, sparse) = match (announced, x) {
            (Some((before, c)), Features::Sparse(row)) => {
                self.apply(cpu, (Features::Dense(before), c));
                (None, Some(row))
            }
            (None, Features::Sparse(row)) => (None, Some(row)),
            (step, Features::Dense(_)) => (step, None),
        };
        let Scored { values: copy, lanes: scores, .. } = next;
        let (v, x) = ((&mut self.v, self.scale), x.values());
        let asked = Asked { v, step, x, copy, scores, active, gamma, chosen };
        kernels::score_and_choose(cpu, asked, sparse)
    }

    /// One AdaGrad step on the gradient `g x~^T`. Each entry moves by at most `rate`, so the
    /// result is finite whenever the squared gradient is.
    #[inline]
    pub(super) fn adagrad_step(
        &mut self,
        cpu: Cpu,
        accumulator: &mut Columns,
        x: Features<'_>,
        g: &[f64],
        (rate, epsilon): (f64, f64),
    ) {
        let hyper = (rate, epsilon, 1.0 / self.scale);
        let motion = kernels::adagrad_step(cpu, &mut self.v, accumulator, x, g, hyper);
        self.moved(motion, x);
    }

    #[inline]
    fn moved(&mut self, motion: Motion, x: Features<'_>) {
        self.norm2.add(2.0 * motion.dot);
        self.norm2.add(motion.norm2);
        self.touched += x.values().len() as u64 + 1;
    }

    /// Euclidean projection on `|W|_F <= radius`.
    #[inline]
    pub(super) fn project_ball(&mut self, radius: f64) {
        let norm2 = self.norm2.value();
        if self.scale * self.scale * norm2 > radius * radius {
            self.scale = radius / norm2.sqrt();
        }
    }

    /// Whether enough work has been done to pay for [`Self::refresh`], or the scale has become small.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        let due = prec::NORM_REFRESH_WORK * self.v.len() as u64;
        self.touched >= due || self.scale < prec::SMALLEST_SCALE
    }

    /// Recomputes the norm and folds the scale in. No step may be waiting.
    #[cold]
    pub(super) fn refresh(&mut self, cpu: Cpu) {
        if self.scale != 1.0 {
            kernels::rescale(cpu, &mut self.v, self.scale);
            self.scale = 1.0;
        }
        self.norm2 = Compensated { sum: kernels::norm2(cpu, &self.v), lost: 0.0 };
        self.touched = 0;
    }

    /// `|W|_F`, from scratch.
    pub(crate) fn norm(&self, cpu: Cpu) -> f64 {
        self.scale * kernels::norm2(cpu, &self.v).sqrt()
    }

    /// `W_{action, column}`; column `d` is the bias.
    pub(crate) fn entry(&self, action: usize, column: usize) -> f64 {
        self.scale * self.v.column(column)[action]
    }

    /// All of `W`, one vector per action, bias last.
    pub(crate) fn rows(&self) -> Vec<Vec<f64>> {
        let row = |a| (0..self.v.len()).map(|j| self.entry(a, j)).collect();
        (0..self.v.actions()).map(row).collect()
    }

    pub(super) fn save(&self) -> SavedWeights {
        SavedWeights {
            columns: save_columns(&self.v),
            scale: self.scale,
            norm2: (self.norm2.sum, self.norm2.lost),
            touched: self.touched,
        }
    }

    pub(super) fn restore(
        saved: SavedWeights,
        actions: usize,
        dim: usize,
    ) -> Result<Self, LearnerError> {
        let SavedWeights { columns, scale, norm2: (sum, lost), touched } = saved;
        let bad = |what: String| Err(LearnerError::BadState(what));
        if !(scale > 0.0 && scale.is_finite()) {
            return bad(format!("scale = {scale}"));
        }
        if !(sum.is_finite() && lost.is_finite()) {
            return bad(format!("norm2 = ({sum}, {lost})"));
        }
        let v = restore_columns("weights", &columns, actions, dim + 1)?;
        Ok(ScaledWeights { v, scale, norm2: Compensated { sum, lost }, touched })
    }
}

pub(super) fn save_columns(v: &Columns) -> Vec<Vec<f64>> {
    (0..v.len()).map(|j| v.column(j).to_vec()).collect()
}

pub(super) fn restore_columns(
    field: &str,
    saved: &[Vec<f64>],
    actions: usize,
    columns: usize,
) -> Result<Columns, LearnerError> {
    let bad = |what: String| Err(LearnerError::BadState(what));
    if saved.len() != columns {
        return bad(format!("{field} has {} columns, expected {columns}", saved.len()));
    }
    let mut v = Columns::zeros(actions, columns);
    for (j, column) in saved.iter().enumerate() {
        if column.len() != actions {
            let got = column.len();
            return bad(format!("{field}[{j}] has {got} entries, expected {actions}"));
        }
        if let Some(a) = column.iter().position(|w| !w.is_finite()) {
            return bad(format!("{field}[{j}][{a}] = {}", column[a]));
        }
        v.column_mut(j).copy_from_slice(column);
    }
    Ok(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `V` with the given first column, everything else zero.
    fn weights(column: [f64; 2], scale: f64) -> ScaledWeights {
        let mut weights = ScaledWeights::zeros(2, 3);
        weights.v.column_mut(0).copy_from_slice(&column);
        weights.scale = scale;
        weights
    }

    #[test]
    fn what_rounding_takes_is_kept() {
        let total = |terms: &[f64]| {
            let mut sum = Compensated::default();
            terms.iter().for_each(|&term| sum.add(term));
            sum.value()
        };
        assert_eq!(total(&[1e16, 1.0, -1e16]), 1.0);
        assert_eq!(total(&[1.0, 1e16, -1e16]), 1.0);
        assert_eq!(total(&[1e16, 1.0, 1.0, 1.0, -1e16]), 3.0);
    }

    /// The new squared norm is `|V|^2 + 2 <V, D> + |D|^2`; whichever part makes it overflow, the
    /// step is refused and nothing moves.
    #[test]
    fn a_step_that_overflows_is_refused() {
        let step = |norm2: f64, dot: f64, d_norm2: f64| {
            let mut weights = weights([1.0, 0.0], 1.0);
            weights.norm2.sum = norm2;
            let mut c = vec![0.0; weights.lanes()];
            c[0] = 1.0;
            let x = Features::Dense(&[0.0, 0.0, 0.0]);
            let before = weights.norm2;
            let done = weights.announce_rank_one(x, d_norm2, Motion { dot, norm2: 1.0 });
            assert_eq!(weights.norm2 != before, done);
            assert_eq!(weights.v.column(3), [0.0, 0.0], "announced, not carried out");
            weights.apply(Cpu::portable(), (x, &c));
            assert_eq!(weights.v.column(3), [1.0, 0.0]);
            done
        };
        assert!(!step(1.5e308, 0.5e308, 0.0));
        assert!(!step(1e308, 0.5e308, 0.0));
        assert!(!step(1e308, 0.0, 1e308));
        assert!(step(1e200, 1e160, 1e200));
    }

    #[test]
    fn the_norm_is_recomputed_when_it_is_due() {
        let refreshed = |touched: u64, scale: f64| {
            let mut weights = weights([3.0, 4.0], scale);
            (weights.norm2.sum, weights.touched) = (7.0, touched);
            let before = weights.rows();
            if !weights.is_due() {
                return false;
            }
            weights.refresh(Cpu::portable());
            assert_eq!(weights.rows(), before);
            // |(3, 4)|^2 = 25, now that the scale is folded in.
            assert_eq!((weights.norm2.sum, weights.norm2.lost), (25.0 * scale * scale, 0.0));
            assert_eq!((weights.scale, weights.touched), (1.0, 0));
            true
        };
        let due = prec::NORM_REFRESH_WORK * 4;
        assert!(refreshed(due, 1.0) && refreshed(due, 0.5));
        assert!(!refreshed(due - 1, 0.5));
        assert!(refreshed(0, 2f64.powi(-200)), "a scale below 1e-60");
        assert!(!refreshed(0, prec::SMALLEST_SCALE));
    }

    #[test]
    fn a_saved_state_that_cannot_be_is_refused() {
        let restore = |scale: f64, norm2: (f64, f64)| {
            let columns = vec![vec![0.0, 0.0]; 4];
            ScaledWeights::restore(SavedWeights { columns, scale, norm2, touched: 0 }, 2, 3)
        };
        assert!(restore(1.0, (1.0, 0.0)).is_ok());
        for (scale, norm2) in [
            (0.0, (1.0, 0.0)),
            (f64::INFINITY, (1.0, 0.0)),
            (1.0, (f64::NAN, 0.0)),
            (1.0, (1.0, f64::INFINITY)),
        ] {
            assert!(restore(scale, norm2).is_err(), "{scale} {norm2:?}");
        }
    }
}

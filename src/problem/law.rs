//! The conditional law of a round: how likely each label is and what each expert then costs.

use super::{ActionSpace, ProblemError};
use crate::prec;

/// `p(. | x, A)` and the costs `c_j(x, y)`, checked.
///
/// Everything exact about a round follows from it; the action scores `s`, their mass and the
/// risks are computed in `theory`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundLaw {
    /// The space of actions this law speaks of.
    pub space: ActionSpace,
    /// Label probabilities.
    pub p: Vec<f64>,
    /// Row-major `n_e x n`: the cost of expert `j` when the label is `y`.
    cost: Vec<f64>,
}

impl RoundLaw {
    /// `p[y]` is the probability of label `y`; `cost[j][y]` the cost of expert `j` at label `y`.
    ///
    /// # Errors
    /// Names the entry that is out of range, or the sum that is not one.
    pub fn new(
        space: ActionSpace,
        p: &[f64],
        cost: &[impl AsRef<[f64]>],
    ) -> Result<Self, ProblemError> {
        check_distribution("p", p, space.classes())?;
        if cost.len() != space.experts() {
            return Err(ProblemError::WrongLength {
                field: "c".into(),
                got: cost.len(),
                expected: space.experts(),
            });
        }
        let mut flat = Vec::with_capacity(space.experts() * space.classes());
        for (j, row) in cost.iter().map(AsRef::as_ref).enumerate() {
            if row.len() != space.classes() {
                return Err(ProblemError::WrongLength {
                    field: format!("c[{j}]"),
                    got: row.len(),
                    expected: space.classes(),
                });
            }
            for (y, &value) in row.iter().enumerate() {
                if !(0.0..=1.0).contains(&value) {
                    return Err(ProblemError::CostOutOfRange {
                        field: format!("c[{j}][{y}]"),
                        value,
                    });
                }
            }
            flat.extend_from_slice(row);
        }
        Ok(RoundLaw { space, p: p.to_vec(), cost: flat })
    }

    /// `c_j(x, y)` for `y = 0..n`.
    #[must_use]
    pub fn cost(&self, expert: usize) -> &[f64] {
        let n = self.space.classes();
        &self.cost[expert * n..(expert + 1) * n]
    }

    /// The label at quantile `u` in `[0, 1)`: how a uniform draw becomes a label.
    #[must_use]
    #[inline]
    pub fn label_at(&self, u: f64) -> usize {
        // How many sums do not exceed `u`, which is where the first does: they only grow. Without an end
        // on the way, because nobody can guess it.
        let (mut below, mut at) = (0.0, 0);
        for p in &self.p {
            below += p;
            at += usize::from(u < below) ^ 1;
        }
        if at < self.p.len() {
            return at;
        }
        // Rounding can leave the sum just below one: the last label that can happen takes the rest.
        self.p.iter().rposition(|&p| p > 0.0).unwrap_or(0)
    }
}

/// Checks that `values` is a distribution over `expected` outcomes, up to [`prec::SUM_TO_ONE`].
pub fn check_distribution(
    field: &'static str,
    values: &[f64],
    expected: usize,
) -> Result<(), ProblemError> {
    if values.len() != expected {
        return Err(ProblemError::WrongLength { field: field.into(), got: values.len(), expected });
    }
    for (i, &value) in values.iter().enumerate() {
        if !(0.0..=1.0).contains(&value) {
            return Err(ProblemError::ProbabilityOutOfRange {
                field: format!("{field}[{i}]"),
                value,
            });
        }
    }
    let sum: f64 = values.iter().sum();
    if (sum - 1.0).abs() > prec::SUM_TO_ONE {
        return Err(ProblemError::NotADistribution { field, sum });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_checked_entry_by_entry() {
        let space = ActionSpace::new(2, 1).unwrap();
        assert!(RoundLaw::new(space, &[0.25, 0.75], &[[0.1, 1.0]]).is_ok());
        let message =
            |p: &[f64], c: &[Vec<f64>]| RoundLaw::new(space, p, c).unwrap_err().to_string();
        assert!(message(&[0.5, 0.6], &[vec![0.0, 0.0]]).contains("sums to 1.1"));
        assert!(message(&[1.5, -0.5], &[vec![0.0, 0.0]]).contains("p[0]"));
        assert!(message(&[f64::NAN, 1.0], &[vec![0.0, 0.0]]).contains("p[0]"));
        assert!(message(&[0.5, 0.5], &[vec![0.0, 1.1]]).contains("c[0][1]"));
        assert!(message(&[0.5, 0.5], &[vec![0.0]]).contains("c[0]"));
        assert!(message(&[0.5, 0.5], &[]).contains("c has 0 entries"));
        assert!(message(&[1.0], &[vec![0.0, 0.0]]).contains("p has 1 entries"));
    }

    #[test]
    fn quantiles_become_labels() {
        let space = ActionSpace::new(3, 0).unwrap();
        let law = RoundLaw::new(space, &[0.5, 0.5, 0.0], &[] as &[[f64; 3]]).unwrap();
        assert_eq!([0.0, 0.49, 0.5, 0.999].map(|u| law.label_at(u)), [0, 0, 1, 1]);
        // A label without mass is never drawn, not even by rounding.
        assert_eq!(law.label_at(1.0), 1);
    }
}

//! Action scores `s`, their mass `S` and the normalised scores `s-bar` (Sec. 6).

use super::TheoryError;
use crate::prec;
use problem::{ActiveSet, RoundLaw};

/// What each active action is worth in a round.
///
/// # Formula
/// ```text
/// s_y     = p(y | x)                         classes
/// s_{n+j} = 1 - sum_y p(y | x) c_j(x, y)     available experts
/// S       = sum_a s_a,   s-bar_a = s_a / S,   y_max = argmax_a s_a (lowest index at ties)
/// ```
/// Checked by what makes it; to be read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scores {
    /// The active set the scores are aligned with.
    pub active: ActiveSet,
    /// `s`, aligned with the active actions.
    pub s: Vec<f64>,
    /// `S`, between 1 and `K`.
    pub mass: f64,
}

impl Scores {
    /// Scores of a round with law `law` and active actions `active`.
    ///
    /// # Errors
    /// `law` and `active` belong to different spaces.
    pub fn from_law(law: &RoundLaw, active: ActiveSet) -> Result<Self, TheoryError> {
        if law.space != active.space() {
            return Err(TheoryError::SpaceMismatch { field: "active" });
        }
        let expert_score = |j| {
            let cost: f64 = law.p.iter().zip(law.cost(j)).map(|(p, c)| p * c).sum();
            // p may miss a sum of one by a rounding, and the score [0, 1] by as much.
            (1.0 - cost).clamp(0.0, 1.0)
        };
        let s: Vec<f64> = law.p.iter().copied().chain(active.experts().map(expert_score)).collect();
        let mass = s.iter().sum();
        Ok(Scores { active, s, mass })
    }

    /// Scores given as such, aligned with `active`.
    ///
    /// # Errors
    /// Names the entry outside `[0, 1]`, the wrong length, or class scores that do not sum to one.
    pub fn from_slice(active: ActiveSet, s: &[f64]) -> Result<Self, TheoryError> {
        if s.len() != active.len() {
            return Err(TheoryError::WrongLength {
                field: "s",
                got: s.len(),
                expected: active.len(),
            });
        }
        for (i, &value) in s.iter().enumerate() {
            if !(0.0..=1.0).contains(&value) {
                return Err(TheoryError::out_of_range(
                    format!("s[{i}]"),
                    value,
                    "a score in [0, 1]",
                ));
            }
        }
        let n = active.space().classes();
        let classes: f64 = s[..n].iter().sum();
        if (classes - 1.0).abs() > prec::SUM_TO_ONE {
            return Err(TheoryError::WrongSum {
                field: "s over the classes",
                sum: classes,
                expected: 1.0,
            });
        }
        Ok(Scores { active, s: s.to_vec(), mass: s.iter().sum() })
    }
}

/// First position of the largest value.
#[must_use]
pub fn argmax(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;

    #[test]
    fn a_hand_computed_round() {
        let space = ActionSpace::new(2, 2).unwrap();
        let law = RoundLaw::new(space, &[0.25, 0.75], &[[1.0, 1.0], [0.5, 0.25]]).unwrap();
        let scores = Scores::from_law(&law, space.active([1]).unwrap()).unwrap();
        // 1 - (0.25 * 0.5 + 0.75 * 0.25) = 0.6875
        assert_eq!(scores.s, [0.25, 0.75, 0.6875]);
        assert_eq!(scores.mass, 1.6875);
        assert_eq!(argmax(&scores.s), 1);
        let all = Scores::from_law(&law, space.all_active()).unwrap();
        assert_eq!(all.s, [0.25, 0.75, 0.0, 0.6875]);
        assert_eq!(Scores::from_slice(space.all_active(), &all.s), Ok(all));
    }

    #[test]
    fn ties_go_to_the_lowest_index() {
        assert_eq!(argmax(&[0.5, 0.5, 0.5, 0.5]), 0);
        assert_eq!(argmax(&[0.5, 0.5, 0.1, 0.9]), 3);
    }

    #[test]
    fn bad_scores_are_named() {
        let space = ActionSpace::new(2, 1).unwrap();
        let message =
            |s: &[f64]| Scores::from_slice(space.all_active(), s).unwrap_err().to_string();
        assert!(message(&[0.5, 0.5]).contains("s has 2 entries"));
        assert!(message(&[0.5, 0.5, 1.5]).contains("s[2] = 1.5"));
        assert!(message(&[0.5, f64::NAN, 0.5]).contains("s[1]"));
        assert!(message(&[0.5, 0.6, 0.5]).contains("s over the classes sums to 1.1"));
        let other = ActionSpace::new(3, 0).unwrap();
        let law = RoundLaw::new(other, &[1.0, 0.0, 0.0], &[] as &[[f64; 3]]).unwrap();
        assert!(Scores::from_law(&law, space.all_active()).is_err());
    }
}

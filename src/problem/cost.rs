//! Normalized cost of asking an expert (Sec. 3).

use super::ProblemError;
use serde::{Deserialize, Serialize};

/// Cost of one expert: `alpha` for a wrong answer and `beta` for asking at all.
///
/// # Formula
/// ```text
/// r = alpha * 1{g(x) != y} + beta        raw cost
/// c = r / max(1, alpha + beta)           normalized, in [0, 1]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawCost", into = "RawCost")]
pub struct ExpertCost {
    /// What a wrong answer costs.
    alpha: f64,
    /// What asking costs.
    beta: f64,
}

#[derive(Serialize, Deserialize)]
struct RawCost {
    alpha: f64,
    beta: f64,
}

impl TryFrom<RawCost> for ExpertCost {
    type Error = ProblemError;
    fn try_from(raw: RawCost) -> Result<Self, ProblemError> {
        ExpertCost::new(raw.alpha, raw.beta)
    }
}

impl From<ExpertCost> for RawCost {
    fn from(cost: ExpertCost) -> Self {
        RawCost { alpha: cost.alpha, beta: cost.beta }
    }
}

impl ExpertCost {
    /// # Errors
    /// `alpha` or `beta` negative, infinite or NaN.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ProblemError> {
        for (field, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ProblemError::NegativeCost { field, value });
            }
        }
        if !(alpha + beta).is_finite() {
            return Err(ProblemError::NegativeCost { field: "alpha + beta", value: alpha + beta });
        }
        Ok(ExpertCost { alpha, beta })
    }

    /// `c` for a right or a wrong answer.
    #[inline]
    #[must_use]
    pub fn normalized(self, correct: bool) -> f64 {
        let raw = if correct { self.beta } else { self.alpha + self.beta };
        raw / 1f64.max(self.alpha + self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalization_only_shrinks() {
        let paper = ExpertCost::new(1.0, 0.1).unwrap();
        assert_eq!(paper.normalized(false), 1.0);
        assert!((paper.normalized(true) - 1.0 / 11.0).abs() < 1e-15);
        // alpha + beta below one: left as it is.
        let cheap = ExpertCost::new(0.5, 0.2).unwrap();
        assert_eq!((cheap.normalized(true), cheap.normalized(false)), (0.2, 0.7));
    }

    #[test]
    fn bad_costs_are_named() {
        let message = ExpertCost::new(1.0, -0.5).unwrap_err().to_string();
        assert!(message.contains("beta") && message.contains("-0.5"), "{message}");
        assert!(ExpertCost::new(f64::NAN, 0.0).is_err());
        assert!(ExpertCost::new(f64::MAX, f64::MAX).is_err());
    }
}

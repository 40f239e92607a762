//! LinUCB with disjoint linear models (Li, Chu, Langford and Schapire 2010, Alg. 1).

use crate::LearnerError;
use crate::linear::{Linear, LinearConfig, Rule, positive};

/// Plays the active action with the largest `<w_a, x~> + alpha sqrt(x~^T A_a^-1 x~)`, the lowest index
/// at a tie: `q` is one on it. With `lambda = 1` this is the textbook form.
pub(crate) type LinUcb = Linear<UpperBound>;

/// The rule of [`LinUcb`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct UpperBound {
    alpha: f64,
}

impl LinUcb {
    /// `alpha` times the width is added to the mean.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub(crate) fn new(config: LinearConfig, alpha: f64) -> Result<Self, LearnerError> {
        positive("alpha", alpha)?;
        Linear::with_rule(config, UpperBound { alpha })
    }
}

impl Rule for UpperBound {
    fn score(&mut self, mean: f64, width: f64) -> f64 {
        mean + self.alpha * width.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use problem::{ActionSpace, Features, Feedback};

    /// Two classes, `x = 1`, so `x~ = (1, 1)`, and `alpha = 1`. At first `A = I`: both bounds are
    /// `sqrt(2)`, class 0 is played. Wrong: `A_0 = ((2, 1), (1, 2))`, `x~^T A_0^-1 x~ = 2/3`, mean 0:
    /// `sqrt(2/3) < sqrt(2)`, class 1 is played. Right: `w_1 = (1/3, 1/3)`, bound `2/3 + sqrt(2/3)`.
    /// At `x = -1` class 1 has mean 0 and width `x~^T A^-1 x~ = 2`, as class 0: a tie.
    #[test]
    fn three_rounds_by_hand() {
        let space = ActionSpace::new(2, 0).unwrap();
        let mut policy = LinUcb::new(LinearConfig::new(space, 1), 1.0).unwrap();
        let (x, all) = ([1.0], space.all_active());
        let close = |got: &[f64], expected: [f64; 2]| {
            got.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{got:?}"));
        };
        let decision = policy.decide(Features::from(&x), all).unwrap();
        close(decision.scores, [2f64.sqrt(); 2]);
        assert_eq!(decision.q, [1.0, 0.0]);
        let action = space.class(0).unwrap();
        policy.observe(Feedback::Bandit { action, correct: false, cost: None }).unwrap();
        let decision = policy.decide(Features::from(&x), all).unwrap();
        close(decision.scores, [(2f64 / 3.0).sqrt(), 2f64.sqrt()]);
        assert_eq!(decision.q, [0.0, 1.0]);
        let action = space.class(1).unwrap();
        policy.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
        let decision = policy.decide(Features::from(&x), all).unwrap();
        close(decision.scores, [(2f64 / 3.0).sqrt(), 2.0 / 3.0 + (2f64 / 3.0).sqrt()]);
        let decision = policy.decide(Features::Dense(&[-1.0]), all).unwrap();
        close(decision.scores, [2f64.sqrt(); 2]);
    }

    #[test]
    fn a_width_of_nothing_is_refused() {
        let config = LinearConfig::new(ActionSpace::new(2, 0).unwrap(), 1);
        assert!(LinUcb::new(config, 0.0).unwrap_err().to_string().starts_with("alpha = 0"));
    }
}

//! Thompson sampling with linear models (Agrawal and Goyal 2013), one model per action.

use crate::LearnerError;
use crate::linear::{Linear, LinearConfig, Rule, positive};

/// Draws every active action's weights from `N(w_a, v^2 A_a^-1)` and plays the action that looks best
/// under the draw: `q` is one on it, so it is the distribution *given* the draw, not over draws.
///
/// Only `<draw, x~>` matters, which is `N(<w_a, x~>, v^2 x~^T A_a^-1 x~)`: one standard normal number
/// per active action, in increasing order of actions. Where they come from is up to whoever builds the
/// policy (`D`), so that randomness stays outside here too. Asking again draws again.
pub(crate) type LinearThompson<D> = Linear<Posterior<D>>;

/// The rule of [`LinearThompson`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posterior<D> {
    scale: f64,
    normal: D,
}

impl<D: FnMut() -> f64> LinearThompson<D> {
    /// `scale` is `v`; `normal` gives independent standard normal numbers.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub(crate) fn new(config: LinearConfig, scale: f64, normal: D) -> Result<Self, LearnerError> {
        positive("scale", scale)?;
        Linear::with_rule(config, Posterior { scale, normal })
    }
}

impl<D: FnMut() -> f64> Rule for Posterior<D> {
    fn score(&mut self, mean: f64, width: f64) -> f64 {
        mean + self.scale * width.sqrt() * (self.normal)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use problem::{ActionSpace, Features, Feedback};

    /// Two classes, `x = 1`, `v = 1/2`, the draws given. Untried: means 0, variances `x~^T x~ = 2`, so
    /// `sqrt(2)/2` times the draws. After a right answer of class 1: mean 2/3, variance 2/3.
    #[test]
    fn two_rounds_by_hand() {
        let space = ActionSpace::new(2, 0).unwrap();
        let mut draws = [1.0, 2.0, 3.0, -1.0].into_iter();
        let normal = move || draws.next().unwrap();
        let mut policy = LinearThompson::new(LinearConfig::new(space, 1), 0.5, normal).unwrap();
        let (x, all) = ([1.0], space.all_active());
        let close = |got: &[f64], expected: [f64; 2]| {
            got.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{got:?}"));
        };
        let decision = policy.decide(Features::from(&x), all).unwrap();
        close(decision.scores, [0.5 * 2f64.sqrt(), 2f64.sqrt()]);
        assert_eq!(decision.q, [0.0, 1.0]);
        let action = space.class(1).unwrap();
        policy.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
        let decision = policy.decide(Features::from(&x), all).unwrap();
        close(decision.scores, [1.5 * 2f64.sqrt(), 2.0 / 3.0 - 0.5 * (2f64 / 3.0).sqrt()]);
        assert_eq!(decision.q, [1.0, 0.0]);
    }
}

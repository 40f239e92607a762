//! What a policy answers when it is asked to act.

use crate::problem::{Action, ActiveSet};

/// A distribution over the active actions, with the scores behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision<'a> {
    /// The active actions; `scores` and `q` follow its order.
    pub active: ActiveSet,
    /// Projected scores of the active actions, summing to zero. Empty for policies without scores.
    pub scores: &'a [f64],
    /// `q_t`: the probability with which each active action is to be played.
    pub q: &'a [f64],
    /// `y*_t`: the greedy action.
    pub greedy: Action,
    /// `gamma_t`: the share of uniform exploration in `q`.
    pub gamma: f64,
}

impl Decision<'_> {
    /// The action at quantile `u` in `[0, 1)` of `q`: how a uniform draw becomes an action.
    #[inline]
    pub fn sample(&self, u: f64) -> Action {
        let mut below = 0.0;
        let mut last = self.greedy;
        for (action, &q) in self.active.iter().zip(self.q) {
            below += q;
            if q > 0.0 {
                if u < below {
                    return action;
                }
                last = action;
            }
        }
        // Rounding can leave the sum just below one: the last possible action takes the rest.
        last
    }

    /// `q_t(action)`, zero if it is not active.
    pub fn probability(&self, action: Action) -> f64 {
        self.active.position(action).map_or(0.0, |k| self.q[k])
    }
}

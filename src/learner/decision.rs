//! What a policy answers when it is asked to act.

use problem::{Action, ActiveRef};

/// A distribution over the active actions, with the scores behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision<'a> {
    /// The active actions; `scores` and `q` follow its order.
    pub active: ActiveRef<'a>,
    /// What the policy ranks the active actions by: projected scores, summing to zero, for
    /// Algorithm 1; estimates of `s` for a router; empty for policies without scores.
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
    #[must_use]
    pub fn sample(&self, u: f64) -> Action {
        let (mut below, mut at) = (0.0, 0);
        // How many sums do not exceed `u`, which is where the first does: they only grow. Four at a time,
        // because nobody can guess where it ends.
        let (fours, rest) = self.q.as_chunks::<4>();
        for four in fours {
            for q in four {
                below += q;
                at += usize::from(u < below) ^ 1;
            }
            if u < below {
                break;
            }
        }
        // Where it has ended, more only adds to a sum that is above `u`.
        for q in rest {
            below += q;
            at += usize::from(u < below) ^ 1;
        }
        // Rounding can leave the sum just below one: the last possible action takes the rest.
        let last = || self.q.iter().rposition(|&q| q > 0.0).unwrap_or(0);
        self.active.nth(if at < self.q.len() { at } else { last() }).unwrap_or(self.greedy)
    }

    /// `q_t(action)`, zero if it is not active.
    #[must_use]
    pub fn probability(&self, action: Action) -> f64 {
        self.active.position(action).map_or(0.0, |k| self.q[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;

    #[test]
    fn quantiles_become_actions() {
        let space = ActionSpace::new(2, 2).unwrap();
        let active = space.active([1]).unwrap();
        let greedy = space.class(0).unwrap();
        let decision = Decision { active, scores: &[], q: &[0.5, 0.0, 0.5], greedy, gamma: 0.1 };
        let at = |u| decision.sample(u).index();
        assert_eq!([0.0, 0.499, 0.5, 0.999, 1.0].map(at), [0, 0, 3, 3, 3]);
        // A draw that is no number is above nothing: the last possible action, as for one.
        assert_eq!(at(f64::NAN), 3);
        let decision = Decision { q: &[0.4, 0.6, 0.0], ..decision };
        // What cannot happen does not happen, not even by rounding.
        assert_eq!(decision.sample(1.0).index(), 1);
        let decision = Decision { q: &[0.0, 0.3, 0.7], ..decision };
        assert_eq!([0.0, 0.29, 0.31].map(|u| decision.sample(u).index()), [1, 1, 3]);
        let decision = Decision { q: &[0.4, 0.6, 0.0], ..decision };
        assert_eq!(decision.probability(space.expert(0).unwrap()), 0.0);
        assert_eq!(decision.probability(space.class(1).unwrap()), 0.6);
    }
}

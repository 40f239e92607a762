//! What every action earned on average, whatever the input.

use super::Frame;
use crate::router::Seen;
use crate::{Decision, Exploration, LearnerError, Policy, exploration};
use problem::{ActionSpace, ActiveRef, Features, Feedback, FeedbackKind};

/// Plays by the mean reward of every action so far (Sutton and Barto, Sec. 2.4), without looking at
/// inputs: `Q <- Q + (reward - Q) / n`. An action that was never played counts as 1, so it is tried.
#[derive(Clone, Debug)]
pub(crate) struct RunningMeans {
    frame: Frame,
    exploration: Exploration,
    /// Mean reward and number of plays.
    means: Vec<(f64, u64)>,
    scores: Vec<f64>,
}

impl RunningMeans {
    /// Uniform exploration with a constant share is the textbook's epsilon-greedy rule.
    ///
    /// # Errors
    /// Exploration that is out of range.
    pub(crate) fn new(space: ActionSpace, exploration: Exploration) -> Result<Self, LearnerError> {
        exploration.check()?;
        let (means, scores) = (vec![(1.0, 0); space.len()], vec![0.0; space.len()]);
        Ok(RunningMeans { frame: Frame::new(space), exploration, means, scores })
    }
}

impl Policy for RunningMeans {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        self.frame.check(x, active)?;
        let scores = &mut self.scores[..active.len()];
        for (score, action) in scores.iter_mut().zip(active.iter()) {
            *score = self.means[action.index()].0;
        }
        let best = exploration::greedy_position(scores);
        let (rule, t, mut gamma) = (self.exploration, self.frame.t, 0.0);
        let decision = self.frame.decide(active, |q| gamma = rule.fill(t, scores, best, q));
        let greedy = active.nth(best).expect("a position among the active actions");
        Ok(Decision { scores, greedy, gamma, ..decision })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.frame.t;
        self.frame.observe(feedback)?;
        let Feedback::Bandit { action, correct, cost } = feedback else {
            let (expected, got) = (FeedbackKind::Bandit, FeedbackKind::Full);
            return Err(LearnerError::WrongFeedback { t, expected, got });
        };
        let seen = Seen { action: action.index(), correct, cost };
        let (mean, plays) = &mut self.means[seen.action];
        *plays += 1;
        *mean += (seen.reward() - *mean) / *plays as f64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewards 1, 0, 0.5 of the expert have the mean 1/2; an untried class counts as 1 and leads.
    #[test]
    fn means_by_hand() {
        let space = ActionSpace::new(2, 1).unwrap();
        let rule = Exploration::Uniform { gamma0: 0.3, power: 0.0 };
        let mut policy = RunningMeans::new(space, rule).unwrap();
        let (x, all) = (Features::Dense(&[1.0]), space.all_active());
        let action = space.expert(0).unwrap();
        for cost in [0.0, 1.0, 0.5] {
            policy.decide(x, all).unwrap();
            let cost = Some(cost);
            policy.observe(Feedback::Bandit { action, correct: true, cost }).unwrap();
        }
        let action = space.class(0).unwrap();
        policy.decide(x, all).unwrap();
        policy.observe(Feedback::Bandit { action, correct: false, cost: None }).unwrap();
        let decision = policy.decide(x, all).unwrap();
        assert_eq!(decision.scores, [0.0, 1.0, 0.5]);
        assert_eq!((decision.greedy, decision.gamma), (space.class(1).unwrap(), 0.3));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15);
        decision.q.iter().zip([0.1, 0.8, 0.1]).for_each(|(a, b)| close(*a, b));
        policy.observe(Feedback::Bandit { action, correct: true, cost: None }).unwrap();
        // (0 + 1) / 2 after two plays.
        assert_eq!(policy.decide(x, space.classes_only()).unwrap().scores, [0.5, 1.0]);
    }
}

//! Policies to compare with, one file each.

mod classifier_only;
mod confidence;
mod fixed_expert;
mod lin_ucb;
mod oracle;
mod running_means;
mod thompson;
mod uniform;

pub(crate) use lin_ucb::LinUcb;
pub(crate) use thompson::LinearThompson;

use super::scored::check_question;
use super::{Config, Decision, Exploration, LearnerError, LinearConfig, Policy};
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback};

/// A policy to compare with, and what it is made from.
pub enum Baseline {
    /// Plays every active action with probability `1/K` (App. G).
    Uniform(ActionSpace),
    /// Plays an active action with the largest true score (the lowest index at a tie), as told by
    /// [`Policy::inform`]; uniform when the stream does not know its law.
    Oracle(ActionSpace),
    /// Asks the available expert with the lowest mean cost, known in hindsight, one number per expert;
    /// guesses a class if nobody is there.
    FixedExpert(ActionSpace, Vec<f64>),
    /// Learns a classifier by Algorithm 1 and never asks anybody. The configuration is that of the
    /// full problem.
    ClassifierOnly(Config),
    /// Answers itself when the soft-max probability of its best class reaches the threshold (0.5 in
    /// App. G.4), otherwise asks any of the available experts, if there is one.
    ConfidenceThreshold(Config, f64),
    /// LinUCB (Li, Chu, Langford and Schapire 2010, Alg. 1): plays the action with the largest
    /// `<w_a, x~> + alpha sqrt(x~^T A_a^-1 x~)`; the number is `alpha`.
    LinUcb(LinearConfig, f64),
    /// Thompson sampling with linear models (Agrawal and Goyal 2013): draws every active action's
    /// weights from `N(w_a, v^2 A_a^-1)` and plays the action that looks best under the draw. The number
    /// is `v`; the function gives independent standard normal numbers.
    LinearThompson(LinearConfig, f64, Box<dyn FnMut() -> f64>),
    /// Plays by the mean reward of every action so far, without looking at inputs (Sutton and Barto,
    /// Sec. 2.4). An action that was never played counts as 1, so it is tried.
    RunningMeans(ActionSpace, Exploration),
}

impl Baseline {
    /// The policy before its first round.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn policy(self) -> Result<Box<dyn Policy>, LearnerError> {
        Ok(match self {
            Baseline::Uniform(space) => Box::new(uniform::Uniform::new(space)),
            Baseline::Oracle(space) => Box::new(oracle::Oracle::new(space)),
            Baseline::FixedExpert(space, mean_costs) => {
                Box::new(fixed_expert::FixedExpert::new(space, &mean_costs)?)
            }
            Baseline::ClassifierOnly(config) => {
                Box::new(classifier_only::ClassifierOnly::new(config)?)
            }
            Baseline::ConfidenceThreshold(config, threshold) => {
                Box::new(confidence::ConfidenceThreshold::new(config, threshold)?)
            }
            Baseline::LinUcb(config, alpha) => Box::new(LinUcb::new(config, alpha)?),
            Baseline::LinearThompson(config, scale, normal) => {
                Box::new(LinearThompson::new(config, scale, normal)?)
            }
            Baseline::RunningMeans(space, exploration) => {
                Box::new(running_means::RunningMeans::new(space, exploration)?)
            }
        })
    }
}

/// What baselines share: a distribution to hand out and a count of rounds.
#[derive(Clone, Debug)]
struct Frame {
    space: ActionSpace,
    t: u64,
    decided: bool,
    active: ActiveBuffer,
    q: Vec<f64>,
}

impl Frame {
    fn new(space: ActionSpace) -> Self {
        let active = ActiveBuffer::new(space);
        Frame { space, t: 1, decided: false, active, q: vec![0.0; space.len()] }
    }

    fn check(&self, x: Features<'_>, active: ActiveRef<'_>) -> Result<(), LearnerError> {
        check_question(self.t, self.space, x.dim(), x, active)?;
        x.check_finite().map_err(|source| LearnerError::Round { t: self.t, source })
    }

    /// Hands out `q`, filled by `fill` from zeros.
    fn decide(&mut self, active: ActiveRef<'_>, fill: impl FnOnce(&mut [f64])) -> Decision<'_> {
        self.decided = true;
        self.active.copy(active);
        let q = &mut self.q[..active.len()];
        q.fill(0.0);
        fill(q);
        let best = super::exploration::greedy_position(q);
        let greedy = active.nth(best).expect("a position among the active actions");
        Decision { active: self.active.get(), scores: &[], q, greedy, gamma: 0.0 }
    }

    /// Closes the round; a baseline still insists that the feedback can be true.
    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        if !self.decided {
            return Err(LearnerError::NothingDecided { t: self.t });
        }
        let active = self.active.get();
        let q = &self.q[..active.len()];
        let mut unused = vec![0.0; active.len()];
        super::estimator::estimate(&active, q, feedback, self.t, &mut unused)?;
        self.decided = false;
        self.t += 1;
        Ok(())
    }
}

/// Spreads `q` evenly over the positions `range`.
fn spread(q: &mut [f64], range: std::ops::Range<usize>) {
    let share = 1.0 / range.len() as f64;
    q[range].fill(share);
}

//! Algorithm 1 on top of any scorer, and the confidence baseline of App. G.4.
//!
//! The linear class of the paper's theory is one scorer, a network another. Everything between
//! scores and step is the same: outputs of the active actions are centred (zero-sum), the greedy
//! one is mixed with exploration, and the importance-weighted estimate of the constrained hinge
//! gives the coefficients `g` that are centred again and handed back:
//!
//! ```text
//! theta <- theta - eta_t J(x)^T Pi g        J = d outputs / d theta
//! ```
//! There is no ball: the paper states none for its network.

use crate::active::ActiveExt;
use crate::estimator::{estimate, project_gradient};
use crate::exploration::{greedy_position, mix};
use crate::schedule::Rates;
use crate::surrogate::Surrogate;
use crate::{Decision, LearnerError, Policy, Schedule, zero_sum};
use problem::{ActionSpace, ActiveRef, ActiveSet, Features, Feedback, ProblemError};

/// Something that gives every action an output for an input, and can be moved.
pub trait Scorer {
    /// `d`: values of an input.
    fn dim(&self) -> usize;

    /// Writes the outputs of all `N` actions for `x`. The input is remembered for
    /// [`Scorer::step`] when `keep` is set.
    fn outputs(&mut self, x: &[f64], keep: bool, outputs: &mut [f64]);

    /// `theta -= eta J(x)^T g` at the input remembered last, with `g` over all `N` actions.
    fn step(&mut self, g: &[f64], eta: f64);
}

/// What both policies need in a round.
struct Frame<S> {
    scorer: S,
    space: ActionSpace,
    t: u64,
    x: Vec<f64>,
    outputs: Vec<f64>,
    /// Centred outputs of the active actions.
    scores: Vec<f64>,
    q: Vec<f64>,
    asked: Option<ActiveSet>,
}

impl<S: Scorer> Frame<S> {
    fn new(scorer: S, space: ActionSpace) -> Self {
        let (outputs, x) = (vec![0.0; space.len()], vec![0.0; scorer.dim()]);
        let (scores, q) = (Vec::new(), Vec::new());
        Frame { scorer, space, t: 1, x, outputs, scores, q, asked: None }
    }

    /// Checks the question and scores it.
    fn ask(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
        keep: bool,
    ) -> Result<ActiveSet, LearnerError> {
        let (t, space, other) = (self.t, self.space, active.space());
        if other != space {
            let (got_n, got_e) = (other.classes(), other.experts());
            let (n, n_e) = (space.classes(), space.experts());
            return Err(LearnerError::OtherSpace { t, got_n, got_e, n, n_e });
        }
        let problem = |source| LearnerError::Round { t, source };
        if x.dim() != self.x.len() {
            let (got, expected) = (x.dim(), self.x.len());
            return Err(problem(ProblemError::DimensionMismatch { got, expected }));
        }
        x.check_finite().map_err(problem)?;
        self.x.fill(0.0);
        x.for_each(|j, value| self.x[j] = value);
        self.scorer.outputs(&self.x, keep, &mut self.outputs);
        if self.outputs.iter().any(|u| !u.is_finite()) {
            return Err(LearnerError::Overflow { t });
        }
        let active = active.small()?;
        self.asked = Some(active);
        self.scores.clear();
        self.scores.extend(active.iter().map(|a| self.outputs[a.index()]));
        self.q.clear();
        self.q.resize(active.len(), 0.0);
        Ok(active)
    }

    fn answer(&self, active: ActiveSet, greedy: usize, gamma: f64) -> Decision<'_> {
        let greedy = active.nth(greedy).expect("a position among the active actions");
        Decision { active, scores: &self.scores, q: &self.q, greedy, gamma }
    }

    /// The coefficients of the estimate over the active actions, not yet centred; nobody is asked
    /// any more.
    fn close(&mut self, feedback: Feedback<'_>) -> Result<(ActiveSet, Vec<f64>), LearnerError> {
        let t = self.t;
        let active = self.asked.ok_or(LearnerError::NothingDecided { t })?;
        let mut buffer = vec![0.0; active.len()];
        let estimate = estimate(&active, &self.q, feedback, t, &mut buffer)?;
        let mut g = vec![0.0; active.len()];
        estimate.gradient(Surrogate::CstndHinge, &self.scores, &mut g);
        self.asked = None;
        self.t += 1;
        Ok((active, g))
    }
}

/// Algorithm 1 with a scorer in place of the matrix.
pub struct OnScorer<S> {
    frame: Frame<S>,
    rates: Rates,
    eta: f64,
}

impl<S: Scorer> OnScorer<S> {
    /// Starts with the scorer as it is.
    ///
    /// # Errors
    /// A schedule that is made from a radius: there is no ball.
    pub fn new(scorer: S, space: ActionSpace, schedule: Schedule) -> Result<Self, LearnerError> {
        let rates = schedule.rates(space.len(), None, 1.0)?;
        Ok(OnScorer { frame: Frame::new(scorer, space), rates, eta: 0.0 })
    }
}

/// The scorer as it is now.
impl<S> AsRef<S> for OnScorer<S> {
    fn as_ref(&self) -> &S {
        &self.frame.scorer
    }
}

impl<S: Scorer> Policy for OnScorer<S> {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let (eta, gamma) = self.rates.at(self.frame.t);
        if gamma <= 0.0 && !active.label_is_identified() {
            return Err(LearnerError::NoExploration { t: self.frame.t, gamma });
        }
        let active = self.frame.ask(x, active, true)?;
        self.eta = eta;
        zero_sum::center(&mut self.frame.scores);
        let greedy = greedy_position(&self.frame.scores);
        mix(greedy, gamma, &mut self.frame.q);
        Ok(self.frame.answer(active, greedy, gamma))
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let (active, mut g) = self.frame.close(feedback)?;
        if g.iter().all(|&g| g == 0.0) {
            return Ok(());
        }
        project_gradient(Surrogate::CstndHinge, &mut g);
        let mut all = vec![0.0; self.frame.space.len()];
        for (action, g) in active.iter().zip(g) {
            all[action.index()] = g;
        }
        self.frame.scorer.step(&all, self.eta);
        Ok(())
    }
}

/// Answers with the scorer's best class when its soft-max probability among the classes reaches a
/// threshold, otherwise defers uniformly to the available experts. The scorer does not learn.
pub struct ConfidentScorer<S> {
    frame: Frame<S>,
    threshold: f64,
}

impl<S: Scorer> ConfidentScorer<S> {
    /// `threshold` is 0.5 in the paper; 0 never defers.
    ///
    /// # Errors
    /// A threshold outside `[0, 1]`.
    pub fn new(scorer: S, space: ActionSpace, threshold: f64) -> Result<Self, LearnerError> {
        if !(0.0..=1.0).contains(&threshold) {
            let (field, expected) = ("threshold", "a number in [0, 1]");
            return Err(LearnerError::Config { field, value: threshold, expected });
        }
        Ok(ConfidentScorer { frame: Frame::new(scorer, space), threshold })
    }
}

impl<S: Scorer> Policy for ConfidentScorer<S> {
    fn space(&self) -> ActionSpace {
        self.frame.space
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let active = self.frame.ask(x, active, false)?;
        let (n, k) = (self.frame.space.classes(), active.len());
        let classes = &self.frame.scores[..n];
        let best = greedy_position(classes);
        let sum: f64 = classes.iter().map(|u| libm::exp(u - classes[best])).sum();
        if k == n || 1.0 / sum >= self.threshold {
            self.frame.q[best] = 1.0;
            return Ok(self.frame.answer(active, best, 0.0));
        }
        self.frame.q[n..].fill(1.0 / (k - n) as f64);
        Ok(self.frame.answer(active, n, 0.0))
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        self.frame.close(feedback).map(drop)
    }
}

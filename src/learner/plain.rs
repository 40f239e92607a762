//! Algorithm 1 once more, as one would write it on a blackboard: dense matrices, every projection
//! carried out in full, `O(N d)` work and fresh vectors each round. It is the reference that the
//! fast learner is compared with, and shares with it only the schedules and the scalar losses.

use super::schedule::Rates;
use super::{Config, Decision, LearnerError, Optimizer, Policy};
use crate::active::ActiveExt;
use problem::{
    ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback, FeedbackKind, ProblemError,
};

/// The plain dense twin of [`super::Algorithm1`].
#[derive(Clone, Debug)]
pub struct PlainLearner {
    config: Config,
    rates: Rates,
    t: u64,
    /// `W`, one row per action, bias last.
    w: Vec<Vec<f64>>,
    /// AdaGrad's sums of squared gradients.
    squares: Vec<Vec<f64>>,
    question: Option<Question>,
}

#[derive(Clone, Debug)]
struct Question {
    /// `(x, 1)`
    x: Vec<f64>,
    active: ActiveBuffer,
    eta: f64,
    u: Vec<f64>,
    q: Vec<f64>,
}

impl PlainLearner {
    /// The twin of [`super::Algorithm1::new`].
    pub fn new(config: Config) -> Result<Self, LearnerError> {
        let rates = config.rates()?;
        let zeros = vec![vec![0.0; config.dim + 1]; config.space.len()];
        Ok(PlainLearner { config, rates, t: 1, w: zeros.clone(), squares: zeros, question: None })
    }

    /// `W_t`, one row per action, bias last.
    #[cfg(test)]
    pub(crate) fn weights(&self) -> &[Vec<f64>] {
        &self.w
    }

    /// `|W_t|_F`.
    #[cfg(test)]
    pub(crate) fn norm(&self) -> f64 {
        frobenius(&self.w)
    }

    /// The weights of the estimate over target actions `0..N`.
    fn target_weights(
        &self,
        question: &Question,
        feedback: Feedback<'_>,
    ) -> Result<Vec<f64>, LearnerError> {
        let (t, space, active) = (self.t, self.config.space, question.active.get());
        let problem = |source| LearnerError::Round { t, source };
        let cost_error =
            |value| problem(ProblemError::CostOutOfRange { field: "cost".into(), value });
        let mut weights = vec![0.0; space.len()];
        match feedback {
            Feedback::Full { label, costs } => {
                space.class(label).map_err(problem)?;
                if costs.len() != space.experts() {
                    let (got, expected) = (costs.len(), space.experts());
                    let field = "costs".into();
                    return Err(problem(ProblemError::WrongLength { field, got, expected }));
                }
                if let Some(&bad) = costs.iter().find(|c| !(0.0..=1.0).contains(*c)) {
                    return Err(cost_error(bad));
                }
                weights[label] = 1.0;
                for j in active.experts() {
                    weights[space.classes() + j] = 1.0 - costs[j];
                }
            }
            Feedback::Answer { .. } | Feedback::Reward { .. } => {
                let (expected, got) = (self.config.feedback, feedback.kind());
                return Err(LearnerError::WrongFeedback { t, expected, got });
            }
            Feedback::Bandit { action, correct, cost } => {
                let a = action.index();
                space.action(a).map_err(problem)?;
                let Some(position) = active.position(action) else {
                    let expert = a - space.classes();
                    return Err(LearnerError::Unavailable { t, action: a, expert });
                };
                let q = question.q[position];
                if q <= 0.0 {
                    return Err(LearnerError::ImpossibleAction { t, action: a });
                }
                if a >= space.classes() {
                    let cost = cost.ok_or(LearnerError::MissingCost { t, action: a })?;
                    if !(0.0..=1.0).contains(&cost) {
                        return Err(cost_error(cost));
                    }
                    weights[a] = (1.0 - cost) / q;
                } else if let Some(cost) = cost {
                    return Err(LearnerError::UnexpectedCost { t, action: a, cost });
                } else if space.classes() == 2 && active.experts().next().is_none() {
                    let label = if correct { a } else { 1 - a };
                    weights[label] = 1.0;
                } else if correct {
                    weights[a] = 1.0 / q;
                }
            }
        }
        Ok(weights)
    }

    /// `Pi_{K_A} G` for `G = g x~^T`, entry by entry.
    fn projected_gradient(&self, question: &Question, weights: &[f64]) -> Vec<Vec<f64>> {
        let active: Vec<usize> = question.active.get().iter().map(|a| a.index()).collect();
        let mut g = vec![0.0; active.len()];
        for (position, &a) in active.iter().enumerate() {
            if weights[a] != 0.0 {
                self.config.surrogate.add_gradient(&question.u, position, weights[a], &mut g);
            }
        }
        let mut gradient = vec![vec![0.0; question.x.len()]; self.config.space.len()];
        for (j, &x) in question.x.iter().enumerate() {
            let mean = if self.config.surrogate.is_constrained() {
                g.iter().map(|c| c * x).sum::<f64>() / active.len() as f64
            } else {
                0.0 // such gradients sum to zero already
            };
            for (&a, &c) in active.iter().zip(&g) {
                gradient[a][j] = c * x - mean;
            }
        }
        gradient
    }
}

impl Policy for PlainLearner {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn feedback(&self) -> FeedbackKind {
        self.config.feedback
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let (t, space) = (self.t, self.config.space);
        if active.space() != space {
            return Err(LearnerError::OtherSpace {
                t,
                got_n: active.space().classes(),
                got_e: active.space().experts(),
                n: space.classes(),
                n_e: space.experts(),
            });
        }
        if x.dim() != self.config.dim {
            let (got, expected) = (x.dim(), self.config.dim);
            let source = ProblemError::DimensionMismatch { got, expected };
            return Err(LearnerError::Round { t, source });
        }
        x.check_finite().map_err(|source| LearnerError::Round { t, source })?;
        let mut extended = vec![0.0; self.config.dim + 1];
        x.for_each(|j, value| extended[j] = value);
        extended[self.config.dim] = 1.0;

        let (mut eta, mut gamma) = self.rates.at(t);
        if let Optimizer::Adagrad { rate, .. } = self.config.optimizer {
            eta = rate;
        }
        if self.config.feedback == FeedbackKind::Full {
            gamma = 0.0;
        } else if gamma <= 0.0 && !active.label_is_identified() {
            return Err(LearnerError::NoExploration { t, gamma });
        }

        let rows: Vec<usize> = active.iter().map(|a| a.index()).collect();
        let k = rows.len() as f64;
        let mean_row: Vec<f64> = (0..extended.len())
            .map(|j| rows.iter().map(|&a| self.w[a][j]).sum::<f64>() / k)
            .collect();
        let projected_score = |&a: &usize| -> f64 {
            (0..extended.len()).map(|j| (self.w[a][j] - mean_row[j]) * extended[j]).sum()
        };
        let u: Vec<f64> = rows.iter().map(projected_score).collect();
        let mut best = 0;
        for i in 1..u.len() {
            if u[i] > u[best] {
                best = i;
            }
        }
        let q =
            (0..u.len()).map(|i| gamma / k + if i == best { 1.0 - gamma } else { 0.0 }).collect();
        let greedy = space.action(rows[best])?;
        let mut asked = ActiveBuffer::new(space);
        asked.copy(active);
        let question = self.question.insert(Question { x: extended, active: asked, eta, u, q });
        let active = question.active.get();
        Ok(Decision { active, scores: &question.u, q: &question.q, greedy, gamma })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.t;
        let question = self.question.as_ref().ok_or(LearnerError::NothingDecided { t })?;
        if feedback.kind() != self.config.feedback {
            let (expected, got) = (self.config.feedback, feedback.kind());
            return Err(LearnerError::WrongFeedback { t, expected, got });
        }
        let weights = self.target_weights(question, feedback)?;
        let gradient = self.projected_gradient(question, &weights);
        let eta = question.eta;

        let mut next = self.w.clone();
        let mut squares = self.squares.clone();
        for (a, row) in gradient.iter().enumerate() {
            for (j, &g) in row.iter().enumerate() {
                next[a][j] -= match self.config.optimizer {
                    Optimizer::Ogd => eta * g,
                    Optimizer::Adagrad { epsilon, .. } => {
                        squares[a][j] += g * g;
                        eta * g / (squares[a][j].sqrt() + epsilon)
                    }
                };
            }
        }
        let norm = frobenius(&next);
        if !norm.is_finite() {
            return Err(LearnerError::Overflow { t });
        }
        if let Some(radius) = self.config.radius
            && norm > radius
        {
            for entry in next.iter_mut().flatten() {
                *entry *= radius / norm;
            }
        }
        (self.w, self.squares, self.question) = (next, squares, None);
        self.t += 1;
        Ok(())
    }
}

fn frobenius(rows: &[Vec<f64>]) -> f64 {
    rows.iter().flatten().map(|w| w * w).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm1, Schedule};

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * (1.0 + b.abs())
    }

    fn all_close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b))
    }

    /// Round by round: what both decide, what both refuse, what both have become.
    #[test]
    fn twins_agree_on_everything_they_show() {
        let space = ActionSpace::new(3, 2).unwrap();
        for optimizer in [Optimizer::Ogd, Optimizer::ADAGRAD] {
            // Steps large enough to reach the ball.
            let (radius, schedule) = (Some(0.5), Schedule::Experiment { eta0: 0.3, gamma0: 10.0 });
            let config = Config { optimizer, radius, schedule, ..Config::new(space, 2) };
            let mut plain = PlainLearner::new(config.clone()).unwrap();
            let mut fast = Algorithm1::new(config).unwrap();
            let mut reached = false;
            for t in 1..=60u64 {
                let x = [(t % 7) as f64 / 7.0, (t % 5) as f64 / 5.0 - 0.4];
                let active = space.active_from_mask(u128::from(t % 4)).unwrap();
                let ours = plain.decide(Features::Dense(&x), active).unwrap();
                let theirs = fast.decide(Features::Dense(&x), active).unwrap();
                assert!(all_close(ours.q, theirs.q) && all_close(ours.scores, theirs.scores));
                assert_eq!((ours.greedy, ours.gamma), (theirs.greedy, theirs.gamma));

                let absent = space.expert((t % 2) as usize).unwrap();
                if !active.contains(absent) {
                    let nobody =
                        Feedback::Bandit { action: absent, correct: true, cost: Some(0.1) };
                    assert_eq!(plain.observe(nobody), fast.observe(nobody));
                }
                let action = active.nth((t % 11) as usize % active.len()).unwrap();
                let cost = space.expert_of(action).map(|_| (t % 3) as f64 / 4.0);
                let feedback = Feedback::Bandit { action, correct: t % 3 != 0, cost };
                plain.observe(feedback).unwrap();
                fast.observe(feedback).unwrap();
                assert_eq!((plain.t, fast.round()), (t + 1, t + 1));
                let rows = fast.weights();
                assert_eq!(plain.weights().len(), rows.len());
                for (a, (ours, theirs)) in plain.weights().iter().zip(&rows).enumerate() {
                    assert!(all_close(ours, theirs), "round {t}, action {a}");
                    assert_eq!(fast.weights()[a][1], theirs[1]);
                }
                assert!(close(plain.norm(), fast.norm()) && plain.norm() <= 0.5 + 1e-12);
                reached |= close(plain.norm(), 0.5);
            }
            assert!(reached, "the ball is too large to be seen");
        }
    }

    /// Hundreds of experts of whom only the first are ever there: the plain learner does what the fast
    /// one does where the others do not exist.
    #[test]
    fn experts_who_never_come_change_nothing() {
        let (wide, narrow) = (ActionSpace::new(3, 400).unwrap(), ActionSpace::new(3, 100).unwrap());
        for optimizer in [Optimizer::Ogd, Optimizer::ADAGRAD] {
            let schedule = Schedule::Experiment { eta0: 0.3, gamma0: 10.0 };
            let config =
                |space| Config { optimizer, schedule, radius: Some(0.5), ..Config::new(space, 2) };
            let mut plain = PlainLearner::new(config(wide)).unwrap();
            let mut fast = Algorithm1::new(config(narrow)).unwrap();
            let mut active = ActiveBuffer::new(wide);
            for t in 1..=60usize {
                let x = [(t % 7) as f64 / 7.0, (t % 5) as f64 / 5.0 - 0.4];
                let there = || (0..100).filter(move |j| (j * 7 + t) % 3 == 0);
                let active = active.fill(there()).unwrap();
                let small = narrow.active(there()).unwrap();
                let ours = plain.decide(Features::Dense(&x), active).unwrap();
                let theirs = fast.decide(Features::Dense(&x), small).unwrap();
                assert!(all_close(ours.q, theirs.q) && all_close(ours.scores, theirs.scores));
                let action = small.nth(t * 31 % small.len()).unwrap();
                let cost = narrow.expert_of(action).map(|_| (t % 3) as f64 / 4.0);
                let feedback = Feedback::Bandit { action, correct: t % 3 != 0, cost };
                plain.observe(feedback).unwrap();
                fast.observe(feedback).unwrap();
            }
        }
        assert!(Algorithm1::new(Config::new(wide, 2)).is_err(), "it has no kernels for so many");
    }

    /// Without exploration only a round whose label is told anyway can be played: two classes, and
    /// nobody to ask.
    #[test]
    fn no_exploration_needs_an_identified_label() {
        let schedule = Schedule::Experiment { eta0: 0.1, gamma0: 0.0 };
        let space = ActionSpace::new(2, 1).unwrap();
        let config = Config { schedule, ..Config::new(space, 1) };
        let (mut plain, mut fast) =
            (PlainLearner::new(config.clone()).unwrap(), Algorithm1::new(config).unwrap());
        let x = Features::Dense(&[0.5]);
        assert!(plain.decide(x, space.classes_only()).is_ok());
        assert!(fast.decide(x, space.classes_only()).is_ok());
        let refused = LearnerError::NoExploration { t: 1, gamma: 0.0 };
        assert_eq!(plain.decide(x, space.all_active()).unwrap_err(), refused);
        assert_eq!(fast.decide(x, space.all_active()).unwrap_err(), refused);
    }

    /// A gradient of 1e60 on inputs of 1e100 has a square beyond all numbers.
    #[test]
    fn adagrad_refuses_a_square_that_overflows() {
        let schedule = Schedule::PowerLaw {
            eta0: 0.1,
            eta_power: 0.0,
            gamma0: 1e-60,
            gamma_power: 0.0,
            gamma_max: 1.0,
        };
        let space = ActionSpace::new(2, 1).unwrap();
        let optimizer = Optimizer::ADAGRAD;
        let config = Config { schedule, optimizer, ..Config::new(space, 1) };
        let mut fast = Algorithm1::new(config).unwrap();
        let greedy = fast.decide(Features::Dense(&[1e100]), space.all_active()).unwrap().greedy;
        assert_eq!(greedy.index(), 0);
        let unlikely = space.class(1).unwrap();
        let feedback = Feedback::Bandit { action: unlikely, correct: true, cost: None };
        assert_eq!(fast.observe(feedback), Err(LearnerError::Overflow { t: 1 }));
    }
}

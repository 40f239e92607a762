//! The loss estimate of a round, as weights over target actions (Sec. 6.1).
//!
//! Every loss that Algorithm 1 descends is `sum_a weight_a Phi_01(., a)` over the active actions:
//!
//! ```text
//! full feedback    weight_y = 1,  weight_{n+j} = 1 - c_j          (Def. 4.3)
//! K = 2            weight_y = 1,  y inferred from the correctness bit
//! bandit, class    weight_{y'}   = 1{y' = y} / q(y')              (v_{t,0})
//! bandit, expert   weight_{n+j}  = (1 - c_j) / q(n+j)             (v_{t,j})
//! ```

use super::{LearnerError, exploration, zero_sum};
use crate::active::ActiveExt;
use crate::surrogate::Surrogate;
use problem::{Action, ActiveRef, Feedback, ProblemError};

/// The estimated loss of a round: weights over target positions of the active set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimate<'a> {
    /// One target: every importance-weighted estimate, and the K = 2 rule.
    One {
        /// Position among the active actions.
        target: usize,
        /// Its weight; zero when a class was played and was wrong.
        weight: f64,
    },
    /// A weight for every active action: full feedback.
    All(&'a [f64]),
}

/// The estimate that what was observed in round `t` gives. `buffer` is aligned with `active` and
/// used for full feedback only.
///
/// # Errors
/// Feedback that cannot belong to this round.
pub(crate) fn estimate<'a>(
    active: &ActiveRef<'_>,
    q: &[f64],
    feedback: Feedback<'_>,
    t: u64,
    buffer: &'a mut [f64],
) -> Result<Estimate<'a>, LearnerError> {
    match feedback {
        Feedback::Bandit { action, correct, cost } => bandit(active, q, action, (correct, cost), t),
        Feedback::Full { label, costs } => {
            full(active, label, costs, buffer)
                .map_err(|source| LearnerError::Round { t, source })?;
            Ok(Estimate::All(buffer))
        }
        // The answer is checked, and what the bit says is estimated.
        Feedback::Answer { action, answer, correct, cost } => {
            let space = active.space();
            if space.expert_of(action).is_none() {
                return Err(LearnerError::AnswerOfClass { t, action: action.index() });
            }
            space.class(answer).map_err(|source| LearnerError::Round { t, source })?;
            bandit(active, q, action, (correct, Some(cost)), t)
        }
        Feedback::Reward { action, reward, cost } => {
            let (position, probability) = played(active, q, action, t)?;
            let problem = |source| LearnerError::Round { t, source };
            if !(0.0..=1.0).contains(&reward) {
                return Err(problem(ProblemError::RewardOutOfRange { value: reward }));
            }
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(problem(ProblemError::NegativeCost { field: "cost", value: cost }));
            }
            Ok(Estimate::One { target: position, weight: reward / probability })
        }
    }
}

/// The target and the weight that a bit gives; none if it cannot belong to this round, and then
/// [`estimate`] says why. Two numbers stay in registers, which they do not with an error beside them.
#[inline(always)]
pub(crate) fn of_a_bit(
    active: &ActiveRef<'_>,
    q: &[f64],
    action: Action,
    (correct, cost): (bool, Option<f64>),
) -> Option<(usize, f64)> {
    let space = active.space();
    let reward = match cost {
        None if action.index() < space.classes() => f64::from(correct),
        Some(cost) if space.expert_of(action).is_some() && (0.0..=1.0).contains(&cost) => {
            1.0 - cost
        }
        _ => return None,
    };
    let position = active.position(action)?;
    let probability = *q.get(position)?;
    if probability <= 0.0 {
        return None;
    }
    if active.label_is_identified() {
        return Some((if correct { position } else { 1 - position }, 1.0));
    }
    Some((position, reward / probability))
}

/// The paper's protocol.
fn bandit<'a>(
    active: &ActiveRef<'_>,
    q: &[f64],
    action: Action,
    (correct, cost): (bool, Option<f64>),
    t: u64,
) -> Result<Estimate<'a>, LearnerError> {
    let (position, probability) = played(active, q, action, t)?;
    let reward = reward(active, action, correct, cost, t)?;
    if active.label_is_identified() {
        // Two classes and nobody to ask: a wrong answer names the other class.
        let target = if correct { position } else { 1 - position };
        return Ok(Estimate::One { target, weight: 1.0 });
    }
    Ok(Estimate::One { target: position, weight: reward / probability })
}

/// Position and probability of the action that was played.
fn played(
    active: &ActiveRef<'_>,
    q: &[f64],
    action: Action,
    t: u64,
) -> Result<(usize, f64), LearnerError> {
    let position = played_position(active, action, t)?;
    if q[position] <= 0.0 {
        return Err(LearnerError::ImpossibleAction { t, action: action.index() });
    }
    Ok((position, q[position]))
}

fn full(
    active: &ActiveRef<'_>,
    label: usize,
    costs: &[f64],
    weights: &mut [f64],
) -> Result<(), ProblemError> {
    let space = active.space();
    space.class(label)?;
    if costs.len() != space.experts() {
        let (got, expected) = (costs.len(), space.experts());
        return Err(ProblemError::WrongLength { field: "costs".into(), got, expected });
    }
    for (j, &value) in costs.iter().enumerate() {
        check_cost(value, || format!("costs[{j}]"))?;
    }
    weights.fill(0.0);
    weights[label] = 1.0;
    for (weight, j) in weights[space.classes()..].iter_mut().zip(active.experts()) {
        *weight = 1.0 - costs[j];
    }
    Ok(())
}

fn played_position(active: &ActiveRef<'_>, action: Action, t: u64) -> Result<usize, LearnerError> {
    let (space, index) = (active.space(), action.index());
    // An action can come from a larger space than the round's.
    space.action(index).map_err(|source| LearnerError::Round { t, source })?;
    // Classes are always active, so whatever is missing is an expert.
    active.position(action).ok_or_else(|| LearnerError::Unavailable {
        t,
        action: index,
        expert: index - space.classes(),
    })
}

/// What the action earned: `1{y' = y}` for a class, `1 - c_j` for an expert.
fn reward(
    active: &ActiveRef<'_>,
    action: Action,
    correct: bool,
    cost: Option<f64>,
    t: u64,
) -> Result<f64, LearnerError> {
    match (active.space().expert_of(action), cost) {
        (None, None) => Ok(if correct { 1.0 } else { 0.0 }),
        (None, Some(cost)) => Err(LearnerError::UnexpectedCost { t, action: action.index(), cost }),
        (Some(_), None) => Err(LearnerError::MissingCost { t, action: action.index() }),
        (Some(_), Some(cost)) => {
            check_cost(cost, || "cost".into())
                .map_err(|source| LearnerError::Round { t, source })?;
            Ok(1.0 - cost)
        }
    }
}

fn check_cost(value: f64, field: impl FnOnce() -> String) -> Result<(), ProblemError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(ProblemError::CostOutOfRange { field: field(), value })
    }
}

impl Estimate<'_> {
    /// `sum_a weight_a Phi_01(u, a)`.
    #[must_use]
    pub(crate) fn value(self, surrogate: Surrogate, u: &[f64]) -> f64 {
        let mut value = 0.0;
        self.each(|target, weight| value += weight * surrogate.value(u, target));
        value
    }

    /// The coefficients `g` of the subgradient `g x~^T` of the estimate at `u`, not yet projected.
    #[inline]
    pub(crate) fn gradient(self, surrogate: Surrogate, u: &[f64], g: &mut [f64]) {
        g.fill(0.0);
        match self {
            // The common case, written out: it is worth being part of the caller.
            Estimate::One { target, weight } => {
                if weight != 0.0 {
                    surrogate.add_gradient(u, target, weight, g);
                }
            }
            Estimate::All(_) => self.each(|target, weight| {
                surrogate.add_gradient(u, target, weight, g);
            }),
        }
    }

    #[inline]
    fn each(self, mut f: impl FnMut(usize, f64)) {
        match self {
            Estimate::One { target, weight } if weight != 0.0 => f(target, weight),
            Estimate::One { .. } => {}
            Estimate::All(weights) => {
                let present = weights.iter().enumerate().filter(|&(_, &w)| w != 0.0);
                present.for_each(|(target, &weight)| f(target, weight));
            }
        }
    }
}

/// Projects the coefficients on the zero-sum vectors.
///
/// Losses of score differences have gradients that already sum to zero; centring them again would
/// only add rounding noise, which AdaGrad's first steps would blow up.
#[inline]
pub(crate) fn project_gradient(surrogate: Surrogate, g: &mut [f64]) {
    if surrogate.is_constrained() {
        zero_sum::center(g);
    }
}

/// A round of Algorithm 1 at given scores, everything written out.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatedRound {
    /// The scores, centred over the active actions.
    pub u: Vec<f64>,
    /// Position of the greedy action.
    pub greedy: usize,
    /// What is played.
    pub q: Vec<f64>,
    /// The estimated loss at `u`.
    pub value: f64,
    /// The coefficients `g` of its subgradient `g x~^T`.
    pub gradient: Vec<f64>,
    /// The same, projected on the zero-sum vectors.
    pub projected_gradient: Vec<f64>,
}

/// What Algorithm 1 makes of the scores `u` of the active actions and of what was observed then: the
/// functions are its own, and the loss is the constrained hinge.
///
/// # Errors
/// Feedback that cannot belong to such a round.
pub fn estimate_round(
    active: ActiveRef<'_>,
    mut u: Vec<f64>,
    gamma: f64,
    feedback: Feedback<'_>,
) -> Result<EstimatedRound, LearnerError> {
    let surrogate = Surrogate::CstndHinge;
    zero_sum::center(&mut u);
    let greedy = exploration::greedy_position(&u);
    let mut q = vec![0.0; u.len()];
    exploration::mix(greedy, gamma, &mut q);
    let mut buffer = vec![0.0; u.len()];
    let estimate = estimate(&active, &q, feedback, 1, &mut buffer)?;
    let mut gradient = vec![0.0; u.len()];
    estimate.gradient(surrogate, &u, &mut gradient);
    let mut projected_gradient = gradient.clone();
    project_gradient(surrogate, &mut projected_gradient);
    let value = estimate.value(surrogate, &u);
    Ok(EstimatedRound { u, greedy, q, value, gradient, projected_gradient })
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::{ActionSpace, ActiveSet};

    fn weights_of(
        active: ActiveSet,
        q: &[f64],
        feedback: Feedback<'_>,
    ) -> Result<Vec<f64>, LearnerError> {
        let mut weights = vec![f64::NAN; active.len()];
        let estimated = estimate(&active, q, feedback, 7, &mut weights);
        if let Feedback::Bandit { action, correct, cost } = feedback {
            let short = of_a_bit(&active, q, action, (correct, cost));
            let short = short.map(|(target, weight)| Estimate::One { target, weight });
            assert_eq!(short, estimated.as_ref().ok().copied());
        }
        let dense = match estimated? {
            Estimate::All(weights) => weights.to_vec(),
            Estimate::One { target, weight } => {
                let mut one = vec![0.0; active.len()];
                one[target] = weight;
                one
            }
        };
        Ok(dense)
    }

    #[test]
    fn weights_by_hand() {
        let space = ActionSpace::new(3, 2).unwrap();
        let active = space.active([1]).unwrap();
        let q = [0.1, 0.2, 0.3, 0.4];
        let bandit = |action, correct, cost| {
            let action = space.action(action).unwrap();
            weights_of(active, &q, Feedback::Bandit { action, correct, cost })
        };
        assert_eq!(bandit(1, true, None).unwrap(), [0.0, 5.0, 0.0, 0.0]);
        assert_eq!(bandit(1, false, None).unwrap(), [0.0; 4]);
        assert_eq!(bandit(4, false, Some(0.5)).unwrap(), [0.0, 0.0, 0.0, 1.25]);
        let full = Feedback::Full { label: 2, costs: &[0.9, 0.25] };
        assert_eq!(weights_of(active, &q, full).unwrap(), [0.0, 0.0, 1.0, 0.75]);
    }

    #[test]
    fn two_classes_alone_reveal_the_label() {
        let space = ActionSpace::new(2, 1).unwrap();
        let weights = |active: ActiveSet, q: &[f64], correct| {
            let action = space.class(1).unwrap();
            weights_of(active, q, Feedback::Bandit { action, correct, cost: None }).unwrap()
        };
        let alone = space.classes_only();
        assert_eq!(weights(alone, &[0.75, 0.25], true), [0.0, 1.0]);
        assert_eq!(weights(alone, &[0.75, 0.25], false), [1.0, 0.0]);
        // With an expert present the bit no longer identifies anything.
        assert_eq!(weights(space.all_active(), &[0.5, 0.25, 0.25], false), [0.0; 3]);
    }

    #[test]
    fn feedback_that_cannot_be_is_named() {
        let space = ActionSpace::new(3, 2).unwrap();
        let active = space.active([1]).unwrap();
        let q = [0.0, 0.5, 0.25, 0.25];
        let wider = ActionSpace::new(3, 9).unwrap();
        let error = |action, cost| {
            let action = wider.action(action).unwrap();
            let feedback = Feedback::Bandit { action, correct: true, cost };
            weights_of(active, &q, feedback).unwrap_err().to_string()
        };
        assert!(error(3, Some(0.5)).contains("action 3 (expert 0) was not available"));
        assert!(error(8, Some(0.5)).contains("action 8 does not exist"));
        assert!(error(0, None).contains("probability 0"));
        assert!(error(4, None).contains("needs the cost"));
        assert!(error(4, Some(1.5)).contains("cost = 1.5"));
        assert!(error(4, Some(f64::NAN)).contains("cost = NaN"));
        assert!(error(1, Some(0.5)).contains("no expert cost"));
        assert!(error(1, Some(0.5)).starts_with("round 7"));
        let more = |feedback| weights_of(active, &q, feedback).unwrap_err().to_string();
        let (class, expert) = (space.class(1).unwrap(), space.expert(1).unwrap());
        let answer = |action, answer| Feedback::Answer { action, answer, correct: true, cost: 0.5 };
        assert!(more(answer(class, 0)).contains("only an expert gives an answer"));
        assert!(more(answer(expert, 3)).contains("class 3 does not exist"));
        assert_eq!(weights_of(active, &q, answer(expert, 2)).unwrap(), [0.0, 0.0, 0.0, 2.0]);
        let graded = |reward, cost| Feedback::Reward { action: expert, reward, cost };
        assert!(more(graded(1.5, 0.0)).contains("reward = 1.5"));
        assert!(more(graded(0.5, -1.0)).contains("cost = -1"));
        assert_eq!(weights_of(active, &q, graded(0.75, 3.0)).unwrap(), [0.0, 0.0, 0.0, 3.0]);
        let full = |label, costs: &[f64]| {
            weights_of(active, &q, Feedback::Full { label, costs }).unwrap_err().to_string()
        };
        assert!(full(3, &[0.0, 0.0]).contains("class 3 does not exist"));
        assert!(full(0, &[0.0]).contains("costs has 1 entries, expected 2"));
        assert!(full(0, &[0.0, -0.5]).contains("costs[1] = -0.5"));
    }

    #[test]
    fn the_projected_gradient_sums_to_zero() {
        let u = [0.3, -1.4, 0.6, 0.5];
        let estimate = Estimate::One { target: 2, weight: 2.0 };
        assert_eq!(estimate.value(Surrogate::CstndHinge, &u), 2.0 * (1.3 + 1.5));
        let mut g = [f64::NAN; 4];
        estimate.gradient(Surrogate::CstndHinge, &u, &mut g);
        assert_eq!(g, [2.0, 0.0, 0.0, 2.0]);
        let all = Estimate::All(&[0.0, 0.0, 2.0, 0.0]);
        assert_eq!(all.value(Surrogate::CstndHinge, &u), 2.0 * (1.3 + 1.5));
        all.gradient(Surrogate::CstndHinge, &u, &mut g);
        assert_eq!(g, [2.0, 0.0, 0.0, 2.0]);
        project_gradient(Surrogate::CstndHinge, &mut g);
        assert_eq!(g, [1.0, -1.0, -1.0, 1.0]);
    }
}

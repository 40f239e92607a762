//! The exact expected regret of a run (Sec. 4), as an interval at recorded horizons.
//!
//! ```text
//! R_def(T) = sum_{t <= T} C_def(q_t) - min_h sum_{t <= T} C_def(h)
//! ```
//! The first sum is known exactly from the conditional law of each round. The second is bracketed:
//! below by the pointwise optima, above by the risk of any fixed hypothesis on the same rounds. A
//! bound above on the comparator is a bound below on the regret, and the other way round.

use super::comparator::Comparator;
use super::risk::{best_risk, mixture_risk};
use super::{Scores, TheoryError};
use problem::{Action, ActiveSet};

/// Cumulative quantities after `rounds` rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct RegretPoint {
    /// `T`.
    pub rounds: usize,
    /// `sum_t C_def(q_t)`.
    pub risk: f64,
    /// `sum_t (1 - max_a s_t(a))`.
    pub pointwise: f64,
    /// Least cumulative risk among the fixed hypotheses that were followed; `None` without any.
    pub best_fixed: Option<f64>,
}

impl RegretPoint {
    /// `[risk - upper end, risk - lower end]` of the comparator. Without a fixed hypothesis nothing
    /// bounds the comparator from above but the number of rounds.
    pub fn regret(&self) -> [f64; 2] {
        let upper = self.best_fixed.unwrap_or(self.rounds as f64);
        [self.risk - upper, self.risk - self.pointwise]
    }

    /// The regret against a comparator computed for exactly these rounds (weights count rounds);
    /// what was followed along the run may still be the better upper end.
    pub fn regret_against(&self, comparator: &Comparator) -> [f64; 2] {
        let upper = self.best_fixed.map_or(comparator.upper, |fixed| fixed.min(comparator.upper));
        let lower = self.pointwise.max(comparator.lower);
        [self.risk - upper, self.risk - lower]
    }
}

/// Accumulates a run and keeps what it was at each checkpoint.
#[derive(Clone, Debug)]
pub struct RegretCurve {
    checkpoints: Vec<usize>,
    points: Vec<RegretPoint>,
    fixed: Vec<f64>,
    rounds: usize,
    risk: f64,
    pointwise: f64,
}

impl RegretCurve {
    /// Records at the given horizons (any order, repeats ignored) and follows `fixed` hypotheses.
    pub fn new(checkpoints: &[usize], fixed: usize) -> Self {
        let mut checkpoints = checkpoints.to_vec();
        checkpoints.sort_unstable();
        checkpoints.dedup();
        RegretCurve {
            checkpoints,
            points: Vec::new(),
            fixed: vec![0.0; fixed],
            rounds: 0,
            risk: 0.0,
            pointwise: 0.0,
        }
    }

    /// Adds a round: its scores, the learner's mixture, and the action each fixed hypothesis takes.
    ///
    /// # Errors
    /// Names the field: `s`, `q`, or `fixed` (how many, and each of them active). Nothing is added
    /// then.
    pub fn push(
        &mut self,
        active: ActiveSet,
        s: &[f64],
        q: &[f64],
        fixed: &[Action],
    ) -> Result<(), TheoryError> {
        let scores = Scores::from_slice(active, s)?;
        let risk = mixture_risk(&scores, q)?;
        if fixed.len() != self.fixed.len() {
            let (got, expected) = (fixed.len(), self.fixed.len());
            return Err(TheoryError::WrongLength { field: "fixed", got, expected });
        }
        let mut costs = Vec::with_capacity(fixed.len());
        for (i, &action) in fixed.iter().enumerate() {
            let position = active.position(action).ok_or_else(|| {
                let index = action.index() as f64;
                TheoryError::out_of_range(format!("fixed[{i}]"), index, "an active action")
            })?;
            costs.push(1.0 - s[position]);
        }
        self.rounds += 1;
        self.risk += risk;
        self.pointwise += best_risk(&scores);
        self.fixed.iter_mut().zip(costs).for_each(|(total, cost)| *total += cost);
        if self.checkpoints.binary_search(&self.rounds).is_ok() {
            self.points.push(self.now());
        }
        Ok(())
    }

    /// Where the run stands.
    pub fn now(&self) -> RegretPoint {
        RegretPoint {
            rounds: self.rounds,
            risk: self.risk,
            pointwise: self.pointwise,
            best_fixed: self.fixed.iter().copied().reduce(f64::min),
        }
    }

    /// The checkpoints passed so far, in order.
    pub fn points(&self) -> &[RegretPoint] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;

    #[test]
    fn a_three_round_curve_by_hand() {
        let space = ActionSpace::new(2, 1).unwrap();
        let (all, none) = (space.all_active(), space.classes_only());
        let [zero, one, expert] = [0, 1, 2].map(|a| space.action(a).unwrap());
        let mut curve = RegretCurve::new(&[3, 1, 3], 2);
        curve.push(all, &[0.75, 0.25, 0.5], &[0.5, 0.5, 0.0], &[zero, expert]).unwrap();
        curve.push(none, &[0.25, 0.75], &[1.0, 0.0], &[zero, one]).unwrap();
        curve.push(all, &[0.5, 0.5, 1.0], &[0.0, 0.0, 1.0], &[zero, expert]).unwrap();
        let [first, last] = curve.points() else { panic!("two checkpoints") };
        assert_eq!(first.regret(), [0.5 - 0.25, 0.5 - 0.25]);
        // Risks 0.5 + 0.75 + 0; pointwise 0.25 + 0.25 + 0; fixed 0.25 + 0.75 + 0.5, 0.5 + 0.25 + 0.
        let expected =
            RegretPoint { rounds: 3, risk: 1.25, pointwise: 0.5, best_fixed: Some(0.75) };
        assert_eq!(*last, expected);
        assert_eq!(last.regret(), [0.5, 0.75]);
        assert_eq!(RegretPoint { best_fixed: None, ..expected }.regret(), [-1.75, 0.75]);
    }

    #[test]
    fn bad_rounds_leave_no_trace() {
        let space = ActionSpace::new(2, 1).unwrap();
        let none = space.classes_only();
        let expert = space.expert(0).unwrap();
        let mut curve = RegretCurve::new(&[1], 1);
        let zero = space.class(0).unwrap();
        let mut message = |s: &[f64], q: &[f64], fixed: &[Action]| {
            curve.push(none, s, q, fixed).unwrap_err().to_string()
        };
        assert!(message(&[0.5, 0.6], &[0.5, 0.5], &[zero]).starts_with("s over"));
        assert!(message(&[0.5, 0.5], &[0.5, 0.6], &[zero]).starts_with("q sums"));
        assert!(message(&[0.5, 0.5], &[0.5, 0.5], &[]).starts_with("fixed has 0"));
        assert!(message(&[0.5, 0.5], &[0.5, 0.5], &[expert]).starts_with("fixed[0]"));
        assert_eq!((curve.now().rounds, curve.points().len()), (0, 0));
    }
}

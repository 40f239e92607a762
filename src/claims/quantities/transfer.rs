//! The transfer theorem along a run (Thm 5.1, Cor. 5.2), in exact conditional quantities.
//!
//! ```text
//! (1/T) sum_t Delta C_def(q_t)  <=  S-bar Gamma( sum_t d_t / (T S-bar) ) + S-bar eps + (1/T) sum_t gamma_t
//! d_t = C_Phi(u_t) - inf C_Phi,     S-bar = (1/T) sum_t S_t
//! ```
//! The left side is `E_def / T = (R_def + M_def) / T` and `sum_t d_t` is `E_Phi = R_Phi + M_Phi`:
//! regret and minimizability gap need a comparator only when they are told apart, which
//! [`Transfer::regrets`] does.

use super::out_of_range;
use super::risk::{exploration_mixture, mixture_gap};
use crate::prec;
use problem::ActiveSet;
use theory::{Scores, SurrogateId, TheoryError, argmax, infimum, infimum_in_ball};

/// One round of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferRound<'a> {
    /// `Y_A`.
    pub(crate) active: ActiveSet,
    /// Action scores `s`, aligned with `active`.
    pub(crate) s: &'a [f64],
    /// The hypothesis' scores on the active actions, projected for the constrained surrogates.
    pub(crate) u: &'a [f64],
    /// `gamma_t`: the mixture follows from it and `u`.
    pub(crate) gamma: f64,
    /// `B ||x~||`, when `C*_Phi` is meant over the ball class (constrained surrogates only).
    pub(crate) reach: Option<f64>,
}

/// Both sides at a horizon, per round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sides {
    /// `T`.
    pub(crate) rounds: usize,
    /// `(1/T) sum_t Delta C_def(q_t)`.
    pub(crate) left: f64,
    /// The right side of Thm 5.1.
    pub(crate) right: f64,
    /// `right - left`; negative means that the theorem (or the stated `Gamma`) fails on this run.
    pub(crate) slack: f64,
    /// `(1/T) sum_t S_t Gamma(d_t / S_t) + ...`, the right side before Jensen: how much of the
    /// slack is Jensen's is `right - before_jensen`.
    pub(crate) before_jensen: f64,
    /// The least slack of a single round (Lem. D.4).
    pub(crate) worst_round: f64,
    /// `S-bar`.
    pub(crate) mean_mass: f64,
    /// `(1/T) sum_t d_t`.
    pub(crate) mean_surrogate_gap: f64,
    /// `(1/T) sum_t gamma_t`.
    pub(crate) mean_exploration: f64,
}

/// Regrets proper, once the minimizability gaps are known; totals, not per round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Regrets {
    /// `R_def = E_def - M_def`, an interval because the true comparator is a bracket.
    pub(crate) true_regret: [f64; 2],
    /// `R_Phi = E_Phi - M_Phi`; negative when the run beats the best fixed matrix.
    pub(crate) surrogate_regret: f64,
    /// Right side of Cor. 5.2 times `T`, `R_Phi` taken as 0 when negative.
    pub(crate) corollary_right: f64,
    /// `corollary_right - true_regret`, an interval; entirely negative: the inequality of the
    /// corollary does not hold here.
    pub(crate) corollary_slack: [f64; 2],
    /// `M_Phi = 0`, the corollary's hypothesis, to within [`prec::CERTIFIED`] per round.
    pub(crate) corollary_applies: bool,
}

/// Accumulates a run.
pub(crate) struct Transfer<G> {
    surrogate: SurrogateId,
    gamma: G,
    epsilon: f64,
    rounds: usize,
    true_gap: f64,
    surrogate_gap: f64,
    mass: f64,
    exploration: f64,
    before_jensen: f64,
    worst_round: f64,
}

impl<G: Fn(f64) -> f64> Transfer<G> {
    /// For a surrogate with the calibration function `gamma` (say
    /// [`SurrogateId::gamma_stated`]) and the constant `epsilon` of the consistency bound.
    ///
    /// # Errors
    /// `epsilon` negative or not finite.
    pub(crate) fn new(surrogate: SurrogateId, gamma: G, epsilon: f64) -> Result<Self, TheoryError> {
        if !(epsilon >= 0.0 && epsilon.is_finite()) {
            return Err(out_of_range("epsilon", epsilon, "a number not negative"));
        }
        Ok(Transfer {
            surrogate,
            gamma,
            epsilon,
            rounds: 0,
            true_gap: 0.0,
            surrogate_gap: 0.0,
            mass: 0.0,
            exploration: 0.0,
            before_jensen: 0.0,
            worst_round: f64::INFINITY,
        })
    }

    /// Adds a round; nothing is added if it is not valid.
    ///
    /// # Errors
    /// Names the field: `s`, `u` (length, finite, zero-sum and within reach where that is asked), or
    /// `gamma`.
    pub(crate) fn push(&mut self, round: TransferRound<'_>) -> Result<(), TheoryError> {
        let scores = Scores::from_slice(round.active, round.s)?;
        self.check_scores(&round)?;
        let gamma = round.gamma;
        if !(0.0..=1.0).contains(&gamma) {
            return Err(out_of_range("gamma", gamma, "a rate in [0, 1]"));
        }
        let q = exploration_mixture(round.u.len(), argmax(round.u), gamma);
        let true_gap = mixture_gap(&scores, &q)?;
        let risk = self.surrogate.conditional_risk(round.s, round.u);
        let least = match round.reach {
            None => infimum(self.surrogate, round.s)?.value,
            Some(reach) => infimum_in_ball(self.surrogate, round.s, reach)?.value,
        };
        let surrogate_gap = (risk - least).max(0.0);
        let mass = scores.mass;
        let right = mass * (self.gamma)(surrogate_gap / mass) + mass * self.epsilon + gamma;
        self.rounds += 1;
        self.true_gap += true_gap;
        self.surrogate_gap += surrogate_gap;
        self.mass += mass;
        self.exploration += gamma;
        self.before_jensen += right;
        self.worst_round = self.worst_round.min(right - true_gap);
        Ok(())
    }

    fn check_scores(&self, round: &TransferRound<'_>) -> Result<(), TheoryError> {
        let u = round.u;
        if u.len() != round.active.len() {
            let (got, expected) = (u.len(), round.active.len());
            return Err(TheoryError::WrongLength { field: "u", got, expected });
        }
        if let Some((i, &value)) = u.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(out_of_range(format!("u[{i}]"), value, "a finite score"));
        }
        let size = 1.0 + u.iter().map(|v| v.abs()).sum::<f64>();
        let sum: f64 = u.iter().sum();
        if self.surrogate.is_constrained() && sum.abs() > prec::ZERO_SUM * size {
            return Err(TheoryError::WrongSum { field: "u", sum, expected: 0.0 });
        }
        let norm = u.iter().map(|v| v * v).sum::<f64>().sqrt();
        match round.reach {
            Some(reach) if norm > reach + prec::ZERO_SUM * size => {
                Err(out_of_range("u", norm, "a norm of at most B ||x~||"))
            }
            _ => Ok(()),
        }
    }

    /// Both sides so far; `None` before the first round.
    #[must_use]
    pub(crate) fn sides(&self) -> Option<Sides> {
        let t = self.rounds as f64;
        (self.rounds > 0).then(|| {
            let left = self.true_gap / t;
            let right = self.right(self.surrogate_gap) / t;
            Sides {
                rounds: self.rounds,
                left,
                right,
                slack: right - left,
                before_jensen: self.before_jensen / t,
                worst_round: self.worst_round,
                mean_mass: self.mass / t,
                mean_surrogate_gap: self.surrogate_gap / t,
                mean_exploration: self.exploration / t,
            }
        })
    }

    fn right(&self, surrogate: f64) -> f64 {
        let calibrated = if self.mass > 0.0 { (self.gamma)(surrogate / self.mass) } else { 0.0 };
        self.mass * (calibrated + self.epsilon) + self.exploration
    }

    /// Takes the minimizability gaps of the same rounds (totals): `true_gap` as a bracket
    /// (`lower` and `upper` of [`theory::Comparator`] minus its `pointwise`) and `surrogate_gap`
    /// (`best_value - pointwise` of [`theory::Gap`]).
    #[must_use]
    pub(crate) fn regrets(&self, true_gap: [f64; 2], surrogate_gap: f64) -> Regrets {
        let true_regret = [self.true_gap - true_gap[1], self.true_gap - true_gap[0]];
        let surrogate_regret = self.surrogate_gap - surrogate_gap;
        let corollary_right = self.right(surrogate_regret.max(0.0));
        Regrets {
            true_regret,
            surrogate_regret,
            corollary_right,
            corollary_slack: [corollary_right - true_regret[1], corollary_right - true_regret[0]],
            corollary_applies: surrogate_gap <= prec::CERTIFIED * self.rounds.max(1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;

    fn round<'a>(active: ActiveSet, s: &'a [f64], u: &'a [f64], gamma: f64) -> TransferRound<'a> {
        TransferRound { active, s, u, gamma, reach: None }
    }

    #[test]
    fn two_rounds_by_hand() {
        let space = ActionSpace::new(2, 1).unwrap();
        let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.0).unwrap();
        assert_eq!(run.sides(), None);
        // Greedy 1 with s = (3/4, 1/4): Delta = 1/2 of it kept, 1/2 * (1 - gamma) + gamma / 2 * 1/2.
        run.push(round(space.classes_only(), &[0.75, 0.25], &[-0.5, 0.5], 0.5)).unwrap();
        // Delta(q) = 3/4 * 1/2 = 3/8; C = 1/4 * 1/2 + 3/4 * 3/2 = 5/4, inf = 2 * 1/4, d = 3/4.
        let sides = run.sides().unwrap();
        assert_eq!((sides.left, sides.right), (0.375, 0.75 + 0.5));
        // Canonical vector, no exploration: nothing lost; S = 2.
        run.push(round(space.all_active(), &[0.5, 0.5, 1.0], &[-1.0, -1.0, 2.0], 0.0)).unwrap();
        let sides = run.sides().unwrap();
        assert_eq!((sides.left, sides.right), (0.1875, (0.75 + 0.5) / 2.0));
        assert_eq!((sides.mean_mass, sides.worst_round), (1.5, 0.0));
        assert_eq!((sides.mean_surrogate_gap, sides.mean_exploration), (0.75 / 2.0, 0.5 / 2.0));
        // M_Phi = 1/2, M_def in [0, 1/8].
        let regrets = run.regrets([0.0, 0.125], 0.5);
        assert_eq!(regrets.true_regret, [0.25, 0.375]);
        assert_eq!(regrets.surrogate_regret, 0.25);
        assert_eq!(regrets.corollary_slack, [0.75 - 0.375, 0.75 - 0.25]);
        assert!(!regrets.corollary_applies && run.regrets([0.0, 0.0], 0.0).corollary_applies);
        // The rounding granted to M_Phi grows with the two rounds.
        let applies = |times: f64| run.regrets([0.0; 2], times * prec::CERTIFIED).corollary_applies;
        assert!(applies(1.5) && !applies(2.5));
    }

    #[test]
    fn epsilon_costs_its_share_of_the_mass() {
        let space = ActionSpace::new(2, 1).unwrap();
        let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.25).unwrap();
        // Nothing is bought before the first round.
        assert_eq!(run.regrets([0.0; 2], 0.0).corollary_right, 0.0);
        // S = 2, u canonical: d = 0 and Delta(q) = 0; 2 * 0.25 + 0.
        let (s, u) = ([0.5, 0.5, 1.0], [-1.0, -1.0, 2.0]);
        run.push(round(space.all_active(), &s, &u, 0.0)).unwrap();
        let sides = run.sides().unwrap();
        assert_eq!((sides.right, sides.before_jensen, sides.worst_round), (0.5, 0.5, 0.5));
    }

    #[test]
    fn rounding_of_the_scores_is_forgiven_and_not_more() {
        let space = ActionSpace::new(4, 0).unwrap();
        let s = [0.25; 4];
        let fits = |u: [f64; 4], reach: Option<f64>| {
            let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.0).unwrap();
            let gamma = 0.1;
            run.push(TransferRound { reach, ..round(space.classes_only(), &s, &u, gamma) }).is_ok()
        };
        // The sum may be ZERO_SUM times 1 + |u|_1, here a number that this rule maps to itself.
        let most = prec::ZERO_SUM * (1.0 + prec::ZERO_SUM);
        assert!(fits([most, 0.0, 0.0, 0.0], None) && !fits([most.next_up(), 0.0, 0.0, 0.0], None));
        assert!(fits([1000.0, -1000.0 + 1e-6, 0.0, 0.0], None));
        assert!(!fits([1000.0, -1000.0 + 1e-5, 0.0, 0.0], None));
        // Norm 1 and |u|_1 = 2.
        let u = [0.5, 0.5, -0.5, -0.5];
        let least = 1.0 - 3.0 * prec::ZERO_SUM;
        assert_eq!(least + 3.0 * prec::ZERO_SUM, 1.0);
        assert!(fits(u, Some(1.0)) && fits(u, Some(least)) && !fits(u, Some(least - 1e-15)));
    }

    #[test]
    fn jensen_only_adds() {
        let space = ActionSpace::new(2, 0).unwrap();
        let mut run = Transfer::new(SurrogateId::CstndSq, f64::sqrt, 0.0).unwrap();
        for (p, v) in [(0.9, 1.0), (0.6, -0.25), (0.3, 0.1)] {
            let (s, u) = ([p, 1.0 - p], [v, -v]);
            run.push(round(space.classes_only(), &s, &u, 0.1)).unwrap();
        }
        let sides = run.sides().unwrap();
        // By hand: d = p(1-v)_+^2 + (1-p)(1+v)_+^2 - 4 p (1-p), S = 1.
        let d: Vec<f64> = [(0.9, 1.0), (0.6, -0.25), (0.3, 0.1)]
            .map(|(p, v): (f64, f64)| {
                (1.0 - p) * (1.0 + v).powi(2) + p * (1.0 - v).powi(2) - 4.0 * p * (1.0 - p)
            })
            .to_vec();
        let mean = d.iter().sum::<f64>() / 3.0;
        assert!((sides.right - mean.sqrt() - 0.1).abs() < 1e-12);
        let inner = d.iter().map(|d| d.sqrt()).sum::<f64>() / 3.0 + 0.1;
        assert!((sides.before_jensen - inner).abs() < 1e-12 && sides.right > inner + 1e-3);
    }

    #[test]
    fn bad_rounds_are_named_and_leave_no_trace() {
        let space = ActionSpace::new(2, 0).unwrap();
        let set = space.classes_only();
        let mut run = Transfer::new(SurrogateId::CstndHinge, |t| t, 0.0).unwrap();
        let s = [0.5, 0.5];
        let mut fails = |round: TransferRound<'_>, field: &str| {
            let message = run.push(round).unwrap_err().to_string();
            assert!(message.starts_with(field), "{message}");
            assert_eq!(run.sides(), None);
        };
        let explore = 0.1;
        fails(round(set, &[0.5, 0.6], &[0.0, 0.0], explore), "s");
        fails(round(set, &s, &[0.0], explore), "u");
        fails(round(set, &s, &[f64::NAN, 0.0], explore), "u[0]");
        fails(round(set, &s, &[1.0, 0.0], explore), "u");
        fails(round(set, &s, &[0.0, 0.0], 1.5), "gamma");
        fails(round(set, &s, &[0.0, 0.0], f64::NAN), "gamma");
        fails(TransferRound { reach: Some(0.5), ..round(set, &s, &[1.0, -1.0], explore) }, "u");
        assert!(Transfer::new(SurrogateId::CstndHinge, |t| t, -1.0).is_err());
    }
}

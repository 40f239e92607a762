//! What the concentrated-score condition of Thm. 6.5 demands of a round.
//!
//! ```text
//! s-bar(y_max) >= 1 - 1/sqrt(T)        <=>   (S - s_max)^2 T <= S^2
//! ```
//! The class scores sum to one and no score exceeds one. If an expert were the best action, the
//! others would have mass at least one and `T <= 4` would follow. So for `T > 4` the best action is a
//! class, its probability is at least `1 - 1/sqrt(T)`, and the available experts have scores whose
//! *sum* is at most `1 / (sqrt(T) - 1)`: each costs nearly one whatever it answers. Everything here
//! is decided in rational arithmetic.

use super::out_of_range;
use num_traits::{One, Signed, ToPrimitive, Zero};
use serde::Serialize;
use theory::{Rational, Scores, TheoryError};

/// Up to which horizon the condition can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Horizon {
    /// For every `T` up to this one and for none above.
    UpTo(u128),
    /// For every `T`.
    Unlimited,
}

impl Horizon {
    fn from_ratio(mass: &Rational, rest: &Rational) -> Self {
        if rest.is_zero() {
            return Horizon::Unlimited;
        }
        let square = mass * mass / (rest * rest);
        Horizon::UpTo(square.to_integer().to_u128().unwrap_or(u128::MAX))
    }

    /// Whether `t` is within the horizon.
    #[must_use]
    pub(crate) fn reaches(self, t: u64) -> bool {
        match self {
            Horizon::UpTo(last) => u128::from(t) <= last,
            Horizon::Unlimited => true,
        }
    }
}

/// The exact scores of one round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Concentration {
    classes: usize,
    s: Vec<Rational>,
}

impl Concentration {
    /// `s` lists the class scores, then the scores of the available experts.
    ///
    /// # Errors
    /// Fewer than two classes, a score outside `[0, 1]`, class scores that do not sum to exactly
    /// one.
    pub(crate) fn new(classes: usize, s: Vec<Rational>) -> Result<Self, TheoryError> {
        if classes < 2 || s.len() < classes {
            return Err(TheoryError::WrongLength {
                field: "s",
                got: s.len(),
                expected: classes.max(2),
            });
        }
        for (i, s_a) in s.iter().enumerate() {
            if s_a.is_negative() || *s_a > Rational::one() {
                let value = s_a.to_f64().unwrap_or(f64::NAN);
                return Err(out_of_range(format!("s[{i}]"), value, "a score in [0, 1]"));
            }
        }
        let sum: Rational = s[..classes].iter().sum();
        if !sum.is_one() {
            let sum = sum.to_f64().unwrap_or(f64::NAN);
            return Err(TheoryError::WrongSum { field: "s over the classes", sum, expected: 1.0 });
        }
        Ok(Concentration { classes, s })
    }

    /// The exact values of floating-point scores; the class scores, which may miss a sum of one by
    /// a rounding, are divided by their sum.
    pub(crate) fn of(scores: &Scores) -> Result<Self, TheoryError> {
        let classes = scores.active.space().classes();
        let mut s = scores.s.iter().enumerate().map(exact("s")).collect::<Result<Vec<_>, _>>()?;
        let sum: Rational = s[..classes].iter().sum();
        s[..classes].iter_mut().for_each(|s_a| *s_a /= &sum);
        Concentration::new(classes, s)
    }

    /// Position of the best action; ties go to the lowest index.
    #[must_use]
    pub(crate) fn best(&self) -> usize {
        (1..self.s.len()).fold(0, |best, a| if self.s[a] > self.s[best] { a } else { best })
    }

    /// `S`.
    fn mass(&self) -> Rational {
        self.s.iter().sum()
    }

    /// The sum of the scores of the available experts.
    pub(crate) fn expert_mass(&self) -> Rational {
        self.s[self.classes..].iter().sum()
    }

    /// `s-bar(y_max) >= 1 - 1/sqrt(T)`, decided exactly.
    #[must_use]
    pub(crate) fn holds(&self, t: u64) -> bool {
        let mass = self.mass();
        let rest = &mass - &self.s[self.best()];
        &rest * &rest * Rational::from_integer(t.into()) <= &mass * &mass
    }

    /// The largest `T` for which the condition holds: `floor((S / (S - s_max))^2)`.
    #[must_use]
    pub(crate) fn largest_horizon(&self) -> Horizon {
        let mass = self.mass();
        let rest = &mass - &self.s[self.best()];
        Horizon::from_ratio(&mass, &rest)
    }

    /// Whether the round is as the condition at `T > 4` says it must be: the best action is a
    /// class, its probability is at least `1 - 1/sqrt(T)`, and the scores of the experts sum to
    /// at most `1 / (sqrt(T) - 1)`.
    #[must_use]
    pub(crate) fn has_consequences(&self, t: u64) -> bool {
        let t = Rational::from_integer(t.into());
        let best = self.best();
        let miss = Rational::one() - &self.s[best];
        let experts = self.expert_mass();
        let room = Rational::one() + &experts;
        best < self.classes
            && &miss * &miss * &t <= Rational::one()
            && &experts * &experts * &t <= &room * &room
    }
}

/// `1 / (sqrt(T) - 1)`: what the scores of all available experts may sum to when the condition
/// holds at horizon `T`. `None` for `T <= 4`, where an expert can still be the best action.
#[must_use]
pub(crate) fn expert_limit(t: u64) -> Option<f64> {
    (t > 4).then(|| 1.0 / ((t as f64).sqrt() - 1.0))
}

fn exact(field: &'static str) -> impl Fn((usize, &f64)) -> Result<Rational, TheoryError> {
    move |(i, &value)| {
        Rational::from_float(value)
            .ok_or_else(|| out_of_range(format!("{field}[{i}]"), value, "a finite number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::{ActionSpace, ExpertCost, RoundLaw};
    use theory::ratio;

    fn round(classes: usize, s: &[(i64, i64)]) -> Concentration {
        Concentration::new(classes, s.iter().map(|&(p, q)| ratio(p, q)).collect()).unwrap()
    }

    #[test]
    fn the_boundary_is_exact() {
        // S = 1, rest = 1/4: 1/16 T <= 1.
        let quarter = round(2, &[(3, 4), (1, 4)]);
        assert_eq!(quarter.largest_horizon(), Horizon::UpTo(16));
        assert!(quarter.holds(16) && !quarter.holds(17));
        assert!(quarter.has_consequences(16) && !quarter.has_consequences(17));
        // A sure label and an expert worth 1/9: (10/9) / (1/9) = 10.
        let expert = round(2, &[(1, 1), (0, 1), (1, 9)]);
        assert_eq!(expert.largest_horizon(), Horizon::UpTo(100));
        assert!(expert.has_consequences(100) && !expert.has_consequences(101));
        assert_eq!(round(2, &[(1, 1), (0, 1)]).largest_horizon(), Horizon::Unlimited);
    }

    #[test]
    fn an_expert_can_be_best_only_up_to_four() {
        let perfect = round(2, &[(1, 2), (1, 2), (1, 1)]);
        assert_eq!((perfect.best(), perfect.largest_horizon()), (2, Horizon::UpTo(4)));
        assert!(!perfect.has_consequences(4));
        // Of equally good actions the first is the best one.
        assert_eq!(round(2, &[(1, 2), (1, 2), (1, 2)]).best(), 0);
        assert_eq!(expert_limit(4), None);
        assert_eq!(expert_limit(16), Some(1.0 / 3.0));
    }

    #[test]
    fn the_costs_of_the_experiments_leave_no_room_for_the_theorem() {
        // Cost (1{wrong} + 0.1) / 1.1: an expert that knows the answer, and one that guesses
        // among four classes (score 5/22, so (27/5)^2 = 29.16).
        let cost = ExpertCost::new(1.0, 0.1).unwrap();
        let space = ActionSpace::new(4, 1).unwrap();
        let guess = 0.25 * cost.normalized(true) + 0.75 * cost.normalized(false);
        for (c, last) in [(cost.normalized(true), 4), (guess, 29)] {
            // A certain label is the best case.
            let law = RoundLaw::new(space, &[1.0, 0.0, 0.0, 0.0], &[[c; 4]]).unwrap();
            let of = |active| {
                let scores = Scores::from_law(&law, active).unwrap();
                Concentration::of(&scores).unwrap().largest_horizon()
            };
            assert_eq!(of(space.all_active()), Horizon::UpTo(last));
            assert!(!of(space.all_active()).reaches(100_000));
            assert_eq!(of(space.classes_only()), Horizon::Unlimited);
        }
    }

    #[test]
    fn floating_scores_and_bad_input() {
        let space = ActionSpace::new(3, 1).unwrap();
        let law = RoundLaw::new(space, &[0.7, 0.2, 0.1], &[[1.0, 1.0, 0.5]]).unwrap();
        let scores = Scores::from_law(&law, space.all_active()).unwrap();
        // S = 1.05, rest = 0.35 up to rounding: T <= 9 up to rounding.
        let horizon = Concentration::of(&scores).unwrap().largest_horizon();
        assert!(matches!(horizon, Horizon::UpTo(8 | 9)), "{horizon:?}");
        let error = |s: &[(i64, i64)]| {
            let s = s.iter().map(|&(p, q)| ratio(p, q)).collect();
            Concentration::new(2, s).unwrap_err().to_string()
        };
        assert!(error(&[(1, 2), (1, 2), (3, 2)]).starts_with("s[2]"));
        assert!(error(&[(1, 2), (1, 3)]).contains("sums to"));
        assert!(error(&[(1, 1)]).starts_with("s has 1"));
    }
}

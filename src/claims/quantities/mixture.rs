//! One input, actions that come and go: what one score vector for every active set loses.

use num_traits::{One, Zero};
use problem::{ActionSpace, ActiveSet, ProblemError};
use theory::{Rational, StreamItem};

/// One input: what every action is worth, and how often each active set occurs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mixture {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `s_a` for all `N` actions.
    pub s: Vec<Rational>,
    /// Active sets with their weights.
    pub sets: Vec<(Rational, ActiveSet)>,
}

impl Mixture {
    /// Expert `j` is there with probability `availability[j]`, independently of the others.
    ///
    /// # Errors
    /// A space that cannot be.
    pub(crate) fn independent(
        p: &[Rational],
        experts: &[Rational],
        availability: &[Rational],
    ) -> Result<Self, ProblemError> {
        let space = ActionSpace::new(p.len(), experts.len())?.of_the_paper()?;
        let mut sets = Vec::new();
        for mask in 0..1u128 << experts.len() {
            let weight = availability.iter().enumerate().fold(Rational::one(), |w, (j, a)| {
                w * if mask >> j & 1 == 1 { a.clone() } else { Rational::one() - a }
            });
            if !weight.is_zero() {
                sets.push((weight, space.active_from_mask(mask)?));
            }
        }
        let s = p.iter().chain(experts).cloned().collect();
        Ok(Mixture { space, s, sets })
    }

    /// Scores of the active actions.
    fn scores(&self, active: ActiveSet) -> Vec<Rational> {
        active.iter().map(|a| self.s[a.index()].clone()).collect()
    }

    /// What the greedy action of `v` loses per round; ties are broken evenly.
    pub(crate) fn true_regret(&self, v: &[Rational]) -> Rational {
        let lost = |(weight, active): &(Rational, ActiveSet)| {
            let s = self.scores(*active);
            let u: Vec<&Rational> = active.iter().map(|a| &v[a.index()]).collect();
            let top = u.iter().max().expect("never empty");
            let chosen: Vec<&Rational> =
                s.iter().zip(&u).filter(|(_, u)| *u == top).map(|(s, _)| s).collect();
            let count = Rational::from_integer(chosen.len().into());
            let mean = chosen.into_iter().sum::<Rational>() / count;
            weight * (s.iter().max().expect("never empty") - mean)
        };
        self.sets.iter().map(lost).sum()
    }

    /// The first set in which `v` does not put a best action strictly on top of all worse ones.
    pub(crate) fn misled(&self, v: &[Rational]) -> Option<ActiveSet> {
        let wrong = |active: &ActiveSet| {
            let best = active.iter().map(|a| &self.s[a.index()]).max();
            let top_of = |good: bool| {
                let kind = active.iter().filter(|a| (Some(&self.s[a.index()]) == best) == good);
                kind.map(|a| &v[a.index()]).max()
            };
            top_of(false) >= top_of(true)
        };
        self.sets.iter().map(|(_, active)| *active).find(wrong)
    }

    /// The sets as items of a stream, at the input 0.
    pub(crate) fn items(&self) -> Vec<StreamItem<Rational>> {
        let item = |(weight, active): &(Rational, ActiveSet)| StreamItem {
            weight: weight.clone(),
            x: vec![Rational::zero()],
            active: *active,
            s: self.scores(*active),
        };
        self.sets.iter().map(item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use theory::availability::optimum;
    use theory::calibration::SquaredSurrogate;
    use theory::ratio;

    #[test]
    fn independent_experts_by_hand() {
        let p = [ratio(4, 5), ratio(1, 5)];
        let mixture =
            Mixture::independent(&p, &[ratio(1, 1), ratio(1, 2)], &[ratio(1, 4), ratio(1, 1)])
                .unwrap();
        let weights: Vec<&Rational> = mixture.sets.iter().map(|(w, _)| w).collect();
        assert_eq!(weights, [&ratio(3, 4), &ratio(1, 4)]);
        assert_eq!(mixture.sets[1].1, mixture.space.all_active());
        // Class 0 on top always: right without expert 0, and 1/5 short with it.
        let v = [ratio(1, 1), ratio(0, 1), ratio(0, 1), ratio(0, 1)];
        assert_eq!(mixture.true_regret(&v), ratio(1, 4) * ratio(1, 5));
        assert_eq!(mixture.misled(&v), Some(mixture.space.all_active()));
        // All tied: half of what a coin over the classes and the experts loses.
        let flat = vec![Rational::zero(); 4];
        let without = ratio(4, 5) - ratio(3, 2) / ratio(3, 1);
        let with = ratio(1, 1) - ratio(5, 2) / ratio(4, 1);
        assert_eq!(mixture.true_regret(&flat), ratio(3, 4) * without + ratio(1, 4) * with);
        let good = [ratio(2, 1), ratio(0, 1), ratio(3, 1), ratio(1, 1)];
        assert_eq!((mixture.misled(&good), mixture.true_regret(&good)), (None, ratio(0, 1)));
    }

    #[test]
    fn the_squared_loss_is_not_misled_by_the_first_witness() {
        let p = [ratio(4, 5), ratio(1, 5)];
        let mixture = Mixture::independent(&p, &[ratio(1, 1)], &[ratio(1, 2)]).unwrap();
        let found = optimum(SquaredSurrogate::CstndSq, &mixture.s, &mixture.sets).unwrap();
        assert_eq!(mixture.misled(&found.scores), None);
    }
}

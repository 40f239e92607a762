//! One input, actions that come and go: can one score vector serve every active set?
//!
//! At one input every action has a score `s_a`, whoever else is there. A [`Mixture`] says how often
//! each active set `A` occurs. A learner with one score vector `v` per input pays
//!
//! ```text
//! F(v) = sum_A w_A C_A(v restricted to A, centred where the surrogate asks for it)
//! ```
//!
//! and a surrogate is *availability-consistent* when, whatever `s` and `w` are, minimising `F` puts
//! the best active action on top in every set. It is if `F` can reach the sum of the pointwise
//! infima: then every minimising sequence has a calibration gap going to zero in every set, and a
//! calibrated loss puts the best action of that set on top. Three of the ten have no such vector; what happens
//! then is computed by [`optimum`] for the two squared ones.
//!
//! | surrogate | vector that serves all sets | consistent |
//! |---|---|---|
//! | comp_exp, sum_exp | `log(s) / 2` | yes |
//! | comp_log | `log s` | yes |
//! | comp_gce | `log(s) / (1 - alpha)` | yes |
//! | comp_mae | `lambda log s`, `lambda` to infinity | yes, in the limit |
//! | sum_tau | ranks, `tau` apart | yes (not convex) |
//! | cstnd_tau | a tower `v_r = N (v_{r-1} + tau)` | yes with scores of size `N^N tau` (not convex) |
//! | sum_sq | none | no; yes if experts come and go independently |
//! | cstnd_sq | none | no |
//! | cstnd_hinge | none | no |
//!
//! # Why sum_sq survives independence
//! Its mixture is `sum_{a,b} m_ab s_a [1 - (v_a - v_b)]_+^2` with `m_ab` the weight of the sets that
//! hold both. If availabilities are independent, `m_ab = alpha_a alpha_b`, and after dividing the
//! stationarity of `a` by `alpha_a` every action meets the others with the same weights. Let
//! `s_a > s_b` and suppose `v_a <= v_b`: each pull on `a` away from a third action is then at most the
//! one on `b`, and between the two the pull is strictly towards `a` on top, so both cannot be in
//! balance. When an expert is there only together with another one, the weights differ and the
//! argument, and the property, are gone.

mod quadratic;

pub use quadratic::{Optimum, optimum};

use super::rational::Rational;
use num_traits::{One, Zero};
use problem::{ActionSpace, ActiveSet, ProblemError};

/// One input: what every action is worth, and how often each active set occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
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
    pub fn independent(
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
    #[must_use]
    pub fn scores(&self, active: ActiveSet) -> Vec<Rational> {
        active.iter().map(|a| self.s[a.index()].clone()).collect()
    }

    /// What the greedy action of `v` loses per round; ties are broken evenly.
    #[must_use]
    pub fn true_regret(&self, v: &[Rational]) -> Rational {
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
    #[must_use]
    pub fn misled(&self, v: &[Rational]) -> Option<ActiveSet> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::ratio;

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
}

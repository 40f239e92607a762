//! The optimum of a mixture of active sets under the two squared hinges, as exact fractions.
//!
//! Both are sums of `c [1 + l(v)]_+^2` with linear `l`: convex, and quadratic between the kinks.
//! Newton's method on the terms that are switched on ends after finitely many steps where it ends at
//! all; the answer is accepted only if the exact gradient of the whole sum vanishes there, which
//! proves it optimal.

use crate::calibration::SquaredSurrogate;
use crate::rational::Rational;
use crate::simplest::solve_near;
use num_traits::{One, Signed, Zero};
use problem::ActiveSet;

/// An optimum with its proof already checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// `v`, for all actions.
    pub scores: Vec<Rational>,
    /// `F(v)`.
    pub value: Rational,
    /// `F(v)` minus the sum of the pointwise infima: the minimizability gap per round.
    pub gap: Rational,
}

/// The most rounds of Newton's method; a handful is needed.
const STEPS: usize = 60;

/// The optimum at an input where action `a` is worth `s[a]`, over active sets with their weights; `None`
/// when Newton's method did not settle, and nothing is then claimed.
#[must_use]
pub fn optimum(
    loss: SquaredSurrogate,
    s: &[Rational],
    sets: &[(Rational, ActiveSet)],
) -> Option<Optimum> {
    let (scores, value) = minimise(loss, s, sets)?;
    let mut infima = Rational::zero();
    for set in sets {
        infima += minimise(loss, s, std::slice::from_ref(set))?.1;
    }
    Some(Optimum { scores, gap: &value - infima, value })
}

/// `c [1 + l . v]_+^2`.
struct Term {
    c: Rational,
    l: Vec<Rational>,
}

fn terms(
    loss: SquaredSurrogate,
    s: &[Rational],
    weight: &Rational,
    active: ActiveSet,
) -> Vec<Term> {
    let n = s.len();
    let members: Vec<usize> = active.iter().map(|a| a.index()).collect();
    let mass: Rational = members.iter().map(|&a| &s[a]).sum();
    let share = Rational::new(1.into(), members.len().into());
    let mut terms = Vec::new();
    for &a in &members {
        match loss {
            SquaredSurrogate::CstndSq => {
                let mut l = vec![Rational::zero(); n];
                members.iter().for_each(|&b| l[b] -= &share);
                l[a] += Rational::one();
                terms.push(Term { c: weight * (&mass - &s[a]), l });
            }
            SquaredSurrogate::SumSq => {
                for &b in members.iter().filter(|&&b| b != a) {
                    let mut l = vec![Rational::zero(); n];
                    (l[a], l[b]) = (-Rational::one(), Rational::one());
                    terms.push(Term { c: weight * &s[a], l });
                }
            }
        }
    }
    terms.retain(|term| !term.c.is_zero());
    terms
}

fn dot(l: &[Rational], v: &[Rational]) -> Rational {
    l.iter().zip(v).filter(|(l, _)| !l.is_zero()).map(|(l, v)| l * v).sum()
}

fn minimise(
    loss: SquaredSurrogate,
    s: &[Rational],
    sets: &[(Rational, ActiveSet)],
) -> Option<(Vec<Rational>, Rational)> {
    let n = s.len();
    let terms: Vec<Term> = sets.iter().flat_map(|(w, active)| terms(loss, s, w, *active)).collect();
    let mut v = vec![Rational::zero(); n];
    for _ in 0..STEPS {
        let slack: Vec<Rational> =
            terms.iter().map(|term| Rational::one() + dot(&term.l, &v)).collect();
        let mut gradient = vec![Rational::zero(); n];
        let mut hessian = vec![vec![Rational::zero(); n]; n];
        for (term, slack) in terms.iter().zip(&slack).filter(|(_, slack)| slack.is_positive()) {
            for (i, l_i) in term.l.iter().enumerate().filter(|(_, l)| !l.is_zero()) {
                gradient[i] += &term.c * slack * l_i;
                for (j, l_j) in term.l.iter().enumerate().filter(|(_, l)| !l.is_zero()) {
                    hessian[i][j] += &term.c * l_i * l_j;
                }
            }
        }
        if gradient.iter().all(Zero::is_zero) {
            let positive =
                slack.iter().map(|s| if s.is_positive() { s.clone() } else { Zero::zero() });
            let value = terms.iter().zip(positive).map(|(term, s)| &term.c * &s * &s).sum();
            return Some((v, value));
        }
        let rhs: Vec<Rational> = gradient.iter().map(|g| -g).collect();
        let step = solve_near(hessian, rhs, &vec![0.0; n], 1.0)?;
        v.iter_mut().zip(&step).for_each(|(v, s)| *v += s);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::ratio;
    use crate::{SurrogateId, pointwise};
    use num_traits::ToPrimitive;
    use problem::ActionSpace;

    #[test]
    fn a_single_set_has_its_pointwise_infimum() {
        let exact = [ratio(1, 2), ratio(3, 10), ratio(1, 5), ratio(9, 10)];
        let sets = [(ratio(1, 1), ActionSpace::new(3, 1).unwrap().all_active())];
        let s = exact.each_ref().map(|s| s.to_f64().unwrap());
        for (loss, id) in [
            (SquaredSurrogate::SumSq, SurrogateId::SumSq),
            (SquaredSurrogate::CstndSq, SurrogateId::CstndSq),
        ] {
            let found = optimum(loss, &exact, &sets).unwrap();
            assert!(found.gap.is_zero());
            let expected = pointwise::infimum(id, &s).unwrap().value;
            assert!((found.value.to_f64().unwrap() - expected).abs() < 1e-10, "{loss:?}");
        }
    }

    #[test]
    fn the_first_witness_by_hand() {
        // v = (x, -x, y): 4 x + y/5 = 6/5 and x/5 + 7 y/9 = 1/3.
        let space = ActionSpace::new(2, 1).unwrap();
        let sets = [(ratio(1, 2), space.classes_only()), (ratio(1, 2), space.all_active())];
        let s = [ratio(4, 5), ratio(1, 5), ratio(1, 1)];
        let found = optimum(SquaredSurrogate::CstndSq, &s, &sets).unwrap();
        let x = (&found.scores[0] - &found.scores[1]) / ratio(2, 1);
        let y = &found.scores[2] - (&found.scores[0] + &found.scores[1]) / ratio(2, 1);
        assert_eq!(&x * ratio(4, 1) + &y / ratio(5, 1), ratio(6, 5));
        assert_eq!(&x / ratio(5, 1) + &y * ratio(7, 9), ratio(1, 3));
        assert!(found.gap.is_positive());
    }
}

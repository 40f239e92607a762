//! Counterexamples to a stated calibration function, in small rational numbers.

use super::cheapest::cheapest;
use super::check_actions;
use super::exact::{infimum, is_stationary, minimiser};
use crate::TheoryError;
use crate::loss::{Piecewise, SurrogateId};
use crate::rational::{Rational, fraction, fractions, nearest, ratio};
use num_traits::{One, Signed, Zero};
use serde::{Deserialize, Serialize};

/// The two surrogates for which App. E states `Gamma(t) = sqrt(t)`, that is
/// `(zero-one gap)^2 <= surrogate gap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SquaredSurrogate {
    /// [`SurrogateId::SumSq`].
    SumSq,
    /// [`SurrogateId::CstndSq`].
    CstndSq,
}

impl SquaredSurrogate {
    fn of(id: SurrogateId) -> Option<Self> {
        match id {
            SurrogateId::SumSq => Some(SquaredSurrogate::SumSq),
            SurrogateId::CstndSq => Some(SquaredSurrogate::CstndSq),
            _ => None,
        }
    }

    fn loss(self) -> Piecewise<Rational> {
        match self {
            SquaredSurrogate::SumSq => Piecewise::SumSq,
            SquaredSurrogate::CstndSq => Piecewise::CstndSq,
        }
    }
}

/// A distribution and scores with `(zero-one gap)^2 > surrogate gap`, everything exact.
///
/// The surrogate gap is `C(u) - C(minimiser)`; that `minimiser` is one follows from its vanishing
/// gradient, which [`Witness::recheck`] computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Which of the two.
    pub surrogate: SquaredSurrogate,
    /// Active actions.
    pub k: usize,
    /// The action the scores choose; ties go to the lowest index.
    pub chosen: usize,
    /// The distribution over the actions.
    #[serde(with = "fractions")]
    pub s: Vec<Rational>,
    /// The scores.
    #[serde(with = "fractions")]
    pub u: Vec<Rational>,
    /// Where the infimum of the surrogate risk is attained.
    #[serde(with = "fractions")]
    pub minimiser: Vec<Rational>,
    /// `max s - s_chosen`.
    #[serde(with = "fraction")]
    pub zero_one_gap: Rational,
    /// `C(u) - inf C`.
    #[serde(with = "fraction")]
    pub surrogate_gap: Rational,
    /// Scores whose only maximiser is `chosen`.
    #[serde(with = "fractions")]
    pub strict_u: Vec<Rational>,
    /// `C(strict_u) - inf C`.
    #[serde(with = "fraction")]
    pub strict_surrogate_gap: Rational,
    /// The inequality that was checked, with the numbers put in.
    pub violated: String,
}

impl Witness {
    /// Whether everything the witness says is true, in rational arithmetic alone.
    #[must_use]
    pub fn recheck(&self) -> bool {
        self.flaw().is_none()
    }

    /// The first thing that is not as the witness says.
    pub(crate) fn flaw(&self) -> Option<&'static str> {
        let loss = self.surrogate.loss();
        let vectors = [&self.s, &self.u, &self.minimiser, &self.strict_u];
        if self.k < 2 || vectors.iter().any(|v| v.len() != self.k) || self.chosen >= self.k {
            return Some("k: lengths or the chosen action do not fit");
        }
        if self.s.iter().any(Rational::is_negative)
            || self.s.iter().sum::<Rational>() != Rational::one()
        {
            return Some("s: not a distribution");
        }
        let zero_sum = |v: &[Rational]| v.iter().sum::<Rational>().is_zero();
        if self.surrogate == SquaredSurrogate::CstndSq
            && !(zero_sum(&self.u) && zero_sum(&self.strict_u))
        {
            return Some("u: scores of a constrained surrogate must sum to zero");
        }
        if !is_stationary(&loss, &self.s, &self.minimiser) {
            return Some("minimiser: the gradient does not vanish");
        }
        let top = |u: &[Rational]| u.iter().max().cloned();
        let first = self.u.iter().position(|v| Some(v) == top(&self.u).as_ref());
        if first != Some(self.chosen) {
            return Some("u: its argmax is not the chosen action");
        }
        let strict_tops =
            self.strict_u.iter().filter(|v| Some(*v) == top(&self.strict_u).as_ref()).count();
        if strict_tops != 1 || Some(&self.strict_u[self.chosen]) != top(&self.strict_u).as_ref() {
            return Some("strict_u: the chosen action is not the only argmax");
        }
        let infimum = loss.conditional_risk(&self.s, &self.minimiser);
        let gap = |u: &[Rational]| loss.conditional_risk(&self.s, u) - &infimum;
        if self.surrogate_gap != gap(&self.u) {
            return Some("surrogate_gap: not C(u) - inf C");
        }
        if self.strict_surrogate_gap != gap(&self.strict_u) {
            return Some("strict_surrogate_gap: not C(strict_u) - inf C");
        }
        if self.zero_one_gap != zero_one_gap(&self.s, self.chosen) {
            return Some("zero_one_gap: not max s - s_chosen");
        }
        let square = &self.zero_one_gap * &self.zero_one_gap;
        if square <= self.surrogate_gap || square <= self.strict_surrogate_gap {
            return Some("violated: the squared zero-one gap does not exceed the surrogate gap");
        }
        if self.violated != inequality(&square, &self.surrogate_gap) {
            return Some("violated: not the inequality of these numbers");
        }
        None
    }
}

fn zero_one_gap(s: &[Rational], chosen: usize) -> Rational {
    s.iter().max().cloned().unwrap_or_default() - &s[chosen]
}

fn inequality(square: &Rational, gap: &Rational) -> String {
    format!("zero-one gap squared = {square} > {gap} = C(u) - inf C")
}

/// The largest common denominator of `s` that is tried.
const MAX_DENOMINATOR: i64 = 120;

/// A counterexample to the stated calibration function, with the smallest common denominator of
/// `s` among distributions `(s_0, s_1, t, .., t)` where action 0 is chosen and 1 is the best.
/// `None` if there is none up to denominator 120, or the surrogate is not a squared one.
///
/// # Errors
/// `k` outside `2..=12`.
pub fn witness(id: SurrogateId, k: usize) -> Result<Option<Witness>, TheoryError> {
    check_actions(k)?;
    let Some(surrogate) = SquaredSurrogate::of(id) else { return Ok(None) };
    Ok((2..=MAX_DENOMINATOR).find_map(|d| {
        let (ratio, numerators) = best_with_denominator(id, k as i64, d)?;
        // Rounding the scores must still leave room for the strict inequality.
        (ratio > 1.001).then(|| round(surrogate, &numerators, d)).flatten()
    }))
}

/// The distribution `(a, b, t, .., t) / d` with the largest ratio.
fn best_with_denominator(id: SurrogateId, k: i64, d: i64) -> Option<(f64, Vec<i64>)> {
    let mut best: Option<(f64, Vec<i64>)> = None;
    for a in 0..d {
        for b in a + 1..=d - a {
            let (rest, others) = (d - a - b, k - 2);
            let t = if others == 0 { 0 } else { rest / others };
            if t * others != rest || t > b {
                continue;
            }
            let mut numerators = vec![a, b];
            numerators.resize(k as usize, t);
            let s: Vec<f64> = numerators.iter().map(|&v| v as f64 / d as f64).collect();
            let Some(found) = cheapest(id, &s, 0) else { continue };
            let ratio = (s[1] - s[0]) / id.gamma_stated(found.gap, s.len());
            if best.as_ref().is_none_or(|(largest, _)| ratio > *largest) {
                best = Some((ratio, numerators));
            }
        }
    }
    best
}

/// Rounds the cheapest scores to small denominators until the violation is exact.
fn round(surrogate: SquaredSurrogate, numerators: &[i64], d: i64) -> Option<Witness> {
    let k = numerators.len();
    let (id, loss) = match surrogate {
        SquaredSurrogate::SumSq => (SurrogateId::SumSq, surrogate.loss()),
        SquaredSurrogate::CstndSq => (SurrogateId::CstndSq, surrogate.loss()),
    };
    let s: Vec<Rational> = numerators.iter().map(|&v| ratio(v, d)).collect();
    let float: Vec<f64> = numerators.iter().map(|&v| v as f64 / d as f64).collect();
    let best = cheapest(id, &float, 0)?.u;
    let lowest = infimum(&loss, &s)?;
    let gap01 = zero_one_gap(&s, 0);
    let square = &gap01 * &gap01;
    let gap = |u: &[Rational]| loss.conditional_risk(&s, u) - &lowest;
    let violates = |u: &[Rational]| gap(u) < square;

    let u = (1..=20).find_map(|q| {
        let u = symmetric_scores(surrogate, &best, k, q)?;
        violates(&u).then_some(u)
    })?;
    let strict_u = (1..=9).find_map(|digits| {
        let rise = ratio(1, 10i64.pow(digits));
        let mut strict = u.clone();
        strict[0] += &rise;
        strict[1] -= rise;
        violates(&strict).then_some(strict)
    })?;
    Some(Witness {
        surrogate,
        k,
        chosen: 0,
        minimiser: minimiser(&loss, &s)?,
        surrogate_gap: gap(&u),
        strict_surrogate_gap: gap(&strict_u),
        violated: inequality(&square, &gap(&u)),
        zero_one_gap: gap01,
        s,
        u,
        strict_u,
    })
}

/// Scores `(x, x, y, .., y)` near `best` with denominator `q` (`y` follows from the zero sum).
fn symmetric_scores(
    surrogate: SquaredSurrogate,
    best: &[f64],
    k: usize,
    q: i64,
) -> Option<Vec<Rational>> {
    let others = k - 2;
    let (x, y) = match (surrogate, others) {
        (_, 0) => (Rational::zero(), Rational::zero()),
        (SquaredSurrogate::SumSq, _) => (Rational::zero(), nearest(best[2] - best[0], q)?),
        (SquaredSurrogate::CstndSq, _) => {
            let x = nearest(best[0], q)?;
            (x.clone(), x * ratio(-2, others as i64))
        }
    };
    let mut u = vec![x.clone(), x];
    u.resize(k, y);
    Some(u)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witnesses_recheck_from_three_actions_on() {
        for id in [SurrogateId::SumSq, SurrogateId::CstndSq] {
            assert_eq!(witness(id, 2), Ok(None));
            for k in 3..=8 {
                let found = witness(id, k).unwrap().unwrap();
                assert_eq!(found.flaw(), None, "{found:?}");
                let text = serde_json::to_string(&found).unwrap();
                assert_eq!(serde_json::from_str::<Witness>(&text).unwrap(), found);
            }
        }
        assert_eq!(witness(SurrogateId::CompLog, 3), Ok(None));
        assert!(witness(SurrogateId::SumSq, 99).is_err());
    }

    #[test]
    fn the_smallest_witness_by_hand() {
        // s = (0, 1/2, 1/2), u = 0: C = 2, inf = 9 / (1 + 2 + 2), gap 1/5, zero-one gap 1/2.
        let found = witness(SurrogateId::CstndSq, 3).unwrap().unwrap();
        assert_eq!(found.s, [ratio(0, 1), ratio(1, 2), ratio(1, 2)]);
        assert_eq!(found.surrogate_gap, ratio(1, 5));
        assert_eq!(found.zero_one_gap, ratio(1, 2));
        assert_eq!(found.violated, "zero-one gap squared = 1/4 > 1/5 = C(u) - inf C");
    }

    #[test]
    fn the_best_distribution_by_hand() {
        // Of (0, 1, 1) / 2 and (0, 2, 0) / 2 the first: ratio (1/2) / sqrt(1/5), see above.
        let (ratio, numerators) = best_with_denominator(SurrogateId::CstndSq, 3, 2).unwrap();
        assert!((ratio - 1.25f64.sqrt()).abs() < 1e-15, "{ratio}");
        assert_eq!(numerators, [0, 1, 1]);
        // With two actions the stated function is sharp everywhere; the first of equals is kept.
        let two = best_with_denominator(SurrogateId::CstndSq, 2, 4);
        assert_eq!(two, Some((1.0, vec![0, 4])));
    }

    #[test]
    fn an_equality_is_no_violation() {
        // s = (1, 5, 2) / 8: equal scores have C = 2, inf C = 9 / (8/7 + 8/3 + 8/6) = 7/4, so the
        // gap 1/4 is exactly the squared zero-one gap. The cheapest scores, (1, 1, -2) / 17, cost less.
        let found = round(SquaredSurrogate::CstndSq, &[1, 5, 2], 8).unwrap();
        assert_eq!(found.flaw(), None, "{found:?}");
        assert_eq!(found.u, [ratio(1, 9), ratio(1, 9), ratio(-2, 9)]);
        // With two actions the cheapest scores reach equality, and nothing does better.
        assert_eq!(round(SquaredSurrogate::SumSq, &[1, 3], 4), None);
        assert_eq!(round(SquaredSurrogate::CstndSq, &[1, 3], 4), None);
    }

    #[test]
    fn rounded_scores_tie_the_first_two_and_keep_the_sum() {
        let by_hand = |v: &[(i64, i64)]| v.iter().map(|&(p, q)| ratio(p, q)).collect();
        let sum_sq = symmetric_scores(SquaredSurrogate::SumSq, &[0.25, 0.25, -0.4], 3, 4);
        assert_eq!(sum_sq, Some(by_hand(&[(0, 1), (0, 1), (-3, 4)])));
        let cstnd =
            symmetric_scores(SquaredSurrogate::CstndSq, &[0.7, 0.7, -0.5, -0.5, -0.4], 5, 4);
        assert_eq!(cstnd, Some(by_hand(&[(3, 4), (3, 4), (-1, 2), (-1, 2), (-1, 2)])));
        let two = symmetric_scores(SquaredSurrogate::CstndSq, &[0.7, -0.7], 2, 4);
        assert_eq!(two, Some(by_hand(&[(0, 1), (0, 1)])));
    }

    #[test]
    fn one_action_is_no_choice_and_two_are() {
        let mut short = witness(SurrogateId::SumSq, 3).unwrap().unwrap();
        let mut cut = |k: usize| {
            short.k = k;
            for v in [&mut short.s, &mut short.u, &mut short.minimiser, &mut short.strict_u] {
                v.truncate(k);
            }
            short.flaw().unwrap_or("none").split(':').next().unwrap_or_default().to_string()
        };
        // Without its last entry s does not sum to one any more.
        assert_eq!(cut(2), "s");
        assert_eq!(cut(1), "k");
    }

    #[test]
    fn both_score_vectors_of_a_constrained_surrogate_must_sum_to_zero() {
        let good = witness(SurrogateId::CstndSq, 3).unwrap().unwrap();
        let about_sum = |w: &Witness| w.flaw().is_some_and(|flaw| flaw.contains("sum to zero"));
        assert!(!about_sum(&good));
        assert!(about_sum(&Witness { u: vec![ratio(1, 1); 3], ..good.clone() }));
        let strict_u = vec![ratio(1, 1), ratio(0, 1), ratio(0, 1)];
        assert!(about_sum(&Witness { strict_u, ..good }));
    }

    #[test]
    fn every_false_statement_is_caught() {
        let good = witness(SurrogateId::SumSq, 3).unwrap().unwrap();
        let flaw = |spoil: fn(&mut Witness)| {
            let mut bad = good.clone();
            spoil(&mut bad);
            bad.flaw().unwrap_or("none").split(':').next().unwrap_or_default().to_string()
        };
        assert_eq!(flaw(|w| w.k = 4), "k");
        assert_eq!(flaw(|w| w.chosen = 3), "k");
        assert_eq!(flaw(|w| w.s[0] += ratio(1, 100)), "s");
        assert_eq!(flaw(|w| w.s[2] = ratio(-1, 20)), "s");
        assert_eq!(flaw(|w| w.minimiser[0] += ratio(1, 1000)), "minimiser");
        assert_eq!(flaw(|w| w.u[1] += ratio(1, 1000)), "u");
        assert_eq!(flaw(|w| w.strict_u = w.u.clone()), "strict_u");
        assert_eq!(flaw(|w| w.u[2] += ratio(1, 1000)), "surrogate_gap");
        assert_eq!(flaw(|w| w.surrogate_gap /= ratio(2, 1)), "surrogate_gap");
        assert_eq!(flaw(|w| w.strict_u[2] += ratio(1, 9)), "strict_surrogate_gap");
        assert_eq!(flaw(|w| w.zero_one_gap *= ratio(2, 1)), "zero_one_gap");
        assert_eq!(flaw(|w| w.violated.push(' ')), "violated");
        // The squared sum of these numbers is not a claim about the constrained square.
        assert_eq!(flaw(|w| w.surrogate = SquaredSurrogate::CstndSq), "u");
        // The scores without a tie must violate the inequality as well.
        assert_eq!(
            flaw(|w| {
                w.strict_u[0] += ratio(2, 1);
                let loss = Piecewise::SumSq;
                w.strict_surrogate_gap = loss.conditional_risk(&w.s, &w.strict_u)
                    - loss.conditional_risk(&w.s, &w.minimiser);
            }),
            "violated"
        );
        // A distribution on which the stated function holds.
        assert_eq!(
            flaw(|w| {
                w.s = vec![ratio(1, 4), ratio(1, 2), ratio(1, 4)];
                let loss = Piecewise::SumSq;
                w.minimiser = minimiser(&loss, &w.s).unwrap();
                let gap = |u: &[Rational]| {
                    loss.conditional_risk(&w.s, u) - loss.conditional_risk(&w.s, &w.minimiser)
                };
                (w.surrogate_gap, w.strict_surrogate_gap) = (gap(&w.u), gap(&w.strict_u));
                w.zero_one_gap = ratio(1, 4);
            }),
            "violated"
        );
    }
}

//! The constrained hinge with one expert who comes and goes: the optimum of every parameter, exactly.
//!
//! One input, `n` classes with probabilities `p` for the best and `(1-p)/(n-1)` for the others, one
//! expert of score `s_e` who is there with probability `a`. The risk is convex and does not change
//! when the other classes are permuted, so one optimum gives them equal scores: `x` for the best
//! class, `-x/(n-1)` for the others, `y` for the expert. In `(x, y)` the risk is linear between five
//! lines, and its minimum sits where two of them cross.
//!
//! For an expert better than the best class (`s_e > p > 1/n`) the two crossings that matter are
//!
//! ```text
//! (n-1, 0)   never defers            a n (s_e - p) above the pointwise optimum
//! (0, n+1)   ties all classes        (1-a) (n p - 1) above it
//! ```
//!
//! so the hinge never asks the expert while `a < (n p - 1) / (n s_e - 1)`, and above that it asks but
//! has forgotten the classes when the expert is away: [`critical_availability`].

use num_traits::{One, Signed, Zero};
use theory::{Rational, ratio};

/// One input, one expert.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneExpert {
    /// `n`, at least 2.
    pub classes: usize,
    /// `p`: probability of the likeliest class, at least `1/n`.
    pub top: Rational,
    /// `s_e`: what the expert is worth.
    pub expert: Rational,
    /// `a`: how often it is there.
    pub availability: Rational,
}

/// What the surrogate's optimum does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PhaseChoice {
    /// Best action on top with the expert and without.
    Right,
    /// Right with the expert there, all classes tied without.
    ForgetsClasses,
    /// A class on top although the expert is better.
    NeverDefers,
    /// Something else that is not right.
    OtherwiseWrong,
}

/// The optimum and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Phase {
    /// What it does.
    pub choice: PhaseChoice,
    /// Minimizability gap per round.
    pub gap: Rational,
    /// True regret per round of its greedy action, ties broken evenly.
    pub regret: Rational,
    /// `(x, y)`: the mean of the optimal crossings.
    pub optimum: [Rational; 2],
}

/// `(n p - 1) / (n s_e - 1)`: below it the hinge optimum never defers to the better expert.
#[must_use]
pub(crate) fn critical_availability(classes: usize, top: &Rational, expert: &Rational) -> Rational {
    let n = Rational::from_integer(classes.into());
    (&n * top - Rational::one()) / (&n * expert - Rational::one())
}

type Point = [Rational; 2];

impl OneExpert {
    fn n(&self) -> Rational {
        Rational::from_integer(self.classes.into())
    }

    fn other(&self) -> Rational {
        (Rational::one() - &self.top) / (self.n() - Rational::one())
    }

    /// `F(x, y)`.
    pub(crate) fn risk(&self, [x, y]: &Point) -> Rational {
        let (one, n) = (Rational::one(), self.n());
        let hinge = |v: Rational| if v.is_positive() { v } else { Rational::zero() };
        let z = -x / (&n - &one);
        let (p, q) = (&self.top, self.other());
        let alone = (&one - p) * hinge(&one + x) + (&n - &one) * (&one - &q) * hinge(&one + &z);
        let mean = y / (&n + &one);
        let mass = &one + &self.expert;
        let asked = (&mass - p) * hinge(&one + x - &mean)
            + (&n - &one) * (&mass - &q) * hinge(&one + &z - &mean)
            + hinge(&one + y - &mean);
        &self.availability * asked + (&one - &self.availability) * alone
    }

    /// `sum_A w_A K (S - max s)`.
    fn pointwise(&self) -> Rational {
        let (one, n) = (Rational::one(), self.n());
        let best = (&self.top).max(&self.expert);
        let asked = (&n + &one) * (&one + &self.expert - best);
        let alone = &n * (&one - &self.top);
        &self.availability * asked + (&one - &self.availability) * alone
    }

    /// `[cx, cy, rhs]` of the lines where the risk bends, and those where the order changes.
    fn lines(&self) -> Vec<[Rational; 3]> {
        let (one, zero, n) = (Rational::one(), Rational::zero(), self.n());
        let (share, rest) = (&one / (&n + &one), &one / (&n - &one));
        vec![
            [one.clone(), zero.clone(), -&one],
            [-&rest, zero.clone(), -&one],
            [one.clone(), -&share, -&one],
            [-&rest, -&share, -&one],
            [zero.clone(), &one - &share, -&one],
            [one.clone(), -&one, zero.clone()],
            [rest.clone(), one.clone(), zero.clone()],
            [one, zero.clone(), zero],
        ]
    }

    fn crossings(&self) -> Vec<Point> {
        let lines = self.lines();
        let mut points = Vec::new();
        for (i, [a, b, e]) in lines.iter().enumerate() {
            for [c, d, f] in &lines[..i] {
                let det = a * d - b * c;
                if !det.is_zero() {
                    points.push([(e * d - b * f) / &det, (a * f - e * c) / &det]);
                }
            }
        }
        points
    }

    /// Scores `[best class, other classes, expert]` at a point.
    fn scores(&self, [x, y]: &Point) -> [Rational; 3] {
        [x.clone(), -x / (self.n() - Rational::one()), y.clone()]
    }

    /// Whether the best action is on top, with the expert and without; `strictly` or tied at worst.
    fn right(&self, point: &Point, strictly: bool) -> [bool; 2] {
        let v = self.scores(point);
        let above = |a: usize, b: usize| if strictly { v[a] > v[b] } else { v[a] >= v[b] };
        let alone = self.top == self.other() || above(0, 1);
        let asked = match self.expert.cmp(&self.top) {
            std::cmp::Ordering::Greater => above(2, 0) && above(2, 1),
            std::cmp::Ordering::Less => above(0, 1) && above(0, 2),
            std::cmp::Ordering::Equal => above(0, 1) || above(2, 1),
        };
        [asked, alone]
    }

    fn choice(&self, point: &Point) -> PhaseChoice {
        match (self.right(point, true), self.right(point, false)) {
            ([true, true], _) => PhaseChoice::Right,
            ([true, false], [_, true]) => PhaseChoice::ForgetsClasses,
            ([false, _], [false, _]) if self.expert > self.top => PhaseChoice::NeverDefers,
            _ => PhaseChoice::OtherwiseWrong,
        }
    }

    fn true_regret(&self, point: &Point) -> Rational {
        let (v, n) = (self.scores(point), self.n());
        let count = [Rational::one(), &n - Rational::one(), Rational::one()];
        let s = [self.top.clone(), self.other(), self.expert.clone()];
        let lost = |kinds: &[usize]| {
            let top = kinds.iter().map(|&k| &v[k]).max().expect("not empty");
            let tied = || kinds.iter().filter(|&&k| v[k] == *top);
            let total: Rational = tied().map(|&k| &count[k] * &s[k]).sum();
            let mean = total / tied().map(|&k| &count[k]).sum::<Rational>();
            kinds.iter().map(|&k| &s[k]).max().expect("not empty") - mean
        };
        &self.availability * lost(&[0, 1, 2])
            + (Rational::one() - &self.availability) * lost(&[0, 1])
    }

    /// The optimum.
    #[must_use]
    pub(crate) fn solve(&self) -> Phase {
        let valued: Vec<(Rational, Point)> =
            self.crossings().into_iter().map(|p| (self.risk(&p), p)).collect();
        let least = valued.iter().map(|(v, _)| v).min().expect("lines cross").clone();
        let optimal: Vec<&Point> =
            valued.iter().filter(|(v, _)| *v == least).map(|(_, p)| p).collect();
        // Points of the optimal face that are right at worst by a tie; their mean is right strictly
        // if any point of the face is.
        let good: Vec<&Point> =
            optimal.iter().copied().filter(|p| self.right(p, false) == [true; 2]).collect();
        let optimum = if good.is_empty() { mean(&optimal) } else { mean(&good) };
        Phase {
            choice: self.choice(&optimum),
            gap: least - self.pointwise(),
            regret: self.true_regret(&optimum),
            optimum,
        }
    }
}

fn mean(points: &[&Point]) -> Point {
    let count = ratio(points.len().max(1) as i64, 1);
    [0, 1].map(|i| points.iter().map(|p| &p[i]).sum::<Rational>() / &count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::quantities::mixture::Mixture;
    use theory::exact_hinge_gap;

    fn case(classes: usize, top: (i64, i64), expert: (i64, i64), a: (i64, i64)) -> OneExpert {
        let [top, expert, availability] = [top, expert, a].map(|(p, q)| ratio(p, q));
        OneExpert { classes, top, expert, availability }
    }

    #[test]
    fn the_witness_never_defers_and_loses_a_tenth() {
        let phase = case(2, (4, 5), (1, 1), (1, 2)).solve();
        assert_eq!(
            (phase.choice, phase.optimum.clone()),
            (PhaseChoice::NeverDefers, [ratio(1, 1), ratio(0, 1)])
        );
        assert_eq!((phase.gap, phase.regret), (ratio(1, 5), ratio(1, 10)));
        let often = case(2, (4, 5), (1, 1), (4, 5)).solve();
        assert_eq!((often.choice, often.regret), (PhaseChoice::ForgetsClasses, ratio(3, 50)));
        assert_eq!(critical_availability(2, &ratio(4, 5), &ratio(1, 1)), ratio(3, 5));
    }

    #[test]
    fn what_a_point_does_by_hand() {
        // Scores (x, -x/2, y) of the best of three classes, the two others and the expert.
        let choice = |expert: (i64, i64), x: i64, y: i64| {
            case(3, (1, 2), expert, (1, 2)).choice(&[ratio(x, 1), ratio(y, 1)])
        };
        let (worse, equal, better) = ((1, 4), (1, 2), (3, 4));
        assert_eq!(choice(better, 2, 3), PhaseChoice::Right);
        assert_eq!(choice(better, 0, 3), PhaseChoice::ForgetsClasses);
        assert_eq!(choice(better, 2, 1), PhaseChoice::NeverDefers);
        // Below the other classes, which are at 1.
        assert_eq!(choice(better, -2, 0), PhaseChoice::NeverDefers);
        // A tie with the best class, or the expert on top of classes in the wrong order.
        assert_eq!(choice(better, 2, 2), PhaseChoice::OtherwiseWrong);
        assert_eq!(choice(better, -2, 3), PhaseChoice::OtherwiseWrong);
        assert_eq!(choice(worse, 2, 1), PhaseChoice::Right);
        assert_eq!(choice(worse, 2, 3), PhaseChoice::OtherwiseWrong);
        // Either of two equals may be on top, but not the other classes.
        assert_eq!(choice(equal, 2, 1), PhaseChoice::Right);
        assert_eq!(choice(equal, 2, 3), PhaseChoice::Right);
        assert_eq!(choice(equal, -2, 0), PhaseChoice::OtherwiseWrong);
        let one = case(3, (1, 2), equal, (1, 2));
        assert_eq!(one.right(&[ratio(-2, 1), ratio(3, 1)], true), [true, false]);
        assert_eq!(one.scores(&[ratio(2, 1), ratio(5, 1)]), [2, -1, 5].map(|v| ratio(v, 1)));
        let points = [[ratio(0, 1), ratio(2, 1)], [ratio(3, 1), ratio(4, 1)]];
        assert_eq!(mean(&[&points[0], &points[1]]), [ratio(3, 2), ratio(3, 1)]);
    }

    #[test]
    fn an_expert_no_better_than_the_best_class_does_no_harm() {
        for classes in [2usize, 3] {
            for top in (12 / classes as i64)..=12 {
                for expert in 0..=top {
                    for a in [1, 4, 7] {
                        let found = case(classes, (top, 12), (expert, 12), (a, 8)).solve();
                        assert_eq!(
                            found.choice,
                            PhaseChoice::Right,
                            "{classes} {top} {expert} {a}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_closed_form_is_what_enumeration_finds() {
        for classes in [2usize, 3, 6] {
            for top in 1..20i64 {
                for expert in 1..=20i64 {
                    let one = case(classes, (top, 20), (expert, 20), (1, 1));
                    if one.expert <= one.top || one.top <= ratio(1, classes as i64) {
                        continue;
                    }
                    let critical = critical_availability(classes, &one.top, &one.expert);
                    for (shift, choice) in
                        [(-1, PhaseChoice::NeverDefers), (1, PhaseChoice::ForgetsClasses)]
                    {
                        let availability = &critical + ratio(shift, 1000);
                        if !availability.is_positive() || availability >= Rational::one() {
                            continue;
                        }
                        let found = OneExpert { availability, ..one.clone() }.solve();
                        assert_eq!(found.choice, choice, "{one:?} {shift}");
                    }
                }
            }
        }
    }

    /// Against the linear programs of the gap module.
    #[test]
    fn gaps_agree_with_the_certified_programs() {
        for one in [
            case(2, (4, 5), (1, 1), (1, 2)),
            case(3, (3, 5), (9, 10), (7, 10)),
            case(3, (3, 5), (1, 10), (1, 4)),
            case(2, (9, 10), (3, 10), (2, 5)),
        ] {
            let mut p = vec![one.other(); one.classes];
            p[0] = one.top.clone();
            let mixture = Mixture::independent(
                &p,
                std::slice::from_ref(&one.expert),
                std::slice::from_ref(&one.availability),
            )
            .unwrap();
            let gap = exact_hinge_gap(mixture.space, &mixture.items()).unwrap().expect("certified");
            assert_eq!(gap.gap_per_round, one.solve().gap, "{one:?}");
        }
    }
}

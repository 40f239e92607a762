//! The linear program that confirms that no convex loss repairs the hypotheses of Thm 6.4.
//!
//! Two classes and one expert who comes and goes; losses see score differences only, so a score vector
//! is a point `(u_1 - u_2, u_e - (u_1 + u_2)/2)`. The unknowns are three convex functions `phi_1`,
//! `phi_2`, `phi_e` on the 7 x 7 grid `{-3, .., 3}^2`, with `|phi| <= 10` (values, and a subgradient at
//! every point). Near the tie `s* = (1/2, 1/2; 1/2)` the scores move in four directions, each with a
//! minimiser that is given:
//!
//! ```text
//! d = ( 1, -1, 0)   class 1 is best      P10 = ( 2, 0)
//! d = (-1,  1, 0)   class 2 is best      P20 = (-2, 0)
//! d = ( 1, -1, 2)   the expert is best   P11
//! d = (-1,  1, 2)   the expert is best   P21
//! ```
//!
//! All four minimise at `s*`. How large can `1/C` be such that the losses are calibrated with constant
//! `C` at every grid point, for all scores `s* + eps d` with `0 < eps <= 1/20`?
//!
//! ```text
//! max kappa  s.t.  (S(u) - S(P_d)) / (2 eps) + G_d(u) - G_d(P_d) >= kappa (max d - d_r)
//!            for every d, every grid point u and every action r that u may pick,
//!            S = phi_1 + phi_2 + phi_e,   G_d = d_1 phi_1 + d_2 phi_2 + d_e phi_e
//! ```
//!
//! (`S(u) >= S(P_d)`, so the largest `eps` is the hardest.) One vector that serves both active sets must
//! have the class part that the classes alone ask for, whether the expert is there or not: `P11 = (2, 2)`
//! above `P10` and `P21 = (-2, 2)` above `P20`. Then the answer is 0. If `P11 = (1, 1)` and
//! `P21 = (-1, 1)` may have class parts of their own, it is 5.
//!
//! Both answers are certified both ways in fractions: functions that attain it, and multipliers of the
//! constraints that add up to `kappa <= answer`. The interior-point solver finds the same numbers without
//! being told.

use crate::gap::program::Program;
use crate::rational::{Rational, ratio};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Whether the minimisers with the expert on top keep the class part of those without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassPart {
    /// One vector serves both active sets.
    Shared,
    /// Each active set has its own.
    Free,
}

/// The largest `1/C`, found and certified.
#[derive(Clone, Debug, PartialEq)]
pub struct LargestConstant {
    /// What the solver found, and the bound that its multipliers give.
    pub solver: (f64, f64),
    /// Attained by functions that were checked in fractions; none if they fail.
    pub at_least: Option<Rational>,
    /// Implied by multipliers that were checked in fractions; none if they fail.
    pub at_most: Option<Rational>,
    /// The answer, if both meet and the solver found the same number.
    pub certified: Option<Rational>,
}

type Point = (i64, i64);

const SIDE: i64 = 7;
const POINTS: usize = (SIDE * SIDE) as usize;
/// `phi_a(p)`, then two entries of each subgradient, then `kappa`.
const KAPPA: usize = 9 * POINTS;
/// `1 / (2 eps)`.
const STEEP: i64 = 10;
const LARGEST: i64 = 10;

/// The directions, in the order P10, P20, P11, P21.
const DIRECTIONS: [[i64; 3]; 4] = [[1, -1, 0], [-1, 1, 0], [1, -1, 2], [-1, 1, 2]];

fn minimisers(part: ClassPart) -> [Point; 4] {
    match part {
        ClassPart::Shared => [(2, 0), (-2, 0), (2, 2), (-2, 2)],
        ClassPart::Free => [(2, 0), (-2, 0), (1, 1), (-1, 1)],
    }
}

fn grid() -> impl Iterator<Item = Point> + Clone {
    (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b)))
}

fn index((a, b): Point) -> usize {
    ((a + 3) * SIDE + b + 3) as usize
}

fn value(a: usize, p: Point) -> usize {
    a * POINTS + index(p)
}

fn slope(a: usize, p: Point, coordinate: usize) -> usize {
    3 * POINTS + 2 * (a * POINTS + index(p)) + coordinate
}

/// What the worst of the actions that `u` may pick loses in direction `d`.
fn lost(d: [i64; 3], (a, b): Point) -> i64 {
    // Twice the scores (a/2, -a/2, b).
    let scores = [a, -a, 2 * b];
    let top = scores.into_iter().max().unwrap_or(0);
    let best = d.into_iter().max().unwrap_or(0);
    (0..3).filter(|&r| scores[r] == top).map(|r| best - d[r]).max().unwrap_or(0)
}

/// A constraint `sum of coefficient * variable <= right`.
#[derive(Clone, Copy, Debug)]
enum Constraint {
    /// `phi_a(p) + <slope at p, q - p> <= phi_a(q)`.
    Convex(usize, Point, Point),
    /// Minimiser `i` is optimal at the tie: `S(P_i) <= S(u)`.
    Tie(usize, Point),
    /// Calibration in direction `i` at `u`.
    Calibrated(usize, Point),
    /// `phi_a(p) <= 10`.
    Below(usize, Point),
    /// `-10 <= phi_a(p)`.
    Above(usize, Point),
}

impl Constraint {
    fn all() -> Vec<Constraint> {
        let mut all = Vec::new();
        for a in 0..3 {
            for p in grid() {
                let others = grid().filter(|&q| q != p);
                all.extend(others.map(|q| Constraint::Convex(a, p, q)));
                all.extend([Constraint::Below(a, p), Constraint::Above(a, p)]);
            }
        }
        for i in 0..4 {
            all.extend(grid().map(|u| Constraint::Tie(i, u)));
            all.extend(grid().map(|u| Constraint::Calibrated(i, u)));
        }
        all
    }

    fn row(self, part: ClassPart) -> (Vec<(usize, i64)>, i64) {
        let from = minimisers(part);
        match self {
            Constraint::Convex(a, p, q) => {
                let (x, y) = (q.0 - p.0, q.1 - p.1);
                let slopes = [(slope(a, p, 0), x), (slope(a, p, 1), y)];
                ([&[(value(a, p), 1), (value(a, q), -1)][..], &slopes].concat(), 0)
            }
            Constraint::Tie(i, u) => {
                let terms = |a| [(value(a, from[i]), 1), (value(a, u), -1)];
                ((0..3).flat_map(terms).collect(), 0)
            }
            Constraint::Calibrated(i, u) => {
                let d = DIRECTIONS[i];
                let terms =
                    |a: usize| [(value(a, from[i]), STEEP + d[a]), (value(a, u), -STEEP - d[a])];
                let kappa = [(KAPPA, lost(d, u))];
                ((0..3).flat_map(terms).chain(kappa).collect(), 0)
            }
            Constraint::Below(a, p) => (vec![(value(a, p), 1)], LARGEST),
            Constraint::Above(a, p) => (vec![(value(a, p), -1)], LARGEST),
        }
    }
}

/// Solves the program and checks both certificates.
#[must_use]
pub fn largest_constant(part: ClassPart) -> LargestConstant {
    let (solver, at_least, at_most) = (solve(part), attained(part), implied(part));
    let found = LargestConstant { solver, at_least, at_most, certified: None };
    LargestConstant { certified: certified(&found), ..found }
}

fn solve(part: ClassPart) -> (f64, f64) {
    let mut program = Program::default();
    for _ in 0..KAPPA {
        program.variable(0.0);
    }
    program.variable(-1.0);
    let mut rights = Vec::new();
    for constraint in Constraint::all() {
        let (terms, right) = constraint.row(part);
        // The same variable may come twice, with coefficients that cancel.
        let mut merged: Vec<(usize, f64)> = Vec::new();
        for (variable, coefficient) in terms {
            match merged.iter_mut().find(|(v, _)| *v == variable) {
                Some((_, sum)) => *sum += coefficient as f64,
                None => merged.push((variable, coefficient as f64)),
            }
        }
        program.at_most(&merged, right as f64);
        rights.push(right as f64);
    }
    let found = program.solve();
    let bound = found.multipliers.iter().zip(&rights).map(|(m, r)| m * r).sum();
    (found.values[KAPPA], bound)
}

/// Losses that attain the answer, as maxima of affine functions `(constant, slope, slope)`: convex on
/// the whole plane, not only on the grid.
fn losses(part: ClassPart) -> (Rational, [Vec<[Rational; 3]>; 3]) {
    let affine = |c: i64, x: i64, y: i64| [ratio(c, 2), ratio(x, 2), ratio(y, 2)];
    match part {
        ClassPart::Shared => (Rational::zero(), [(); 3].map(|()| vec![affine(0, 0, 0)])),
        ClassPart::Free => {
            let floor = affine(-20, 0, 0);
            let class = |x| vec![affine(-10, x, 5), floor.clone(), affine(-20, 0, 10)];
            let expert = vec![affine(-10, 0, -10), floor.clone()];
            (ratio(5, 1), [class(-5), class(5), expert])
        }
    }
}

/// `kappa` of [`losses`], if they satisfy every constraint.
fn attained(part: ClassPart) -> Option<Rational> {
    let (kappa, losses) = losses(part);
    let mut values = vec![Rational::zero(); KAPPA + 1];
    for a in 0..3 {
        for p in grid() {
            let at = |piece: &[Rational; 3]| {
                &piece[0] + &piece[1] * ratio(p.0, 1) + &piece[2] * ratio(p.1, 1)
            };
            let top = losses[a].iter().max_by_key(|piece| at(piece))?;
            values[value(a, p)] = at(top);
            values[slope(a, p, 0)] = top[1].clone();
            values[slope(a, p, 1)] = top[2].clone();
        }
    }
    values[KAPPA] = kappa.clone();
    let holds = |constraint: &Constraint| {
        let (terms, right) = constraint.row(part);
        let left: Rational = terms.iter().map(|&(v, c)| &values[v] * ratio(c, 1)).sum();
        left <= ratio(right, 1)
    };
    Constraint::all().iter().all(holds).then_some(kappa)
}

/// Multipliers in quarters and twelfths, found by a simplex method (free) and by hand (shared).
fn multipliers(part: ClassPart) -> Vec<(Constraint, Rational)> {
    use Constraint::{Above, Below, Calibrated, Convex, Tie};
    let [p10, p20, p11, p21] = minimisers(part);
    let twelfths: Vec<(Constraint, i64)> = match part {
        ClassPart::Shared => {
            // The middle of both diagonals: every loss is affine there.
            let m = (0, 1);
            let mut list = vec![
                (Calibrated(0, p11), 6),
                (Calibrated(1, p21), 6),
                (Tie(2, p10), 60),
                (Tie(3, p20), 60),
                (Convex(0, m, p10), 12),
                (Convex(0, m, p21), 12),
                (Convex(1, m, p11), 12),
                (Convex(1, m, p20), 12),
            ];
            list.extend((0..4).map(|i| (Tie(i, m), 6)));
            list.extend([p10, p20, p11, p21].map(|p| (Convex(2, m, p), 6)));
            list
        }
        ClassPart::Free => vec![
            (Convex(0, (-1, 0), (-2, 0)), 3),
            (Convex(0, (-1, 0), (2, 0)), 1),
            (Convex(0, (1, 0), (-1, 0)), 4),
            (Convex(0, (1, 0), (2, 0)), 8),
            (Convex(1, (1, 0), (-2, 0)), 3),
            (Convex(1, (1, 0), (2, 0)), 9),
            (Convex(2, (1, 0), (-1, 1)), 3),
            (Convex(2, (1, 0), (1, 1)), 6),
            (Convex(2, (1, 0), (3, -3)), 3),
            (Tie(0, (-2, 0)), 9),
            (Tie(1, (1, 0)), 12),
            (Above(2, (1, 1)), 3),
            (Below(2, (3, -3)), 3),
        ]
        .into_iter()
        .collect(),
    };
    let mut list: Vec<(Constraint, Rational)> =
        twelfths.into_iter().map(|(c, m)| (c, ratio(m, 12))).collect();
    if part == ClassPart::Free {
        for (i, u, eighths) in [(0, p11, 3), (1, p21, 1), (2, p10, 3), (3, p20, 1)] {
            list.push((Calibrated(i, u), ratio(eighths, 8)));
        }
    }
    list
}

/// The bound that [`multipliers`] give, if the constraints times them add up to `kappa`.
fn implied(part: ClassPart) -> Option<Rational> {
    let mut sums = vec![Rational::zero(); KAPPA + 1];
    let mut bound = Rational::zero();
    for (constraint, multiplier) in multipliers(part) {
        if multiplier.is_negative() {
            return None;
        }
        let (terms, right) = constraint.row(part);
        for (variable, coefficient) in terms {
            sums[variable] += &multiplier * ratio(coefficient, 1);
        }
        bound += multiplier * ratio(right, 1);
    }
    let last = sums.pop()?;
    (last == Rational::one() && sums.iter().all(Zero::is_zero)).then_some(bound)
}

/// The answer, if both certificates meet and the solver found the same number.
fn certified(found: &LargestConstant) -> Option<Rational> {
    let (low, high) = (found.at_least.as_ref()?, found.at_most.as_ref()?);
    let exact = low.to_f64()?;
    let near = |value: f64| (value - exact).abs() <= crate::prec::PROGRAM_VALUE;
    (low == high && near(found.solver.0) && near(found.solver.1)).then(|| low.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_answers_are_certified_both_ways() {
        let shared = largest_constant(ClassPart::Shared);
        assert_eq!(shared.certified, Some(ratio(0, 1)), "{shared:?}");
        let free = largest_constant(ClassPart::Free);
        assert_eq!(free.certified, Some(ratio(5, 1)), "{free:?}");
    }

    #[test]
    fn a_certificate_for_the_other_question_is_no_certificate() {
        // The losses of the free answer do not serve shared class parts, and its multipliers do not
        // add up there.
        let (kappa, _) = losses(ClassPart::Free);
        assert!(kappa > attained(ClassPart::Shared).unwrap());
        let result = LargestConstant {
            solver: (5.0, 5.0),
            at_least: Some(ratio(5, 1)),
            at_most: Some(ratio(6, 1)),
            certified: None,
        };
        assert_eq!(certified(&result), None);
        assert_eq!(certified(&LargestConstant { at_most: None, ..result.clone() }), None);
        let off = LargestConstant { solver: (5.0, 5.1), at_most: Some(ratio(5, 1)), ..result };
        assert_eq!(certified(&off), None);
    }

    #[test]
    fn what_is_lost_by_hand() {
        // u = (1, -1, 1): class 1 and the expert are tied.
        assert_eq!(lost([1, -1, 0], (2, 1)), 1);
        assert_eq!(lost([1, -1, 2], (2, 1)), 1);
        assert_eq!(lost([-1, 1, 0], (2, 0)), 2);
        assert_eq!(lost([1, -1, 2], (0, -3)), 3);
        assert_eq!(Constraint::all().len(), 3 * 49 * 50 + 8 * 49);
    }
}

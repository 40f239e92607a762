//! Not in the paper: no convex loss on score differences has both linear calibration and a zero gap
//! when experts come and go; three experts rule it out for every convex loss; and what escapes.

use super::exact::{argmax, centred, dot, random_distribution, random_vec, show};
use super::quantities::common::ladder;
use super::{CheckFailure, Checked, Claim, Context, Grade, Kind, Owner, Tally, Verdict, refuted};
use crate::problem::ActionSpace;
use crate::theory::{Piecewise, Rational, StreamItem, exact_hinge_gap, ratio};
use num_traits::{One, Signed, Zero};
use rand::RngExt;
use serde_json::json;

const BLANK: Claim = Claim {
    reference: "not in the paper (hypotheses of Thm 6.4 where experts come and go)",
    kind: Kind::Theorem,
    owner: Owner::Project,
    ..Claim::BLANK
};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "no-convex-repair-core",
        statement: "Suppose four vectors minimise convex losses near a tie: two where class i or \
                    class j is best, and two where the expert is best instead. If each pair \
                    differs by a positive multiple of one direction, then no constant calibrates \
                    the losses linearly.",
        hypotheses: &["convex losses", "the same direction for both pairs"],
        check: |_| Ok(core(true)),
        saboteurs: &[refuted("two-directions", "the two pairs may differ in direction", |_| {
            Ok(core(false))
        })],
        ..BLANK
    },
    Claim {
        id: "no-convex-repair",
        statement: "Take losses that are convex, depend on score differences only, are bounded \
                    below, and are linearly calibrated near the tie. When one expert comes and \
                    goes, they have a positive gap arbitrarily close to the tie.",
        hypotheses: &["at least two classes", "all scores, or a compact convex set of them"],
        check: |_| repair(1, Loss::Hinge),
        saboteurs: &[refuted("not-convex", "the losses need not be convex (ramps)", |_| {
            repair(1, Loss::Ramp)
        })],
        ..BLANK
    },
    Claim {
        id: "no-convex-repair-three-experts",
        statement: "With three experts of whom at most one is available, convex losses that are \
                    bounded below and linearly calibrated near the tie have a positive gap near \
                    it, even if they depend on more than score differences.",
        hypotheses: &["at least two classes", "a compact convex set of scores"],
        check: |_| repair(3, Loss::Hinge),
        saboteurs: &[
            refuted("not-convex", "the losses need not be convex (ramps)", |_| {
                repair(3, Loss::Ramp)
            }),
            refuted("one-expert", "one expert is enough", |_| repair(1, Loss::Escape)),
        ],
        ..BLANK
    },
    Claim {
        id: "escape-without-shift-invariance",
        statement: "For two classes and one expert there are convex, non-negative losses, which \
                    depend on more than score differences, with minimisers common to both active \
                    sets for all scores and linear calibration with constant 4. The constant 4 is \
                    attained.",
        hypotheses: &["two classes, one expert"],
        check: |context| Ok(escape(context, &ratio(4, 1), &ratio(2, 1))),
        saboteurs: &[
            refuted("constant", "with constant 3.96", |context| {
                Ok(escape(context, &ratio(396, 100), &ratio(2, 1)))
            }),
            refuted("no-distance", "without the distance to the hull of the minimisers", |c| {
                Ok(escape(c, &ratio(4, 1), &Rational::zero()))
            }),
        ],
        ..BLANK
    },
];

/// Convex losses whose weighted sum is constant on the four points are affine on them, so along one
/// direction each loss `a` has one slope `m_a`. Calibration with constant `C` asks
/// `al (m_i - m_j) >= 1/C` of the first pair and `be (m_j - m_i) >= 1/C` of the second.
fn core(same: bool) -> super::Outcome {
    let mut tally = Tally::default();
    let steps: Vec<Rational> = (-4..=4).map(|v| ratio(v, 2)).collect();
    for first in &steps {
        for second in &steps {
            // The difference m_i - m_j along each pair.
            let second = if same { first } else { second };
            for (al, be) in [(1, 1), (1, 3), (5, 2)] {
                for constant in [1, 10, 1000] {
                    let least = ratio(1, constant);
                    let both = ratio(al, 1) * first >= least && -ratio(be, 1) * second >= least;
                    tally.truth(
                        !both,
                        || json!({ "slopes": show(&[first.clone(), second.clone()]), "C": constant }),
                    );
                }
            }
        }
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "slopes and constants, none calibrated")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Loss {
    Hinge,
    Ramp,
    Escape,
}

/// Scores within `1/d` of the tie `1/2`, two classes, experts a little better than them.
fn repair(experts: usize, loss: Loss) -> Checked {
    let mut tally = Tally::default();
    for d in [10i64, 100, 1000] {
        let mut s = vec![ratio(1, 2) + ratio(1, 4 * d), ratio(1, 2) - ratio(1, 4 * d)];
        s.extend((0..experts as i64).map(|j| ratio(1, 2) + ratio(2 + j, 4 * d)));
        let gap = match loss {
            Loss::Hinge => hinge_gap(experts, &s)?,
            Loss::Ramp => ramp_gap(experts, &s),
            Loss::Escape => escape_gap(&s),
        };
        tally.below(
            &Rational::zero(),
            &gap,
            || json!({ "distance": format!("1/{d}"), "s": show(&s), "gap": gap.to_string() }),
        );
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Argued, "distances from the tie with a positive gap")
        .with("tried", "on the hinge, the only convex surrogate of App. E with a linear Gamma"))
}

/// Nobody, then each expert alone.
fn hinge_gap(experts: usize, s: &[Rational]) -> Result<Rational, CheckFailure> {
    let space = ActionSpace::new(2, experts)?;
    let mut sets = vec![space.classes_only()];
    for j in 0..experts {
        sets.push(space.active([j])?);
    }
    let item = |active: crate::problem::ActiveSet| StreamItem {
        weight: Rational::one(),
        x: vec![Rational::zero()],
        active,
        s: active.iter().map(|a| s[a.index()].clone()).collect(),
    };
    let items: Vec<StreamItem<Rational>> = sets.into_iter().map(item).collect();
    let gap = exact_hinge_gap(space, &items)?;
    gap.map(|gap| gap.gap_per_round)
        .ok_or_else(|| CheckFailure("the linear program was not certified".into()))
}

/// One vector, the ladder of `availability-cstnd-tau`, against the least risk of every set.
fn ramp_gap(experts: usize, s: &[Rational]) -> Rational {
    let tau = Rational::one();
    let v = ladder(s, &tau, true);
    let mut sets = vec![vec![0, 1]];
    sets.extend((0..experts).map(|j| vec![0, 1, 2 + j]));
    let over = |set: &Vec<usize>| {
        let pick = |from: &[Rational]| set.iter().map(|&a| from[a].clone()).collect::<Vec<_>>();
        let s = pick(s);
        let least = s.iter().sum::<Rational>() - &s[argmax(&s)];
        Piecewise::CstndTau(tau.clone()).conditional_risk(&s, &centred(&pick(&v))) - least
    };
    sets.iter().map(over).sum()
}

/// Class 0 on top, class 1 on top, and the same with the expert on top.
fn points() -> [Vec<Rational>; 4] {
    [[2, 0, 0], [0, 2, 0], [2, 0, 4], [1, 3, 4]].map(|p| p.map(|v| ratio(v, 2)).to_vec())
}

/// The `l1` distance to the hull of the points, by duality: the largest `<y, u> - max_p <y, p>` over
/// `|y_k| <= 1` is at a crossing of three planes `y_k = +-1` and `<y, p - p'> = 0`.
fn directions() -> Vec<Vec<Rational>> {
    let mut planes: Vec<(Vec<Rational>, Rational)> = Vec::new();
    for k in 0..3 {
        for side in [1, -1] {
            planes.push((super::exact::unit(3, k), ratio(side, 1)));
        }
    }
    let p = points();
    for i in 0..4 {
        for j in 0..i {
            let normal = (0..3).map(|k| &p[i][k] - &p[j][k]).collect();
            planes.push((normal, Rational::zero()));
        }
    }
    let det = |m: [&[Rational]; 3]| {
        let minor = |a: usize, b: usize| &m[1][a] * &m[2][b] - &m[1][b] * &m[2][a];
        &m[0][0] * minor(1, 2) - &m[0][1] * minor(0, 2) + &m[0][2] * minor(0, 1)
    };
    let mut found = vec![vec![Rational::zero(); 3]];
    for a in 0..planes.len() {
        for b in 0..a {
            for c in 0..b {
                let rows = [&planes[a], &planes[b], &planes[c]];
                let whole = det(rows.map(|r| r.0.as_slice()));
                if whole.is_zero() {
                    continue;
                }
                let entry = |k: usize| {
                    let swapped = rows.map(|(normal, right)| {
                        let mut row = normal.clone();
                        row[k] = right.clone();
                        row
                    });
                    det([&swapped[0], &swapped[1], &swapped[2]]) / &whole
                };
                let y: Vec<Rational> = (0..3).map(entry).collect();
                if y.iter().all(|v| v.abs() <= Rational::one()) {
                    found.push(y);
                }
            }
        }
    }
    found
}

fn distance(directions: &[Vec<Rational>], u: &[Rational]) -> Rational {
    let p = points();
    let value = |y: &Vec<Rational>| {
        let hull = p.iter().map(|p| dot(y, p)).max().unwrap_or_default();
        dot(y, u) - hull
    };
    directions.iter().map(value).max().unwrap_or_default()
}

/// Risks with the expert away and there; `far` is what a unit of distance costs.
fn risks(s: &[Rational], u: &[Rational], away: &Rational, far: &Rational) -> [Rational; 2] {
    let plus = |v: Rational| v.max(Rational::zero());
    let lead = &u[0] - &u[1];
    let alone = &s[0] * plus(Rational::one() - &lead) + &s[1] * plus(Rational::one() + &lead);
    let (two, half) = (ratio(2, 1), ratio(1, 2));
    let off = far * away;
    let asked = &s[0] * (&two - &two * &u[0] + &half * &u[2] + &off)
        + &s[1] * (&two * &u[0] + &off)
        + &s[2] * (Rational::one() - &half * &u[2] + &off);
    [alone, asked]
}

/// What one of the four points loses at best against the least risks of both sets.
fn escape_gap(s: &[Rational]) -> Rational {
    let at: Vec<[Rational; 2]> =
        points().iter().map(|p| risks(s, p, &Rational::zero(), &ratio(2, 1))).collect();
    let least = |i: usize| at.iter().map(|r| r[i].clone()).min().unwrap_or_default();
    let together = at.iter().map(|r| &r[0] + &r[1]).min().unwrap_or_default();
    together - least(0) - least(1)
}

fn escape(context: &Context, constant: &Rational, far: &Rational) -> super::Outcome {
    let mut rng = context.rng("escape-without-shift-invariance");
    let directions = directions();
    let mut tally = Tally::default();
    let half = vec![ratio(1, 2); 3];
    for round in 0..400 {
        let (s, u) = if round == 0 {
            (vec![ratio(1, 2), ratio(1, 2), Rational::zero()], half.clone())
        } else {
            let mut s = random_distribution(&mut rng, 2);
            s.push(super::exact::random(&mut rng, 0, 1));
            let wide = rng.random_range(1..=4);
            (s, random_vec(&mut rng, 3, -wide, wide))
        };
        let at: Vec<[Rational; 2]> =
            points().iter().map(|p| risks(&s, p, &Rational::zero(), far)).collect();
        let here = risks(&s, &u, &distance(&directions, &u), far);
        let case = || json!({ "s": show(&s), "u": show(&u) });
        tally.equal(&escape_gap(&s), &Rational::zero(), case);
        for (i, actions) in [(0, 2), (1, 3)] {
            let least = at.iter().map(|r| r[i].clone()).min().unwrap_or_default();
            tally.at_most(&least, &here[i], case);
            let top = u[..actions].iter().max().cloned().unwrap_or_default();
            let best = s[..actions].iter().max().cloned().unwrap_or_default();
            // Ties may be broken either way.
            for r in (0..actions).filter(|&r| u[r] == top) {
                tally.at_most(&(&best - &s[r]), &(constant * (&here[i] - &least)), case);
            }
        }
    }
    tally.outcome(
        Verdict::Holds,
        Grade::Argued,
        "inequalities at scores and vectors in exact fractions",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let y = directions();
        for p in points() {
            assert!(distance(&y, &p).is_zero());
        }
        assert!(distance(&y, &vec![ratio(1, 2); 3]).is_zero());
        // Three below the plane of the two lower points.
        assert_eq!(distance(&y, &[ratio(1, 1), ratio(0, 1), ratio(-3, 1)]), ratio(3, 1));
    }
}

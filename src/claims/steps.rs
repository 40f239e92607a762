//! Lem. 6.2 and the inequality of projected gradient descent that the regret proofs start from.

use super::exact::{centred, dot, integer, random, random_vec, show};
use super::trial::{Seen, Trial};
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted, streams};
use crate::learner::Schedule;
use crate::prec;
use crate::theory::{
    FiniteStream, Parameters, Piecewise, Rational, ScoreMatrix, StatedRates, StreamItem,
    SurrogateId, minimizability_gap, ratio,
};
use num_traits::{One, Signed, ToPrimitive, Zero};
use rand::RngExt;
use serde_json::json;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "lem-6.2",
        reference: "Lem. 6.2",
        statement: "The estimated surrogate excess over any fixed matrix is at most the inner \
                    product of the projected subgradient with the difference of the unprojected \
                    matrices.",
        hypotheses: &["a subgradient at the projected matrix, any selection at kinks"],
        kind: Kind::Theorem,
        check: |context| Ok(per_round(context, &Rule::STATED)),
        saboteurs: &[
            refuted("not-projected", "the subgradient is not projected", |context| {
                Ok(per_round(context, &Rule { project: |g, _| g.to_vec(), ..Rule::STATED }))
            }),
            refuted(
                "mean-over-all",
                "the mean over all N rows in place of the K active ones",
                |context| Ok(per_round(context, &Rule { project: over_all, ..Rule::STATED })),
            ),
            refuted("all-rows", "absent rows are also centred and summed", |context| {
                Ok(per_round(context, &Rule { all_rows: true, ..Rule::STATED }))
            }),
            refuted("nine-tenths", "0.9 of the inner product", |context| {
                Ok(per_round(context, &Rule { tenths: 9, ..Rule::STATED }))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "ogd-inequality",
        reference: "App. F.1 (first display of the proof of Thm 6.3)",
        statement: "Along every run, the summed estimated excess over a matrix of the ball is at \
                    most 2 B^2 / eta_T plus half the sum of eta_t times the squared projected \
                    gradients.",
        hypotheses: &["eta_t does not increase", "comparator in the ball"],
        kind: Kind::Theorem,
        check: |context| ogd(context, 1.0),
        saboteurs: &[
            refuted("smaller-first", "0.95 of 2 B^2 / eta_T", |_| {
                Ok(swing([ratio(19, 20), ratio(1, 1)]))
            }),
            refuted("smaller-second", "0.95 of the gradient term", |_| {
                Ok(swing([ratio(1, 1), ratio(19, 20)]))
            }),
            refuted("from-the-centre", "B^2 / (2 eta_T), the distance from 0", |_| {
                Ok(swing([ratio(1, 4), ratio(1, 1)]))
            }),
            refuted("no-second", "without the gradient term", |_| {
                Ok(swing([ratio(1, 1), ratio(0, 1)]))
            }),
        ],
        ..Claim::BLANK
    },
];

/// How the right side of Lem. 6.2 is made.
#[derive(Clone, Copy)]
struct Rule {
    /// The projection of the active rows of the subgradient; the second argument is `N`.
    project: fn(&[Rational], usize) -> Vec<Rational>,
    /// Whether absent rows are treated like active ones.
    all_rows: bool,
    /// Tenths of the inner product.
    tenths: i64,
}

impl Rule {
    const STATED: Rule = Rule { project: |g, _| centred(g), all_rows: false, tenths: 10 };
}

fn over_all(g: &[Rational], n: usize) -> Vec<Rational> {
    let mean = g.iter().sum::<Rational>() / integer(n);
    g.iter().map(|v| v - &mean).collect()
}

/// Random matrices with two columns, weights and inputs, all fractions; kinks are frequent, and up to
/// three rows belong to experts who are absent.
fn per_round(context: &Context, rule: &Rule) -> Outcome {
    let mut rng = context.rng("lem-6.2");
    let mut tally = Tally::default();
    let mut equalities = 0u64;
    for _ in 0..4000 {
        let (k, absent) = (rng.random_range(2..=5usize), rng.random_range(0..=3usize));
        let n = k + absent;
        let x = [random(&mut rng, -1, 1), Rational::one()];
        let matrix = |rng: &mut _| -> Vec<Vec<Rational>> {
            (0..n).map(|_| random_vec(rng, 2, -1, 1)).collect()
        };
        let (w, other) = (matrix(&mut rng), matrix(&mut rng));
        let scores = |m: &[Vec<Rational>]| {
            centred(&m[..k].iter().map(|row| dot(row, &x)).collect::<Vec<_>>())
        };
        let (u, v) = (scores(&w), scores(&other));
        let target = rng.random_range(0..k);
        let weight = ratio(rng.random_range(0..=12), 4);
        let kink = ratio(rng.random_range(0..=2), 2);
        let slope = |(b, u_b): (usize, &Rational)| {
            let above = u_b + Rational::one();
            match () {
                _ if b == target || above.is_negative() => Rational::zero(),
                _ if above.is_zero() => &weight * &kink,
                _ => weight.clone(),
            }
        };
        let mut slopes: Vec<Rational> = u.iter().enumerate().map(slope).collect();
        let summed = if rule.all_rows { n } else { k };
        slopes.resize(summed, Rational::zero());
        let r = (rule.project)(&slopes, n);
        let hinge = |u: &[Rational]| &weight * Piecewise::CstndHinge.phi01(u, target);
        let left = hinge(&u) - hinge(&v);
        let raw = |m: &[Vec<Rational>], i: usize| dot(&m[i], &x);
        let inner: Rational = (0..summed).map(|i| &r[i] * (raw(&w, i) - raw(&other, i))).sum();
        let right = inner * ratio(rule.tenths, 10);
        equalities += u64::from(left == right && !left.is_zero());
        tally.at_most(&left, &right, || {
            json!({ "K": k, "N": n, "target": target, "weight": weight.to_string(), "x": show(&x),
                    "W": w.iter().map(|r| show(r)).collect::<Vec<_>>(),
                    "W*": other.iter().map(|r| show(r)).collect::<Vec<_>>() })
        });
    }
    tally
        .outcome(Verdict::Holds, Grade::Searched, "random rounds in exact fractions")
        .with("equalities_with_both_sides_not_zero", equalities)
}

/// The worst case of the inequality, in fractions: three actions, one input, biases `v (2, -1, -1)` in the
/// ball `B^2 = 6 b^2`. Two rounds with tiny weights and large steps, at the targets 1 and 2, take `W` from 0
/// to `v = -b`; then one round with a large weight at target 0 and a small step takes it to `v = b`, which is
/// also the comparator. With `r` the ratio of the steps, left is `24 - 3 r` and right `24 + 6 r` in units of
/// `b^2 / eta_3`. The shares multiply the two terms.
fn swing(shares: [Rational; 2]) -> Outcome {
    let b = ratio(1, 4);
    let mut tally = Tally::default();
    let mut attained = Rational::zero();
    for ratio_of_steps in [1, 10, 1_000] {
        let eta = [integer(1), integer(1), ratio(1, ratio_of_steps)];
        let weight = [integer(3) * &b, integer(3) * &b, integer(6) * &b / &eta[2]];
        let best = [integer(2) * &b, -&b, -&b];
        let mut w = [Rational::zero(), Rational::zero(), Rational::zero()];
        let (mut left, mut squares) = (Rational::zero(), Rational::zero());
        for (t, target) in [1usize, 2, 0].into_iter().enumerate() {
            let hinge = |u: &[Rational]| Piecewise::CstndHinge.phi01(u, target);
            left += &weight[t] * (hinge(&w) - hinge(&best));
            let on: Vec<Rational> = (0..3).map(|a| super::exact::bit(a != target)).collect();
            let gradient: Vec<Rational> = centred(&on).iter().map(|g| g * &weight[t]).collect();
            squares += &eta[t] * gradient.iter().map(|g| g * g).sum::<Rational>();
            for (w, g) in w.iter_mut().zip(&gradient) {
                *w -= &eta[t] * g;
            }
            // Never outside the ball: nothing is projected.
            let norm2: Rational = w.iter().map(|v| v * v).sum();
            tally.at_most(&norm2, &(integer(6) * &b * &b), || json!({ "round": t, "W": show(&w) }));
        }
        let radius2 = integer(6) * &b * &b;
        let right = &shares[0] * integer(2) * radius2 / &eta[2] + &shares[1] * squares / integer(2);
        attained = attained.max(&left / &right);
        tally.at_most(
            &left,
            &right,
            || json!({ "ratio_of_steps": ratio_of_steps, "left": left.to_string(), "right": right.to_string() }),
        );
    }
    let attained = attained.to_f64().unwrap_or(f64::NAN);
    tally
        .outcome(Verdict::Holds, Grade::Searched, "swings through the ball in fractions")
        .tightness("left / right", 1.0, attained)
}

/// Both sides along runs, at every round. `share` multiplies the right side.
fn ogd(context: &Context, share: f64) -> Checked {
    let exact = Rational::from_float(share).unwrap_or_else(Rational::one);
    let worst_case = swing([exact.clone(), exact]);
    if worst_case.verdict() == Verdict::Fails {
        return Ok(worst_case);
    }
    let mut tally = Tally::default();
    let mut tightest = worst_case.tightness.as_ref().map_or(f64::NAN, |t| t.attained);
    let cycles = [streams::two_regions()?, streams::comes_and_goes()?, streams::drifting_pool()?];
    for cycle in &cycles {
        let trial = Trial::new(cycle, Schedule::General, 5_000);
        let b = trial.radius;
        let parameters = Parameters::new(b, cycle.space.len(), cycle.rho())?;
        let comparators = comparators(cycle, b)?;
        for run in 0..4 {
            let mut sums = vec![0.0; comparators.len()];
            let mut variance = 0.0;
            let see = |(event, _): Seen<'_, '_>| {
                let Ok((eta, _)) = StatedRates::General.rates(parameters, event.t) else { return };
                let d = event.decision;
                let Some((target, weight)) = observed_weight(event) else { return };
                let Ok(active) = d.active.small() else { return };
                let x = event.round.x.values();
                let x_norm2 = 1.0 + x.iter().map(|v| v * v).sum::<f64>();
                let k = d.scores.len() as f64;
                let above = |(b, u_b): (usize, &f64)| b != target && 1.0 + u_b > 0.0;
                let m = d.scores.iter().enumerate().filter(|&p| above(p)).count() as f64;
                variance += eta * weight * weight * (m - m * m / k) * x_norm2;
                let hinge = SurrogateId::CstndHinge;
                for (sum, matrix) in sums.iter_mut().zip(&comparators) {
                    let v = matrix.projected_scores(x, active);
                    *sum += weight * (hinge.phi01(d.scores, target) - hinge.phi01(&v, target));
                    let right = share * (2.0 * b * b / eta + 0.5 * variance);
                    tightest = tightest.max(*sum / right);
                    let rounds = event.t as f64;
                    tally.within(*sum / rounds, right / rounds, prec::SIDES, || {
                        json!({ "stream": cycle.name, "run": run, "round": event.t,
                                "left_per_round": *sum / rounds, "right_per_round": right / rounds })
                    });
                }
            };
            trial.run(context.run_seed("ogd-inequality", run), see)?;
        }
    }
    Ok(tally
        .outcome(
            Verdict::Holds,
            Grade::Searched,
            "comparisons with a matrix after a round, along runs of 5000 rounds",
        )
        .with("streams", json!(cycles.iter().map(|c| c.name).collect::<Vec<_>>()))
        .with("worst_case", json!(worst_case.evidence))
        .with("comparators", "zero, the best fixed matrix, its negative, a rotation of its rows")
        .tightness("largest left / right", 1.0, tightest))
}

/// The estimate of a round as `(target, weight)`, from its definition; `None` when it is zero.
fn observed_weight(event: &lab::Event<'_>) -> Option<(usize, f64)> {
    let (d, round) = (event.decision, event.round);
    if d.active.len() == 2 {
        return round.label.map(|label| (label, 1.0));
    }
    let position = d.active.position(event.action)?;
    let reward = 1.0 - event.loss;
    (reward > 0.0).then(|| (position, reward / d.q[position]))
}

/// Matrices of the ball to compare with.
fn comparators(
    cycle: &super::trial::Cycle,
    b: f64,
) -> Result<Vec<ScoreMatrix>, super::CheckFailure> {
    let float = super::trial::float;
    let item = |item: &super::trial::Item| StreamItem {
        weight: 1.0,
        x: item.x.iter().map(float).collect(),
        active: item.active,
        s: item.scores().iter().map(float).collect(),
    };
    let items = cycle.items.iter().map(item).collect();
    let finite = FiniteStream::new(cycle.space, items)?;
    let best = minimizability_gap(&finite, SurrogateId::CstndHinge, Some(b))?.matrix;
    let mut negative = best.clone();
    negative.values.iter_mut().for_each(|w| *w = -*w);
    let mut rotated = best.clone();
    rotated.values.rotate_right(best.columns);
    let mut zero = best.clone();
    zero.values.fill(0.0);
    Ok(vec![zero, best, negative, rotated])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unprojected_gradient_violates_the_lemma() {
        let context = Context::default();
        let good = per_round(&context, &Rule::STATED);
        assert_eq!(good.verdict(), Verdict::Holds);
        assert!(good.evidence["equalities_with_both_sides_not_zero"].as_u64().unwrap() > 10);
    }

    /// The closed form beside the simulation: `24 - 3 r` and `24 + 6 r`.
    #[test]
    fn the_swing_attains_the_inequality() {
        let outcome = swing([ratio(1, 1), ratio(1, 1)]);
        assert_eq!(outcome.verdict(), Verdict::Holds);
        let attained = outcome.tightness.unwrap().attained;
        assert!((attained - (24.0 - 0.003) / (24.0 + 0.006)).abs() < 1e-12, "{attained}");
    }

    #[test]
    fn the_inequality_needs_its_right_side() {
        let context = Context::default();
        assert_eq!(ogd(&context, 1.0).unwrap().verdict(), Verdict::Holds);
        assert_eq!(ogd(&context, 0.5).unwrap().verdict(), Verdict::Fails);
    }
}

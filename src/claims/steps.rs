//! Lem. 6.2 and the inequality of projected gradient descent that the regret proofs start from.

use super::exact::{centred, dot, random, random_vec, show};
use super::trial::{Seen, Trial};
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Tally, Verdict, streams};
use crate::learner::Schedule as LearnerSchedule;
use crate::prec;
use crate::theory::loss::Piecewise;
use crate::theory::matrix::ScoreMatrix;
use crate::theory::rational::{Rational, ratio};
use crate::theory::schedule::{Parameters, Schedule};
use crate::theory::{SurrogateId, gap, stream};
use num_traits::{One, Signed, Zero};
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
        check: |context| Ok(per_round(context, centred)),
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
        ..Claim::BLANK
    },
];

/// Random matrices with two columns, weights and inputs, all fractions; kinks are frequent.
fn per_round(context: &Context, project: fn(&[Rational]) -> Vec<Rational>) -> Outcome {
    let mut rng = context.rng("lem-6.2");
    let mut tally = Tally::new();
    let mut equalities = 0u64;
    for _ in 0..4000 {
        let k = rng.random_range(2..=5usize);
        let x = [random(&mut rng, -1, 1), Rational::one()];
        let matrix = |rng: &mut _| -> Vec<Vec<Rational>> {
            (0..k).map(|_| random_vec(rng, 2, -1, 1)).collect()
        };
        let (w, other) = (matrix(&mut rng), matrix(&mut rng));
        let scores =
            |m: &[Vec<Rational>]| centred(&m.iter().map(|row| dot(row, &x)).collect::<Vec<_>>());
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
        let r = project(&u.iter().enumerate().map(slope).collect::<Vec<_>>());
        let hinge = |u: &[Rational]| &weight * Piecewise::CstndHinge.phi01(u, target);
        let left = hinge(&u) - hinge(&v);
        let raw = |m: &[Vec<Rational>], i: usize| dot(&m[i], &x);
        let right: Rational = (0..k).map(|i| &r[i] * (raw(&w, i) - raw(&other, i))).sum();
        equalities += u64::from(left == right && !left.is_zero());
        tally.at_most(&left, &right, || {
            json!({ "K": k, "target": target, "weight": weight.to_string(), "x": show(&x),
                    "W": w.iter().map(|r| show(r)).collect::<Vec<_>>(),
                    "W*": other.iter().map(|r| show(r)).collect::<Vec<_>>() })
        });
    }
    tally
        .outcome(Verdict::Holds, Grade::Searched, "random rounds in exact fractions")
        .with("equalities_with_both_sides_not_zero", equalities)
}

/// Both sides along runs, at every round. `share` multiplies the right side.
fn ogd(context: &Context, share: f64) -> Checked {
    let mut tally = Tally::new();
    let mut tightest = f64::NEG_INFINITY;
    let cycles = [streams::two_regions()?, streams::comes_and_goes()?, streams::drifting_pool()?];
    for cycle in &cycles {
        let trial = Trial::new(cycle, LearnerSchedule::General, 5_000);
        let b = trial.radius;
        let parameters = Parameters::new(b, cycle.space.len(), cycle.rho())?;
        let comparators = comparators(cycle, b)?;
        for run in 0..4 {
            let mut sums = vec![0.0; comparators.len()];
            let (mut variance, mut failure, mut worst) = (0.0, None, (f64::INFINITY, 0));
            let see = |(event, _): Seen<'_, '_>| {
                let Ok(rates) = Schedule::General.rates(parameters, event.t) else { return };
                let d = event.decision;
                let Some((target, weight)) = observed_weight(event) else { return };
                let Ok(active) = d.active.small() else { return };
                let x = event.round.x.values();
                let x_norm2 = 1.0 + x.iter().map(|v| v * v).sum::<f64>();
                let k = d.scores.len() as f64;
                let above = |(b, u_b): (usize, &f64)| b != target && 1.0 + u_b > 0.0;
                let m = d.scores.iter().enumerate().filter(|&p| above(p)).count() as f64;
                variance += rates.eta * weight * weight * (m - m * m / k) * x_norm2;
                let hinge = SurrogateId::CstndHinge;
                for (sum, matrix) in sums.iter_mut().zip(&comparators) {
                    let v = matrix.projected_scores(x, active);
                    *sum += weight * (hinge.phi01(d.scores, target) - hinge.phi01(&v, target));
                    let right = share * (2.0 * b * b / rates.eta + 0.5 * variance);
                    tightest = tightest.max(*sum / right);
                    let slack = (right - *sum) / event.t as f64;
                    if slack < worst.0 {
                        worst = (slack, event.t);
                    }
                    if slack < -prec::SIDES && failure.is_none() {
                        failure = Some(event.t);
                    }
                }
            };
            trial.run(context.run_seed("ogd-inequality", run), see)?;
            tally.truth(failure.is_none(), || {
                json!({ "stream": cycle.name, "run": run, "first_violation": failure,
                        "least_slack_per_round": worst.0, "at_round": worst.1 })
            });
        }
    }
    Ok(tally
        .outcome(
            Verdict::Holds,
            Grade::Searched,
            "runs of 5000 rounds, both sides compared after every round",
        )
        .with("streams", json!(cycles.iter().map(|c| c.name).collect::<Vec<_>>()))
        .with("comparators", "zero, the best fixed matrix, its negative, a rotation of its rows")
        .tightness("largest left / right", 1.0, tightest))
}

/// The estimate of a round as `(target, weight)`, from its definition; `None` when it is zero.
fn observed_weight(event: &lab::rounds::Event<'_>) -> Option<(usize, f64)> {
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
    let item = |item: &super::trial::Item| stream::StreamItem {
        weight: 1.0,
        x: item.x.iter().map(float).collect(),
        active: item.active,
        s: item.scores().iter().map(float).collect(),
    };
    let items = cycle.items.iter().map(item).collect();
    let finite = stream::FiniteStream::new(cycle.space, items)?;
    let best = gap::solve(&finite, SurrogateId::CstndHinge, Some(b))?.matrix;
    let mut negative = best.clone();
    negative.scale(-1.0);
    let mut rotated = best.values().to_vec();
    rotated.rotate_right(best.columns());
    let rotated = ScoreMatrix::from_values(cycle.space, finite.dim(), rotated);
    let zero = ScoreMatrix::zeros(cycle.space, finite.dim());
    Ok([zero, best, negative].into_iter().chain(rotated).collect())
}

#[cfg(test)]
mod tests {
    use super::super::exact::integer;
    use super::*;

    #[test]
    fn an_unprojected_gradient_violates_the_lemma() {
        let context = Context::default();
        let good = per_round(&context, centred);
        assert_eq!(good.verdict(), Verdict::Holds);
        assert!(good.evidence["equalities_with_both_sides_not_zero"].as_u64().unwrap() > 10);
        assert_eq!(per_round(&context, <[Rational]>::to_vec).verdict(), Verdict::Fails);
        let over_one_more = |g: &[Rational]| {
            g.iter().map(|v| v - g.iter().sum::<Rational>() / integer(9)).collect()
        };
        assert_eq!(per_round(&context, over_one_more).verdict(), Verdict::Fails);
    }

    #[test]
    fn the_inequality_needs_its_right_side() {
        let context = Context::default();
        assert_eq!(ogd(&context, 1.0).unwrap().verdict(), Verdict::Holds);
        assert_eq!(ogd(&context, 0.0).unwrap().verdict(), Verdict::Fails);
    }
}

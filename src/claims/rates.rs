//! How fast regret grows, and from which horizon the bounds say anything.

use super::trial::{Estimate, Trial};
use super::{
    Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, refuted, streams,
};
use crate::claims::quantities::constants::sufficient_radius;
use crate::learner::Schedule;
use crate::prec;
use crate::theory::{Bound, Parameters, Rational, concentrated_rounds_at_half};
use serde_json::{Value, json};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "thm-6.4-rate",
        reference: "Thm 6.4",
        statement: "The expected true regret grows no faster than T^{2/3}.",
        hypotheses: &["as Thm 6.4"],
        kind: Kind::Theorem,
        check: |context| rate(context, Schedule::General, 2.0 / 3.0),
        saboteurs: &[refuted("root", "no faster than sqrt(T)", |context| {
            rate(context, Schedule::General, 0.5)
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "exploration-sums",
        reference: "Thm 6.4 (proof), App. F.2",
        statement: "The exploration rates sum to at most (3/2) T^{2/3} under the general schedule \
                    and to at most 2 kappa sqrt(T) under the concentrated one.",
        hypotheses: &[],
        kind: Kind::Constant,
        check: |_| exploration_sums(1.0),
        saboteurs: &[refuted("a-hundredth-less", "0.99 of both", |_| exploration_sums(0.99))],
        ..Claim::BLANK
    },
    Claim {
        id: "thm-6.4-horizon",
        reference: "Thm 6.4, App. G",
        statement: "The bound of Thm 6.4 is not trivial for runs as long as those of the paper: \
                    it is below T.",
        hypotheses: &["B = N, the radius the paper shows to be enough"],
        kind: Kind::Hypothesis,
        check: |_| horizons(Bound::True, &EXPERIMENTS),
        owner: Owner::Project,
        ..Claim::BLANK
    },
    Claim {
        id: "thm-6.5-horizon",
        reference: "Thm 6.5, App. G",
        statement: "The bound of Thm 6.5 is below T for runs as long as those of the paper.",
        hypotheses: &["B = N, the smallest radius the theorem admits"],
        kind: Kind::Hypothesis,
        check: |_| horizons(Bound::Concentrated, &EXPERIMENTS),
        owner: Owner::Project,
        ..Claim::BLANK
    },
    Claim {
        id: "thm-6.5-exploration",
        reference: "Thm 6.5, App. G",
        statement: "The exploration rate of Thm 6.5 falls within runs as long as those of the \
                    paper.",
        hypotheses: &["B = N"],
        kind: Kind::Hypothesis,
        check: |_| rounds_at_half(&EXPERIMENTS),
        owner: Owner::Project,
        ..Claim::BLANK
    },
];

/// An experiment of the paper: name, `N`, the smallest `rho` its inputs allow, and `T`.
type Experiment = (&'static str, usize, f64, u64);

/// No input has `rho` below 1, and the news documents have unit norm. The horizon of the synthetic
/// runs is a reading.
const EXPERIMENTS: [Experiment; 2] =
    [("synthetic", 9, 1.0, 100_000), ("Reuters4", 7, std::f64::consts::SQRT_2, 100_000)];

/// The exponent between two horizons a factor of 64 apart, per run.
fn rate(context: &Context, schedule: Schedule, stated: f64) -> Checked {
    let horizons = [3_125u64, 25_000, 200_000];
    let limit = stated + prec::EXPONENT;
    let mut rows = Vec::new();
    let mut largest: Option<(f64, &'static str)> = None;
    let mut exceeded = None;
    for cycle in &streams::zero_gap()? {
        let trial = Trial::new(cycle, schedule, horizons[2]);
        let runs =
            trial.many(super::regret::RUNS, &horizons, |i| context.run_seed("thm-6.4-rate", i))?;
        let regret =
            |i: usize| -> Vec<f64> { runs.iter().map(|points| points[i].regret()).collect() };
        let points: Vec<Vec<f64>> = (0..3).map(regret).collect();
        let exponent = |from: usize, to: usize| {
            let span = libm::log(horizons[to] as f64 / horizons[from] as f64);
            let slopes: Vec<f64> = points[from]
                .iter()
                .zip(&points[to])
                .map(|(early, late)| libm::log(late / early) / span)
                .collect();
            Estimate::of(&slopes)
        };
        let (early, late, whole) = (exponent(0, 1), exponent(1, 2), exponent(0, 2));
        if late.interval()[0] > limit {
            exceeded = Some(cycle.name);
        }
        if largest.is_none_or(|(mean, _)| late.mean > mean) {
            largest = Some((late.mean, cycle.name));
        }
        rows.push(json!({ "stream": cycle.name, "exponent_early": early.mean,
                          "exponent_late": late.mean, "exponent": whole.mean,
                          "interval_late": late.interval(),
                          "mean_regret": points.iter().map(|p| Estimate::of(p).mean).collect::<Vec<_>>() }));
    }
    let (mean, _) = largest.unwrap_or((f64::NAN, ""));
    let (verdict, summary) = match exceeded {
        Some(name) => (Verdict::Fails, format!("{name}: grows faster than T^{stated:.3}")),
        None => {
            let shown = super::markdown::number(mean);
            (
                Verdict::Consistent,
                format!("measured exponents are at most {shown} on three streams"),
            )
        }
    };
    Ok(Outcome::new(verdict, Grade::Sampled, summary)
        .with("horizons", json!(horizons))
        .with("runs", super::regret::RUNS)
        .with("largest_accepted", limit)
        .with("streams", rows)
        .tightness("exponent", stated, mean))
}

fn exploration_sums(share: f64) -> Checked {
    let mut tally = Tally::default();
    let mut largest = [0.0f64; 2];
    let exact = |v: f64| Rational::from_float(v).unwrap_or_default();
    for (b, n, rho) in [(0.5, 2, 1.0), (3.0, 3, 1.0), (9.0, 9, 4.5), (100.0, 9, 6.0)] {
        let p = Parameters::new(b, n, rho)?;
        for power in 0..=40u32 {
            let t = 1u64 << power;
            let root = libm::cbrt(t as f64);
            let explored = |bound: Bound| bound.at(t.into())["exploration"];
            let general = (explored(Bound::True(p)), 1.5 * root * root);
            let concentrated =
                (explored(Bound::ConcentratedExact(p)), 2.0 * p.kappa() * (t as f64).sqrt());
            for (i, (sum, limit)) in [general, concentrated].into_iter().enumerate() {
                largest[i] = largest[i].max(sum / limit);
                let margin = exact(share * limit * (1.0 + prec::RATES_ROUNDING)) - exact(sum);
                tally.margin(
                    margin,
                    || json!({ "B": b, "N": n, "rho": rho, "T": t, "sum": sum, "limit": limit }),
                );
            }
        }
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Searched, "sums at horizons 2^0 .. 2^40")
        .with("largest_share_general", largest[0])
        .with("largest_share_concentrated", largest[1])
        .tightness("largest sum / bound", 1.0, largest[0].max(largest[1])))
}

/// `Vacuous` when the bound is at least `T` in every experiment, even with the smallest radius that
/// can attain the pointwise optima.
fn horizons(bound: fn(Parameters) -> Bound, experiments: &[Experiment]) -> Checked {
    let mut rows: Vec<Value> = Vec::new();
    let mut useful = 0;
    let mut nearest = f64::INFINITY;
    for &(name, n, rho, t) in experiments {
        let p = Parameters::new(n as f64, n, rho)?;
        let smallest = Parameters::new(sufficient_radius(n)?.exact, n, rho)?;
        let first = bound(p).horizon().map(|h| *h.end() as f64);
        let at_t = bound(p).at(t.into()).total;
        let least = bound(smallest).at(t.into()).total;
        useful += usize::from(least < t as f64);
        nearest = nearest.min(first.unwrap_or(f64::INFINITY) / t as f64);
        rows.push(json!({ "experiment": name, "N": n, "rho_at_least": rho, "T": t, "bound": at_t,
                          "bound_over_T": at_t / t as f64,
                          "bound_over_T_at_sqrt_N_N_minus_1": least / t as f64,
                          "first_T_below": first }));
    }
    let summary = if useful == 0 {
        let times = super::markdown::number(nearest);
        format!(
            "the bound is at least T in every experiment; it would need runs {times} times as \
                 long"
        )
    } else {
        format!("below T in {useful} of {} experiments", experiments.len())
    };
    let verdict = if useful == 0 { Verdict::Vacuous } else { Verdict::Holds };
    Ok(Outcome::new(verdict, Grade::Enumerated, summary).with("experiments", rows))
}

fn rounds_at_half(experiments: &[Experiment]) -> Checked {
    let mut rows = Vec::new();
    let (mut falls, mut shortest) = (0, f64::INFINITY);
    for &(name, n, rho, t) in experiments {
        let rounds = concentrated_rounds_at_half(Parameters::new(n as f64, n, rho)?);
        falls += usize::from(rounds < u128::from(t));
        shortest = shortest.min(rounds as f64 / t as f64);
        rows.push(json!({ "experiment": name, "N": n, "rho_at_least": rho, "T": t,
                          "rounds_at_one_half": rounds as f64 }));
    }
    let (verdict, summary) = match falls {
        0 => {
            let times = super::markdown::number(shortest);
            let text = format!(
                "gamma stays at 1/2 through every experiment: it would first fall after {times} \
                 times as many rounds"
            );
            (Verdict::Vacuous, text)
        }
        _ => (Verdict::Holds, format!("falls in {falls} of {} experiments", experiments.len())),
    };
    Ok(Outcome::new(verdict, Grade::Enumerated, summary)
        .with("rounds_at_one_half", "floor(4 B^2 N^3 rho^2)")
        .with("experiments", rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn useful_bounds_and_short_explorations_are_recognised() {
        let long: [Experiment; 1] = [("long", 3, 1.0, 1_000_000_000)];
        for bound in [Bound::True as fn(Parameters) -> Bound, Bound::Concentrated] {
            assert_eq!(horizons(bound, &long).unwrap().verdict(), Verdict::Holds);
            assert_eq!(horizons(bound, &EXPERIMENTS).unwrap().verdict(), Verdict::Vacuous);
        }
        let summary = horizons(Bound::True, &long).unwrap().summary;
        assert_eq!(summary, "below T in 1 of 1 experiments");
        assert_eq!(rounds_at_half(&long).unwrap().verdict(), Verdict::Holds);
        assert_eq!(rounds_at_half(&long).unwrap().summary, "falls in 1 of 1 experiments");
        // floor(4 B^2 N^3 rho^2) rounds are at one half, the next one is not.
        let until = |t| rounds_at_half(&[("at", 3, 1.0, t)]).unwrap().verdict();
        assert_eq!((until(972), until(973)), (Verdict::Vacuous, Verdict::Holds));
        assert_eq!(rounds_at_half(&EXPERIMENTS).unwrap().verdict(), Verdict::Vacuous);
        assert_eq!(exploration_sums(1.0).unwrap().verdict(), Verdict::Holds);
        assert_eq!(exploration_sums(0.99).unwrap().verdict(), Verdict::Fails);
    }
}

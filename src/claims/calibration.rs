//! App. E: the ten calibration functions, all from one check.

use super::{Checked, Claim, Context, Grade, Kind, Outcome, Saboteur, Verdict, refuted};
use crate::prec;
use crate::theory::SurrogateId;
use crate::theory::calibration::{CalibrationEffort, Witness, check_grid, proved, search, witness};
use rayon::prelude::*;
use serde_json::{Value, json};

/// The saboteur of a function that is attained.
macro_rules! attained {
    ($index:literal) => {
        &[refuted("nine-tenths", "0.9 of the calibration function", smaller::<$index>)]
    };
}

pub(crate) const CLAIMS: &[Claim] = &[
    gamma(
        "gamma-comp-exp",
        "The sum-exponential comp-sum loss has Gamma(t) = sqrt(2 t).",
        check::<0>,
        attained!(0),
    ),
    gamma(
        "gamma-comp-log",
        "The logistic loss has Gamma(t) = sqrt(2 t).",
        check::<1>,
        attained!(1),
    ),
    gamma(
        "gamma-comp-gce",
        "The generalised cross-entropy has Gamma(t) = sqrt(2 N^alpha t).",
        check::<2>,
        attained!(2),
    ),
    gamma(
        "gamma-comp-mae",
        "The mean absolute error has Gamma(t) = N t.",
        check::<3>,
        attained!(3),
    ),
    gamma("gamma-sum-sq", "The sum of squared hinges has Gamma(t) = sqrt(t).", check::<4>, &[]),
    gamma(
        "gamma-sum-exp",
        "The sum of exponentials has Gamma(t) = sqrt(2 t).",
        check::<5>,
        attained!(5),
    ),
    gamma("gamma-sum-tau", "The sum of ramps has Gamma(t) = t.", check::<6>, attained!(6)),
    gamma("gamma-cstnd-hinge", "The constrained hinge has Gamma(t) = t.", check::<7>, attained!(7)),
    gamma(
        "gamma-cstnd-sq",
        "The constrained squared hinge has Gamma(t) = sqrt(t).",
        check::<8>,
        &[],
    ),
    gamma("gamma-cstnd-tau", "The constrained ramp has Gamma(t) = t.", check::<9>, attained!(9)),
];

const fn gamma(
    id: &'static str,
    statement: &'static str,
    check: fn(&Context) -> Checked,
    saboteurs: &'static [Saboteur],
) -> Claim {
    let hypotheses =
        &["all distributions on K actions and all score vectors (zero-sum where constrained)"];
    Claim {
        id,
        reference: "App. E",
        statement,
        hypotheses,
        kind: Kind::Theorem,
        check,
        saboteurs,
        ..Claim::BLANK
    }
}

/// The stated function times 0.9, looked for with little effort: two, three and four actions.
fn smaller<const INDEX: usize>(_: &Context) -> Checked {
    let mut largest = f64::NEG_INFINITY;
    for (alpha, tau) in variants(SurrogateId::NAMES[INDEX]) {
        let id = SurrogateId::parse(SurrogateId::NAMES[INDEX], alpha, tau)?;
        for k in 2..=4 {
            let effort = CalibrationEffort { random_starts: 20, refined: 4 };
            largest = largest.max(search(id, k, effort)?.ratio);
        }
    }
    let shown = super::markdown::number(largest);
    let verdict = if largest > 0.9 { Verdict::Fails } else { Verdict::Holds };
    Ok(Outcome::new(verdict, Grade::Searched, format!("the largest ratio found is {shown}")))
}

/// The parameters a surrogate is tried with.
fn variants(name: &str) -> Vec<(Option<f64>, Option<f64>)> {
    match name {
        "comp_gce" => [0.1, 0.5, 0.9].map(|alpha| (Some(alpha), None)).to_vec(),
        "sum_tau" | "cstnd_tau" => [0.5, 2.0].map(|tau| (None, Some(tau))).to_vec(),
        _ => vec![(None, None)],
    }
}

/// What is known about one surrogate and one number of actions.
#[derive(Clone, Debug)]
struct Row {
    surrogate: String,
    k: usize,
    /// The largest `zero-one gap / Gamma(surrogate gap)` found.
    ratio: f64,
    exceeds: bool,
    /// There is an argument for the stated function.
    as_stated: bool,
    /// The search comes so near to it that no smaller constant works.
    sharp: bool,
    evaluations: usize,
    /// Points at which the proved inequality was decided exactly, and violations.
    grid: Option<(usize, usize)>,
    witness: Option<Witness>,
    argument: &'static str,
    repair: Option<String>,
}

fn check<const INDEX: usize>(_: &Context) -> Checked {
    let mut jobs = Vec::new();
    for (alpha, tau) in variants(SurrogateId::NAMES[INDEX]) {
        let id = SurrogateId::parse(SurrogateId::NAMES[INDEX], alpha, tau)?;
        jobs.extend((2..=6usize).map(|k| (id, k)));
    }
    let rows: Result<Vec<Row>, _> = jobs.into_par_iter().map(|(id, k)| row(id, k)).collect();
    Ok(judge(&rows?))
}

fn row(id: SurrogateId, k: usize) -> Result<Row, super::CheckFailure> {
    let report = search(id, k, CalibrationEffort { random_starts: 60, refined: 6 })?;
    let proof = proved(id, k);
    let grid = check_grid(id, k, if k <= 4 { 6 } else { 4 }, 3)?;
    Ok(Row {
        surrogate: id.to_string(),
        k,
        ratio: report.ratio,
        exceeds: report.exceeds,
        as_stated: proof.as_stated,
        sharp: report.ratio >= 1.0 - prec::RATIO_ATTAINED,
        evaluations: report.evaluations,
        grid: grid.map(|g| (g.points, g.violations)),
        witness: witness(id, k)?,
        argument: proof.argument,
        repair: (!proof.as_stated)
            .then(|| format!("({} t)^(1/{})", proof.constant, proof.exponent)),
    })
}

fn judge(rows: &[Row]) -> Outcome {
    let refuted = rows.iter().find_map(|r| r.witness.as_ref().filter(|w| w.recheck()));
    let exceeded = rows.iter().any(|r| r.exceeds || r.grid.is_some_and(|(_, bad)| bad > 0));
    let largest = rows.iter().map(|r| r.ratio).fold(f64::NEG_INFINITY, f64::max);
    let everywhere = !rows.is_empty() && rows.iter().all(|r| r.as_stated);
    let sharp = rows.iter().any(|r| r.sharp);
    let shown = super::markdown::number(largest);
    let grade = match refuted {
        Some(_) => Grade::Enumerated,
        None if everywhere && !exceeded => Grade::Argued,
        None => Grade::Searched,
    };
    let (verdict, summary) = match refuted {
        Some(w) => {
            let text = format!(
                "false from K = {} on: the gap exceeds the stated function by a factor of up to \
                 {shown} for K <= {}; exact witness: {}",
                w.k,
                rows.iter().map(|r| r.k).max().unwrap_or(w.k),
                w.violated
            );
            (Verdict::Fails, text)
        }
        None if exceeded => (Verdict::Fails, format!("exceeded by a factor {shown} (numerically)")),
        None if everywhere && sharp => {
            (Verdict::Holds, "true for every K, and no smaller constant works".into())
        }
        None if everywhere => {
            let text =
                format!("true for every K; the largest ratio found is {shown} of the stated one");
            (Verdict::Loose, text)
        }
        None => (Verdict::Holds, format!("not exceeded: the largest ratio found is {shown}")),
    };
    let points: usize = rows.iter().filter_map(|r| r.grid).map(|(points, _)| points).sum();
    let evaluations: usize = rows.iter().map(|r| r.evaluations).sum();
    let outcome = Outcome::new(verdict, grade, summary)
        .with("searched_distributions", evaluations)
        .with("exact_grid_points", points)
        .with("by_k", rows.iter().map(Row::show).collect::<Vec<_>>())
        .with("proof", rows.first().map_or("", |r| r.argument))
        .tightness("largest zero-one gap / Gamma(surrogate gap)", 1.0, largest);
    let repairs: Vec<String> =
        rows.iter().filter_map(|r| Some(format!("K = {}: {}", r.k, r.repair.as_ref()?))).collect();
    let outcome =
        if repairs.is_empty() { outcome } else { outcome.with("true_instead", repairs.join("; ")) };
    match refuted.and_then(|w| serde_json::to_value(w).ok()) {
        Some(witness) => outcome.witness(witness),
        None => outcome,
    }
}

impl Row {
    fn show(&self) -> Value {
        json!({ "surrogate": self.surrogate, "K": self.k, "largest_ratio": self.ratio,
                "proved_as_stated": self.as_stated, "refuted": self.witness.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_from_the_rows() {
        let good = row(SurrogateId::CstndHinge, 3).unwrap();
        let said = judge(std::slice::from_ref(&good));
        assert_eq!((said.verdict(), said.grade()), (Verdict::Holds, Grade::Argued));
        let loose = Row { sharp: false, ..good.clone() };
        assert_eq!(judge(&[loose]).verdict(), Verdict::Loose);
        let unproved = Row { as_stated: false, sharp: false, ..good.clone() };
        let said = judge(&[good.clone(), unproved]);
        assert_eq!((said.verdict(), said.grade()), (Verdict::Holds, Grade::Searched));
        let exceeded = Row { exceeds: true, ..good.clone() };
        assert_eq!(judge(&[exceeded]).verdict(), Verdict::Fails);
        let violated = Row { grid: Some((10, 1)), ..good.clone() };
        assert_eq!(judge(&[violated]).verdict(), Verdict::Fails);
        let mut false_witness = witness(SurrogateId::CstndSq, 3).unwrap().unwrap();
        let refuted = Row { witness: Some(false_witness.clone()), ..good.clone() };
        let said = judge(&[refuted]);
        assert_eq!((said.verdict(), said.grade()), (Verdict::Fails, Grade::Enumerated));
        false_witness.zero_one_gap *= crate::theory::ratio(1, 2);
        let unfounded = Row { witness: Some(false_witness), ..good };
        assert_eq!(judge(&[unfounded]).verdict(), Verdict::Holds);
    }
}

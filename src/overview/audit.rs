//! `audit.md`: what in the paper does not hold, with the smallest witness of each.

use super::computing;
use crate::claims::quantities::concentration::{Concentration, Horizon, expert_limit};
use crate::claims::quantities::mixture::Mixture;
use crate::claims::quantities::phase::{OneExpert, PhaseChoice, critical_availability};
use crate::claims::{
    Claim, Context, Verdict, availability, impossibility, run as run_claims, theorems,
};
use crate::prec;
use audit::{Finding, Interval, findings};
use lab::stream::{Synthetic, SyntheticConfig};
use num_traits::{One, Signed, ToPrimitive, Zero};
use rayon::prelude::*;
use report::{PhasePanel, ReportError, phase_diagram, rendered};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use theory::{
    Bound, ClassPart, Parameters, Rational, concentrated_rounds_at_half, exact_hinge_gap,
    largest_constant, ratio,
};

const PHASE: &str = "audit-phase";

/// Names and contents of its files.
pub(super) fn files() -> Result<[(String, String); 3], ReportError> {
    let [svg, json] = phase_diagram(&diagram());
    Ok([
        ("audit.md".into(), text()?),
        (format!("{PHASE}.svg"), svg),
        (format!("{PHASE}.json"), json),
    ])
}

/// The words: `templates/audit.md` with everything computed that it asks for.
pub(super) fn text() -> Result<String, ReportError> {
    let (surrogates, serves) = surrogates()?;
    // Convexity is a matter of the formula (App. E): these four are not convex.
    const BENT: [&str; 4] = ["comp_gce", "comp_mae", "sum_tau", "cstnd_tau"];
    let convex = |name: &&String| !BENT.contains(&name.as_str());
    let usable: Vec<&String> =
        serves.iter().filter(|(_, served)| **served == true).map(|(name, _)| name).collect();
    let context = json!({
        "witness": witness(),
        "phase": format!("{PHASE}.svg"),
        "surrogates": surrogates,
        "usable": usable.into_iter().filter(convex).collect::<Vec<_>>(),
        "serves": serves,
        "repair": repair()?,
        "setting_two": setting_two()?,
        "concentrated": concentrated()?,
        "false_alarm": format!("{:e}", prec::AUDIT_FALSE_ALARM),
        "findings": findings().iter().map(finding).collect::<Vec<_>>(),
    });
    Ok(rendered(include_str!("templates/audit.md"), &context)?)
}

/// Whether no convex loss repairs the hinge, as the ledger has it, and what the linear program says.
fn repair() -> Result<Json, ReportError> {
    let theorems = theorems(Path::new("reports")).map_err(computing("proofs"))?;
    let claims: Vec<Claim> =
        impossibility::CLAIMS.iter().filter(|c| c.id == "no-convex-repair").cloned().collect();
    let done = run_claims(&claims, Context::default().seed(), &theorems, |_, _| {});
    let is_proved = |d: &crate::claims::Done| {
        d.result.as_ref().is_ok_and(|outcome| outcome.verdict() == Verdict::Proved)
    };
    let largest = |part| {
        let found = largest_constant(part);
        found.certified.as_ref().map_or("not certified".to_string(), Rational::to_string)
    };
    Ok(json!({
        "proved": !done.is_empty() && done.iter().all(is_proved),
        "shared": largest(ClassPart::Shared),
        "free": largest(ClassPart::Free),
    }))
}

/// `p/q (0.1234)`, or the integer alone.
fn fraction(value: &Rational) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    let decimal = value.to_f64().unwrap_or(f64::NAN);
    if value.denom().bits() > 24 {
        return format!("{decimal:.4}");
    }
    format!("{value} ({decimal:.4})")
}

/// The stream everything starts from.
fn witness() -> Json {
    let one =
        OneExpert { classes: 2, top: ratio(4, 5), expert: ratio(1, 1), availability: ratio(1, 2) };
    let phase = one.solve();
    let [x, y] = &phase.optimum;
    let choice = match phase.choice {
        PhaseChoice::Right => "Right",
        PhaseChoice::ForgetsClasses => "ForgetsClasses",
        PhaseChoice::NeverDefers => "NeverDefers",
        PhaseChoice::OtherwiseWrong => "OtherwiseWrong",
    };
    json!({
        "x": x.to_string(),
        "minus_x": (-x).to_string(),
        "y": y.to_string(),
        "choice": choice,
        "gap": fraction(&phase.gap),
        "regret": fraction(&phase.regret),
        "critical": fraction(&critical_availability(2, &one.top, &one.expert)),
    })
}

const CELLS: i64 = 40;

fn diagram() -> Vec<PhasePanel> {
    let shapes = [2usize, 6].into_iter().flat_map(|n| {
        [
            ("free, right", ratio(1, 1)),
            ("right, cost 0.1/1.1", ratio(10, 11)),
            ("worth 4/5", ratio(4, 5)),
        ]
        .map(|(words, s)| (n, words, s))
    });
    shapes.collect::<Vec<_>>().into_par_iter().map(|(n, words, s)| panel(n, words, &s)).collect()
}

fn panel(classes: usize, words: &str, expert: &Rational) -> PhasePanel {
    let middle = |i: i64| ratio(2 * i + 1, 2 * CELLS);
    let noise = |r: i64| middle(r) / ratio(2, 1);
    let cell = |r: i64, c: i64| {
        let one = OneExpert {
            classes,
            top: Rational::one() - noise(r),
            expert: expert.clone(),
            availability: middle(c),
        };
        one.solve().regret.to_f64().unwrap_or(f64::NAN)
    };
    let cells = (0..CELLS).map(|r| (0..CELLS).map(|c| cell(r, c)).collect()).collect();
    let mut boundary = Vec::new();
    for r in 0..=CELLS {
        let top = Rational::one() - ratio(r, 2 * CELLS);
        // Where the expert is no better than the class there is nothing to cross.
        if top < *expert && &Rational::from_integer(classes.into()) * &top > Rational::one() {
            let a = critical_availability(classes, &top, expert).to_f64().unwrap_or(f64::NAN);
            boundary.push((a, r as f64 / CELLS as f64));
        }
    }
    let marks = match (classes, expert.is_integer(), *expert == ratio(10, 11)) {
        (2, true, _) => vec![(0.5, 0.4, "witness")],
        (6, _, true) => vec![(0.7, 0.6, "setting 2")],
        _ => vec![],
    };
    PhasePanel { title: format!("n = {classes}, expert {words}"), cells, boundary, marks }
}

/// The ten surrogates, as the ledger's checks judge them: rows of a table, and which serve all sets.
fn surrogates() -> Result<(Json, Map<String, Json>), ReportError> {
    let (mut rows, mut serves) = (Vec::new(), Map::new());
    let theorems = theorems(Path::new("reports")).map_err(computing("proofs"))?;
    let seed = Context::default().seed();
    for done in run_claims(availability::CLAIMS, seed, &theorems, |_, _| {}) {
        let id = done.claim.id;
        let outcome = done.result.map_err(|e| computing(id)(e.to_string()))?;
        let name = id.trim_start_matches("availability-").replace('-', "_");
        let served = outcome.witness.is_none();
        let shown = if served { "yes" } else { "**no**" };
        rows.push(json!([
            format!("`{name}`"),
            shown.to_string(),
            outcome.verdict().to_string(),
            outcome.summary,
        ]));
        serves.insert(name, served.into());
    }
    Ok((rows.into(), serves))
}

fn optimum(mixture: &Mixture) -> Result<Option<(Rational, Rational)>, ReportError> {
    let gap = exact_hinge_gap(mixture.space, &mixture.items()).map_err(computing("hinge gap"))?;
    Ok(gap.map(|gap| {
        let v: Vec<Rational> = gap.matrix.iter().map(|row| row[1].clone()).collect();
        (gap.gap_per_round, mixture.true_regret(&v))
    }))
}

/// Synthetic setting 2 (App. G.2): six classes; on a cluster one expert knows the label, two guess.
fn setting_two() -> Result<Json, ReportError> {
    let right = ratio(10, 11);
    let guess = &right / ratio(6, 1);
    let cells: Vec<(i64, i64)> =
        [1, 3, 5].into_iter().flat_map(|noise| [1, 3, 5, 7, 9].map(|a| (noise, a))).collect();
    let row = |&(noise, a): &(i64, i64)| -> Result<([String; 4], Option<Rational>), ReportError> {
        let mut p = vec![ratio(noise, 50); 6];
        p[0] = ratio(10 - noise, 10);
        let experts = [right.clone(), guess.clone(), guess.clone()];
        let often = vec![ratio(a, 10); 3];
        let mixture =
            Mixture::independent(&p, &experts, &often).map_err(computing("synthetic setting 2"))?;
        let found = optimum(&mixture)?;
        let (gap, regret) = match &found {
            Some((gap, regret)) => (fraction(gap), fraction(regret)),
            None => ("not certified".into(), "not certified".into()),
        };
        let cells = [format!("0.{noise}"), format!("0.{a}"), gap, regret];
        Ok((cells, found.map(|(gap, _)| gap)))
    };
    let solved: Result<Vec<_>, ReportError> = cells.par_iter().map(row).collect();
    let (rows, gaps): (Vec<_>, Vec<Option<Rational>>) = solved?.into_iter().unzip();
    let positive = gaps.iter().flatten().filter(|gap| gap.is_positive()).count();
    let critical = critical_availability(6, &ratio(7, 10), &right);
    Ok(json!({
        "critical": fraction(&critical),
        "never_defers": ratio(7, 10) < critical,
        "rows": rows,
        "positive": positive,
        "cells": gaps.len(),
    }))
}

/// The sizes of the paper's experiments.
fn concentrated() -> Result<Json, ReportError> {
    let synthetic =
        Synthetic::new(&SyntheticConfig::default(), 0).map_err(computing("synthetic stream"))?;
    let unit = std::f64::consts::SQRT_2;
    let sizes = [
        ("smallest possible (n = 2, one expert)", 3usize, unit, 0u128),
        ("synthetic, raw features", 9, synthetic.rho(), 100_000),
        ("synthetic, unit norm", 9, unit, 100_000),
        ("Reuters4", 7, unit, 100_000),
        ("CIFAR10H, unit norm", 13, unit, 10_000),
    ];
    // A certain label among `classes`, one expert worth `s`.
    let reach = |classes: usize, s: Rational| -> Result<Option<f64>, ReportError> {
        let mut scores = vec![Rational::zero(); classes];
        scores[0] = Rational::one();
        scores.push(s);
        let round = Concentration::new(classes, scores).map_err(computing("concentration"))?;
        Ok(match round.largest_horizon() {
            Horizon::UpTo(t) => Some(t as f64),
            Horizon::Unlimited => None,
        })
    };
    let mut rows = Vec::new();
    let mut always_half = true;
    for (name, actions, rho, played) in sizes {
        let p = Parameters::new(actions as f64, actions, rho).map_err(computing(name))?;
        let from = |bound: Bound| bound.horizon().map(|h| *h.end() as f64);
        always_half &= played <= concentrated_rounds_at_half(p);
        rows.push(json!({
            "name": name,
            "actions": actions,
            "rho": rho,
            "played": played as f64,
            "at_half": concentrated_rounds_at_half(p) as f64,
            "concentrated_from": from(Bound::Concentrated(p)),
            "true_from": from(Bound::True(p)),
        }));
    }
    let limits = [100u64, 10_000, 100_000, 1_000_000].map(|t| {
        json!({
            "horizon": t,
            "experts": expert_limit(t).unwrap_or(f64::NAN),
            "class": 1.0 / (t as f64).sqrt(),
        })
    });
    Ok(json!({
        "limits": limits,
        "reach_right": reach(2, ratio(1, 1))?,
        "reach_guess": reach(10, ratio(1, 11))?,
        "sizes": rows,
        "always_half": always_half,
    }))
}

fn interval(i: Interval) -> String {
    if i.low == i.high { format!("{:.5}", i.low) } else { format!("[{:.5}, {:.5}]", i.low, i.high) }
}

/// A finding of the audit of the published tables, with what the template shows of it.
fn finding(f: &Finding) -> Json {
    let row = |r: &audit::Reading| {
        let fit = if r.fits { "fits".into() } else { format!("off by {:.4}", r.misses_by) };
        [r.name.clone(), interval(r.expected), fit]
    };
    let rows: Vec<[String; 3]> = f.readings.iter().map(row).collect();
    let fitting: Vec<&str> =
        f.readings.iter().filter(|r| r.fits).map(|r| r.name.as_str()).collect();
    json!({
        "id": f.id,
        "status": f.status,
        "misses_by": f.misses_by,
        "reference": f.reference,
        "statement": f.statement,
        "formula": f.formula,
        "expected_shown": interval(f.expected),
        "published_shown": interval(f.published),
        "remark_shown": capital(f.remark),
        "readings": f.readings,
        "fitting": fitting,
        "rows": rows,
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or(String::new(), |c| c.to_uppercase().collect::<String>() + letters.as_str())
}

//! Whether the definitions of the proofs are the ones of this program.
//!
//! `Definitions.v` has the quantities of the paper once, over any arithmetic; the proofs use them over the
//! reals. Here the same terms are evaluated over the rationals at random points, by the proof checker, and
//! compared with what the checks of this program compute in fractions. They must be the same fractions.

use super::Context;
use super::estimator::{hinge_gradient, importance_weight, mixture, target_weight};
use super::exact::{ExactLaw, argmax, bit, centred, dot, integer, random, random_vec};
use crate::proofs::{ProofError, evaluate};
use crate::theory::{Piecewise, Rational, ratio};
use num_traits::{One, Signed, Zero};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::path::Path;

/// Points of each kind.
const OF_EACH: usize = 150;

/// A point: how the proof files write it, and what this program says of it.
struct Point {
    rocq: String,
    ours: Vec<Rational>,
}

/// Evaluates both sides and returns how many points and numbers agreed.
///
/// # Errors
/// No checker, or a point at which the two sides differ.
pub(crate) fn agreement(proofs: &Path) -> Result<(usize, usize), ProofError> {
    let points = points(&mut Context::default().rng("agreement"));
    let listed: Vec<&str> = points.iter().map(|p| p.rocq.as_str()).collect();
    let text = format!(
        "From Coq Require Import List QArith.\nFrom Deferlab Require Import Agreement.\n\
         Import ListNotations.\nOpen Scope Q_scope.\nDefinition points : list point := [\n{}\n].\n\
         Open Scope Z_scope.\nSet Printing Depth 1000000.\nCompute (answers points).\n",
        listed.join(";\n")
    );
    let theirs = answers(&evaluate(proofs, "Agreement.v", &text)?);
    compare(&points, &theirs)
}

fn compare(points: &[Point], theirs: &[Vec<Rational>]) -> Result<(usize, usize), ProofError> {
    let refused = |what: String| ProofError::Refused { what, output: String::new() };
    if points.len() != theirs.len() {
        let (ours, theirs) = (points.len(), theirs.len());
        return Err(refused(format!("{theirs} answers to {ours} points")));
    }
    for (point, theirs) in points.iter().zip(theirs) {
        if point.ours != *theirs {
            let show = |v: &[Rational]| super::exact::show(v).to_string();
            let (ours, theirs) = (show(&point.ours), show(theirs));
            return Err(refused(format!("{}: proofs {theirs}, program {ours}", point.rocq)));
        }
    }
    Ok((points.len(), points.iter().map(|p| p.ours.len()).sum()))
}

fn points(rng: &mut Pcg64) -> Vec<Point> {
    let kinds = [loss, risk, projection, scores, mixed, estimated, gradient, inverse_gap, greedy];
    kinds.iter().flat_map(|kind| (0..OF_EACH).map(|_| kind(rng)).collect::<Vec<_>>()).collect()
}

fn q(value: &Rational) -> String {
    format!("({} # {})", value.numer(), value.denom())
}

fn list(values: &[Rational]) -> String {
    format!("[{}]", values.iter().map(q).collect::<Vec<_>>().join("; "))
}

fn naturals(values: &[usize]) -> String {
    let all: Vec<String> = values.iter().map(usize::to_string).collect();
    format!("[{}]%nat", all.join("; "))
}

/// A surrogate, its name in the proof files and the parameter of its ramp.
fn surrogate(rng: &mut Pcg64) -> (Piecewise<Rational>, &'static str, Rational) {
    let tau = ratio(rng.random_range(1..=8), rng.random_range(1..=4));
    match rng.random_range(0..5) {
        0 => (Piecewise::SumSq, "sum_sq", tau),
        1 => (Piecewise::SumTau(tau.clone()), "sum_tau", tau),
        2 => (Piecewise::CstndHinge, "cstnd_hinge", tau),
        3 => (Piecewise::CstndSq, "cstnd_sq", tau),
        _ => (Piecewise::CstndTau(tau.clone()), "cstnd_tau", tau),
    }
}

fn loss(rng: &mut Pcg64) -> Point {
    let (phi, name, tau) = surrogate(rng);
    let k = rng.random_range(2..=6);
    let (u, target) = (random_vec(rng, k, -3, 3), rng.random_range(0..k));
    let rocq = format!("Loss_at {name} {} {} {target}%nat", q(&tau), list(&u));
    Point { rocq, ours: vec![phi.phi01(&u, target)] }
}

fn risk(rng: &mut Pcg64) -> Point {
    let (phi, name, tau) = surrogate(rng);
    let k = rng.random_range(2..=6);
    let (s, u) = (random_vec(rng, k, 0, 1), random_vec(rng, k, -3, 3));
    let rocq = format!("Risk_at {name} {} {} {}", q(&tau), list(&s), list(&u));
    Point { rocq, ours: vec![phi.conditional_risk(&s, &u)] }
}

/// A random part of `0..len`, in order, with something in it.
fn part(rng: &mut Pcg64, len: usize, least: usize) -> Vec<usize> {
    loop {
        let chosen: Vec<usize> = (0..len).filter(|_| rng.random_bool(0.6)).collect();
        if chosen.len() >= least {
            return chosen;
        }
    }
}

fn projection(rng: &mut Pcg64) -> Point {
    let len = rng.random_range(2..=7);
    let (u, active) = (random_vec(rng, len, -4, 4), part(rng, len, 1));
    let inside: Vec<Rational> = active.iter().map(|&a| u[a].clone()).collect();
    let mut ours = u.clone();
    for (&a, value) in active.iter().zip(centred(&inside)) {
        ours[a] = value;
    }
    Point { rocq: format!("Projection {} {}", naturals(&active), list(&u)), ours }
}

/// A round with at least three active actions: its law with the available experts alone, and how the
/// proof files write `n E p c`.
struct Drawn {
    n: usize,
    experts: Vec<usize>,
    law: ExactLaw,
    costs: String,
}

fn round(rng: &mut Pcg64) -> Drawn {
    let (n, n_e) = (rng.random_range(2..=4), rng.random_range(1..=4));
    let all = ExactLaw::random(rng, n, n_e);
    let experts = part(rng, n_e, 1);
    let c = experts.iter().map(|&j| all.c[j].clone()).collect();
    let rows: Vec<String> = all.c.iter().map(|row| list(row)).collect();
    let costs = format!("[{}]", rows.join("; "));
    Drawn { n, experts, law: ExactLaw { p: all.p, c }, costs }
}

fn scores(rng: &mut Pcg64) -> Point {
    let Drawn { n, experts, law, costs } = round(rng);
    let s = law.scores();
    let mass: Rational = s.iter().sum();
    let mut ours = s.clone();
    ours.push(mass.clone());
    ours.extend(s.iter().map(|s_a| s_a / &mass));
    ours.extend((0..law.actions()).map(|a| {
        let losses: Vec<Rational> = (0..n).map(|y| law.loss(a, y)).collect();
        dot(&law.p, &losses)
    }));
    let rocq = format!("Scores_of {n}%nat {} {} {costs}", naturals(&experts), list(&law.p));
    Point { rocq, ours }
}

/// The number of the `k`-th active action: classes first, then the available experts.
fn number(n: usize, experts: &[usize], k: usize) -> usize {
    if k < n { k } else { n + experts[k - n] }
}

fn share(rng: &mut Pcg64) -> Rational {
    ratio(rng.random_range(1..=7), 8)
}

fn mixed(rng: &mut Pcg64) -> Point {
    let Drawn { n, experts, law, .. } = round(rng);
    let (gamma, greedy) = (share(rng), rng.random_range(0..law.actions()));
    let r = number(n, &experts, greedy);
    let rocq = format!("Mixture {n}%nat {} {} {r}%nat", naturals(&experts), q(&gamma));
    Point { rocq, ours: mixture(law.actions(), greedy, &gamma) }
}

/// A round that was played: what the points about estimates have in common.
struct Played {
    drawn: Drawn,
    action: usize,
    label: usize,
    /// The importance weight of the action that was played.
    weight: Rational,
    /// `n E c gamma r a y`.
    rocq: String,
}

fn played(rng: &mut Pcg64) -> Played {
    let drawn = round(rng);
    let k = drawn.law.actions();
    let (gamma, greedy) = (share(rng), rng.random_range(0..k));
    let (action, label) = (rng.random_range(0..k), rng.random_range(0..drawn.n));
    let weight = importance_weight(&drawn.law, label, action, &mixture(k, greedy, &gamma)[action]);
    let name = |k| number(drawn.n, &drawn.experts, k);
    let rocq = format!(
        "{}%nat {} {} {} {}%nat {}%nat {label}%nat",
        drawn.n,
        naturals(&drawn.experts),
        drawn.costs,
        q(&gamma),
        name(greedy),
        name(action)
    );
    Played { drawn, action, label, weight, rocq }
}

/// A quantity for every action number, and its part for the active ones.
fn per_action(rng: &mut Pcg64, drawn: &Drawn) -> (Vec<Rational>, Vec<Rational>) {
    let all = random_vec(rng, drawn.n + 4, -2, 2);
    let at = |k| all[number(drawn.n, &drawn.experts, k)].clone();
    let active = (0..drawn.law.actions()).map(at).collect();
    (all, active)
}

fn estimated(rng: &mut Pcg64) -> Point {
    let Played { drawn, action, label, weight, rocq } = played(rng);
    let (all, f) = per_action(rng, &drawn);
    let k = drawn.law.actions();
    let mut ours: Vec<Rational> = (0..k).map(|b| bit(b == action) * &weight).collect();
    ours.push(&weight * &f[action]);
    let targets: Vec<Rational> = (0..k).map(|b| target_weight(&drawn.law, label, b)).collect();
    ours.push(dot(&targets, &f));
    Point { rocq: format!("Estimate_of {rocq} {}", list(&all)), ours }
}

fn gradient(rng: &mut Pcg64) -> Point {
    let Played { drawn, action, weight, rocq, .. } = played(rng);
    let (all, u) = per_action(rng, &drawn);
    let slopes = hinge_gradient(&u, action, &Rational::zero());
    let weighted: Vec<Rational> = slopes.iter().map(|g| g * &weight).collect();
    Point { rocq: format!("Gradient_of {rocq} {}", list(&all)), ours: centred(&weighted) }
}

fn inverse_gap(rng: &mut Pcg64) -> Point {
    let k = rng.random_range(2..=6);
    let (g, greed) = (random_vec(rng, k, 0, 1), random(rng, 1, 20));
    let best = argmax(&g);
    let others = |a: usize| (integer(k) + &greed * (&g[best] - &g[a])).recip();
    let rest: Rational = (0..k).filter(|&a| a != best).map(others).sum();
    let weight = |a| if a == best { Rational::one() - &rest } else { others(a) };
    let ours: Vec<Rational> = (0..k).map(weight).collect();
    debug_assert!(ours.iter().all(|w| w.is_positive()));
    Point { rocq: format!("Inverse_gap {} {} {best}%nat", list(&g), q(&greed)), ours }
}

fn greedy(rng: &mut Pcg64) -> Point {
    let len = rng.random_range(2..=7);
    let u = random_vec(rng, len, -2, 2);
    Point { rocq: format!("Argmax_of {}", list(&u)), ours: vec![integer(argmax(&u))] }
}

/// The fractions in `[[(p, q); ..]; ..]`.
fn answers(printed: &str) -> Vec<Vec<Rational>> {
    let start = printed.find("[[").unwrap_or(0);
    let end = printed.rfind("]]").unwrap_or(printed.len());
    let number = |text: &str| text.trim().parse::<i64>().unwrap_or(i64::MAX);
    let fraction = |pair: &str| -> Option<Rational> {
        let (p, q) = pair.split_once(',')?;
        let p = p.trim().trim_matches(|c: char| !(c.is_ascii_digit() || c == '-'));
        Some(ratio(number(p), number(q)))
    };
    printed[start..end]
        .split(']')
        .filter(|list| list.contains('('))
        .map(|list| list.split(')').filter_map(fraction).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let printed = "     = [[(1, 2); (-3, 4)]; [(0, 1)]]\n     : list (list (Z * Z))\n";
        let expected = [vec![ratio(1, 2), ratio(-3, 4)], vec![ratio(0, 1)]];
        assert_eq!(answers(printed), expected);
    }

    #[test]
    fn nothing_around_the_fractions_is_needed() {
        let expected = [vec![ratio(-1, 2)], vec![ratio(3, 1), ratio(-5, 7)]];
        assert_eq!(answers("[[(-1, 2)]; [(3, 1); (-5, 7)]]"), expected);
        assert_eq!(answers("= [(1, 2)]] [[(-1, 2)]; [(3, 1); (-5, 7)]] : [(8, 9)]"), expected);
    }

    /// Losses, risks, projections, gradients and argmaxes are also asked at negative scores.
    #[test]
    fn points_of_every_kind_have_both_signs() {
        let points = points(&mut Context::default().rng("agreement"));
        for (i, kind) in points.chunks(OF_EACH).enumerate() {
            let negative = kind.iter().any(|p| p.rocq.contains("(-"));
            assert!(negative || ![0, 1, 2, 6, 8].contains(&i), "{i}");
        }
        assert_eq!([0, 1, 2, 3].map(|k| number(2, &[1, 3], k)), [0, 1, 3, 5]);
    }

    #[test]
    fn there_are_enough_points_and_a_difference_is_noticed() {
        let points = points(&mut Context::default().rng("agreement"));
        assert!(points.len() >= 1000);
        let mut theirs: Vec<Vec<Rational>> = points.iter().map(|p| p.ours.clone()).collect();
        assert!(compare(&points, &theirs).is_ok());
        theirs[7][0] += ratio(1, 1000);
        assert!(compare(&points, &theirs).unwrap_err().to_string().contains("program"));
        theirs.pop();
        assert!(compare(&points, &theirs).is_err());
    }

    #[test]
    fn the_proof_checker_agrees_where_there_is_one() {
        match agreement(Path::new(super::super::PROOFS)) {
            Ok((points, numbers)) => assert!(points >= 1000 && numbers > points),
            Err(ProofError::NoChecker { .. }) => eprintln!("skipped: no proof checker here"),
            Err(other) => panic!("{other}"),
        }
    }
}

//! What is read off stored runs, and how it is shown.

use crate::curves::{Case, line, rounds, windows};
use crate::stats::{log_slope, mean_curve, mean_sd};
use crate::{Figure, Line, Style};
use lab::experiment::metrics::Series;
use lab::experiment::spec::PolicySpec;

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(f64::NAN)
}

/// Exact regret at the end of each run.
pub fn regrets(runs: &[&Series]) -> Vec<f64> {
    runs.iter().map(|s| s.exact.as_ref().map_or(f64::NAN, |e| last(&e.excess))).collect()
}

/// Mean loss of each run.
pub fn losses(runs: &[&Series]) -> Vec<f64> {
    let rounds = |s: &Series| s.t.last().map_or(f64::NAN, |&t| t as f64);
    runs.iter().map(|s| last(&s.loss) / rounds(s)).collect()
}

pub fn accuracies(runs: &[&Series]) -> Vec<f64> {
    let share = |s: &&Series| match (s.right.last(), s.t.last()) {
        (Some(&right), Some(&t)) => right as f64 / t as f64,
        _ => f64::NAN,
    };
    runs.iter().map(share).collect()
}

pub fn mean(values: &[f64]) -> f64 {
    mean_sd(values).0
}

pub fn spread(values: &[f64], decimals: usize) -> String {
    match mean_sd(values) {
        (mean, Some(sd)) => format!("{mean:.decimals$} ± {sd:.decimals$}"),
        (mean, None) => format!("{mean:.decimals$}"),
    }
}

pub fn runs<'a>(case: &'a Case<'_>, policy: &str) -> Result<&'a [&'a Series], String> {
    case.runs_of(policy).ok_or_else(|| format!("{}: no runs of `{policy}`", case.label()))
}

pub fn is_hinge(policy: &PolicySpec) -> bool {
    let hinge = learner::surrogate::Surrogate::CstndHinge;
    policy.algorithm1().is_some_and(|l| l.surrogate == hinge)
}

/// What a learner costs on a stream: exact regret where there is one, else mean loss.
pub fn price(runs: &[&Series]) -> f64 {
    let exact = mean(&regrets(runs));
    if exact.is_nan() { mean(&losses(runs)) } else { exact }
}

/// Regret at three horizons, slope from `10^4` on, and the ratio to the policy `against`.
pub fn regret_rows(case: &Case<'_>, against: &str) -> Vec<Vec<String>> {
    let reference = case.runs_of(against).map_or(f64::NAN, |r| mean(&regrets(r)));
    let mut rows = Vec::new();
    for (i, runs) in &case.policies {
        let excess: Vec<Vec<f64>> =
            runs.iter().filter_map(|s| s.exact.as_ref().map(|e| e.excess.clone())).collect();
        let (t, curve) = (rounds(&runs[0].t), mean_curve(&excess));
        let from = t.iter().position(|&t| t >= 1e4).unwrap_or(0);
        let slope = log_slope(&t[from..], &curve[from..]);
        let at = |horizon: f64| {
            t.iter().position(|&t| t == horizon).map_or("-".into(), |i| format!("{:.0}", curve[i]))
        };
        rows.push(vec![
            case.label(),
            case.policy(*i).label().to_string(),
            at(1e4),
            at(1e5),
            spread(&regrets(runs), 0),
            slope.map_or("-".into(), |s| format!("{s:.2}")),
            format!("{:.4}", mean(&regrets(runs)) / reference),
        ]);
    }
    rows
}

pub fn loss_rows(case: &Case<'_>) -> Vec<Vec<String>> {
    let row = |(i, runs): &(usize, Vec<&Series>)| {
        vec![
            case.policy(*i).label().to_string(),
            spread(&losses(runs), 4),
            spread(&accuracies(runs), 3),
        ]
    };
    case.policies.iter().map(row).collect()
}

pub fn regret_figure(case: &Case<'_>) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for (k, (i, runs)) in case.policies.iter().enumerate() {
        let excess: Vec<Vec<f64>> =
            runs.iter().filter_map(|s| s.exact.as_ref().map(|e| e.excess.clone())).collect();
        lines.push(line(case.policy(*i).label(), Style::Data(k), &runs[0].t, &excess));
    }
    figure("witness", "Exact regret: one input, a perfect expert half of the time", true, lines)
}

pub fn loss_figure(case: &Case<'_>) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for (k, (i, runs)) in case.policies.iter().enumerate() {
        let per_window: Vec<Vec<f64>> =
            runs.iter().map(|s| windows(&s.loss, &rounds(&s.t))).collect();
        lines.push(line(case.policy(*i).label(), Style::Data(k), &runs[0].t, &per_window));
    }
    figure("reuters4", "Reuters4, availability 0.7", false, lines)
}

fn figure(id: &str, title: &str, log: bool, lines: Vec<Line>) -> Figure {
    let y_label = if log { "regret" } else { "mean loss in the window" };
    Figure {
        id: id.into(),
        title: title.into(),
        caption: String::new(),
        x_label: if log { "horizon T" } else { "round" }.into(),
        y_label: y_label.into(),
        log,
        y_range: None,
        lines,
    }
}

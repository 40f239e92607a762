//! What is read off stored runs, and how it is shown.

use crate::case::{Case, line, over};
use crate::escape::markdown;
use crate::number::{fixed, spread};
use crate::schema::Style;
use crate::totals::{Total, Totals};
use crate::{Figure, Line, ReportError};
use lab::experiment::{PolicySpec, Series};
use stats::{log_slope, mean, mean_curve};

/// Exact regret at the end of each run.
pub(super) fn regrets(runs: &[&Series]) -> Vec<f64> {
    over(runs, |s| s.total(Total::Excess))
}

/// Mean loss of each run.
pub(super) fn losses(runs: &[&Series]) -> Vec<f64> {
    over(runs, |s: &Series| s.mean(Total::Loss))
}

/// Expected loss a round of each run where the law is known, else the mean loss.
pub(super) fn risks(runs: &[&Series]) -> Vec<f64> {
    let exact = over(runs, |s| s.mean(Total::Risk));
    if exact.iter().any(|v| v.is_nan()) { losses(runs) } else { exact }
}

pub(super) fn runs<'a>(case: &'a Case<'_>, policy: &str) -> Result<&'a [&'a Series], ReportError> {
    let missing = || ReportError::NoRuns { stream: case.label(), policy: policy.into() };
    case.runs_of(policy).ok_or_else(missing)
}

pub(super) fn is_hinge(policy: &PolicySpec) -> bool {
    let hinge = learner::Surrogate::CstndHinge;
    policy.facts().surrogate == Some(hinge)
}

/// What a learner costs on a stream: exact regret where there is one, else mean loss.
pub(super) fn price(runs: &[&Series]) -> f64 {
    let exact = mean(&regrets(runs));
    if exact.is_nan() { mean(&losses(runs)) } else { exact }
}

fn excess(runs: &[&Series]) -> Vec<Vec<f64>> {
    runs.iter().map(|s| s.totals(Total::Excess)).collect()
}

/// Regret at three horizons, slope from `10^4` on, and the ratio to the policy `against`.
pub(super) fn regret_rows(case: &Case<'_>, against: &str) -> Vec<Vec<String>> {
    let reference = case.runs_of(against).map_or(f64::NAN, |r| mean(&regrets(r)));
    let row = |(i, runs): &(usize, Vec<&Series>)| {
        let (t, curve) = (runs[0].totals(Total::Rounds), mean_curve(&excess(runs)));
        let from = t.iter().position(|&t| t >= 1e4).unwrap_or(0);
        let slope = log_slope(&t[from..], &curve[from..]);
        let at = |horizon: f64| {
            t.iter().position(|&t| t == horizon).map_or("-".into(), |i| fixed(curve[i], 0))
        };
        vec![
            markdown(&case.label()),
            markdown(&case.policy(*i).label),
            at(1e4),
            at(1e5),
            spread(&regrets(runs), 0),
            slope.map_or("-".into(), |s| fixed(s, 2)),
            fixed(mean(&regrets(runs)) / reference, 4),
        ]
    };
    case.policies.iter().map(row).collect()
}

pub(super) fn loss_rows(case: &Case<'_>) -> Vec<Vec<String>> {
    let row = |(i, runs): &(usize, Vec<&Series>)| {
        vec![
            markdown(&case.policy(*i).label),
            spread(&losses(runs), 4),
            spread(&over(runs, |s: &Series| s.mean(Total::Right)), 3),
        ]
    };
    case.policies.iter().map(row).collect()
}

/// Loss, exact excess risk and accuracy on streams that know their law.
pub(super) fn synthetic_rows(cases: &[Case<'_>]) -> Vec<Vec<String>> {
    let row = |case: &Case<'_>, i: usize, runs: &[&Series]| {
        vec![
            markdown(&case.label()),
            markdown(&case.policy(i).label),
            spread(&losses(runs), 3),
            spread(&over(runs, |s| s.mean(Total::Excess)), 4),
            spread(&over(runs, |s: &Series| s.mean(Total::Right)), 3),
        ]
    };
    let rows = |case| {
        let case: &Case<'_> = case;
        case.policies.iter().map(move |(i, runs)| row(case, *i, runs))
    };
    cases.iter().flat_map(rows).collect()
}

fn lines(case: &Case<'_>, curves: &dyn Fn(&[&Series]) -> Vec<Vec<f64>>) -> Vec<Line> {
    let one = |(k, (i, runs)): (usize, &(usize, Vec<&Series>))| {
        line(&case.policy(*i).label, Style::Data(k), &runs[0].t, &curves(runs))
    };
    case.policies.iter().enumerate().map(one).collect()
}

pub(super) fn regret_figure(case: &Case<'_>) -> Figure {
    let title = "Exact regret: one input, a perfect expert half of the time";
    figure("witness", title, true, lines(case, &excess))
}

pub(super) fn loss_figure(case: &Case<'_>) -> Figure {
    let per_window = |runs: &[&Series]| {
        runs.iter().map(|s| s.windows(Total::Loss, Total::Rounds)).collect::<Vec<_>>()
    };
    figure("reuters4", "Reuters4, availability 0.7", false, lines(case, &per_window))
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

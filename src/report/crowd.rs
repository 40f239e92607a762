//! Experts whose answers were recorded: who is asked, and how good they are where they are there.
//!
//! An expert who did not answer was not available, so accuracies are shares of the rounds in which
//! it was.

use super::curves::{Case, line, rounds, windows};
use super::{Cell, Figure, Line, Observation, Style, Table};
use lab::experiment::metrics::Series;
use lab::experiment::spec::{PolicyKind, StreamKind};
use std::collections::BTreeMap;

/// From so many experts on, columns and lines of their own for each would hide more than they show.
pub(super) const MANY: usize = 9;

/// Whether experts answered, or did not, in a file.
pub(super) fn is_recorded(case: &Case<'_>) -> bool {
    let stream = &case.spec.stream[case.stream];
    matches!(stream.kind, StreamKind::LabelMe(_) | StreamKind::Table(_))
}

/// What to call expert `j`.
fn name(case: &Case<'_>, j: usize) -> String {
    let named = match &case.spec.stream[case.stream].kind {
        StreamKind::Table(table) => table.experts.as_ref().and_then(|names| names.get(j).cloned()),
        _ => None,
    };
    named.unwrap_or_else(|| format!("g{}", j + 1))
}

/// Totals at the end, summed over runs, by expert.
fn totals<'a>(runs: impl Iterator<Item = &'a Vec<Vec<u64>>>, experts: usize) -> Vec<f64> {
    let mut sums = vec![0.0; experts];
    for last in runs.filter_map(|rows| rows.last()) {
        sums.iter_mut().zip(last).for_each(|(sum, &v)| *sum += v as f64);
    }
    sums
}

/// Rounds of all runs in which each expert was available, and in which it was right.
struct Experts {
    available: Vec<f64>,
    right: Vec<f64>,
}

impl Experts {
    fn of(case: &Case<'_>) -> Option<Experts> {
        (!case.traces.is_empty()).then(|| Experts {
            available: totals(case.traces.iter().map(|t| &t.available), case.experts()),
            right: totals(case.traces.iter().map(|t| &t.expert_right), case.experts()),
        })
    }

    fn accuracy(&self, j: usize) -> f64 {
        self.right[j] / self.available[j]
    }

    /// Mean accuracy of experts, each as often as `weights` says.
    fn mean_accuracy(&self, weights: &[f64]) -> f64 {
        let used = (0..weights.len()).filter(|&j| weights[j] > 0.0);
        let (mut sum, mut weight) = (0.0, 0.0);
        for j in used {
            sum += weights[j] * self.accuracy(j);
            weight += weights[j];
        }
        sum / weight
    }
}

fn asked(runs: &[&Series], experts: usize) -> (Vec<f64>, Vec<f64>) {
    let all = totals(runs.iter().map(|s| &s.asked), experts);
    (all, totals(runs.iter().map(|s| &s.asked_right), experts))
}

/// Every expert: there how often, how good, asked how often and how good then, by the first policy
/// and by the one that the report is about.
pub(super) fn experts(case: &Case<'_>) -> Option<Table> {
    let about = Experts::of(case)?;
    let subject = case.spec.report.subject.as_deref();
    let is_subject = |i: usize| Some(case.policy(i).name.as_str()) == subject;
    let mut shown: Vec<&(usize, Vec<&Series>)> = case.policies.first().into_iter().collect();
    shown.extend(case.policies.iter().skip(1).filter(|(i, _)| is_subject(*i)));
    let runs = &shown.first()?.1;
    let in_all = runs.iter().filter_map(|s| s.t.last()).sum::<u64>() as f64;
    let mut order: Vec<usize> = (0..case.experts()).collect();
    order.sort_by(|&a, &b| about.available[b].total_cmp(&about.available[a]).then(a.cmp(&b)));
    let share = |above: f64, below: f64| match below > 0.0 {
        true => Cell::number(100.0 * above / below, 1),
        false => Cell::Missing,
    };
    let mut columns = vec!["expert".to_string(), "available (%)".into(), "accuracy (%)".into()];
    let mut rows: Vec<Vec<Cell>> = order
        .iter()
        .map(|&j| {
            vec![
                Cell::text(name(case, j)),
                share(about.available[j], in_all),
                share(about.right[j], about.available[j]),
            ]
        })
        .collect();
    for (i, runs) in &shown {
        let who = case.policy(*i).label();
        columns.extend([format!("asked by {who} (%)"), "right then (%)".into()]);
        let (asked, asked_right) = asked(runs, case.experts());
        for (row, &j) in rows.iter_mut().zip(&order) {
            row.push(share(asked[j], about.available[j]));
            row.push(share(asked_right[j], asked[j]));
        }
    }
    let caption = format!(
        "{}: every expert, over {} runs together, the most available first. Accuracy: of the answers it gave. Asked: share of the rounds in which it was available; right then: of those.",
        case.label(),
        runs.len()
    );
    Some(Table { id: format!("experts{}", case.suffix), caption, columns, rows })
}

/// Every policy: how often it asks anybody, whom, and what comes of it.
pub(super) fn choices(case: &Case<'_>) -> Option<Table> {
    let about = Experts::of(case)?;
    let row = |(i, runs): &(usize, Vec<&Series>)| {
        let over = |f: &dyn Fn(&Series) -> f64| -> Cell {
            Cell::spread(&runs.iter().map(|s| 100.0 * f(s)).collect::<Vec<_>>(), 1)
        };
        let sum = |rows: &[Vec<u64>]| rows.last().map_or(0, |row| row.iter().sum::<u64>()) as f64;
        let end = |s: &Series| s.t.last().copied().unwrap_or(0) as f64;
        let right = |s: &Series| s.right.last().copied().unwrap_or(0) as f64;
        vec![
            Cell::text(case.policy(*i).label()),
            over(&|s| sum(&s.asked) / end(s)),
            over(&|s| sum(&s.asked_right) / sum(&s.asked)),
            over(&|s| about.mean_accuracy(&totals(std::iter::once(&s.asked), case.experts()))),
            over(&|s| (right(s) - sum(&s.asked_right)) / (end(s) - sum(&s.asked))),
        ]
    };
    Some(Table {
        id: format!("choices{}", case.suffix),
        caption: format!(
            "{}: whom each policy asks. Accuracy of those asked: that of the experts over all their answers, each counted as often as it was asked; all answers together are right in {:.1} %. Mean ± standard deviation over runs.",
            case.label(),
            100.0 * about.mean_accuracy(&about.available)
        ),
        columns: [
            "policy",
            "asks anybody (% of rounds)",
            "right when asked (%)",
            "accuracy of those asked (%)",
            "right when it answers itself (%)",
        ]
        .map(String::from)
        .into(),
        rows: case.policies.iter().map(row).collect(),
    })
}

/// Whether learners pick the better experts.
pub(super) fn observations(case: &Case<'_>) -> Vec<Observation> {
    let Some(about) = Experts::of(case) else { return Vec::new() };
    let all = about.mean_accuracy(&about.available);
    let learns = |i: &usize| {
        let p = case.policy(*i);
        !matches!(p.kind, PolicyKind::Uniform(_) | PolicyKind::ClassifierOnly(_))
    };
    let one = |(i, runs): &(usize, Vec<&Series>)| {
        let (asked, asked_right) = asked(runs, case.experts());
        let chosen = about.mean_accuracy(&asked);
        let right = asked_right.iter().sum::<f64>() / asked.iter().sum::<f64>();
        let numbers = [
            ("all answers", all),
            ("of those asked, over all their answers", chosen),
            ("right when asked", right),
        ];
        Observation {
            id: format!("asks-better-experts{}/{}", case.suffix, case.policy(*i).name),
            statement: "the experts it asks are right more often, over all their answers, than the answers of everybody together".into(),
            holds: chosen > all,
            numbers: numbers
                .into_iter()
                .filter(|(_, v)| v.is_finite())
                .map(|(k, v)| (k.to_string(), v))
                .collect::<BTreeMap<_, _>>(),
        }
    };
    case.policies.iter().filter(|(i, _)| learns(i)).map(one).collect()
}

/// How often anybody is asked and is right, a line per policy: for more experts than lines can
/// tell apart.
pub(super) fn figures(case: &Case<'_>) -> Vec<Figure> {
    let Some((_, first)) = case.policies.first() else { return Vec::new() };
    let t = &first[0].t;
    let sums = |rows: &[Vec<u64>]| -> Vec<f64> {
        rows.iter().map(|row| row.iter().sum::<u64>() as f64).collect()
    };
    let lines = |f: &dyn Fn(&Series) -> Vec<f64>| -> Vec<Line> {
        let one = |(style, (i, runs)): (usize, &(usize, Vec<&Series>))| {
            let curves: Vec<Vec<f64>> = runs.iter().map(|s| f(s)).collect();
            Line { band: None, ..line(case.policy(*i).label(), Style::Data(style), t, &curves) }
        };
        case.policies.iter().enumerate().map(one).filter(|line| !line.x.is_empty()).collect()
    };
    let window = format!(
        "each point is the mean over the {} rounds before it and over {} runs",
        t[0],
        first.len()
    );
    let figure = |id: &str, title: &str, y_label: &str, caption: String, lines| Figure {
        id: format!("{id}{}", case.suffix),
        title: format!("{title} ({})", case.label()),
        caption,
        x_label: "round t".into(),
        y_label: y_label.into(),
        log: false,
        y_range: Some((0.0, 1.05)),
        lines,
    };
    vec![
        figure(
            "deferral",
            "Deferral ratio",
            "share of rounds",
            format!("Share of rounds in which any expert was asked: {window}."),
            lines(&|s| windows(&sums(&s.asked), &rounds(&s.t))),
        ),
        figure(
            "queried-accuracy",
            "Accuracy of the experts when asked",
            "share of right answers",
            format!(
                "Share of right answers among the rounds in which any expert was asked: {window}. Windows in which nobody was asked are left out."
            ),
            lines(&|s| windows(&sums(&s.asked_right), &sums(&s.asked))),
        ),
    ]
}

//! Experts whose answers were recorded: who is asked, and how good they are where they are there.
//!
//! An expert who did not answer was not available, so accuracies are shares of the rounds in which
//! it was.

use super::case::{Case, line, over};
use super::figures::SHARES;
use super::schema::Style;
use super::{Cell, Figure, Line, Observation, ReportTable};
use crate::totals::{Total, Totals};
use lab::experiment::{PolicyKind, Series, StreamKind, Trace};

/// From so many experts on, columns and lines of their own for each would hide more than they show.
pub(crate) const MANY: usize = 9;

/// Whether experts answered, or did not, in a file.
pub(crate) fn is_recorded(case: &Case<'_>) -> bool {
    let judged = || case.traces.iter().all(|trace| !trace.total(Total::Knew(0)).is_nan());
    match case.stream().kind() {
        StreamKind::LabelMe | StreamKind::Table => true,
        StreamKind::Recorded => !case.traces.is_empty() && case.experts() > 0 && judged(),
        _ => false,
    }
}

/// Rounds of all runs in which each expert was available, and in which it was right.
struct Experts {
    available: Vec<f64>,
    right: Vec<f64>,
}

impl Experts {
    fn of(case: &Case<'_>) -> Option<Experts> {
        let experts = || 0..case.experts();
        let sum = |one: &dyn Fn(&Trace) -> f64| over(&case.traces, one).iter().sum::<f64>();
        (!case.traces.is_empty()).then(|| Experts {
            available: experts().map(|j| sum(&|t| t.total(Total::Available(j)))).collect(),
            right: experts().map(|j| sum(&|t| t.total(Total::Knew(j)))).collect(),
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

/// How often each expert was asked and was right then, in all runs.
fn asked(runs: &[&Series], experts: usize) -> (Vec<f64>, Vec<f64>) {
    let sum = |what: Total| over(runs, |s| s.total(what)).iter().sum::<f64>();
    let each = |what: fn(usize) -> Total| (0..experts).map(|j| sum(what(j))).collect();
    (each(Total::Asked), each(Total::AskedRight))
}

/// Every expert: there how often, how good, asked how often and how good then, by the first policy
/// and by the one that the report is about.
pub(crate) fn experts(case: &Case<'_>) -> Option<ReportTable> {
    let about = Experts::of(case)?;
    let subject = case.spec.report.subject.as_deref();
    let is_subject = |i: usize| Some(case.policy(i).name.as_str()) == subject;
    let mut shown: Vec<&(usize, Vec<&Series>)> = case.policies.first().into_iter().collect();
    shown.extend(case.policies.iter().skip(1).filter(|(i, _)| is_subject(*i)));
    let runs = &shown.first()?.1;
    let in_all = over(runs, |s| s.total(Total::Rounds)).iter().sum::<f64>();
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
                Cell::text(case.expert_name(j)),
                share(about.available[j], in_all),
                share(about.right[j], about.available[j]),
            ]
        })
        .collect();
    for (i, runs) in &shown {
        let who = &case.policy(*i).label;
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
    Some(ReportTable { id: format!("experts{}", case.suffix), caption, columns, rows })
}

/// Every policy: how often it asks anybody, whom, and what comes of it.
pub(crate) fn choices(case: &Case<'_>) -> Option<ReportTable> {
    let about = Experts::of(case)?;
    let row = |(i, runs): &(usize, Vec<&Series>)| {
        let percent = |quantity: &dyn Fn(&Series) -> f64| {
            Cell::spread(&over(runs, |s| 100.0 * quantity(s)), 1)
        };
        vec![
            Cell::text(&case.policy(*i).label),
            percent(&|s| s.mean(Total::AnyAsked)),
            percent(&|s| s.share(Total::AnyAskedRight, Total::AnyAsked)),
            percent(&|s| about.mean_accuracy(&asked(&[s], case.experts()).0)),
            percent(&|s| s.share(Total::OwnRight, Total::Own)),
        ]
    };
    Some(ReportTable {
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

/// Whether learners that ask pick the better experts; one expert alone is no choice.
pub(crate) fn observations(case: &Case<'_>) -> Vec<Observation> {
    let Some(about) = Experts::of(case).filter(|_| case.experts() > 1) else { return Vec::new() };
    let all = about.mean_accuracy(&about.available);
    let learns = |i: &usize| {
        let p = case.policy(*i);
        !matches!(p.kind(), PolicyKind::Uniform | PolicyKind::ClassifierOnly)
    };
    let one = |(i, runs): &(usize, Vec<&Series>)| {
        let (asked, asked_right) = asked(runs, case.experts());
        let questions = asked.iter().sum::<f64>();
        let chosen = about.mean_accuracy(&asked);
        let right = asked_right.iter().sum::<f64>() / questions;
        let id = format!("asks-better-experts{}/{}", case.suffix, case.policy(*i).name);
        let rule = "the experts it asks are right more often, over all their answers, than the answers of everybody together";
        let numbers = [
            ("all answers", all),
            ("of those asked, over all their answers", chosen),
            ("right when asked", right),
        ];
        (questions > 0.0).then(|| Observation::new(id, rule, chosen > all, numbers))
    };
    case.policies.iter().filter(|(i, _)| learns(i)).filter_map(one).collect()
}

/// How often anybody is asked and is right, a line per policy: for more experts than lines can
/// tell apart.
pub(crate) fn figures(case: &Case<'_>) -> Vec<Figure> {
    let Some((_, first)) = case.policies.first() else { return Vec::new() };
    let t = &first[0].t;
    let lines = |what: Total, of: Total| -> Vec<Line> {
        let one = |(style, (i, runs)): (usize, &(usize, Vec<&Series>))| {
            let curves: Vec<Vec<f64>> = runs.iter().map(|s| s.windows(what, of)).collect();
            Line { band: None, ..line(&case.policy(*i).label, Style::Data(style), t, &curves) }
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
        y_range: SHARES,
        lines,
    };
    vec![
        figure(
            "deferral",
            "Deferral ratio",
            "share of rounds",
            format!("Share of rounds in which any expert was asked: {window}."),
            lines(Total::AnyAsked, Total::Rounds),
        ),
        figure(
            "queried-accuracy",
            "Accuracy of the experts when asked",
            "share of right answers",
            format!(
                "Share of right answers among the rounds in which any expert was asked: {window}. Windows in which nobody was asked are left out."
            ),
            lines(Total::AnyAskedRight, Total::AnyAsked),
        ),
    ]
}

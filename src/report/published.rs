//! The result table of App. G.4, row by row, beside ours.

use super::curves::Case;
use super::observe::observation;
use super::stats::mean_sd;
use super::{Cell, Observation, Table};
use audit::Cifar10hColumn;
use lab::experiment::metrics::Series;
use lab::experiment::spec::StreamKind;

/// What one run of a policy says about a row of the table.
type Quantity<'a> = &'a dyn Fn(&Series) -> f64;

fn rounds(s: &Series) -> f64 {
    s.t.last().copied().unwrap_or(0) as f64
}

fn total(totals: &[Vec<u64>], j: usize) -> f64 {
    totals.last().and_then(|row| row.get(j)).map_or(f64::NAN, |&v| v as f64)
}

fn all(totals: &[Vec<u64>]) -> f64 {
    totals.last().map_or(f64::NAN, |row| row.iter().sum::<u64>() as f64)
}

/// Right answers among the rounds that the classifier answered.
fn class_accuracy(s: &Series) -> f64 {
    let right = s.right.last().copied().unwrap_or(0) as f64;
    (right - all(&s.asked_right)) / (rounds(s) - all(&s.asked))
}

/// The same from a published column: `(A - sum_j r_j a_j) / (1 - sum_j r_j)`.
fn published_class_accuracy(c: &Cifar10hColumn) -> f64 {
    let right: f64 = c.ratio.iter().zip(&c.queried).map(|(r, a)| r * a).sum();
    (c.accuracy - right) / (1.0 - c.ratio.iter().sum::<f64>())
}

/// The table of subject and baseline with the published columns between ours.
pub(super) fn table(case: &Case<'_>) -> Option<Table> {
    let report = &case.spec.report;
    let subject = case.runs_of(report.subject.as_deref()?)?;
    let baseline = case.runs_of(report.baseline.as_deref()?)?;
    let (method, theirs) = (Cifar10hColumn::OURS, Cifar10hColumn::BASELINE);
    let row =
        |name: String, published: fn(&Cifar10hColumn, usize) -> f64, j, ours: Quantity<'_>| {
            let cell = |runs: &[&Series]| {
                Cell::spread(&runs.iter().map(|s| ours(s)).collect::<Vec<_>>(), 4)
            };
            vec![
                Cell::text(name),
                Cell::number(published(&method, j), 4),
                cell(subject),
                Cell::number(published(&theirs, j), 4),
                cell(baseline),
            ]
        };
    let last = |v: &[f64]| v.last().copied().unwrap_or(f64::NAN);
    let right = |s: &Series| s.right.last().copied().unwrap_or(0) as f64;
    let mut rows = vec![
        row("mean deferral loss".into(), |c, _| c.loss, 0, &|s| last(&s.loss) / rounds(s)),
        row("mean accuracy".into(), |c, _| c.accuracy, 0, &|s| right(s) / rounds(s)),
    ];
    let experts = || 0..method.ratio.len();
    rows.extend(experts().map(|j| {
        let name = format!("expert g{}, accuracy when asked", j + 1);
        row(name, |c, j| c.queried[j], j, &|s| total(&s.asked_right, j) / total(&s.asked, j))
    }));
    rows.extend(experts().map(|j| {
        let name = format!("expert g{}, deferral ratio", j + 1);
        row(name, |c, j| c.ratio[j], j, &|s| total(&s.asked, j) / rounds(s))
    }));
    rows.push(row(
        "answered by the classifier (follows)".into(),
        |c, _| 1.0 - c.ratio.iter().sum::<f64>(),
        0,
        &|s| 1.0 - all(&s.asked) / rounds(s),
    ));
    let name = "classifier, accuracy when it answers (follows)".into();
    rows.push(row(name, |c, _| published_class_accuracy(c), 0, &class_accuracy));
    let label = |name: &Option<String>| {
        let found = case.spec.policy.iter().find(|p| Some(&p.name) == name.as_ref());
        found.map_or_else(String::new, |p| p.label().to_string())
    };
    Some(Table {
        id: format!("published{}", case.suffix),
        caption: "The published result table row by row, beside ours (mean ± standard deviation \
                  over runs). The last two rows follow from the others."
            .into(),
        columns: vec![
            "metric".into(),
            "published: method".into(),
            format!("ours: {}", label(&report.subject)),
            "published: baseline".into(),
            format!("ours: {}", label(&report.baseline)),
        ],
        rows,
    })
}

/// What App. G.4 says of its table beyond the comparison of losses, and what it does not say.
pub(super) fn observations(case: &Case<'_>) -> Vec<Observation> {
    let report = &case.spec.report;
    let runs = |name: &Option<String>| name.as_deref().and_then(|name| case.runs_of(name));
    let (Some(subject), Some(baseline)) = (runs(&report.subject), runs(&report.baseline)) else {
        return Vec::new();
    };
    let mean = |runs: &[&Series], f: Quantity<'_>| {
        mean_sd(&runs.iter().map(|s| f(s)).collect::<Vec<_>>()).0
    };
    let asked_right =
        |runs: &[&Series], j: usize| mean(runs, &|s| total(&s.asked_right, j) / total(&s.asked, j));
    let experts: Vec<usize> = (0..case.experts()).collect();
    let mut numbers = Vec::new();
    for &j in &experts {
        numbers.push((format!("g{}", j + 1), asked_right(subject, j)));
        numbers.push((format!("g{} of baseline", j + 1), asked_right(baseline, j)));
    }
    let numbers: Vec<(&str, f64)> = numbers.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    let better = experts.iter().all(|&j| asked_right(subject, j) > asked_right(baseline, j));
    let share = |s: &Series| 1.0 - all(&s.asked) / rounds(s);
    let StreamKind::Cifar10h(stream) = &case.spec.stream[case.stream].kind else {
        return Vec::new();
    };
    let (method, guess) = (Cifar10hColumn::OURS, 1.0 / stream.classes as f64);
    let published = published_class_accuracy(&method);
    let ours = mean(subject, &class_accuracy);
    vec![
        observation(
            format!("experts-better-when-asked{}", case.suffix),
            "every expert is right more often when the method asks it than when the baseline does"
                .into(),
            better,
            &numbers,
        ),
        observation(
            format!("classifier-like-the-published{}", case.suffix),
            "the method's classifier, where it answers, is at most twice as good as a guess, as \
             the published table implies of its own"
                .into(),
            ours <= 2.0 * guess,
            &[
                ("accuracy where it answers", ours),
                ("published accuracy where it answers", published),
                ("share answered", mean(subject, &share)),
                ("published share answered", 1.0 - method.ratio.iter().sum::<f64>()),
                ("guess", guess),
            ],
        ),
    ]
}

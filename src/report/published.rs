//! The result table of App. G.4, row by row, beside ours.

use super::case::{Case, expert, mean_over, over};
use super::{Cell, Observation, ReportTable};
use crate::totals::{Total, Totals};
use audit::{CIFAR10H_RESULTS, Cifar10hColumn};
use lab::experiment::Series;

/// What one run of a policy says about a row of the table.
type Quantity<'a> = &'a dyn Fn(&Series) -> f64;

/// Share of rounds answered with a class.
fn answered(s: &Series) -> f64 {
    1.0 - s.mean(Total::AnyAsked)
}

/// The same from a published column: `(A - sum_j r_j a_j) / (1 - sum_j r_j)`.
fn published_class_accuracy(c: &Cifar10hColumn) -> f64 {
    let right: f64 = c.ratio.iter().zip(&c.queried).map(|(r, a)| r * a).sum();
    (c.accuracy - right) / (1.0 - c.ratio.iter().sum::<f64>())
}

/// The table of subject and baseline with the published columns between ours.
pub(crate) fn table(case: &Case<'_>) -> Option<ReportTable> {
    let report = &case.spec.report;
    let (subject, baseline) = (case.subject()?, case.baseline()?);
    let [method, theirs] = CIFAR10H_RESULTS;
    let row =
        |name: String, published: fn(&Cifar10hColumn, usize) -> f64, j, ours: Quantity<'_>| {
            let cell = |runs: &[&Series]| Cell::spread(&over(runs, ours), 4);
            vec![
                Cell::text(name),
                Cell::number(published(&method, j), 4),
                cell(subject),
                Cell::number(published(&theirs, j), 4),
                cell(baseline),
            ]
        };
    let mut rows = vec![
        row("mean deferral loss".into(), |c, _| c.loss, 0, &|s: &Series| s.mean(Total::Loss)),
        row("mean accuracy".into(), |c, _| c.accuracy, 0, &|s: &Series| s.mean(Total::Right)),
    ];
    let experts = || 0..method.ratio.len();
    rows.extend(experts().map(|j| {
        let name = format!("expert {}, accuracy when asked", expert(j));
        row(name, |c, j| c.queried[j], j, &|s| s.share(Total::AskedRight(j), Total::Asked(j)))
    }));
    rows.extend(experts().map(|j| {
        let name = format!("expert {}, deferral ratio", expert(j));
        row(name, |c, j| c.ratio[j], j, &|s| s.mean(Total::Asked(j)))
    }));
    rows.push(row(
        "answered by the classifier (follows)".into(),
        |c, _| 1.0 - c.ratio.iter().sum::<f64>(),
        0,
        &answered,
    ));
    let name = "classifier, accuracy when it answers (follows)".into();
    rows.push(row(name, |c, _| published_class_accuracy(c), 0, &|s| {
        s.share(Total::OwnRight, Total::Own)
    }));
    let label = |name: &Option<String>| {
        let found = case.spec.policy.iter().find(|p| Some(&p.name) == name.as_ref());
        found.map_or_else(String::new, |p| p.label.clone())
    };
    Some(ReportTable {
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
pub(crate) fn observations(case: &Case<'_>) -> Vec<Observation> {
    let (Some(subject), Some(baseline)) = (case.subject(), case.baseline()) else {
        return Vec::new();
    };
    let Some(classes) = case.stream().facts().image_classes else {
        return Vec::new();
    };
    let asked_right = |runs: &[&Series], j: usize| {
        mean_over(runs, |s| s.share(Total::AskedRight(j), Total::Asked(j)))
    };
    let experts: Vec<usize> = (0..case.experts()).collect();
    let numbers = experts.iter().flat_map(|&j| {
        let name = expert(j);
        [
            (name.clone(), asked_right(subject, j)),
            (format!("{name} of baseline"), asked_right(baseline, j)),
        ]
    });
    let better = experts.iter().all(|&j| asked_right(subject, j) > asked_right(baseline, j));
    let ([method, _], guess) = (CIFAR10H_RESULTS, 1.0 / classes as f64);
    let ours = mean_over(subject, |s| s.share(Total::OwnRight, Total::Own));
    vec![
        Observation::new(
            format!("experts-better-when-asked{}", case.suffix),
            "every expert is right more often when the method asks it than when the baseline does",
            better,
            numbers,
        ),
        Observation::new(
            format!("classifier-like-the-published{}", case.suffix),
            "the method's classifier, where it answers, is at most twice as good as a guess, as \
             the published table implies of its own",
            ours <= 2.0 * guess,
            [
                ("accuracy where it answers", ours),
                ("published accuracy where it answers", published_class_accuracy(&method)),
                ("share answered", mean_over(subject, answered)),
                ("published share answered", 1.0 - method.ratio.iter().sum::<f64>()),
                ("guess", guess),
            ],
        ),
    ]
}

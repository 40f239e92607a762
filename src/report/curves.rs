//! Learning curves of App. G: loss, accuracy, who is asked and how well, who is there.

use super::case::{Case, cases, expert, over};
use super::{Cell, Report, ReportError, ReportTable, crowd, earnings, figures, observe, published};
use crate::totals::{Total, Totals};
use lab::experiment::{Key, Plan, PolicySpec, PublishedResults, Record, Series, Trace};
use problem::FeedbackKind;
use std::collections::BTreeMap;

/// Fills in a report of learning curves.
pub(crate) fn fill(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    report: &mut Report,
) -> Result<(), ReportError> {
    let cases = cases(plan, records)?;
    report.tables.push(summary(&cases));
    for case in &cases {
        if crowd::is_recorded(case) {
            report
                .tables
                .extend([crowd::choices(case), crowd::experts(case)].into_iter().flatten());
        } else {
            report.tables.extend(experts(case));
        }
    }
    for case in &cases {
        if case.spec.report.published_results == Some(PublishedResults::Cifar10h) {
            report.tables.extend(published::table(case));
            report.observations.extend(published::observations(case));
        }
        report.observations.extend(observe::curves(case));
        if crowd::is_recorded(case) {
            report.observations.extend(crowd::observations(case));
        }
        if case.spec.report.figures {
            report.figures.extend(figures::of(case));
        }
    }
    report.tables.extend(earnings::tables(&cases));
    report.observations.extend(earnings::observations(&cases));
    if cases.iter().any(|case| case.spec.report.figures) {
        report.figures.extend(earnings::figures(&cases));
    }
    report.observations.extend(observe::against_first(&cases));
    let own = cases.iter().all(|case| case.is_own());
    if own {
        report.tables.iter_mut().for_each(ReportTable::drop_empty_columns);
    }
    let policies = &plan.spec.policy;
    if own || policies.iter().any(|p| p.facts().feedback != FeedbackKind::Bandit) {
        report.notes.push(feedback(policies));
    }
    Ok(())
}

/// What the policies were told.
fn feedback(policies: &[PolicySpec]) -> String {
    let kinds =
        [FeedbackKind::Bandit, FeedbackKind::Answer, FeedbackKind::Reward, FeedbackKind::Full];
    let of = |kind: FeedbackKind| {
        let told = policies.iter().filter(|p| p.facts().feedback == kind);
        let told: Vec<&str> = told.map(|p| p.label.as_str()).collect();
        let what = match kind {
            FeedbackKind::Bandit => {
                "the paper's feedback, whether the chosen action was right and, for an expert, its cost"
            }
            FeedbackKind::Answer => "the same, and what the asked expert answered",
            FeedbackKind::Reward => "what the chosen action earned",
            FeedbackKind::Full => "the label and the cost of every expert",
        };
        (!told.is_empty()).then(|| format!("{} ({}): {what}", kind, told.join(", ")))
    };
    let told: Vec<String> = kinds.into_iter().filter_map(of).collect();
    format!("Feedback after each round. {}.", told.join("; "))
}

/// Means over all rounds, one row per policy.
fn summary(cases: &[Case<'_>]) -> ReportTable {
    let experts =
        cases.iter().map(Case::experts).max().filter(|&many| many < crowd::MANY).unwrap_or(0);
    let mut columns: Vec<String> =
        ["stream and policy", "loss", "exact risk", "excess risk", "accuracy"]
            .map(String::from)
            .into();
    // Names where all streams have the same.
    let name = |j: usize| {
        let first = cases.first().map_or_else(|| expert(j), |case| case.expert_name(j));
        if cases.iter().all(|case| case.expert_name(j) == first) { first } else { expert(j) }
    };
    columns.extend((0..experts).map(|j| format!("asks {}", name(j))));
    columns.extend((0..experts).map(|j| format!("{} right when asked", name(j))));
    let row = |case: &Case<'_>, i: usize, runs: &[&Series]| {
        let cell = |quantity: &dyn Fn(&Series) -> f64| Cell::spread(&over(runs, quantity), 4);
        let mut row = vec![
            Cell::text(format!("{}: {}", case.label(), case.policy(i).label)),
            cell(&|s: &Series| s.mean(Total::Loss)),
            cell(&|s| s.mean(Total::Risk)),
            cell(&|s| s.mean(Total::Excess)),
            cell(&|s: &Series| s.mean(Total::Right)),
        ];
        // Streams may have different numbers of experts.
        row.extend((0..experts).map(|j| cell(&|s| s.mean(Total::Asked(j)))));
        row.extend((0..experts).map(|j| cell(&|s| s.share(Total::AskedRight(j), Total::Asked(j)))));
        row
    };
    let rows = cases
        .iter()
        .flat_map(|case| case.policies.iter().map(move |(i, runs)| row(case, *i, runs)))
        .collect();
    let caption = "Means over all rounds; mean ± standard deviation over runs. Loss: normalized cost of the sampled action. Exact risk: its conditional expectation. Excess risk: exact risk minus that of the best action of each round.";
    ReportTable { id: "summary".into(), caption: caption.into(), columns, rows }
}

/// Accuracy of the experts over all rounds, asked or not, beside what was published.
fn experts(case: &Case<'_>) -> Option<ReportTable> {
    let experts = case.experts();
    if case.traces.is_empty() || experts == 0 {
        return None;
    }
    let percent = |quantity: &dyn Fn(&Trace) -> f64| {
        Cell::spread(
            &over(&case.traces, |trace| 100.0 * quantity(trace) / trace.total(Total::Rounds)),
            2,
        )
    };
    let published = &case.spec.report.published_expert_accuracy;
    let published: &[f64] = if published.len() == experts { published } else { &[] };
    let mut columns = vec!["expert".to_string(), "accuracy (%)".into()];
    columns.extend((!published.is_empty()).then(|| "published (%)".into()));
    columns.push("available (%)".into());
    let rows = (0..experts).map(|j| {
        let mut row = vec![Cell::text(case.expert_name(j)), percent(&|t| t.total(Total::Knew(j)))];
        if !published.is_empty() {
            row.push(Cell::maybe(published.get(j).copied(), 2));
        }
        row.push(percent(&|t| t.total(Total::Available(j))));
        row
    });
    let caption = format!(
        "{}: accuracy of each expert over all rounds, asked or not; mean ± standard deviation over runs.",
        case.label()
    );
    let id = format!("experts{}", case.suffix);
    Some(ReportTable { id, caption, columns, rows: rows.collect() })
}

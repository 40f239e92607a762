//! Stored runs, put together by stream: what all reports start from.

use super::schema::Style;
use super::{Line, ReportError};
use crate::totals::{Total, Totals};
use lab::experiment::{
    ExperimentSpec, Key, Plan, PolicySpec, Record, RunOutcome, Series, StreamKind, StreamSpec,
    Trace,
};
use stats::mean_sd;
use std::collections::BTreeMap;

/// Everything measured on one stream at one sweep point.
pub(crate) struct Case<'a> {
    pub(crate) spec: &'a ExperimentSpec,
    /// Swept settings in words, empty without a sweep.
    pub(crate) settings: String,
    /// Appended to names where there is more than one case.
    pub(crate) suffix: String,
    /// The sweep point and the stream.
    pub(crate) point: usize,
    pub(crate) stream: usize,
    /// `(position, runs)` of every policy.
    pub(crate) policies: Vec<(usize, Vec<&'a Series>)>,
    /// The stream itself, run by run; empty without traces.
    pub(crate) traces: Vec<&'a Trace>,
}

impl Case<'_> {
    /// What to call it in a table.
    pub(crate) fn label(&self) -> String {
        let stream = &self.stream().label;
        if self.settings.is_empty() {
            stream.into()
        } else {
            format!("{stream}, {}", self.settings)
        }
    }

    pub(crate) fn stream(&self) -> &StreamSpec {
        &self.spec.stream[self.stream]
    }

    pub(crate) fn policy(&self, index: usize) -> &PolicySpec {
        &self.spec.policy[index]
    }

    /// The runs of the policy of that name, if it was run on this stream.
    pub(crate) fn runs_of(&self, name: &str) -> Option<&[&Series]> {
        let found = self.policies.iter().find(|(i, _)| self.policy(*i).name == name);
        found.map(|(_, runs)| runs.as_slice())
    }

    /// The runs of the policy that the report is about.
    pub(crate) fn subject(&self) -> Option<&[&Series]> {
        self.runs_of(self.spec.report.subject.as_deref()?)
    }

    /// The runs of the policy that it is compared with.
    pub(crate) fn baseline(&self) -> Option<&[&Series]> {
        self.runs_of(self.spec.report.baseline.as_deref()?)
    }

    pub(crate) fn experts(&self) -> usize {
        self.policies.first().map_or(0, |(_, runs)| runs[0].experts())
    }

    /// What expert `j` is called.
    pub(crate) fn expert_name(&self, j: usize) -> String {
        let names = self.stream().facts().experts;
        names.and_then(|names| names.get(j).cloned()).unwrap_or_else(|| expert(j))
    }

    /// Whether the rounds come from a file that somebody brought.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.stream().kind(), StreamKind::Table | StreamKind::Recorded)
    }

    /// Accuracy of each expert over all rounds, mean over runs; none without traces.
    pub(crate) fn expert_accuracies(&self) -> Option<Vec<f64>> {
        let share = |j: usize| {
            over(&self.traces, |trace| trace.total(Total::Knew(j)) / trace.total(Total::Rounds))
        };
        let experts = 0..self.experts();
        (!self.traces.is_empty()).then(|| experts.map(|j| stats::mean(&share(j))).collect())
    }
}

/// A quantity of every run.
pub(crate) fn over<T>(runs: &[&T], quantity: impl Fn(&T) -> f64) -> Vec<f64> {
    runs.iter().map(|run| quantity(run)).collect()
}

/// Its mean over runs.
pub(crate) fn mean_over(runs: &[&Series], quantity: impl Fn(&Series) -> f64) -> f64 {
    stats::mean(&over(runs, quantity))
}

/// What expert `j` is called where it has no name.
pub(crate) fn expert(j: usize) -> String {
    format!("g{}", j + 1)
}

/// The cases of a plan.
pub(crate) fn cases<'a>(
    plan: &'a Plan,
    records: &'a BTreeMap<Key, Record>,
) -> Result<Vec<Case<'a>>, ReportError> {
    let mut cases = Vec::new();
    let many = plan.points.iter().map(|p| p.spec.stream.len()).sum::<usize>() > 1;
    for (point, p) in plan.points.iter().enumerate() {
        for (stream, s) in p.spec.stream.iter().enumerate() {
            let outcome = |policy, run| {
                let key = Key { point, stream, policy, run };
                records.get(&key).map(|record| &record.outcome).ok_or(ReportError::NoRecord(key))
            };
            let mut case = Case {
                spec: &p.spec,
                settings: p.label.clone(),
                suffix: match (many, plan.points.len() > 1) {
                    (false, _) => String::new(),
                    (true, false) => format!("-{}", s.name),
                    (true, true) => format!("-{}-{}", s.name, point + 1),
                },
                point,
                stream,
                policies: Vec::new(),
                traces: Vec::new(),
            };
            for (i, policy) in p.spec.policy.iter().enumerate().filter(|(_, q)| q.runs_on(&s.name))
            {
                let mut runs = Vec::new();
                for run in 0..p.spec.runs {
                    match outcome(Some(i), run)? {
                        RunOutcome::Series(series) => runs.push(series),
                        RunOutcome::Trace(_) => {
                            return Err(ReportError::NotASeries { policy: policy.name.clone() });
                        }
                    }
                }
                case.policies.push((i, runs));
            }
            for run in 0..if p.spec.trace { p.spec.runs } else { 0 } {
                if let RunOutcome::Trace(trace) = outcome(None, run)? {
                    case.traces.push(trace);
                }
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

/// Mean and standard deviation over runs at each checkpoint; runs without a value there are left
/// out, and so are checkpoints without any.
pub(crate) fn line(label: &str, style: Style, t: &[u64], runs: &[Vec<f64>]) -> Line {
    let mut line = Line { label: label.into(), style, x: vec![], y: vec![], band: Some(vec![]) };
    for (i, &t) in t.iter().enumerate() {
        let values: Vec<f64> = runs.iter().map(|r| r[i]).filter(|v| v.is_finite()).collect();
        if values.is_empty() {
            continue;
        }
        let (mean, sd) = mean_sd(&values);
        let sd = sd.unwrap_or(0.0);
        line.x.push(t as f64);
        line.y.push(mean);
        line.band.get_or_insert_default().push((mean - sd, mean + sd));
    }
    line
}

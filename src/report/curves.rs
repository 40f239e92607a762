//! Learning curves of App. G: loss, accuracy, who is asked and how well, who is there.

use super::stats::mean_sd;
use super::{Cell, Figure, Line, Report, Style, Table, crowd, observe, published};
use lab::experiment::metrics::{Series, Trace};
use lab::experiment::network_spec::Trained;
use lab::experiment::record::RunOutcome;
use lab::experiment::spec::{
    ExperimentSpec, LearnerSpec, PolicyKind, PolicySpec, PublishedResults, Radius,
};
use lab::experiment::{Key, Plan, Record};
use learner::{Optimizer, Schedule};
use std::collections::BTreeMap;

/// Everything measured on one stream at one sweep point.
pub(super) struct Case<'a> {
    pub spec: &'a ExperimentSpec,
    /// Swept settings in words, empty without a sweep.
    pub settings: String,
    /// Appended to names where there is more than one case.
    pub suffix: String,
    /// The stream.
    pub stream: usize,
    /// `(position, runs)` of every policy.
    pub policies: Vec<(usize, Vec<&'a Series>)>,
    /// The stream itself, run by run; empty without traces.
    pub traces: Vec<&'a Trace>,
}

impl Case<'_> {
    /// What to call it in a table.
    pub fn label(&self) -> String {
        let stream = self.spec.stream[self.stream].label();
        if self.settings.is_empty() {
            stream.into()
        } else {
            format!("{stream}, {}", self.settings)
        }
    }

    pub fn policy(&self, index: usize) -> &PolicySpec {
        &self.spec.policy[index]
    }

    /// The runs of the policy of that name, if it was run on this stream.
    pub fn runs_of(&self, name: &str) -> Option<&[&Series]> {
        let found = self.policies.iter().find(|(i, _)| self.policy(*i).name == name);
        found.map(|(_, runs)| runs.as_slice())
    }

    pub fn experts(&self) -> usize {
        self.policies.first().map_or(0, |(_, runs)| runs[0].asked.first().map_or(0, Vec::len))
    }
}

/// The cases of a plan.
pub(super) fn cases<'a>(
    plan: &'a Plan,
    records: &'a BTreeMap<Key, Record>,
) -> Result<Vec<Case<'a>>, String> {
    let mut cases = Vec::new();
    let many = plan.points.iter().map(|p| p.spec.stream.len()).sum::<usize>() > 1;
    for (point, p) in plan.points.iter().enumerate() {
        for (stream, s) in p.spec.stream.iter().enumerate() {
            let outcome = |policy, run| {
                let key = Key { point, stream, policy, run };
                let record = records.get(&key).ok_or_else(|| format!("no record for {key:?}"))?;
                Ok::<_, String>(&record.outcome)
            };
            let mut case = Case {
                spec: &p.spec,
                settings: p.label(),
                suffix: match (many, plan.points.len() > 1) {
                    (false, _) => String::new(),
                    (true, false) => format!("-{}", s.name),
                    (true, true) => format!("-{}-{}", s.name, point + 1),
                },
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
                            return Err(format!("`{}` has a trace for a series", policy.name));
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

/// Fills in a report of learning curves.
pub(super) fn fill(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    report: &mut Report,
) -> Result<(), String> {
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
            report.figures.extend(figures(case));
        }
    }
    report.observations.extend(observe::against_first(&cases));
    Ok(())
}

fn last<T: Copy>(values: &[T]) -> Option<T> {
    values.last().copied()
}

/// Means over all rounds, one row per policy.
fn summary(cases: &[Case<'_>]) -> Table {
    let experts =
        cases.iter().map(Case::experts).max().filter(|&many| many < crowd::MANY).unwrap_or(0);
    let mut columns: Vec<String> =
        ["stream and policy", "loss", "exact risk", "excess risk", "accuracy"]
            .map(String::from)
            .into();
    columns.extend((0..experts).map(|j| format!("asks g{}", j + 1)));
    columns.extend((0..experts).map(|j| format!("g{} right when asked", j + 1)));
    let mut rows = Vec::new();
    for case in cases {
        for (i, runs) in &case.policies {
            let rounds = last(&runs[0].t).unwrap_or(1) as f64;
            let over =
                |f: &dyn Fn(&Series) -> f64| -> Vec<f64> { runs.iter().map(|s| f(s)).collect() };
            let exact = |f: &dyn Fn(&lab::experiment::metrics::Exact) -> Option<f64>| {
                let values: Option<Vec<f64>> =
                    runs.iter().map(|s| s.exact.as_ref().and_then(f).map(|v| v / rounds)).collect();
                values.map_or(Cell::Missing, |values| Cell::spread(&values, 4))
            };
            // Streams may have different numbers of experts.
            let of = |totals: &[Vec<u64>], j: usize| -> f64 {
                totals.last().and_then(|row| row.get(j)).map_or(f64::NAN, |&v| v as f64)
            };
            let asked = |s: &Series, j: usize| of(&s.asked, j);
            let right = |s: &Series, j: usize| of(&s.asked_right, j);
            let mut row = vec![
                Cell::text(format!("{}: {}", case.label(), case.policy(*i).label())),
                Cell::spread(&over(&|s| last(&s.loss).unwrap_or(f64::NAN) / rounds), 4),
                exact(&|e| last(&e.risk)),
                exact(&|e| last(&e.excess)),
                Cell::spread(&over(&|s| last(&s.right).unwrap_or(0) as f64 / rounds), 4),
            ];
            row.extend((0..experts).map(|j| Cell::spread(&over(&|s| asked(s, j) / rounds), 4)));
            row.extend(
                (0..experts).map(|j| Cell::spread(&over(&|s| right(s, j) / asked(s, j)), 4)),
            );
            rows.push(row);
        }
    }
    let caption = "Means over all rounds; mean ± standard deviation over runs. Loss: normalized cost of the sampled action. Exact risk: its conditional expectation. Excess risk: exact risk minus that of the best action of each round.";
    Table { id: "summary".into(), caption: caption.into(), columns, rows }
}

/// Accuracy of the experts over all rounds, asked or not, beside what was published.
fn experts(case: &Case<'_>) -> Option<Table> {
    let experts = case.experts();
    if case.traces.is_empty() || experts == 0 {
        return None;
    }
    let share = |f: &dyn Fn(&Trace) -> &Vec<Vec<u64>>, j: usize| -> Vec<f64> {
        let one = |trace: &&Trace| {
            let rounds = last(&trace.t).unwrap_or(1) as f64;
            100.0 * f(trace).last().map_or(0, |row| row[j]) as f64 / rounds
        };
        case.traces.iter().map(one).collect()
    };
    let published = &case.spec.report.published_expert_accuracy;
    let published: &[f64] = if published.len() == experts { published } else { &[] };
    let mut columns = vec!["expert".to_string(), "accuracy (%)".into()];
    columns.extend((!published.is_empty()).then(|| "published (%)".into()));
    columns.push("available (%)".into());
    let rows = (0..experts).map(|j| {
        let mut row = vec![
            Cell::text(format!("g{}", j + 1)),
            Cell::spread(&share(&|t| &t.expert_right, j), 2),
        ];
        if !published.is_empty() {
            row.push(published.get(j).map_or(Cell::Missing, |&v| Cell::number(v, 2)));
        }
        row.push(Cell::spread(&share(&|t| &t.available, j), 2));
        row
    });
    let caption = format!(
        "{}: accuracy of each expert over all rounds, asked or not; mean ± standard deviation over runs.",
        case.label()
    );
    Some(Table { id: format!("experts{}", case.suffix), caption, columns, rows: rows.collect() })
}

/// Mean and standard deviation over runs at each checkpoint; runs without a value there are left
/// out, and so are checkpoints without any.
pub(super) fn line(label: &str, style: Style, t: &[u64], runs: &[Vec<f64>]) -> Line {
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

fn averages(totals: impl Iterator<Item = f64>, t: &[u64]) -> Vec<f64> {
    totals.zip(t).map(|(total, &t)| total / t as f64).collect()
}

/// Differences of totals divided by differences of other totals.
pub(super) fn windows(above: &[f64], below: &[f64]) -> Vec<f64> {
    let before = |v: &[f64], i: usize| if i == 0 { 0.0 } else { v[i - 1] };
    let one = |i| (above[i] - before(above, i)) / (below[i] - before(below, i));
    (0..above.len()).map(one).collect()
}

pub(super) fn column(totals: &[Vec<u64>], j: usize) -> Vec<f64> {
    totals.iter().map(|row| row[j] as f64).collect()
}

pub(super) fn rounds(t: &[u64]) -> Vec<f64> {
    t.iter().map(|&t| t as f64).collect()
}

/// Bands of more lines than this cannot be told apart.
const BANDS: usize = 6;

fn figures(case: &Case<'_>) -> Vec<Figure> {
    let Some((_, first)) = case.policies.first() else { return Vec::new() };
    let t = first[0].t.clone();
    let n_e = if case.experts() < crowd::MANY { case.experts() } else { 0 };
    let band = format!("Bands: ± one standard deviation over {} runs.", first.len());
    let crowded = case.policies.len() > BANDS;
    let policy_band = match crowded {
        true => {
            format!("Means over {} runs (no bands: they would cover one another).", first.len())
        }
        false => band.clone(),
    };
    let window = format!("each point is the mean over the {} rounds before it", t[0]);
    let figure = |id: &str, title: &str, y_label: &str, caption: String, y_range, lines| Figure {
        id: format!("{id}{}", case.suffix),
        title: format!("{} ({})", title, case.label()),
        caption,
        x_label: "round t".into(),
        y_label: y_label.into(),
        log: false,
        y_range,
        lines,
    };
    let per_policy = |f: &dyn Fn(&Series) -> Vec<f64>| -> Vec<Line> {
        let one = |(style, (i, runs)): (usize, &(usize, Vec<&Series>))| {
            let curves: Vec<Vec<f64>> = runs.iter().map(|s| f(s)).collect();
            let line = line(case.policy(*i).label(), Style::Data(style), &t, &curves);
            if crowded { Line { band: None, ..line } } else { line }
        };
        case.policies.iter().enumerate().map(one).collect()
    };
    let settings: Vec<String> =
        case.policies.iter().filter_map(|(i, _)| hyper_parameters(case.policy(*i))).collect();
    let settings = settings.join("; ");
    let mut out = vec![
        figure(
            "loss",
            "Average true deferral loss",
            "mean loss over rounds 1..t",
            format!(
                "Normalized cost of the sampled action, averaged over rounds 1 to t. {policy_band} {settings}."
            ),
            None,
            per_policy(&|s| averages(s.loss.iter().copied(), &s.t)),
        ),
        figure(
            "accuracy",
            "Average accuracy",
            "mean accuracy over rounds 1..t",
            format!(
                "Share of rounds 1 to t whose final answer (the class, or the answer of the expert that was asked) is right. {policy_band} {settings}."
            ),
            None,
            per_policy(&|s| averages(s.right.iter().map(|&r| r as f64), &s.t)),
        ),
    ];
    if first[0].exact.is_some() {
        out.push(figure(
            "risk",
            "Exact risk by window",
            "conditional risk in the window",
            format!("Conditional expectation of the loss, computed from the law of each round: {window}. {policy_band} {settings}."),
            None,
            per_policy(&|s| s.exact.as_ref().map_or(vec![f64::NAN; s.t.len()], |e| windows(&e.risk, &rounds(&s.t)))),
        ));
    }
    let subject = case
        .spec
        .report
        .subject
        .as_deref()
        .and_then(|name| case.policies.iter().find(|(i, _)| case.policy(*i).name == name));
    let (i, runs) = subject.unwrap_or(&case.policies[0]);
    let who = case.policy(*i).label();
    let per_expert = |f: &dyn Fn(&Series, usize) -> Vec<f64>| -> Vec<Line> {
        let one = |j: usize| {
            let curves: Vec<Vec<f64>> = runs.iter().map(|s| f(s, j)).collect();
            line(&format!("g{}", j + 1), Style::Data(j), &t, &curves)
        };
        (0..n_e).map(one).collect()
    };
    if n_e > 0 {
        let note = format!(
            "{who}: {window}. {band} {}.",
            hyper_parameters(case.policy(*i)).unwrap_or_default()
        );
        out.push(figure(
            "queried-accuracy",
            "Accuracy of the experts when asked",
            "share of right answers",
            format!("Share of right answers among the rounds in which the expert was asked, {note} Windows in which an expert was never asked are left out."),
            Some((0.0, 1.05)),
            per_expert(&|s, j| windows(&column(&s.asked_right, j), &column(&s.asked, j))),
        ));
        out.push(figure(
            "deferral",
            "Deferral ratio",
            "share of rounds",
            format!("Share of rounds in which each expert was asked, {note}"),
            None,
            per_expert(&|s, j| windows(&column(&s.asked, j), &rounds(&s.t))),
        ));
    }
    if !case.traces.is_empty() && n_e > 0 {
        let lines = (0..n_e).map(|j| {
            let one = |trace: &&Trace| windows(&column(&trace.available, j), &rounds(&trace.t));
            let curves: Vec<Vec<f64>> = case.traces.iter().map(one).collect();
            line(&format!("g{}", j + 1), Style::Data(j), &t, &curves)
        });
        out.push(figure(
            "availability",
            "Expert availability",
            "share of rounds",
            format!("Share of rounds in which each expert was available, {window}. {band}"),
            Some((0.0, 1.05)),
            lines.collect(),
        ));
        for j in 0..n_e {
            if let Some(lines) = regional(case, j, &t) {
                out.push(figure(
                    &format!("regional-g{}", j + 1),
                    &format!("Accuracy of g{} by region", j + 1),
                    "probability of a right answer",
                    format!("Probability that g{} answers right in each region at round t, mean over runs (no bands: those of several regions would cover one another).", j + 1),
                    Some((0.0, 1.05)),
                    lines,
                ));
            }
        }
    }
    if case.experts() >= crowd::MANY {
        out.extend(crowd::figures(case));
    }
    out
}

/// Lines for the regions of expert `j`, if its accuracy ever moves.
fn regional(case: &Case<'_>, j: usize, t: &[u64]) -> Option<Vec<Line>> {
    let tables: Option<Vec<&Vec<Vec<Vec<f64>>>>> =
        case.traces.iter().map(|trace| trace.regional.as_ref()).collect();
    let tables = tables
        .filter(|tables| tables.iter().any(|run| run.iter().any(|table| table[j] != run[0][j])))?;
    let regions = tables[0][0][j].len();
    let one = |r: usize| {
        let curves: Vec<Vec<f64>> =
            tables.iter().map(|run| run.iter().map(|table| table[j][r]).collect()).collect();
        Line { band: None, ..line(&format!("region {}", r + 1), Style::Data(r), t, &curves) }
    };
    Some((0..regions).map(one).collect())
}

fn rates(schedule: Schedule) -> String {
    match schedule {
        Schedule::General => "rates of Thm 6.3".into(),
        Schedule::Concentrated => "rates of Thm 6.5".into(),
        Schedule::Experiment { eta0, gamma0 } => {
            format!("eta_t = {eta0}/sqrt(t), gamma_t = min(1/2, {gamma0}/sqrt(t))")
        }
        Schedule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max } => format!(
            "eta_t = {eta0} t^-{eta_power}, gamma_t = min({gamma_max}, {gamma0} t^-{gamma_power})"
        ),
    }
}

/// The settings of a learner, in words.
pub(super) fn hyper_parameters(policy: &PolicySpec) -> Option<String> {
    if let PolicyKind::Network(network) = &policy.kind {
        let start = if network.pretrained { "pre-trained" } else { "random initial" };
        let trained = match network.train {
            Trained::All => "every layer learns, batch norms keep their statistics",
            Trained::Head => "the last layer learns",
        };
        let rates = rates(network.schedule);
        return Some(format!(
            "{}: {start} weights, {trained}, no ball, {rates}, gradient steps, cstnd_hinge",
            policy.label()
        ));
    }
    let learner: &LearnerSpec = match &policy.kind {
        PolicyKind::Algorithm1(learner) | PolicyKind::ClassifierOnly(learner) => learner,
        PolicyKind::Confidence(confidence) => &confidence.learner,
        _ => return None,
    };
    let radius = match learner.radius {
        Radius::Actions => "B = N".into(),
        Radius::None => "no ball".into(),
        Radius::Of(radius) => format!("B = {radius}"),
    };
    let rates = rates(learner.schedule);
    let step = match learner.optimizer {
        Optimizer::Ogd => "gradient steps".into(),
        Optimizer::Adagrad { rate, .. } => format!("AdaGrad {rate}"),
    };
    let loss = learner.surrogate.name();
    Some(format!("{}: {radius}, {rates}, {step}, {loss}", policy.label()))
}

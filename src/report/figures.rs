//! The figures of a report of learning curves.

use super::case::{Case, expert, line};
use super::schema::Style;
use super::{Figure, Line, crowd};
use crate::totals::{Total, Totals};
use lab::experiment::Series;

/// Bands of more lines than this cannot be told apart.
const BANDS: usize = 6;

/// What several figures of a case share.
struct Shared<'a> {
    case: &'a Case<'a>,
    t: &'a [u64],
    runs: usize,
    /// Experts that get a line of their own.
    experts: usize,
    /// What bands are, in words.
    band: String,
    /// What a point of a windowed figure is.
    window: String,
}

pub(crate) fn of(case: &Case<'_>) -> Vec<Figure> {
    let Some((_, first)) = case.policies.first() else { return Vec::new() };
    let t = &first[0].t;
    let Some(width) = t.first() else { return Vec::new() };
    let shared = Shared {
        case,
        t,
        runs: first.len(),
        experts: if case.experts() < crowd::MANY { case.experts() } else { 0 },
        band: format!("Bands: ± one standard deviation over {} runs.", first.len()),
        window: format!("each point is the mean over the {width} rounds before it"),
    };
    let mut out = shared.by_policy(first[0].exact.is_some());
    if shared.experts > 0 {
        out.extend(shared.by_expert());
        if !case.traces.is_empty() {
            out.extend(shared.of_the_stream());
        }
    }
    if case.experts() >= crowd::MANY {
        out.extend(crowd::figures(case));
    }
    // What nobody knows, such as accuracy without labels, is not drawn.
    out.retain(|figure| figure.lines.iter().any(|line| !line.x.is_empty()));
    // A plot of something that never changes shows nothing.
    out.retain(|figure| figure.lines.iter().any(varies));
    out
}

/// Whether a line is anything but level.
fn varies(line: &Line) -> bool {
    let mut known = line.y.iter().copied().filter(|y| y.is_finite());
    let first = known.next();
    known.any(|y| Some(y) != first)
}

impl Shared<'_> {
    fn figure(
        &self,
        id: &str,
        title: &str,
        y_label: &str,
        caption: String,
        lines: Vec<Line>,
    ) -> Figure {
        Figure {
            id: format!("{id}{}", self.case.suffix),
            title: format!("{title} ({})", self.case.label()),
            caption,
            x_label: "round t".into(),
            y_label: y_label.into(),
            log: false,
            y_range: None,
            lines,
        }
    }

    /// Loss and accuracy of every policy, and its risk where the law is known.
    fn by_policy(&self, law_is_known: bool) -> Vec<Figure> {
        let case = self.case;
        let crowded = case.policies.len() > BANDS;
        let band = match crowded {
            true => {
                format!("Means over {} runs (no bands: they would cover one another).", self.runs)
            }
            false => self.band.clone(),
        };
        let lines = |curve: &dyn Fn(&Series) -> Vec<f64>| -> Vec<Line> {
            let one = |(style, (i, runs)): (usize, &(usize, Vec<&Series>))| {
                let curves: Vec<Vec<f64>> = runs.iter().map(|s| curve(s)).collect();
                let line = line(&case.policy(*i).label, Style::Data(style), self.t, &curves);
                if crowded { Line { band: None, ..line } } else { line }
            };
            case.policies.iter().enumerate().map(one).collect()
        };
        let settings: Vec<String> =
            case.policies.iter().filter_map(|(i, _)| case.policy(*i).facts().in_words).collect();
        let settings = settings.join("; ");
        let settings = if settings.is_empty() { String::new() } else { format!(" {settings}.") };
        let mut out = vec![
            self.figure(
                "loss",
                "Average true deferral loss",
                "mean loss over rounds 1..t",
                format!(
                    "Normalized cost of the sampled action, averaged over rounds 1 to t. {band}{settings}"
                ),
                lines(&|s| s.averages(Total::Loss)),
            ),
            self.figure(
                "accuracy",
                "Average accuracy",
                "mean accuracy over rounds 1..t",
                format!(
                    "Share of rounds 1 to t whose final answer (the class, or the answer of the expert that was asked) is right. {band}{settings}"
                ),
                lines(&|s| s.averages(Total::Right)),
            ),
        ];
        if law_is_known {
            let window = &self.window;
            out.push(self.figure(
                "risk",
                "Exact risk by window",
                "conditional risk in the window",
                format!("Conditional expectation of the loss, computed from the law of each round: {window}. {band}{settings}"),
                lines(&|s| s.windows(Total::Risk, Total::Rounds)),
            ));
        }
        out
    }

    /// Whom the subject asks, and how well.
    fn by_expert(&self) -> Vec<Figure> {
        let case = self.case;
        let name = case.spec.report.subject.as_deref();
        let subject =
            case.policies.iter().find(|(i, _)| Some(case.policy(*i).name.as_str()) == name);
        let (i, runs) = subject.unwrap_or(&case.policies[0]);
        let lines = |curve: &dyn Fn(&Series, usize) -> Vec<f64>| -> Vec<Line> {
            self.one_per_expert(&|j| runs.iter().map(|s| curve(s, j)).collect())
        };
        let label = &case.policy(*i).label;
        let settings = case.policy(*i).facts().in_words;
        let settings = settings.map_or(String::new(), |settings| format!(" {settings}."));
        let note = format!("{label}: {}. {}{settings}", self.window, self.band);
        let accuracy = self.figure(
            "queried-accuracy",
            &format!("Accuracy of the experts when asked by {label}"),
            "share of right answers",
            format!("Share of right answers among the rounds in which the expert was asked, {note} Windows in which an expert was never asked are left out."),
            lines(&|s, j| s.windows(Total::AskedRight(j), Total::Asked(j))),
        );
        let deferral = self.figure(
            "deferral",
            &format!("Deferral ratio of {label}"),
            "share of rounds",
            format!("Share of rounds in which each expert was asked, {note}"),
            lines(&|s, j| s.windows(Total::Asked(j), Total::Rounds)),
        );
        vec![Figure { y_range: SHARES, ..accuracy }, deferral]
    }

    /// Who is there, and how good.
    fn of_the_stream(&self) -> Vec<Figure> {
        let traces = &self.case.traces;
        let availability = self.figure(
            "availability",
            "Expert availability",
            "share of rounds",
            format!(
                "Share of rounds in which each expert was available, {}. {}",
                self.window, self.band
            ),
            self.one_per_expert(&|j| {
                traces.iter().map(|t| t.windows(Total::Available(j), Total::Rounds)).collect()
            }),
        );
        let mut out = vec![Figure { y_range: SHARES, ..availability }];
        for j in 0..self.experts {
            let Some(lines) = regional(self.case, j, self.t) else { continue };
            let name = expert(j);
            let figure = self.figure(
                &format!("regional-{name}"),
                &format!("Accuracy of {name} by region"),
                "probability of a right answer",
                format!("Probability that {name} answers right in each region at round t, mean over runs (no bands: those of several regions would cover one another)."),
                lines,
            );
            out.push(Figure { y_range: SHARES, ..figure });
        }
        out
    }

    fn one_per_expert(&self, curves: &dyn Fn(usize) -> Vec<Vec<f64>>) -> Vec<Line> {
        let one = |j| line(&self.case.expert_name(j), Style::Data(j), self.t, &curves(j));
        (0..self.experts).map(one).collect()
    }
}

/// Axis of shares that come close to one.
pub(crate) const SHARES: Option<(f64, f64)> = Some((0.0, 1.05));

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

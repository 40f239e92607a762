//! Rewards and prices: what a policy earned and what it paid, beside the line of fixed choices.
//!
//! Whoever tosses a coin between two fixed choices gets every point of the line between them, so that a
//! policy is worth something where it lies above the upper hull of the fixed choices.

use super::case::{Case, mean_over, over};
use super::schema::Style;
use super::{Cell, Figure, Line, Observation, ReportTable};
use crate::totals::{Total, Totals};
use lab::experiment::Series;
use std::collections::BTreeSet;

/// Prices are shown for so many rounds: those of single ones are small.
const ROUNDS: f64 = 1000.0;

/// Mean price of [`ROUNDS`] rounds, and mean reward.
type Point = (f64, f64);

/// The cases of one stream that has rewards, one for every sweep point.
struct Graded<'a> {
    cases: Vec<&'a Case<'a>>,
    /// Name of every expert, and its point over the rounds in which it was there.
    fixed: Vec<(String, Point)>,
}

fn graded<'a>(cases: &'a [Case<'a>]) -> Vec<Graded<'a>> {
    let streams: BTreeSet<usize> = cases.iter().map(|case| case.stream).collect();
    let of = |stream: usize| {
        let has = |case: &&Case<'_>| {
            let series = case.policies.iter().flat_map(|(_, runs)| runs).next();
            case.stream == stream && series.is_some_and(|s| s.earnings.is_some())
        };
        let cases: Vec<&Case<'_>> = cases.iter().filter(has).collect();
        let first = *cases.first()?;
        let point = |j: usize| {
            let mean = |what: Total| {
                stats::mean(&over(&first.traces, |t| t.share(what, Total::Available(j))))
            };
            (first.expert_name(j), (ROUNDS * mean(Total::Paid(j)), mean(Total::Earned(j))))
        };
        let fixed = match first.traces.is_empty() {
            true => Vec::new(),
            false => (0..first.experts()).map(point).collect(),
        };
        Some(Graded { cases, fixed })
    };
    streams.into_iter().filter_map(of).collect()
}

fn point(runs: &[&Series]) -> Point {
    let mean = |what| mean_over(runs, |s| s.mean(what));
    (ROUNDS * mean(Total::Price), mean(Total::Reward))
}

/// What everybody earned and paid.
pub(crate) fn tables(cases: &[Case<'_>]) -> Vec<ReportTable> {
    let table = |graded: &Graded<'_>| {
        let first = graded.cases[0];
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for case in &graded.cases {
            for (i, runs) in &case.policies {
                let cell = |what| Cell::spread(&over(runs, |s| s.mean(what)), 4);
                let price = Cell::spread(&over(runs, |s| ROUNDS * s.mean(Total::Price)), 3);
                let who = format!("{}: {}", case.label(), case.policy(*i).label);
                rows.push(vec![Cell::text(who), cell(Total::Reward), price, cell(Total::Loss)]);
            }
        }
        for (name, (price, reward)) in &graded.fixed {
            let who = format!("always {name}, while it is there");
            let reward = Cell::number(*reward, 4);
            rows.push(vec![Cell::text(who), reward, Cell::number(*price, 3), Cell::Missing]);
        }
        ReportTable {
            id: format!("earnings{}", first.suffix),
            caption: format!(
                "{}: mean reward, and what {ROUNDS} rounds cost in the unit of the file; mean ± standard deviation over runs. Loss: 1 - reward + exchange rate x price, scaled into [0, 1].",
                first.spec.stream[first.stream].label
            ),
            columns: ["stream and policy", "reward", "price of 1000 rounds", "loss"]
                .map(String::from)
                .into(),
            rows,
        }
    };
    graded(cases).iter().map(table).collect()
}

/// Reward against price, one line for every policy over the sweep points.
pub(crate) fn figures(cases: &[Case<'_>]) -> Vec<Figure> {
    let figure = |graded: &Graded<'_>| {
        let first = graded.cases[0];
        let of_policy = |(style, (i, _)): (usize, &(usize, Vec<&Series>))| {
            let name = &first.policy(*i).name;
            let points = graded.cases.iter().filter_map(|case| case.runs_of(name)).map(point);
            marked(&first.policy(*i).label, Style::Marked(style), points.collect())
        };
        let mut lines: Vec<Line> = first.policies.iter().enumerate().map(of_policy).collect();
        let hull = hull(&graded.fixed);
        if !hull.is_empty() {
            let names: Vec<&str> = hull.iter().map(|(name, _)| name.as_str()).collect();
            let label = format!("fixed choices: {}", names.join(", "));
            let points = hull.iter().map(|(_, point)| *point).collect();
            lines.push(marked(&label, Style::Reference(0), points));
        }
        let settings = match graded.cases.len() {
            1 => String::new(),
            _ => " Points of a line: the sweep points, in their order.".into(),
        };
        Figure {
            id: format!("earnings{}", first.suffix),
            title: format!("Reward against price ({})", first.spec.stream[first.stream].label),
            caption: format!(
                "Mean reward of a round against the price of {ROUNDS} rounds, over all rounds and {} runs. Fixed choices: each expert alone over the rounds in which it was there; tossing a coin between two of them gives the line between.{settings}",
                first.spec.runs
            ),
            x_label: format!("price of {ROUNDS} rounds"),
            y_label: "mean reward".into(),
            log: false,
            y_range: None,
            lines,
        }
    };
    graded(cases).iter().map(figure).collect()
}

fn marked(label: &str, style: Style, mut points: Vec<Point>) -> Line {
    points.retain(|(x, y)| x.is_finite() && y.is_finite());
    points.dedup();
    let (x, y) = points.into_iter().unzip();
    Line { label: label.into(), style, x, y, band: None }
}

/// Whether policies lie above the line of fixed choices, where these could be made in every round.
pub(crate) fn observations(cases: &[Case<'_>]) -> Vec<Observation> {
    let mut out = Vec::new();
    // Whoever comes and goes is no fixed choice over all rounds: there is nothing to compare with.
    let always = |graded: &Graded<'_>| {
        let there = |j| {
            graded.cases[0]
                .traces
                .iter()
                .all(|t| t.total(Total::Available(j)) == t.total(Total::Rounds))
        };
        (0..graded.fixed.len()).all(there)
    };
    for graded in graded(cases).into_iter().filter(always) {
        let hull = hull(&graded.fixed);
        for case in &graded.cases {
            for (i, runs) in &case.policies {
                let (price, reward) = point(runs);
                let Some(line) = height(&hull, price) else { continue };
                let at = if case.settings.is_empty() { "" } else { ", " };
                out.push(Observation::new(
                    format!("above-fixed-choices{}/{}", case.suffix, case.policy(*i).name),
                    format!(
                        "{}{at}{}: its mean reward is above that of tossing a coin between fixed choices at the same price",
                        case.policy(*i).label,
                        case.settings
                    ),
                    reward > line,
                    [("reward", reward), ("line of fixed choices", line), ("price of 1000 rounds", price)],
                ));
            }
        }
    }
    out
}

/// The fixed choices that no coin between others beats, by price.
fn hull(fixed: &[(String, Point)]) -> Vec<(String, Point)> {
    let mut sorted: Vec<&(String, Point)> =
        fixed.iter().filter(|(_, (x, y))| x.is_finite() && y.is_finite()).collect();
    sorted.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut hull: Vec<(String, Point)> = Vec::new();
    for (name, point) in sorted {
        if hull.last().is_some_and(|(_, last)| point.1 <= last.1) {
            continue;
        }
        while let [.., (_, a), (_, b)] = hull.as_slice() {
            // `b` is on or below the line from `a` to the new one.
            if (b.1 - a.1) * (point.0 - a.0) > (point.1 - a.1) * (b.0 - a.0) {
                break;
            }
            hull.pop();
        }
        hull.push((name.clone(), *point));
    }
    hull
}

/// Reward of the best coin between fixed choices at a price; none below the cheapest.
fn height(hull: &[(String, Point)], price: f64) -> Option<f64> {
    let first = hull.first()?;
    if price.is_nan() || price < first.1.0 {
        return None;
    }
    for pair in hull.windows(2) {
        let ((_, a), (_, b)) = (&pair[0], &pair[1]);
        if price <= b.0 {
            return Some(a.1 + (b.1 - a.1) * (price - a.0) / (b.0 - a.0));
        }
    }
    hull.last().map(|(_, point)| point.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(points: &[Point]) -> Vec<(String, Point)> {
        points.iter().enumerate().map(|(i, p)| (format!("m{i}"), *p)).collect()
    }

    #[test]
    fn the_hull_by_hand() {
        // The second is below the line from the first to the third, the fourth dearer and worse.
        let choices = fixed(&[(0.0, 0.5), (1.0, 0.6), (2.0, 0.9), (3.0, 0.8)]);
        let hull = hull(&choices);
        let names: Vec<&str> = hull.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["m0", "m2"]);
        let at = |price| height(&hull, price);
        assert_eq!((at(0.0), at(2.0), at(9.0), at(-1.0)), (Some(0.5), Some(0.9), Some(0.9), None));
        assert!((at(1.0).unwrap() - 0.7).abs() < 1e-15);
        assert_eq!((at(f64::NAN), height(&[], 1.0)), (None, None));
    }

    /// At one price only the best counts.
    #[test]
    fn equal_prices_leave_one() {
        let hull = hull(&fixed(&[(1.0, 0.5), (1.0, 0.7), (f64::NAN, 1.0)]));
        assert_eq!(hull.len(), 1);
        assert_eq!(hull[0].1, (1.0, 0.7));
    }
}

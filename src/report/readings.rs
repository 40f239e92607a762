//! Which reading of what the paper leaves open comes nearest to a published table (App. G.4).
//!
//! A reading is a sweep point and a number of rounds: every checkpoint of a run is the end of a shorter one,
//! as long as rates do not depend on the horizon.

use super::case::{Case, cases, expert, over};
use super::{Cell, Observation, Report, ReportError, ReportTable};
use crate::totals::{Total, Totals};
use audit::{CIFAR10H_NEAR as HIT, CIFAR10H_RESULTS};
use lab::experiment::{Key, Plan, Record, Series};
use std::collections::BTreeMap;

/// Readings shown in the table.
const SHOWN: usize = 10;

/// The published numbers: what they are called, what they are, and what a run says of them at a checkpoint.
struct Published {
    name: String,
    value: f64,
    total: Total,
    of: Total,
}

fn published() -> Vec<Published> {
    let [column, _] = CIFAR10H_RESULTS;
    let number = |name: &str, value, total, of| Published { name: name.into(), value, total, of };
    let mut all = vec![
        number("mean deferral loss", column.loss, Total::Loss, Total::Rounds),
        number("mean accuracy", column.accuracy, Total::Right, Total::Rounds),
    ];
    all.extend(column.queried.iter().enumerate().map(|(j, &value)| {
        let name = format!("expert {}, accuracy when asked", expert(j));
        number(&name, value, Total::AskedRight(j), Total::Asked(j))
    }));
    all.extend(column.ratio.iter().enumerate().map(|(j, &value)| {
        let name = format!("expert {}, deferral ratio", expert(j));
        number(&name, value, Total::Asked(j), Total::Rounds)
    }));
    // These two follow from the others, and say most plainly what the method did.
    let asked: f64 = column.ratio.iter().sum();
    let right: f64 = column.ratio.iter().zip(&column.queried).map(|(r, a)| r * a).sum();
    let answered = (column.accuracy - right) / (1.0 - asked);
    all.push(number(
        "answered by the classifier (follows)",
        1.0 - asked,
        Total::Own,
        Total::Rounds,
    ));
    all.push(number(
        "classifier, accuracy when it answers (follows)",
        answered,
        Total::OwnRight,
        Total::Own,
    ));
    all
}

/// One reading: its words, and every number in every run.
struct Reading {
    label: String,
    runs: Vec<Vec<f64>>,
}

impl Reading {
    /// The mean of number `i` over the runs; not a number where a run has none.
    fn mean(&self, i: usize) -> f64 {
        stats::mean(&self.runs[i])
    }

    fn misses(&self, published: &[Published]) -> Vec<f64> {
        published.iter().enumerate().map(|(i, p)| self.mean(i) - p.value).collect()
    }

    fn hits(&self, published: &[Published]) -> usize {
        self.misses(published).iter().filter(|miss| miss.abs() <= HIT).count()
    }

    /// Root of the mean squared difference; what does not exist is as wrong as can be.
    fn distance(&self, published: &[Published]) -> f64 {
        let misses = self.misses(published);
        let squares = misses.iter().map(|miss| if miss.is_finite() { miss * miss } else { 1.0 });
        (squares.sum::<f64>() / misses.len() as f64).sqrt()
    }
}

/// The readings of a case: one for each checkpoint.
fn of_case(case: &Case<'_>, published: &[Published]) -> Vec<Reading> {
    let Some(runs) = case.subject() else { return Vec::new() };
    let grid = &runs[0].t;
    let shares = |p: &Published| -> Vec<Vec<f64>> {
        let share = |s: &&Series| -> Vec<f64> {
            s.totals(p.total).iter().zip(s.totals(p.of)).map(|(a, b)| a / b).collect()
        };
        runs.iter().map(share).collect()
    };
    let numbers: Vec<Vec<Vec<f64>>> = published.iter().map(shares).collect();
    let reading = |(i, t): (usize, &u64)| Reading {
        label: format!("{}, {t} rounds", case.label()),
        runs: numbers.iter().map(|runs| over(&refs(runs), |run| run[i])).collect(),
    };
    grid.iter().enumerate().map(reading).collect()
}

fn refs(runs: &[Vec<f64>]) -> Vec<&Vec<f64>> {
    runs.iter().collect()
}

/// Fills in a report of readings.
pub(crate) fn fill(
    plan: &Plan,
    records: &BTreeMap<Key, Record>,
    report: &mut Report,
) -> Result<(), ReportError> {
    let published = published();
    let cases = cases(plan, records)?;
    let mut all: Vec<Reading> = cases.iter().flat_map(|case| of_case(case, &published)).collect();
    all.sort_by(|a, b| a.distance(&published).total_cmp(&b.distance(&published)));
    report.tables.push(beside(&published, &all));
    report.tables.push(nearest(&published, &all));
    report.observations = observations(&published, &all);
    Ok(())
}

/// Number by number: the nearest reading as a whole, the one of lowest loss, and the nearest that any
/// reading comes.
fn beside(published: &[Published], all: &[Reading]) -> ReportTable {
    let (first, best) = (all.first(), lowest_loss(all));
    let row = |(i, p): (usize, &Published)| {
        let near = |a: &&Reading| (a.mean(i) - p.value).abs();
        let closest = all.iter().filter(|a| a.mean(i).is_finite());
        let closest = closest.min_by(|a, b| near(a).total_cmp(&near(b)));
        let hits = all.iter().filter(|a| near(a) <= HIT).count();
        let hit = first.is_some_and(|a| near(&a) <= HIT);
        let spread = |a: Option<&Reading>| a.map_or(Cell::Missing, |a| Cell::spread(&a.runs[i], 4));
        vec![
            Cell::text(&p.name),
            Cell::number(p.value, 4),
            spread(first),
            Cell::text(if hit { "yes" } else { "no" }),
            spread(best),
            Cell::maybe(closest.map(|a| a.mean(i)), 4),
            Cell::number(hits as f64, 0),
        ]
    };
    let label = |a: Option<&Reading>| a.map_or(String::new(), |a| a.label.clone());
    ReportTable {
        id: "nearest".into(),
        caption: format!(
            "The published table beside the nearest of {} readings ({}): mean ± standard deviation over \
             runs, and whether the mean is within {HIT} of the published number. Then the reading of \
             lowest loss ({}), the nearest that any reading comes to this number alone, and how many \
             readings hit it.",
            all.len(),
            label(first),
            label(best)
        ),
        columns: [
            "number",
            "published",
            "nearest reading",
            "hit",
            "reading of lowest loss",
            "closest of all readings",
            "readings that hit it",
        ]
        .map(String::from)
        .into(),
        rows: published.iter().enumerate().map(row).collect(),
    }
}

/// The reading of lowest mean loss; loss is the first number.
fn lowest_loss(all: &[Reading]) -> Option<&Reading> {
    all.iter().min_by(|a, b| a.mean(0).total_cmp(&b.mean(0)))
}

fn nearest(published: &[Published], all: &[Reading]) -> ReportTable {
    let mut columns: Vec<String> = ["reading", "distance", "hits"].map(String::from).into();
    columns.extend(published.iter().map(|p| p.name.clone()));
    let row = |a: &Reading| {
        let mut row = vec![
            Cell::text(&a.label),
            Cell::number(a.distance(published), 4),
            Cell::number(a.hits(published) as f64, 0),
        ];
        row.extend((0..published.len()).map(|i| Cell::maybe(finite(a.mean(i)), 4)));
        row
    };
    ReportTable {
        id: "readings".into(),
        caption: format!(
            "The {} nearest readings. Distance: root of the mean squared difference from the {} \
             published numbers.",
            SHOWN.min(all.len()),
            published.len()
        ),
        columns,
        rows: all.iter().take(SHOWN).map(row).collect(),
    }
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

fn observations(published: &[Published], all: &[Reading]) -> Vec<Observation> {
    let most = all.iter().map(|a| a.hits(published)).max().unwrap_or(0);
    let [_, baseline] = CIFAR10H_RESULTS;
    let better = |a: &&Reading| a.mean(0) < baseline.loss && a.mean(1) > baseline.accuracy;
    let beats = all.iter().filter(better).count();
    let rare = published.len() - 2;
    let as_rarely = |a: &&Reading| (a.mean(rare) - published[rare].value).abs() <= HIT;
    let rarely: Vec<&Reading> = all.iter().filter(as_rarely).collect();
    let best = rarely.iter().map(|a| a.mean(1)).fold(f64::NAN, f64::max);
    vec![
        Observation::new(
            "a-reading-hits-every-number".into(),
            format!("some reading is within {HIT} of every published number"),
            most == published.len(),
            [
                ("readings", all.len() as f64),
                ("numbers", published.len() as f64),
                ("most hit by one reading", most as f64),
                ("hit by the nearest", all.first().map_or(f64::NAN, |a| a.hits(published) as f64)),
                (
                    "distance of the nearest",
                    all.first().map_or(f64::NAN, |a| a.distance(published)),
                ),
            ],
        ),
        Observation::new(
            "a-reading-beats-the-published-baseline".into(),
            "some reading has lower loss and higher accuracy than the published baseline",
            beats > 0,
            [
                ("readings", all.len() as f64),
                ("readings that do", beats as f64),
                ("published loss of baseline", baseline.loss),
                ("published accuracy of baseline", baseline.accuracy),
            ],
        ),
        Observation::new(
            "a-reading-answers-as-rarely-and-is-as-accurate".into(),
            format!(
                "some reading that answers with a class as rarely as published (within {HIT}) is as \
                 accurate over all rounds (within {HIT})"
            ),
            rarely.iter().any(|a| (a.mean(1) - published[1].value).abs() <= HIT),
            [
                ("readings that answer as rarely", rarely.len() as f64),
                ("best accuracy of these", best),
                ("published accuracy", published[1].value),
            ],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(offset: f64) -> Reading {
        let numbers = published();
        let runs = numbers.iter().map(|p| vec![p.value + offset - 0.01, p.value + offset + 0.01]);
        Reading { label: format!("off by {offset}"), runs: runs.collect() }
    }

    #[test]
    fn the_nearest_reading_hits_what_it_is_near_to() {
        let published = published();
        let all = vec![reading(0.0), reading(0.5)];
        assert_eq!(all[0].hits(&published), published.len());
        assert!(all[0].distance(&published) < 1e-12 && all[1].distance(&published) > 0.4);
        assert!(observations(&published, &all)[0].holds);
        assert!(!observations(&published, &all[1..])[0].holds);
        let table = beside(&published, &all);
        assert!(table.rows.iter().all(|row| row[3] == Cell::text("yes")));
        assert_eq!(nearest(&published, &all).rows.len(), 2);
    }

    /// An accuracy of an expert who was never asked does not exist, and counts against a reading.
    #[test]
    fn what_does_not_exist_is_no_hit() {
        let published = published();
        let mut silent = reading(0.0);
        silent.runs[2] = vec![f64::NAN, 0.7];
        assert_eq!(silent.hits(&published), published.len() - 1);
        assert!(silent.distance(&published) > 0.3);
    }
}

//! App. G.4 under the readings that were searched (`reports/cifar10h-readings`): does one of them give the
//! published table, and what do the nearest one and the best one show?

use super::stored::{mean, report};
use super::{CheckFailure, Checked, Claim, Grade, Kind, Outcome, Verdict};
use crate::audit::CIFAR10H_NEAR;
use crate::report::{Cell, Observation, Report};
use serde_json::json;

/// The columns of the two readings that are asked further.
const ASKED: [&str; 2] = ["nearest reading", "reading of lowest loss"];

pub(crate) const TABLE: Claim = Claim {
    id: "replication-cifar10h-readings",
    reference: "App. G.4",
    statement: "Some choice of what is left open (rates, exploration, ball, passes, start of the network) \
                gives the published results on CIFAR10H, every number within 0.02.",
    hypotheses: &[
        "the choices of the report on readings: a fresh last layer learns on simple features, not those of \
         a network",
        "five runs each, as in the paper",
    ],
    kind: Kind::Experiment,
    check: |_| table(report("cifar10h-readings")?, CIFAR10H_NEAR),
    ..Claim::BLANK
};

/// The first column of the table of readings.
fn names(searched: &Report) -> Result<Vec<&str>, CheckFailure> {
    let table = searched.tables.iter().find(|table| table.id == "nearest");
    let table = table.ok_or_else(|| CheckFailure("the readings have no nearest".into()))?;
    Ok(table
        .rows
        .iter()
        .filter_map(|row| match row.first() {
            Some(Cell::Text(name)) => Some(name.as_str()),
            _ => None,
        })
        .collect())
}

/// The nearest reading number by number.
fn table(searched: &Report, near: f64) -> Checked {
    let (mut rows, mut missed) = (Vec::new(), Vec::new());
    for name in names(searched)? {
        let number = |column: &str| mean(searched, "nearest", name, column);
        let (published, ours) = (number("published")?.mean, number(ASKED[0])?);
        let hit = (ours.mean - published).abs() <= near;
        if !hit {
            missed.push(format!("{name}: {:.4}, published {published:.4}", ours.mean));
        }
        rows.push(json!({ "number": name, "published": published, "nearest": ours.mean,
                          "sd_over_runs": ours.sd, "hit": hit }));
    }
    let searched_for = searched.observations.iter().find(|o| o.id == "a-reading-hits-every-number");
    let readings = searched_for.and_then(|o| o.numbers.get("readings").copied());
    let readings = readings.ok_or_else(|| CheckFailure("nothing says how many readings".into()))?;
    let hits = rows.len() - missed.len();
    // The features of the search are not those of a network: a miss refutes nothing.
    let verdict = match missed.is_empty() && !rows.is_empty() {
        true => Verdict::Consistent,
        false => Verdict::Unspecified,
    };
    let mut summary =
        format!("the nearest of {readings} readings hits {hits} of {} numbers", rows.len());
    if !missed.is_empty() {
        summary = format!("{summary} and misses {}", missed.join("; "));
    }
    Ok(Outcome::new(verdict, Grade::Sampled, summary).with("numbers", rows).with("near", near))
}

/// What the nearest and the best of the searched readings show of the statement `stem` of the report on
/// CIFAR10H, against the baseline of that report; nothing for statements that no reading changes.
///
/// # Errors
/// A report has no such number.
pub(crate) fn observations(stem: &str) -> Result<Vec<Observation>, CheckFailure> {
    let (searched, cifar) = (report("cifar10h-readings")?, report("cifar10h")?);
    let baseline = |name: &str| {
        mean(cifar, "published", name, "ours: confidence 0.5 baseline").map(|found| found.mean)
    };
    ASKED
        .into_iter()
        .filter(|_| matches!(stem, "beats-baseline" | "experts-better-when-asked"))
        .map(|column| {
            let ours =
                |name: &str| mean(searched, "nearest", name, column).map(|found| found.mean);
            let id = format!("{stem}/{column}");
            if stem == "beats-baseline" {
                let (loss, accuracy) = ("mean deferral loss", "mean accuracy");
                let (ours, theirs) =
                    ((ours(loss)?, ours(accuracy)?), (baseline(loss)?, baseline(accuracy)?));
                let numbers = [
                    ("loss", ours.0),
                    ("accuracy", ours.1),
                    ("loss of baseline", theirs.0),
                    ("accuracy of baseline", theirs.1),
                ];
                let rule = "lower mean loss and higher mean accuracy than the baseline over all rounds";
                let numbers = numbers.map(|(what, value)| (what.to_owned(), value)).into();
                let holds = beats(ours, theirs);
                return Ok(Observation { id, statement: rule.into(), holds, numbers });
            }
            let mut numbers = Vec::new();
            for expert in EXPERTS {
                let name = format!("expert {expert}, accuracy when asked");
                numbers.push((expert.to_owned(), ours(&name)?));
                numbers.push((format!("{expert} of baseline"), baseline(&name)?));
            }
            let holds = numbers.chunks(2).all(|pair| above(pair[0].1, pair[1].1));
            let rule = "every expert is right more often when the method asks it than when the baseline does";
            let numbers = numbers.into_iter().collect();
            Ok(Observation { id, statement: rule.into(), holds, numbers })
        })
        .collect()
}

/// `(loss, accuracy)`: lower and higher, both.
fn beats(ours: (f64, f64), theirs: (f64, f64)) -> bool {
    above(theirs.0, ours.0) && above(ours.1, theirs.1)
}

fn above(ours: f64, theirs: f64) -> bool {
    ours > theirs
}

const EXPERTS: [&str; 3] = ["g1", "g2", "g3"];

/// The deferral ratios of the two readings.
///
/// # Errors
/// The report has none.
pub(crate) fn ratios() -> Result<Vec<(&'static str, Vec<f64>)>, CheckFailure> {
    let searched = report("cifar10h-readings")?;
    let of = |column: &'static str| {
        let ratio = |expert: &&str| {
            let name = format!("expert {expert}, deferral ratio");
            Ok(mean(searched, "nearest", &name, column)?.mean)
        };
        Ok((column, EXPERTS.iter().map(ratio).collect::<Result<_, CheckFailure>>()?))
    };
    ASKED.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same table decides either way, by how near is near.
    #[test]
    fn how_near_is_near_decides() {
        let searched = report("cifar10h-readings").unwrap();
        assert_eq!(table(searched, 1.0).unwrap().verdict(), Verdict::Consistent);
        let never = table(searched, -1.0).unwrap();
        assert_eq!(never.verdict(), Verdict::Unspecified);
        assert!(never.summary.contains("hits 0 of 10 numbers and misses mean deferral loss"));
        assert!(table(report("cifar10h").unwrap(), CIFAR10H_NEAR).is_err());
        // A number as far away as "near" is still a hit.
        let first = &never.evidence["numbers"][0];
        let number = |key: &str| first[key].as_f64().unwrap();
        let distance = (number("nearest") - number("published")).abs();
        let at = table(searched, distance).unwrap();
        assert_eq!(at.evidence["numbers"][0]["hit"], true);
    }

    #[test]
    fn better_needs_both_and_is_strict() {
        assert!(beats((0.1, 0.9), (0.2, 0.8)));
        assert!(!beats((0.2, 0.9), (0.2, 0.8)) && !beats((0.1, 0.8), (0.2, 0.8)));
        assert!(!beats((0.3, 0.9), (0.2, 0.8)) && !beats((0.1, 0.7), (0.2, 0.8)));
    }

    #[test]
    fn two_readings_are_asked_what_a_reading_can_change() {
        for stem in ["beats-baseline", "experts-better-when-asked"] {
            let found = observations(stem).unwrap();
            assert_eq!(found.len(), 2);
            assert!(found.iter().all(|o| o.id.starts_with(stem) && o.numbers.len() >= 4));
        }
        assert!(observations("published-expert-accuracy").unwrap().is_empty());
        assert!(ratios().unwrap().iter().all(|(_, shares)| shares.len() == 3));
    }
}

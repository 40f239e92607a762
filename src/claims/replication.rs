//! Sec. 7.2 and App. G: what the paper says of its experiments, asked of the stored runs of ours, and
//! for each experiment whether it was replicated.
//!
//! The radius of the ball is not stated, so a statement is asked once for every radius that was tried
//! (and, for CIFAR10H, for every way to start the network). Shown by all of them it is `Consistent`, by
//! none `Inconsistent`, by some `Unspecified`.

use super::figures::in_words;
use super::searched;
use super::stored::{mean, readings, report};
use super::{CheckFailure, Checked, Claim, Grade, Kind, Outcome, Verdict, refuted};
use crate::report::{Figure, Observation, Report};
use serde_json::{Value, json};

/// A statement of the paper and the observation of a stored report that decides it.
macro_rules! stored_claims {
    ($($id:literal: $reference:literal, $report:literal, $observation:literal, $statement:literal;)*) => {
        /// Statements that one observation decides.
        const STATED: &[Claim] = &[$(Claim {
            id: $id,
            reference: $reference,
            statement: $statement,
            hypotheses: &["our stored runs of the protocol as we read it"],
            kind: Kind::Experiment,
            check: |_| Ok(stated(&shown_in($report, $observation)?.iter().collect::<Vec<_>>())),
            ..Claim::BLANK
        }),*];
    };
}

stored_claims! {
    "figure-reuters4-3-loss": "Sec. 7.2, Fig. 1", "reuters4-3", "loss-stable",
        "On Reuters4 with drifting availability and expertise, the normalized loss is stable.";
    "figure-reuters4-3-queried": "Sec. 7.2, Fig. 1", "reuters4-3", "queried-accuracy-high",
        "In Reuters4 setting 3 the experts that are asked are more accurate than the best expert over all \
         rounds.";
    "figure-reuters4-3-routing": "Sec. 7.2, Fig. 2", "reuters4-3", "routing-not-uniform",
        "On Reuters4 with drifting availability and expertise, routing is not uniform over the \
         experts.";
    "figure-reuters4-3-accuracy": "Sec. 7.2, Fig. 1", "reuters4-3", "accuracy-rises",
        "On Reuters4 with drifting availability and expertise, task accuracy rises over the rounds.";
    "figure-reuters4-1-faster": "App. G.3 (setting 1)", "reuters4-1",
        "accuracy-rises-faster-than-baseline",
        "On Reuters4 with everything fixed, accuracy rises faster than that of the random baseline.";
    "figure-reuters4-1-queried": "App. G.3 (setting 1)", "reuters4-1", "queried-accuracy-high",
        "In Reuters4 setting 1 the experts that are asked are more accurate than the best expert over all \
         rounds.";
    "figure-reuters4-1-deferral": "App. G.3 (setting 1)", "reuters4-1", "defers-more-than-baseline",
        "On Reuters4 with everything fixed, experts are asked in a substantial share of the \
         rounds: more often than at random.";
    "figure-syn-2-lower": "App. G.2 (setting 2)", "synthetic-settings",
        "accuracy-below-first-setting-2",
        "Accuracy in setting 2, where availability drifts, is below that of setting 1.";
    "figure-cifar10h-baseline": "Sec. 7.2, App. G.4", "cifar10h", "beats-baseline",
        "On CIFAR10H the learned policy has lower normalized loss and higher accuracy than the \
         baseline that trusts its classifier from a confidence of 0.5.";
    "figure-cifar10h-queried": "App. G.4", "cifar10h", "experts-better-when-asked",
        "On CIFAR10H every expert is right more often when the method asks it than when the baseline \
         does.";
}

/// Statements that take a number of a table or a figure.
const MEASURED: &[Claim] = &[
    Claim {
        id: "figure-syn-2-slightly",
        reference: "App. G.2 (setting 2)",
        statement: "Accuracy is only slightly lower in setting 2 than in setting 1: by less than \
                    0.05.",
        hypotheses: &[
            "our stored runs of the protocol as we read it",
            "0.05 is our reading of slight",
        ],
        kind: Kind::Experiment,
        check: |_| slight(SLIGHT),
        ..Claim::BLANK
    },
    Claim {
        id: "figure-syn-1-weak-queried",
        reference: "App. G.2 (setting 1)",
        statement: "In setting 1 the weak expert is right less often when asked than the two experts \
                    with a region.",
        hypotheses: &["our stored runs of the protocol as we read it"],
        kind: Kind::Experiment,
        check: |_| weakest(2),
        saboteurs: &[refuted(
            "another-expert",
            "expert 1 is right less often than the others",
            |_| weakest(0),
        )],
        ..Claim::BLANK
    },
    Claim {
        id: "figure-syn-2-each-expert",
        reference: "App. G.2 (setting 2)",
        statement: "In setting 2 every expert has high accuracy on the rounds assigned to it.",
        hypotheses: &[
            "our stored runs of the protocol as we read it",
            "high: at least 0.05 above its accuracy over all rounds",
        ],
        kind: Kind::Experiment,
        check: |_| each_expert(&["g1", "g2", "g3"]),
        ..Claim::BLANK
    },
    Claim {
        id: "figure-cifar10h-routing",
        reference: "App. G.4",
        statement: "On CIFAR10H consultation is not uniform: some expert is asked at least twice as \
                    often as another.",
        hypotheses: &[
            "our stored runs of the protocol as we read it",
            "compared with the published ratios",
        ],
        kind: Kind::Experiment,
        check: |_| uneven(2.0),
        ..Claim::BLANK
    },
    Claim {
        id: "figure-syn-3-regions",
        reference: "App. G.2 (setting 3)",
        statement: "In setting 3 the first expert starts in region 2 and moves to region 1. The \
                    second starts in region 1 and moves to region 2.",
        hypotheses: &["region 1 is classes 1 and 2, region 2 is classes 3 and 4"],
        kind: Kind::Experiment,
        check: |_| regions([(2, 1), (1, 2)]),
        ..Claim::BLANK
    },
    Claim {
        id: "reuters4-size",
        reference: "Sec. 7.2",
        statement: "Of RCV1, 685,071 documents have exactly one of four topics; they have 47,236 \
                    features.",
        hypotheses: &[
            "the sizes of RCV1 as its authors give them: 804,414 documents, 47,236 terms",
        ],
        kind: Kind::Experiment,
        check: |_| Ok(size(685_071, 47_236)),
        saboteurs: &[
            refuted("more-than-all", "804,415 documents", |_| Ok(size(804_415, 47_236))),
            refuted("a-feature-more", "47,237 features", |_| Ok(size(685_071, 47_237))),
        ],
        ..Claim::BLANK
    },
];

/// The one experiment of which the paper gives nothing but a table.
const ONLY_A_TABLE: Claim = Claim {
    id: "replication-reuters4-2",
    reference: "App. G.3 (setting 2)",
    statement: "Reuters4 setting 2 shows its table of expert accuracies.",
    hypotheses: &["the documents of the paper: the first 100,000 of 685,071"],
    kind: Kind::Experiment,
    check: |_| table_of_other_documents("reuters4-2"),
    ..Claim::BLANK
};

/// An experiment of the paper: what it says of it, as `(stored report, observation)`.
macro_rules! replications {
    ($($id:literal: $reference:literal, $statement:literal, [$(($report:literal, $observation:literal)),*];)*) => {
        /// Whether the experiments of the paper were replicated.
        const REPLICATIONS: &[Claim] = &[$(Claim {
            id: $id,
            reference: $reference,
            statement: $statement,
            hypotheses: &["our stored runs of the protocol as we read it"],
            kind: Kind::Experiment,
            check: |_| replicated(&[$(($report, $observation)),*]),
            ..Claim::BLANK
        }),*];
    };
}

replications! {
    "replication-synthetic-1": "App. G.2 (setting 1)",
        "Synthetic setting 1, run as described, gives what the paper says about it, and its table.",
        [("synthetic-settings", "accuracy-rises-setting-1"),
         ("synthetic-settings", "loss-falls-setting-1"),
         ("synthetic-settings", "knowing-experts-asked-most-setting-1"),
         ("synthetic-settings", "guessing-expert-hardly-asked-setting-1"),
         ("synthetic-settings", "asked-where-they-know-setting-1"),
         ("synthetic-1", "published-expert-accuracy")];
    "replication-synthetic-2": "App. G.2 (setting 2)",
        "Synthetic setting 2, run as described, gives what the paper says about it, and its table.",
        [("synthetic-settings", "accuracy-below-first-setting-2"),
         ("synthetic-settings", "asked-where-they-know-setting-2"),
         ("synthetic-2", "published-expert-accuracy")];
    "replication-synthetic-3": "App. G.2 (setting 3)",
        "In synthetic setting 3, run as described, experts are asked where they know the answer, \
         and the method beats the random baseline.",
        [("synthetic-settings", "asked-where-they-know-setting-3"),
         ("synthetic-settings", "beats-baseline-setting-3")];
    "replication-reuters4-1": "App. G.3 (setting 1)",
        "Reuters4 setting 1, on 23,428 of its documents, gives what the paper says about it \
         (except the table, which depends on the class shares of all documents).",
        [("reuters4-1", "accuracy-rises-faster-than-baseline"),
         ("reuters4-1", "queried-accuracy-high"),
         ("reuters4-1", "defers-more-than-baseline")];
    "replication-reuters4-3": "Sec. 7.2, App. G.3 (setting 3)",
        "Reuters4 setting 3, on 23,428 of its documents, gives what the paper says about it.",
        [("reuters4-3", "loss-stable"),
         ("reuters4-3", "queried-accuracy-high"),
         ("reuters4-3", "routing-not-uniform"),
         ("reuters4-3", "accuracy-rises")];
    "replication-cifar10h": "App. G.4",
        "CIFAR10H, run as described, with our own choices where the paper leaves them open, gives \
         what the paper says about it, and its table of experts.",
        [("cifar10h", "published-expert-accuracy"),
         ("cifar10h", "beats-baseline"),
         ("cifar10h", "experts-better-when-asked")];
}

/// All of this file.
pub(crate) fn claims() -> Vec<Claim> {
    [STATED, MEASURED, REPLICATIONS, &[ONLY_A_TABLE, searched::TABLE]].concat()
}

/// Difference of two means of accuracy or loss that is called slight; the same as in the rule for a
/// stable loss.
const SLIGHT: f64 = 0.05;

/// The observation `stem` once for every reading of a report; of CIFAR10H also for two of those that were
/// searched.
fn shown_in(name: &str, stem: &str) -> Result<Vec<Observation>, CheckFailure> {
    let mut found: Vec<Observation> = readings(report(name)?, stem)?.into_iter().cloned().collect();
    if name == "cifar10h" {
        found.extend(searched::observations(stem)?);
    }
    Ok(found)
}

/// How many of the readings show a statement.
fn shown(observations: &[&Observation]) -> (usize, Verdict) {
    let count = observations.iter().filter(|o| o.holds).count();
    let verdict = match count {
        0 => Verdict::Inconsistent,
        all if all == observations.len() => Verdict::Consistent,
        _ => Verdict::Unspecified,
    };
    (count, verdict)
}

fn stated(observations: &[&Observation]) -> Outcome {
    let (count, verdict) = shown(observations);
    let first = observations.first().map(|o| in_words(o)).unwrap_or_default();
    let word = match verdict {
        Verdict::Consistent => "our runs show it".to_owned(),
        Verdict::Inconsistent => "our runs do not show it".to_owned(),
        _ => format!("{count} of {} readings of what is left open show it", observations.len()),
    };
    Outcome::new(verdict, Grade::Sampled, format!("{word}: {first}"))
        .with("rule", observations.first().map(|o| o.statement.clone()).unwrap_or_default())
        .with("readings", json!(observations))
}

/// `Consistent` or `Inconsistent`, with the numbers.
fn decided(holds: bool, summary: String, numbers: Value) -> Outcome {
    let verdict = if holds { Verdict::Consistent } else { Verdict::Inconsistent };
    Outcome::new(verdict, Grade::Sampled, summary).with("numbers", numbers)
}

fn slight(limit: f64) -> Checked {
    let settings = report("synthetic-settings")?;
    let found = readings(settings, "accuracy-below-first-setting-2")?;
    let number = |what: &str| found[0].numbers.get(what).copied().unwrap_or(f64::NAN);
    let (second, first) = (number("accuracy"), number("accuracy on the first"));
    let drop = first - second;
    let summary =
        format!("accuracy {first:.4} in setting 1, {second:.4} in setting 2: {drop:.4} lower");
    Ok(decided(
        drop < limit,
        summary,
        json!({ "drop": drop, "runs": super::stored::runs(settings) }),
    ))
}

/// Share of right answers of each expert on the rounds in which Algorithm 1 asks it.
fn when_asked(report: &Report, stream: &str) -> Result<Vec<f64>, CheckFailure> {
    let row = format!("{stream}: Algorithm 1, B = N");
    let right = |expert| mean(report, "summary", &row, &format!("{expert} right when asked"));
    ["g1", "g2", "g3"].map(right).into_iter().map(|r| r.map(|spread| spread.mean)).collect()
}

fn weakest(expert: usize) -> Checked {
    let right = when_asked(report("synthetic-settings")?, "setting 1")?;
    let others = (0..right.len()).filter(|&j| j != expert);
    let holds = others.clone().all(|j| right[expert] < right[j]);
    let summary = format!("right when asked: {:.4}, {:.4}, {:.4}", right[0], right[1], right[2]);
    Ok(decided(holds, summary, json!(right)))
}

fn each_expert(experts: &[&str]) -> Checked {
    let settings = report("synthetic-settings")?;
    let right = when_asked(settings, "setting 2")?;
    let mut rows = Vec::new();
    let mut low = Vec::new();
    for (expert, &asked) in experts.iter().zip(&right) {
        let always = mean(settings, "experts-setting-2", expert, "accuracy (%)")?.mean / 100.0;
        rows.push(json!({ "expert": expert, "always": always, "when_asked": asked }));
        if asked < always + SLIGHT {
            low.push(format!("{expert}: {asked:.4} when asked, {always:.4} always"));
        }
    }
    let summary = match low.is_empty() {
        true => "every expert is right more often when asked".to_owned(),
        false => format!("{}; a guess among six labels is right one time in six", low.join("; ")),
    };
    Ok(decided(low.is_empty(), summary, json!(rows)))
}

fn uneven(factor: f64) -> Checked {
    let cifar = report("cifar10h")?;
    let ratio = |expert: &str, column: &str| {
        mean(cifar, "published", &format!("expert {expert}, deferral ratio"), column)
    };
    let spread = |column: &str| -> Result<(f64, Vec<f64>), CheckFailure> {
        let shares: Result<Vec<f64>, _> =
            ["g1", "g2", "g3"].iter().map(|e| ratio(e, column).map(|s| s.mean)).collect();
        let shares = shares?;
        Ok((factor_of(&shares), shares))
    };
    let (ours, shares) = spread("ours: Algorithm 1 on the network")?;
    let (published, printed) = spread("published: method")?;
    let mut readings = vec![("ours: Algorithm 1 on the network", ours, shares)];
    readings.extend(searched::ratios()?.into_iter().map(|(name, s)| (name, factor_of(&s), s)));
    let count = readings.iter().filter(|(_, ratio, _)| *ratio >= factor).count();
    let verdict = match count {
        0 => Verdict::Inconsistent,
        all if all == readings.len() => Verdict::Consistent,
        _ => Verdict::Unspecified,
    };
    let of = readings.len();
    let each: Vec<String> =
        readings.iter().map(|(name, ratio, _)| format!("{ratio:.2} ({name})")).collect();
    let summary = format!(
        "{count} of {of} readings show it; the expert asked most is asked so many times as often as the \
         one asked least: {}; {published:.2} in the published table",
        each.join(", ")
    );
    let numbers = json!({ "readings": readings, "published": printed });
    Ok(Outcome::new(verdict, Grade::Sampled, summary).with("numbers", numbers))
}

/// How many times as often as the expert asked least the one asked most is asked.
fn factor_of(shares: &[f64]) -> f64 {
    let most = shares.iter().copied().fold(0.0, f64::max);
    most / shares.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The region in which an expert answers best at one end of a figure: 1 for classes 1 and 2, 2 for
/// classes 3 and 4.
fn region(figure: &Figure, last: bool) -> Option<usize> {
    let at = |region: usize| {
        let label = format!("region {region}");
        let line = figure.lines.iter().find(|line| line.label == label)?;
        if last { line.y.last().copied() } else { line.y.first().copied() }
    };
    let pair = |a, b| Some(at(a)? + at(b)?);
    Some(if pair(1, 2)? > pair(3, 4)? { 1 } else { 2 })
}

/// What the text says of the figure against the regions of the protocol: the start is stated, the
/// stored figure of ours shows where the drift leads.
fn regions(said: [(usize, usize); 2]) -> Checked {
    let setting = report("synthetic-3")?;
    let mut found = Vec::new();
    for expert in 1..=2 {
        let id = format!("regional-g{expert}");
        let figure = setting.figures.iter().find(|f| f.id == id);
        let figure = figure.ok_or_else(|| CheckFailure(format!("synthetic-3 has no {id}")))?;
        let ends = region(figure, false).zip(region(figure, true));
        found.push(ends.ok_or_else(|| CheckFailure(format!("{id} has no regions 1 to 4")))?);
    }
    let renumbered: Vec<(usize, usize)> = found.iter().map(|(a, b)| (3 - a, 3 - b)).collect();
    let summary = match (found == said, renumbered == said) {
        (true, _) => "the protocol starts and ends there".to_owned(),
        (false, true) => format!(
            "the protocol has the experts start in regions {} and {}; the text fits if the regions are \
             numbered the other way round",
            found[0].0, found[1].0
        ),
        _ => "the protocol has the experts move otherwise, however regions are numbered".to_owned(),
    };
    Ok(decided(found == said, summary, json!({ "said": said, "protocol": found })))
}

/// Documents and terms of RCV1 as published with the collection.
const RCV1: (u64, u64) = (804_414, 47_236);

/// What can be said without the collection: a part is not larger than the whole, and the terms agree.
fn size(documents: u64, features: u64) -> Outcome {
    let fits = documents <= RCV1.0 && features == RCV1.1;
    let (verdict, summary) = match fits {
        false => (Verdict::Inconsistent, "it does not fit the published size of RCV1".to_owned()),
        true => (
            Verdict::Untried,
            format!(
                "we do not have the whole collection and could not count its documents; \
                 {documents} documents of {} and {features} terms are possible",
                RCV1.0
            ),
        ),
    };
    Outcome::new(verdict, Grade::Computed, summary)
        .with("rcv1_documents", RCV1.0)
        .with("rcv1_terms", RCV1.1)
}

/// "Replicated" if every statement is shown, "not replicated" if one is shown by no reading.
fn replicated(statements: &[(&str, &str)]) -> Checked {
    let (mut rows, mut missing, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for (name, stem) in statements {
        let observations = shown_in(name, stem)?;
        let (count, verdict) = shown(&observations.iter().collect::<Vec<_>>());
        match verdict {
            Verdict::Inconsistent => missing.push(*stem),
            Verdict::Unspecified => open.push(*stem),
            _ => {}
        }
        rows.push(json!({ "statement": stem, "report": name, "readings": observations.len(),
                          "shown_by": count, "rule": observations[0].statement }));
    }
    let total = statements.len();
    let (verdict, summary) = match (missing.is_empty(), open.is_empty()) {
        (true, true) => {
            (Verdict::Consistent, format!("replicated: our runs show all {total} statements"))
        }
        (true, false) => (
            Verdict::Unspecified,
            format!("depends on what the paper leaves open: {}", open.join(", ")),
        ),
        (false, _) => (
            Verdict::Inconsistent,
            format!(
                "not replicated: our runs do not show {} of {total} statements ({})",
                missing.len(),
                missing.join(", ")
            ),
        ),
    };
    Ok(Outcome::new(verdict, Grade::Sampled, summary).with("statements", rows))
}

/// How often an expert with a region is right depends on the class shares, and those of our documents
/// are not those of the paper's: a difference says nothing about the paper.
fn table_of_other_documents(name: &str) -> Checked {
    let found = readings(report(name)?, "published-expert-accuracy")?;
    let summary = "could not be tried: the table depends on the class shares of documents that we \
                   do not have; table-reuters4-partition checks it without them";
    Ok(Outcome::new(Verdict::Untried, Grade::Computed, summary)
        .with("ours", json!(found[0].numbers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(holds: bool) -> Observation {
        Observation {
            id: "x/y".into(),
            statement: "rule".into(),
            holds,
            numbers: [("a".to_owned(), 0.5)].into(),
        }
    }

    #[test]
    fn all_some_and_none_are_told_apart() {
        let (yes, no) = (observation(true), observation(false));
        assert_eq!(stated(&[&yes, &yes]).verdict(), Verdict::Consistent);
        assert_eq!(stated(&[&yes, &no]).verdict(), Verdict::Unspecified);
        assert_eq!(stated(&[&no]).verdict(), Verdict::Inconsistent);
    }

    #[test]
    fn replications_follow_the_stored_observations() {
        let good = [("cifar10h", "published-expert-accuracy")];
        assert_eq!(replicated(&good).unwrap().verdict(), Verdict::Consistent);
        let bad = [good[0], ("cifar10h", "beats-baseline")];
        let outcome = replicated(&bad).unwrap();
        assert_eq!(outcome.verdict(), Verdict::Inconsistent);
        assert!(outcome.summary.contains("beats-baseline"));
        let open = [("reuters4-3", "queried-accuracy-high")];
        assert_eq!(replicated(&open).unwrap().verdict(), Verdict::Unspecified);
        assert!(replicated(&[("cifar10h", "no-such-statement")]).is_err());
    }

    #[test]
    fn no_more_documents_and_exactly_the_terms_of_the_collection() {
        let verdict = |documents, terms| size(documents, terms).verdict();
        assert_eq!(verdict(804_414, 47_236), Verdict::Untried);
        assert_eq!(verdict(804_415, 47_236), Verdict::Inconsistent);
        assert_eq!(verdict(804_414, 47_235), Verdict::Inconsistent);
    }

    #[test]
    fn numbers_of_tables_decide() {
        assert_eq!(each_expert(&["g1", "g2"]).unwrap().verdict(), Verdict::Consistent);
        assert_eq!(each_expert(&["g1", "g2", "g3"]).unwrap().verdict(), Verdict::Inconsistent);
        assert_eq!(slight(1.0).unwrap().verdict(), Verdict::Consistent);
        assert_eq!(slight(0.0).unwrap().verdict(), Verdict::Inconsistent);
        assert_eq!(uneven(1.0).unwrap().verdict(), Verdict::Consistent);
        assert_eq!(regions([(1, 2), (2, 1)]).unwrap().verdict(), Verdict::Consistent);
        assert_eq!(weakest(2).unwrap().verdict(), Verdict::Consistent);
    }
}

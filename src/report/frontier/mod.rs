//! `frontier.md`: learners for experts who come and go, from stored runs. On a machine without the
//! data it goes by another name, so that made-up data never replaces real.

mod change;
mod ladder;
mod measure;
mod pairs;
mod peer;

use crate::case::{Case, cases};
use crate::markdown::{Layout, table};
use crate::number::{fixed, spread};
use crate::{Assumption, Figure, ReportError, escape, svg, template};
use lab::experiment::{Key, Plan, Record, write_whole};
use measure::{
    loss_figure, loss_rows, losses, price, regret_figure, regret_rows, regrets, runs,
    synthetic_rows,
};
use serde_json::{Value as Json, json};
use stats::mean;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The experiments the page is made from, in its order.
pub const EXPERIMENTS: [&str; 8] = [
    "witness",
    "frontier-rates",
    "frontier-synthetic",
    "frontier-reuters4",
    "frontier-reuters4-long",
    "frontier-labelme",
    "frontier-peers",
    "change",
];

/// The learner the page is about, and the one it is held against.
const SUBJECT: &str = "auto";
/// Candidates for a recommendation: everything that is not the paper's learner or a variant.
const CANDIDATES: [&str; 4] = ["alg1-log", "square-cb", "belief", SUBJECT];

/// What has to be reached: loss on Reuters4, share of Algorithm 1's regret on the witness, and how
/// much worse than Algorithm 1 is allowed where the hypotheses hold.
const TARGETS: (f64, f64, f64) = (0.0965, 1.0 / 20.0, 1.1);

/// Writes the page of the stored runs, in the order of [`EXPERIMENTS`], with its figures into the folder
/// `out` and returns its path. `assumptions` finds out what holds of the streams of `frontier-rates` for
/// Algorithm 1 with the hinge.
///
/// # Errors
/// The stored runs are not those, an assumption cannot be computed, or a file cannot be written.
pub fn write(
    loaded: &[(Plan, BTreeMap<Key, Record>)],
    assumptions: impl FnOnce(&Plan) -> Result<Vec<Assumption>, ReportError>,
    suffix: &str,
    out: &Path,
) -> Result<PathBuf, ReportError> {
    let mut all = Vec::new();
    for (plan, records) in loaded {
        all.push((plan, cases(plan, records)?));
    }
    let [witness, rates, synthetic, reuters4, long, labelme, peers, change] = all.as_slice() else {
        return Err(ReportError::Experiments { expected: EXPERIMENTS.len(), got: all.len() });
    };
    let checked = &assumptions(rates.0)?;
    let runs_of = |cases: &[Case<'_>]| cases[0].spec.runs;
    let notes: Vec<&String> = loaded.iter().flat_map(|(plan, _)| &plan.stand_ins).collect();
    let regret_head = ["stream", "learner", "10^4", "10^5", "10^6", "slope from 10^4"];
    let regret_head = |more: &[&'static str]| [&regret_head[..], more].concat();
    let witness_rows: Vec<_> =
        witness.1.iter().flat_map(|case| regret_rows(case, "alg1")).collect();
    let loss_table =
        |cases: &[Case<'_>]| compact(&["learner", "mean loss", "accuracy"], &loss_rows(&cases[0]));
    let context = json!({
        "notes": notes,
        "suffix": suffix,
        "targets": targets(&witness.1, &rates.1, &reuters4.1, checked)?,
        "recommendation": recommendation(&all[..6])?,
        "witness": {
            "runs": runs_of(&witness.1),
            "table": compact(&regret_head(&["share of Algorithm 1's"]), &witness_rows),
        },
        "rates": {
            "runs": runs_of(&rates.1),
            "table": compact(
                &regret_head(&["share of Algorithm 1's (Thm 6.4)", "hypotheses"]),
                &hypotheses_rows(&rates.1, checked),
            ),
        },
        "synthetic": {
            "runs": runs_of(&synthetic.1),
            "table": compact(
                &["stream", "learner", "mean loss", "exact excess risk", "accuracy"],
                &synthetic_rows(&synthetic.1),
            ),
            "drift_costs": drift_costs(&synthetic.1)?,
        },
        "reuters4": ladder::context(reuters4.0, &reuters4.1[0])?,
        "reuters4_table": loss_table(&reuters4.1),
        "long_table": loss_table(&long.1),
        "labelme": { "runs": runs_of(&labelme.1), "table": loss_table(&labelme.1) },
        "curved": curved(&rates.1)?,
        "pairs": pairs::context(
            &[peers, reuters4, labelme].map(|(plan, cases)| (*plan, cases.as_slice())),
        )?,
        "peers": { "rounds": peers.0.spec.rounds, "runs": runs_of(&peers.1) },
        "change": { "table": change::table(&change.1)?, "rounds": change.0.spec.rounds,
            "runs": runs_of(&change.1) },
    });
    let figures = [regret_figure(&witness.1[0]), loss_figure(&long.1[0])];
    let text = template::markdown(include_str!("../templates/frontier.md"), &context)?;
    let path = out.join(format!("frontier{suffix}.md"));
    write_whole(&path, text.as_bytes())?;
    for figure in &figures {
        for (ending, content) in [("svg", svg::draw(figure)), ("json", json_line(figure))] {
            let name = format!("frontier-{}{suffix}.{ending}", figure.id);
            write_whole(&out.join(name), content.as_bytes())?;
        }
    }
    Ok(path)
}

fn json_line(figure: &Figure) -> String {
    serde_json::to_string(figure).expect("plain data") + "\n"
}

fn compact(head: &[&str], rows: &[Vec<String>]) -> String {
    table(head, rows, Layout::Compact)
}

fn yes(reached: bool) -> String {
    if reached { "yes".into() } else { "**no**".into() }
}

/// The table of what was to be reached.
fn targets(
    witness: &[Case<'_>],
    rates: &[Case<'_>],
    reuters4: &[Case<'_>],
    checked: &[Assumption],
) -> Result<String, ReportError> {
    let (loss, share, worse) = TARGETS;
    let on_reuters = losses(runs(&reuters4[0], SUBJECT)?);
    let ratio_of = |case: &Case<'_>, other: &str| -> Result<f64, ReportError> {
        Ok(mean(&regrets(runs(case, SUBJECT)?)) / mean(&regrets(runs(case, other)?)))
    };
    let on_witness = ratio_of(&witness[0], "alg1")?;
    let mut largest = 0f64;
    let mut holding = 0;
    for case in rates {
        for a in checked.iter().filter(|a| a.holds && a.stream == stream_name(case)) {
            largest = largest.max(ratio_of(case, &a.policy)?);
            holding += 1;
        }
    }
    let row = |figure: String, target: String, measured: String, reached: bool| {
        vec![figure, target, measured, yes(reached)]
    };
    let rows = [
        row(
            "mean loss on Reuters4, availability 0.7, first 10,000 rounds".into(),
            format!("below {loss}"),
            spread(&on_reuters, 4),
            mean(&on_reuters) < loss,
        ),
        row(
            "regret on the first witness after 10^6 rounds, as a share of Algorithm 1's".into(),
            format!("below {share}"),
            fixed(on_witness, 5),
            on_witness < share,
        ),
        row(
            format!(
                "largest ratio to Algorithm 1's regret where its hypotheses hold ({holding} pairs of \
                 stream and rates)"
            ),
            format!("at most {worse}"),
            fixed(largest, 4),
            holding > 0 && largest <= worse,
        ),
    ];
    Ok(compact(&["figure", "target", "measured", "reached"], &rows))
}

fn stream_name<'a>(case: &'a Case<'_>) -> &'a str {
    &case.spec.stream[case.stream].name
}

/// Prices as multiples of the best, and who has the least worst one.
fn recommendation(all: &[(&Plan, Vec<Case<'_>>)]) -> Result<Json, ReportError> {
    let mut rows = Vec::new();
    let mut worst = [0f64; CANDIDATES.len()];
    let mut against_hinge = 0f64;
    for (plan, cases) in all {
        for case in cases {
            let hinge = case.policies.iter().filter(|(i, _)| measure::is_hinge(case.policy(*i)));
            let best_hinge = hinge.map(|(_, runs)| price(runs)).fold(f64::INFINITY, f64::min);
            let mut prices = Vec::new();
            for name in CANDIDATES {
                prices.push(price(runs(case, name)?));
            }
            against_hinge = against_hinge.max(price(runs(case, SUBJECT)?) / best_hinge);
            let best = prices.iter().copied().fold(best_hinge, f64::min);
            for (worst, price) in worst.iter_mut().zip(&prices) {
                *worst = worst.max(price / best);
            }
            let mut row =
                vec![format!("`{}`: {}", plan.spec.name, escape::markdown(&case.label()))];
            row.push(fixed(best_hinge / best, 2));
            row.extend(prices.iter().map(|&p| fixed(p / best, 2)));
            rows.push(row);
        }
    }
    let least = worst.iter().copied().fold(f64::INFINITY, f64::min);
    let mut last_row = vec!["**largest**".to_string(), String::new()];
    last_row.extend(worst.iter().map(|w| format!("**{w:.2}**")));
    rows.push(last_row);
    Ok(json!({
        "winner": CANDIDATES[worst.iter().position(|&w| w == least).unwrap_or(0)],
        "against_hinge": against_hinge,
        "table": compact(
            &["stream", "hinge", "(a) logistic", "(b) SquareCB", "(c) belief", "(d) router"],
            &rows,
        ),
    }))
}

/// Regrets with what the theorem behind the rates assumes.
fn hypotheses_rows(cases: &[Case<'_>], checked: &[Assumption]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for case in cases {
        for (row, (i, _)) in regret_rows(case, "alg1-general").into_iter().zip(&case.policies) {
            let name = &case.policy(*i).name;
            let found = checked.iter().find(|a| a.stream == stream_name(case) && a.policy == *name);
            let hypotheses = match found {
                None => "-".to_string(),
                Some(a) if a.holds => "hold".to_string(),
                Some(a) if a.gap > 0.0 => format!("gap {:.4}", a.gap),
                Some(_) => "not concentrated".to_string(),
            };
            rows.push([row, vec![hypotheses]].concat());
        }
    }
    rows
}

/// Whether the subject loses more on the setting that drifts than on the one that does not.
fn drift_costs(synthetic: &[Case<'_>]) -> Result<bool, ReportError> {
    let at = |case: Option<&Case<'_>>| -> Result<f64, ReportError> {
        let case = case.ok_or(ReportError::NoStream("setting-3"))?;
        Ok(mean(&regrets(runs(case, SUBJECT)?)))
    };
    Ok(at(synthetic.last())? > at(synthetic.first())?)
}

/// The stream that no score that is linear before its link fits.
fn curved(rates: &[Case<'_>]) -> Result<Json, ReportError> {
    let curved = rates
        .iter()
        .find(|case| stream_name(case) == "curved")
        .ok_or(ReportError::NoStream("curved"))?;
    let horizon = curved.spec.rounds as f64;
    let mut best = (f64::INFINITY, String::new());
    for (i, runs) in &curved.policies {
        let policy = curved.policy(*i);
        let price = mean(&regrets(runs));
        if measure::is_hinge(policy) && price < best.0 {
            best = (price, policy.label.clone());
        }
    }
    let lost = |name: &str| -> Result<f64, ReportError> {
        Ok(mean(&regrets(runs(curved, name)?)) / horizon)
    };
    Ok(json!({
        "rounds": curved.spec.rounds,
        "raw": lost("belief-raw")?,
        "corrected": lost("belief")?,
        "subject": lost(SUBJECT)?,
        "best_hinge": { "label": best.1, "lost": best.0 / horizon },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything the template asks for, with every comparison the same way.
    fn context(as_measured: bool) -> Json {
        let step = json!({ "text": "0.2 to 0.1", "better": as_measured, "matters": as_measured });
        let worse = json!({ "text": "0.1 to 0.2", "better": !as_measured, "matters": as_measured });
        let (raw, corrected) = if as_measured { (0.2, 0.1) } else { (0.1, 0.2) };
        let mut steps = serde_json::Map::new();
        for name in [
            "ball",
            "step",
            "loss",
            "loss_at_rate",
            "weights",
            "less_exploration",
            "which_regression",
            "inverse_gaps",
            "belief",
            "only_right",
            "not_corrected",
            "half_rate",
            "twice_rate",
            "several_rates",
        ] {
            steps.insert(name.into(), step.clone());
        }
        for name in ["less_exploration_hinge", "less_exploration_logistic"] {
            steps.insert(name.into(), worse.clone());
        }
        let peer = json!({ "label": "Vowpal Wabbit, squarecb", "version": "9",
            "arguments": "-q xa", "text": "0.1", "runs": 5 });
        json!({
            "notes": [], "suffix": "", "targets": "T\n", "reuters4_table": "T\n", "long_table": "T\n",
            "pairs": { "table": "T\n", "vowpal_wabbit": as_measured,
                "rivals": { "table": "T\n", "streams": 3, "kept_up": 2 },
                "settings": { "table": "T\n", "streams": 3, "tuned": 2 } },
            "peers": { "rounds": 10_000, "runs": 5 },
            "change": { "table": "T\n", "rounds": 100_000, "runs": 5 },
            "recommendation": { "table": "T\n", "winner": if as_measured { "auto" } else { "square-cb" },
                "against_hinge": 0.5 },
            "witness": { "runs": 8, "table": "T\n" },
            "rates": { "runs": 8, "table": "T\n" },
            "synthetic": { "runs": 5, "table": "T\n", "drift_costs": as_measured },
            "labelme": { "runs": 20, "table": "T\n" },
            "curved": { "rounds": 1_000_000, "raw": raw, "corrected": corrected, "subject": 0.1,
                "best_hinge": { "label": "A", "lost": 0.3 } },
            "reuters4": { "rounds": 10_000, "runs": 5, "steps": steps, "explored_percent": 18.0,
                "plain_regression": corrected, "algorithm1": raw, "data": [],
                "peers": if as_measured { json!([peer]) } else { json!([]) } },
        })
    }

    /// A conclusion is drawn when the numbers are that way, and not when they are the other way.
    #[test]
    fn conclusions_follow_the_numbers() {
        let text = |as_measured: bool| {
            template::markdown(include_str!("../templates/frontier.md"), &context(as_measured))
                .unwrap()
        };
        let (drawn, not_drawn) = (text(true), text(false));
        for sentence in [
            "Why regression does so much better here",
            "Vowpal Wabbit",
            "a single observation can count a hundredfold",
            "So Algorithm 1 needs its exploration",
            "is too confident there",
            "shows the price",
            "the recommendation is **the router that tunes itself",
            "Its limits are at the end",
        ] {
            assert!(drawn.contains(sentence), "{sentence} is missing");
            assert!(!not_drawn.contains(sentence), "{sentence} is there");
        }
        assert!(not_drawn.contains("matters little"));
        for text in [&drawn, &not_drawn] {
            assert!(!text.contains("\n\n\n") && text.ends_with("same round.\n"), "{text}");
        }
    }
}

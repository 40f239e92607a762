//! `frontier.md`: learners for experts who come and go, from stored runs. On a machine without the
//! data it goes by another name, so that made-up data never replaces real.

mod ladder;
mod measure;

use crate::Document;
use crate::curves::{Case, cases};
use crate::words::{count, table};
use crate::{hypotheses, svg};
use lab::experiment::build::Source;
use lab::experiment::data::Loaded;
use lab::experiment::{Plan, Store};
use learner::Schedule;
use measure::{
    accuracies, is_hinge, loss_figure, loss_rows, losses, mean, price, regret_figure, regret_rows,
    regrets, runs, spread,
};

/// The experiments the page is made from, in its order.
pub const EXPERIMENTS: [&str; 6] = [
    "witness",
    "frontier-rates",
    "frontier-synthetic",
    "frontier-reuters4",
    "frontier-reuters4-long",
    "frontier-labelme",
];

/// The learner the page is about, and the one it is held against.
pub(super) const SUBJECT: &str = "belief";
/// Candidates for a recommendation: everything that is not the paper's learner or a variant.
const CANDIDATES: [&str; 3] = ["alg1-log", "square-cb", SUBJECT];

/// What has to be reached: loss on Reuters4, share of Algorithm 1's regret on the witness, and how
/// much worse than Algorithm 1 is allowed where the hypotheses hold.
const TARGETS: (f64, f64, f64) = (0.11, 1.0 / 20.0, 1.1);

/// The page of the stored runs, in the order of [`EXPERIMENTS`].
///
/// # Errors
/// In words, when the stored runs are not those.
pub fn page(loaded: &[(Plan, Store)], suffix: &str) -> Result<Document, String> {
    let mut all = Vec::new();
    for (plan, store) in loaded {
        all.push((plan, cases(plan, store.records())?));
    }
    let [witness, rates, synthetic, reuters4, long, labelme] = all.as_slice() else {
        return Err(format!("expected {} experiments, got {}", EXPERIMENTS.len(), all.len()));
    };
    let checked = assumptions(rates.0, &rates.1)?;
    let mut text = String::from(INTRO);
    for note in loaded.iter().flat_map(|(plan, _)| &plan.stand_ins) {
        text += &format!("**{note}**\n\n");
    }
    text += &targets(&witness.1, &rates.1, &reuters4.1, &checked)?;
    text += &recommendation(&all)?;
    text += &witness_words(&witness.1, suffix);
    text += &rates_words(&rates.1, &checked);
    text += &synthetic_words(&synthetic.1);
    text += &ladder::words(reuters4.0, &reuters4.1, suffix)?;
    text += &long_words(&long.1);
    text += &labelme_words(&labelme.1);
    text += &limits(&rates.1)?;
    let figures = vec![
        (format!("frontier-witness{suffix}.svg"), svg::draw(&regret_figure(&witness.1[0]))),
        (format!("frontier-reuters4{suffix}.svg"), svg::draw(&loss_figure(&long.1[0]))),
    ];
    Ok(Document { name: format!("frontier{suffix}"), text, figures })
}

const INTRO: &str = "\
# Learners for experts who come and go

Algorithm 1 descends an importance-weighted surrogate of one score vector per active set, and \
[audit.md](audit.md) shows that with the constrained hinge no matrix serves two sets of different size. \
The learners here do not have that defect. All see only what the paper's protocol shows (whether the \
chosen action was right, and its cost), all run behind the same interface (`learner::Policy`), and each \
has one set of defaults for all streams. The defaults of the last two (rate 0.6, greed 30) were chosen \
by looking at a few values on these very streams; how much they matter is shown where it was measured.

| learner | what it fits | what it explores |
|---|---|---|
| Algorithm 1 (hinge) | constrained hinge, weights `1/q` | uniform share `gamma_t` |
| (a) Algorithm 1 (logistic) | `comp_log`, weights `1/q` | uniform share `gamma_t` |
| (b) SquareCB | one logistic regression per action, in the rounds that play it | inverse gaps over the active actions |
| (c) belief router | one soft-max belief over the labels, updated by right *and* wrong answers (`-log p_a`, `-log(1 - p_a)`) and corrected by how often it turned out right; a logistic estimate per expert | inverse gaps over the active actions |

Regret is exact where the law of the stream is known: the expected loss of the distribution that was \
played minus that of the best active action, round by round. All tables are means over runs, with the \
standard deviation. `deferlab reproduce NAME` runs an experiment again; names stand with the tables.

";

/// One learner of the paper on one rate stream, and whether what its theorem assumes holds there.
struct Assumption {
    case: usize,
    policy: String,
    gap: f64,
    holds: bool,
}

fn assumptions(plan: &Plan, cases: &[Case<'_>]) -> Result<Vec<Assumption>, String> {
    let mut found = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let spec = &case.spec.stream[case.stream];
        let source = Source::new(spec, &plan.folder, &mut Loaded::default());
        let source = source.map_err(|e| e.to_string())?;
        let actions = source.shape().map_err(|e| e.to_string())?.space.len();
        for (i, _) in &case.policies {
            let policy = case.policy(*i);
            let Some(learner) = policy.algorithm1().filter(|_| is_hinge(policy)) else {
                continue;
            };
            let radius = learner.radius.value(actions);
            let Some(h) = hypotheses::check(&source, radius, case.spec.rounds)? else { continue };
            let concentrated = learner.schedule != Schedule::Concentrated || h.concentrated;
            let holds = h.certified && h.gap == 0.0 && concentrated;
            found.push(Assumption { case: index, policy: policy.name.clone(), gap: h.gap, holds });
        }
    }
    Ok(found)
}

fn yes(reached: bool) -> String {
    if reached { "yes".into() } else { "**no**".into() }
}

fn targets(
    witness: &[Case<'_>],
    rates: &[Case<'_>],
    reuters4: &[Case<'_>],
    checked: &[Assumption],
) -> Result<String, String> {
    let (loss, share, worse) = TARGETS;
    let on_reuters = losses(runs(&reuters4[0], SUBJECT)?);
    let ratio_of = |case: &Case<'_>, other: &str| -> Result<f64, String> {
        Ok(mean(&regrets(runs(case, SUBJECT)?)) / mean(&regrets(runs(case, other)?)))
    };
    let on_witness = ratio_of(&witness[0], "alg1")?;
    let mut largest = 0f64;
    let mut holding = 0;
    for a in checked.iter().filter(|a| a.holds) {
        largest = largest.max(ratio_of(&rates[a.case], &a.policy)?);
        holding += 1;
    }
    let rows = vec![
        vec![
            "mean loss on Reuters4, availability 0.7, first 10,000 rounds".to_string(),
            format!("below {loss}"),
            spread(&on_reuters, 4),
            yes(mean(&on_reuters) < loss),
        ],
        vec![
            "regret on the first witness after 10^6 rounds, as a share of Algorithm 1's"
                .to_string(),
            format!("below {share}"),
            format!("{on_witness:.5}"),
            yes(on_witness < share),
        ],
        vec![
            format!(
                "largest ratio to Algorithm 1's regret where its hypotheses hold ({holding} pairs of \
                 stream and rates)"
            ),
            format!("at most {worse}"),
            format!("{largest:.4}"),
            yes(holding > 0 && largest <= worse),
        ],
    ];
    Ok(format!(
        "## What was to be reached, for the belief router\n\n{}",
        table(&["figure", "target", "measured", "reached"], &rows)
    ))
}

fn recommendation(all: &[(&Plan, Vec<Case<'_>>)]) -> Result<String, String> {
    let mut rows = Vec::new();
    let mut worst = [0f64; CANDIDATES.len()];
    let mut against_hinge = 0f64;
    for (plan, cases) in all {
        for case in cases {
            let best_hinge = case
                .policies
                .iter()
                .filter(|(i, _)| is_hinge(case.policy(*i)))
                .map(|(_, runs)| price(runs))
                .fold(f64::INFINITY, f64::min);
            let mut prices = Vec::new();
            for name in CANDIDATES {
                prices.push(price(runs(case, name)?));
            }
            against_hinge = against_hinge.max(price(runs(case, SUBJECT)?) / best_hinge);
            let best = prices.iter().copied().fold(best_hinge, f64::min);
            let shown = |v: f64| format!("{:.2}", v / best);
            for (worst, price) in worst.iter_mut().zip(&prices) {
                *worst = worst.max(price / best);
            }
            let mut row = vec![format!("`{}`: {}", plan.spec.name, case.label())];
            row.push(shown(best_hinge));
            row.extend(prices.iter().map(|&p| shown(p)));
            rows.push(row);
        }
    }
    let least = worst.iter().copied().fold(f64::INFINITY, f64::min);
    let winner = CANDIDATES[worst.iter().position(|&w| w == least).unwrap_or(0)];
    let name = match winner {
        "belief" => {
            "the belief router (`learner::BeliefRouter`, the learner of `examples/route.rs`)"
        }
        "square-cb" => "SquareCB (`learner::SquareCb`)",
        _ => "Algorithm 1 with the logistic surrogate",
    };
    let mut last_row = vec!["**largest**".to_string(), String::new()];
    last_row.extend(worst.iter().map(|w| format!("**{w:.2}**")));
    rows.push(last_row);
    Ok(format!(
        "## Recommendation\n\n\
         Regret (mean loss on LabelMe, where no law is known) as a multiple of the best learner on the \
         same stream. *Hinge* is the best setting of Algorithm 1 with the constrained hinge that was run \
         there.\n\n{}\
         By the largest multiple, the recommendation is **{name}**. On every stream of this page the \
         belief router has at most {against_hinge:.3} times what Algorithm 1 with the hinge has in its best \
         setting there. See its limits at the end of this page.\n\n",
        table(&["stream", "hinge", "(a) logistic", "(b) SquareCB", "(c) belief"], &rows)
    ))
}

fn witness_words(cases: &[Case<'_>], suffix: &str) -> String {
    let rows: Vec<_> = cases.iter().flat_map(|case| regret_rows(case, "alg1")).collect();
    let runs = cases[0].spec.runs;
    format!(
        "## The witness streams (`witness`)\n\n\
         One input, one expert who comes and goes; {runs} runs of a million rounds. What the exact \
         optimum of the hinge loses a round is in [audit.md](audit.md).\n\n{}\
         ![Regret on the first witness](frontier-witness{suffix}.svg)\n\n\
         *Mean exact regret on the first stream; bands: one standard deviation over the runs.*\n\n",
        table(
            &[
                "stream",
                "learner",
                "10^4",
                "10^5",
                "10^6",
                "slope from 10^4",
                "share of Algorithm 1's"
            ],
            &rows
        )
    )
}

fn rates_words(cases: &[Case<'_>], checked: &[Assumption]) -> String {
    let mut rows = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for (row, (i, _)) in regret_rows(case, "alg1-general").into_iter().zip(&case.policies) {
            let name = &case.policy(*i).name;
            let found = checked.iter().find(|a| a.case == index && a.policy == *name);
            let hypotheses = match found {
                None => "-".to_string(),
                Some(a) if a.holds => "hold".to_string(),
                Some(a) if a.gap > 0.0 => format!("gap {:.4}", a.gap),
                Some(_) => "not concentrated".to_string(),
            };
            rows.push([row, vec![hypotheses]].concat());
        }
    }
    format!(
        "## The rate streams (`frontier-rates`)\n\n\
         The laws of `rates` and `rates-dropped` over a million rounds, {} runs, and one stream more \
         for the limits below. The last column says whether what the theorem behind the rates assumes \
         holds on that stream with that radius: the hinge gap over the ball is computed with a \
         certificate.\n\n{}",
        cases[0].spec.runs,
        table(
            &[
                "stream",
                "learner",
                "10^4",
                "10^5",
                "10^6",
                "slope from 10^4",
                "share of Algorithm 1's (Thm 6.4)",
                "hypotheses",
            ],
            &rows
        )
    )
}

fn synthetic_words(cases: &[Case<'_>]) -> String {
    let mut rows = Vec::new();
    for case in cases {
        for (i, runs) in &case.policies {
            let horizon = runs[0].t.last().map_or(f64::NAN, |&t| t as f64);
            let excess: Vec<f64> = regrets(runs).iter().map(|r| r / horizon).collect();
            rows.push(vec![
                case.label(),
                case.policy(*i).label().to_string(),
                spread(&losses(runs), 3),
                spread(&excess, 4),
                spread(&accuracies(runs), 3),
            ]);
        }
    }
    format!(
        "## Synthetic settings 1 to 3 (`frontier-synthetic`)\n\n\
         The streams of App. G.2, {} runs of 100,000 rounds, the same random numbers for everybody. \
         Algorithm 1 with the learning rate the paper tuned.\n\n{}",
        cases[0].spec.runs,
        table(&["stream", "learner", "mean loss", "exact excess risk", "accuracy"], &rows)
    )
}

fn long_words(cases: &[Case<'_>]) -> String {
    format!(
        "## Reuters4 over 100,000 rounds (`frontier-reuters4-long`)\n\n\
         The same over the horizon of the paper, pass after pass in new orders.\n\n{}",
        table(&["learner", "mean loss", "accuracy"], &loss_rows(&cases[0]))
    )
}

fn labelme_words(cases: &[Case<'_>]) -> String {
    format!(
        "## LabelMe (`frontier-labelme`)\n\n\
         1,000 images, 59 real annotators who answered or did not, one pass, {} orders. No law is \
         known: losses are those of the sampled actions.\n\n{}",
        cases[0].spec.runs,
        table(&["learner", "mean loss", "accuracy"], &loss_rows(&cases[0]))
    )
}

fn limits(rates: &[Case<'_>]) -> Result<String, String> {
    let curved = rates
        .iter()
        .find(|case| case.spec.stream[case.stream].name == "curved")
        .ok_or("there is no stream `curved`")?;
    let horizon = curved.spec.rounds as f64;
    let mut best = (f64::INFINITY, String::new());
    for (i, runs) in &curved.policies {
        let policy = curved.policy(*i);
        let price = mean(&regrets(runs));
        if is_hinge(policy) && price < best.0 {
            best = (price, policy.label().to_string());
        }
    }
    let lost =
        |name: &str| -> Result<f64, String> { Ok(mean(&regrets(runs(curved, name)?)) / horizon) };
    Ok(format!(
        "## Limits\n\n\
         - **Misspecified scores.** Both routers estimate scores by functions that are linear before a \
         link. On the stream `curved` linear scores can rank the actions, but no such function is the \
         probability of a class that jumps from 1/2 to 1, and a belief that is taken at its word is \
         confident where it should not be: it loses {:.4} a round over {} rounds. Corrected by how often \
         it turned out right (the default) it loses {:.4}; {} loses {:.4}. The correction is two numbers \
         for all inputs: overconfidence in one region that is made up for in another stays unseen.\n\
         - **Drift.** AdaGrad's steps only shrink, so what changes is followed ever more slowly; \
         synthetic setting 3, which drifts over its whole length, shows the price.\n\
         - **No guarantee.** SquareCB has a regret bound for square loss regression over a class that \
         contains the scores; nothing is proved here for the belief router, and the defaults were looked \
         at on these streams.\n\
         - **Feedback.** Both need the correctness bit and the cost in the same round.\n",
        lost("belief-raw")?,
        count(curved.spec.rounds.into()),
        lost(SUBJECT)?,
        best.1,
        best.0 / horizon
    ))
}

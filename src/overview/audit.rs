//! `audit.md`: what in the paper does not hold, with the smallest witness of each.

use super::heat::{self, Axes, Panel};
use crate::claims::{Context, availability, run as run_claims};
use crate::prec;
use audit::{Finding, Interval, Status, findings};
use lab::stream::synthetic::{Synthetic, SyntheticConfig};
use num_traits::{One, Signed, ToPrimitive, Zero};
use rayon::prelude::*;
use report::Document;
use report::words::{count, fraction, rounds, table};
use theory::availability::Mixture;
use theory::availability::phase::{Choice, OneExpert, critical_availability};
use theory::bounds::{Bound, ExplorationSum, concentrated_rounds_at_half, horizon};
use theory::concentration::{Concentration, Horizon, expert_limit};
use theory::gap::{ExactItem, exact_hinge_gap};
use theory::rational::{Rational, ratio};
use theory::schedule::Parameters;

const PHASE: &str = "audit-phase.svg";

pub(super) fn page() -> Result<Document, String> {
    let figures = vec![(PHASE.to_string(), diagram())];
    Ok(Document { name: "audit".into(), text: text()?, figures })
}

pub(super) fn text() -> Result<String, String> {
    let mut text = String::from(INTRO);
    text += &witness();
    text += &diagram_words();
    text += &surrogates()?;
    text += &setting_two()?;
    text += REPAIR;
    text += &concentrated()?;
    text += &tables_intro();
    findings().iter().for_each(|f| text += &finding(f));
    Ok(text)
}

const INTRO: &str = "\
# What does not hold

For readers of *Online Learning-to-Defer with Varying Experts*. Every number on this page is computed \
by `deferlab report` when the page is written; fractions are exact, and the only random draws are the \
seeded laws on which the ledger's checks try the surrogates. Each part says what is claimed, what we found, the smallest witness, how to see it again, \
and what would repair it. All claims, also those that hold, are in [ledger.md](ledger.md); what to use \
instead is in [frontier.md](frontier.md).

## 1. Zero gap when experts come and go

**Claim.** Thm 6.4 and 6.5 give sublinear true regret when the surrogate's minimizability gap is zero; \
the paper runs the constrained hinge with availability that varies, and introduces the algorithm as one \
with sublinear regret for experts who come and go.

**Found.** At one input the pointwise minimiser of the constrained hinge puts the best action exactly \
`K` above the others, `K` being the number of active actions. One matrix gives one score vector per \
input, and it cannot be `K` ahead for two different `K`. With an uncertain label the gap is positive \
whenever an expert comes and goes, and minimising the surrogate picks the wrong action: either the \
expert is never asked, or the classes are forgotten when the expert is away.

";

/// The stream everything starts from.
fn witness() -> String {
    let one =
        OneExpert { classes: 2, top: ratio(4, 5), expert: ratio(1, 1), availability: ratio(1, 2) };
    let phase = one.solve();
    let [x, y] = &phase.optimum;
    let critical = critical_availability(2, &one.top, &one.expert);
    format!(
        "**Smallest witness.** One input, two classes with `p = (4/5, 1/5)`, one expert who is free and \
         always right, there in every second round. The hinge optimum has raw scores `({x}, {}, {y})`: \
         it {}. Its gap is {} per round and its greedy action loses {} per round, although the matrix \
         that ranks expert, class 1, class 2 loses nothing. Deferring becomes cheaper for the hinge \
         only at an availability of {}.\n\n\
         In general, with `n` classes of which the likeliest has probability `p` and the others share \
         the rest, and an expert worth `s > p` who is there with probability `a`, the optimum sits at \
         one of two points: *never defer*, `a n (s - p)` above the pointwise optimum, or *tie all \
         classes*, `(1 - a)(n p - 1)` above it. So\n\n\
         ```text\nnever defers      while   a < (n p - 1) / (n s - 1)     losing  a (s - p) a round\n\
         forgets classes   above it                            losing  (1 - a)(p - 1/n) a round\n```\n\n\
         The first loss grows with the availability and the second falls with it; neither is zero for \
         any `a` strictly between 0 and 1 (unless `p = 1/n`, or `p = s`; and at the critical \
         availability itself both points are optimal, and some matrices between them are right).\n\n\
         **Again.** `deferlab verify --claim regret-sublinear` (exact optimum and a run), \
         `deferlab verify --claim availability-cstnd-hinge` (the grid), `deferlab reproduce witness` \
         (a million rounds; the regrets are in [frontier.md](frontier.md)).\n\n",
        -x,
        choice(phase.choice),
        fraction(&phase.gap),
        fraction(&phase.regret),
        fraction(&critical),
    )
}

fn choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Right => "is right everywhere",
        Choice::ForgetsClasses => "asks, and ties all classes when the expert is away",
        Choice::NeverDefers => "never defers",
        Choice::OtherwiseWrong => "is wrong or tied",
    }
}

fn diagram_words() -> String {
    format!(
        "![Where the hinge optimum is wrong]({PHASE})\n\n\
         *True regret per round of the hinge optimum, exactly, for one input and one expert (ties broken \
         evenly; 40 x 40 exact optima a panel, less than 1/32 of the scale is white). Left of the orange \
         line the optimum never defers, right of it it defers and ties the classes; below the end of the \
         line the expert is worth less than the best class. White cells on the line are exact ties between \
         the two, with a right matrix among the optimal ones. The marks are the witness above, and one \
         cluster of synthetic setting 2 (n = 6, noise 0.3, availability 0.7, cost 0.1/1.1) as if its other \
         two experts were not there.*\n\n"
    )
}

const CELLS: i64 = 40;

fn diagram() -> String {
    let axes = Axes { noise: (0.0, 0.5), darkest: 0.25 };
    let shapes = [2usize, 6].into_iter().flat_map(|n| {
        [
            ("free, right", ratio(1, 1)),
            ("right, cost 0.1/1.1", ratio(10, 11)),
            ("worth 4/5", ratio(4, 5)),
        ]
        .map(|(words, s)| (n, words, s))
    });
    let panels: Vec<Panel> = shapes
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(n, words, s)| panel(n, words, &s, &axes))
        .collect();
    heat::draw("True regret per round of the constrained hinge's optimum", &panels, 3, &axes)
}

fn panel(classes: usize, words: &str, expert: &Rational, axes: &Axes) -> Panel {
    let middle = |i: i64| ratio(2 * i + 1, 2 * CELLS);
    let noise = |r: i64| middle(r) / ratio(2, 1);
    let cell = |r: i64, c: i64| {
        let one = OneExpert {
            classes,
            top: Rational::one() - noise(r),
            expert: expert.clone(),
            availability: middle(c),
        };
        one.solve().regret.to_f64().unwrap_or(f64::NAN) / axes.darkest
    };
    let cells = (0..CELLS).map(|r| (0..CELLS).map(|c| cell(r, c)).collect()).collect();
    let mut boundary = Vec::new();
    for r in 0..=CELLS {
        let top = Rational::one() - ratio(r, 2 * CELLS);
        // Where the expert is no better than the class there is nothing to cross.
        if top < *expert && &Rational::from_integer(classes.into()) * &top > Rational::one() {
            let a = critical_availability(classes, &top, expert).to_f64().unwrap_or(f64::NAN);
            boundary.push((a, r as f64 / CELLS as f64));
        }
    }
    let marks = match (classes, expert.is_integer(), *expert == ratio(10, 11)) {
        (2, true, _) => vec![(0.5, 0.4, "witness")],
        (6, _, true) => vec![(0.7, 0.6, "setting 2")],
        _ => vec![],
    };
    Panel { title: format!("n = {classes}, expert {words}"), cells, boundary, marks }
}

/// The ten surrogates, as the ledger's checks judge them.
fn surrogates() -> Result<String, String> {
    let mut rows = Vec::new();
    for done in run_claims(availability::CLAIMS, Context::default().seed(), |_, _| {}) {
        let outcome = done.result.map_err(|e| format!("{}: {e}", done.claim.id))?;
        let name = done.claim.id.trim_start_matches("availability-").replace('-', "_");
        let verdict = match outcome.witness {
            None => "yes".to_string(),
            Some(_) => "**no**".to_string(),
        };
        rows.push(vec![
            format!("`{name}`"),
            verdict,
            outcome.verdict().to_string(),
            outcome.summary,
        ]);
    }
    Ok(format!(
        "**The ten surrogates of App. E.** Is there, at one input, one score vector that minimises the \
         loss for every active set at once, so that the best active action is always on top?\n\n{}\
         The log-ratio losses are served by `log s` up to a factor, whose restriction to any set is that \
         set's own minimiser. `sum_tau` and `cstnd_tau` are served too, but are not convex, and the \
         second only by scores that grow like `N^N`; `comp_mae` is served in the limit of infinite \
         scores and is not convex either. `sum_sq` has a positive gap as soon as availability varies, \
         yet keeps the right order when experts come and go independently of one another (the argument \
         is in `theory::availability`); with two experts who are only there together it does not. So of \
         the convex ones, `comp_exp`, `comp_log` and `sum_exp` can be used with varying experts as they \
         are.\n\n",
        table(&["surrogate", "serves all sets", "verdict", "evidence"], &rows)
    ))
}

fn optimum(mixture: &Mixture) -> Result<Option<(Rational, Rational)>, String> {
    let item = |(weight, active): &(Rational, problem::ActiveSet)| ExactItem {
        weight: weight.clone(),
        x: vec![Rational::zero()],
        active: *active,
        s: mixture.scores(*active),
    };
    let items: Vec<ExactItem> = mixture.sets.iter().map(item).collect();
    let gap = exact_hinge_gap(mixture.space, &items).map_err(|e| e.to_string())?;
    Ok(gap.map(|gap| {
        let v: Vec<Rational> = gap.matrix.iter().map(|row| row[1].clone()).collect();
        (gap.gap_per_round, mixture.true_regret(&v))
    }))
}

/// Synthetic setting 2 (App. G.2): six classes; on a cluster one expert knows the label, two guess.
fn setting_two() -> Result<String, String> {
    let right = ratio(10, 11);
    let guess = &right / ratio(6, 1);
    let cells: Vec<(i64, i64)> =
        [1, 3, 5].into_iter().flat_map(|noise| [1, 3, 5, 7, 9].map(|a| (noise, a))).collect();
    let row = |&(noise, a): &(i64, i64)| -> Result<(Vec<String>, Option<Rational>), String> {
        let mut p = vec![ratio(noise, 50); 6];
        p[0] = ratio(10 - noise, 10);
        let experts = [right.clone(), guess.clone(), guess.clone()];
        let often = vec![ratio(a, 10); 3];
        let mixture = Mixture::independent(&p, &experts, &often).map_err(|e| e.to_string())?;
        let found = optimum(&mixture)?;
        let (gap, regret) = match &found {
            Some((gap, regret)) => (fraction(gap), fraction(regret)),
            None => ("not certified".into(), "not certified".into()),
        };
        let cells = vec![format!("0.{noise}"), format!("0.{a}"), gap, regret];
        Ok((cells, found.map(|(gap, _)| gap)))
    };
    let solved: Result<Vec<_>, String> = cells.par_iter().map(row).collect();
    let (rows, gaps): (Vec<_>, Vec<Option<Rational>>) = solved?.into_iter().unzip();
    let positive = gaps.iter().flatten().filter(|gap| gap.is_positive()).count();
    let critical = critical_availability(6, &ratio(7, 10), &right);
    let side = if ratio(7, 10) < critical { "never deferring" } else { "forgetting the classes" };
    Ok(format!(
        "**Where synthetic setting 2 lies.** Its clusters are linearly separable, so each is an input of \
         its own for a matrix. On four of the six the label is flipped with probability 0.3 at the start, \
         one expert copies the label and two guess (worth 10/11 and 5/33 at cost 0.1/1.1), and everybody is \
         there with probability 0.7 at the start; noise and availability then wander over all of [0, 1]. \
         With the knowing expert alone the formula above gives a critical availability of {}: setting 2 \
         starts on the side of {side}. With all three experts (eight active sets, the linear program \
         solved in exact fractions):\n\n{}\
         The gap is positive in {positive} of {} cells; where it is, neither Thm 6.4 nor Thm 6.5 applies. \
         The last column is what the greedy action of the optimal matrix that was found loses (ties broken \
         evenly); where several matrices are optimal, others can lose more or less.\n\n",
        fraction(&critical),
        table(
            &["label noise", "availability", "hinge gap per round", "true regret per round"],
            &rows
        ),
        gaps.len()
    ))
}

const REPAIR: &str = "\
**Repair.** Either fix the number of active actions at every input (experts may replace one another: \
`zero-gap-constant-size` in the ledger), or use a surrogate whose minimiser is made of the scores \
themselves: Algorithm 1 with `comp_log` keeps its analysis (convex, zero-sum gradients) and loses the \
defect. Or estimate the scores and leave the surrogate out: see [frontier.md](frontier.md).

";

/// The sizes of the paper's experiments.
fn concentrated() -> Result<String, String> {
    let synthetic = Synthetic::new(&SyntheticConfig::default(), 0).map_err(|e| e.to_string())?;
    let unit = std::f64::consts::SQRT_2;
    let sizes = [
        ("smallest possible (n = 2, one expert)", 3usize, unit, 0u128),
        ("synthetic, raw features", 9, synthetic.inputs().rho(), 100_000),
        ("synthetic, unit norm", 9, unit, 100_000),
        ("Reuters4", 7, unit, 100_000),
        ("CIFAR10H, unit norm", 13, unit, 10_000),
    ];
    // A certain label among `classes`, one expert worth `s`.
    let reach = |classes: usize, s: Rational| -> Result<String, String> {
        let mut scores = vec![Rational::zero(); classes];
        scores[0] = Rational::one();
        scores.push(s);
        let round = Concentration::new(classes, scores).map_err(|e| e.to_string())?;
        Ok(match round.largest_horizon() {
            Horizon::UpTo(t) => count(t),
            Horizon::Unlimited => "any T".into(),
        })
    };
    let mut rows = Vec::new();
    let mut always_half = true;
    for (name, actions, rho, played) in sizes {
        let p = Parameters::new(actions as f64, actions, rho).map_err(|e| e.to_string())?;
        let from =
            |bound| horizon(p, bound).map_or("beyond 2^120".to_string(), |h| rounds(h.at_most));
        always_half &= played <= concentrated_rounds_at_half(p);
        rows.push(vec![
            name.to_string(),
            actions.to_string(),
            format!("{rho:.2}"),
            if played == 0 { "-".into() } else { count(played) },
            rounds(concentrated_rounds_at_half(p)),
            from(Bound::Concentrated(ExplorationSum::Stated)),
            from(Bound::True),
        ]);
    }
    let limits: Vec<Vec<String>> = [100u64, 10_000, 100_000, 1_000_000]
        .iter()
        .map(|&t| {
            let limit = expert_limit(t).unwrap_or(f64::NAN);
            vec![count(t.into()), format!("{limit:.5}"), format!("{:.5}", 1.0 / (t as f64).sqrt())]
        })
        .collect();
    Ok(format!(
        "## 2. The concentrated-score condition of Thm 6.5\n\n\
         **Claim.** With `s-bar(y_max) >= 1 - 1/sqrt(T)` in every round the regret is of order `sqrt(T)`.\n\n\
         **Found.** The normalised score `s-bar` divides by the mass of classes *and* experts, and the \
         class scores alone add up to one. From `T > 4` on the condition forces the best action to be a \
         class that is wrong with probability at most `1/sqrt(T)`, and the scores of all available experts \
         *together* to be at most `1/(sqrt(T) - 1)`: where the theorem applies, no expert is worth \
         anything.\n\n{}\
         **Smallest witness.** A certain label and one expert. Who always answers right, free: the \
         condition holds up to `T = {}`. Who guesses among ten labels at the paper's cost (score 1/11): \
         up to `T = {}` (both exact).\n\n\
         Its exploration rate `min(1/2, kappa/sqrt t)`, `kappa = B N^(3/2) rho`, stays at 1/2 for \
         `4 kappa^2` rounds. With `B = N`, the smallest radius the theorem allows:\n\n{}\
         {}\n\n\
         **Again.** `deferlab verify --claim thm-6.5-condition`, `deferlab eval` with kind `bounds`.\n\n\
         **Repair.** Ask for concentration among the classes given that no expert is asked, and for a \
         margin between the best and the second action instead of a share of the mass; drop `N^(3/2)` \
         from the exploration by estimating scores without importance weights.\n\n",
        table(&["T", "all experts together at most", "error of the best class at most"], &limits),
        reach(2, ratio(1, 1))?,
        reach(10, ratio(1, 11))?,
        table(
            &[
                "experiment",
                "N = B",
                "rho",
                "rounds played",
                "rounds at exploration 1/2",
                "bound of Thm 6.5 below T from",
                "bound of Thm 6.4 below T from",
            ],
            &rows
        ),
        if always_half {
            "In every one of these experiments the rates of Thm 6.5 would explore in half of all rounds, \
             from the first to the last."
        } else {
            "In some of these experiments exploration falls below 1/2 before the end."
        },
    ))
}

fn tables_intro() -> String {
    format!(
        "## 3. The published tables\n\n\
         **Claim.** The tables of App. G are averages of the stated protocol. **How it is checked:** a \
         printed number stands for every value that rounds to it; an identity that the protocol implies \
         is evaluated on these intervals, widened by chance where chance enters (a false alarm has \
         probability at most {:e} each). A reading that fits is possible, not proved. **Again:** \
         `deferlab audit`.\n\n",
        prec::AUDIT_FALSE_ALARM
    )
}

fn interval(i: Interval) -> String {
    if i.low == i.high { format!("{:.5}", i.low) } else { format!("[{:.5}, {:.5}]", i.low, i.high) }
}

fn finding(f: &Finding) -> String {
    let verdict = match f.status {
        Status::Consistent => "consistent".to_string(),
        Status::ConsistentByRounding => "consistent within rounding and chance".to_string(),
        Status::Inconsistent => format!("**inconsistent by {:.4}**", f.misses_by),
    };
    let mut text = format!(
        "### `{}`: {verdict}\n\n{}: {}. Expected `{}` = {}; published {}. {}.\n\n",
        f.id,
        f.reference,
        f.statement,
        f.formula,
        interval(f.expected),
        interval(f.published),
        capital(f.remark)
    );
    if f.status == Status::Inconsistent {
        let fitting: Vec<&str> =
            f.readings.iter().filter(|r| r.fits).map(|r| r.name.as_str()).collect();
        text += &match fitting.as_slice() {
            [] => format!("None of the {} other readings tried fits.\n\n", f.readings.len()),
            fits => format!("What would make it consistent: {}.\n\n", fits.join("; or ")),
        };
        let row = |r: &audit::Reading| {
            let fit = if r.fits { "fits".into() } else { format!("off by {:.4}", r.misses_by) };
            vec![r.name.clone(), interval(r.expected), fit]
        };
        let rows: Vec<Vec<String>> = f.readings.iter().map(row).collect();
        text += &table(&["reading", "gives", "fit"], &rows);
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or(String::new(), |c| c.to_uppercase().collect::<String>() + letters.as_str())
}

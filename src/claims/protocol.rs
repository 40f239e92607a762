//! Sec. 4.1, App. A and B: who must randomise, how many arms there are and how many active sets.

use super::exact::{ExactLaw, integer};
use super::{Checked, Claim, Context, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::problem::ActionSpace;
use crate::theory::{Rational, ratio};
use num_traits::One;
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "randomisation-forced",
        reference: "Sec. 4.1 (announced there for App. B, which does not have it)",
        statement: "The learner has to randomise. For every deterministic rule there is a \
                    sequence, fixed in advance, on which its regret is at least T / n.",
        hypotheses: &["the law of the label may change with the round"],
        check: |_| Ok(forced(true)),
        saboteurs: &[refuted("fixed-law", "the same when the label is always the same", |_| {
            Ok(forced(false))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "classifier-only-benchmark",
        reference: "Sec. 4.3",
        statement: "Regret against the best fixed deferral strategy also bounds the regret against a \
                    classifier-only strategy, if that classifier is in the class.",
        hypotheses: &["finite classes of rules in exact fractions"],
        check: |context| Ok(embedded(context, true)),
        saboteurs: &[refuted("outside", "the classifier need not be in the class", |context| {
            Ok(embedded(context, false))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "app-a-arms",
        reference: "App. A",
        statement: "With a fixed pool of experts the problem is a contextual bandit with n + n_e \
                    arms, whose expected rewards are the scores.",
        hypotheses: &["the pool does not change"],
        kind: Kind::Definition,
        check: |_| Ok(arms(|n, n_e| n + n_e)),
        saboteurs: &[refuted("one-arm-less", "n + n_e - 1 arms", |_| {
            Ok(arms(|n, n_e| n + n_e - 1))
        })],
        ..Claim::BLANK
    },
    Claim {
        id: "app-b-components",
        reference: "App. B",
        statement: "A comparator with one component for every availability pattern has 2^n_e of \
                    them.",
        hypotheses: &["any set of experts may be the available one"],
        kind: Kind::Definition,
        check: |_| components(|n_e| 1 << n_e),
        saboteurs: &[refuted("non-empty", "2^n_e - 1 of them", |_| {
            components(|n_e| (1 << n_e) - 1)
        })],
        ..Claim::BLANK
    },
];

/// A deterministic rule: the next class from the labels so far, among `n`.
type Rule = fn(&[usize], usize) -> usize;

fn leader(labels: &[usize], n: usize) -> usize {
    let count = |a: usize| labels.iter().filter(|&&y| y == a).count();
    (1..n).fold(0, |best, a| if count(a) > count(best) { a } else { best })
}

const RULES: [(&str, Rule); 4] = [
    ("always class 0", |_, _| 0),
    ("in turn", |labels, n| labels.len() % n),
    ("the last label", |labels, n| labels.last().map_or(0, |y| y % n)),
    ("the most frequent label", leader),
];

/// The rule is known, so its mistakes can be written down before it starts. `against` says whether
/// the label is made to miss the rule, or is the last class throughout.
fn forced(against: bool) -> Outcome {
    let mut tally = Tally::default();
    for n in 2..=4usize {
        for (name, rule) in RULES {
            for rounds in [1usize, 7, 60] {
                let (mut labels, mut wrong) = (Vec::new(), 0usize);
                for t in 0..rounds {
                    let played = rule(&labels, n);
                    let y = if against { (played + 1 + t % (n - 1)) % n } else { n - 1 };
                    wrong += usize::from(y != played);
                    labels.push(y);
                }
                let best = rounds - labels.iter().filter(|&&y| y == leader(&labels, n)).count();
                let regret = integer(wrong) - integer(best);
                tally.at_most(
                    &ratio(rounds as i64, n as i64),
                    &regret,
                    || json!({ "rule": name, "n": n, "T": rounds, "regret": regret.to_string() }),
                );
            }
        }
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "rules, class counts and horizons")
        .with("argument", "the rule errs on every round; some class is the label on T / n of them")
}

/// Three rounds with two classes and one expert, a few rules (an action for every round) as the class, and
/// rules that never ask. `inside` says whether the classifier is added to the class.
fn embedded(context: &Context, inside: bool) -> Outcome {
    let mut rng = context.rng("classifier-only-benchmark");
    let mut tally = Tally::default();
    for _ in 0..500 {
        let laws: Vec<ExactLaw> = (0..3).map(|_| ExactLaw::random(&mut rng, 2, 1)).collect();
        let rule = |rng: &mut Pcg64, actions: usize| -> Vec<usize> {
            (0..3).map(|_| rng.random_range(0..actions)).collect()
        };
        let risk = |rule: &[usize]| -> Rational {
            laws.iter().zip(rule).map(|(law, &a)| Rational::one() - &law.scores()[a]).sum()
        };
        let mut class: Vec<Vec<usize>> = (0..4).map(|_| rule(&mut rng, 3)).collect();
        let (classifier, learner) = (rule(&mut rng, 2), rule(&mut rng, 3));
        if inside {
            class.push(classifier.clone());
        }
        let best = class.iter().map(|r| risk(r)).min().unwrap_or_default();
        let (stated, against) = (risk(&learner) - best, risk(&learner) - risk(&classifier));
        tally.at_most(&against, &stated, || {
            json!({ "laws": laws.iter().map(ExactLaw::show).collect::<Vec<_>>(),
                       "class": class, "classifier": classifier, "learner": learner })
        });
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "classes of rules in exact fractions")
        .with("argument", "an infimum over the class is at most the value of any member")
}

fn arms(stated: fn(usize, usize) -> usize) -> Outcome {
    let mut tally = Tally::default();
    for n in 2..=3usize {
        for n_e in 0..=2usize {
            for law in ExactLaw::vertices(n, n_e) {
                let scores = law.scores();
                tally.equal(&integer(scores.len()), &integer(stated(n, n_e)), || law.show());
                for (a, s) in scores.iter().enumerate() {
                    let reward = |y: usize| &law.p[y] * (ratio(1, 1) - law.loss(a, y));
                    let expected = (0..n).map(reward).sum();
                    tally.equal(s, &expected, || law.show());
                    tally.at_most(s, &Rational::one(), || law.show());
                }
            }
        }
    }
    tally
        .outcome(Verdict::Holds, Grade::Argued, "arms of laws at the vertices, n <= 3, n_e <= 2")
        .with(
            "argument",
            "an arm for every class and every expert of the pool; the score of an arm is the expectation \
             of one minus its loss, by definition",
        )
}

fn components(stated: fn(usize) -> usize) -> Checked {
    let mut tally = Tally::default();
    for n_e in 0..=10usize {
        let space = ActionSpace::new(2, n_e)?;
        let mut sets = BTreeSet::new();
        for mask in 0..1usize << n_e {
            let active = space.active((0..n_e).filter(|j| mask >> j & 1 == 1))?;
            sets.insert(active.iter().map(|a| a.index()).collect::<Vec<_>>());
        }
        let case = || json!({ "n_e": n_e, "sets": sets.len() });
        tally.equal(&integer(sets.len()), &integer(stated(n_e)), case);
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Argued, "pool sizes with their active sets, n_e <= 10")
        .with("argument", "every expert is there or not, independently of the others"))
}

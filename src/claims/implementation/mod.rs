//! Checks of an implementation of Algorithm 1, whoever wrote it.
//!
//! A check drives a [`Subject`] and returns evidence, or a sentence with numbers that says what is
//! wrong. It compares with `reference`, which is written from the formulas alone, and mostly
//! round by round from the subject's own weights, so that one fault gives one finding.
//!
//! | question | module |
//! |---|---|
//! | are active set, scores and `q` right? | `decisions` |
//! | is the loss estimate unbiased? | `estimate`, `monte_carlo` |
//! | is the step the stated one? | `step`, `ball` |
//! | does it start anew, repeat itself, refuse nonsense, and hold over many rounds? | `life` |
//! | is it right for other sizes, inputs, costs, kinds of learners, and late in a run? | `wide`, `long` |

pub(crate) mod ball;
pub(crate) mod decisions;
pub(crate) mod estimate;
pub(crate) mod life;
mod long;
pub(crate) mod monte_carlo;
pub(crate) mod probe;
pub(crate) mod reference;
pub(crate) mod rounds;
mod sentences;
pub(crate) mod step;
mod wide;

use crate::subject::{InProcess, Subject};

use super::{CheckFailure, Claim, Context, Grade, Kind, Outcome, Owner, Verdict};
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, SubjectError, SubjectSpec};
use serde::Serialize;

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// There were no answers to look at.
    #[error(transparent)]
    Broken(#[from] SubjectError),
    /// The answers are wrong: a sentence with numbers.
    #[error("{0}")]
    Wrong(String),
}

impl Failure {
    /// The same of a part of the check.
    fn of(self, part: &str) -> Self {
        match self {
            Failure::Wrong(sentence) => Failure::Wrong(format!("{part}: {sentence}")),
            broken => broken,
        }
    }
}

/// What a check found: evidence, or a failure.
pub(crate) type CheckEvidence = Result<String, Failure>;

/// One property of Algorithm 1 that an implementation must have.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// Such as `impl-unbiased-gradient`.
    pub(crate) id: &'static str,
    /// Where the paper says so.
    pub(crate) reference: &'static str,
    /// The property in one sentence.
    pub(crate) statement: &'static str,
    /// Puts a subject through it; the second argument is the seed of the harness.
    pub(crate) run: fn(&mut dyn Subject, u64) -> CheckEvidence,
    /// Whether the protocol asks for it, so that it is fair to expect of anyone.
    pub(crate) in_protocol: bool,
}

/// Writes the table of checks once, for subjects and for the ledger.
macro_rules! checks {
    ($($id:literal, $reference:literal, $run:path, $good:ident, $in_protocol:literal,
        $statement:literal;)*) => {
        /// All checks, in the order in which a fault is easiest to understand.
        pub(crate) const CHECKS: &[Check] = &[$(Check {
            id: $id,
            reference: $reference,
            statement: $statement,
            run: $run,
            in_protocol: $in_protocol,
        }),*];

        /// The same as claims about the learner of this project.
        pub(crate) const CLAIMS: &[Claim] = &[$(Claim {
            id: $id,
            reference: $reference,
            statement: $statement,
            hypotheses: &["constrained hinge", "this project's learner as the subject"],
            kind: Kind::Implementation,
            owner: Owner::Implementation,
            check: |context| verdict(&$run, Verdict::$good, context),
            ..Claim::BLANK
        }),*];
    };
}

checks! {
    "impl-active-set", "Sec. 4.1", decisions::active_set, Holds, true,
        "The active actions are all classes and the available experts, nobody else.";
    "impl-scores", "Prop. 6.1", decisions::scores, Holds, true,
        "Scores are those of W projected on K_A: zero-sum over the active actions.";
    "impl-mixture", "Sec. 4.1, Thm 6.3, 6.5, App. G", decisions::mixture, Holds, true,
        "q mixes the greedy action with uniform exploration at the schedule's gamma_t.";
    "impl-ties", "Alg. 1", decisions::ties, Holds, true,
        "Of several best actions the one with the lowest index is greedy.";
    "impl-importance-weight", "Sec. 6.1", estimate::importance_weight, Holds, true,
        "A class counts 1{y' = y}/q(y'), an expert (1 - c_j)/q(n+j).";
    "impl-unbiased-gradient", "Sec. 6.1", estimate::unbiased_gradient, Holds, true,
        "Averaged over the sampled action, the step is the one of the exact loss.";
    "impl-monte-carlo", "Sec. 6.1", monte_carlo::unbiased, Consistent, true,
        "Averaged over sampled labels and actions, the estimate is the conditional risk.";
    "impl-two-actions", "Alg. 1", estimate::two_actions, Holds, true,
        "With two classes and nobody available, and only then, the exact loss is used.";
    "impl-full-feedback", "Sec. 4.1, Def. 4.3", estimate::full_feedback, Holds, true,
        "With full feedback gamma is 0 and the step is that of the exact loss.";
    "impl-projected-gradient", "Alg. 1, Prop. 6.1", step::projected_gradient, Holds, true,
        "Active rows of the step sum to zero, rows of absent experts do not move.";
    "impl-outer-product", "Sec. 6.1", step::outer_product, Holds, true,
        "The step is a column of coefficients times (x, 1), bias included.";
    "impl-kink", "App. E (constrained hinge)", step::kink, Holds, true,
        "Where 1 + u = 0 the subgradient coefficient is 0.";
    "impl-step-size", "Thm 6.3, 6.5, App. G", step::step_size, Holds, true,
        "Round t, counted from 1, takes a step of size eta_t.";
    "impl-adagrad", "Sec. 7.2", step::adagrad, Holds, true,
        "AdaGrad divides by the root of the summed squares of the projected gradients.";
    "impl-ball", "Alg. 1", ball::ball, Holds, true,
        "W stays in the Frobenius ball, bias included, by Euclidean projection.";
    "impl-long-run", "Alg. 1", life::long_run, Holds, true,
        "Over thousands of rounds the weights are those of the stated recursion.";
    "impl-restart", "Alg. 1", life::restart, Holds, true,
        "A new start forgets all that was learned before it.";
    "impl-repeatable", "Alg. 1", life::repeatable, Holds, true,
        "The same inputs give the same outputs, and looking at W changes nothing.";
    "impl-sizes", "Alg. 1", wide::sizes, Holds, true,
        "The round is the stated one for few and many classes, experts and features.";
    "impl-inputs", "Alg. 1", wide::inputs, Holds, true,
        "The round is the stated one for tiny, huge, one-sided, sparse and zero inputs.";
    "impl-costs", "Sec. 3, 6.1", wide::costs, Holds, true,
        "The round is the stated one for costs of 0, of 1 and close to them.";
    "impl-combinations", "Alg. 1", wide::combinations, Holds, true,
        "The round is the stated one in rare combinations of size, input, cost, radius and schedule.";
    "impl-late", "Thm 6.3", long::late, Holds, true,
        "Rates and weights are the stated ones after tens of thousands of rounds.";
    "impl-returns", "Alg. 1", long::returns, Holds, true,
        "An expert who comes back after a thousand rounds is the one who left.";
    "impl-refusals", "Sec. 4.1", life::refusals, Holds, false,
        "Outcomes that cannot belong to the round are refused and change nothing.";
}

/// The verdict of a check on the project's own learner; `good` says what kind of evidence it is.
fn verdict(
    run: &dyn Fn(&mut dyn Subject, u64) -> CheckEvidence,
    good: Verdict,
    context: &Context,
) -> Result<Outcome, CheckFailure> {
    let said = |verdict, sentence: String| {
        let grade = if good == Verdict::Consistent { Grade::Sampled } else { Grade::Searched };
        Outcome::new(verdict, grade, sentence.clone())
            .with("subject", "the learner of this project, in process")
            .with("seed", context.seed())
            .with("found", sentence)
    };
    match run(&mut InProcess::default(), context.seed()) {
        Ok(evidence) => Ok(said(good, evidence)),
        Err(Failure::Wrong(sentence)) => Ok(said(Verdict::Fails, sentence)),
        Err(Failure::Broken(error)) => Err(error.into()),
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    /// The property holds wherever it was looked at.
    Passed,
    /// The answers are wrong.
    Wrong,
    /// There were no answers.
    Broken,
    /// Not tried; never to be shown as passed.
    NotRun,
}

/// What a check says about a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SubjectFinding {
    /// Id of the check.
    pub(crate) check: &'static str,
    /// Where the paper says so.
    pub(crate) reference: &'static str,
    /// The property in one sentence.
    pub(crate) statement: &'static str,
    /// How it ended.
    pub(crate) standing: Standing,
    /// Evidence, or what is wrong, in finding.
    pub(crate) finding: String,
}

const OUTSIDE: &str = "not part of the subject protocol";

impl SubjectFinding {
    fn new(check: &Check, standing: Standing, finding: impl Into<String>) -> Self {
        let Check { id, reference, statement, .. } = *check;
        SubjectFinding { check: id, reference, statement, standing, finding: finding.into() }
    }

    /// Not run because nobody promised it.
    #[must_use]
    pub(crate) fn is_outside_protocol(&self) -> bool {
        self.standing == Standing::NotRun && self.finding == OUTSIDE
    }
}

/// Puts a subject through all checks, a fresh one for each. After a hang the rest is not run: it
/// would take as long again.
pub(crate) fn examine<'a>(
    mut start: impl FnMut() -> Result<Box<dyn Subject + 'a>, SubjectError>,
    seed: u64,
) -> impl Iterator<Item = SubjectFinding> {
    let mut hung = false;
    CHECKS.iter().map(move |check| {
        if hung {
            return SubjectFinding::new(check, Standing::NotRun, "the subject hangs");
        }
        if !check.in_protocol {
            return SubjectFinding::new(check, Standing::NotRun, OUTSIDE);
        }
        match start().map_err(Failure::from).and_then(|mut s| (check.run)(s.as_mut(), seed)) {
            Ok(evidence) => SubjectFinding::new(check, Standing::Passed, evidence),
            Err(Failure::Wrong(sentence)) => SubjectFinding::new(check, Standing::Wrong, sentence),
            Err(Failure::Broken(error)) => {
                // The next process would cost as long.
                hung = matches!(error, SubjectError::Hung { .. } | SubjectError::TooSlow { .. });
                SubjectFinding::new(check, Standing::Broken, error.to_string())
            }
        }
    })
}

/// The check called `id`.
#[cfg(test)]
#[must_use]
pub(crate) fn check(id: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.id == id)
}

/// Three classes, three experts, four features, and so much room that the ball is out of reach for
/// ten rounds: a step is at most `B sqrt 2 / rho t^{-2/3}`, since `N^{3/2}` covers the largest
/// importance weight and `|(x, 1)| <= sqrt 2`.
fn wide_ball() -> SubjectSpec {
    SubjectSpec {
        n: 3,
        n_e: 3,
        d: 4,
        radius: 30.0,
        rho: 6.0,
        surrogate: "cstnd_hinge".into(),
        optimizer: OptimizerName::Ogd,
        schedule: ScheduleName::General,
        feedback: FeedbackKind::Bandit,
    }
}

/// Powers of two all the way: with `x = 1` every number of the first rounds is exact in any order
/// of operations. `eta_1 = B / (N^{3/2} rho) = 1/2`.
fn dyadic() -> SubjectSpec {
    SubjectSpec { n: 3, n_e: 1, d: 1, radius: 8.0, rho: 2.0, ..wide_ball() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_of_the_protocol_is_run_once() {
        let mut start = || Ok(Box::new(InProcess::default()) as Box<dyn Subject>);
        let found: Vec<SubjectFinding> = examine(&mut start, 1).collect();
        assert_eq!(found.len(), CHECKS.len());
        for (finding, check) in found.iter().zip(CHECKS) {
            assert_eq!(finding.check, check.id);
            assert_eq!(finding.is_outside_protocol(), !check.in_protocol);
            assert_eq!(finding.standing == Standing::Passed, check.in_protocol);
        }
        let hang = SubjectFinding::new(&CHECKS[0], Standing::NotRun, "the subject hangs");
        assert!(!hang.is_outside_protocol());
        let odd = SubjectFinding::new(&CHECKS[0], Standing::Passed, OUTSIDE);
        assert!(!odd.is_outside_protocol());
        assert_eq!(check("impl-ball").map(|c| c.id), Some("impl-ball"));
        assert!(check("impl-no-such-thing").is_none());
    }
}

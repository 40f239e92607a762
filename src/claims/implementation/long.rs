//! Long runs: rates and weights where rounding, a narrow counter or a long absence would show. The weights
//! are looked at now and then, against the recursion.

use super::probe::Probe;
use super::reference::{self, State};
use super::wide::{Case, Inputs, KINDS, harness, of_kind};
use super::{CheckEvidence, Failure, decisions, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, Subject, SubjectFeedback, SubjectSpec};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::ops::Range;

/// A run, how often the weights are looked at, and the rounds in which no expert is there.
struct LongRun {
    case: Case,
    look: u64,
    away: Range<u64>,
}

/// Plays it; the largest relative difference.
fn follow(subject: &mut dyn Subject, rng: &mut Pcg64, run: &LongRun) -> Result<f64, Failure> {
    let Case { spec, inputs, rounds } = &run.case;
    let mut probe = Probe::start(subject, spec)?;
    let mut state = State::new(spec);
    let mut worst = 0.0f64;
    for t in 1..=*rounds {
        let mut round = inputs.draw(spec, rng);
        if run.away.contains(&t) {
            round.available.clear();
        }
        let seen = probe.decide(&round)?;
        decisions::is_mixture(spec, t, &seen)?;
        let outcome = match spec.feedback {
            FeedbackKind::Full => SubjectFeedback::Full { label: round.label, costs: &round.costs },
            _ => round.outcome(spec, seen.sample(rng.random())),
        };
        probe.observe(outcome)?;
        let u = reference::scores(&state.w, &round.x, &seen.active);
        let targets = reference::targets(spec, &seen.active, &seen.q, outcome);
        let g = reference::coefficients(&u, &targets);
        let gradient = reference::gradient(spec, &seen.active, &g, &round.x);
        state.step(spec, reference::rates(spec, t).0, &gradient);
        if t % run.look == 0 || t == *rounds {
            let context = format!("after round {t}");
            let got = probe.weights()?;
            let tolerance = prec::SUBJECT_AGREES;
            worst = worst.max(sentences::same_weights(spec, &context, &state.w, &got, tolerance)?);
            // From here on with the subject's own, so that roundings do not add up.
            state.w = got;
        }
    }
    Ok(worst)
}

/// Rounds of the longest run: beyond sixteen bits.
const LATE: u64 = 66_000;

/// Rounds of the other kinds of learners: the exploration of all schedules falls before half of them.
const LATE_KINDS: u64 = 4_000;

/// A run that is longer than any other, and shorter ones of all other kinds of learners.
pub(crate) fn late(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 214);
    let spec = SubjectSpec { n: 2, n_e: 1, d: 1, radius: 3.0, ..wide_ball() };
    let inputs = Inputs::with_experts(0.8);
    let others = KINDS[1..].iter().map(|&kind| {
        let n = if kind.1 == OptimizerName::Adagrad { 3 } else { 2 };
        (SubjectSpec { n, ..of_kind(spec.clone(), kind) }, LATE_KINDS)
    });
    let runs: Vec<(SubjectSpec, u64)> = others.chain([(spec.clone(), LATE)]).collect();
    let rounds: u64 = runs.iter().map(|(_, rounds)| rounds).sum();
    let count = runs.len();
    let mut worst = 0.0f64;
    for (spec, rounds) in runs {
        let case = Case::new(spec, inputs, rounds);
        let run = LongRun { case, look: 1_500, away: 0..0 };
        worst = worst.max(follow(subject, &mut rng, &run)?);
    }
    Ok(format!("{rounds} rounds of {count} runs, largest relative difference {worst:.1e}"))
}

/// Experts who come back after a thousand rounds, on every schedule: nobody has changed them.
pub(crate) fn returns(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 215);
    let schedules = [ScheduleName::General, ScheduleName::Concentrated, ScheduleName::Experiment];
    let mut worst = 0.0f64;
    for schedule in schedules {
        let spec = SubjectSpec { n_e: 2, d: 2, radius: 3.0, schedule, ..wide_ball() };
        let case = Case::new(spec, Inputs::USUAL, 1_200);
        let run = LongRun { case, look: 100, away: 100..1_100 };
        worst = worst.max(follow(subject, &mut rng, &run)?);
    }
    Ok(format!(
        "3 runs of 1200 rounds, 1000 without experts, largest relative difference {worst:.1e}"
    ))
}

//! Many rounds, new starts, repetitions, refusals.

use super::probe::{Probe, Seen};
use super::reference::{Matrix, State};
use super::rounds::Rounds;
use super::{CheckEvidence, Failure, ball, decisions, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, Subject, SubjectFeedback, SubjectSpec};

/// Rounds between two looks at the weights.
const LOOK: u64 = 25;

/// The recursion carried along on our side, from `W = 0`; actions are sampled from the subject's
/// `q` once that is found to be the stated one.
pub(crate) fn long_run(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let adagrad = SubjectSpec { optimizer: OptimizerName::Adagrad, radius: 3.0, ..wide_ball() };
    let concentrated =
        SubjectSpec { schedule: ScheduleName::Concentrated, radius: 0.05, ..wide_ball() };
    let full = SubjectSpec { feedback: FeedbackKind::Full, ..ball::tight() };
    let runs = [
        ("general", ball::tight(), 1500),
        ("adagrad", adagrad, 1000),
        ("concentrated", concentrated, 500),
        ("experiment", ball::tighter(), 500),
        ("full feedback", full, 500),
    ];
    let (mut length, mut worst, count) = (0, 0.0f64, runs.len());
    for (run, (name, spec, rounds)) in runs.into_iter().enumerate() {
        worst = worst.max(follow(subject, name, &spec, rounds, (seed, 160 + run as u64))?);
        length += rounds;
    }
    Ok(format!("{length} rounds in {count} runs, largest relative difference {worst:.1e}"))
}

fn follow(
    subject: &mut dyn Subject,
    name: &str,
    spec: &SubjectSpec,
    length: u64,
    (seed, purpose): (u64, u64),
) -> Result<f64, Failure> {
    let mut rounds = Rounds::new(spec, seed, purpose).one_sided();
    let mut probe = Probe::start(subject, spec)?;
    let mut state = State::new(spec);
    let mut worst = 0.0f64;
    for t in 1..=length {
        let round = rounds.next_round();
        let seen = probe.decide(&round)?;
        decisions::is_mixture(spec, t, &seen).map_err(|f| f.of(&format!("{name} run")))?;
        let outcome = match spec.feedback {
            FeedbackKind::Bandit => round.outcome(spec, seen.sample(rounds.quantile())),
            _ => SubjectFeedback::Full { label: round.label, costs: &round.costs },
        };
        probe.observe(outcome)?;
        state.learn(spec, t, &round.x, (&seen.active, &seen.q), outcome);
        if t % LOOK == 0 || t == length {
            let context = format!("{name} run, after round {t}");
            let got = probe.weights()?;
            let tolerance = prec::SUBJECT_AGREES;
            worst = worst.max(sentences::same_weights(spec, &context, &state.w, &got, tolerance)?);
        }
    }
    Ok(worst)
}

/// Decisions and final weights of a short run.
fn record(
    subject: &mut dyn Subject,
    spec: &SubjectSpec,
    (seed, purpose): (u64, u64),
    look: bool,
) -> Result<(Vec<Seen>, Matrix), Failure> {
    let mut rounds = Rounds::new(spec, seed, purpose);
    let mut probe = Probe::start(subject, spec)?;
    let mut decisions = Vec::new();
    for _ in 0..12 {
        let round = rounds.next_round();
        let seen = probe.decide(&round)?;
        let action = seen.sample(rounds.quantile());
        probe.play(&round.rewarding(spec, action), action)?;
        if look {
            probe.weights()?;
        }
        decisions.push(seen);
    }
    let w = probe.weights()?;
    Ok((decisions, w))
}

fn same_run(
    spec: &SubjectSpec,
    context: &str,
    first: &(Vec<Seen>, Matrix),
    second: &(Vec<Seen>, Matrix),
) -> Result<(), Failure> {
    for (k, (a, b)) in first.0.iter().zip(&second.0).enumerate() {
        for (field, a_values, b_values) in [("score", &a.u, &b.u), ("probability", &a.q, &b.q)] {
            let size = a_values.iter().fold(0.0f64, |size, v| size.max(v.abs()));
            for ((&action, &x), &y) in a.active.iter().zip(a_values).zip(b_values) {
                if (x - y).abs() > prec::SUBJECT_REPEATS * size {
                    return Err(Failure::Wrong(format!(
                        "{context}: {field} of {} in round {}: {} again",
                        sentences::action(spec, action),
                        k + 1,
                        sentences::expected_got(x, y)
                    )));
                }
            }
        }
    }
    let context = format!("{context}: after the last round");
    sentences::same_weights(spec, &context, &first.1, &second.1, prec::SUBJECT_REPEATS)?;
    Ok(())
}

/// The same run before and after a run of another shape.
pub(crate) fn restart(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let other = SubjectSpec { n: 2, n_e: 1, d: 2, ..wide_ball() };
    let adagrad = SubjectSpec { optimizer: OptimizerName::Adagrad, ..wide_ball() };
    for (run, spec) in [wide_ball(), adagrad].iter().enumerate() {
        let run = 170 + run as u64;
        let first = record(subject, spec, (seed, run), false)?;
        let again = record(subject, spec, (seed, run), false)?;
        same_run(spec, "a new start does not forget", &first, &again)?;
        record(subject, &other, (seed, run), false)?;
        let mut probe = Probe::start(subject, spec)?;
        let w = probe.weights()?;
        if let Some(left) = w.iter().flatten().find(|&&w| w != 0.0) {
            return Err(Failure::Wrong(format!(
                "after a new start W is not 0: an entry is {}",
                sentences::number(*left, 3)
            )));
        }
        let again = record(subject, spec, (seed, run), false)?;
        same_run(spec, "a new start does not forget", &first, &again)?;
    }
    Ok("2 runs of 12 rounds, repeated at once and after a run of another shape".into())
}

/// The same run twice, with and without looking at the weights.
pub(crate) fn repeatable(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let first = record(subject, &spec, (seed, 18), false)?;
    let again = record(subject, &spec, (seed, 18), false)?;
    same_run(&spec, "the same inputs do not give the same outputs", &first, &again)?;
    let looked = record(subject, &spec, (seed, 18), true)?;
    same_run(&spec, "asking for the weights changes the run", &first, &looked)?;
    Ok("3 runs of 12 rounds".into())
}

/// Outcomes that cannot be: before any decision, twice, of somebody absent, without or with an
/// impossible cost, of the wrong kind.
pub(crate) fn refusals(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 19);
    let mut probe = Probe::start(subject, &spec)?;
    let round = rounds.next_with(vec![0, 2]);
    let class = SubjectFeedback::Bandit { action: 0, correct: true, cost: None };
    let expert = |action, cost| SubjectFeedback::Bandit { action, correct: true, cost };
    probe.must_refuse(class, "an outcome before any decision")?;
    let seen = probe.decide(&round)?;
    let action = seen.sample(rounds.quantile());
    probe.play(&round.clone().rewarding(&spec, action), action)?;
    let before = probe.weights()?;
    probe.must_refuse(class, "a second outcome for the same round")?;
    probe.decide(&round)?;
    let impossible = [
        (expert(4, Some(0.5)), "an outcome of expert 1, who is absent"),
        (expert(3, None), "an expert's outcome without its cost"),
        (expert(3, Some(1.5)), "a cost of 1.5"),
        (expert(3, Some(-0.5)), "a cost of -0.5"),
        (expert(0, Some(0.5)), "a cost for a class"),
        (expert(6, Some(0.5)), "an action that does not exist"),
        (SubjectFeedback::Full { label: 0, costs: &[0.5; 3] }, "full feedback in a bandit run"),
    ];
    for (outcome, why) in impossible {
        probe.must_refuse(outcome, why)?;
    }
    let after = probe.weights()?;
    sentences::same_weights(&spec, "after refused outcomes", &before, &after, 0.0)?;
    probe.observe(class)?;
    Ok(format!("{} impossible outcomes refused", impossible.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_same_up_to_the_order_of_sums() {
        let spec = wide_ball();
        let run = |u: f64| {
            let seen = Seen { active: vec![0, 1], u: vec![u, 0.0], q: vec![1.0, 0.0] };
            (vec![seen], super::super::reference::zeros(&spec))
        };
        let same = |a: f64, b: f64| same_run(&spec, "", &run(a), &run(b)).is_ok();
        assert!(same(1e3, 1e3 + 5e-10) && !same(1e3, 1e3 + 5e-9));
        assert!(same(1e-3, 1e-3 + 5e-16) && !same(1e-3, 1e-3 + 5e-15));
        assert!(!same(0.0, 1e-30));
    }
}

//! The Frobenius ball.

use super::probe::Probe;
use super::rounds::Rounds;
use super::{CheckEvidence, Failure, estimate, reference, sentences, wide_ball};
use crate::prec;
use crate::subject::{ScheduleName, Subject, SubjectSpec};

/// A ball so small that hinges stay on and steps keep one_sided against it.
pub(super) fn tight() -> SubjectSpec {
    SubjectSpec { n: 2, n_e: 1, d: 3, radius: 0.2, rho: 1.5, ..wide_ball() }
}

/// The same for steps that do not shrink with `B`.
pub(super) fn tighter() -> SubjectSpec {
    SubjectSpec { radius: 0.002, schedule: ScheduleName::Experiment, ..wide_ball() }
}

/// Rounds that must meet the boundary for the check to mean anything.
const FEWEST: usize = 20;

/// The norm never exceeds `B`, and a step that would leave the ball is scaled back on it.
pub(crate) fn ball(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let (mut played, mut met) = (0, 0);
    for (run, spec) in [tight(), tighter()].iter().enumerate() {
        let length = 120;
        let rounds = Rounds::new(spec, seed, 150 + run as u64).one_sided();
        met += follow(subject, spec, rounds, length)?;
        played += length;
    }
    if met < FEWEST {
        return Err(Failure::Wrong(format!(
            "the ball was met in {met} of {played} rounds, at least {FEWEST} were expected"
        )));
    }
    Ok(format!("{played} rounds, {met} of them projected on the ball"))
}

/// The number of rounds that met the boundary.
fn follow(
    subject: &mut dyn Subject,
    spec: &SubjectSpec,
    mut rounds: Rounds,
    length: u64,
) -> Result<usize, Failure> {
    let mut probe = Probe::start(subject, spec)?;
    let mut before = probe.weights()?;
    let mut met = 0;
    for t in 1..=length {
        let round = rounds.next_round();
        let seen = probe.decide(&round)?;
        let action = seen.sample(rounds.quantile());
        let outcome = round.outcome(spec, action);
        probe.observe(outcome)?;
        let after = probe.weights()?;
        let norm = reference::frobenius(&after);
        if norm > spec.radius * (1.0 + prec::SUBJECT_AGREES) {
            return Err(Failure::Wrong(format!(
                "after round {t} the weights have norm {}, outside the ball of radius B = {}",
                sentences::number(norm, 4),
                spec.radius
            )));
        }
        let expected = estimate::next(spec, t, &before, &round, &seen, outcome);
        let on_boundary =
            reference::frobenius(&expected) >= spec.radius * (1.0 - prec::SUBJECT_REPEATS);
        met += usize::from(on_boundary);
        let context = if on_boundary {
            format!("after round {t}, whose step leaves the ball of radius {}", spec.radius)
        } else {
            format!("after round {t}, inside the ball of radius {}", spec.radius)
        };
        sentences::same_weights(spec, &context, &expected, &after, prec::SUBJECT_AGREES)?;
        before = after;
    }
    Ok(met)
}

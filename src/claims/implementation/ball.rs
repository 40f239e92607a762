//! The Frobenius ball.

use super::probe::Probe;
use super::rounds::Rounds;
use super::{Checked, Failure, estimate, reference, roomy, words};
use crate::prec;
use crate::subject::{Spec, Subject};

/// A ball small enough, and inputs long enough, for steps to leave it often.
pub(super) fn tight() -> Spec {
    Spec { n_e: 2, d: 3, radius: 2.0, rho: 1.5, ..roomy() }
}

/// Rounds that must meet the boundary for the check to mean anything.
const FEWEST: usize = 5;

/// The norm never exceeds `B`, and a step that would leave the ball is scaled back on it.
pub fn ball(subject: &mut dyn Subject, seed: u64) -> Checked {
    let spec = tight();
    let mut rounds = Rounds::new(&spec, seed, 15);
    let mut probe = Probe::start(subject, &spec)?;
    let mut before = probe.weights()?;
    let (mut met, mut largest) = (0, 0.0f64);
    // Rewarding rounds: wrong classes would only waste time.
    for t in 1..=120u64 {
        let round = rounds.next_round();
        let seen = probe.decide(&round)?;
        let action = seen.sample(rounds.quantile());
        let round = round.rewarding(&spec, action);
        let outcome = round.outcome(&spec, action);
        probe.observe(outcome)?;
        let after = probe.weights()?;
        let norm = reference::frobenius(&after);
        if norm > spec.radius * (1.0 + prec::SUBJECT_AGREES) {
            return Err(Failure::Wrong(format!(
                "after round {t} the weights have norm {}, outside the ball of radius B = {}",
                words::number(norm, 4),
                spec.radius
            )));
        }
        largest = largest.max(norm);
        let expected = estimate::next(&spec, t, &before, &round, &seen, outcome);
        let on_boundary = reference::frobenius(&expected) >= spec.radius * (1.0 - 1e-12);
        met += usize::from(on_boundary);
        let context = if on_boundary {
            format!("after round {t}, whose step leaves the ball of radius {}", spec.radius)
        } else {
            format!("after round {t}, inside the ball")
        };
        words::same_weights(&spec, &context, &expected, &after, prec::SUBJECT_AGREES)?;
        before = after;
    }
    if met < FEWEST {
        return Err(Failure::Wrong(format!(
            "the ball was met in {met} of 120 rounds, at least {FEWEST} were expected"
        )));
    }
    Ok(format!("120 rounds, {met} of them projected on the ball, largest norm {largest:.6}"))
}

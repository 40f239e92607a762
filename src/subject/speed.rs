//! How fast a subject answers.

use super::{OptimizerName, ScheduleName, Subject, SubjectError, SubjectFeedback, SubjectSpec};
use crate::problem::FeedbackKind;
use std::time::Instant;

/// Rounds (a decision and its outcome) a second at the size of the paper's synthetic streams: six
/// classes, three experts, 120 features. The best of several stretches, since other programs can
/// only make it look slower.
pub(crate) fn rounds_per_second(subject: &mut dyn Subject) -> Result<f64, SubjectError> {
    const STRETCHES: usize = 5;
    const ROUNDS: usize = 400;
    let (n, n_e, d) = (6, 3, 120);
    subject.init(&SubjectSpec {
        n,
        n_e,
        d,
        radius: 9.0,
        rho: 8.0,
        surrogate: "cstnd_hinge".into(),
        optimizer: OptimizerName::Ogd,
        schedule: ScheduleName::General,
        feedback: FeedbackKind::Bandit,
    })?;
    let mut best = 0.0f64;
    for _ in 0..STRETCHES {
        let start = Instant::now();
        for round in 0..ROUNDS {
            // Binary features, half of them on: what SynSep looks like.
            let x: [f64; 120] =
                std::array::from_fn(|j| f64::from(u8::from((j * 7 + round * 13) % 29 < 14)));
            subject.decide(&x, &[0, 2])?;
            let action = round % n;
            let correct = round.is_multiple_of(2);
            subject.observe(SubjectFeedback::Bandit { action, correct, cost: None })?;
        }
        best = best.max(ROUNDS as f64 / start.elapsed().as_secs_f64());
    }
    Ok(best)
}

//! The one round loop: policy and stream in, observers beside it.

use crate::stream::{Stream, StreamRound};
use learner::{Decision, LearnerError, Policy};
use problem::{Action, Feedback, FeedbackKind};
use rand::{Rng, RngExt};

/// What an observer sees of a round, after the action was sampled and before the policy learns.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Counted from 1 in each call of [`play`].
    pub t: u64,
    /// The round, with its outcome.
    pub round: &'a StreamRound<'a>,
    /// What the policy answered.
    pub decision: &'a Decision<'a>,
    /// What was sampled from it.
    pub action: Action,
    /// The true deferral loss of that action (Def. 4.1).
    pub loss: f64,
}

/// Metrics, traces and progress bars plug in here.
pub trait Observer {
    /// Called once a round.
    fn see(&mut self, event: &Event<'_>);
}

impl<F: FnMut(&Event<'_>)> Observer for F {
    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self(event);
    }
}

/// One after the other.
impl<O: Observer + ?Sized, const N: usize> Observer for [&mut O; N] {
    #[inline]
    fn see(&mut self, event: &Event<'_>) {
        self.iter_mut().for_each(|observer| observer.see(event));
    }
}

/// Plays up to `rounds` rounds and returns how many there were. `rng` draws the actions and
/// nothing else, so that the same seed meets the same stream whatever the policy does with it.
///
/// # Errors
/// The first error of the policy, which names the round.
pub fn play<P: Policy + ?Sized, S: Stream + ?Sized>(
    policy: &mut P,
    stream: &mut S,
    rng: &mut impl Rng,
    rounds: u64,
    observers: &mut impl Observer,
) -> Result<u64, LearnerError> {
    play_after(0, policy, stream, rng, rounds, observers)
}

/// As [`play`], for rounds that come after `done` others: observers count from there.
///
/// # Errors
/// As [`play`].
pub(crate) fn play_after<P: Policy + ?Sized, S: Stream + ?Sized>(
    done: u64,
    policy: &mut P,
    stream: &mut S,
    rng: &mut impl Rng,
    rounds: u64,
    observers: &mut impl Observer,
) -> Result<u64, LearnerError> {
    let kind = policy.feedback();
    for t in done + 1..=done + rounds {
        // Asking again replaces the question, so the learner is none the wiser.
        stream.challenge(&mut |x, active, scores| match policy.decide(x, active) {
            Ok(decision) => lost(&decision, scores),
            Err(_) => 0.0,
        });
        let Some(round) = stream.next_round() else { return Ok(t - 1 - done) };
        if let Some(scores) = round.scores {
            policy.inform(scores);
        }
        let decision = policy.decide(round.x, round.active)?;
        let action = decision.sample(rng.random());
        let decision = &decision;
        let loss = round.loss(action);
        observers.see(&Event { t, round: &round, decision, action, loss });
        policy.observe(match kind {
            FeedbackKind::Full => {
                let label = round.label.ok_or(LearnerError::NoLabel { t })?;
                Feedback::Full { label, costs: round.costs }
            }
            FeedbackKind::Answer => answer(&round, action),
            FeedbackKind::Bandit => bandit(&round, action),
            FeedbackKind::Reward => Feedback::Reward { action, reward: 1.0 - loss, cost: 0.0 },
        })?;
    }
    Ok(rounds)
}

/// What a decision loses in expectation against the best active action.
fn lost(decision: &Decision<'_>, scores: &[f64]) -> f64 {
    let (mut best, mut expected) = (f64::NEG_INFINITY, 0.0);
    for (action, q) in decision.active.iter().zip(decision.q) {
        best = best.max(scores[action.index()]);
        expected += q * scores[action.index()];
    }
    best - expected
}

/// The paper's bit. Whoever is graded counts as right when it earned anything.
// Always, and so is what follows: a round that nobody borrows stays in registers.
#[inline(always)]
fn bandit<'a>(round: &StreamRound<'_>, action: Action) -> Feedback<'a> {
    let cost = round.active.space().expert_of(action).map(|j| round.costs[j]);
    let correct = round.is_right(action).unwrap_or_else(|| cost.is_some_and(|cost| cost < 1.0));
    Feedback::Bandit { action, correct, cost }
}

/// What the asked expert answered, where the stream knows it.
#[inline(always)]
fn answer<'a>(round: &StreamRound<'_>, action: Action) -> Feedback<'a> {
    let answer = |j: usize| Some((j, (*round.answers?.get(j)?)?));
    match (round.active.space().expert_of(action).and_then(answer), round.label) {
        (Some((j, answer)), Some(label)) => {
            Feedback::Answer { action, answer, correct: answer == label, cost: round.costs[j] }
        }
        _ => bandit(round, action),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Right;
    use learner::Baseline;
    use problem::{ActionSpace, Features};
    use rand::SeedableRng;

    /// So many rounds of the same kind.
    struct Short(u64, ActionSpace);

    impl Stream for Short {
        fn space(&self) -> ActionSpace {
            self.1
        }

        fn dim(&self) -> usize {
            1
        }

        fn next_round(&mut self) -> Option<StreamRound<'_>> {
            self.0 = self.0.checked_sub(1)?;
            let (x, active) = (Features::Dense(&[1.0]), self.1.all_active());
            let (label, right, answers, scores) = (Some(0), Right::Bits(0), None, None);
            Some(StreamRound { x, active, label, costs: &[], right, answers, scores })
        }
    }

    #[test]
    fn a_stream_may_end_first() {
        let space = ActionSpace::new(2, 0).unwrap();
        let mut seen = Vec::new();
        let mut play = |rounds| {
            let mut note = |event: &Event<'_>| seen.push(event.t);
            let mut policy = Baseline::Uniform(space).policy().unwrap();
            let mut rng = rand_pcg::Pcg64::seed_from_u64(1);
            play(policy.as_mut(), &mut Short(3, space), &mut rng, rounds, &mut [&mut note])
        };
        assert_eq!((play(2), play(5)), (Ok(2), Ok(3)));
        assert_eq!(seen, [1, 2, 1, 2, 3]);
    }
}

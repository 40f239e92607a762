//! The loss estimate: importance weights, unbiasedness by enumeration, the rule for two actions,
//! full feedback.
//!
//! What weight a step gave to target `a` is read off the weights before and after: a step on
//! `w Phi_01(., a)` is `eta w D_a` with a known direction `D_a`, so `w = <W - W', D_a> / (eta |D_a|^2)`.

use super::probe::{Probe, Seen};
use super::reference::{self, Matrix};
use super::rounds::{ProbeRound, Rounds};
use super::{CheckEvidence, Failure, decisions, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{Subject, SubjectFeedback, SubjectSpec};

/// A subject brought to some round, and what it did there with one action.
pub(super) struct Replay {
    pub(crate) seen: Seen,
    pub(crate) before: Matrix,
    pub(crate) after: Matrix,
}

/// Plays `prefix` with the given quantiles, then `last` with `action`.
pub(super) fn replay(
    subject: &mut dyn Subject,
    spec: &SubjectSpec,
    prefix: &[(ProbeRound, f64)],
    last: &ProbeRound,
    action: usize,
) -> Result<Replay, Failure> {
    let mut probe = Probe::start(subject, spec)?;
    for (round, quantile) in prefix {
        let seen = probe.decide(round)?;
        probe.play(round, seen.sample(*quantile))?;
    }
    let before = probe.weights()?;
    let seen = probe.decide(last)?;
    probe.play(last, action)?;
    let after = probe.weights()?;
    Ok(Replay { seen, before, after })
}

impl Replay {
    /// `Pi_{K_A} grad Phi_01(., target)` at the subject's weights; zero when all hinges are off.
    pub(crate) fn direction(
        &self,
        spec: &SubjectSpec,
        round: &ProbeRound,
        target: usize,
    ) -> Matrix {
        let mut targets = vec![0.0; self.seen.active.len()];
        targets[self.seen.position(target)] = 1.0;
        let u = reference::scores(&self.before, &round.x, &self.seen.active);
        let g = reference::coefficients(&u, &targets);
        reference::gradient(spec, &self.seen.active, &g, &round.x)
    }

    /// The weight the step gave to `target`; `None` when the direction is zero.
    pub(crate) fn weight(
        &self,
        spec: &SubjectSpec,
        round: &ProbeRound,
        target: usize,
        t: u64,
    ) -> Option<f64> {
        let direction = self.direction(spec, round, target);
        let norm2 = reference::inner(&direction, &direction);
        let step = reference::minus(&self.before, &self.after);
        let (eta, _) = reference::rates(spec, t);
        (norm2 > 0.0).then(|| reference::inner(&step, &direction) / (eta * norm2))
    }
}

/// Situations: a prefix of 0 to 3 rounds that ends in a round with the given experts.
pub(super) fn situations(
    spec: &SubjectSpec,
    seed: u64,
    purpose: u64,
    sets: &[&[usize]],
) -> Vec<(Vec<(ProbeRound, f64)>, ProbeRound)> {
    let mut rounds = Rounds::new(spec, seed, purpose);
    let mut all = Vec::new();
    for length in 0..4 {
        for set in sets {
            let prefix = (0..length).map(|_| (rounds.next_round(), rounds.quantile())).collect();
            all.push((prefix, rounds.next_with(set.to_vec())));
        }
    }
    all
}

const SETS: [&[usize]; 4] = [&[], &[1], &[0, 2], &[0, 1, 2]];

/// The weight of every action on its own.
pub(crate) fn importance_weight(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let (mut read, mut worst) = (0, 0.0f64);
    for (prefix, last) in situations(&spec, seed, 5, &SETS) {
        let t = prefix.len() as u64 + 1;
        for action in spec.active(&last.available) {
            let replayed = replay(subject, &spec, &prefix, &last, action)?;
            let q = probability(&spec, &replayed.seen, action, t)?;
            let Some(got) = replayed.weight(&spec, &last, action, t) else { continue };
            let (reward, formula) = reward(&spec, &last, action);
            let expected = reward / q;
            if reference::apart(got * q, reward, 1.0) {
                return Err(Failure::Wrong(format!(
                    "weight of {} in round {t}, {formula} and played with probability {}: {}",
                    sentences::action(&spec, action),
                    sentences::number(q, 3),
                    sentences::expected_got(expected, got)
                )));
            }
            worst = worst.max((got - expected).abs() * q);
            read += 1;
        }
    }
    Ok(format!("{read} weights read off the steps, largest difference {worst:.1e} of 1/q"))
}

fn probability(spec: &SubjectSpec, seen: &Seen, action: usize, t: u64) -> Result<f64, Failure> {
    let q = seen.q[seen.position(action)];
    if q > 0.0 {
        return Ok(q);
    }
    let name = sentences::action(spec, action);
    let q = sentences::number(q, 3);
    Err(Failure::Wrong(format!("{name} is active in round {t} and has probability {q}")))
}

/// What an action earned, and why.
fn reward(spec: &SubjectSpec, round: &ProbeRound, action: usize) -> (f64, String) {
    match action.checked_sub(spec.n) {
        None if action == round.label => (1.0, "right".into()),
        None => (0.0, "wrong".into()),
        Some(j) => {
            let cost = round.costs[j];
            (1.0 - cost, format!("at cost {}", sentences::number(cost, 3)))
        }
    }
}

/// `sum_a q(a) step(a)` against the step of the exact loss, over all actions of the last round.
pub(crate) fn unbiased_gradient(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let two = SubjectSpec { n: 2, ..wide_ball() };
    let (mut enumerated, mut worst) = (0, 0.0f64);
    for (spec, purpose) in [(&spec, 6), (&two, 7)] {
        for (prefix, last) in situations(spec, seed, purpose, &SETS) {
            worst = worst.max(unbiased_at(subject, spec, &prefix, &last)?);
            enumerated += spec.active(&last.available).len();
        }
    }
    Ok(format!("{enumerated} actions enumerated, largest relative difference {worst:.1e}"))
}

fn unbiased_at(
    subject: &mut dyn Subject,
    spec: &SubjectSpec,
    prefix: &[(ProbeRound, f64)],
    last: &ProbeRound,
) -> Result<f64, Failure> {
    let t = prefix.len() as u64 + 1;
    let (eta, _) = reference::rates(spec, t);
    let active = spec.active(&last.available);
    let exact = reference::exact_targets(spec, &active, last.label, &last.costs);
    let mut mean = reference::zeros(spec);
    let mut expected = reference::zeros(spec);
    // (how far off, the sentence) of the worst action.
    let mut culprit = (0.0, String::new());
    for (&action, &value) in active.iter().zip(&exact) {
        let replayed = replay(subject, spec, prefix, last, action)?;
        let q = probability(spec, &replayed.seen, action, t)?;
        let step = reference::minus(&replayed.before, &replayed.after);
        for (mean, step) in mean.iter_mut().flatten().zip(step.iter().flatten()) {
            *mean += q * step / eta;
        }
        let direction = replayed.direction(spec, last, action);
        for (sum, d) in expected.iter_mut().flatten().zip(direction.iter().flatten()) {
            *sum += value * d;
        }
        // With two actions a step may serve the other one: no blame for a single action.
        let weight = replayed.weight(spec, last, action, t).filter(|_| active.len() > 2);
        let got = weight.map_or(value, |weight| q * weight);
        if (got - value).abs() > culprit.0 {
            let sentence = format!(
                "the estimate is biased for {}: {} (round {t}, played with probability {})",
                sentences::action(spec, action),
                sentences::expected_got(value, got),
                sentences::number(q, 3)
            );
            culprit = ((got - value).abs(), sentence);
        }
    }
    let context = format!("the estimate is biased in round {t}: its mean gradient");
    sentences::same_weights(spec, &context, &expected, &mean, prec::SUBJECT_AGREES).map_err(
        |failure| {
            // Blame a single action only if it accounts for something.
            if culprit.0 > prec::SUBJECT_AGREES { Failure::Wrong(culprit.1) } else { failure }
        },
    )
}

/// Two classes and nobody there: the correctness bit is the label. With an expert there it is not.
pub(crate) fn two_actions(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let alone = SubjectSpec { n: 2, n_e: 0, ..wide_ball() };
    let with_experts = SubjectSpec { n: 2, n_e: 2, ..wide_ball() };
    let mut read = 0;
    let cases: [(&SubjectSpec, u64, &[&[usize]]); 2] =
        [(&alone, 8, &[&[]]), (&with_experts, 9, &[&[], &[1], &[0, 1]])];
    for (spec, purpose, sets) in cases {
        for (prefix, last) in situations(spec, seed, purpose, sets) {
            let t = prefix.len() as u64 + 1;
            for (action, label) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let last = ProbeRound { label, ..last.clone() };
                let replayed = replay(subject, spec, &prefix, &last, action)?;
                let exact = last.available.is_empty();
                let q = probability(spec, &replayed.seen, action, t)?;
                let (target, expected) = match (exact, action == label) {
                    (true, _) => (label, 1.0),
                    (false, true) => (action, 1.0 / q),
                    (false, false) => (action, 0.0),
                };
                let Some(got) = replayed.weight(spec, &last, target, t) else { continue };
                let step = reference::minus(&replayed.before, &replayed.after);
                let stray = expected == 0.0 && reference::frobenius(&step) > 0.0;
                if reference::apart(got * q, expected * q, 1.0) || stray {
                    return Err(Failure::Wrong(two_action_words(
                        exact, t, action, label, target, expected, got,
                    )));
                }
                read += 1;
            }
        }
    }
    Ok(format!("{read} steps with two classes, with and without experts"))
}

fn two_action_words(
    exact: bool,
    t: u64,
    action: usize,
    label: usize,
    target: usize,
    expected: f64,
    got: f64,
) -> String {
    let correct = if action == label { "right" } else { "wrong" };
    let values = sentences::expected_got(expected, got);
    if exact {
        return format!(
            "two actions only, class {action} was {correct}, so the label is {label}; weight of \
             class {target} in round {t}: {values}"
        );
    }
    if expected == 0.0 && got == 0.0 {
        return format!(
            "class {action} was wrong with an expert available in round {t}: no step expected"
        );
    }
    format!(
        "class {action} was {correct} with an expert available, so the label is not known for \
         sure; weight of class {target} in round {t}: {values}"
    )
}

/// `q` is greedy and the step is that of the exact loss, absent experts left out.
pub(crate) fn full_feedback(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = SubjectSpec { feedback: FeedbackKind::Full, ..wide_ball() };
    let mut rounds = Rounds::new(&spec, seed, 10);
    let (mut steps, mut worst) = (0, 0.0f64);
    for _ in 0..4 {
        let mut probe = Probe::start(subject, &spec)?;
        for _ in 0..8 {
            let round = rounds.next_round();
            let before = probe.weights()?;
            let seen = probe.decide(&round)?;
            let t = probe.t;
            decisions::is_mixture(&spec, t, &seen).map_err(|f| f.of("full feedback"))?;
            let outcome = SubjectFeedback::Full { label: round.label, costs: &round.costs };
            probe.observe(outcome)?;
            let after = probe.weights()?;
            let context = format!("full feedback, after round {t}");
            let expected = next(&spec, t, &before, &round, &seen, outcome);
            worst = worst.max(sentences::same_weights(
                &spec,
                &context,
                &expected,
                &after,
                prec::SUBJECT_AGREES,
            )?);
            steps += 1;
        }
    }
    Ok(format!("{steps} steps, largest relative difference {worst:.1e}"))
}

/// `W_{t+1}` from the subject's own `W_t`, for gradient steps.
pub(super) fn next(
    spec: &SubjectSpec,
    t: u64,
    before: &Matrix,
    round: &ProbeRound,
    seen: &Seen,
    outcome: SubjectFeedback<'_>,
) -> Matrix {
    let mut state = reference::State { w: before.clone(), squares: reference::zeros(spec) };
    state.learn(spec, t, &round.x, (&seen.active, &seen.q), outcome);
    state.w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_active_action_that_is_never_played_is_accused() {
        let spec = wide_ball();
        let q = |first: f64| {
            let seen = Seen { active: vec![0, 1], u: vec![0.0; 2], q: vec![first, 1.0 - first] };
            probability(&spec, &seen, 0, 1).is_ok()
        };
        assert!(q(0.25) && !q(0.0));
    }

    #[test]
    fn what_is_wrong_with_two_actions_is_named() {
        let said =
            |exact, label, expected, got| two_action_words(exact, 7, 0, label, 1, expected, got);
        assert!(said(true, 0, 1.0, 2.0).contains("class 0 was right, so the label is 0"));
        assert!(said(true, 1, 1.0, 2.0).contains("class 0 was wrong, so the label is 1"));
        assert!(said(false, 1, 0.0, 0.0).ends_with("no step expected"));
        for (expected, got) in [(1.0, 2.0), (0.0, 2.0), (1.0, 0.0)] {
            assert!(
                said(false, 0, expected, got).contains("was right with an expert available, so")
            );
        }
    }
}

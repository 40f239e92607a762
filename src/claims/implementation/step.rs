//! The step of a round: projected, along `(x, 1)`, zero at kinks, of the stated size.

use super::probe::{Probe, Seen};
use super::reference::{self, Matrix, State};
use super::rounds::{ProbeRound, Rounds};
use super::{CheckEvidence, Failure, dyadic, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, Subject, SubjectFeedback, SubjectSpec};

/// One round of a run, with the weights around it.
struct Taken {
    t: u64,
    round: ProbeRound,
    seen: Seen,
    action: usize,
    before: Matrix,
    after: Matrix,
}

impl Taken {
    /// Plays a round in which the sampled action earns something, so that there is a step.
    fn take(probe: &mut Probe<'_>, rounds: &mut Rounds) -> Result<Self, Failure> {
        let (round, t, before) = (rounds.next_round(), probe.t, probe.weights()?);
        let seen = probe.decide(&round)?;
        let action = seen.sample(rounds.quantile());
        let round = round.rewarding(&probe.spec, action);
        match probe.spec.feedback {
            FeedbackKind::Bandit => probe.play(&round, action)?,
            _ => {
                probe.observe(SubjectFeedback::Full { label: round.label, costs: &round.costs })?;
            }
        }
        let after = probe.weights()?;
        Ok(Taken { t, round, seen, action, before, after })
    }

    fn step(&self) -> Matrix {
        reference::minus(&self.before, &self.after)
    }

    /// Below this a difference of weights is rounding.
    fn noise(&self) -> f64 {
        let entries = self.before.iter().flatten().chain(self.after.iter().flatten());
        prec::SUBJECT_AGREES * entries.fold(0.0, |size: f64, v| size.max(v.abs()))
    }

    /// The projected gradient that the step has to follow.
    fn gradient(&self, spec: &SubjectSpec) -> Matrix {
        let outcome = match spec.feedback {
            FeedbackKind::Bandit => self.round.outcome(spec, self.action),
            _ => SubjectFeedback::Full { label: self.round.label, costs: &self.round.costs },
        };
        let u = reference::scores(&self.before, &self.round.x, &self.seen.active);
        let targets = reference::targets(spec, &self.seen.active, &self.seen.q, outcome);
        let g = reference::coefficients(&u, &targets);
        reference::gradient(spec, &self.seen.active, &g, &self.round.x)
    }
}

/// Active rows sum to zero in every column, the others stay.
pub(crate) fn projected_gradient(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 11);
    let mut steps = 0;
    for _ in 0..5 {
        let mut probe = Probe::start(subject, &spec)?;
        for _ in 0..8 {
            let taken = Taken::take(&mut probe, &mut rounds)?;
            let (step, noise, t) = (taken.step(), taken.noise(), taken.t);
            for a in (0..spec.actions()).filter(|a| !taken.seen.active.contains(a)) {
                if let Some(&moved) = step[a].iter().find(|v| v.abs() > noise) {
                    return Err(Failure::Wrong(format!(
                        "the weights of {}, who is absent in round {t}, move by {}",
                        sentences::action(&spec, a),
                        sentences::number(moved, 3)
                    )));
                }
            }
            for j in 0..=spec.d {
                let sum: f64 = taken.seen.active.iter().map(|&a| step[a][j]).sum();
                if sum.abs() > noise * taken.seen.active.len() as f64 {
                    return Err(Failure::Wrong(format!(
                        "the gradient is not projected: in round {t} column {j} of the step sums \
                         to {} over the active actions, not to 0",
                        sentences::number(sum, 3)
                    )));
                }
            }
            steps += 1;
        }
    }
    Ok(format!("{steps} steps, every column"))
}

/// `step[a][j] = step[a][bias] x_j`.
pub(crate) fn outer_product(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 12);
    let (mut steps, mut moved) = (0, 0);
    for _ in 0..5 {
        let mut probe = Probe::start(subject, &spec)?;
        for _ in 0..8 {
            let taken = Taken::take(&mut probe, &mut rounds)?;
            let (step, noise) = (taken.step(), taken.noise());
            for &a in &taken.seen.active {
                for (j, x) in taken.round.x.iter().enumerate() {
                    let expected = step[a][spec.d] * x;
                    if (step[a][j] - expected).abs() > noise {
                        return Err(Failure::Wrong(format!(
                            "the step of round {} is not a multiple of (x, 1): {} moves by {} in \
                             the bias and, where x = {}, {}",
                            taken.t,
                            sentences::action(&spec, a),
                            sentences::number(step[a][spec.d], 3),
                            sentences::number(*x, 3),
                            sentences::expected_got(expected, step[a][j])
                        )));
                    }
                }
            }
            steps += 1;
            moved += usize::from(reference::frobenius(&step) > 0.0);
        }
    }
    if moved == 0 {
        return Err(Failure::Wrong(format!(
            "the weights never move, although the action played earned something in all {steps} \
             rounds"
        )));
    }
    Ok(format!("{steps} steps, {moved} of them not zero"))
}

/// One step in powers of two puts three scores at exactly -1; the next step shows the coefficient.
pub(crate) fn kink(subject: &mut dyn Subject, _seed: u64) -> CheckEvidence {
    let spec = dyadic();
    let mut probe = Probe::start(subject, &spec)?;
    let (x, available, right) = (vec![1.0], vec![0], vec![true]);
    let round = ProbeRound { x, available, label: 0, costs: vec![0.5], right };
    // q = 1/8 and reward 1/2: weight 4, coefficients (1, 1, 1, -3), scores (-1, -1, -1, 3).
    probe.decide(&round)?;
    probe.play(&round, 3)?;
    let before = probe.weights()?;
    let seen = probe.decide(&round)?;
    if seen.u[..3] != [-1.0; 3] {
        let near = seen.u[..3].iter().all(|u| (u + 1.0).abs() <= prec::SUBJECT_KINK);
        if near {
            return Ok("the kink was missed by a rounding: nothing to say".into());
        }
        return Err(Failure::Wrong(format!(
            "a first step that leads to scores -1, -1, -1, 3 leads to {:?}",
            seen.u
        )));
    }
    probe.play(&round, 3)?;
    let after = probe.weights()?;
    if before != after {
        return Err(Failure::Wrong(format!(
            "at the kink (1 + u = 0 for every action but the target) the coefficient is 0 and the \
             step must be zero; it moves the bias of action 0 by {}",
            sentences::number(after[0][1] - before[0][1], 3)
        )));
    }
    Ok("three scores at exactly -1, zero step".into())
}

/// `eta_t` read off steps, with full feedback and with bandit feedback.
pub(crate) fn step_size(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let concentrated =
        SubjectSpec { schedule: ScheduleName::Concentrated, radius: 0.05, rho: 1.5, ..wide_ball() };
    let experiment = SubjectSpec { schedule: ScheduleName::Experiment, ..wide_ball() };
    let runs =
        [("general", wide_ball()), ("concentrated", concentrated), ("experiment", experiment)];
    let mut read = 0;
    for (run, (name, spec)) in runs.into_iter().enumerate() {
        for feedback in [FeedbackKind::Full, FeedbackKind::Bandit] {
            let spec = SubjectSpec { feedback, ..spec.clone() };
            let mut rounds = Rounds::new(&spec, seed, 130 + run as u64);
            let mut probe = Probe::start(subject, &spec)?;
            for _ in 0..8 {
                let taken = Taken::take(&mut probe, &mut rounds)?;
                let gradient = taken.gradient(&spec);
                let norm2 = reference::inner(&gradient, &gradient);
                if norm2 == 0.0 {
                    continue;
                }
                let got = reference::inner(&taken.step(), &gradient) / norm2;
                let (expected, _) = reference::rates(&spec, taken.t);
                if reference::relative(got - expected, expected) > prec::SUBJECT_AGREES.sqrt() {
                    return Err(Failure::Wrong(step_size_words(&spec, name, taken.t, got)));
                }
                read += 1;
            }
        }
    }
    Ok(format!("{read} step sizes of the general, concentrated and experiment schedules"))
}

fn step_size_words(spec: &SubjectSpec, name: &str, t: u64, got: f64) -> String {
    let eta = |t| reference::rates(spec, t).0;
    let values = sentences::expected_got(eta(t), got);
    let other = (1..=t + 1).find(|&s| (got - eta(s)).abs() <= 1e-6 * eta(s));
    let hint = other
        .filter(|&s| s != t)
        .map_or_else(String::new, |s| format!(", which is the one of t = {s}"));
    let feedback = if spec.feedback == FeedbackKind::Full { "full" } else { "bandit" };
    format!("step size of round {t} ({name} schedule, {feedback} feedback): {values}{hint}")
}

/// AdaGrad round by round from the subject's own weights: without the ball, with full feedback, and
/// with the ball.
pub(crate) fn adagrad(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let free = SubjectSpec { optimizer: OptimizerName::Adagrad, ..wide_ball() };
    let full = SubjectSpec { feedback: FeedbackKind::Full, ..free.clone() };
    let tight = SubjectSpec { radius: 0.5, ..free.clone() };
    let (mut steps, mut worst) = (0, 0.0f64);
    for (run, spec) in [&free, &full, &tight].into_iter().enumerate() {
        let mut rounds = Rounds::new(spec, seed, 140 + run as u64);
        let mut probe = Probe::start(subject, spec)?;
        let mut state = State::new(spec);
        for _ in 0..12 {
            let taken = Taken::take(&mut probe, &mut rounds)?;
            let (eta, _) = reference::rates(spec, taken.t);
            state.w.clone_from(&taken.before);
            state.step(spec, eta, &taken.gradient(spec));
            let context = format!("AdaGrad, B = {}, after round {}", spec.radius, taken.t);
            let difference = sentences::same_weights(
                spec,
                &context,
                &state.w,
                &taken.after,
                prec::SUBJECT_AGREES,
            )?;
            worst = worst.max(difference);
            steps += 1;
        }
    }
    Ok(format!("{steps} steps, largest relative difference {worst:.1e}"))
}

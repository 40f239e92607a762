//! Active set, projected scores, exploration mixture, ties.

use super::probe::{Probe, Seen};
use super::rounds::{ProbeRound, Rounds};
use super::{CheckEvidence, Failure, dyadic, reference, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, Subject, SubjectFeedback, SubjectSpec};

/// Every set of available experts, at the start and after some learning.
pub(crate) fn active_set(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 1);
    let mut probe = Probe::start(subject, &spec)?;
    let mut asked = 0;
    for _ in 0..2 {
        for mask in 0..1usize << spec.n_e {
            let available = (0..spec.n_e).filter(|j| mask >> j & 1 == 1).collect();
            let round = rounds.next_with(available);
            let seen = probe.decide(&round)?;
            probe.play(&round, seen.sample(rounds.quantile()))?;
            asked += 1;
        }
    }
    Ok(format!("{asked} rounds, every set of available experts twice"))
}

/// Scores against those of the subject's own weights.
pub(crate) fn scores(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 2);
    let (mut asked, mut worst) = (0, 0.0f64);
    for _ in 0..4 {
        let mut probe = Probe::start(subject, &spec)?;
        for _ in 0..10 {
            let w = probe.weights()?;
            let round = rounds.next_round();
            let seen = probe.decide(&round)?;
            worst = worst.max(compare_scores(&probe, &round, &seen, &w)?);
            probe.play(&round, seen.sample(rounds.quantile()))?;
            asked += 1;
        }
    }
    Ok(format!("{asked} rounds, largest relative difference {worst:.1e}"))
}

fn compare_scores(
    probe: &Probe<'_>,
    round: &ProbeRound,
    seen: &Seen,
    w: &reference::Matrix,
) -> Result<f64, Failure> {
    let (spec, t) = (&probe.spec, probe.t);
    let size = w.iter().flatten().fold(0.0f64, |size, v| size.max(v.abs()));
    let scale = size * (spec.d + 1) as f64;
    let sum: f64 = seen.u.iter().sum();
    if reference::apart(sum, 0.0, scale) {
        let sum = sentences::number(sum, 3);
        return Err(Failure::Wrong(format!(
            "the scores of the {} active actions in round {t} sum to {sum}, not to 0",
            seen.u.len()
        )));
    }
    let expected = reference::scores(w, &round.x, &seen.active);
    scores_agree(spec, t, &seen.active, [&expected, &seen.u], scale)
}

/// The largest difference of scores of the active actions, expected and got, in units of `scale`.
pub(super) fn scores_agree(
    spec: &SubjectSpec,
    t: u64,
    active: &[usize],
    [expected, got]: [&[f64]; 2],
    scale: f64,
) -> Result<f64, Failure> {
    let mut worst = 0.0f64;
    for ((&a, &e), &g) in active.iter().zip(expected).zip(got) {
        if reference::apart(e, g, scale) {
            let (name, values) = (sentences::action(spec, a), sentences::expected_got(e, g));
            return Err(Failure::Wrong(format!(
                "the projected score of {name} in round {t} is not the one of W: {values}"
            )));
        }
        worst = worst.max(reference::relative(e - g, scale));
    }
    Ok(worst)
}

/// `q` in every round of four runs, long enough for `gamma_t` to leave 1/2.
pub(crate) fn mixture(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let small = SubjectSpec { radius: 0.05, rho: 1.5, ..wide_ball() };
    let runs = [
        ("general", wide_ball(), 40),
        ("concentrated", SubjectSpec { schedule: ScheduleName::Concentrated, ..small }, 40),
        ("experiment", SubjectSpec { schedule: ScheduleName::Experiment, ..wide_ball() }, 430),
        ("adagrad", SubjectSpec { optimizer: OptimizerName::Adagrad, ..wide_ball() }, 430),
    ];
    let mut asked = 0;
    for (run, (name, spec, length)) in runs.into_iter().enumerate() {
        let mut rounds = Rounds::new(&spec, seed, 30 + run as u64);
        let mut probe = Probe::start(subject, &spec)?;
        for _ in 0..length {
            let round = rounds.next_round();
            let seen = probe.decide(&round)?;
            is_mixture(&spec, probe.t, &seen).map_err(|f| f.of(&format!("{name} schedule")))?;
            probe.play(&round, seen.sample(rounds.quantile()))?;
            asked += 1;
        }
    }
    Ok(format!("{asked} rounds of the general, concentrated, experiment and adagrad schedules"))
}

/// `q = (1 - gamma_t) e_greedy + gamma_t/K 1`. Scores that differ by rounding
/// only may be ranked either way; exact ties are the business of [`ties`].
pub(crate) fn is_mixture(spec: &SubjectSpec, t: u64, seen: &Seen) -> Result<(), Failure> {
    let wrong = |sentence: String| Err(Failure::Wrong(sentence));
    let (_, gamma) = reference::rates(spec, t);
    let k = seen.q.len() as f64;
    if let Some(p) = seen.q.iter().position(|&q| q < 0.0) {
        let (name, q) = (sentences::action(spec, seen.active[p]), sentences::number(seen.q[p], 3));
        return wrong(format!("{name} has probability {q} in round {t}"));
    }
    let sum: f64 = seen.q.iter().sum();
    if (sum - 1.0).abs() > prec::SUBJECT_Q_SUM * k {
        return wrong(format!("q in round {t} sums to {}, not to 1", sentences::number(sum, 4)));
    }
    let top = seen.u.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let size = seen.u.iter().fold(0.0f64, |size, u| size.max(u.abs()));
    let best = |p: usize| !reference::apart(seen.u[p], top, size);
    let greedy = crate::theory::argmax(&seen.q);
    if !best(greedy) {
        let (name, u) = (sentences::action(spec, seen.active[greedy]), seen.u[greedy]);
        return wrong(format!(
            "in round {t} q favours {name} with score {}, but the best score is {}",
            sentences::number(u, 4),
            sentences::number(top, 4)
        ));
    }
    for (p, &q) in seen.q.iter().enumerate() {
        let expected = gamma / k + if p == greedy { 1.0 - gamma } else { 0.0 };
        if reference::apart(q, expected, 1.0) {
            let name = sentences::action(spec, seen.active[p]);
            let values = sentences::expected_got(expected, q);
            let share = sentences::number(gamma, 4);
            return wrong(format!(
                "probability of {name} in round {t} ({k} active actions, gamma = {share}): {values}"
            ));
        }
    }
    Ok(())
}

/// Ties that are exact in any order of operations: all scores zero, and two best actions after one
/// step with full feedback in powers of two.
pub(crate) fn ties(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let spec = wide_ball();
    let mut rounds = Rounds::new(&spec, seed, 4);
    for available in [vec![], vec![1], vec![0, 1, 2]] {
        let mut probe = Probe::start(subject, &spec)?;
        let seen = probe.decide(&rounds.next_with(available))?;
        lowest_wins(&probe, &seen, 0)?;
    }
    let spec = SubjectSpec { feedback: FeedbackKind::Full, ..dyadic() };
    let mut probe = Probe::start(subject, &spec)?;
    let (x, available, costs, right) = (vec![1.0], vec![0], vec![0.0], vec![true]);
    let round = ProbeRound { x, available, label: 1, costs, right };
    let seen = probe.decide(&round)?;
    lowest_wins(&probe, &seen, 0)?;
    probe.observe(SubjectFeedback::Full { label: 1, costs: &[0.0] })?;
    // The label and an expert without cost count the same: their rows are equal.
    let seen = probe.decide(&round)?;
    if seen.u[1] != seen.u[3] {
        return Ok("4 rounds with all scores zero; no exact tie after a step".into());
    }
    lowest_wins(&probe, &seen, 1)?;
    Ok("4 rounds with all scores zero and one with two best actions".into())
}

fn lowest_wins(probe: &Probe<'_>, seen: &Seen, lowest: usize) -> Result<(), Failure> {
    let favoured = crate::theory::argmax(&seen.q);
    if favoured == lowest {
        return Ok(());
    }
    Err(Failure::Wrong(format!(
        "in round {} {} and {} have the same best score {}, and q favours the second one: ties go \
         to the lowest index",
        probe.t,
        sentences::action(&probe.spec, seen.active[lowest]),
        sentences::action(&probe.spec, seen.active[favoured]),
        sentences::number(seen.u[favoured], 3)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_by_hand() {
        // gamma_1 = 1/2 and three active actions: 1/6 for everybody, 1/2 more for the best one.
        let spec = wide_ball();
        let said = |u: [f64; 3], q: [f64; 3]| {
            let seen = Seen { active: vec![0, 1, 2], u: u.to_vec(), q: q.to_vec() };
            is_mixture(&spec, 1, &seen)
        };
        let (u, q) = ([1.0, -1.0, 0.0], [4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]);
        assert_eq!(said(u, q), Ok(()));
        // A sum within three times the tolerance, and one beyond it.
        assert_eq!(said(u, [q[0] + 2e-12, q[1], q[2]]), Ok(()));
        assert!(said(u, [q[0] + 4e-12, q[1], q[2]]).unwrap_err().to_string().contains("sums to"));
        assert!(said([-1.0, 1.0, 0.0], q).unwrap_err().to_string().contains("favours"));
        // Large scores may be a rounding below the best one.
        assert_eq!(said([1e6, -1e6, 1e6 + 1e-4], q), Ok(()));
        assert!(said([1e6, -1e6, 1e6 + 1e-2], q).is_err());
        assert!(
            said(u, [q[0] - 1e-6, q[1] + 1e-6, q[2]])
                .unwrap_err()
                .to_string()
                .contains("probability of")
        );
        assert!(said(u, [1.5, -0.25, -0.25]).unwrap_err().to_string().contains("has probability"));
    }
}

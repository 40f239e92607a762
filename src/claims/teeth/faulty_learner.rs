//! A plain learner with room for one fault.
//!
//! It is written for this purpose and shares nothing with the learner or with the reference of the
//! checks: without a fault it is a third implementation of Algorithm 1, and passes them all.

use super::Fault;
use super::run::{Open, Run, refuse};
use crate::problem::FeedbackKind;
use crate::subject::{Answer, Subject, SubjectError, SubjectFeedback, SubjectSpec};

/// Algorithm 1 with at most one fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultyLearner {
    fault: Option<Fault>,
    run: Option<Run>,
    /// Calls in the whole life of the subject.
    calls: u64,
}

impl FaultyLearner {
    /// Without a fault.
    #[must_use]
    pub(crate) fn healthy() -> Self {
        FaultyLearner::default()
    }

    /// With one.
    #[must_use]
    pub(crate) fn new(fault: Fault) -> Self {
        FaultyLearner { fault: Some(fault), ..FaultyLearner::default() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }
}

impl Subject for FaultyLearner {
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
        let zeros = vec![vec![0.0; spec.d + 1]; spec.actions()];
        let mut run = Run {
            spec: spec.clone(),
            t: 1,
            w: zeros.clone(),
            squares: zeros,
            norm2: 0.0,
            open: None,
            last_scores: None,
            last_x: Vec::new(),
            away: vec![0; spec.n_e],
            waiting: None,
        };
        if let Some(old) = self.run.take() {
            let same_shape = (old.w.len(), old.spec.d) == (run.w.len(), spec.d);
            if self.has(Fault::WeightsSurvive) && same_shape {
                run.w = old.w;
            }
            if self.has(Fault::SquaresSurvive) && same_shape {
                run.squares = old.squares;
            }
            if self.has(Fault::RoundSurvives) {
                run.t = old.t;
            }
        }
        self.run = Some(run);
        Ok(())
    }

    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
        self.calls += 1;
        let (fault, calls) = (self.fault, self.calls);
        let has = |f| fault == Some(f);
        let Some(run) = &mut self.run else { return refuse("decide", "send init first") };
        if x.len() != run.spec.d || available.iter().any(|&j| j >= run.spec.n_e) {
            return refuse("decide", "wrong dimension or expert");
        }
        let x = Run::input(x, has);
        if let Some((g, eta)) = run.waiting.take() {
            run.step((&g, &g), (&x, &[]), eta, has);
        }
        let (n, all) = (run.spec.n, run.spec.actions());
        let mut experts = available.to_vec();
        if has(Fault::MaskBits) {
            experts.retain(|&j| j < 64);
        }
        if has(Fault::UnavailableLeaks)
            && let Some(absent) = (0..run.spec.n_e).find(|j| !available.contains(j))
        {
            experts.push(absent);
            experts.sort_unstable();
        }
        let active: Vec<usize> = (0..n).chain(experts.iter().map(|j| n + j)).collect();
        let k = active.len();

        let mut raw = run.raw_scores(&x, has);
        if has(Fault::RepeatedInput)
            && x == run.last_x
            && let Some(old) = &run.last_scores
        {
            raw.clone_from(old);
        }
        run.last_x.clone_from(&x);
        let mut mean = active.iter().map(|&a| raw[a]).sum::<f64>() / k as f64;
        if has(Fault::ScoreMeanOverAll) {
            mean = raw.iter().sum::<f64>() / all as f64;
        }
        if has(Fault::ScoresNotProjected) {
            mean = 0.0;
        }
        if has(Fault::BigPoolMean) && k > 20 {
            mean = active[..20].iter().map(|&a| raw[a]).sum::<f64>() / 20.0;
        }
        let mut u: Vec<f64> = active.iter().map(|&a| raw[a] - mean).collect();
        if has(Fault::Dither) {
            let sign = if calls.is_multiple_of(5) { 1.0 } else { -1.0 };
            u.iter_mut().for_each(|u| *u *= 1.0 + sign * 1e-7);
        }
        let ranked = match run.last_scores.replace(raw) {
            Some(old) if has(Fault::StaleScores) => active.iter().map(|&a| old[a]).collect(),
            _ => u.clone(),
        };
        let better = |new: f64, old: f64| match fault {
            Some(Fault::GreedyWorst) => new < old,
            Some(Fault::TiesToHighest) => new >= old,
            _ => new > old,
        };
        let candidates = if has(Fault::GreedyClass) { n } else { k };
        let mut greedy = 0;
        for b in 1..candidates {
            if has(Fault::ManyClasses) && (32..n).contains(&b) {
                continue;
            }
            if better(ranked[b], ranked[greedy]) {
                greedy = b;
            }
        }
        let (_, gamma) = run.rates(has);
        let over = if has(Fault::ShareOfAll) || has(Fault::ExploresAll) { all } else { k };
        let mut q = vec![gamma / over as f64; k];
        q[greedy] += 1.0 - gamma;
        if has(Fault::ShareOfAll) {
            q[greedy] += gamma - gamma * k as f64 / all as f64;
        }
        let answer = Answer { active: active.clone(), scores: u.clone(), q: q.clone() };
        run.open = Some(Open { x, active, u, q, gamma });
        Ok(answer)
    }

    fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError> {
        let fault = self.fault;
        let has = |f| fault == Some(f);
        let Some(run) = &mut self.run else { return refuse("observe", "send init first") };
        let (eta, _) = run.rates(has);
        let Some(open) = run.open.take() else {
            if has(Fault::AcceptsAnything) {
                return Ok(());
            }
            return refuse("observe", "nothing was decided");
        };
        let full = matches!(outcome, SubjectFeedback::Full { .. });
        if full != (run.spec.feedback == FeedbackKind::Full) {
            run.open = Some(open);
            return refuse("observe", "the other kind of feedback was agreed on");
        }
        let targets = match run.targets(&open, outcome, has) {
            Ok(targets) => targets,
            Err(error) => {
                run.open = Some(open);
                return Err(error);
            }
        };
        let (raw, g) = run.coefficients(&open, &targets, has);
        if has(Fault::LateAlone) && run.t > 5_000 && open.active.len() == run.spec.n {
            run.t += 1;
            return Ok(());
        }
        if has(Fault::LateInput) {
            run.waiting = Some((g, eta));
        } else {
            run.step((&raw, &g), (&open.x, &open.active), eta, has);
        }
        if has(Fault::AbsentRowsDecay) {
            for (a, row) in run.w.iter_mut().enumerate() {
                if !open.active.contains(&a) {
                    row.iter_mut().for_each(|w| *w *= 0.999);
                }
            }
        }
        if has(Fault::LongAbsence) {
            run.forget_absent(&open.active);
        }
        if has(Fault::AdagradForgets) && run.t.is_multiple_of(2_000) {
            run.squares.iter_mut().for_each(|row| row.fill(0.0));
        }
        run.t += 1;
        Ok(())
    }

    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError> {
        let advances = self.has(Fault::LookingAdvances);
        let Some(run) = &mut self.run else { return refuse("weights", "send init first") };
        run.t += u64::from(advances);
        Ok(run.w.clone())
    }
}

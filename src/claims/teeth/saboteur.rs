//! A plain learner with room for one fault.
//!
//! It is written for this purpose and shares nothing with the learner or with the reference of the
//! checks: without a fault it is a third implementation of Algorithm 1, and passes them all.

use super::Fault;
use crate::problem::FeedbackKind;
use crate::subject::{Answer, OptimizerName, Outcome, ScheduleName, Spec, Subject, SubjectError};

/// Algorithm 1 with at most one fault.
#[derive(Clone, Debug, Default)]
pub struct Saboteur {
    fault: Option<Fault>,
    run: Option<Run>,
    /// Calls in the whole life of the subject.
    calls: u64,
}

#[derive(Clone, Debug)]
struct Run {
    spec: Spec,
    t: u64,
    w: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
    /// What the learner believes the squared norm of `W` to be.
    norm2: f64,
    open: Option<Open>,
    /// Scores of the last decision, one per action.
    last_scores: Option<Vec<f64>>,
    /// A step that waits for its input.
    waiting: Option<(Vec<f64>, f64)>,
}

#[derive(Clone, Debug)]
struct Open {
    x: Vec<f64>,
    active: Vec<usize>,
    u: Vec<f64>,
    q: Vec<f64>,
    gamma: f64,
}

fn refuse<T>(request: &str, message: &str) -> Result<T, SubjectError> {
    Err(SubjectError::Refused { request: request.into(), message: message.into() })
}

impl Saboteur {
    /// Without a fault.
    pub fn healthy() -> Self {
        Saboteur::default()
    }

    /// With one.
    pub fn new(fault: Fault) -> Self {
        Saboteur { fault: Some(fault), ..Saboteur::default() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }
}

impl Run {
    fn rates(&self, has: impl Fn(Fault) -> bool) -> (f64, f64) {
        let mut t = self.t;
        if has(Fault::RoundWraps) {
            t = (t - 1) % 256 + 1;
        }
        if has(Fault::ScheduleBehind) {
            t = t.saturating_sub(1).max(1);
        }
        if has(Fault::ScheduleAhead) {
            t += 1;
        }
        let (spec, t) = (&self.spec, t as f64);
        let eta_t = if has(Fault::EtaConstant) { 1.0 } else { t };
        let cap = if has(Fault::GammaUncapped) { 1.0 } else { 0.5 };
        let n = spec.actions() as f64;
        let rho = if has(Fault::EtaWithoutRho) { 1.0 } else { spec.rho };
        let adagrad = spec.optimizer == OptimizerName::Adagrad;
        let (eta, mut gamma) = match spec.schedule {
            ScheduleName::Experiment => (5e-4 / eta_t.sqrt(), (10.0 / t.sqrt()).min(cap)),
            _ if adagrad => (0.1, (10.0 / t.sqrt()).min(cap)),
            ScheduleName::General => {
                let power = if has(Fault::GammaRoot) { -0.5 } else { -1.0 / 3.0 };
                let eta = spec.radius * libm::pow(n, -1.5) / rho * libm::pow(eta_t, -2.0 / 3.0);
                (eta, libm::pow(t, power).min(cap))
            }
            ScheduleName::Concentrated => {
                let kappa = spec.radius * libm::pow(n, 1.5) * spec.rho;
                let gamma = (kappa / t.sqrt()).min(cap);
                let for_eta = (kappa / eta_t.sqrt()).min(cap);
                (for_eta / (4.0 * n * n * n * rho * rho), gamma)
            }
        };
        if has(Fault::GammaConstant) {
            gamma = 0.5;
        }
        if spec.feedback == FeedbackKind::Full && !has(Fault::FullExplores) {
            gamma = 0.0;
        }
        (if adagrad { 0.1 } else { eta }, gamma)
    }

    fn raw_scores(&self, x: &[f64]) -> Vec<f64> {
        self.w.iter().map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum()).collect()
    }

    /// Weights over target actions, aligned with the active ones.
    fn targets(
        &self,
        open: &Open,
        outcome: Outcome<'_>,
        has: impl Fn(Fault) -> bool,
    ) -> Result<Vec<f64>, SubjectError> {
        let n = self.spec.n;
        let mut targets = vec![0.0; open.active.len()];
        match outcome {
            Outcome::Full { label, costs } => {
                if label >= n || costs.len() != self.spec.n_e {
                    return refuse("observe", "label or costs out of range");
                }
                targets[label] = 1.0;
                for (target, &a) in targets.iter_mut().zip(&open.active).skip(n) {
                    *target = 1.0 - costs[a - n];
                }
                if has(Fault::FullForgetsExperts) {
                    targets[n..].fill(0.0);
                }
                if has(Fault::FullAbsentExperts) {
                    // Somebody absent is taken for one more reason to answer with the label.
                    let absent = (0..self.spec.n_e).filter(|j| !open.active.contains(&(n + j)));
                    targets[label] += absent.map(|j| 1.0 - costs[j]).sum::<f64>();
                }
            }
            Outcome::Bandit { action, correct, cost } => {
                let Some(mut position) = open.active.iter().position(|&a| a == action) else {
                    return refuse("observe", "action not active");
                };
                let mut weight = 1.0 / open.q[position];
                if has(Fault::NoImportanceWeight) {
                    weight = 1.0;
                }
                if has(Fault::ExplorationWeight) {
                    weight = open.active.len() as f64 / open.gamma;
                }
                if has(Fault::ClippedWeight) {
                    weight = weight.min(5.0);
                }
                let right = match (has(Fault::CorrectnessIgnored), has(Fault::CorrectnessInverted))
                {
                    (true, _) => true,
                    (_, true) => !correct,
                    _ => correct,
                };
                let reward = match cost {
                    None if action >= n => return refuse("observe", "an expert needs its cost"),
                    Some(_) if action < n => return refuse("observe", "a class has no cost"),
                    None => f64::from(u8::from(right)),
                    Some(cost) if !(0.0..=1.0).contains(&cost) => {
                        return refuse("observe", "cost out of range");
                    }
                    Some(_) if has(Fault::SkipsExperts) => 0.0,
                    Some(_) if has(Fault::ExpertNeedsBit) && !correct => 0.0,
                    Some(cost) if has(Fault::CostAsReward) => cost,
                    Some(cost) if has(Fault::CostUnnormalised) => 1.0 - 1.1 * cost,
                    Some(cost) => 1.0 - cost,
                };
                let alone = open.active.len() == 2 || (has(Fault::TwoActionRuleAlways) && n == 2);
                if alone && cost.is_none() && !has(Fault::NoTwoActionRule) {
                    targets[if right { action } else { 1 - action }] = 1.0;
                    return Ok(targets);
                }
                if has(Fault::WrongExpertRow) && action >= n {
                    position = (position + 1) % open.active.len();
                }
                targets[position] = reward * weight;
            }
        }
        Ok(targets)
    }

    /// Gradient coefficients of all `N` rows: before and after centring.
    fn coefficients(
        &self,
        open: &Open,
        targets: &[f64],
        has: impl Fn(Fault) -> bool,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut raw = vec![0.0; self.spec.actions()];
        for (b, (&row, &u)) in open.active.iter().zip(&open.u).enumerate() {
            let margin = if has(Fault::HingeSign) { 1.0 - u } else { 1.0 + u };
            let on = margin > 0.0 || (has(Fault::KinkOne) && margin == 0.0);
            let sign = if has(Fault::HingeSign) { -1.0 } else { 1.0 };
            for (a, &target) in targets.iter().enumerate() {
                if on && (a != b || has(Fault::TargetCounted)) {
                    raw[row] += sign * target;
                }
            }
        }
        let count = if has(Fault::GradientMeanOverAll) { raw.len() } else { open.active.len() };
        let mut mean = raw.iter().sum::<f64>() / count as f64;
        if has(Fault::NotProjected) {
            mean = 0.0;
        }
        let mut projected = raw.clone();
        for (a, value) in projected.iter_mut().enumerate() {
            if has(Fault::AbsentRowsCentred) || open.active.contains(&a) {
                *value -= mean;
            }
        }
        (raw, projected)
    }

    /// `W <- Pi_B(W - eta g x^T)`; `x` ends with the bias input.
    fn step(
        &mut self,
        (raw, g): (&[f64], &[f64]),
        x: &[f64],
        eta: f64,
        has: impl Fn(Fault) -> bool,
    ) {
        let columns = self.spec.d + usize::from(!has(Fault::BiasMissing));
        let mut moved2 = 0.0;
        for (a, row) in self.w.iter_mut().enumerate() {
            for (j, w) in row.iter_mut().enumerate().take(columns) {
                let entry = g[a] * x[j];
                let change = if self.spec.optimizer == OptimizerName::Adagrad {
                    let counted =
                        if has(Fault::AdagradUnprojected) { raw[a] * x[j] } else { entry };
                    let slot = if has(Fault::AdagradPerRow) { 0 } else { j };
                    let before = self.squares[a][slot];
                    self.squares[a][slot] += counted * counted;
                    let sum = if has(Fault::AdagradLate) { before } else { self.squares[a][slot] };
                    let root = if has(Fault::AdagradNoRoot) { sum } else { sum.sqrt() };
                    let floor = if has(Fault::AdagradLate) { 1.0 } else { 1e-10 };
                    eta * entry / (root + floor)
                } else {
                    eta * entry
                };
                *w += if has(Fault::StepSign) { change } else { -change };
                moved2 += change * change;
            }
        }
        self.project(moved2, &has);
        if has(Fault::SinglePrecision) {
            self.w.iter_mut().flatten().for_each(|w| *w = f64::from(*w as f32));
        }
    }

    fn project(&mut self, moved2: f64, has: impl Fn(Fault) -> bool) {
        let (radius, d) = (self.spec.radius, self.spec.d);
        let columns = if has(Fault::BallWithoutBias) { d } else { d + 1 };
        let square = |rows: &[Vec<f64>]| -> f64 {
            rows.iter().flat_map(|row| &row[..columns]).map(|w| w * w).sum()
        };
        self.norm2 = if has(Fault::StaleNorm) { self.norm2 + moved2 } else { square(&self.w) };
        if has(Fault::NoBall) {
            return;
        }
        if has(Fault::BallByRow) {
            let radius = radius / (self.w.len() as f64).sqrt();
            for row in &mut self.w {
                let norm = row.iter().map(|w| w * w).sum::<f64>().sqrt();
                row.iter_mut().for_each(|w| *w *= (radius / norm).min(1.0));
            }
            return;
        }
        let norm = self.norm2.sqrt();
        if norm > radius {
            let factor = if has(Fault::BallSquared) { radius / self.norm2 } else { radius / norm };
            self.w.iter_mut().flatten().for_each(|w| *w *= factor);
            self.norm2 = radius * radius;
        }
    }
}

impl Subject for Saboteur {
    fn init(&mut self, spec: &Spec) -> Result<(), SubjectError> {
        let zeros = vec![vec![0.0; spec.d + 1]; spec.actions()];
        let mut run = Run {
            spec: spec.clone(),
            t: 1,
            w: zeros.clone(),
            squares: zeros,
            norm2: 0.0,
            open: None,
            last_scores: None,
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
        let mut x = x.to_vec();
        x.push(1.0);
        if let Some((g, eta)) = run.waiting.take() {
            run.step((&g, &g), &x, eta, has);
        }
        let (n, all) = (run.spec.n, run.spec.actions());
        let mut experts = available.to_vec();
        if has(Fault::UnavailableLeaks)
            && let Some(absent) = (0..run.spec.n_e).find(|j| !available.contains(j))
        {
            experts.push(absent);
            experts.sort_unstable();
        }
        let active: Vec<usize> = (0..n).chain(experts.iter().map(|j| n + j)).collect();
        let k = active.len();

        let raw = run.raw_scores(&x);
        let mut mean = active.iter().map(|&a| raw[a]).sum::<f64>() / k as f64;
        if has(Fault::ScoreMeanOverAll) {
            mean = raw.iter().sum::<f64>() / all as f64;
        }
        if has(Fault::ScoresNotProjected) {
            mean = 0.0;
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

    fn observe(&mut self, outcome: Outcome<'_>) -> Result<(), SubjectError> {
        let fault = self.fault;
        let has = |f| fault == Some(f);
        let Some(run) = &mut self.run else { return refuse("observe", "send init first") };
        let Some(open) = run.open.take() else {
            if has(Fault::AcceptsAnything) {
                return Ok(());
            }
            return refuse("observe", "nothing was decided");
        };
        let full = matches!(outcome, Outcome::Full { .. });
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
        let (eta, _) = run.rates(has);
        if has(Fault::LateInput) {
            run.waiting = Some((g, eta));
        } else {
            run.step((&raw, &g), &open.x, eta, has);
        }
        if has(Fault::AbsentRowsDecay) {
            for (a, row) in run.w.iter_mut().enumerate() {
                if !open.active.contains(&a) {
                    row.iter_mut().for_each(|w| *w *= 0.999);
                }
            }
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

//! The parts of a round, each with the places where a fault bites.

use super::Fault;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, SubjectError, SubjectFeedback, SubjectSpec};

#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) spec: SubjectSpec,
    pub(super) t: u64,
    pub(super) w: Vec<Vec<f64>>,
    pub(super) squares: Vec<Vec<f64>>,
    /// What the learner believes the squared norm of `W` to be.
    pub(super) norm2: f64,
    pub(super) open: Option<Open>,
    /// Scores of the last decision, one per action.
    pub(super) last_scores: Option<Vec<f64>>,
    /// Input of the last decision.
    pub(super) last_x: Vec<f64>,
    /// For how many rounds each expert has been away.
    pub(super) away: Vec<u32>,
    /// A step that waits for its input.
    pub(super) waiting: Option<(Vec<f64>, f64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) x: Vec<f64>,
    pub(super) active: Vec<usize>,
    pub(super) u: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) gamma: f64,
}

/// A refusal in the words of the protocol.
pub(super) fn refuse<T>(request: &str, message: &str) -> Result<T, SubjectError> {
    Err(SubjectError::Refused { request: request.into(), message: message.into() })
}

/// A cost as the learner takes it.
fn taken_cost(cost: f64, has: &impl Fn(Fault) -> bool) -> f64 {
    match cost {
        c if has(Fault::CostCapped) => c.min(0.96),
        c if has(Fault::CostHair) && c > 1.0 - 1e-6 => 1.0,
        c if has(Fault::CostFloored) && c < 0.04 => 0.0,
        0.0 if has(Fault::FreeExpert) => 1.0,
        c => c,
    }
}

impl Run {
    pub(super) fn rates(&self, has: impl Fn(Fault) -> bool) -> (f64, f64) {
        let mut t = self.t;
        if has(Fault::RoundWraps) {
            t = (t - 1) % 256 + 1;
        }
        if has(Fault::RoundSixteen) {
            t = (t - 1) % 65_536 + 1;
        }
        if has(Fault::ScheduleBehind) {
            t = t.saturating_sub(1).max(1);
        }
        if has(Fault::ScheduleAhead) {
            t += 1;
        }
        let concentrated = self.spec.schedule == ScheduleName::Concentrated;
        if has(Fault::ConcentratedLate) && concentrated {
            t = t.min(1_500);
        }
        let (spec, t) = (&self.spec, t as f64);
        let eta_t = if has(Fault::EtaConstant) { 1.0 } else { t };
        let eta_t = if has(Fault::EtaFrozen) { eta_t.min(20_000.0) } else { eta_t };
        let full = spec.feedback == FeedbackKind::Full;
        let eta_t = if has(Fault::FullFrozen) && full { eta_t.min(1_000.0) } else { eta_t };
        let cap = if has(Fault::GammaUncapped) { 1.0 } else { 0.5 };
        let n = spec.actions() as f64;
        let active = self.open.as_ref().map_or(n, |open| open.active.len() as f64);
        let eta_n = if has(Fault::EtaOfActive) { active } else { n };
        let rho = if has(Fault::EtaWithoutRho) { 1.0 } else { spec.rho };
        let rho = if has(Fault::LargeRho) { rho.min(50.0) } else { rho };
        let adagrad = spec.optimizer == OptimizerName::Adagrad;
        let (eta, mut gamma) = match spec.schedule {
            ScheduleName::Experiment => (5e-4 / eta_t.sqrt(), (10.0 / t.sqrt()).min(cap)),
            _ if adagrad && !has(Fault::AdagradOwnGamma) => (0.1, (10.0 / t.sqrt()).min(cap)),
            ScheduleName::General => {
                let power = if has(Fault::GammaRoot) { -0.5 } else { -1.0 / 3.0 };
                let eta = spec.radius * libm::pow(eta_n, -1.5) / rho * libm::pow(eta_t, -2.0 / 3.0);
                (eta, libm::pow(t, power).min(cap))
            }
            ScheduleName::Concentrated => {
                let kappa = spec.radius * libm::pow(n, 1.5) * spec.rho;
                let gamma = (kappa / t.sqrt()).min(cap);
                let for_eta = (kappa / eta_t.sqrt()).min(cap);
                (for_eta / (4.0 * eta_n * eta_n * eta_n * rho * rho), gamma)
            }
        };
        let experiment = spec.schedule == ScheduleName::Experiment && !adagrad;
        if has(Fault::ExperimentLate) && experiment {
            gamma = gamma.max(10.0 / f64::sqrt(1_500.0));
        }
        if has(Fault::GammaConstant) {
            gamma = 0.5;
        }
        if has(Fault::GammaFloor) {
            gamma = gamma.max(0.03);
        }
        if full && !has(Fault::FullExplores) {
            gamma = 0.0;
        }
        (if adagrad { 0.1 } else { eta }, gamma)
    }

    pub(super) fn raw_scores(&self, x: &[f64], has: impl Fn(Fault) -> bool) -> Vec<f64> {
        let first = match (has(Fault::WideTail), has(Fault::HugeDim)) {
            (true, _) => 64,
            (_, true) => 4_096,
            _ => usize::MAX,
        };
        let counted = |j: usize| j < first || j + 1 == x.len();
        let term = |(j, (w, x)): (usize, (&f64, &f64))| if counted(j) { w * x } else { 0.0 };
        self.w.iter().map(|row| row.iter().zip(x).enumerate().map(term).sum()).collect()
    }

    /// The input as the learner takes it; the bias input comes last.
    pub(super) fn input(x: &[f64], has: impl Fn(Fault) -> bool) -> Vec<f64> {
        let mut taken = x.to_vec();
        if has(Fault::HugeClipped) {
            taken.iter_mut().for_each(|v| *v = v.clamp(-1e3, 1e3));
        }
        if has(Fault::VeryHuge) {
            taken.iter_mut().for_each(|v| *v = v.clamp(-1e7, 1e7));
        }
        if has(Fault::NegativeInput) && taken.iter().all(|v| *v <= 0.0) {
            taken.fill(0.0);
        }
        taken.push(1.0);
        taken
    }

    /// Whether the learner takes no step on this input at all.
    pub(super) fn skips(x: &[f64], has: impl Fn(Fault) -> bool) -> bool {
        let features = &x[..x.len() - 1];
        let zeros = features.iter().filter(|v| **v == 0.0).count();
        (has(Fault::ZeroInput) && zeros == features.len())
            || (has(Fault::SparseStep)
                && zeros < features.len()
                && 10 * zeros >= 9 * features.len())
    }

    /// Weights over target actions, aligned with the active ones.
    pub(super) fn targets(
        &self,
        open: &Open,
        outcome: SubjectFeedback<'_>,
        has: impl Fn(Fault) -> bool,
    ) -> Result<Vec<f64>, SubjectError> {
        let n = self.spec.n;
        let mut targets = vec![0.0; open.active.len()];
        match outcome {
            SubjectFeedback::Full { label, costs } => {
                if label >= n || costs.len() != self.spec.n_e {
                    return refuse("observe", "label or costs out of range");
                }
                targets[label] = 1.0;
                for (target, &a) in targets.iter_mut().zip(&open.active).skip(n) {
                    *target = 1.0 - taken_cost(costs[a - n], &has);
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
            SubjectFeedback::Bandit { action, correct, cost } => {
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
                    Some(cost) => 1.0 - taken_cost(cost, &has),
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
    pub(super) fn coefficients(
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
    pub(super) fn step(
        &mut self,
        (raw, g): (&[f64], &[f64]),
        (x, active): (&[f64], &[usize]),
        eta: f64,
        has: impl Fn(Fault) -> bool,
    ) {
        let wide = has(Fault::WideBias) && self.spec.d > 200;
        let full = self.spec.feedback == FeedbackKind::Full;
        let adagrad = self.spec.optimizer == OptimizerName::Adagrad;
        let rare = has(Fault::RareBias) && self.spec.d > 30 && full && adagrad;
        let last = if has(Fault::WideAdagrad) && adagrad { 700 } else { usize::MAX };
        let adds_up = !has(Fault::AdagradFullLate) || !full || self.t <= 1_500;
        let columns = self.spec.d + usize::from(!has(Fault::BiasMissing) && !wide && !rare);
        if Run::skips(x, &has) {
            return;
        }
        let frozen = match (has(Fault::NinthExpert), has(Fault::FullHouse)) {
            (true, _) => self.spec.n + 8,
            (_, true) => 120,
            _ if has(Fault::CrowdedWide) && self.spec.n_e > 10 && self.spec.d > 150 => self.spec.n,
            _ if has(Fault::CrowdFull) && full && self.w.len() > 80 => self.spec.n,
            _ => usize::MAX,
        };
        let dropped = match (has(Fault::TinyDropped), has(Fault::VeryTiny)) {
            (true, _) => 1e-6,
            (_, true) => 1e-10,
            _ => 0.0,
        };
        let mut moved2 = 0.0;
        for (a, row) in self.w.iter_mut().enumerate().take(frozen) {
            for (j, w) in row.iter_mut().enumerate().take(columns) {
                if x[j].abs() < dropped || (last..self.spec.d).contains(&j) {
                    continue;
                }
                let entry = g[a] * x[j];
                let change = if adagrad {
                    let counted =
                        if has(Fault::AdagradUnprojected) { raw[a] * x[j] } else { entry };
                    let slot = if has(Fault::AdagradPerRow) { 0 } else { j };
                    let before = self.squares[a][slot];
                    if adds_up {
                        self.squares[a][slot] += counted * counted;
                    }
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
        self.project(moved2, active, &has);
        if has(Fault::SinglePrecision) {
            self.w.iter_mut().flatten().for_each(|w| *w = f64::from(*w as f32));
        }
    }

    /// Rows of experts who have been away for long are set to zero.
    pub(super) fn forget_absent(&mut self, active: &[usize]) {
        let n = self.spec.n;
        for (j, away) in self.away.iter_mut().enumerate() {
            *away = if active.contains(&(n + j)) { 0 } else { *away + 1 };
            if *away == 200 {
                self.w[n + j].fill(0.0);
            }
        }
    }

    fn project(&mut self, moved2: f64, active: &[usize], has: impl Fn(Fault) -> bool) {
        let (mut radius, d) = (self.spec.radius, self.spec.d);
        if has(Fault::LargeBall) {
            radius = radius.min(1e5);
        }
        let columns = if has(Fault::BallWithoutBias) { d } else { d + 1 };
        let square = |rows: &[Vec<f64>]| -> f64 {
            rows.iter().flat_map(|row| &row[..columns]).map(|w| w * w).sum()
        };
        self.norm2 = if has(Fault::StaleNorm) { self.norm2 + moved2 } else { square(&self.w) };
        let adagrad = self.spec.optimizer == OptimizerName::Adagrad;
        let tiny = has(Fault::TinyBall) && radius < 1e-4;
        if has(Fault::NoBall) || tiny || (has(Fault::AdagradNoBall) && adagrad) {
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
            for (a, row) in self.w.iter_mut().enumerate() {
                if !has(Fault::BallActiveRows) || active.contains(&a) {
                    row.iter_mut().for_each(|w| *w *= factor);
                }
            }
            self.norm2 = radius * radius;
        }
    }
}

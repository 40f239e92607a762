//! The recommended learner: nothing to set.
//!
//! It estimates what every action is worth, as [`crate::BeliefRouter`] does, with a few copies of the
//! belief at different rates and one that looks at no input at all, the running means of the experts.
//! Each copy is believed as far as its past predictions deserve ([`mixture`]), for classes and experts
//! apart. Experts are tied together by a pool ([`pool`]): who is new or hardly known is predicted as
//! the pool is, and is tried because the pool says how much better it might be. Dense features are
//! brought to one scale ([`input`]). Classes are given up the sooner, the less the inputs were seen to say
//! about them ([`gain`]). Who has silently changed is taken for somebody new, and who was not
//! asked for long is asked now and then ([`change`]).
//!
//! ```text
//! decide    values s_a = mixture of the copies, less cost_weight times the cost
//!           inverse gaps on s_a + HOPE sd_a, the classes as one group ([`explore`])
//! observe   scores of the copies, test for a change, AdaGrad step of each, pool, calibration of the
//!           classes
//! ```
//!
//! Two options are for worlds that change: `half_life` lets what was learned about an expert fade
//! towards the pool, `floor` keeps a share of rounds for uniform exploration.

mod change;
mod copy;
mod explore;
mod gain;
mod input;
mod mixture;
mod pool;
mod rows;

use crate::calibration::{self, Calibration};
use crate::config::check_size;
use crate::kernels::Cpu;
use crate::scored::check_question;
use crate::{Decision, LearnerError, Policy, estimator, exploration};
use change::Record;
pub(crate) use copy::ClassFact;
use copy::Copy;
use gain::Gain;
use input::{Input, Scale};
use mixture::Mixture;
use pool::Pool;
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback, FeedbackKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Configuration of [`AutoRouter`]. The defaults are meant for all streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoConfig {
    /// Classes and experts.
    pub space: ActionSpace,
    /// `d`, without the bias.
    pub dim: usize,
    /// AdaGrad's base rates, one for each copy.
    pub rates: Vec<f64>,
    /// How fast exploration is given up.
    pub greed: f64,
    /// Rounds after which what was learned about an expert counts half; without it, nothing is
    /// forgotten.
    pub half_life: Option<f64>,
    /// The share of rounds that is played uniformly over the active actions, for ever.
    pub floor: f64,
    /// What one unit of cost is worth in reward: an action is worth `reward - cost_weight cost`.
    pub cost_weight: f64,
    /// What it asks to be told. It learns from every kind.
    pub feedback: FeedbackKind,
}

impl AutoConfig {
    /// The defaults.
    #[must_use]
    pub fn new(space: ActionSpace, dim: usize) -> Self {
        AutoConfig {
            space,
            dim,
            rates: vec![0.1, 0.3, 0.6, 1.2, 3.0],
            greed: 30.0,
            half_life: None,
            floor: 0.0,
            cost_weight: 0.0,
            feedback: FeedbackKind::Bandit,
        }
    }

    fn check(&self) -> Result<(), LearnerError> {
        if self.feedback == FeedbackKind::Full {
            return Err(LearnerError::NoSuchFeedback { got: self.feedback });
        }
        let settings = [
            ("greed", self.greed, self.greed > 0.0, "a finite number above 0"),
            ("floor", self.floor, (0.0..1.0).contains(&self.floor), "a number in [0, 1)"),
            ("cost_weight", self.cost_weight, self.cost_weight >= 0.0, "a number not below 0"),
        ];
        let rates = self.rates.iter().map(|&r| ("rates", r, r > 0.0, "finite numbers above 0"));
        let half_life =
            self.half_life.map(|h| ("half_life", h, h >= 1.0, "a number of rounds, at least 1"));
        for (field, value, fine, expected) in settings.into_iter().chain(rates).chain(half_life) {
            if !(fine && value.is_finite()) {
                return Err(LearnerError::Config { field, value, expected });
            }
        }
        if self.rates.is_empty() && self.space.classes() > 0 {
            let (field, expected) = ("number of rates", "at least one where there are classes");
            return Err(LearnerError::Config { field, value: 0.0, expected });
        }
        // Every copy has weights and AdaGrad's sums.
        check_size(self.space, self.dim, 2 * self.rates.len())
    }

    /// What is left of a count after a round.
    fn keep(&self) -> Option<f64> {
        self.half_life.map(|rounds| libm::exp2(-1.0 / rounds))
    }
}

/// Learns at several rates at once, explores by inverse gaps; see the [module](self).
#[derive(Clone, Debug)]
pub struct AutoRouter {
    config: AutoConfig,
    cpu: Cpu,
    t: u64,
    /// How many rounds said something about the classes.
    facts: u64,
    copies: Vec<Copy>,
    gain: Gain,
    class_mixture: Mixture,
    /// The copies, then the running means.
    expert_mixture: Mixture,
    pool: Pool,
    /// What is left of each expert's own rows since they were last touched.
    faded: Vec<f64>,
    /// Whether each expert has changed, and how lately it was asked.
    records: Vec<Record>,
    calibration: Calibration,
    scale: Scale,
    open: bool,
    active: ActiveBuffer,
    raw: Input,
    x: Input,
    /// `|(x, 1)|` on the scale that is learned on.
    norm: f64,
    weights: Vec<f64>,
    logits: Vec<f64>,
    /// What every action is worth, in reward, and after its cost.
    worth: Vec<f64>,
    scores: Vec<f64>,
    hopes: Vec<f64>,
    /// Of every active expert: rounds since it was new, and how lately it was asked.
    known: Vec<explore::Expert>,
    q: Vec<f64>,
}

impl AutoRouter {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Names the setting that is out of range.
    pub fn new(config: AutoConfig) -> Result<Self, LearnerError> {
        config.check()?;
        let (n, n_e) = (config.space.classes(), config.space.experts());
        let copies: Vec<Copy> =
            config.rates.iter().map(|&rate| Copy::new(rate, n, n_e, config.dim)).collect();
        let mut router = AutoRouter {
            cpu: Cpu::detect(),
            t: 1,
            facts: 0,
            gain: Gain::new(n),
            class_mixture: Mixture::new(copies.len()),
            expert_mixture: Mixture::new(copies.len() + 1),
            pool: Pool::new(n_e),
            faded: vec![1.0; n_e],
            records: vec![Record::default(); n_e],
            calibration: Calibration::new(),
            scale: Scale::default(),
            open: false,
            active: ActiveBuffer::new(config.space),
            raw: Input::default(),
            x: Input::default(),
            norm: 1.0,
            weights: vec![0.0; copies.len() + 1],
            logits: vec![0.0; n],
            worth: Vec::new(),
            scores: Vec::new(),
            hopes: Vec::new(),
            known: Vec::new(),
            q: Vec::new(),
            copies,
            config,
        };
        router.make_room();
        Ok(router)
    }

    fn make_room(&mut self) {
        let actions = self.config.space.len();
        for buffer in [&mut self.worth, &mut self.scores, &mut self.hopes, &mut self.q] {
            buffer.resize(actions, 0.0);
        }
    }

    /// The same learner on another instruction set. The bits do not change.
    #[cfg(test)]
    pub(crate) fn on(mut self, cpu: Cpu) -> Self {
        self.cpu = cpu;
        self
    }

    /// What it was set up with; experts that were added count.
    #[must_use]
    pub(crate) fn config(&self) -> &AutoConfig {
        &self.config
    }

    /// `t`: the round that the next observation completes.
    #[must_use]
    pub(crate) fn round(&self) -> u64 {
        self.t
    }

    /// The active actions of the open question.
    pub(crate) fn asked(&self) -> Option<ActiveRef<'_>> {
        self.open.then(|| self.active.get())
    }

    /// Adds an expert behind the others, who starts from what the pool is like. An open question stays
    /// open.
    ///
    /// # Errors
    /// There are as many actions as a space can hold.
    pub fn add_expert(&mut self) -> Result<(), LearnerError> {
        let experts = self.config.space.experts() + 1;
        let space = ActionSpace::new(self.config.space.classes(), experts)?;
        AutoConfig { space, ..self.config.clone() }.check()?;
        let available: Vec<usize> = self.active.get().experts().collect();
        self.active = ActiveBuffer::new(space);
        self.active.fill(available)?;
        self.config.space = space;
        self.copies.iter_mut().for_each(|copy| copy.grow(experts));
        self.pool.grow(experts);
        self.faded.resize(experts, 1.0);
        self.records.resize(experts, Record::new(self.t));
        self.make_room();
        Ok(())
    }

    /// The cost of an expert, told before it is met: it counts from now on until another is told.
    ///
    /// # Errors
    /// There is no such expert, or the cost is negative or not finite.
    pub fn tell_cost(&mut self, expert: usize, cost: f64) -> Result<(), LearnerError> {
        self.config.space.expert(expert)?;
        check_own_cost(cost)?;
        self.pool.tell_cost(expert, cost);
        Ok(())
    }

    /// Works out what every action is worth at the input that was taken.
    fn estimate(&mut self) -> Result<(), LearnerError> {
        let (n, dim) = (self.config.space.classes(), self.config.dim);
        self.scale.apply(self.cpu, self.raw.features(dim), &mut self.x);
        let x = self.x.features(dim);
        self.norm = (1.0 + x.values().iter().map(|v| v * v).sum::<f64>()).sqrt();
        self.copies.iter_mut().for_each(|copy| copy.predict(self.cpu, x, &self.faded));
        if !self.copies.iter().all(Copy::is_finite) {
            return Err(LearnerError::Overflow { t: self.t });
        }
        let (classes, experts) = self.worth.split_at_mut(n);
        self.class_mixture.weights(&mut self.weights[..self.copies.len()]);
        for (y, worth) in classes.iter_mut().enumerate() {
            let mixed = mix(&self.weights, self.copies.iter().map(|copy| copy.belief[y]));
            self.logits[y] = calibration::logit(mixed);
            *worth = self.calibration.value(self.logits[y]);
        }
        self.expert_mixture.weights(&mut self.weights);
        for (j, worth) in experts.iter_mut().enumerate() {
            let copies = self.copies.iter().map(|copy| copy.worth[j]);
            *worth = mix(&self.weights, copies.chain([self.pool.mean(j)]));
        }
        Ok(())
    }

    /// Fills in the distribution over the active actions; returns the best of them.
    fn explore(&mut self) -> usize {
        let (active, n) = (self.active.get(), self.config.space.classes());
        let (k, t) = (active.len(), self.t);
        let memory = self.config.half_life.unwrap_or(f64::INFINITY);
        let rounds = (t as f64).min(memory);
        self.known.clear();
        let (scores, hopes) = (&mut self.scores[..k], &mut self.hopes[..k]);
        for ((score, hope), action) in scores.iter_mut().zip(hopes.iter_mut()).zip(active) {
            let a = action.index();
            let (cost, sd) = match a.checked_sub(n) {
                Some(j) => {
                    let record = &self.records[j];
                    let (age, lately) = (record.age(t).min(memory), record.lately(rounds));
                    self.known.push(explore::Expert { age, lately });
                    (self.config.cost_weight * self.pool.cost(j), self.pool.sd(j))
                }
                None => (0.0, 0.0),
            };
            *score = self.worth[a] - cost;
            *hope = *score + HOPE * sd;
        }
        let known = explore::Known {
            greed: self.config.greed,
            rounds,
            experts: &self.known,
            facts: (self.facts as f64).min(memory),
            gain: self.gain.value(),
            features: self.x.active() as f64,
        };
        let q = &mut self.q[..k];
        explore::fill(hopes, known, q);
        let floor = self.config.floor;
        if floor > 0.0 {
            q.iter_mut().for_each(|q| *q = (1.0 - floor) * *q + floor / k as f64);
        }
        exploration::greedy_position(scores)
    }

    /// Learns what came of playing `action` in the round decided last: what it earned, what it cost in
    /// the user's own unit, and what is known about the label.
    pub(crate) fn settle(
        &mut self,
        action: usize,
        reward: f64,
        cost: f64,
        fact: Option<ClassFact>,
    ) {
        let (n, dim, cpu) = (self.config.space.classes(), self.config.dim, self.cpu);
        let (x, norm) = (self.x.features(dim), self.norm);
        let keep = self.config.keep();
        if let Some(fact) = fact {
            self.facts += 1;
            let copies = &self.copies;
            let (_, outcome) = copies[0].class_prediction(fact);
            self.class_mixture.weights(&mut self.weights[..copies.len()]);
            let predicted = copies.iter().map(|copy| copy.class_prediction(fact).0);
            self.gain.learn(cpu, fact, mix(&self.weights, predicted), keep);
            self.class_mixture.learn(outcome, |i| copies[i].class_prediction(fact).0);
            for copy in &mut self.copies {
                if let Some(keep) = keep {
                    copy.fade_classes(keep);
                }
                copy.learn_classes(cpu, x, norm, fact);
            }
        }
        match action.checked_sub(n) {
            None => {
                let (logit, value) = (self.logits[action], self.worth[action]);
                // Classes are a prefix of the active actions.
                let weight = (1.0 / self.q[action]).clamp(1.0, RAREST);
                self.calibration.learn_reward(logit, value, reward, CALIBRATION_RATE, weight);
            }
            Some(j) => {
                let (copies, mean) = (&self.copies, self.pool.mean(j));
                let predicted = |i: usize| copies.get(i).map_or(mean, |copy| copy.worth[j]);
                self.expert_mixture.learn(reward, predicted);
                let round = (self.t as f64).min(self.config.half_life.unwrap_or(f64::INFINITY));
                if self.records[j].learn(self.t, round, self.worth[action], reward) {
                    self.pool.forget(j);
                    self.copies.iter_mut().for_each(|copy| copy.forget_expert(j));
                    self.faded[j] = 1.0;
                }
                for copy in &mut self.copies {
                    if let Some(keep) = keep {
                        copy.fade_expert(j, self.faded[j], keep);
                    }
                    copy.learn_expert(cpu, x, norm, j, reward);
                }
                self.faded[j] = 1.0;
            }
        }
        if let Some(keep) = keep {
            self.pool.fade(keep);
            self.faded.iter_mut().for_each(|f| *f *= keep);
            self.records.iter_mut().for_each(|record| record.fade(keep));
        }
        match action.checked_sub(n) {
            Some(j) => self.pool.learn(j, reward, cost),
            None if keep.is_some() => self.pool.refresh(),
            None => {}
        }
        self.scale.learn(self.raw.features(dim));
        self.open = false;
        self.t += 1;
    }
}

/// How many standard deviations an expert may be better than estimated when it is compared with the
/// others: enough for somebody new to be tried, little enough not to go back to who is known.
const HOPE: f64 = 0.2;

/// A class that was played against the odds counts more, up to this, in what corrects the belief: the
/// correction is for all inputs, not only for those at which the classes are played anyway.
const RAREST: f64 = 4.0;

/// Rate of the two numbers that say how far the belief in the classes is to be trusted.
const CALIBRATION_RATE: f64 = 0.6;

fn mix(weights: &[f64], values: impl Iterator<Item = f64>) -> f64 {
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

/// A cost in the user's own unit.
pub(crate) fn check_own_cost(value: f64) -> Result<(), LearnerError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(problem::ProblemError::NegativeCost { field: "cost", value }.into())
}

impl Policy for AutoRouter {
    fn space(&self) -> ActionSpace {
        self.config.space
    }

    fn feedback(&self) -> FeedbackKind {
        self.config.feedback
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let t = self.t;
        check_question(t, self.config.space, self.config.dim, x, active)?;
        x.check_finite().map_err(|source| LearnerError::Round { t, source })?;
        self.open = false;
        self.raw.take(x);
        self.active.copy(active);
        self.estimate()?;
        let best = self.explore();
        self.open = true;
        let (active, k) = (self.active.get(), active.len());
        let (scores, q) = (&self.scores[..k], &self.q[..k]);
        let greedy = active.nth(best).expect("a position among the active actions");
        Ok(Decision { active, scores, q, greedy, gamma: 1.0 - q[best] })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let t = self.t;
        if !self.open {
            return Err(LearnerError::NothingDecided { t });
        }
        let (action, reward, cost, fact) = match feedback {
            Feedback::Bandit { action, correct, cost: None } => {
                let fact = ClassFact::of_answer(action.index(), correct);
                (action, f64::from(correct), 0.0, Some(fact))
            }
            Feedback::Bandit { action, cost: Some(cost), .. } => (action, 1.0 - cost, 0.0, None),
            Feedback::Answer { action, answer, correct, cost } => {
                (action, 1.0 - cost, 0.0, Some(ClassFact::of_answer(answer, correct)))
            }
            Feedback::Reward { action, reward, cost } => {
                let class = action.index() < self.config.space.classes();
                let fact = class.then(|| ClassFact::Earned(action.index(), reward));
                (action, reward, cost, fact)
            }
            Feedback::Full { .. } => {
                let (expected, got) = (self.config.feedback, FeedbackKind::Full);
                return Err(LearnerError::WrongFeedback { t, expected, got });
            }
        };
        let active = self.active.get();
        // The estimate itself is not used, its checks of the feedback are.
        estimator::estimate(&active, &self.q[..active.len()], feedback, t, &mut [])?;
        self.settle(action.index(), reward, cost, fact);
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    config: AutoConfig,
    t: u64,
    facts: u64,
    copies: Vec<Copy>,
    gain: Gain,
    class_mixture: Mixture,
    expert_mixture: Mixture,
    pool: Pool,
    faded: Vec<f64>,
    records: Vec<Record>,
    calibration: Calibration,
    scale: Scale,
    /// The input and the available experts of an open question.
    question: Option<(Input, Vec<usize>)>,
}

impl Serialize for AutoRouter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let available = || self.active.get().experts().collect();
        let saved = Saved {
            config: self.config.clone(),
            t: self.t,
            facts: self.facts,
            copies: self.copies.clone(),
            gain: self.gain.clone(),
            class_mixture: self.class_mixture.clone(),
            expert_mixture: self.expert_mixture.clone(),
            pool: self.pool.clone(),
            faded: self.faded.clone(),
            records: self.records.clone(),
            calibration: self.calibration,
            scale: self.scale.clone(),
            question: self.open.then(|| (self.raw.clone(), available())),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AutoRouter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore(saved: Saved) -> Result<AutoRouter, LearnerError> {
    let mut router = AutoRouter::new(saved.config)?;
    let (space, dim) = (router.config.space, router.config.dim);
    let (n, n_e, copies) = (space.classes(), space.experts(), router.copies.len());
    let fits = [
        ("t", saved.t > 0),
        ("facts", saved.facts < saved.t),
        ("copies", saved.copies.len() == copies),
        ("copies", saved.copies.iter().all(|copy| copy.fits(n, n_e, dim))),
        ("gain", saved.gain.fits(n)),
        ("class_mixture", saved.class_mixture.fits(copies)),
        ("expert_mixture", saved.expert_mixture.fits(copies + 1)),
        ("pool", saved.pool.len() == n_e && saved.pool.is_sound()),
        ("faded", saved.faded.len() == n_e && saved.faded.iter().all(|f| (0.0..=1.0).contains(f))),
        ("records", saved.records.len() == n_e),
        ("records", saved.records.iter().all(|record| record.is_sound(saved.t))),
        ("scale", saved.scale.fits(dim)),
    ];
    if let Some((field, _)) = fits.iter().find(|(_, fits)| !fits) {
        let shape = format!("{n} classes, {n_e} experts, {dim} features, {copies} rates");
        return Err(LearnerError::BadState(format!("{field} does not belong to {shape}")));
    }
    (router.t, router.facts) = (saved.t, saved.facts);
    router.copies = saved.copies;
    router.copies.iter_mut().for_each(Copy::make_room);
    router.gain = saved.gain;
    router.gain.make_room();
    (router.class_mixture, router.expert_mixture) = (saved.class_mixture, saved.expert_mixture);
    (router.pool, router.faded, router.records) = (saved.pool, saved.faded, saved.records);
    router.pool.refresh();
    router.calibration = saved.calibration.check()?;
    router.scale = saved.scale;
    if let Some((x, available)) = saved.question {
        x.check(dim)?;
        let mut active = ActiveBuffer::new(space);
        active.fill(available)?;
        router.decide(x.features(dim), active.get())?;
    }
    Ok(router)
}

#[cfg(test)]
mod tests;

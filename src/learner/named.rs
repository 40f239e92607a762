//! The router that people deploy: names instead of positions, experts who come and go.
//!
//! ```
//! use deferlab_learner::{NamedRouter, Observed, RouterOptions};
//! use problem::Features;
//!
//! let options = RouterOptions { dim: 2, ..RouterOptions::default() };
//! let mut router = NamedRouter::new(&["cat", "dog"], &["anna", "bo"], options)?;
//! let choice = router.decide(Features::Dense(&[0.3, 1.2]), &["anna"])?;
//! println!("{} with probability {}", choice.action, choice.probability);
//! router.observe(Observed::Reward { reward: 1.0, cost: 0.0 })?;
//! router.add_expert("cleo")?;
//! router.retire_expert("bo")?;
//! # Ok::<(), deferlab_learner::NamedError>(())
//! ```
//!
//! Everything it knows is its serde state, the random numbers included: a router that is saved, restored
//! and goes on makes the same choices, bit for bit, as one that was never stopped.

use crate::auto::{ClassFact, check_own_cost};
use crate::{AutoConfig, AutoRouter, Decision, LearnerError, Policy};
use problem::{Action, ActionSpace, ActiveBuffer, ActiveRef, Features, ProblemError};
use rand::{Rng, RngExt, SeedableRng, TryRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use thiserror::Error;

/// What a [`NamedRouter`] may be told to do differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouterOptions {
    /// Number of features.
    pub dim: usize,
    /// What one unit of cost is worth in reward: actions are compared by `reward - cost_weight cost`.
    pub cost_weight: f64,
    /// Rounds after which what was learned about an expert counts half, for experts who change.
    pub half_life: Option<f64>,
    /// A share of rounds played uniformly over who is available, for ever.
    pub floor: f64,
    /// Where its random numbers start.
    pub seed: u64,
}

impl Default for RouterOptions {
    fn default() -> Self {
        RouterOptions { dim: 0, cost_weight: 0.0, half_life: None, floor: 0.0, seed: 0 }
    }
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed<'a> {
    /// The paper's feedback: whether the answer was right, and for an expert the paper's cost in
    /// `[0, 1]`, errors included. Without a cost an expert earns 1 or 0 as a class does.
    Correct {
        /// Whether the answer was right.
        correct: bool,
        /// `c_j`, for an expert.
        cost: Option<f64>,
    },
    /// What the asked expert answered, and whether that was right: the right answer teaches the
    /// classes, a wrong one rules a class out.
    Answer {
        /// The class the expert named.
        answer: &'a str,
        /// Whether it was right.
        correct: bool,
        /// What asking cost, in the user's own unit.
        cost: f64,
    },
    /// A graded reward.
    Reward {
        /// In `[0, 1]`.
        reward: f64,
        /// What it cost, in the user's own unit.
        cost: f64,
    },
    /// The right class, learned afterwards; for an expert also needs what it earned.
    Label {
        /// The right class.
        label: &'a str,
        /// What the action earned, in `[0, 1]`; a class earns 1 if it is the label, else 0.
        reward: Option<f64>,
        /// What it cost, in the user's own unit.
        cost: f64,
    },
}

/// One of the actions that could be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer<'a> {
    /// The class or expert.
    pub name: &'a str,
    /// The probability with which it is chosen.
    pub probability: f64,
    /// What it is estimated to be worth: reward less weighted cost.
    pub estimate: f64,
}

/// What a [`NamedRouter`] decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice<'a> {
    /// The round, counted from 1.
    pub round: u64,
    /// What was drawn: a class to answer with, or an expert to ask.
    pub action: &'a str,
    /// Whether `action` is an expert.
    pub expert: bool,
    /// The probability with which it was drawn.
    pub probability: f64,
    /// All that could have been drawn: classes first, then the available experts in the order in which
    /// they joined.
    pub offers: Vec<Offer<'a>>,
}

/// What can go wrong with names. After any of these the router is as it was before the call.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NamedError {
    /// A name nobody has.
    #[error("there is no {what} {name:?}{}", did_you_mean(.near))]
    Unknown {
        /// "class", "expert" or "action".
        what: &'static str,
        /// As given.
        name: String,
        /// The name that was probably meant.
        near: Option<String>,
    },
    /// A name that is taken.
    #[error("{name:?} is already the name of {holder}")]
    Taken {
        /// As given.
        name: String,
        /// "a class" or "an expert".
        holder: &'static str,
    },
    /// A name without letters.
    #[error("a name must not be empty")]
    Empty,
    /// An expert who has been retired.
    #[error("expert {name:?} has been retired: add it to bring it back")]
    Retired {
        /// The expert.
        name: String,
    },
    /// An action that could not be chosen.
    #[error("{name:?} was not available in this round")]
    Unavailable {
        /// The expert.
        name: String,
    },
    /// An outcome before a decision.
    #[error("round {round}: observe was called without a decide")]
    NothingDecided {
        /// Counted from 1.
        round: u64,
    },
    /// An outcome that cannot belong to the action.
    #[error("{name:?} is a class: only an expert gives an answer or has the paper's cost")]
    OutcomeOfClass {
        /// The class.
        name: String,
    },
    /// The label says nothing about what an expert earned.
    #[error("{name:?} is an expert: say its reward beside the label")]
    NoReward {
        /// The expert.
        name: String,
    },
    /// A saved state of another kind.
    #[error("saved router state: {0}")]
    State(String),
    /// Anything the learner itself refuses.
    #[error(transparent)]
    Learner(#[from] LearnerError),
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

impl From<ProblemError> for NamedError {
    fn from(error: ProblemError) -> Self {
        NamedError::Learner(error.into())
    }
}

/// Routes between named classes and named experts; see the [module](self).
#[derive(Clone, Debug, Serialize)]
pub struct NamedRouter {
    version: u32,
    classes: Vec<String>,
    experts: Vec<Expert>,
    router: AutoRouter,
    random: Random,
    /// What was drawn last, if its outcome is still to come.
    chosen: Option<usize>,
    #[serde(skip)]
    index: BTreeMap<String, usize>,
    #[serde(skip)]
    active: ActiveBuffer,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expert {
    name: String,
    retired: bool,
}

/// Random numbers whose state is two numbers that every JSON reader can hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Random {
    seed: u64,
    draws: u64,
}

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|bits| bits as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.draws += 1;
        // A generator of its own for every draw, its seed spread by the golden ratio.
        let spread = self.draws.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Ok(Pcg64::seed_from_u64(self.seed.wrapping_add(spread)).next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.try_next_u64()?.to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// The form of the saved state.
const VERSION: u32 = 1;

impl NamedRouter {
    /// A router that has seen nothing. Without classes it routes between experts; there may be none of
    /// these yet only if there are classes.
    ///
    /// # Errors
    /// A name that is empty or taken twice, one class, too many actions, an option out of range.
    pub fn new<C: AsRef<str>, E: AsRef<str>>(
        classes: &[C],
        experts: &[E],
        options: RouterOptions,
    ) -> Result<Self, NamedError> {
        let space = ActionSpace::new(classes.len(), experts.len())?;
        let RouterOptions { dim, cost_weight, half_life, floor, seed } = options;
        let config = AutoConfig { cost_weight, half_life, floor, ..AutoConfig::new(space, dim) };
        let expert = |name: &E| Expert { name: name.as_ref().into(), retired: false };
        let mut router = NamedRouter {
            version: VERSION,
            classes: classes.iter().map(|name| name.as_ref().into()).collect(),
            experts: experts.iter().map(expert).collect(),
            router: AutoRouter::new(config)?,
            random: Random { seed, draws: 0 },
            chosen: None,
            index: BTreeMap::new(),
            active: ActiveBuffer::new(space),
        };
        router.reindex()?;
        Ok(router)
    }

    fn reindex(&mut self) -> Result<(), NamedError> {
        let names = self.classes.iter().chain(self.experts.iter().map(|e| &e.name));
        let mut index = BTreeMap::new();
        for (action, name) in names.enumerate() {
            if name.is_empty() {
                return Err(NamedError::Empty);
            }
            if let Some(first) = index.insert(name.clone(), action) {
                return Err(self.taken(name, first));
            }
        }
        self.index = index;
        Ok(())
    }

    fn taken(&self, name: &str, action: usize) -> NamedError {
        let holder = if action < self.classes.len() { "a class" } else { "an expert" };
        NamedError::Taken { name: name.into(), holder }
    }

    /// The classes.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.classes.iter().map(String::as_str)
    }

    /// The experts who have not been retired, in the order in which they joined.
    pub fn experts(&self) -> impl Iterator<Item = &str> {
        self.experts.iter().filter(|e| !e.retired).map(|e| e.name.as_str())
    }

    /// What it was set up with; experts who were added count, and so do those who were retired.
    #[must_use]
    pub fn config(&self) -> &AutoConfig {
        self.router.config()
    }

    /// The round that the next observation completes, counted from 1.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.router.round()
    }

    fn name(&self, action: usize) -> &str {
        let expert = || &self.experts[action - self.classes.len()].name;
        self.classes.get(action).unwrap_or_else(expert)
    }

    /// The action behind a name.
    fn find(&self, what: &'static str, name: &str) -> Result<usize, NamedError> {
        let n = self.classes.len();
        let wanted = |action: usize| match what {
            "class" => action < n,
            "expert" => action >= n,
            _ => true,
        };
        if let Some(&action) = self.index.get(name).filter(|&&action| wanted(action)) {
            return Ok(action);
        }
        let known = self.index.iter().filter(|(_, action)| wanted(**action));
        let near = crate::nearest(name, known.map(|(name, _)| name.as_str())).map(String::from);
        Err(NamedError::Unknown { what, name: name.into(), near })
    }

    /// An expert who has not been retired.
    fn serving(&self, name: &str) -> Result<usize, NamedError> {
        let expert = self.find("expert", name)? - self.classes.len();
        if self.experts[expert].retired {
            return Err(NamedError::Retired { name: name.into() });
        }
        Ok(expert)
    }

    /// Chooses between the classes and the available experts. Asking again before an outcome replaces
    /// the question.
    ///
    /// # Errors
    /// An expert who does not exist or has been retired, nobody to choose from, a bad input.
    pub fn decide<S: AsRef<str>>(
        &mut self,
        x: Features<'_>,
        available: &[S],
    ) -> Result<Choice<'_>, NamedError> {
        let experts: Vec<usize> =
            available.iter().map(|name| self.serving(name.as_ref())).collect::<Result<_, _>>()?;
        let round = self.router.round();
        let mut active = self.active.clone();
        let (decision, action) = self.draw(x, active.fill(experts)?)?;
        let (scores, q) = (decision.scores.to_vec(), decision.q.to_vec());
        let position = decision.active.position(action).unwrap_or_default();
        let offer = |(k, action): (usize, Action)| Offer {
            name: self.name(action.index()),
            probability: q[k],
            estimate: scores[k],
        };
        let offers: Vec<Offer<'_>> = self.active.get().iter().enumerate().map(offer).collect();
        Ok(Choice {
            round,
            action: offers[position].name,
            expert: action.index() >= self.classes.len(),
            probability: q[position],
            offers,
        })
    }

    /// The same by positions, for programs that keep the names themselves: opens the question and draws
    /// its action. Who has been retired is not looked at.
    ///
    /// # Errors
    /// Nobody to choose from, a bad input.
    pub fn draw(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<(Decision<'_>, Action), NamedError> {
        let decision = self.router.decide(x, active)?;
        self.active.copy(active);
        let action = decision.sample(self.random.random());
        self.chosen = Some(action.index());
        Ok((decision, action))
    }

    /// What [`NamedRouter::draw`] would draw from. Nothing is drawn, and no question is open afterwards.
    ///
    /// # Errors
    /// As [`NamedRouter::draw`].
    pub fn consider(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, NamedError> {
        let decision = self.router.decide(x, active)?;
        self.chosen = None;
        Ok(decision)
    }

    /// The learner and what draws its actions, for whoever plays whole streams. A question that is open is
    /// dropped.
    pub fn playing(&mut self) -> (&mut AutoRouter, &mut (dyn Rng + Send)) {
        self.chosen = None;
        (&mut self.router, &mut self.random)
    }

    /// The action of the open question, by position.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    /// What the experts will cost when asked, in the user's own unit: said before a decision, it counts
    /// until another cost is said. Without it, what was paid on average counts.
    ///
    /// # Errors
    /// An expert who does not exist, a cost that is negative or not finite.
    pub fn set_costs<S: AsRef<str>>(&mut self, costs: &[(S, f64)]) -> Result<(), NamedError> {
        let told = costs.iter().map(|(name, cost)| {
            check_own_cost(*cost)?;
            Ok((self.find("expert", name.as_ref())? - self.classes.len(), *cost))
        });
        for (expert, cost) in told.collect::<Result<Vec<_>, NamedError>>()? {
            self.router.tell_cost(expert, cost)?;
        }
        Ok(())
    }

    /// What came of the choice made last.
    ///
    /// # Errors
    /// Nothing was decided, or the outcome cannot be true.
    pub fn observe(&mut self, outcome: Observed<'_>) -> Result<(), NamedError> {
        let round = self.router.round();
        let action = self.chosen.ok_or(NamedError::NothingDecided { round })?;
        self.settle(action, outcome)
    }

    /// The same when another action than the one chosen was taken.
    ///
    /// # Errors
    /// As [`NamedRouter::observe`]; or the action was not available.
    pub fn observe_action(&mut self, name: &str, outcome: Observed<'_>) -> Result<(), NamedError> {
        let round = self.router.round();
        self.chosen.ok_or(NamedError::NothingDecided { round })?;
        let action = self.find("action", name)?;
        let there = self.router.space().action(action)?;
        if !self.active.get().contains(there) {
            return Err(NamedError::Unavailable { name: name.into() });
        }
        self.settle(action, outcome)
    }

    /// Learns from a round that was decided before or elsewhere: what came of `action` at `x`. A
    /// question that is open is dropped.
    ///
    /// # Errors
    /// An unknown action, a bad input, an outcome that cannot be true.
    pub fn learn(
        &mut self,
        x: Features<'_>,
        action: &str,
        outcome: Observed<'_>,
    ) -> Result<(), NamedError> {
        let action = self.find("action", action)?;
        self.read(action, outcome)?;
        let expert = action.checked_sub(self.classes.len());
        let active = self.active.fill(expert)?;
        self.chosen = None;
        self.router.decide(x, active)?;
        self.settle(action, outcome)
    }

    fn settle(&mut self, action: usize, outcome: Observed<'_>) -> Result<(), NamedError> {
        let (reward, cost, fact) = self.read(action, outcome)?;
        self.router.settle(action, reward, cost, fact);
        self.chosen = None;
        Ok(())
    }

    /// What an outcome says: the reward, the cost in the user's own unit, and about the classes.
    fn read(
        &self,
        action: usize,
        outcome: Observed<'_>,
    ) -> Result<(f64, f64, Option<ClassFact>), NamedError> {
        let expert = action >= self.classes.len();
        let of_class = || NamedError::OutcomeOfClass { name: self.name(action).into() };
        let read = match outcome {
            Observed::Correct { cost: Some(_), .. } if !expert => return Err(of_class()),
            Observed::Correct { correct, cost } => {
                let reward = cost.map_or(f64::from(correct), |cost| 1.0 - cost);
                let fact = (!expert).then(|| ClassFact::of_answer(action, correct));
                (reward, 0.0, fact)
            }
            Observed::Answer { .. } if !expert => return Err(of_class()),
            Observed::Answer { answer, correct, cost } => {
                let class = self.find("class", answer)?;
                (f64::from(correct), cost, Some(ClassFact::of_answer(class, correct)))
            }
            Observed::Reward { reward, cost } => {
                (reward, cost, (!expert).then_some(ClassFact::Earned(action, reward)))
            }
            Observed::Label { label, reward, cost } => {
                let class = self.find("class", label)?;
                let reward = match reward {
                    Some(reward) => reward,
                    None if !expert => f64::from(class == action),
                    None => return Err(NamedError::NoReward { name: self.name(action).into() }),
                };
                (reward, cost, Some(ClassFact::Label(class)))
            }
        };
        if !(0.0..=1.0).contains(&read.0) {
            return Err(ProblemError::RewardOutOfRange { value: read.0 }.into());
        }
        check_own_cost(read.1)?;
        Ok(read)
    }

    /// Adds an expert, or brings back one who was retired with all that was known of it. Somebody new
    /// starts from what the pool is like.
    ///
    /// # Errors
    /// The name is empty or belongs to a class or to an expert who serves; there are too many actions.
    pub fn add_expert(&mut self, name: &str) -> Result<(), NamedError> {
        if name.is_empty() {
            return Err(NamedError::Empty);
        }
        let n = self.classes.len();
        match self.index.get(name) {
            Some(&action) if action >= n && self.experts[action - n].retired => {
                self.experts[action - n].retired = false;
            }
            Some(&action) => return Err(self.taken(name, action)),
            None => {
                self.router.add_expert()?;
                let available: Vec<usize> = self.active.get().experts().collect();
                self.active = ActiveBuffer::new(self.router.space());
                self.active.fill(available)?;
                self.index.insert(name.into(), n + self.experts.len());
                self.experts.push(Expert { name: name.into(), retired: false });
            }
        }
        Ok(())
    }

    /// The expert is not asked any more. What was learned is kept for the case that it comes back.
    ///
    /// # Errors
    /// An expert who does not exist or has been retired.
    pub fn retire_expert(&mut self, name: &str) -> Result<(), NamedError> {
        let expert = self.serving(name)?;
        self.experts[expert].retired = true;
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    classes: Vec<String>,
    experts: Vec<Expert>,
    router: AutoRouter,
    random: Random,
    chosen: Option<usize>,
}

impl<'de> Deserialize<'de> for NamedRouter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Saved::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn restore(saved: Saved) -> Result<NamedRouter, NamedError> {
    let Saved { version, classes, experts, router, random, chosen } = saved;
    let space = router.space();
    if version != VERSION {
        return Err(NamedError::State(format!("version {version}, expected {VERSION}")));
    }
    if (classes.len(), experts.len()) != (space.classes(), space.experts()) {
        let names = format!("{} classes and {} experts have names", classes.len(), experts.len());
        let (n, n_e) = (space.classes(), space.experts());
        return Err(NamedError::State(format!("{names}, the learner has {n} and {n_e}")));
    }
    let mut active = ActiveBuffer::new(space);
    if let Some(action) = chosen {
        let asked = router.asked().ok_or_else(|| NamedError::State("chosen, not asked".into()))?;
        if !space.action(action).is_ok_and(|action| asked.contains(action)) {
            return Err(NamedError::State(format!("chosen = {action}, who was not available")));
        }
        active.copy(asked);
    }
    let index = BTreeMap::new();
    let mut named =
        NamedRouter { version, classes, experts, router, random, chosen, index, active };
    named.reindex()?;
    Ok(named)
}

#[cfg(test)]
mod tests;

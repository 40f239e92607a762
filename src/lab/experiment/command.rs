//! A policy that is another program: `command = "python3 mine.py"`.
//!
//! One JSON object a line, one reply for each request; the program keeps its own state.
//!
//! ```text
//! {"op":"init","classes":["billing","other"],"experts":["ann","bob"],"d":2,"rounds":400,
//!  "feedback":"bandit","seed":7}                                  {"ok":true}
//! {"op":"decide","x":[0.5,1.0],"available":[1]}                   {"q":[0.8,0.1,0.1]}
//! {"op":"decide","x":{"3":0.5},"available":[]}                    {"q":[0.5,0.5]}      sparse x
//! {"op":"observe","action":3,"correct":true,"cost":0.1}           {"ok":true}
//! {"op":"bye"}                                                    ends
//! ```
//! Actions are the classes `0..n`, then expert `j` as `n + j`; `q` has the probabilities of the classes,
//! then of the available experts in their order. Whoever drives the program samples the action. `cost` is
//! null for a class, `correct` is null where nobody knows. With `feedback = "full"` the outcome is
//! `{"op":"observe","label":1,"costs":[..]}`, with `"answer"` the asked expert's answer comes along, with
//! `"reward"` the outcome is `{"op":"observe","action":3,"reward":0.8,"cost":0.02}`.

use super::error::PolicyFault;
use super::names::Names;
use super::spec::CommandSpec;
use crate::process::TimeLimits;
use crate::program::{Program, ProgramError};
use learner::{Decision, LearnerError, Policy};
use problem::check_distribution;
use problem::{ActionSpace, ActiveBuffer, ActiveRef, Features, Feedback, FeedbackKind};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a program is told at its start.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Init<'a> {
    op: &'static str,
    classes: &'a [String],
    experts: &'a [String],
    d: usize,
    rounds: u64,
    feedback: FeedbackKind,
    /// For whatever it draws: the same in every repetition of the run.
    seed: u64,
}

/// A program that plays.
#[derive(Debug)]
pub(super) struct CommandPolicy {
    program: Program,
    space: ActionSpace,
    feedback: FeedbackKind,
    t: u64,
    active: ActiveBuffer,
    q: Vec<f64>,
}

/// Where a program plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    pub(super) space: ActionSpace,
    pub(super) dim: usize,
    pub(super) names: &'a Names,
    pub(super) rounds: u64,
    pub(super) seed: u64,
    /// Where it is started: the folder of the experiment file.
    pub(super) folder: &'a Path,
}

impl CommandPolicy {
    /// Starts the program and tells it what it will play.
    ///
    /// # Errors
    /// It cannot be started, or does not say yes.
    pub(super) fn start(spec: &CommandSpec, at: Table<'_>) -> Result<Self, PolicyFault> {
        let limit = spec.limit()?;
        let limits = TimeLimits::default();
        let limits = TimeLimits { first: limits.first.max(limit), reply: limit, ..limits };
        let mut program = Program::start(&spec.run, Some(at.folder), limits)?;
        let Names { classes, experts } = at.names;
        let Table { dim: d, rounds, seed, .. } = at;
        let feedback = spec.feedback;
        program.tell("init", &Init { op: "init", classes, experts, d, rounds, feedback, seed })?;
        let active = ActiveBuffer::new(at.space);
        Ok(CommandPolicy { program, space: at.space, feedback, t: 1, active, q: Vec::new() })
    }
}

/// The input as it is written: a list, or an object of the non-zero values.
struct Wire<'a>(Features<'a>);

impl Serialize for Wire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Features::Dense(x) => x.serialize(serializer),
            Features::Sparse(row) => {
                let mut map = serializer.serialize_map(Some(row.indices.len()))?;
                for (index, value) in row.indices.iter().zip(row.values) {
                    map.serialize_entry(index, value)?;
                }
                map.end()
            }
        }
    }
}

#[derive(Serialize)]
struct Decide<'a> {
    op: &'static str,
    x: Wire<'a>,
    available: Vec<usize>,
}

#[derive(Deserialize)]
struct Reply {
    q: Vec<f64>,
}

#[derive(Serialize)]
struct Observe<'a> {
    op: &'static str,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Bandit { action: usize, correct: bool, cost: Option<f64> },
    Answer { action: usize, answer: usize, correct: bool, cost: f64 },
    Reward { action: usize, reward: f64, cost: f64 },
    Full { label: usize, costs: &'a [f64] },
}

impl<'a> From<Feedback<'a>> for Outcome<'a> {
    fn from(feedback: Feedback<'a>) -> Self {
        match feedback {
            Feedback::Bandit { action, correct, cost } => {
                Outcome::Bandit { action: action.index(), correct, cost }
            }
            Feedback::Full { label, costs } => Outcome::Full { label, costs },
            Feedback::Answer { action, answer, correct, cost } => {
                Outcome::Answer { action: action.index(), answer, correct, cost }
            }
            Feedback::Reward { action, reward, cost } => {
                Outcome::Reward { action: action.index(), reward, cost }
            }
        }
    }
}

impl Policy for CommandPolicy {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn feedback(&self) -> FeedbackKind {
        self.feedback
    }

    fn decide(
        &mut self,
        x: Features<'_>,
        active: ActiveRef<'_>,
    ) -> Result<Decision<'_>, LearnerError> {
        let t = self.t;
        let outside = |error: ProgramError| LearnerError::Outside { t, message: error.to_string() };
        let request = Decide { op: "decide", x: Wire(x), available: active.experts().collect() };
        let Reply { q } = self.program.ask("decide", &request).map_err(outside)?;
        check_distribution("q", &q, active.len()).map_err(|problem| {
            let problem = format!(
                "{problem} (one probability for each class, then for each available expert)"
            );
            outside(ProgramError::WrongShape { request: "decide".into(), problem })
        })?;
        self.q = q;
        self.active.copy(active);
        let active = self.active.get();
        let nobody = LearnerError::NobodyAvailable { t };
        let likelier = |best: usize, k: usize| if self.q[k] > self.q[best] { k } else { best };
        let greedy = active.nth((1..self.q.len()).fold(0, likelier)).ok_or(nobody)?;
        Ok(Decision { active, scores: &[], q: &self.q, greedy, gamma: 0.0 })
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Result<(), LearnerError> {
        let request = Observe { op: "observe", outcome: feedback.into() };
        let told = self.program.tell("observe", &request);
        told.map_err(|error| LearnerError::Outside { t: self.t, message: error.to_string() })?;
        self.t += 1;
        Ok(())
    }
}

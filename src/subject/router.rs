//! The recommended router as a program: `deferlab subject --learner router --state FILE`.
//!
//! ```text
//! {"op":"init","classes":["cat","dog"],"experts":["ann","bo"],"d":2}
//!                                        {"ok":true,"restored":false,"round":1,"experts":["ann","bo"]}
//! {"op":"decide","x":[0.3,1.2],"available":["ann"]}
//!      {"round":1,"action":"dog","probability":0.4,"active":["cat","dog","ann"],"q":[0.3,0.4,0.3],"estimates":[..]}
//! {"op":"observe","correct":true}                                  of the action that was drawn
//! {"op":"observe","action":"ann","correct":true,"cost":0.1}        of the one that was taken instead
//! {"op":"observe","reward":0.8,"cost":0.02}   {"op":"observe","answer":"cat","correct":false,"cost":0.1}
//! {"op":"observe","label":"cat","reward":0.9}                      all of them: {"ok":true}
//! {"op":"costs","costs":{"ann":0.02}}     {"op":"add","expert":"cleo"}     {"op":"retire","expert":"bo"}
//! {"op":"save"}     {"op":"bye"}
//! ```
//! An input is a list of `d` numbers, `{"index": value}`, or `"text"` in place of `"x"` (then `d` is a power
//! of two). Actions may be given by position as well, classes first, then the experts of `init`: so this
//! program can be the `command` of a policy. `init` may say `cost_weight`, `half_life`, `floor` and `seed`.
//! A request that cannot be answered, or has a field that means nothing, gets `{"error":".."}` and changes
//! nothing.
//!
//! The state is one JSON file that [`crate::learner::NamedRouter`] reads and writes. It is replaced as a
//! whole, never half written, with a checksum, after so many outcomes, at `save`, at `bye` and at the end of the input. A
//! router that goes on from it makes the same choices, bit for bit, as one that was never stopped.

use super::lines::{self, Acknowledged, OpLine, write};
use super::sealed::{seal, unseal};
use crate::learner::{NamedError, NamedRouter, Observed, RouterOptions};
use crate::problem::{Features, ProblemError, SparseRow, hash_text};
use lab::experiment::{StoreError, write_whole};
use lab::{BadLine, parse_line as parse};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A state that cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum StateError {
    /// It cannot be read, or not be locked.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is not the state of a router.
    #[error("{}: {problem}; it is left as it is: restore it from a copy, or use another --state", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Two programs would overwrite each other's state.
    #[error("{}: another process serves this state", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

/// Where the state is kept.
#[derive(Debug)]
struct StateFile {
    path: PathBuf,
    /// Outcomes between two saves.
    every: u64,
    /// Outcomes since the last one.
    unsaved: u64,
    _lock: File,
}

/// A router that answers requests.
#[derive(Debug, Default)]
pub(crate) struct RouterServer {
    router: Option<NamedRouter>,
    /// Names by position, as `init` gave them.
    experts: Vec<String>,
    state: Option<StateFile>,
}

/// Why a request gets no answer.
#[derive(Debug, Error)]
enum Refusal {
    #[error("not a request: {0}")]
    NotARequest(BadLine),
    #[error("{op}: {problem}")]
    In { op: &'static str, problem: BadLine },
    #[error(
        "op: {0:?} is unknown, expected init, decide, observe, costs, add, retire, save or bye"
    )]
    UnknownOp(String),
    #[error("{op}: {problem}")]
    Bad { op: &'static str, problem: String },
    #[error("{op}: {source}")]
    Named { op: &'static str, source: NamedError },
    #[error("{op}: send init first")]
    NotStarted { op: &'static str },
    #[error("the outcome was taken in, but the state was not saved: {0}")]
    NotSaved(StoreError),
    #[error("save: there is no file: start it with --state FILE")]
    NoState,
}

/// `rounds` is what an experiment says to every policy; nothing depends on it here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InitLine {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    #[serde(default)]
    classes: Vec<String>,
    #[serde(default)]
    experts: Vec<String>,
    d: usize,
    feedback: Option<String>,
    cost_weight: Option<f64>,
    half_life: Option<f64>,
    floor: Option<f64>,
    seed: Option<u64>,
    #[serde(default, rename = "rounds")]
    _rounds: Option<u64>,
}

#[derive(Serialize)]
struct InitReply<'a> {
    ok: bool,
    restored: bool,
    round: u64,
    experts: Vec<&'a str>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum X {
    Dense(Vec<f64>),
    Sparse(BTreeMap<String, f64>),
}

/// An action by position or by name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Who {
    Place(usize),
    Name(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecideLine {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    x: Option<X>,
    text: Option<String>,
    available: Option<Vec<Who>>,
}

#[derive(Serialize)]
struct DecideReply<'a> {
    round: u64,
    action: &'a str,
    probability: f64,
    active: Vec<&'a str>,
    q: Vec<f64>,
    estimates: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObserveLine {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    action: Option<Who>,
    correct: Option<bool>,
    cost: Option<f64>,
    answer: Option<Who>,
    reward: Option<f64>,
    label: Option<Who>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsLine {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    costs: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpertLine {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    expert: String,
}

/// The router of a state.
fn restored(path: &Path, bytes: &[u8]) -> Result<NamedRouter, StateError> {
    let content = |problem: &dyn Display| StateError::Content {
        path: path.into(),
        problem: problem.to_string(),
    };
    let text = std::str::from_utf8(bytes).map_err(|error| content(&error))?;
    let object = unseal(text).map_err(|damage| content(&damage))?;
    serde_json::from_str(&object).map_err(|error| content(&error))
}

impl RouterServer {
    /// A router whose state is kept in `path`, and restored from it if it is there.
    ///
    /// # Errors
    /// The state cannot be read, is not one, or is served by another process.
    pub(crate) fn with_state(path: &Path, every: u64) -> Result<Self, StateError> {
        let io = |source| StateError::Io { path: path.into(), source };
        let lock = path.with_added_extension("lock");
        let lock = File::options().create(true).append(true).open(&lock).map_err(io)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StateError::Busy { path: path.into() },
            TryLockError::Error(source) => io(source),
        })?;
        let router: Option<NamedRouter> = match std::fs::read(path) {
            Ok(bytes) => Some(restored(path, &bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io(error)),
        };
        let experts = router.iter().flat_map(NamedRouter::experts).map(String::from).collect();
        let state = StateFile { path: path.into(), every: every.max(1), unsaved: 0, _lock: lock };
        Ok(RouterServer { router, experts, state: Some(state) })
    }

    /// Answers every request of `reader` on `writer` until `bye` or the end of the input.
    ///
    /// # Errors
    /// Those of reading and writing, and a state that cannot be saved at the end.
    pub(crate) fn serve(&mut self, reader: impl Read, writer: impl Write) -> io::Result<()> {
        let served = lines::serve(reader, writer, |line, reply| self.answer(line, reply));
        // Whatever ended the conversation, what was learned is kept.
        let saved = self.save().map_err(io::Error::other);
        served.and(saved)
    }

    fn save(&mut self) -> Result<(), StoreError> {
        if let (Some(state), Some(router)) = (&mut self.state, &self.router) {
            let text = serde_json::to_string(router).expect("a router is plain data");
            write_whole(&state.path, (seal(&text) + "\n").as_bytes())?;
            state.unsaved = 0;
        }
        Ok(())
    }

    /// Writes the reply and says whether the conversation goes on.
    fn answer(&mut self, line: &[u8], reply: &mut Vec<u8>) -> Result<bool, Refusal> {
        let op = parse::<OpLine<'_>>(line).map_err(Refusal::NotARequest)?.op;
        match &*op {
            "init" => self.init(read("init", line)?, reply)?,
            "decide" => self.decide(read("decide", line)?, reply)?,
            "observe" => {
                self.observe(read("observe", line)?)?;
                self.count()?;
                acknowledge(reply);
            }
            "costs" => {
                let CostsLine { costs, .. } = read("costs", line)?;
                let costs: Vec<(String, f64)> = costs.into_iter().collect();
                let source = self.router("costs")?.set_costs(&costs);
                source.map_err(|source| Refusal::Named { op: "costs", source })?;
                acknowledge(reply);
            }
            "add" => {
                let ExpertLine { expert, .. } = read("add", line)?;
                let added = self.router("add")?.add_expert(&expert);
                added.map_err(|source| Refusal::Named { op: "add", source })?;
                if !self.experts.contains(&expert) {
                    self.experts.push(expert);
                }
                acknowledge(reply);
            }
            "retire" => {
                let ExpertLine { expert, .. } = read("retire", line)?;
                let retired = self.router("retire")?.retire_expert(&expert);
                retired.map_err(|source| Refusal::Named { op: "retire", source })?;
                acknowledge(reply);
            }
            "save" => {
                if self.state.is_none() {
                    return Err(Refusal::NoState);
                }
                self.save().map_err(Refusal::NotSaved)?;
                acknowledge(reply);
            }
            "bye" => {
                acknowledge(reply);
                return Ok(false);
            }
            _ => return Err(Refusal::UnknownOp(op.to_string())),
        }
        Ok(true)
    }

    fn router(&mut self, op: &'static str) -> Result<&mut NamedRouter, Refusal> {
        self.router.as_mut().ok_or(Refusal::NotStarted { op })
    }

    /// A restored router must be the one that is asked for.
    fn init(&mut self, line: InitLine, reply: &mut Vec<u8>) -> Result<(), Refusal> {
        let bad = |problem: String| Refusal::Bad { op: "init", problem };
        if line.feedback.as_deref() == Some("full") {
            return Err(bad("this router is told what came of its action, not everything".into()));
        }
        let restored = self.state.is_some() && self.router.is_some();
        if let (true, Some(router)) = (restored, &self.router) {
            if !router.classes().eq(line.classes.iter().map(String::as_str)) {
                let known: Vec<&str> = router.classes().collect();
                return Err(bad(format!("classes: the saved router has {known:?}")));
            }
            let dim = router.config().dim;
            if dim != line.d {
                return Err(bad(format!("d = {}: the saved router has {dim} features", line.d)));
            }
            if let Some(new) =
                line.experts.iter().find(|name| !router.experts().any(|e| e == *name))
            {
                return Err(bad(format!(
                    "experts: {new:?} does not serve in the saved router: leave it out and send \
                     {{\"op\":\"add\",\"expert\":{new:?}}}"
                )));
            }
            let config = router.config();
            let options = [
                ("cost_weight", line.cost_weight, Some(config.cost_weight)),
                ("half_life", line.half_life, config.half_life),
                ("floor", line.floor, Some(config.floor)),
            ];
            for (option, asked, saved) in options {
                if let Some(asked) = asked.filter(|asked| Some(*asked) != saved) {
                    let saved = saved.map_or("none".to_string(), |saved| saved.to_string());
                    return Err(bad(format!(
                        "{option} = {asked}: the saved router has {saved}; leave it out to go on with that"
                    )));
                }
            }
        } else {
            let InitLine { d: dim, cost_weight, half_life, floor, seed, .. } = line;
            let (cost_weight, floor) = (cost_weight.unwrap_or(0.0), floor.unwrap_or(0.0));
            let seed = seed.unwrap_or(0);
            let options = RouterOptions { dim, cost_weight, half_life, floor, seed };
            let router = NamedRouter::new(&line.classes, &line.experts, options);
            self.router = Some(router.map_err(|source| Refusal::Named { op: "init", source })?);
        }
        self.experts = line.experts;
        let router = self.router("init")?;
        let (round, experts) = (router.round(), router.experts().collect());
        write(reply, &InitReply { ok: true, restored, round, experts });
        Ok(())
    }

    fn decide(&mut self, line: DecideLine, reply: &mut Vec<u8>) -> Result<(), Refusal> {
        let bad = |problem: String| Refusal::Bad { op: "decide", problem };
        let of_problem = |error: ProblemError| bad(error.to_string());
        let available = match line.available {
            None => None,
            Some(listed) => {
                let names = listed.into_iter().map(|who| self.expert("decide", who));
                Some(names.collect::<Result<Vec<_>, _>>()?)
            }
        };
        let router = self.router("decide")?;
        let dim = router.config().dim;
        let (indices, values);
        let x = match (line.x, line.text) {
            (Some(X::Dense(x)), None) => {
                values = x;
                Features::Dense(&values)
            }
            (Some(X::Sparse(x)), None) => {
                (indices, values) = sparse(x).map_err(|error| bad(error.to_string()))?;
                SparseRow::new(dim, &indices, &values).map_err(of_problem)?.into()
            }
            (None, Some(text)) => {
                (indices, values) = hash_text(&text, dim).map_err(of_problem)?;
                SparseRow::new(dim, &indices, &values).map_err(of_problem)?.into()
            }
            _ => return Err(bad("expected either x or text".into())),
        };
        let available = available.unwrap_or_else(|| router.experts().map(String::from).collect());
        let choice = router.decide(x, &available);
        let choice = choice.map_err(|source| Refusal::Named { op: "decide", source })?;
        write(
            reply,
            &DecideReply {
                round: choice.round,
                action: choice.action,
                probability: choice.probability,
                active: choice.offers.iter().map(|offer| offer.name).collect(),
                q: choice.offers.iter().map(|offer| offer.probability).collect(),
                estimates: choice.offers.iter().map(|offer| offer.estimate).collect(),
            },
        );
        Ok(())
    }

    fn observe(&mut self, line: ObserveLine) -> Result<(), Refusal> {
        let op = "observe";
        let ObserveLine { action, correct, cost, answer, reward, label, .. } = line;
        let action = action.map(|who| self.action(op, who)).transpose()?;
        let answer = answer.map(|who| self.class(op, who)).transpose()?;
        let label = label.map(|who| self.class(op, who)).transpose()?;
        let outcome = match (&answer, correct, reward, &label) {
            (None, Some(correct), None, None) => Observed::Correct { correct, cost },
            (Some(answer), Some(correct), None, None) => {
                Observed::Answer { answer, correct, cost: cost.unwrap_or(0.0) }
            }
            (None, None, Some(reward), None) => {
                Observed::Reward { reward, cost: cost.unwrap_or(0.0) }
            }
            (None, None, reward, Some(label)) => {
                Observed::Label { label, reward, cost: cost.unwrap_or(0.0) }
            }
            _ => {
                let problem = "expected correct, or answer and correct, or reward, or label";
                return Err(Refusal::Bad { op, problem: problem.into() });
            }
        };
        let router = self.router(op)?;
        match action {
            None => router.observe(outcome),
            Some(name) => router.observe_action(&name, outcome),
        }
        .map_err(|source| Refusal::Named { op, source })
    }

    /// Saves when it is time to.
    fn count(&mut self) -> Result<(), Refusal> {
        let due = self.state.as_mut().is_some_and(|state| {
            state.unsaved += 1;
            state.unsaved >= state.every
        });
        if due { self.save().map_err(Refusal::NotSaved) } else { Ok(()) }
    }

    fn expert(&self, op: &'static str, who: Who) -> Result<String, Refusal> {
        match who {
            Who::Name(name) => Ok(name),
            Who::Place(j) => self.experts.get(j).cloned().ok_or_else(|| {
                let problem =
                    format!("expert {j} does not exist: there are {}", self.experts.len());
                Refusal::Bad { op, problem }
            }),
        }
    }

    fn class(&mut self, op: &'static str, who: Who) -> Result<String, Refusal> {
        match who {
            Who::Name(name) => Ok(name),
            Who::Place(y) => {
                let mut classes = self.router(op)?.classes();
                let count = classes.len();
                let problem = || format!("class {y} does not exist: there are {count}");
                let class = classes.nth(y).map(String::from);
                class.ok_or_else(|| Refusal::Bad { op, problem: problem() })
            }
        }
    }

    fn action(&mut self, op: &'static str, who: Who) -> Result<String, Refusal> {
        match who {
            Who::Name(name) => Ok(name),
            Who::Place(a) => {
                let classes = self.router(op)?.classes().len();
                match a.checked_sub(classes) {
                    None => self.class(op, Who::Place(a)),
                    Some(j) => self.expert(op, Who::Place(j)),
                }
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("x: {0:?} is not an index")]
struct NotAnIndex(String);

/// Indices in their order.
fn sparse(x: BTreeMap<String, f64>) -> Result<(Vec<u32>, Vec<f64>), NotAnIndex> {
    let mut pairs = Vec::with_capacity(x.len());
    for (index, value) in x {
        let index: u32 = index.parse().map_err(|_| NotAnIndex(index))?;
        pairs.push((index, value));
    }
    pairs.sort_by_key(|(index, _)| *index);
    Ok(pairs.into_iter().unzip())
}

fn read<'a, T: Deserialize<'a>>(op: &'static str, line: &'a [u8]) -> Result<T, Refusal> {
    parse(line).map_err(|problem| Refusal::In { op, problem })
}

fn acknowledge(reply: &mut Vec<u8>) {
    write(reply, &Acknowledged { ok: true });
}

#[cfg(test)]
mod tests;

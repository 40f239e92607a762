//! The words on the wire: one JSON object a line, one reply for each request.
//!
//! ```text
//! {"op":"init","n":3,"n_e":2,"d":4,"B":5,"rho":1.5,"surrogate":"cstnd_hinge",
//!  "optimizer":"ogd","schedule":"general","feedback":"bandit"}        {"ok":true}
//! {"op":"decide","x":[..],"available":[0,1]}   {"active":[..],"scores":[..],"q":[..]}
//! {"op":"observe","action":3,"correct":true,"cost":0.1}               {"ok":true}
//! {"op":"observe","label":1,"costs":[0.1,1]}      full feedback       {"ok":true}
//! {"op":"weights"}                                                    {"W":[[..]]}
//! {"op":"bye"}                                                        {"ok":true}, ends
//! ```
//! A request that cannot be answered gets `{"error":".."}` and changes nothing.

pub(super) use super::lines::{Acknowledged, OpLine};
use crate::problem::FeedbackKind;
pub(super) use lab::{BadLine, parse_line as parse};
use serde::{Deserialize, Serialize};

/// What a subject is set up with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SubjectSpec {
    /// Classes.
    pub(crate) n: usize,
    /// Experts.
    pub(crate) n_e: usize,
    /// Features, without the bias.
    pub(crate) d: usize,
    /// `B`, the radius of the Frobenius ball.
    #[serde(rename = "B")]
    pub(crate) radius: f64,
    /// `rho`, the bound on `|(x, 1)|` that schedules are tuned to.
    pub(crate) rho: f64,
    /// Name of the loss.
    pub(crate) surrogate: String,
    /// How a gradient becomes a step.
    pub(crate) optimizer: OptimizerName,
    /// Learning and exploration rates.
    pub(crate) schedule: ScheduleName,
    /// What the subject is told.
    pub(crate) feedback: FeedbackKind,
}

/// How a gradient becomes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OptimizerName {
    /// The schedule's `eta_t`.
    Ogd,
    /// Base rate 0.1, with the exploration of [`ScheduleName::Experiment`] whatever the schedule.
    Adagrad,
}

/// Learning and exploration rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScheduleName {
    /// Thm 6.3.
    General,
    /// Thm 6.5.
    Concentrated,
    /// App. G: `eta_t = 5e-4/sqrt t`, `gamma_t = min(1/2, 10/sqrt t)`.
    Experiment,
}

impl SubjectSpec {
    /// `N = n + n_e`.
    pub(crate) fn actions(&self) -> usize {
        self.n + self.n_e
    }

    /// Classes and available experts as actions, in increasing order.
    pub(crate) fn active(&self, available: &[usize]) -> Vec<usize> {
        (0..self.n).chain(available.iter().map(|j| self.n + j)).collect()
    }
}

/// A decision: three arrays of the same length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Active actions.
    pub(crate) active: Vec<usize>,
    /// Their projected scores.
    pub(crate) scores: Vec<f64>,
    /// The probabilities they are to be played with.
    pub(crate) q: Vec<f64>,
}

/// What came of a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum SubjectFeedback<'a> {
    /// Of the action that was played.
    Bandit {
        /// In `0..N`.
        action: usize,
        /// Whether the class, or the expert's answer, was right.
        correct: bool,
        /// The expert's cost; null for a class.
        cost: Option<f64>,
    },
    /// Of all actions.
    Full {
        /// The true label.
        label: usize,
        /// Costs of all `n_e` experts at that label.
        costs: &'a [f64],
    },
}

/// A request as it is written.
#[derive(Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Request<'a> {
    Init(&'a SubjectSpec),
    Decide { x: &'a [f64], available: &'a [usize] },
    Observe(SubjectFeedback<'a>),
    Weights,
}

#[derive(Deserialize)]
pub(super) struct DecideLine {
    pub(crate) x: Vec<f64>,
    pub(crate) available: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct ObserveLine {
    pub(crate) action: Option<usize>,
    pub(crate) correct: Option<bool>,
    pub(crate) cost: Option<f64>,
    pub(crate) label: Option<usize>,
    pub(crate) costs: Option<Vec<f64>>,
}

impl ObserveLine {
    /// One of the two kinds of outcome, complete.
    pub(crate) fn observation(&self) -> Result<SubjectFeedback<'_>, &'static str> {
        match (self.action, self.correct, self.label, &self.costs) {
            (Some(action), Some(correct), None, None) => {
                Ok(SubjectFeedback::Bandit { action, correct, cost: self.cost })
            }
            (None, None, Some(label), Some(costs)) if self.cost.is_none() => {
                Ok(SubjectFeedback::Full { label, costs })
            }
            _ => Err("expected action, correct and cost (bandit), or label and costs (full)"),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct WeightsReply {
    #[serde(rename = "W")]
    pub(crate) w: Vec<Vec<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_written_as_the_protocol_says() {
        let text = |request: Request<'_>| serde_json::to_string(&request).unwrap();
        let spec = SubjectSpec {
            n: 3,
            n_e: 2,
            d: 4,
            radius: 5.0,
            rho: 1.5,
            surrogate: "cstnd_hinge".into(),
            optimizer: OptimizerName::Adagrad,
            schedule: ScheduleName::Experiment,
            feedback: FeedbackKind::Full,
        };
        assert_eq!(
            text(Request::Init(&spec)),
            r#"{"op":"init","n":3,"n_e":2,"d":4,"B":5.0,"rho":1.5,"surrogate":"cstnd_hinge","optimizer":"adagrad","schedule":"experiment","feedback":"full"}"#
        );
        assert_eq!(
            text(Request::Decide { x: &[0.5], available: &[1] }),
            r#"{"op":"decide","x":[0.5],"available":[1]}"#
        );
        let bandit = SubjectFeedback::Bandit { action: 1, correct: false, cost: None };
        assert_eq!(
            text(Request::Observe(bandit)),
            r#"{"op":"observe","action":1,"correct":false,"cost":null}"#
        );
        let full = SubjectFeedback::Full { label: 2, costs: &[0.25] };
        assert_eq!(text(Request::Observe(full)), r#"{"op":"observe","label":2,"costs":[0.25]}"#);
        assert_eq!(text(Request::Weights), r#"{"op":"weights"}"#);
    }

    #[test]
    fn a_bad_field_is_named() {
        let bad = parse::<DecideLine>(br#"{"op":"decide","x":[1,"a"],"available":[]}"#);
        assert_eq!(
            bad.err().unwrap().to_string(),
            "x[1]: invalid type: string \"a\", expected f64"
        );
        let missing = parse::<DecideLine>(br#"{"op":"decide","x":[1]}"#);
        assert_eq!(missing.err().unwrap().to_string(), "missing field `available`");
    }

    #[test]
    fn half_an_outcome_is_none() {
        let outcome = |text: &str| {
            let line: ObserveLine = parse(text.as_bytes()).unwrap();
            line.observation().is_ok()
        };
        assert!(outcome(r#"{"action":1,"correct":true,"cost":null}"#));
        assert!(outcome(r#"{"label":1,"costs":[]}"#));
        assert!(!outcome(r#"{"action":1}"#));
        assert!(!outcome(r#"{"action":1,"correct":true,"label":0}"#));
        assert!(!outcome(r#"{"label":1,"costs":[],"cost":0.5}"#));
    }
}

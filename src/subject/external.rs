//! Another program as a subject.

use super::protocol::{Request, WeightsReply};
use super::{Answer, Subject, SubjectError, SubjectFeedback, SubjectSpec, TimeLimits};
use lab::Program;

/// A running program that speaks the subject protocol. Ends with the value.
#[derive(Debug)]
pub(crate) struct External(Program);

impl External {
    /// Starts `sh -c command`.
    ///
    /// # Errors
    /// The shell itself cannot be started.
    pub(crate) fn start(command: &str, limits: TimeLimits) -> Result<Self, SubjectError> {
        Program::start(command, None, limits).map(External)
    }
}

impl Subject for External {
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
        self.0.tell("init", &Request::Init(spec))
    }

    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
        self.0.ask("decide", &Request::Decide { x, available })
    }

    fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError> {
        self.0.tell("observe", &Request::Observe(outcome))
    }

    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError> {
        self.0.ask("weights", &Request::Weights).map(|reply: WeightsReply| reply.w)
    }
}

//! A function as a subject: a line of the protocol in, the line that answers it out.

use super::protocol::{Acknowledged, Request, WeightsReply};
use super::{Answer, Subject, SubjectError, SubjectFeedback, SubjectSpec};
use lab::read_reply;
use serde::de::DeserializeOwned;

/// A subject in this process that speaks the protocol, as the Python module makes it of an object.
/// A function that returns nothing has crashed. Answers are read as those of [`super::External`]
/// are, so that the verdicts are the same.
pub(crate) struct Called<F> {
    reply: F,
    requests: u64,
}

impl<F: FnMut(&str) -> Option<String>> Called<F> {
    /// Asks `reply`.
    #[must_use]
    pub(crate) fn new(reply: F) -> Self {
        Called { reply, requests: 0 }
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        name: &str,
        request: &Request<'_>,
    ) -> Result<T, SubjectError> {
        self.requests += 1;
        let request_name = format!("{name} (request {})", self.requests);
        let line = serde_json::to_string(request).expect("plain data is JSON");
        let Some(answer) = (self.reply)(&line) else {
            let (status, last_words) = ("no answer".into(), String::new());
            return Err(SubjectError::Crashed { request: request_name, status, last_words });
        };
        read_reply(|| request_name, answer.as_bytes())
    }

    fn acknowledged(&mut self, name: &str, request: &Request<'_>) -> Result<(), SubjectError> {
        let Acknowledged { ok } = self.ask(name, request)?;
        if ok {
            return Ok(());
        }
        let request = format!("{name} (request {})", self.requests);
        Err(SubjectError::Refused { request, message: "it replied {\"ok\":false}".into() })
    }
}

impl<F: FnMut(&str) -> Option<String>> Subject for Called<F> {
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
        self.acknowledged("init", &Request::Init(spec))
    }

    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
        self.ask("decide", &Request::Decide { x, available })
    }

    fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError> {
        self.acknowledged("observe", &Request::Observe(outcome))
    }

    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError> {
        self.ask("weights", &Request::Weights).map(|reply: WeightsReply| reply.w)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{InProcess, serve};
    use super::*;
    use crate::claims::implementation::{Standing, examine};

    /// Our own learner behind lines passes as it does without them, and a function that gives up has
    /// crashed.
    #[test]
    fn a_function_is_examined_like_a_program() {
        let mut own = InProcess::default();
        let mut reply = |line: &str| {
            let mut answer = Vec::new();
            serve(line.as_bytes(), &mut answer, &mut own).unwrap();
            String::from_utf8(answer).ok()
        };
        let check = crate::claims::implementation::check("impl-two-actions").unwrap();
        let through_lines = (check.run)(&mut Called::new(&mut reply), 1);
        assert_eq!(through_lines, (check.run)(&mut InProcess::default(), 1));

        let mut start =
            || -> Result<Box<dyn Subject>, _> { Ok(Box::new(Called::new(|_: &str| None))) };
        let first = examine(&mut start, 1).next().unwrap();
        assert_eq!(first.standing, Standing::Broken);
        assert!(first.finding.contains("init (request 1)"), "{}", first.finding);
    }
}

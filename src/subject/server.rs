//! Serves a subject over the protocol: reads requests line by line, answers each one.

use super::lines::{self, write};
use super::protocol::{self, Acknowledged, BadLine, DecideLine, ObserveLine, OpLine, parse};
use super::{Subject, SubjectError, SubjectSpec};
use std::io::{self, Read, Write};
use thiserror::Error;

/// Answers every request of `reader` on `writer` until `bye` or the end of input. A bad request
/// gets `{"error":".."}`, and the conversation goes on.
///
/// # Errors
/// Only those of reading and writing.
pub(crate) fn serve(
    reader: impl Read,
    writer: impl Write,
    subject: &mut dyn Subject,
) -> io::Result<()> {
    lines::serve(reader, writer, |line, reply| answer(line, subject, reply))
}

/// Writes the reply and says whether the conversation goes on.
fn answer(line: &[u8], subject: &mut dyn Subject, reply: &mut Vec<u8>) -> Result<bool, Refusal> {
    let op = match parse::<OpLine<'_>>(line) {
        Ok(line) => line.op,
        Err(problem) => return Err(Refusal::NotARequest(problem)),
    };
    let in_op = |problem: BadLine| Refusal::In { op: op.to_string(), problem };
    match &*op {
        "init" => {
            let spec: SubjectSpec = parse(line).map_err(in_op)?;
            subject.init(&spec).map_err(plain)?;
            write(reply, &Acknowledged { ok: true });
        }
        "decide" => {
            let DecideLine { x, available } = parse(line).map_err(in_op)?;
            write(reply, &subject.decide(&x, &available).map_err(plain)?);
        }
        "observe" => {
            let observed: ObserveLine = parse(line).map_err(in_op)?;
            let outcome = observed.observation().map_err(|problem| {
                in_op(BadLine { place: String::new(), problem: problem.into() })
            })?;
            subject.observe(outcome).map_err(plain)?;
            write(reply, &Acknowledged { ok: true });
        }
        "weights" => {
            let w = subject.weights().map_err(plain)?;
            write(reply, &protocol::WeightsReply { w });
        }
        "bye" => {
            write(reply, &Acknowledged { ok: true });
            return Ok(false);
        }
        _ => {
            return Err(Refusal::UnknownOp(op.to_string()));
        }
    }
    Ok(true)
}

/// Why a request gets no answer.
#[derive(Debug, Error)]
enum Refusal {
    #[error("not a request: {0}")]
    NotARequest(BadLine),
    #[error("{op}: {problem}")]
    In { op: String, problem: BadLine },
    #[error("op: {0:?} is unknown, expected init, decide, observe, weights or bye")]
    UnknownOp(String),
    #[error("{request}: {message}")]
    Refused { request: String, message: String },
    #[error(transparent)]
    Subject(SubjectError),
}

/// On the wire a refusal is just its reason: the client knows who refused what.
fn plain(error: SubjectError) -> Refusal {
    match error {
        SubjectError::Refused { request, message } => Refusal::Refused { request, message },
        other => Refusal::Subject(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::InProcess;
    use super::*;

    fn talk(requests: &str) -> Vec<String> {
        let mut output = Vec::new();
        serve(requests.as_bytes(), &mut output, &mut InProcess::default()).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    const INIT: &str = r#"{"op":"init","n":2,"n_e":1,"d":1,"B":3,"rho":1.5,"surrogate":"cstnd_hinge","optimizer":"ogd","schedule":"general","feedback":"bandit"}"#;

    #[test]
    fn a_conversation() {
        let requests = [
            INIT,
            r#"{"op":"decide","x":[0.5],"available":[0]}"#,
            r#"{"op":"observe","action":0,"correct":false,"cost":null}"#,
            "",
            r#"{"op":"weights"}"#,
            r#"{"op":"bye"}"#,
            r#"{"op":"weights"}"#,
        ];
        let replies = talk(&requests.join("\n"));
        assert_eq!(replies.len(), 5, "nothing is answered after bye: {replies:?}");
        assert_eq!(replies[0], r#"{"ok":true}"#);
        assert!(
            replies[1].starts_with(r#"{"active":[0,1,2],"scores":[0.0,0.0,0.0],"q":[0.66"#),
            "{}",
            replies[1]
        );
        assert_eq!(replies[2], r#"{"ok":true}"#);
        assert_eq!(replies[3], r#"{"W":[[0.0,0.0],[0.0,0.0],[0.0,0.0]]}"#);
    }

    #[test]
    fn bad_requests_are_answered_and_the_conversation_goes_on() {
        let cases = [
            (r#"{"op":"weights"}"#, "send init first"),
            (r#"{"op":"init","n":2}"#, "missing field `n_e`"),
            (INIT, "ok"),
            ("rubbish", "not a request"),
            (r#"{"x":[1]}"#, "missing field `op`"),
            (r#"{"op":"dream"}"#, "\\\"dream\\\" is unknown"),
            (r#"{"op":"decide","x":[1,2],"available":[]}"#, "dimension 2, expected 1"),
            (r#"{"op":"decide","x":[1],"available":[1]}"#, "expert 1 does not exist"),
            (r#"{"op":"decide","x":["1"],"available":[0]}"#, "x[0]"),
            (r#"{"op":"observe","action":0,"correct":true,"cost":null}"#, "without a decide"),
            (r#"{"op":"decide","x":[1],"available":[0]}"#, "active"),
            (r#"{"op":"observe","action":2,"correct":true}"#, "needs the cost"),
            (r#"{"op":"observe","action":7,"correct":true}"#, "action 7 does not exist"),
            (r#"{"op":"observe","action":2}"#, "expected action, correct and cost"),
            (r#"{"op":"observe","label":0,"costs":[0.5]}"#, "bandit feedback"),
            (r#"{"op":"observe","action":2,"correct":true,"cost":0.5}"#, "ok"),
            (&INIT.replace("cstnd_hinge", "comp_mae"), "not convex"),
            (&INIT.replace("\"B\":3", "\"B\":-3"), "radius = -3"),
            (&INIT.replace("general", "greedy"), "schedule: unknown variant `greedy`"),
        ];
        let requests: Vec<&str> = cases.iter().map(|(request, _)| *request).collect();
        let replies = talk(&requests.join("\n"));
        assert_eq!(replies.len(), cases.len());
        for ((request, expected), reply) in cases.iter().zip(&replies) {
            assert!(reply.contains(expected), "{request} -> {reply}");
            assert_eq!(reply.contains("error"), !["ok", "active"].contains(expected), "{reply}");
        }
    }
}

//! `deferlab eval`: exact quantities, JSON lines in and out.
//!
//! A request is `{"id": .., "kind": .., "input": {..}}` on one line, its answer
//! `{"id": .., "output": {..}}` or `{"id": .., "error": ".."}` on one line, in the same order. An
//! error names the field at fault, and the stream goes on after it. Blank lines are skipped, and so
//! are other fields beside `input` (solved cases carry theirs); inside `input` nothing is ignored.
//!
//! What the theory module computes is answered in `exact`; what the learner computes in
//! `learning`.

mod engine;
mod error;
mod exact;
mod fields;
mod learning;
mod request;

use error::EvalError;

use lab::read_line;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, BufWriter, Read, Write};

/// Answers every request of `reader` on `writer`. Output is flushed whenever the requests that
/// have arrived are answered, so that a program can talk to this one line by line. Returns how many
/// requests were bad.
pub fn run(reader: impl Read, writer: impl Write) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let mut writer = BufWriter::with_capacity(1 << 16, writer);
    let (mut line, mut bad) = (Vec::new(), 0);
    for number in 1u64.. {
        if !read_line(&mut reader, &mut line)? {
            break;
        }
        if !line.trim_ascii().is_empty() {
            let answer = match str::from_utf8(&line) {
                Ok(text) => answer_at(text, Some(number)),
                Err(_) => Answer::refusal("null", &format!("line {number}: not UTF-8")),
            };
            bad += u64::from(answer.is_refusal);
            writer.write_all(answer.line.as_bytes())?;
            writer.write_all(b"\n")?;
        }
        if reader.buffer().is_empty() {
            writer.flush()?;
        }
    }
    writer.flush()?;
    Ok(bad)
}

/// The answer to one request, without the line break.
#[must_use]
pub fn answer(line: &str) -> String {
    answer_at(line, None).line
}

/// A line that answers a request, or says what is wrong with it.
struct Answer {
    line: String,
    is_refusal: bool,
}

impl Answer {
    fn refusal(id: &str, message: &str) -> Self {
        let line = format!("{{\"id\":{id},\"error\":{}}}", serde_json::Value::from(message));
        Answer { line, is_refusal: true }
    }
}

fn answer_at(line: &str, number: Option<u64>) -> Answer {
    let mut request = match serde_json::from_str(line) {
        Ok(Fields(request)) => request,
        Err(error) => {
            let place = number.map_or_else(String::new, |number| format!("line {number}: "));
            let problem = error::without_position(&error);
            return Answer::refusal("null", &format!("{place}not a JSON object: {problem}"));
        }
    };
    // Digit by digit as it came, but on one line: a line break in JSON is only ever white space.
    let id = request.remove("id").map_or("null", RawValue::get).replace(['\n', '\r'], " ");
    match respond(request) {
        Ok(output) => {
            let line = format!("{{\"id\":{id},\"output\":{output}}}");
            Answer { line, is_refusal: false }
        }
        Err(error) => Answer::refusal(&id, &error.to_string()),
    }
}

fn respond(mut request: BTreeMap<Cow<str>, &RawValue>) -> Result<String, EvalError> {
    let kind = request.remove("kind").ok_or_else(|| EvalError::missing("kind"))?;
    let input = request.remove("input").ok_or_else(|| EvalError::missing("input"))?;
    let kind: String = parse("kind", kind)?;
    match kind.as_str() {
        "scores" => write(&exact::scores(parse("", input)?)?),
        "true_risk" => write(&exact::true_risk(parse("", input)?)?),
        "normalized_cost" => write(&exact::normalized_cost(parse("", input)?)?),
        "surrogate" => write(&exact::surrogate(parse("", input)?)?),
        "bounds" => write(&exact::bounds(parse("", input)?)?),
        "schedules" => write(&exact::schedules(parse("", input)?)?),
        "proj_KA" => write(&learning::proj_ka(parse("", input)?)?),
        "proj_ball" => write(&learning::proj_ball(parse("", input)?)?),
        "estimator" => write(&learning::estimator(parse("", input)?)?),
        "trajectory" => write(&learning::trajectory(parse("", input)?)?),
        "min_gap" => write(&learning::min_gap(parse("", input)?)?),
        _ => Err(EvalError::new(
            "kind",
            format!(
                "{kind:?} is unknown, expected one of scores, true_risk, normalized_cost, \
                 surrogate, proj_KA, proj_ball, estimator, trajectory, min_gap, bounds, schedules"
            ),
        )),
    }
}

/// Strict reading: an unknown, missing or ill-typed field is an error that names it.
fn parse<T: DeserializeOwned>(within: &str, raw: &RawValue) -> Result<T, EvalError> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let problem = error::without_position(error.inner());
        let field = match (within, path.as_str()) {
            ("", ".") => return EvalError::new("input", problem),
            ("", path) => path,
            (within, _) => within,
        };
        EvalError::new(field, problem)
    })
}

/// The fields of a request, none of them twice.
struct Fields<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EachOnce;

        impl<'de> Visitor<'de> for EachOnce {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some(Name(name)) = map.next_key()? {
                    if fields.contains_key(&name) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    fields.insert(name, map.next_value()?);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(EachOnce)
    }
}

/// Borrowed unless it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// JSON has no infinity: a result that overflowed is an error that names it, not `null`.
fn write(output: &impl Serialize) -> Result<String, EvalError> {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, NoNull);
    serde_path_to_error::serialize(output, &mut serializer).map_err(|error| {
        let problem = "the result is not a finite number: these inputs overflow";
        EvalError::new(error.path().to_string(), problem)
    })?;
    String::from_utf8(text).map_err(|_| EvalError::new("output", "not text"))
}

/// Refuses `null`, which is what the JSON writer makes of a number that is not finite.
struct NoNull;

impl serde_json::ser::Formatter for NoNull {
    fn write_null<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        Err(io::ErrorKind::InvalidData.into())
    }
}

/// A field that is `null` on purpose.
fn or_null<S: Serializer>(value: &Option<Vec<f64>>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => value.serialize(serializer),
        None => RawValue::NULL.serialize(serializer),
    }
}

//! Rounds as text: one JSON object a line.
//!
//! ```text
//! {"x": [0.1, 2.0], "label": 1, "answers": [1, null]}                    null: not available
//! {"x": {"3": 0.5, "17": 1}, "label": 1, "costs": [0.2, null]}           sparse; costs in [0, 1]
//! {"x": [0.1, 2.0], "label": 1, "costs": [0.2, 1.0], "available": [0]}   without: everybody
//! {"text": "Who was Ada?", "rewards": {"small": 0.4, "large": 1.0}, "prices": {"small": 0, "large": 0.03}}
//! ```
//! What belongs to experts is a list in their order, or an object by their names. Answers say who was
//! right; costs and rewards do not.

use super::{Entry, Outcome, RecordedError, Recording, RoundFault};
use crate::json_lines;
use crate::stream::Grades;
use problem::{
    ActionSpace, CsrRows, DenseRows, ExpertCost, Inputs, ProblemError, TEXT_DIM, hash_text,
};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess};
use std::fmt;
use std::marker::PhantomData;

/// How the lines of a file are to be understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFormat<'a> {
    /// Labels and answers are below this; 0 where there are neither.
    pub classes: usize,
    /// The classes only judge answers, they cannot be played.
    pub experts_only: bool,
    /// Names of the experts; without them they are known by their place.
    pub experts: Option<&'a [String]>,
    /// Features of sparse inputs, or the dimension that texts are hashed into.
    pub dim: Option<usize>,
    /// What an answer costs.
    pub cost: ExpertCost,
    /// What one unit of a price is worth in reward.
    pub exchange: Option<f64>,
}

impl LineFormat<'_> {
    /// Everything else as it is when nothing is said.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn new(classes: usize, cost: ExpertCost) -> Self {
        let (experts_only, experts, dim, exchange) = (false, None, None, None);
        LineFormat { classes, experts_only, experts, dim, cost, exchange }
    }

    /// # Errors
    /// An exchange rate that is none.
    pub(super) fn check(&self) -> Result<(), RecordedError> {
        match self.exchange {
            Some(exchange) if !(exchange.is_finite() && exchange >= 0.0) => {
                Err(RecordedError::Exchange(exchange))
            }
            _ => Ok(()),
        }
    }

    /// What costs with prices in them are divided by.
    ///
    /// # Errors
    /// It is too large for a number.
    pub(super) fn scale(&self, largest_price: f64) -> Result<f64, RecordedError> {
        let exchange = self.exchange.unwrap_or(0.0);
        let scale = 1.0 + exchange * largest_price;
        if scale.is_finite() { Ok(scale) } else { Err(RecordedError::Exchange(exchange)) }
    }

    fn name(&self, j: usize) -> String {
        self.experts.and_then(|names| names.get(j).cloned()).unwrap_or_else(|| j.to_string())
    }

    /// A list in the order of the experts, of the expected length if there is one.
    fn values<T>(
        &self,
        field: &'static str,
        given: PerExpert<T>,
        expected: Option<usize>,
    ) -> Result<Vec<Option<T>>, RoundFault> {
        let values = match given {
            PerExpert::List(values) => values,
            PerExpert::Named(named) => {
                let names = self.experts.ok_or(RoundFault::Names { field })?;
                let mut values: Vec<Option<T>> = names.iter().map(|_| None).collect();
                for (name, value) in named {
                    values[self.place(field, &name)?] = value;
                }
                values
            }
        };
        match expected.or(self.experts.map(<[String]>::len)) {
            Some(expected) if values.len() != expected => {
                Err(RoundFault::Length { field, got: values.len(), expected })
            }
            _ => Ok(values),
        }
    }

    fn place(&self, field: &'static str, name: &str) -> Result<usize, RoundFault> {
        let names = self.experts.ok_or(RoundFault::Names { field })?;
        names.iter().position(|known| known == name).ok_or_else(|| {
            let near = crate::nearest(name, names.iter().map(String::as_str));
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            RoundFault::NoSuchName { field, name: name.into(), hint }
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    x: Option<X>,
    text: Option<String>,
    label: Option<usize>,
    answers: Option<PerExpert<usize>>,
    costs: Option<PerExpert<f64>>,
    rewards: Option<PerExpert<f64>>,
    prices: Option<PerExpert<f64>>,
    available: Option<Vec<Who>>,
}

/// All values, or the non-zero ones by their index.
enum X {
    Dense(Vec<f64>),
    Sparse(Vec<(u32, f64)>),
}

/// In the order of the experts, or by name.
enum PerExpert<T> {
    List(Vec<Option<T>>),
    Named(Vec<(String, Option<T>)>),
}

/// An expert by place or by name.
enum Who {
    Place(usize),
    Name(String),
}

impl<'de> Deserialize<'de> for X {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = X;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers, or an object {\"index\": number}")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<X, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push(value);
                }
                Ok(X::Dense(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<X, A::Error> {
                let mut values = Vec::new();
                while let Some(entry) = items.next_entry()? {
                    values.push(entry);
                }
                Ok(X::Sparse(values))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for PerExpert<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
            type Value = PerExpert<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list in the order of the experts, or an object by their names")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push(value);
                }
                Ok(PerExpert::List(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut values: Vec<(String, Option<T>)> = Vec::new();
                while let Some((name, value)) = items.next_entry::<String, _>()? {
                    if values.iter().any(|(known, _)| *known == name) {
                        return Err(de::Error::custom(format!("{name:?} is there twice")));
                    }
                    values.push((name, value));
                }
                Ok(PerExpert::Named(values))
            }
        }
        from.deserialize_any(Visitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Who {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Who;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the place of an expert, counted from 0, or its name")
            }
            fn visit_u64<E: de::Error>(self, place: u64) -> Result<Who, E> {
                Ok(Who::Place(usize::try_from(place).unwrap_or(usize::MAX)))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Who, E> {
                Ok(Who::Name(name.into()))
            }
        }
        from.deserialize_any(Visitor)
    }
}

/// What the first round decides for all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) space: ActionSpace,
    pub(super) dim: usize,
    /// Of input.
    kind: &'static str,
}

const DENSE: &str = "a list of numbers";
const SPARSE: &str = "sparse";
const TEXT: &str = "text";

impl Form {
    fn new(line: &Line, format: &LineFormat<'_>) -> Result<Self, RoundFault> {
        let space = space(line, format)?;
        let (kind, dim) = match (&line.x, &line.text) {
            (Some(X::Dense(x)), None) => match format.dim {
                Some(dim) if dim != x.len() => return Err(RoundFault::Dim { got: x.len(), dim }),
                _ => (DENSE, x.len()),
            },
            (Some(X::Sparse(_)), None) => (SPARSE, format.dim.ok_or(RoundFault::NoDim)?),
            (None, Some(_)) => (TEXT, format.dim.unwrap_or(TEXT_DIM)),
            _ => return Err(RoundFault::Input),
        };
        Ok(Form { space, dim, kind })
    }

    /// No rows yet.
    pub(super) fn inputs(&self) -> Inputs {
        match self.kind {
            DENSE => Inputs::Dense(DenseRows::new(self.dim)),
            _ => Inputs::Sparse(CsrRows::new(self.dim)),
        }
    }
}

/// Inputs of one kind, that of the first round.
struct Rows {
    kind: &'static str,
    inputs: Inputs,
}

impl Rows {
    fn push(&mut self, line: &mut Line) -> Result<(), RoundFault> {
        let other = |got| RoundFault::InputKind { got, expected: self.kind };
        let dim = self.inputs.dim();
        match (line.x.take(), line.text.take(), &mut self.inputs) {
            (Some(X::Dense(x)), None, Inputs::Dense(rows)) => {
                if x.len() != dim {
                    let (field, got, expected) = ("x", x.len(), dim);
                    return Err(RoundFault::Length { field, got, expected });
                }
                Ok(rows.push(&x)?)
            }
            (Some(X::Sparse(mut x)), None, Inputs::Sparse(rows)) if self.kind == SPARSE => {
                // An object has no order; an index that comes twice is refused by the row.
                x.sort_by_key(|(index, _)| *index);
                let (indices, values): (Vec<u32>, Vec<f64>) = x.into_iter().unzip();
                Ok(rows.push(&indices, &values)?)
            }
            (None, Some(text), Inputs::Sparse(rows)) if self.kind == TEXT => {
                let (indices, values) = hash_text(&text, dim)?;
                Ok(rows.push(&indices, &values)?)
            }
            (Some(X::Dense(_)), None, _) => Err(other(DENSE)),
            (Some(X::Sparse(_)), None, _) => Err(other(SPARSE)),
            (None, Some(_), _) => Err(other(TEXT)),
            _ => Err(RoundFault::Input),
        }
    }
}

pub(super) fn read(text: &str, format: &LineFormat<'_>) -> Result<Recording, RecordedError> {
    format.check()?;
    let (form, inputs, mut entries) = parse(text, format, None)?.ok_or(RecordedError::Empty)?;
    let largest = largest_price(&entries);
    weigh(&mut entries, format, largest)?;
    Ok(Recording { space: form.space, inputs, entries, seasons: None })
}

/// The rounds of some lines, without prices in their costs; none if all are blank. `form` is what lines
/// before them decided.
pub(super) fn parse(
    text: &str,
    format: &LineFormat<'_>,
    form: Option<Form>,
) -> Result<Option<(Form, Inputs, Vec<Entry>)>, RecordedError> {
    let started = |form: Form| (form, Rows { kind: form.kind, inputs: form.inputs() });
    let mut parts = form.map(started);
    let mut entries = Vec::new();
    for (i, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let bad = |source| RecordedError::Line { line: i + 1, source };
        let mut line: Line =
            json_lines::parse(text.as_bytes()).map_err(|e| bad(RoundFault::Json(e)))?;
        let (form, rows) = match &mut parts {
            Some(parts) => parts,
            None => parts.insert(started(Form::new(&line, format).map_err(bad)?)),
        };
        rows.push(&mut line).map_err(bad)?;
        entries.push(entry(line, form.space, format).map_err(bad)?);
    }
    let some = parts.filter(|_| !entries.is_empty());
    Ok(some.map(|(form, rows)| (form, rows.inputs, entries)))
}

/// Classes and experts, by the first line.
fn space(line: &Line, format: &LineFormat<'_>) -> Result<ActionSpace, RoundFault> {
    fn len<T>(given: &PerExpert<T>) -> usize {
        match given {
            PerExpert::List(values) => values.len(),
            PerExpert::Named(values) => values.len(),
        }
    }
    let given = line.answers.as_ref().map(len).or(line.costs.as_ref().map(len));
    let given = given.or(line.rewards.as_ref().map(len)).unwrap_or(0);
    let experts = format.experts.map_or(given, <[String]>::len);
    let classes = if format.experts_only { 0 } else { format.classes };
    Ok(ActionSpace::new(classes, experts)?)
}

fn entry(line: Line, space: ActionSpace, format: &LineFormat<'_>) -> Result<Entry, RoundFault> {
    let experts = Some(space.experts());
    let Line { label, answers, costs, rewards, prices, available, .. } = line;
    if prices.is_some() && rewards.is_none() {
        return Err(RoundFault::PricesWithoutRewards);
    }
    match (label, format.classes) {
        (Some(_), 0) => return Err(RoundFault::NoClasses),
        (None, 1..) if answers.is_some() || !format.experts_only => {
            return Err(RoundFault::NoLabel);
        }
        (Some(label), classes) if label >= classes => {
            let source = ProblemError::NoSuchClass { label, classes };
            return Err(RoundFault::field("label")(source));
        }
        _ => {}
    }
    let (field, values, grades) = match (answers, costs, rewards) {
        (Some(answers), None, None) => {
            if available.is_some() {
                return Err(RoundFault::AvailableWithAnswers);
            }
            let answers = format.values("answers", answers, experts)?;
            let label = label.ok_or(RoundFault::NoClasses)?;
            return Entry::answered(space, format.classes, label, &answers, format.cost);
        }
        (None, Some(costs), None) => {
            ("costs", format.values("costs", costs, experts)?, Grades::default())
        }
        (None, None, Some(rewards)) => {
            let rewards = format.values("rewards", rewards, experts)?;
            let prices = match prices {
                None => vec![Some(0.0); rewards.len()],
                Some(_) if format.exchange.is_none() => return Err(RoundFault::NoExchange),
                Some(prices) => format.values("prices", prices, experts)?,
            };
            let grades = grades(&rewards, &prices, format)?;
            ("rewards", rewards, grades)
        }
        _ => return Err(RoundFault::Outcome),
    };
    let there = present(space, &values, available, format)?;
    let mut costs = vec![1.0; values.len()];
    for (j, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        if !(0.0..=1.0).contains(&value) {
            let (expert, expected) = (format.name(j), "a number in [0, 1]");
            return Err(RoundFault::Range { field, expert, value, expected });
        }
        costs[j] = if field == "rewards" { 1.0 - value } else { value };
    }
    Entry::new(space, there, label, costs, Outcome::Grades(grades))
}

/// Who is available: whoever has a value, and is listed if there is a list.
fn present(
    space: ActionSpace,
    values: &[Option<f64>],
    available: Option<Vec<Who>>,
    format: &LineFormat<'_>,
) -> Result<Vec<usize>, RoundFault> {
    let Some(available) = available else {
        return Ok((0..values.len()).filter(|&j| values[j].is_some()).collect());
    };
    let mut there = Vec::new();
    for who in available {
        let j = match who {
            Who::Place(j) => j,
            Who::Name(name) => format.place("available", &name)?,
        };
        space.expert(j).map_err(RoundFault::field("available"))?;
        if values[j].is_none() {
            return Err(RoundFault::NotThere { expert: format.name(j) });
        }
        there.push(j);
    }
    Ok(there)
}

fn grades(
    rewards: &[Option<f64>],
    prices: &[Option<f64>],
    format: &LineFormat<'_>,
) -> Result<Grades, RoundFault> {
    for (j, (reward, price)) in rewards.iter().zip(prices).enumerate() {
        let expert = || format.name(j);
        match (reward, price) {
            (Some(_), None) => return Err(RoundFault::NoPrice { expert: expert() }),
            (_, Some(value)) if !(value.is_finite() && *value >= 0.0) => {
                let (field, expected) = ("prices", "a finite number of at least 0");
                let (expert, value) = (expert(), *value);
                return Err(RoundFault::Range { field, expert, value, expected });
            }
            _ => {}
        }
    }
    let list = |values: &[Option<f64>]| values.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
    Ok(Grades { rewards: list(rewards), prices: list(prices) })
}

/// The largest price of all.
pub(super) fn largest_price(entries: &[Entry]) -> f64 {
    let prices = entries.iter().flat_map(|entry| match &entry.outcome {
        Outcome::Grades(grades) => &grades.prices[..],
        Outcome::Answers { .. } => &[],
    });
    prices.fold(0.0, |most: f64, &price| if price > most { price } else { most })
}

/// Puts prices into costs: `(1 - reward + exchange * price) / (1 + exchange * largest price)`, which
/// lies in `[0, 1]` and ranks the experts of a round as `reward - exchange * price` does.
pub(super) fn weigh(
    entries: &mut [Entry],
    format: &LineFormat<'_>,
    largest_price: f64,
) -> Result<(), RecordedError> {
    let Some(exchange) = format.exchange else { return Ok(()) };
    let scale = format.scale(largest_price)?;
    for entry in entries {
        let Outcome::Grades(grades) = &entry.outcome else { continue };
        let each = entry.costs.iter_mut().zip(grades.rewards.iter().zip(&grades.prices));
        for (cost, (&reward, &price)) in each.filter(|(_, (reward, _))| reward.is_finite()) {
            *cost = ((1.0 - reward) + exchange * price) / scale;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Recorded;
    use super::*;
    use crate::stream::Stream;
    use std::sync::Arc;

    fn paper() -> ExpertCost {
        ExpertCost::new(1.0, 0.1).unwrap()
    }

    fn two_classes() -> LineFormat<'static> {
        LineFormat::new(2, paper())
    }

    fn message(text: &str, format: &LineFormat<'_>) -> String {
        Recording::read(text, format).unwrap_err().to_string()
    }

    #[test]
    fn both_forms_and_their_faults() {
        let text = r#"{"x":[1,2],"label":1,"answers":[1,null]}

{"x":[0,1],"label":0,"costs":[0.5,1.0],"available":[1]}
{"x":[0,1],"label":0,"costs":[0.25,null]}"#;
        let recording = Arc::new(Recording::read(text, &two_classes()).unwrap());
        let mut stream = Recorded::once(recording.clone());
        let first = stream.next_round().unwrap();
        assert_eq!(first.costs, [0.1 / 1.1, 1.0]);
        assert_eq!(first.active.experts().collect::<Vec<_>>(), [0]);
        let expert = first.active.space().expert(0).unwrap();
        assert_eq!(first.is_right(expert), Some(true));
        let second = stream.next_round().unwrap();
        assert_eq!(second.costs, [0.5, 1.0]);
        assert_eq!(second.active.experts().collect::<Vec<_>>(), [1]);
        // A cost does not say who was right, and nobody pretends that it does.
        assert_eq!(second.is_right(expert), None);
        assert_eq!(second.is_right(second.active.space().class(0).unwrap()), Some(true));
        let third = stream.next_round().unwrap();
        assert_eq!(third.active.experts().collect::<Vec<_>>(), [0]);
        assert!(stream.next_round().is_none());
        assert_eq!(recording.rho(), 6f64.sqrt());
        let message = |line: &str| {
            let text = format!("{}\n{line}", r#"{"x":[1],"label":0,"answers":[0]}"#);
            message(&text, &two_classes())
        };
        assert!(message("{").starts_with("line 2: "));
        assert!(message(r#"{"x":[1],"label":2,"answers":[0]}"#).contains("label: class 2"));
        assert!(message(r#"{"x":[1],"label":0,"answers":[5]}"#).contains("answers[0]: class 5"));
        assert!(message(r#"{"x":[1,2],"label":0,"answers":[0]}"#).contains("x has 2 entries"));
        assert!(message(r#"{"x":[1],"label":0,"costs":[1.5]}"#).contains("costs[0] = 1.5"));
        assert!(message(r#"{"x":[1],"label":0}"#).contains("one of `answers`, `costs`"));
        assert!(message(r#"{"x":[1],"label":0,"anwsers":[0]}"#).contains("unknown field"));
        assert!(message(r#"{"x":[1],"label":0,"answers":["0"]}"#).contains("answers[0]: invalid"));
        assert!(message(r#"{"x":[1],"answers":[0]}"#).contains("no `label`"));
        assert!(message(r#"{"label":0,"answers":[0]}"#).contains("either `x` or `text`"));
        assert!(message(r#"{"x":[1],"text":"a","label":0,"answers":[0]}"#).contains("either `x`"));
        assert!(message(r#"{"text":"a","label":0,"answers":[0]}"#).contains("the input is text"));
        assert!(message(r#"{"x":{"0":1},"label":0,"answers":[0]}"#).contains("input is sparse"));
        assert!(message(r#"{"x":[1],"label":0,"answers":{"ann":0}}"#).contains("in `experts`"));
        let list = r#"{"x":[1],"label":0,"costs":[null],"available":[0]}"#;
        assert!(message(list).contains("0 is `available`, but its value is null"));
        assert!(message(&list.replace("[0]}", "[7]}")).contains("available: expert 7"));
        assert_eq!(Recording::read("", &two_classes()).unwrap_err(), RecordedError::Empty);
    }

    #[test]
    fn sparse_and_dense_inputs_agree() {
        let sparse = r#"{"x":{"2":-4,"0":3},"label":1,"answers":[1]}
{"x":{},"label":0,"answers":[null]}"#;
        let dense = r#"{"x":[3,0,-4],"label":1,"answers":[1]}
{"x":[0,0,0],"label":0,"answers":[null]}"#;
        let format = LineFormat { dim: Some(3), ..two_classes() };
        let of = |text: &str| Recording::read(text, &format).unwrap();
        let (mut sparse, mut dense) = (of(sparse), of(dense));
        assert_eq!(format!("{:?}", sparse.entries), format!("{:?}", dense.entries));
        for recording in [&mut sparse, &mut dense] {
            recording.scale_to_unit_norm();
            let mut values = [0.0; 3];
            recording.inputs.row(0).for_each(|j, v| values[j] = v);
            assert!((values[0] - 0.6).abs() < 1e-15 && (values[2] + 0.8).abs() < 1e-15);
            assert_eq!((values[1], recording.rho()), (0.0, 2f64.sqrt()));
        }
        let line = r#"{"x":{"5":1},"label":1,"answers":[1]}"#;
        assert!(message(line, &format).contains("feature index 5 at position 0 is out of range"));
        let twice = line.replace("{\"5\":1}", r#"{"1":1,"1":2}"#);
        assert!(message(&twice, &format).contains("indices must increase"));
        assert!(message(&line.replace("\"5\"", "\"a\""), &format).contains("line 1: x"));
        assert!(message(line, &two_classes()).contains("how many features there are (`dim`)"));
        let list = r#"{"x":[1],"label":1,"answers":[1]}"#;
        assert!(message(list, &format).contains("list of 1 numbers, but `dim` is 3"));
    }

    #[test]
    fn text_is_hashed() {
        let line = r#"{"text":"Hello, World","label":1,"answers":[1]}"#;
        let recording = Recording::read(line, &two_classes()).unwrap();
        let (indices, values) = hash_text("hello world", TEXT_DIM).unwrap();
        assert_eq!(recording.dim(), TEXT_DIM);
        let mut seen = (Vec::new(), Vec::new());
        recording.inputs.row(0).for_each(|j, v| {
            seen.0.push(j as u32);
            seen.1.push(v);
        });
        assert_eq!(seen, (indices, values));
        let format = LineFormat { dim: Some(1000), ..two_classes() };
        assert!(message(line, &format).contains("dim = 1000: expected a power of two"));
    }

    /// Names in place of positions, and prices that rank as `reward - exchange * price`.
    #[test]
    fn rewards_and_prices_by_hand() {
        let names = ["small".to_string(), "large".into()];
        let format = LineFormat {
            experts: Some(&names),
            exchange: Some(2.0),
            ..LineFormat::new(2, paper())
        };
        let text = r#"{"x":[1],"label":0,"rewards":{"large":1.0,"small":0.5},"prices":{"small":0.25,"large":0.75}}
{"x":[1],"label":0,"rewards":{"small":0.5},"prices":{"small":0.5}}
{"x":[1],"label":0,"rewards":[0.5,1.0],"prices":[0,0],"available":["large"]}"#;
        let recording = Recording::read(text, &format).unwrap();
        // The scale is 1 + 2 * 0.75.
        assert_eq!(recording.entries[0].costs, [(0.5 + 0.5) / 2.5, 1.5 / 2.5]);
        assert_eq!(recording.entries[1].costs, [1.5 / 2.5, 1.0]);
        assert_eq!(recording.entries[1].active.get().experts().collect::<Vec<_>>(), [0]);
        assert_eq!(recording.entries[2].active.get().experts().collect::<Vec<_>>(), [1]);
        let Outcome::Grades(grades) = &recording.entries[0].outcome else { panic!("no grades") };
        assert_eq!((&grades.rewards[..], &grades.prices[..]), (&[0.5, 1.0][..], &[0.25, 0.75][..]));
        let wrong = |from: &str, to: &str| {
            let line = text.lines().next().unwrap();
            assert!(line.contains(from), "{from}");
            message(&line.replace(from, to), &format)
        };
        assert_eq!(
            wrong("\"large\":1.0", "\"larg\":1.0"),
            "line 1: rewards: there is no expert \"larg\"; did you mean \"large\"?"
        );
        assert!(wrong("\"small\":0.5}", "\"small\":1.5}").contains("rewards[small] = 1.5"));
        assert!(wrong("0.75", "-0.75").contains("prices[large] = -0.75: expected a finite"));
        assert!(wrong(",\"large\":0.75", "").contains("large has a reward and no price"));
        assert!(wrong("\"small\":0.5}", "\"large\":0.5}").contains("\"large\" is there twice"));
        let no_rate = LineFormat { exchange: None, ..format };
        assert!(message(text, &no_rate).contains("(`exchange`)"));
        let rate = LineFormat { exchange: Some(-1.0), ..format };
        assert!(message(text, &rate).starts_with("exchange = -1"));
        let huge = LineFormat { exchange: Some(f64::MAX), ..format };
        assert!(Recording::read(&text.replace("0.75", "1e300"), &huge).is_err());
        assert!(wrong("\"rewards\"", "\"costs\"").contains("`prices` belong to `rewards`"));
    }

    /// Classes that only judge, rounds without labels, and experts who come and go.
    #[test]
    fn only_experts() {
        let names = ["ann".to_string(), "bob".into()];
        let format = LineFormat { experts_only: true, experts: Some(&names), ..two_classes() };
        let text = r#"{"x":[1],"label":1,"answers":{"ann":1,"bob":0}}
{"x":[1],"label":0,"answers":{"bob":0}}"#;
        let recording = Recording::read(text, &format).unwrap();
        assert_eq!((recording.space().classes(), recording.space().experts()), (0, 2));
        let mut stream = Recorded::once(Arc::new(recording.clone()));
        let first = stream.next_round().unwrap();
        assert_eq!(first.is_right(recording.space().expert(0).unwrap()), Some(true));
        let nobody = text.replace("\"bob\":0}}", "\"bob\":null}}");
        assert!(
            message(&nobody, &format).contains("nobody is available, and there are no classes")
        );
        let graded = LineFormat { classes: 0, experts_only: false, ..format };
        let line = r#"{"x":[1],"rewards":{"ann":0.5}}"#;
        assert!(Recording::read(line, &graded).unwrap().entries[0].label.is_none());
        assert!(message(text, &graded).contains("`classes` is 0"));
        let seasons = |comes: &[(&str, u64)]| {
            let comes = comes.iter().map(|(name, t)| (name.to_string(), *t)).collect();
            super::super::Seasons::new(&names, &comes, &Default::default()).unwrap()
        };
        let late = recording.clone().with_seasons(seasons(&[("ann", 2)])).unwrap();
        let mut stream = Recorded::once(Arc::new(late));
        let first: Vec<usize> = stream.next_round().unwrap().active.experts().collect();
        assert_eq!(first, [1]);
        let fault = recording.with_seasons(seasons(&[("bob", 2)])).unwrap_err().to_string();
        assert!(fault.starts_with("round 2: nobody is available"), "{fault}");
    }
}

//! Rounds as text: one JSON object a line.
//!
//! ```text
//! {"x": [0.1, 2.0], "label": 1, "answers": [1, null]}                    null: not available
//! {"x": {"3": 0.5, "17": 1}, "label": 1, "costs": [0.2, null]}           sparse; costs in [0, 1]
//! {"x": [0.1, 2.0], "label": 1, "costs": [0.2, 1.0], "available": [0]}   without: everybody
//! {"text": "Who was Ada?", "rewards": {"small": 0.4, "large": 1.0}, "prices": {"small": 0, "large": 0.03}}
//! ```
//! What belongs to experts is a list in their order, or an object by their names; classes are numbers, or
//! words where they have names. Answers say who was right; costs and rewards do not. Prices go with
//! answers as they go with rewards.

use super::prices::{by_expert, largest_price, price_scale, put_prices_into_costs};
use super::wire::{Keys, Line, PerExpert, Who, Word, X};
use super::{Entry, Outcome, RecordedError, Recording, RoundFault};
use crate::data::Classes;
use crate::data::{CsrRows, DenseRows, Inputs};
use crate::json_lines::{self, BadLine};
use crate::stream::Grades;
use problem::{ActionSpace, ExpertCost, ProblemError, TEXT_DIM, hash_text};
use std::collections::{BTreeMap, BTreeSet};

/// How the lines of a file are to be understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFormat<'a> {
    /// Labels and answers are below this; 0 where there are neither.
    pub(crate) classes: usize,
    /// How the classes are written; without it, as numbers.
    pub(crate) class_names: Option<&'a [String]>,
    /// The classes only judge answers, they cannot be played.
    pub(crate) experts_only: bool,
    /// Names of the experts; without them they are those of the file in the order in which they come,
    /// or experts are known by their place.
    pub(crate) experts: Option<&'a [String]>,
    /// Key of the numbers of an input; `x` without it.
    pub(crate) x: Option<&'a str>,
    /// Key of the text of an input; `text` without it.
    pub(crate) text: Option<&'a str>,
    /// Keys that mean nothing here.
    pub(crate) ignore: &'a [String],
    /// What asking costs where the lines do not say it, by expert and in the user's own unit.
    pub(crate) prices: Option<&'a BTreeMap<String, f64>>,
    /// Features of sparse inputs, or the dimension that texts are hashed into.
    pub(crate) dim: Option<usize>,
    /// What an answer costs.
    pub(crate) cost: ExpertCost,
    /// What one unit of a price is worth in reward.
    pub(crate) exchange: Option<f64>,
}

impl LineFormat<'_> {
    /// Everything else as it is when nothing is said.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn new(classes: usize, cost: ExpertCost) -> Self {
        LineFormat {
            classes,
            class_names: None,
            experts_only: false,
            experts: None,
            x: None,
            text: None,
            ignore: &[],
            dim: None,
            cost,
            exchange: None,
            prices: None,
        }
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
        price_scale(self.exchange.unwrap_or(0.0), largest_price)
    }

    fn keys(&self) -> Keys<'_> {
        let (x, text) = (self.x.unwrap_or("x"), self.text.unwrap_or("text"));
        Keys { x, text, ignore: self.ignore }
    }

    /// The class that a word means; none for -1 and for words that mean nothing.
    fn class(&self, field: &str, word: &Word) -> Result<Option<usize>, RoundFault> {
        let (text, classes) = match (word, self.class_names) {
            // Whether there are so many is checked with the round.
            (Word::Number(class), None) if *class >= 0 => return Ok(Some(*class as usize)),
            (Word::Number(class), names) => (class.to_string(), names),
            (Word::Text(text), names) => (text.clone(), names),
        };
        let classes = match classes {
            None => Classes::Count(self.classes),
            Some(names) => Classes::Names(names.to_vec()),
        };
        let wrong = |source| RoundFault::NotAClass { field: field.into(), source };
        classes.parse_answer(text.trim()).map_err(wrong)
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

/// What the first round decides for all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) space: ActionSpace,
    pub(super) dim: usize,
    /// Of input.
    kind: &'static str,
    /// Whether answers have prices.
    priced: bool,
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
        let priced = line.prices.is_some() || format.prices.is_some();
        Ok(Form { space, dim, kind, priced })
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
    let found = if format.experts.is_none() { names_in(text, format) } else { None };
    let format = &LineFormat { experts: format.experts.or(found.as_deref()), ..*format };
    let (form, inputs, mut entries) = parse(text, format, None)?.ok_or(RecordedError::Empty)?;
    let largest = largest_price(&entries);
    weigh(&mut entries, format, largest)?;
    let names = format.experts.map(<[String]>::to_vec);
    Ok(Recording { space: form.space, inputs, entries, seasons: None, names })
}

/// The rounds of some lines, without prices in their costs; none if all are blank. `form` is what lines
/// before them decided.
pub(super) fn parse(
    text: &str,
    format: &LineFormat<'_>,
    form: Option<Form>,
) -> Result<Option<(Form, Inputs, Vec<Entry>)>, RecordedError> {
    let prices = match (format.prices, format.experts) {
        (None, _) => None,
        (Some(prices), Some(names)) => Some(by_expert(names, prices)?),
        (Some(_), None) => return Err(RecordedError::PricesOfNobody),
    };
    let started = |form: Form| (form, Rows { kind: form.kind, inputs: form.inputs() });
    let mut parts = form.map(started);
    let mut entries = Vec::new();
    for (i, text) in lines(text) {
        let bad = |source| RecordedError::Line { line: i + 1, source };
        let read = json_lines::parse_as(format.keys(), text.as_bytes());
        let mut line: Line = read.map_err(|error| bad(unreadable(text, error)))?;
        let (form, rows) = match &mut parts {
            Some(parts) => parts,
            None => parts.insert(started(Form::new(&line, format).map_err(bad)?)),
        };
        rows.push(&mut line).map_err(bad)?;
        entries.push(entry(line, *form, prices.as_deref(), format).map_err(bad)?);
    }
    let some = parts.filter(|_| !entries.is_empty());
    Ok(some.map(|(form, rows)| (form, rows.inputs, entries)))
}

/// Lines that are not blank, with their places; a byte order mark is no part of the first.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty())
}

fn unreadable(text: &str, error: BadLine) -> RoundFault {
    let not_json = ["NaN", "Infinity"].iter().any(|word| text.contains(word));
    match not_json && error.problem.contains("expected value") {
        true => RoundFault::NotANumber(error),
        false => RoundFault::Json(error),
    }
}

/// Names of experts in the order in which they come; none if some line has them by place, or cannot be
/// read.
fn names_in(text: &str, format: &LineFormat<'_>) -> Option<Vec<String>> {
    let (mut names, mut known) = (Vec::new(), BTreeSet::new());
    for (_, text) in lines(text) {
        let line: Line = json_lines::parse_as(format.keys(), text.as_bytes()).ok()?;
        for name in line.names()? {
            if known.insert(name.to_string()) {
                names.push(name.to_string());
            }
        }
    }
    Some(names).filter(|names| !names.is_empty())
}

/// Classes and experts, by the first line.
fn space(line: &Line, format: &LineFormat<'_>) -> Result<ActionSpace, RoundFault> {
    let experts = format.experts.map_or(line.experts(), <[String]>::len);
    let classes = if format.experts_only { 0 } else { format.classes };
    Ok(ActionSpace::new(classes, experts)?)
}

fn entry(
    line: Line,
    Form { space, priced, .. }: Form,
    known_prices: Option<&[f64]>,
    format: &LineFormat<'_>,
) -> Result<Entry, RoundFault> {
    let experts = Some(space.experts());
    let Line { label, answers, costs, rewards, prices, available, .. } = line;
    if format.classes == 0 && (label.is_some() || answers.is_some()) {
        return Err(RoundFault::NoClasses);
    }
    let label = label.map(|word| format.class("label", &word)).transpose()?.flatten();
    match (label, format.classes) {
        (None, 1..) if answers.is_some() || !format.experts_only => {
            return Err(RoundFault::NoLabel);
        }
        (Some(label), classes) if label >= classes => {
            let source = ProblemError::NoSuchClass { label, classes };
            return Err(RoundFault::field("label")(source));
        }
        _ => {}
    }
    let prices = match (prices, known_prices) {
        (None, None) => None,
        _ if costs.is_some() => return Err(RoundFault::PricesWithCosts),
        _ if format.exchange.is_none() => return Err(RoundFault::NoExchange),
        (Some(prices), _) => Some(format.values("prices", prices, experts)?),
        (None, Some(known)) => Some(known.iter().copied().map(Some).collect()),
    };
    let (field, values, grades) = match (answers, costs, rewards) {
        (Some(answers), None, None) => {
            if available.is_some() {
                return Err(RoundFault::AvailableWithAnswers);
            }
            let answers = format.values("answers", answers, experts)?;
            let class = |(j, word): (usize, &Option<Word>)| match word {
                None => Ok(None),
                Some(word) => format.class(&format!("answers[{}]", format.name(j)), word),
            };
            let answers: Vec<Option<usize>> =
                answers.iter().enumerate().map(class).collect::<Result<_, _>>()?;
            let label = label.ok_or(RoundFault::NoLabel)?;
            let mut entry = Entry::answered(space, format.classes, label, &answers, format.cost)?;
            if prices.is_some() != priced {
                return Err(RoundFault::SomePrices);
            }
            if let Some(prices) = prices {
                let there: Vec<Option<f64>> = answers.iter().map(|a| a.map(|_| 0.0)).collect();
                entry.take_prices(grades(&there, &prices, format)?.price);
            }
            return Ok(entry);
        }
        (None, Some(costs), None) => {
            ("costs", format.values("costs", costs, experts)?, Grades::default())
        }
        (None, None, Some(rewards)) => {
            let rewards = format.values("rewards", rewards, experts)?;
            let prices = prices.unwrap_or_else(|| vec![Some(0.0); rewards.len()]);
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
            let expected = match field {
                "rewards" => "a number in [0, 1]: divide grades by the best there is",
                _ => "a number in [0, 1]: what is paid in a unit of its own belongs into `prices`",
            };
            let expert = format.name(j);
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
    Ok(Grades { reward: list(rewards), price: list(prices) })
}

/// Puts prices into costs, where there are any.
pub(super) fn weigh(
    entries: &mut [Entry],
    format: &LineFormat<'_>,
    largest_price: f64,
) -> Result<(), RecordedError> {
    if let Some(exchange) = format.exchange {
        put_prices_into_costs(entries, exchange, format.scale(largest_price)?);
    }
    Ok(())
}

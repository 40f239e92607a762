//! A line as it is written: one JSON object, before anybody knows what its names mean.

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess};
use std::fmt;
use std::marker::PhantomData;

/// Keys of a line besides those of the input.
const KEYS: [&str; 6] = ["label", "answers", "costs", "rewards", "prices", "available"];

/// Which keys have the input, and which are passed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'a> {
    pub(super) x: &'a str,
    pub(super) text: &'a str,
    pub(super) ignore: &'a [String],
}

/// One line.
#[derive(Default)]
pub(super) struct Line {
    pub(super) x: Option<X>,
    pub(super) text: Option<String>,
    pub(super) label: Option<Word>,
    pub(super) answers: Option<PerExpert<Word>>,
    pub(super) costs: Option<PerExpert<f64>>,
    pub(super) rewards: Option<PerExpert<f64>>,
    pub(super) prices: Option<PerExpert<f64>>,
    pub(super) available: Option<Vec<Who>>,
}

impl Line {
    /// Names of experts in the order of the line; none at all if a list has them by place.
    pub(super) fn names(&self) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        if let Some(answers) = &self.answers {
            names.extend(answers.names()?);
        }
        for numbers in [&self.costs, &self.rewards, &self.prices].into_iter().flatten() {
            names.extend(numbers.names()?);
        }
        Some(names)
    }

    /// How many experts its lists have.
    pub(super) fn experts(&self) -> usize {
        let answers = self.answers.as_ref().map(PerExpert::len);
        let numbers = [&self.costs, &self.rewards].map(|n| n.as_ref().map(PerExpert::len));
        answers.or(numbers[0]).or(numbers[1]).unwrap_or(0)
    }
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = Line;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Line, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> de::Visitor<'de> for Keys<'_> {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let mut line = Line::default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom(format!("`{key}` is there twice")));
            }
            match key.as_str() {
                key if key == self.x => line.x = map.next_value()?,
                key if key == self.text => line.text = map.next_value()?,
                "label" => line.label = map.next_value()?,
                "answers" => line.answers = map.next_value()?,
                "costs" => line.costs = map.next_value()?,
                "rewards" => line.rewards = map.next_value()?,
                "prices" => line.prices = map.next_value()?,
                "available" => line.available = map.next_value()?,
                key if self.ignore.iter().any(|ignored| ignored == key) => {
                    map.next_value::<IgnoredAny>()?;
                }
                key => return Err(de::Error::custom(self.unknown(key))),
            }
            seen.push(key);
        }
        Ok(line)
    }
}

impl Keys<'_> {
    fn unknown(self, key: &str) -> String {
        let known: Vec<&str> = [self.x, self.text].into_iter().chain(KEYS).collect();
        let near = crate::nearest(key, known.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let known = known.join("`, `");
        format!(
            "unknown field `{key}`, expected one of `{known}`{near} (`text = \"{key}\"` or `x = \"{key}\"` \
             says that it is the input, `ignore = [\"{key}\"]` that it is nothing)"
        )
    }
}

/// All values, or the non-zero ones by their index.
pub(super) enum X {
    Dense(Vec<f64>),
    Sparse(Vec<(u32, f64)>),
}

/// A class, by its number or its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Number(i64),
    Text(String),
}

/// In the order of the experts, or by name.
pub(super) enum PerExpert<T> {
    List(Vec<Option<T>>),
    Named(Vec<(String, Option<T>)>),
}

impl<T> PerExpert<T> {
    fn len(&self) -> usize {
        match self {
            PerExpert::List(values) => values.len(),
            PerExpert::Named(values) => values.len(),
        }
    }

    fn names(&self) -> Option<impl Iterator<Item = &str>> {
        match self {
            PerExpert::List(_) => None,
            PerExpert::Named(values) => Some(values.iter().map(|(name, _)| name.as_str())),
        }
    }
}

/// An expert by place or by name.
pub(super) enum Who {
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

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a class")
            }
            fn visit_u64<E: de::Error>(self, class: u64) -> Result<Word, E> {
                Ok(Word::Number(i64::try_from(class).unwrap_or(i64::MAX)))
            }
            fn visit_i64<E: de::Error>(self, class: i64) -> Result<Word, E> {
                Ok(Word::Number(class))
            }
            fn visit_f64<E: de::Error>(self, class: f64) -> Result<Word, E> {
                // Lists with gaps are often written with integers as `2.0`.
                match class.fract() == 0.0 {
                    true => Ok(Word::Number(class as i64)),
                    false => Err(E::invalid_value(de::Unexpected::Float(class), &self)),
                }
            }
            fn visit_str<E: de::Error>(self, class: &str) -> Result<Word, E> {
                Ok(Word::Text(class.into()))
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

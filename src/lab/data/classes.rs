//! How labels and answers are written.

use learner::nearest;
use serde::de::{self, Deserialize, Deserializer, SeqAccess};
use serde::{Serialize, Serializer};
use thiserror::Error;

/// Text that names no class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{found:?} is not a class, expected {expected}{hint}")]
pub(crate) struct NotAClass {
    found: String,
    expected: String,
    hint: String,
}

/// Integers `0..count`, or names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Classes {
    /// `0`, `1`, ..
    Count(usize),
    /// Class `i` is written as `names[i]`.
    Names(Vec<String>),
}

/// What tables have in place of an answer that was not given.
const NO_ANSWER: [&str; 9] = ["", "-1", "-1.0", "nan", "NaN", "NA", "null", "None", "N/A"];

impl Classes {
    /// How many there are.
    #[must_use]
    pub(crate) fn count(&self) -> usize {
        match self {
            Classes::Count(count) => *count,
            Classes::Names(names) => names.len(),
        }
    }

    /// The class that `text` means.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub(crate) fn parse(&self, text: &str) -> Result<usize, NotAClass> {
        let found = match self {
            // Tables with gaps are often written with integers as `2.0`.
            Classes::Count(count) => {
                let digits = text.strip_suffix(".0").unwrap_or(text);
                digits.parse().ok().filter(|class| class < count)
            }
            Classes::Names(names) => names.iter().position(|name| name == text),
        };
        found.ok_or_else(|| NotAClass {
            found: text.chars().take(40).collect(),
            expected: match self {
                Classes::Count(count) => format!("0..{count}"),
                Classes::Names(names) => names.join(", "),
            },
            hint: self.hint(text),
        })
    }

    /// The class that was probably meant.
    fn hint(&self, text: &str) -> String {
        let Classes::Names(names) = self else { return String::new() };
        if let Some(same) = names.iter().find(|name| name.eq_ignore_ascii_case(text)) {
            return format!("; did you mean {same:?}? Capital and small letters differ");
        }
        let near = nearest(text, names.iter().map(String::as_str));
        near.map_or(String::new(), |near| format!("; did you mean {near:?}?"))
    }

    /// What class `i` is called.
    #[must_use]
    pub(crate) fn name(&self, i: usize) -> String {
        match self {
            Classes::Count(_) => i.to_string(),
            Classes::Names(names) => names.get(i).cloned().unwrap_or_default(),
        }
    }

    /// As [`Classes::parse`], where nothing, `-1` or a word for nothing, unless it names a class, means
    /// that there is no answer.
    ///
    /// # Errors
    /// As [`Classes::parse`].
    pub(crate) fn parse_answer(&self, text: &str) -> Result<Option<usize>, NotAClass> {
        match self.parse(text) {
            Ok(class) => Ok(Some(class)),
            Err(_) if NO_ANSWER.contains(&text) => Ok(None),
            Err(mut error) => {
                error.expected += ", or nothing or -1 from an expert who did not answer";
                Err(error)
            }
        }
    }
}

impl Serialize for Classes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Classes::Count(count) => count.serialize(serializer),
            Classes::Names(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Classes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Classes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the number of classes, or a list of their names")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Classes, E> {
                let count = usize::try_from(value);
                count
                    .map(Classes::Count)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Classes, E> {
                let count = usize::try_from(value);
                count
                    .map(Classes::Count)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Classes, A::Error> {
                let mut names: Vec<String> = Vec::new();
                while let Some(name) = seq.next_element::<String>()? {
                    if names.contains(&name) {
                        return Err(de::Error::custom(format!("class {name:?} is listed twice")));
                    }
                    names.push(name);
                }
                Ok(Classes::Names(names))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

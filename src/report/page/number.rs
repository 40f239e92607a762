//! Numbers on the page: few digits for the eye, all of them in the markup.

use minijinja::{Error, ErrorKind, Value};
use serde::Serialize;
use serde_json::Value as Json;

/// A number as it is shown, with where it stands in the file of its section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Shown {
    /// JSON pointer, from the base of its element on.
    pub(super) at: String,
    /// All digits, as JSON has them.
    pub(super) exact: String,
    /// Few.
    pub(super) text: String,
}

impl Shown {
    /// With `decimals` decimals, or with six significant digits.
    pub(super) fn new(value: &serde_json::Number, at: String, decimals: Option<usize>) -> Self {
        let text = match (decimals, value.as_f64()) {
            (Some(decimals), Some(value)) => format!("{value:.decimals$}"),
            _ => short_json(value),
        };
        Shown { at, exact: value.to_string(), text }
    }
}

/// Integers as they are, everything else with three significant digits.
pub(super) fn short_json(value: &serde_json::Number) -> String {
    match (value.as_i64(), value.as_u64(), value.as_f64()) {
        (Some(_), ..) | (_, Some(_), _) => value.to_string(),
        (.., Some(float)) => three_digits(float),
        _ => value.to_string(),
    }
}

/// `0.0124`, `1.5`, `3.14`, `1310`, `5.20e10`: enough to compare; the markup has all digits.
fn three_digits(value: f64) -> String {
    let scientific = format!("{value:.2e}");
    let exponent: i32 = scientific.split_once('e').map_or(0, |(_, e)| e.parse().unwrap_or(0));
    match exponent {
        3..=6 => format!("{value:.0}"),
        -4..=2 => {
            let text = format!("{value:.*}", (2 - exponent) as usize);
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
        _ => scientific,
    }
}

/// How many decimals a column of numbers is shown with: enough for its largest entry to have three
/// digits, none when all are integers.
pub(super) fn decimals(values: impl Iterator<Item = f64> + Clone) -> Option<usize> {
    if values.clone().all(|v| v == v.trunc() && v.abs() < 1e15) {
        return Some(0);
    }
    let largest = values.map(f64::abs).fold(0.0, f64::max);
    match largest {
        v if v >= 1e7 => None,
        v if v >= 100.0 => Some(0),
        v if v >= 10.0 => Some(1),
        v if v >= 1.0 => Some(2),
        v if v >= 1e-1 => Some(3),
        v if v >= 1e-2 => Some(4),
        v if v >= 1e-3 => Some(5),
        _ => None,
    }
}

fn json(value: Value) -> Result<Json, Error> {
    serde_json::to_value(&value).map_err(|e| Error::new(ErrorKind::BadSerialization, e.to_string()))
}

/// All digits of a number.
pub(super) fn exact(value: Value) -> Result<String, Error> {
    Ok(json(value)?.to_string())
}

/// Few digits of a number; anything else as JSON.
pub(super) fn short(value: Value) -> Result<String, Error> {
    Ok(match json(value)? {
        Json::Number(number) => short_json(&number),
        other => other.to_string(),
    })
}

/// JSON for a person: objects line by line, lists of plain values on one line.
pub(super) fn pretty(value: Value) -> Result<String, Error> {
    let mut out = String::new();
    indent(&json(value)?, 0, &mut out);
    Ok(out)
}

/// JSON on one line, for what few will read; long lines are broken by the browser.
pub(super) fn compact(value: Value) -> Result<String, Error> {
    Ok(json(value)?.to_string())
}

fn indent(value: &Json, depth: usize, out: &mut String) {
    let plain = |v: &Json| !v.is_array() && !v.is_object();
    let pad = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    match value {
        Json::Array(items) if items.iter().all(plain) => {
            let items: Vec<String> = items.iter().map(Json::to_string).collect();
            *out += &format!("[{}]", items.join(", "));
        }
        Json::Array(items) => {
            *out += "[\n";
            for (i, item) in items.iter().enumerate() {
                *out += &pad;
                indent(item, depth + 1, out);
                *out += if i + 1 < items.len() { ",\n" } else { "\n" };
            }
            *out += &format!("{end}]");
        }
        Json::Object(map) if map.is_empty() => *out += "{}",
        Json::Object(map) => {
            *out += "{\n";
            for (i, (key, item)) in map.iter().enumerate() {
                *out += &format!("{pad}{}: ", Json::from(key.as_str()));
                indent(item, depth + 1, out);
                *out += if i + 1 < map.len() { ",\n" } else { "\n" };
            }
            *out += &format!("{end}}}");
        }
        plain => *out += &plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_have_the_decimals_of_their_largest_entry() {
        let of = |values: &[f64]| decimals(values.iter().copied());
        assert_eq!(of(&[1.0, 250_000.0]), Some(0));
        assert_eq!(of(&[0.38, 0.002]), Some(3));
        assert_eq!(of(&[44.4788, 0.08]), Some(1));
        assert_eq!(of(&[1234.5, 0.1]), Some(0));
        assert_eq!(of(&[0.004]), Some(5));
        assert_eq!(of(&[1e-5]), None);
    }

    #[test]
    fn few_digits_for_the_eye_and_all_in_the_markup() {
        let value = json!(0.38181036363642257);
        let shown = Shown::new(value.as_number().unwrap(), "/a".into(), Some(4));
        assert_eq!((shown.exact.as_str(), shown.text.as_str()), ("0.38181036363642257", "0.3818"));
        assert_eq!(short_json(json!(402716).as_number().unwrap()), "402716");
        let short = |v: f64| short_json(json!(v).as_number().unwrap());
        let cases = [(1.118031417, "1.12"), (0.5, "0.5"), (1310.4, "1310"), (0.00031, "0.00031")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!((short(5.2e10), short(9.999)), ("5.20e10".into(), "10".into()));
    }

    #[test]
    fn pretty_json_is_json_and_keeps_short_lists_on_a_line() {
        let value = json!({"s": ["1/2", "1/3"], "deep": [{"a": 1}, {}], "none": null});
        let text = pretty(Value::from(minijinja::value::Serde(&value))).unwrap();
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), value);
        assert!(text.contains("\"s\": [\"1/2\", \"1/3\"]"), "{text}");
    }
}

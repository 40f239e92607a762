//! Numbers as they are read: the one place that decides about digits.
//!
//! | what | shown |
//! |---|---|
//! | a number of a table or a sentence | with the decimals its place asks for ([`fixed`], [`spread`]) |
//! | a number of an observation | four decimals, integers in full ([`short`]) |
//! | a count | thousands apart ([`count`], [`rounds`]) |
//! | a number on the page | six significant digits, `ledger::markdown::number` |

/// With so many decimals.
#[must_use]
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

/// Mean and standard deviation over runs.
#[must_use]
pub(crate) fn spread(values: &[f64], decimals: usize) -> String {
    match stats::mean_sd(values) {
        (mean, Some(sd)) => format!("{mean:.decimals$} ± {sd:.decimals$}"),
        (mean, None) => fixed(mean, decimals),
    }
}

/// Four decimals, fewer for large numbers, an integer as it is.
#[must_use]
pub(crate) fn short(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value}");
    }
    fixed(value, if value.abs() >= 1000.0 { 0 } else { 4 })
}

/// Thousands apart: `1,234,567`.
#[must_use]
pub(crate) fn count(value: u128) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of rounds: in full while that can be read, as a power of ten beyond.
#[must_use]
pub(crate) fn rounds(value: u128) -> String {
    if value < 10_000_000_000 { count(value) } else { format!("{:.1e}", value as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_they_are_read() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(rounds(12_345_678_901_234), "1.2e13");
        assert_eq!(short(3.0), "3");
        assert_eq!(short(0.123_456), "0.1235");
        assert_eq!(short(1234.5678), "1235");
        assert_eq!(spread(&[1.0, 2.0, 3.0], 1), "2.0 ± 1.0");
        assert_eq!(spread(&[1.0], 2), "1.00");
    }
}

//! Small pieces of Markdown.

use num_traits::ToPrimitive;
use theory::rational::Rational;

/// A table; columns of numbers are aligned to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let is_number = |cell: &String| {
        let first = cell.chars().find(|c| *c != '*' && *c != '-');
        first.is_none_or(|c| c.is_ascii_digit() || c == '[')
    };
    let side = |i: usize| rows.iter().all(|row| is_number(&row[i]));
    let rule = (0..head.len()).map(|i| if side(i) { "---:" } else { "---" }.to_string()).collect();
    let mut text = line(head.iter().map(|h| h.to_string()).collect()) + &line(rule);
    rows.iter().for_each(|row| text += &line(row.iter().map(|c| c.replace('|', "\\|")).collect()));
    text + "\n"
}

/// `p/q (0.1234)`, or the integer alone.
pub fn fraction(value: &Rational) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    let decimal = value.to_f64().unwrap_or(f64::NAN);
    if value.denom().bits() > 24 {
        return format!("{decimal:.4}");
    }
    format!("{value} ({decimal:.4})")
}

/// Thousands apart: `1,234,567`.
pub fn count(value: u128) -> String {
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
pub fn rounds(value: u128) -> String {
    if value < 10_000_000_000 { count(value) } else { format!("{:.1e}", value as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use theory::rational::ratio;

    #[test]
    fn numbers_stand_on_the_right() {
        let row = |a: &str, b: &str| vec![a.to_string(), b.to_string()];
        let text = table(&["who", "how much"], &[row("a|b", "0.5 ± 0.1"), row("c", "**7**")]);
        assert_eq!(
            text,
            "| who | how much |\n| --- | ---: |\n| a\\|b | 0.5 ± 0.1 |\n| c | **7** |\n\n"
        );
    }

    #[test]
    fn numbers_as_they_are_read() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(rounds(12_345_678_901_234), "1.2e13");
        assert_eq!(fraction(&ratio(1, 5)), "1/5 (0.2000)");
        assert_eq!(fraction(&ratio(4, 2)), "2");
    }
}

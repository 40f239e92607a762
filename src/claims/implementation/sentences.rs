//! Findings in words, with just enough digits to see the difference.

use super::Failure;
use super::reference::{self, Matrix};
use crate::subject::SubjectSpec;

/// `action 4 (expert 1)` or `action 2 (class)`.
pub(crate) fn action(spec: &SubjectSpec, a: usize) -> String {
    match a.checked_sub(spec.n) {
        None => format!("action {a} (class)"),
        Some(j) => format!("action {a} (expert {j})"),
    }
}

/// `expected 0.61, got 0.3`: at least three digits, more if the two look alike.
pub(crate) fn expected_got(expected: f64, got: f64) -> String {
    for digits in 3..17 {
        let (e, g) = (number(expected, digits), number(got, digits));
        if e != g {
            return format!("expected {e}, got {g}");
        }
    }
    format!("expected {expected:e}, got {got:e}")
}

/// `value` with `digits` significant digits.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = libm::floor(libm::log10(value.abs())) as i64;
    if !(-4..6).contains(&exponent) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as i64 - 1 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `row 2 (class), column 3`, the last column being the bias.
pub(crate) fn entry(spec: &SubjectSpec, a: usize, j: usize) -> String {
    let column = if j == spec.d { "the bias".to_owned() } else { format!("feature {j}") };
    format!("the weight of {} for {column}", action(spec, a))
}

/// The active actions are not the ones they should be.
pub(crate) fn active_set(
    spec: &SubjectSpec,
    t: u64,
    available: &[usize],
    expected: &[usize],
    got: &[usize],
) -> String {
    let context = format!("in round {t} with experts {available:?} available");
    if let Some(&a) = got.iter().find(|a| !expected.contains(a)) {
        if a >= spec.actions() {
            return format!("{context} it lists action {a}, which does not exist");
        }
        return format!("{context} it lists {}, who is not available", action(spec, a));
    }
    if let Some(&a) = expected.iter().find(|a| !got.contains(a)) {
        return format!("{context} {} is missing from the active actions", action(spec, a));
    }
    format!("{context} an action is listed twice: {got:?}")
}

/// Passes if the matrices agree within `tolerance` times their largest entry, and returns the
/// largest difference in those units; otherwise names the entry that differs most.
pub(crate) fn same_weights(
    spec: &SubjectSpec,
    context: &str,
    expected: &Matrix,
    got: &Matrix,
    tolerance: f64,
) -> Result<f64, Failure> {
    let entries = expected.iter().flatten().chain(got.iter().flatten());
    let size = entries.fold(0.0, |size: f64, v| size.max(v.abs()));
    let mut worst = (0.0, 0, 0);
    for (a, (e, g)) in expected.iter().zip(got).enumerate() {
        for (j, (e, g)) in e.iter().zip(g).enumerate() {
            let difference = (e - g).abs();
            if difference > worst.0 {
                worst = (difference, a, j);
            }
        }
    }
    let (difference, a, j) = worst;
    if difference > tolerance * size {
        let (place, values) = (entry(spec, a, j), expected_got(expected[a][j], got[a][j]));
        return Err(Failure::Wrong(format!("{context}: {place}: {values}")));
    }
    Ok(reference::relative(difference, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_differences_visible() {
        assert_eq!(number(0.6100001, 3), "0.61");
        assert_eq!(number(1234.5, 3), "1234");
        assert_eq!(number(100.0, 3), "100");
        assert_eq!(number(1.5e-7, 3), "1.50e-7");
        assert_eq!(expected_got(0.61, 0.305), "expected 0.61, got 0.305");
        assert_eq!(expected_got(0.5, 0.50001), "expected 0.5, got 0.50001");
        assert_eq!(expected_got(0.0, -2.0), "expected 0, got -2");
    }

    #[test]
    fn what_is_wrong_with_an_active_set_is_named() {
        let spec = SubjectSpec { n: 2, n_e: 2, ..super::super::wide_ball() };
        let said = |got: &[usize]| active_set(&spec, 3, &[1], &[0, 1, 3], got);
        assert!(said(&[0, 1]).ends_with("action 3 (expert 1) is missing from the active actions"));
        assert!(
            said(&[0, 1, 2, 3]).ends_with("it lists action 2 (expert 0), who is not available")
        );
        assert!(said(&[0, 1, 3, 4]).ends_with("it lists action 4, which does not exist"));
        assert!(said(&[0, 1, 1, 3]).ends_with("an action is listed twice: [0, 1, 1, 3]"));
    }

    #[test]
    fn weights_are_compared_in_units_of_the_largest() {
        let spec = super::super::wide_ball();
        let same = |e: f64, g: f64| {
            same_weights(&spec, "", &vec![vec![e, 0.0]], &vec![vec![g, 0.0]], 1e-9)
        };
        assert!(same(1e3, 1e3 + 5e-7).is_ok() && same(1e3, 1e3 + 5e-6).is_err());
        assert!(same(1e-3, 1e-3 + 5e-13).is_ok() && same(1e-3, 1e-3 + 5e-12).is_err());
        assert_eq!(same(0.0, 0.0).ok(), Some(0.0));
    }
}

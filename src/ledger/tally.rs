//! Counting cases and keeping the worst one.

use super::{Grade, Outcome, Verdict};
use num_rational::BigRational as Rational;
use num_traits::{Signed, ToPrimitive, Zero};
use serde_json::Value;

/// Cases seen so far and the one with the least margin, in exact numbers.
///
/// A margin is `right - left` of an inequality, so a negative one is a violation. For an identity
/// the margin is minus the absolute difference.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    cases: u64,
    violations: u64,
    worst: Option<(Rational, Value)>,
}

impl Tally {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Tally::default()
    }

    /// `left <= right`.
    pub fn at_most(&mut self, left: &Rational, right: &Rational, case: impl FnOnce() -> Value) {
        self.margin(right - left, case);
    }

    /// `left = right`.
    pub fn equal(&mut self, left: &Rational, right: &Rational, case: impl FnOnce() -> Value) {
        self.margin(-(right - left).abs(), case);
    }

    /// A statement that is true or not.
    pub fn truth(&mut self, holds: bool, case: impl FnOnce() -> Value) {
        let minus_one = -Rational::from_integer(1.into());
        self.margin(if holds { Rational::zero() } else { minus_one }, case);
    }

    /// A case with this margin; `case` describes it and is called only if it is the worst so far.
    pub fn margin(&mut self, margin: Rational, case: impl FnOnce() -> Value) {
        self.cases += 1;
        self.violations += u64::from(margin.is_negative());
        if self.worst.as_ref().is_none_or(|(least, _)| margin < *least) {
            self.worst = Some((margin, case()));
        }
    }

    /// The least margin seen.
    #[must_use]
    pub fn least_margin(&self) -> Option<&Rational> {
        self.worst.as_ref().map(|(margin, _)| margin)
    }

    /// `if_none` when there was something to check and nothing violated it, otherwise `Fails` with
    /// the worst case as the witness, which is exact and settles it. `grade` says what kind of evidence
    /// the cases are when none is violated, `what` says what they are.
    #[must_use]
    pub fn outcome(&self, if_none: Verdict, grade: Grade, what: &str) -> Outcome {
        let Some((margin, case)) = &self.worst else {
            return Outcome::new(Verdict::Fails, grade, format!("nothing was checked: no {what}"));
        };
        let outcome = if self.violations == 0 {
            Outcome::new(if_none, grade, format!("{} {what}, none violated", self.cases))
        } else {
            let share = format!("{} of {} {what} violated", self.violations, self.cases);
            Outcome::new(Verdict::Fails, Grade::Enumerated, share).witness(case.clone())
        };
        let float = margin.to_f64().unwrap_or(f64::NAN);
        outcome
            .with("cases", self.cases)
            .with("violations", self.violations)
            .with("least_margin", margin.to_string())
            .with("least_margin_decimal", float)
            .with("worst_case", case.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ratio(a: i64, b: i64) -> Rational {
        Rational::new(a.into(), b.into())
    }

    #[test]
    fn the_worst_case_is_kept_and_decides() {
        let mut tally = Tally::new();
        assert_eq!(
            tally.outcome(Verdict::Proved, Grade::Enumerated, "cases").verdict(),
            Verdict::Fails
        );
        tally.at_most(&ratio(1, 3), &ratio(1, 2), || json!("first"));
        tally.equal(&ratio(2, 4), &ratio(1, 2), || json!("second"));
        let good = tally.outcome(Verdict::Proved, Grade::Enumerated, "cases");
        assert_eq!((good.verdict(), good.witness), (Verdict::Proved, None));
        assert_eq!(good.evidence["worst_case"], "second");
        tally.at_most(&ratio(1, 1), &ratio(1, 2), || json!("third"));
        tally.truth(true, || json!("fourth"));
        let bad = tally.outcome(Verdict::Proved, Grade::Enumerated, "cases");
        assert_eq!((bad.verdict(), bad.witness), (Verdict::Fails, Some(json!("third"))));
        assert_eq!(bad.evidence["least_margin"], "-1/2");
        assert_eq!((tally.cases, tally.violations), (4, 1));
    }
}

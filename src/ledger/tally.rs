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
    sides: Sides,
}

/// The sides of inequalities and identities: two that are wrong in the same way agree with each other, but no
/// longer with what was recorded about them.
#[derive(Clone, Copy, Debug, Default)]
struct Sides {
    count: u64,
    left: f64,
    right: f64,
}

impl Sides {
    fn add(&mut self, left: f64, right: f64) {
        self.count += 1;
        self.left += left;
        self.right += right;
    }

    /// The means, to ten digits: the last ones of a double may differ from machine to machine.
    fn means(&self) -> Option<(f64, f64)> {
        let mean = |sum: f64| {
            let mean = sum / self.count as f64;
            format!("{mean:.9e}").parse().unwrap_or(mean)
        };
        (self.count > 0).then(|| (mean(self.left), mean(self.right)))
    }
}

impl Tally {
    /// `left <= right`.
    pub fn at_most(&mut self, left: &Rational, right: &Rational, case: impl FnOnce() -> Value) {
        self.add_sides(left, right);
        self.margin(right - left, case);
    }

    /// `left = right`.
    pub fn equal(&mut self, left: &Rational, right: &Rational, case: impl FnOnce() -> Value) {
        self.add_sides(left, right);
        self.margin(-(right - left).abs(), case);
    }

    /// `left < right`.
    pub fn below(&mut self, left: &Rational, right: &Rational, case: impl FnOnce() -> Value) {
        self.add_sides(left, right);
        self.truth(left < right, case);
    }

    /// `left <= right` in doubles, up to their `rounding`.
    pub fn within(&mut self, left: f64, right: f64, rounding: f64, case: impl FnOnce() -> Value) {
        self.sides.add(left, right);
        self.truth(left <= right + rounding, case);
    }

    fn add_sides(&mut self, left: &Rational, right: &Rational) {
        let float = |side: &Rational| side.to_f64().unwrap_or(f64::NAN);
        self.sides.add(float(left), float(right));
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
        let outcome = outcome
            .with("cases", self.cases)
            .with("violations", self.violations)
            .with("least_margin", margin.to_string())
            .with("least_margin_decimal", float)
            .with("worst_case", case.clone());
        match self.sides.means() {
            None => outcome,
            Some((left, right)) => outcome.with("mean_left", left).with("mean_right", right),
        }
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
        let mut tally = Tally::default();
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
        assert_eq!(bad.evidence["mean_left"], 0.6111111111);
        assert_eq!(bad.evidence["mean_right"], 0.5);
        assert!(good.evidence["mean_left"] != bad.evidence["mean_left"]);
    }

    #[test]
    fn strict_and_rounded_inequalities_at_equality() {
        let violations = |add: fn(&mut Tally)| {
            let mut tally = Tally::default();
            add(&mut tally);
            (tally.violations, tally.sides.left, tally.sides.right)
        };
        assert_eq!(violations(|t| t.below(&ratio(1, 2), &ratio(1, 2), || json!(0))), (1, 0.5, 0.5));
        assert_eq!(
            violations(|t| t.below(&ratio(1, 4), &ratio(1, 2), || json!(0))),
            (0, 0.25, 0.5)
        );
        assert_eq!(violations(|t| t.within(1.5, 1.0, 0.5, || json!(0))), (0, 1.5, 1.0));
        assert_eq!(violations(|t| t.within(1.5, 1.0, 0.25, || json!(0))), (1, 1.5, 1.0));
        assert_eq!(violations(|t| t.within(f64::NAN, 1.0, 0.25, || json!(0))).0, 1);
        let mut only_truths = Tally::default();
        only_truths.truth(true, || json!(0));
        let outcome = only_truths.outcome(Verdict::Holds, Grade::Searched, "cases");
        assert!(!outcome.evidence.contains_key("mean_left"));
    }
}

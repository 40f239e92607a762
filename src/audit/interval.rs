//! Closed intervals: enough arithmetic for tables.

use serde::Serialize;
use std::ops::{Add, Mul, Sub};

/// All values between two ends, both included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// One value.
    #[must_use]
    pub(crate) fn exact(value: f64) -> Self {
        Interval { low: value, high: value }
    }

    /// The values that are printed as `value` with `decimals` digits after the point, by any
    /// rule of rounding to nearest.
    #[must_use]
    pub(crate) fn rounded(value: f64, decimals: i32) -> Self {
        Interval::exact(value).widened(0.5 * libm::pow(10.0, -f64::from(decimals)))
    }

    /// The same, `by` wider on both sides.
    #[must_use]
    pub(crate) fn widened(self, by: f64) -> Self {
        Interval { low: self.low - by, high: self.high + by }
    }

    /// Half-way between the ends.
    #[must_use]
    pub(crate) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// How far two intervals are apart; zero if they meet (up to the rounding of doubles).
    #[must_use]
    pub(crate) fn distance(self, other: Interval) -> f64 {
        let gap = (self.low - other.high).max(other.low - self.high);
        if gap > crate::EXACT { gap } else { 0.0 }
    }

    /// Times a number that is not negative.
    #[must_use]
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Interval { low: self.low * factor, high: self.high * factor }
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval { low: self.low + other.low, high: self.high + other.high }
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        Interval { low: self.low - other.high, high: self.high - other.low }
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let ends = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        Interval {
            low: ends.iter().copied().fold(f64::INFINITY, f64::min),
            high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_number_is_an_interval() {
        let a = Interval::rounded(0.445, 3);
        assert!((a.low - 0.4445).abs() < 1e-15 && (a.high - 0.4455).abs() < 1e-15);
        assert_eq!(a.distance(Interval::exact(0.4455)), 0.0);
        assert!((a.distance(Interval::exact(0.4465)) - 0.001).abs() < 1e-15);
        assert!((Interval::exact(0.4).distance(a) - 0.0445).abs() < 1e-15);
    }

    #[test]
    fn arithmetic_encloses_every_choice() {
        let (a, b) = (Interval { low: -1.0, high: 2.0 }, Interval { low: 3.0, high: 4.0 });
        for x in [-1.0, 0.3, 2.0] {
            for y in [3.0, 3.6, 4.0] {
                for (interval, value) in [(a + b, x + y), (a - b, x - y), (a * b, x * y)] {
                    assert!(interval.low <= value && value <= interval.high);
                }
            }
        }
        assert_eq!(b.scaled(0.5), Interval { low: 1.5, high: 2.0 });
    }
}

//! The published tables, held against each other and against the protocol they are said to follow.
//!
//! A published number stands for the interval of values that round to it. An identity between
//! numbers of a table is evaluated on these intervals: it is inconsistent only if no values within
//! them satisfy it, and then the distance between the two sides says by how much. Where chance
//! enters, the interval is widened by the deviation that would be exceeded with probability
//! [`problem::prec::AUDIT_FALSE_ALARM`].
//!
//! For every identity a short explicit list of other readings of the protocol is tried. That a
//! reading fits does not prove that it was used.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cifar10h;
mod expert_tables;
mod interval;
mod published;

pub use interval::Interval;
pub use published::{CIFAR10H_NEAR, CIFAR10H_RESULTS, Cifar10hColumn, published_tables};

use serde::Serialize;

/// Two sides of a published identity that differ by less than this agree before any rounding is
/// granted; it is the rounding of a few double operations, not of the table.
pub(crate) const EXACT: f64 = 1e-12;

/// What came of one identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Status {
    /// The two sides agree before any rounding is granted.
    Consistent,
    /// They agree only within the rounding (and, where stated, the chance) of the numbers.
    ConsistentByRounding,
    /// No values that round to the published ones satisfy it.
    Inconsistent,
}

/// One identity that the published numbers must satisfy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Short name.
    pub id: &'static str,
    /// Table of the paper.
    pub reference: &'static str,
    /// What must hold, in a sentence.
    pub statement: &'static str,
    /// How the expected value is computed.
    pub formula: &'static str,
    /// What the protocol, as stated, gives.
    pub expected: Interval,
    /// What is published, or follows from what is published.
    pub published: Interval,
    /// The verdict of the arithmetic.
    pub status: Status,
    /// Distance between the two intervals; zero if they meet.
    pub misses_by: f64,
    /// Other readings of the protocol and whether they fit.
    pub readings: Vec<Reading>,
    /// What follows, and what does not.
    pub remark: &'static str,
}

/// Another reading of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// What is read differently.
    pub name: String,
    /// What it gives.
    pub expected: Interval,
    /// Whether the published number fits it.
    pub fits: bool,
    /// Distance, zero if it fits.
    pub misses_by: f64,
}

impl Reading {
    fn new(name: impl Into<String>, expected: Interval, published: Interval) -> Self {
        let misses_by = expected.distance(published);
        Reading { name: name.into(), expected, fits: misses_by == 0.0, misses_by }
    }
}

/// Text of a finding, apart from its numbers.
struct Subject {
    id: &'static str,
    reference: &'static str,
    statement: &'static str,
    formula: &'static str,
    remark: &'static str,
}

impl Subject {
    fn finding(self, expected: Interval, published: Interval, readings: Vec<Reading>) -> Finding {
        let misses_by = expected.distance(published);
        let status = if misses_by > 0.0 {
            Status::Inconsistent
        } else if (expected.middle() - published.middle()).abs() <= EXACT {
            Status::Consistent
        } else {
            Status::ConsistentByRounding
        };
        let Subject { id, reference, statement, formula, remark } = self;
        Finding {
            id,
            reference,
            statement,
            formula,
            expected,
            published,
            status,
            misses_by,
            readings,
            remark,
        }
    }
}

/// All findings, in the order of the paper.
#[must_use]
pub fn findings() -> Vec<Finding> {
    let mut all = expert_tables::findings();
    all.extend(cifar10h::findings());
    all
}

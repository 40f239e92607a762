//! What only the checks, the audit and `eval` compute from the quantities of `theory`.
//!
//! Like that crate, nothing here uses the learner: a fault must not be able to hide by being on both
//! sides of a comparison. Cargo cannot say so inside one crate, so a test reads these files.
//!
//! | question | module |
//! |---|---|
//! | what does an action or a mixture cost in expectation? | [`risk`] |
//! | which vector serves every active set at once, where there is one? | [`common`] |
//! | what does one vector lose when active sets take turns? | [`mixture`] |
//! | what does the constrained hinge do with one expert who comes and goes? | [`phase`] |
//! | how loose are the constants inside the proofs? | [`constants`] |
//! | what does the concentrated-score condition demand? | [`concentration`] |
//! | does the transfer theorem hold along a run? | [`transfer`] |

pub(crate) mod common;
pub(crate) mod concentration;
pub(crate) mod constants;
pub(crate) mod mixture;
pub(crate) mod phase;
pub(crate) mod risk;
pub(crate) mod transfer;

use theory::TheoryError;

/// A value that the quantity is not defined for.
fn out_of_range(field: impl Into<String>, value: f64, expected: &'static str) -> TheoryError {
    TheoryError::OutOfRange { field: field.into(), value, expected }
}

#[cfg(test)]
#[path = "../../../theory_tests/quantities/mod.rs"]
mod tests;

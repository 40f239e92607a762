//! Do the checks have teeth? Learners with one deliberate fault each, and which checks catch them.
//!
//! A fault that no check catches, a check that catches no fault, and a check that accuses a healthy
//! learner are failures of the checks.

mod faults;
mod faulty_learner;
mod run;
mod table;

pub(crate) use faults::Fault;
pub(crate) use faulty_learner::FaultyLearner;
pub(crate) use table::TeethTable;

#[cfg(test)]
#[path = "../../../theory_tests/teeth.rs"]
mod tests;

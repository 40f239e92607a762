//! Do the checks have teeth? Learners with one deliberate fault each, and which checks catch them.
//!
//! A fault that no check catches, a check that catches no fault, and a check that accuses a healthy
//! learner are failures of the checks.

mod faults;
mod faulty_learner;
mod run;
mod table;

pub use faults::Fault;
pub use faulty_learner::FaultyLearner;
pub use table::{Catch, TeethRow, TeethTable};

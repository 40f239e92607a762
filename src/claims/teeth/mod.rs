//! Do the checks have teeth? Learners with one deliberate fault each, and which checks catch them.
//!
//! A fault that no check catches, a check that catches no fault, and a check that accuses a healthy
//! learner are failures of the checks.

mod faults;
mod run;
mod saboteur;
mod table;

pub use faults::Fault;
pub use saboteur::Saboteur;
pub use table::{Bite, Row, Table};

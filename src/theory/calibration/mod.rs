//! Calibration functions of App. E against the truth.
mod cheapest;
mod compass;
mod exact;
mod search;
mod sum_sq;
mod transform;
mod witness;
pub use cheapest::{Cheapest, cheapest};
pub use search::{CalibrationReport, Effort, StrictNeighbour, search};
pub use transform::{PowerLaw, TransformPoint, transform};
pub use witness::{SquaredSurrogate, Witness, witness};

use super::TheoryError;
use super::loss::SurrogateId;

/// The most actions the searches accept: they are meant for small `K`.
pub const MAX_ACTIONS: usize = 12;

fn check_actions(k: usize) -> Result<(), TheoryError> {
    if (2..=MAX_ACTIONS).contains(&k) {
        Ok(())
    } else {
        Err(TheoryError::out_of_range("k", k as f64, "a number of actions in 2..=12"))
    }
}

pub fn sharp_supremum(id: SurrogateId, k: usize) -> Option<f64> {
    let k = k as f64;
    match id {
        SurrogateId::CompGce { .. } => None,
        SurrogateId::SumSq => Some(((k + 2.0) / 4.0).sqrt()),
        SurrogateId::CstndSq => None,
        _ => Some(1.0),
    }
}

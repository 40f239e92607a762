//! Calibration functions of App. E against the truth.
//!
//! A calibration function promises, for every distribution `s` on the `K` active actions and every
//! score vector `u` whose argmax is `r`,
//!
//! ```text
//! max s - s_r  <=  Gamma(C_Phi(u) - inf C_Phi)
//! zero-one gap           surrogate gap
//! ```
//!
//! | question | where |
//! |---|---|
//! | how large can the left side be, relative to the right? | [`search`] |
//! | if larger, is there an example nobody can doubt? | [`witness`] |
//! | what can be proved instead, or after all? | [`proved`], [`check_grid`] |
//! | which scores choose a given action at least cost? | [`cheapest_scores`] |
//!
//! # What comes out
//! Eight of the ten stated functions hold for all `K`. Two do not, from `K = 3` on, both stated as
//! `sqrt(t)`: the squared-hinge sum, whose sharp constant grows with `K` (`sqrt((K+2) t) / 2`), and
//! the constrained square, for which `sqrt(2 t)` is right for all `K` (the largest ratios to `sqrt(t)`
//! are 1.1929, 1.2527, 1.2853, 1.3064 for `K = 3..=6` and tend to `sqrt(2)`). The factor `N^alpha` of
//! the generalised cross-entropy is never needed: the best constant found is the same for every `K`,
//! `max(2^(1+alpha) (1-alpha), alpha / (1 - 2^-alpha))` in place of `2 N^alpha`.

mod cheapest;
mod compass;
mod exact;
mod grid;
mod proof;
mod search;
mod sum_sq;
#[cfg(test)]
mod transform;
mod witness;

#[cfg(test)]
pub(crate) use cheapest::cheapest;
pub use cheapest::cheapest_scores;
pub use grid::{GridCheck, check_grid};
use proof::PowerLaw;
pub use proof::{ProvedBound, proved};
pub use search::{CalibrationEffort, CalibrationReport, search};
pub use witness::{SquaredSurrogate, Witness, witness};

use super::TheoryError;
use super::loss::SurrogateId;

/// The most actions the searches accept: they are meant for small `K`.
pub(crate) const MAX_ACTIONS: usize = 12;

fn check_actions(k: usize) -> Result<(), TheoryError> {
    if (2..=MAX_ACTIONS).contains(&k) {
        Ok(())
    } else {
        Err(TheoryError::out_of_range("k", k as f64, "a number of actions in 2..=12"))
    }
}

/// The least upper bound of `zero-one gap / Gamma(surrogate gap)` for the stated `Gamma`, where a
/// sharp bound is proved; `None` otherwise.
pub(crate) fn sharp_supremum(id: SurrogateId, k: usize) -> Option<f64> {
    let bound = proved(id, k);
    let times = bound.constant / PowerLaw::stated(id, k).constant;
    bound.sharp.then(|| if bound.exponent == 1 { times } else { times.sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_speak_of_the_stated_functions() {
        for (alpha, tau) in [(0.3, 0.5), (1.0, 2.0)] {
            for id in SurrogateId::all(alpha, tau).unwrap() {
                for k in 2..=6 {
                    let (proof, stated) = (proved(id, k), PowerLaw::stated(id, k));
                    assert_eq!(proof.exponent, stated.exponent, "{id}");
                    let same = (proof.constant / stated.constant - 1.0).abs() < 1e-12;
                    assert_eq!(proof.as_stated, same, "{id} {k}");
                    assert!(sharp_supremum(id, k).is_none_or(|sup| sup >= 1.0 - 1e-12), "{id}");
                    if proof.as_stated && proof.sharp {
                        assert!((sharp_supremum(id, k).unwrap() - 1.0).abs() < 1e-12, "{id}");
                    }
                    let refuted = witness(id, k).unwrap().is_some();
                    assert_eq!(refuted, !proof.as_stated, "{id} {k}");
                }
            }
        }
        assert!((sharp_supremum(SurrogateId::SumSq, 6).unwrap() - 2f64.sqrt()).abs() < 1e-15);
    }
}

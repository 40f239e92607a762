//! One input, actions that come and go: can one score vector serve every active set?
//!
//! At one input every action has a score `s_a`, whoever else is there. A mixture says how often each
//! active set `A` occurs. A learner with one score vector `v` per input pays
//!
//! ```text
//! F(v) = sum_A w_A C_A(v restricted to A, centred where the surrogate asks for it)
//! ```
//!
//! and a surrogate is *availability-consistent* when, whatever `s` and `w` are, minimising `F` puts
//! the best active action on top in every set. It is if `F` can reach the sum of the pointwise
//! infima: then every minimising sequence has a calibration gap going to zero in every set, and a
//! calibrated loss puts the best action of that set on top. Three of the ten have no such vector; what happens
//! then is computed by [`optimum`] for the two squared ones.
//!
//! | surrogate | vector that serves all sets | consistent |
//! |---|---|---|
//! | comp_exp, sum_exp | `log(s) / 2` | yes |
//! | comp_log | `log s` | yes |
//! | comp_gce | `log(s) / (1 - alpha)` | yes |
//! | comp_mae | `lambda log s`, `lambda` to infinity | yes, in the limit |
//! | sum_tau | ranks, `tau` apart | yes (not convex) |
//! | cstnd_tau | a tower `v_r = N (v_{r-1} + tau)` | yes with scores of size `N^N tau` (not convex) |
//! | sum_sq | none | no; yes if experts come and go independently |
//! | cstnd_sq | none | no |
//! | cstnd_hinge | none | no |
//!
//! # Why sum_sq survives independence
//! Its mixture is `sum_{a,b} m_ab s_a [1 - (v_a - v_b)]_+^2` with `m_ab` the weight of the sets that
//! hold both. If availabilities are independent, `m_ab = alpha_a alpha_b`, and after dividing the
//! stationarity of `a` by `alpha_a` every action meets the others with the same weights. Let
//! `s_a > s_b` and suppose `v_a <= v_b`: each pull on `a` away from a third action is then at most the
//! one on `b`, and between the two the pull is strictly towards `a` on top, so both cannot be in
//! balance. When an expert is there only together with another one, the weights differ and the
//! argument, and the property, are gone.

mod quadratic;

pub use quadratic::{Optimum, optimum};

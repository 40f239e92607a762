//! The constants inside the proofs (App. C, F.1, F.2, F.3), each beside the best possible one.

use super::out_of_range;
use serde::Serialize;
use theory::TheoryError;

/// A constant as the paper has it, and the smallest (or largest) one that is true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Constant {
    /// What the paper proves.
    pub(crate) paper: f64,
    /// What is attained or approached, so that nothing better can be proved.
    pub(crate) exact: f64,
}

/// Radius that lets the class reach a hinge minimiser at one input (App. C).
///
/// # Formula
/// `sqrt(K (K - m) / m) / |x~|` for `m` actions that tie for `y_max`; the paper takes `m = 1`, for
/// which the two agree.
pub(crate) fn radius_at(k: usize, ties: usize, x_norm: f64) -> Result<Constant, TheoryError> {
    check_actions(k)?;
    if ties == 0 || ties > k {
        return Err(out_of_range("ties", ties as f64, "between 1 and K ties"));
    }
    if !(x_norm >= 1.0 && x_norm.is_finite()) {
        return Err(out_of_range("x_norm", x_norm, "at least 1, the bias input"));
    }
    let (kf, m) = (k as f64, ties as f64);
    Ok(Constant {
        paper: (kf * (kf - 1.0)).sqrt() / x_norm,
        exact: (kf * (kf - m) / m).sqrt() / x_norm,
    })
}

/// Radius that is enough for every input and every active set (App. C): the paper takes `N`; the
/// worst input is `x = 0` with everybody available, where `sqrt(N (N - 1))` is needed and enough.
pub(crate) fn sufficient_radius(actions: usize) -> Result<Constant, TheoryError> {
    Ok(Constant { paper: actions as f64, exact: radius_at(actions, 1, 1.0)?.exact })
}

/// Largest `|Pi G|^2` of a hinge subgradient at any one target (Lem. F.1).
///
/// # Formula
/// `G` has rows `alpha_i x~` with `alpha` in `[0, 1]^K` and `alpha_target = 0`, so that
/// `|Pi G|^2 = (sum alpha^2 - (sum alpha)^2 / K) |x~|^2`: convex in `alpha`, largest at a vertex
/// with `m` ones, `m (K - m) / K`. The paper bounds it by `K / 4`; over integers it is
/// `floor(K/2) ceil(K/2) / K`. Since `floor(K/2) <= K - 1` the target costs nothing, and every
/// target reaches the same value. (The proofs of Thm. 6.3 and 6.5 then use `K rho^2`.)
#[cfg(test)]
pub(crate) fn gradient_norm2(k: usize, rho: f64) -> Result<Constant, TheoryError> {
    check_actions(k)?;
    check_rho(rho)?;
    let rho2 = rho * rho;
    Ok(Constant { paper: k as f64 * rho2 / 4.0, exact: spread(k, k / 2) * rho2 })
}

/// `m (K - m) / K`: squared length of `m` ones among `K` entries after centring.
fn spread(k: usize, m: usize) -> f64 {
    (m * (k - m)) as f64 / k as f64
}

/// Least calibration slack `delta(u)` when the greedy action is not `y_max` (Lem. F.2).
///
/// # Formula
/// The paper proves `1/4` for `K >= 3`, `nu <= 1/4`; its own chain of inequalities is tight one
/// step earlier, at `(1 - 2 nu)(K - 2) / 2` times the mass `S >= 1`: take `s = (1 - nu, nu, 0..)`
/// and the two actions tied at `u = K/2 - 1`, the rest at `-1`. The lemma as printed asks for
/// non-negative scores only; without `S >= 1` the slack has no positive lower bound.
#[cfg(test)]
pub(crate) fn calibration_slack(k: usize, nu: f64, mass: f64) -> Result<Constant, TheoryError> {
    if k < 3 {
        return Err(out_of_range("K", k as f64, "at least 3 actions"));
    }
    check_nu(nu)?;
    if !(mass > 0.0 && mass.is_finite()) {
        return Err(out_of_range("S", mass, "a positive mass"));
    }
    Ok(Constant { paper: 0.25, exact: mass * (1.0 - 2.0 * nu) * (k - 2) as f64 / 2.0 })
}

/// Largest `E |Pi G^|^2` of the importance-weighted gradient (Eq. in F.1, first part of F.3).
///
/// # Formula
/// With `n` classes, `K - n` experts and target `a` weighted `s_a / q_a`, the sum is largest when
/// all label mass sits on a class that is not greedy, every expert is free of cost and none is
/// greedy: `(1 + K - n) K / gamma`. At the canonical margin vector every other score is on the
/// kink, so each target can have its longest subgradient: in all
/// `floor(K/2) ceil(K/2) (1 + K - n) rho^2 / gamma` against the paper's `K^3 rho^2 / gamma`.
pub(crate) fn second_moment(
    classes: usize,
    k: usize,
    gamma: f64,
    rho: f64,
) -> Result<Constant, TheoryError> {
    check_importance_weighted(classes, k)?;
    check_gamma(gamma)?;
    check_rho(rho)?;
    let (kf, weight) = (k as f64, (1 + k - classes) as f64);
    let rho2 = rho * rho;
    Ok(Constant {
        paper: kf * kf * kf * rho2 / gamma,
        exact: spread(k, k / 2) * weight * kf * rho2 / gamma,
    })
}

/// The same for the subgradient this project (and the usual code) takes, with coefficient 0 on the
/// kink: then one set `H = {a : u_a > -1}` serves all targets, and a target has `|H|` ones, or one
/// less if it belongs to `H` itself.
#[cfg(test)]
pub(crate) fn second_moment_kink_zero(
    classes: usize,
    k: usize,
    gamma: f64,
    rho: f64,
) -> Result<Constant, TheoryError> {
    let paper = second_moment(classes, k, gamma, rho)?.paper;
    let held = 1 + k - classes;
    let greedy_weight = 1.0 / (1.0 - gamma + gamma / k as f64);
    let other_weight = k as f64 / gamma;
    let mut best = 0.0f64;
    for h in 1..=k {
        let inside = spread(k, h - 1);
        let outside = spread(k, h);
        // `within` of the actions with mass lie in H; the greedy one always does.
        for within in h.saturating_sub(classes - 1)..=h.min(held) {
            let away = (held - within) as f64 * outside * other_weight;
            let idle_greedy = within as f64 * inside * other_weight;
            if within < h {
                best = best.max(away + idle_greedy);
            }
            if within >= 1 {
                let near = (within - 1) as f64 * inside * other_weight;
                best = best.max(away + near + inside * greedy_weight);
            }
        }
    }
    Ok(Constant { paper, exact: best * rho * rho })
}

/// Largest `E |Pi G^|^2` when the greedy action is `y_max` and holds `1 - nu` of the mass (second
/// part of Lem. F.3).
///
/// # Formula
/// `y_max` must be a class: an expert would leave the classes' unit mass outside. An expert counts
/// with `E (1 - c)^2`, which is its score only if `1 - c` is 0 or 1, so its score is best earned on
/// the labels other than `y_max`. With mass `e` on those and `m = K - n` experts that are right on
/// them and wrong on `y_max`, the condition `e + m e <= nu (1 + m e)` gives
/// ```text
/// e = nu / (1 + m (1 - nu)),   sup = floor(K/2) ceil(K/2) / K * rho^2
///                                    * ((1 - e) / q(y_max) + (1 + m) e K / gamma)
/// ```
/// (the objective is convex in `e` below that value and decreasing above it). The paper has
/// `2 K^2 rho^2 + nu K^3 rho^2 / gamma`.
pub(crate) fn second_moment_concentrated(
    classes: usize,
    k: usize,
    gamma: f64,
    nu: f64,
    rho: f64,
) -> Result<Constant, TheoryError> {
    check_importance_weighted(classes, k)?;
    check_gamma(gamma)?;
    check_nu(nu)?;
    check_rho(rho)?;
    let kf = k as f64;
    let greedy_weight = 1.0 / (1.0 - gamma + gamma / kf);
    let other_weight = kf / gamma;
    let experts = (k - classes) as f64;
    let e = nu / (1.0 + experts * (1.0 - nu));
    let sum = (1.0 - e) * greedy_weight + (1.0 + experts) * e * other_weight;
    let rho2 = rho * rho;
    Ok(Constant {
        paper: 2.0 * kf * kf * rho2 + nu * kf * kf * kf * rho2 / gamma,
        exact: spread(k, k / 2) * sum * rho2,
    })
}

fn check_actions(k: usize) -> Result<(), TheoryError> {
    if k >= 2 { Ok(()) } else { Err(out_of_range("K", k as f64, "at least 2 actions")) }
}

/// Two actions alone reveal the label and are not importance-weighted.
fn check_importance_weighted(classes: usize, k: usize) -> Result<(), TheoryError> {
    if classes < 2 || classes > k {
        return Err(out_of_range("n", classes as f64, "between 2 and K classes"));
    }
    if k < 3 {
        return Err(out_of_range("K", k as f64, "at least 3 actions"));
    }
    Ok(())
}

fn check_gamma(gamma: f64) -> Result<(), TheoryError> {
    if gamma > 0.0 && gamma <= 1.0 {
        Ok(())
    } else {
        Err(out_of_range("gamma", gamma, "an exploration rate in (0, 1]"))
    }
}

fn check_nu(nu: f64) -> Result<(), TheoryError> {
    if (0.0..=0.25).contains(&nu) {
        Ok(())
    } else {
        Err(out_of_range("nu", nu, "T^{-1/2} with T >= 16, so at most 1/4"))
    }
}

fn check_rho(rho: f64) -> Result<(), TheoryError> {
    if rho >= 1.0 && rho.is_finite() {
        Ok(())
    } else {
        Err(out_of_range("rho", rho, "a number of at least 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(constant: Constant, paper: f64, exact: f64) {
        let off = |x: f64, y: f64| (x - y).abs() > 1e-14 * y.abs();
        assert!(!off(constant.paper, paper) && !off(constant.exact, exact), "{constant:?}");
    }

    #[test]
    fn the_radius_at_one_input_shrinks_with_ties_and_with_the_norm() {
        // K = 5, |x~| = 2: the margin vector (4, -1, ..), or (3/2, 3/2, -1, -1, -1) for two ties.
        close(radius_at(5, 1, 2.0).unwrap(), 20f64.sqrt() / 2.0, 20f64.sqrt() / 2.0);
        close(radius_at(5, 2, 2.0).unwrap(), 20f64.sqrt() / 2.0, 7.5f64.sqrt() / 2.0);
        // When all tie, the zero vector is as good as any.
        assert_eq!(radius_at(5, 5, 2.0).unwrap().exact, 0.0);
        assert!(radius_at(5, 6, 2.0).is_err() && radius_at(5, 0, 2.0).is_err());
    }

    #[test]
    fn second_moments_by_hand() {
        // n = 3, K = 5, gamma = 1/2, rho = 3: floor(K/2) ceil(K/2) / K = 6/5, and a factor of
        // (1 + K - n) K / gamma = 30.
        close(second_moment(3, 5, 0.5, 3.0).unwrap(), 125.0 * 9.0 / 0.5, 1.2 * 30.0 * 9.0);
        // nu = 1/8: e = 1/8 / (1 + 2 * 7/8) = 1/22, q(y_max) = 1/2 + 1/10, so that the factor is
        // (21/22) / (6/10) + 3 * (1/22) * 10 = 65/22.
        let concentrated = second_moment_concentrated(3, 5, 0.5, 0.125, 3.0).unwrap();
        let paper = 2.0 * 25.0 * 9.0 + 0.125 * 125.0 * 9.0 / 0.5;
        close(concentrated, paper, 1.2 * 65.0 / 22.0 * 9.0);
    }

    #[test]
    fn second_moments_grow_with_the_square_of_rho() {
        let one = second_moment_kink_zero(3, 5, 0.5, 1.0).unwrap();
        close(second_moment_kink_zero(3, 5, 0.5, 3.0).unwrap(), 9.0 * one.paper, 9.0 * one.exact);
    }

    #[test]
    fn masses_and_norms_must_be_positive_and_finite() {
        for mass in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let message = calibration_slack(3, 0.25, mass).unwrap_err().to_string();
            assert!(message.starts_with("S = "), "{message}");
        }
        for rho in [0.5, f64::INFINITY, f64::NAN] {
            let message = gradient_norm2(3, rho).unwrap_err().to_string();
            assert!(message.starts_with("rho = "), "{message}");
        }
        assert!(gradient_norm2(3, 1.0).is_ok());
    }
}

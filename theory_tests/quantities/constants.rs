//! The best constants of the proofs, against brute force over the objects they speak of.

use super::super::constants;
use super::super::risk::exploration_mixture;
use proptest::prelude::*;

/// `|Pi alpha|^2`, by centring.
fn projected_norm2(alpha: &[f64]) -> f64 {
    let mean = alpha.iter().sum::<f64>() / alpha.len() as f64;
    alpha.iter().map(|a| (a - mean) * (a - mean)).sum()
}

fn has(set: usize, a: usize) -> bool {
    set >> a & 1 == 1
}

/// Coefficients of the hinge subgradient at `target` when exactly `set` is above the kink.
fn coefficients(k: usize, set: usize, target: usize) -> Vec<f64> {
    (0..k).map(|i| f64::from(u8::from(i != target && has(set, i)))).collect()
}

fn close(x: f64, y: f64) {
    assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{x} {y}");
}

#[test]
fn gradient_norm_is_reached_by_every_target_and_not_exceeded() {
    for k in 2..=8 {
        let constant = constants::gradient_norm2(k, 1.5).unwrap();
        for target in 0..k {
            // Every non-empty set can be what is above the kink of some zero-sum vector.
            let largest = (1..1usize << k)
                .map(|set| projected_norm2(&coefficients(k, set, target)))
                .fold(0.0, f64::max);
            close(largest * 2.25, constant.exact);
        }
        assert!(constant.exact <= constant.paper);
        assert_eq!(constant.exact == constant.paper, k % 2 == 0);
    }
}

/// `E |Pi G^|^2` from its definition: over labels, over actions, with `norm2[a]` the squared length
/// of the gradient at target `a`, and `right[j][y] = 1 - c_j(y)`.
fn second_moment(p: &[f64], right: &[Vec<f64>], q: &[f64], norm2: &[f64]) -> f64 {
    let n = p.len();
    let mut sum = 0.0;
    for (y, p_y) in p.iter().enumerate() {
        for (a, q_a) in q.iter().enumerate() {
            let weight = match a {
                _ if a == y => 1.0 / q_a,
                _ if a < n => 0.0,
                _ => right[a - n][y] / q_a,
            };
            sum += p_y * q_a * weight * weight * norm2[a];
        }
    }
    sum
}

/// Longest gradient at each target when `forced` is above the kink and the rest is on it.
fn longest(k: usize, forced: usize) -> Vec<f64> {
    let sets = || (0..1usize << k).filter(|set| set & forced == forced);
    (0..k)
        .map(|a| sets().map(|s| projected_norm2(&coefficients(k, s, a))).fold(0.0, f64::max))
        .collect()
}

#[test]
fn second_moments_are_reached_and_not_exceeded() {
    for (n, k) in [(2, 3), (3, 3), (2, 4), (3, 4), (2, 5), (4, 5)] {
        for gamma in [0.1, 0.5, 1.0] {
            let (mut any, mut kink_zero) = (0.0f64, 0.0f64);
            for greedy in 0..k {
                let q = exploration_mixture(k, greedy, gamma);
                for set in (1..1usize << k).filter(|&set| has(set, greedy)) {
                    let zero: Vec<f64> =
                        (0..k).map(|a| projected_norm2(&coefficients(k, set, a))).collect();
                    let free = longest(k, set);
                    // Linear in the label law and convex in the costs: vertices are enough.
                    for y in 0..n {
                        let p: Vec<f64> = (0..n).map(|c| f64::from(u8::from(c == y))).collect();
                        let right = vec![vec![1.0; n]; k - n];
                        any = any.max(second_moment(&p, &right, &q, &free));
                        kink_zero = kink_zero.max(second_moment(&p, &right, &q, &zero));
                    }
                }
            }
            let constant = constants::second_moment(n, k, gamma, 1.0).unwrap();
            close(any, constant.exact);
            assert!(constant.exact <= constant.paper / 3.0);
            close(kink_zero, constants::second_moment_kink_zero(n, k, gamma, 1.0).unwrap().exact);
        }
    }
}

#[test]
fn concentrated_second_moment_is_reached() {
    for (n, k, gamma, nu) in [(2, 5, 0.25, 0.25), (3, 3, 0.5, 0.125), (2, 3, 0.125, 0.0625)] {
        let experts = k - n;
        let e = nu / (1.0 + experts as f64 * (1.0 - nu));
        let mut p = vec![0.0; n];
        (p[0], p[1]) = (1.0 - e, e);
        let mut only_rare = vec![1.0; n];
        only_rare[0] = 0.0;
        let value = second_moment(
            &p,
            &vec![only_rare; experts],
            &exploration_mixture(k, 0, gamma),
            &longest(k, 1),
        );
        let constant = constants::second_moment_concentrated(n, k, gamma, nu, 1.0).unwrap();
        close(value, constant.exact);
        assert!(constant.exact < constant.paper);
    }
}

/// `C(u) - C* - (s_max - s_r)` with the greedy action `r` (Lem. F.2).
fn slack(s: &[f64], u: &[f64], best: usize, greedy: usize) -> f64 {
    let mass: f64 = s.iter().sum();
    let risk: f64 = s.iter().zip(u).map(|(s, u)| (mass - s) * (1.0 + u).max(0.0)).sum();
    risk - s.len() as f64 * (mass - s[best]) - (s[best] - s[greedy])
}

#[test]
fn slack_is_reached_by_a_tie_and_needs_the_mass() {
    for k in 3..8 {
        for nu in [0.25, 0.125, 0.0] {
            let mut s = vec![0.0; k];
            (s[0], s[1]) = (nu, 1.0 - nu);
            let mut u = vec![-1.0; k];
            (u[0], u[1]) = (k as f64 / 2.0 - 1.0, k as f64 / 2.0 - 1.0);
            let constant = constants::calibration_slack(k, nu, 1.0).unwrap();
            close(slack(&s, &u, 1, 0), constant.exact);
            assert!(constant.exact >= constant.paper);
            // The printed lemma has no condition on the mass: a tenth of it is a counterexample.
            let thin: Vec<f64> = s.iter().map(|s| s / 10.0).collect();
            if k == 3 {
                assert!(slack(&thin, &u, 1, 0) < 0.25);
            }
        }
    }
}

#[test]
fn radius_is_what_the_canonical_vector_needs() {
    for k in 2..9 {
        let mut v = vec![-1.0; k];
        v[k / 2] = (k - 1) as f64;
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let constant = constants::sufficient_radius(k).unwrap();
        close(length, constant.exact);
        assert!(constant.exact < constant.paper);
        close(constants::radius_at(k, 1, 2.0).unwrap().exact, length / 2.0);
    }
}

#[test]
fn bad_arguments_are_named() {
    let check = |message: String, field: &str| assert!(message.starts_with(field), "{message}");
    check(constants::gradient_norm2(1, 1.0).unwrap_err().to_string(), "K = 1");
    check(constants::gradient_norm2(3, f64::NAN).unwrap_err().to_string(), "rho");
    check(constants::calibration_slack(2, 0.1, 1.0).unwrap_err().to_string(), "K = 2");
    check(constants::calibration_slack(3, 0.3, 1.0).unwrap_err().to_string(), "nu = 0.3");
    check(constants::second_moment(4, 3, 0.5, 1.0).unwrap_err().to_string(), "n = 4");
    check(constants::second_moment(2, 3, 0.0, 1.0).unwrap_err().to_string(), "gamma = 0");
    check(constants::radius_at(3, 4, 1.0).unwrap_err().to_string(), "ties = 4");
    check(constants::radius_at(3, 1, 0.5).unwrap_err().to_string(), "x_norm = 0.5");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn slack_is_never_below(
        k in 3usize..7, rest in prop::collection::vec(0.0f64..1.0, 6), nu in 0.0f64..0.25,
        u in prop::collection::vec(-3.0f64..3.0, 6), thin in 0.0f64..1.0, tie in any::<bool>(),
    ) {
        // y_max is action 0 and holds at least 1 - nu of a unit mass.
        let total: f64 = rest[..k - 1].iter().sum::<f64>().max(1e-9);
        let mut s: Vec<f64> = vec![1.0 - nu * thin];
        s.extend(rest[..k - 1].iter().map(|r| r / total * nu * thin));
        let mut u = u[..k].to_vec();
        let greedy = (1..k).fold(1, |best, a| if u[a] > u[best] { a } else { best });
        u[0] = if tie { u[greedy] } else { u[0].min(u[greedy]) };
        let mean = u.iter().sum::<f64>() / k as f64;
        u.iter_mut().for_each(|v| *v -= mean);
        let least = constants::calibration_slack(k, nu, 1.0).unwrap().exact;
        prop_assert!(slack(&s, &u, 0, greedy) >= least - 1e-9);
    }

    #[test]
    fn concentrated_second_moment_is_never_exceeded(
        (n, k) in prop_oneof![Just((2, 3)), Just((2, 4)), Just((3, 3)), Just((3, 5))],
        gamma in 0.01f64..0.5, rare in 0.0f64..0.07, share in 0.0f64..=1.0,
        right in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0], 6),
        common in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..0.04], 2),
    ) {
        let mut p = vec![1.0 - rare, rare];
        if n == 3 {
            p[1] = rare * share;
            p.push(rare - p[1]);
        }
        let mut answers: Vec<Vec<f64>> = Vec::new();
        for j in 0..k - n {
            let mut row = right[3 * j..3 * j + n].to_vec();
            row[0] = common[j];
            answers.push(row);
        }
        let scores = answers.iter().map(|row| row.iter().zip(&p).map(|(r, p)| r * p).sum::<f64>());
        // The concentration these scores have is the nu the bound must hold for.
        let nu = 1.0 - p[0] / (1.0 + scores.sum::<f64>());
        let value = second_moment(&p, &answers, &exploration_mixture(k, 0, gamma), &longest(k, 1));
        let most = constants::second_moment_concentrated(n, k, gamma, nu, 1.0).unwrap().exact;
        prop_assert!(value <= most * (1.0 + 1e-12), "{value} {most} {nu}");
    }
}

//! Least conditional risk of the sum squared hinge, by Newton's method with a dual certificate.
//!
//! ```text
//! min_u  f(u) = sum_{a != b} s_a [1 - (u_a - u_b)]_+^2
//! max_l  sum_{a != b} l_ab - l_ab^2 / (4 s_a)
//!        subject to l >= 0 and sum_b l_ab = sum_b l_ba for every a     (a circulation)
//! ```
//! At the optimum `l_ab = 2 s_a [1 - (u_a - u_b)]_+`, and the gradient of `f` is what that flow is
//! out of balance by: at any `u`, the dual value less the price of the imbalance is a true lower
//! bound.

use super::{PointwiseMinimum, centred};
use crate::prec;

/// Five or so steps are usual; a result that needed all of these shows it in its gap.
const MAX_STEPS: usize = 200;

/// Of a step that overshoots: what is left is a rounding of the whole step.
const HALVINGS: usize = 64;

/// Infimum, minimiser and certificate for non-negative weights `s`.
pub(super) fn minimize(s: &[f64]) -> PointwiseMinimum {
    // An action without weight only appears as a rival: one unit below everybody it costs nothing.
    let mut held: Vec<usize> = (0..s.len()).filter(|&a| s[a] > 0.0).collect();
    // Heaviest first: Newton's step pins the first score, and every other action is tied to the
    // heaviest at least as firmly as its own weight.
    held.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
    let weight: Vec<f64> = held.iter().map(|&a| s[a]).collect();
    let core = newton(&weight, vec![0.0; weight.len()]);
    let value = primal(&weight, &core);
    let gap = match value - dual_bound(&weight, &core) {
        gap if gap.is_nan() => f64::INFINITY,
        gap => gap.max(0.0),
    };
    let floor = core.iter().copied().fold(f64::INFINITY, f64::min) - 1.0;
    let mut u = vec![floor; s.len()];
    for (&a, &value) in held.iter().zip(&core) {
        u[a] = value;
    }
    PointwiseMinimum { value, minimizer: Some(centred(u)), gap }
}

fn slack(u: &[f64], a: usize, b: usize) -> f64 {
    (1.0 - (u[a] - u[b])).max(0.0)
}

fn primal(s: &[f64], u: &[f64]) -> f64 {
    let mut sum = 0.0;
    for a in 0..s.len() {
        for b in (0..s.len()).filter(|&b| b != a) {
            sum += s[a] * slack(u, a, b) * slack(u, a, b);
        }
    }
    sum
}

/// `l_ab`, row-major.
fn flow(s: &[f64], u: &[f64]) -> Vec<f64> {
    let k = s.len();
    let mut flow = vec![0.0; k * k];
    for a in 0..k {
        for b in (0..k).filter(|&b| b != a) {
            flow[a * k + b] = 2.0 * s[a] * slack(u, a, b);
        }
    }
    flow
}

/// `sum_b l_ab - l_ba` for every `a`: minus the gradient of `f`.
fn imbalance(flow: &[f64], k: usize) -> Vec<f64> {
    (0..k).map(|a| (0..k).map(|b| flow[a * k + b] - flow[b * k + a]).sum()).collect()
}

/// Newton's method with an exact line search, from the scores `u`. `f` is quadratic where the set of active pairs stays
/// the same, and there one whole step lands on the minimum.
fn newton(s: &[f64], mut u: Vec<f64>) -> Vec<f64> {
    let k = s.len();
    let mass: f64 = s.iter().sum();
    for _ in 0..MAX_STEPS {
        let flow = flow(s, &u);
        let descent = imbalance(&flow, k);
        if (0..k).all(|a| is_settled(a, &flow, &descent, mass)) {
            break;
        }
        let step = solve_laplacian(s, &u, &descent);
        let at = |t: f64| u.iter().zip(&step).map(|(u, p)| u + t * p).collect::<Vec<f64>>();
        let overshoots = |t: f64| {
            let descent = imbalance(&self::flow(s, &at(t)), k);
            descent.iter().zip(&step).map(|(d, p)| d * p).sum::<f64>() < 0.0
        };
        u = at(step_length(overshoots));
    }
    u
}

/// Judged action by action: what unsettles an action of weight 1e-9 is lost in the sum.
fn is_settled(a: usize, flow: &[f64], descent: &[f64], mass: f64) -> bool {
    let k = descent.len();
    let through: f64 = (0..k).map(|b| flow[a * k + b] + flow[b * k + a]).sum();
    descent[a].abs() <= prec::FLOW_BALANCE * through + prec::FLOW_NOISE * mass
}

/// The share of a step after which it would lead up again, at most the whole step.
fn step_length(overshoots: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    if overshoots(1.0) {
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if overshoots(middle) { high = middle } else { low = middle }
        }
    }
    high
}

/// Newton step: `H p = descent` with `p_0 = 0`, `H` the Hessian, a weighted graph Laplacian.
/// Every pair has an active side, so the graph is complete and the rest positive definite.
fn solve_laplacian(s: &[f64], u: &[f64], descent: &[f64]) -> Vec<f64> {
    let k = s.len();
    let m = k - 1;
    let mut h = vec![0.0; m * m];
    let curved = |a: usize, b: usize| if slack(u, a, b) > 0.0 { s[a] } else { 0.0 };
    for a in 0..k {
        for b in 0..a {
            let edge = 2.0 * (curved(a, b) + curved(b, a));
            h[(a - 1) * m + (a - 1)] += edge;
            if b > 0 {
                h[(b - 1) * m + (b - 1)] += edge;
                h[(a - 1) * m + (b - 1)] -= edge;
                h[(b - 1) * m + (a - 1)] -= edge;
            }
        }
    }
    let mut p = descent[1..].to_vec();
    eliminate(&mut h, &mut p);
    p.insert(0, 0.0);
    p
}

/// Gaussian elimination without pivoting: safe for a diagonally dominant matrix.
fn eliminate(h: &mut [f64], p: &mut [f64]) {
    let m = p.len();
    for i in 0..m {
        for j in i + 1..m {
            let factor = h[j * m + i] / h[i * m + i];
            for c in i..m {
                h[j * m + c] -= factor * h[i * m + c];
            }
            p[j] -= factor * p[i];
        }
    }
    for i in (0..m).rev() {
        let known: f64 = (i + 1..m).map(|c| h[i * m + c] * p[c]).sum();
        p[i] = (p[i] - known) / h[i * m + i];
    }
}

/// A lower bound on the minimum, from the flow `l` at `u` with its imbalance `e`.
///
/// For every `v`, `f(v) >= sum_{a != b} l_ab - l_ab^2 / (4 s_a) - sum_a e_a v_a`. A minimiser has
/// no gap above 1 between neighbouring scores (closing it would cost less), so its scores spread
/// over at most `K - 1`, and as `e` sums to zero the last sum is at most `|e|_1 (K - 1) / 2`.
fn dual_bound(s: &[f64], u: &[f64]) -> f64 {
    let k = s.len();
    let l = flow(s, u);
    let mut sum = 0.0;
    for a in 0..k {
        for b in (0..k).filter(|&b| b != a) {
            // l - l^2 / (4 s_a) with l = 2 s_a slack.
            sum += l[a * k + b] * (1.0 - slack(u, a, b) / 2.0);
        }
    }
    let out_of_balance: f64 = imbalance(&l, k).iter().map(|e| e.abs()).sum();
    sum - out_of_balance * (k - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_actions_have_a_closed_form() {
        // s_a (1-d)^2 + s_b (1+d)^2 is least at d = (s_a - s_b) / S, with value 4 s_a s_b / S.
        for (a, b) in [(0.75, 0.25), (1.0, 1e-9), (0.5, 0.5), (1.0, 1e-200)] {
            let best = minimize(&[a, b]);
            let u = best.minimizer.unwrap();
            assert!((best.value - 4.0 * a * b / (a + b)).abs() < 1e-15);
            assert!((u[0] - u[1] - (a - b) / (a + b)).abs() < 1e-15);
            assert!(best.gap < 2e-15, "{}", best.gap);
        }
    }

    #[test]
    fn the_certificate_notices_a_wrong_minimiser() {
        let s = [0.5, 0.3, 0.2];
        let right = newton(&s, vec![0.0; 3]);
        let wrong = [right[0] + 0.1, right[1], right[2]];
        let best = primal(&s, &right);
        let (good, bad) = (dual_bound(&s, &right), dual_bound(&s, &wrong));
        assert!((best - good).abs() < 1e-14 && bad <= best, "{good} {bad}");
        assert!(primal(&s, &wrong) - bad >= primal(&s, &wrong) - best && best - bad > 1e-4);
    }

    #[test]
    fn spread_out_weights_need_the_active_set() {
        // Here u_0 - u_3 > 1 at the optimum: the all-active linear system would be wrong.
        let s = [1.0, 0.1, 0.01, 0.001];
        let best = minimize(&s);
        let u = best.minimizer.unwrap();
        assert!(u[0] - u[3] > 1.0, "{u:?}");
        assert!(best.gap < 1e-14, "{}", best.gap);
        for a in 0..4 {
            for step in [1e-3, -1e-3] {
                let mut moved = u.clone();
                moved[a] += step;
                assert!(primal(&s, &moved) > best.value);
            }
        }
    }

    #[test]
    fn the_minimiser_does_not_depend_on_the_start() {
        let from = |s: &[f64], start: &[f64]| centred(newton(s, start.to_vec()));
        // Whole steps would go back and forth between differences of 1 and -1 for ever.
        let u = from(&[0.75, 0.25], &[3.0, 0.0]);
        assert!((u[0] - 0.25).abs() < 1e-14 && (u[1] + 0.25).abs() < 1e-14, "{u:?}");
        let s = [0.9, 0.3, 0.05, 0.001];
        let best = from(&s, &[0.0; 4]);
        for start in [[3.0, 0.0, 1.0, -2.0], [-2.0, 5.0, 0.5, 4.0], [0.0, 1.0, 2.0, 3.0]] {
            let u = from(&s, &start);
            assert!(u.iter().zip(&best).all(|(u, v)| (u - v).abs() < 1e-12), "{u:?} {best:?}");
        }
    }

    #[test]
    fn a_whole_step_that_lands_on_the_minimum_is_taken() {
        // All numbers are dyadic: the difference is (3/4 - 1/4) / 1 to the last bit.
        assert_eq!(newton(&[0.75, 0.25], vec![0.0; 2]), [0.0, -0.5]);
    }

    #[test]
    fn newtons_step_takes_away_the_imbalance_in_proportion() {
        // As long as no pair changes sides the imbalance is linear: a share t of the step leaves
        // 1 - t of it.
        let (s, u) = ([1.0, 0.5, 0.25, 0.1], [0.7, 0.25, -0.25, -0.9]);
        let descent = imbalance(&flow(&s, &u), 4);
        let step = solve_laplacian(&s, &u, &descent);
        let moved: Vec<f64> = u.iter().zip(&step).map(|(u, p)| u + 1e-3 * p).collect();
        let left = imbalance(&flow(&s, &moved), 4);
        for (left, before) in left.iter().zip(&descent) {
            assert!((left - 0.999 * before).abs() < 1e-14, "{left} {before}");
        }
    }

    #[test]
    fn an_action_is_settled_when_its_flow_balances_to_rounding() {
        // Actions 1 and 2 exchange 1 + excess against 1, action 0 stays out of it.
        let settled = |excess: f64, mass: f64| {
            let mut flow = vec![0.0; 9];
            (flow[5], flow[7]) = (1.0 + excess, 1.0);
            is_settled(1, &flow, &imbalance(&flow, 3), mass)
        };
        // 1e-14 of the 2 that pass through.
        assert!(settled(1.8e-14, 0.0) && !settled(2.2e-14, 0.0));
        // And 1e-15 of the mass.
        assert!(settled(2.8e-14, 10.0) && !settled(3.2e-14, 10.0));
    }

    #[test]
    fn a_step_is_cut_where_it_begins_to_overshoot() {
        assert_eq!(step_length(|_| false), 1.0);
        assert!((step_length(|t| t > 0.3) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn the_lower_bound_by_hand() {
        // s = (1, 1), u = (1/4, 0): slacks 3/4 and 5/4, flows 3/2 and 5/2. The dual value is
        // 3/2 (1 - 3/8) + 5/2 (1 - 5/8) = 15/8, the imbalance (-1, 1) costs 2 * (K - 1) / 2 = 1.
        assert_eq!(dual_bound(&[1.0, 1.0], &[0.25, 0.0]), 0.875);
    }

    #[test]
    fn a_value_that_overflows_comes_without_a_certificate() {
        assert_eq!(minimize(&[5e307; 3]).gap, f64::INFINITY);
    }
}

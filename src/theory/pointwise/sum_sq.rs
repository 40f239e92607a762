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

/// Infimum, minimiser and certificate for non-negative weights `s`.
pub(super) fn minimize(s: &[f64]) -> PointwiseMinimum {
    // An action without weight only appears as a rival: one unit below everybody it costs nothing.
    let mut held: Vec<usize> = (0..s.len()).filter(|&a| s[a] > 0.0).collect();
    // Heaviest first: Newton's step pins the first score, and every other action is tied to the
    // heaviest at least as firmly as its own weight.
    held.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
    let weight: Vec<f64> = held.iter().map(|&a| s[a]).collect();
    let core = newton(&weight);
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

/// Newton's method with an exact line search. `f` is quadratic where the set of active pairs stays
/// the same, and there one whole step lands on the minimum.
fn newton(s: &[f64]) -> Vec<f64> {
    let k = s.len();
    let mass: f64 = s.iter().sum();
    let mut u = vec![0.0; k];
    for _ in 0..MAX_STEPS {
        let flow = flow(s, &u);
        let descent = imbalance(&flow, k);
        // Judged action by action: what unsettles an action of weight 1e-9 is lost in the sum.
        let settled = |a: usize| {
            let through: f64 = (0..k).map(|b| flow[a * k + b] + flow[b * k + a]).sum();
            descent[a].abs() <= prec::FLOW_BALANCE * through + prec::FLOW_NOISE * mass
        };
        if (0..k).all(settled) {
            break;
        }
        let step = solve_laplacian(s, &u, &descent);
        let at = |t: f64| u.iter().zip(&step).map(|(u, p)| u + t * p).collect::<Vec<f64>>();
        let overshoots = |t: f64| {
            let descent = imbalance(&self::flow(s, &at(t)), k);
            descent.iter().zip(&step).map(|(d, p)| d * p).sum::<f64>() < 0.0
        };
        let (mut low, mut high) = (0.0, 1.0);
        if overshoots(1.0) {
            for _ in 0..prec::BISECTIONS / 2 {
                let middle = (low + high) / 2.0;
                if overshoots(middle) { high = middle } else { low = middle }
            }
        }
        u = at(high);
    }
    u
}

/// Newton step: `H p = descent` with `p_0 = 0`, `H` the Hessian, a weighted graph Laplacian.
/// Every pair has an active side, so the graph is complete and the rest positive definite.
fn solve_laplacian(s: &[f64], u: &[f64], descent: &[f64]) -> Vec<f64> {
    let k = s.len();
    let m = k - 1;
    let mut h = vec![0.0; m * m];
    for a in 0..k {
        for b in 0..a {
            let ab = if slack(u, a, b) > 0.0 { s[a] } else { 0.0 };
            let ba = if slack(u, b, a) > 0.0 { s[b] } else { 0.0 };
            let edge = 2.0 * (ab + ba);
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
        let right = newton(&s);
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
}

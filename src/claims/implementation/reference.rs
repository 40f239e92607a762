//! What a round of Algorithm 1 must do, written down once more from the formulas.
//!
//! Nothing here comes from the learner: it is the other side of every comparison. Arrays called
//! `u`, `q`, `g` and `targets` are aligned with the active actions.
//!
//! ```text
//! u_a  = <w~_a - mean_{b active} w~_b, (x, 1)>                            Prop. 6.1
//! g_b  = sum_{a != b} target_a 1{1 + u_b > 0},  centred over the active    Sec. 6.1
//! W'   = Pi_B( W - eta_t g (x, 1)^T )                                      Alg. 1
//! ```

use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, SubjectFeedback, SubjectSpec};
use crate::theory::{Parameters, StatedRates};

/// Rows of entries.
pub(crate) type Matrix = Vec<Vec<f64>>;

/// AdaGrad's base rate and the number that keeps it from dividing by zero.
pub(super) const ADAGRAD: (f64, f64) = (0.1, 1e-10);

/// `(eta_t, gamma_t)`.
pub(crate) fn rates(spec: &SubjectSpec, t: u64) -> (f64, f64) {
    let schedule = match (spec.optimizer, spec.schedule) {
        (OptimizerName::Adagrad, _) | (_, ScheduleName::Experiment) => StatedRates::Experiment,
        (_, ScheduleName::General) => StatedRates::General,
        (_, ScheduleName::Concentrated) => StatedRates::Concentrated,
    };
    let (eta, gamma) = Parameters::new(spec.radius, spec.actions(), spec.rho)
        .and_then(|parameters| schedule.rates(parameters, t.max(1)))
        .expect("the checks set subjects up with positive numbers");
    let eta = if spec.optimizer == OptimizerName::Adagrad { ADAGRAD.0 } else { eta };
    let gamma = if spec.feedback == FeedbackKind::Full { 0.0 } else { gamma };
    (eta, gamma)
}

/// `(x, 1)`.
pub(crate) fn augmented(x: &[f64]) -> Vec<f64> {
    x.iter().copied().chain([1.0]).collect()
}

/// Takes the mean away.
pub(crate) fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|v| v - mean).collect()
}

/// Projected scores.
pub(crate) fn scores(w: &Matrix, x: &[f64], active: &[usize]) -> Vec<f64> {
    let x = augmented(x);
    let raw: Vec<f64> =
        active.iter().map(|&a| w[a].iter().zip(&x).map(|(w, x)| w * x).sum()).collect();
    centred(&raw)
}

/// Weights of the exact loss over target actions (Def. 4.3): 1 for the label, `1 - c_j` for each
/// available expert.
pub(crate) fn exact_targets(
    spec: &SubjectSpec,
    active: &[usize],
    label: usize,
    costs: &[f64],
) -> Vec<f64> {
    let target = |&a: &usize| match a.checked_sub(spec.n) {
        None => f64::from(u8::from(a == label)),
        Some(j) => 1.0 - costs[j],
    };
    active.iter().map(target).collect()
}

/// Weights of the loss that the outcome gives: exact under full feedback and when two classes are
/// all there is, importance-weighted otherwise.
pub(crate) fn targets(
    spec: &SubjectSpec,
    active: &[usize],
    q: &[f64],
    outcome: SubjectFeedback<'_>,
) -> Vec<f64> {
    match outcome {
        SubjectFeedback::Full { label, costs } => exact_targets(spec, active, label, costs),
        SubjectFeedback::Bandit { action, correct, .. } if active.len() == 2 => {
            let label = if correct { action } else { 1 - action };
            exact_targets(spec, active, label, &[])
        }
        SubjectFeedback::Bandit { action, correct, cost } => {
            let reward = cost.map_or(f64::from(u8::from(correct)), |cost| 1.0 - cost);
            let weight = |(&a, &q): (&usize, &f64)| if a == action { reward / q } else { 0.0 };
            active.iter().zip(q).map(weight).collect()
        }
    }
}

/// Coefficients of the projected subgradient `g (x, 1)^T`. At the kink the coefficient is 0.
pub(crate) fn coefficients(u: &[f64], targets: &[f64]) -> Vec<f64> {
    let all: f64 = targets.iter().sum();
    let raw: Vec<f64> = u
        .iter()
        .zip(targets)
        .map(|(&u, &own)| if 1.0 + u > 0.0 { all - own } else { 0.0 })
        .collect();
    centred(&raw)
}

/// Whether two numbers are further apart than double precision allows, in units of `scale`.
pub(crate) fn apart(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() > prec::SUBJECT_AGREES * scale
}

/// A difference in units of `scale`; nothing is far from zero where everything is zero.
pub(crate) fn relative(difference: f64, scale: f64) -> f64 {
    if scale > 0.0 { difference.abs() / scale } else { 0.0 }
}

/// `g (x, 1)^T` as a matrix over all actions; rows of inactive actions are zero.
pub(crate) fn gradient(spec: &SubjectSpec, active: &[usize], g: &[f64], x: &[f64]) -> Matrix {
    let x = augmented(x);
    let mut rows = zeros(spec);
    for (&a, &g) in active.iter().zip(g) {
        rows[a] = x.iter().map(|x| g * x).collect();
    }
    rows
}

/// A matrix of the right shape.
pub(crate) fn zeros(spec: &SubjectSpec) -> Matrix {
    vec![vec![0.0; spec.d + 1]; spec.actions()]
}

/// `sum_ij a_ij b_ij`.
pub(crate) fn inner(a: &Matrix, b: &Matrix) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// `|A|_F`.
pub(crate) fn frobenius(a: &Matrix) -> f64 {
    inner(a, a).sqrt()
}

/// `A - B`.
pub(crate) fn minus(a: &Matrix, b: &Matrix) -> Matrix {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a - b).collect();
    a.iter().zip(b).map(row).collect()
}

/// Weights and, for AdaGrad, sums of squared gradients.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// `W_t`.
    pub(crate) w: Matrix,
    /// Sums of squared entries of the projected gradients so far.
    pub(crate) squares: Matrix,
}

impl State {
    /// `W_1 = 0`.
    pub(crate) fn new(spec: &SubjectSpec) -> Self {
        State { w: zeros(spec), squares: zeros(spec) }
    }

    /// Round `t` at input `x`, with its active actions and their `q`: scores, targets, gradient, step.
    pub(crate) fn learn(
        &mut self,
        spec: &SubjectSpec,
        t: u64,
        x: &[f64],
        (active, q): (&[usize], &[f64]),
        outcome: SubjectFeedback<'_>,
    ) {
        let u = scores(&self.w, x, active);
        let g = coefficients(&u, &targets(spec, active, q, outcome));
        self.step(spec, rates(spec, t).0, &gradient(spec, active, &g, x));
    }

    /// One step at rate `eta` along `gradient`, then the ball. Returns `|W|_F` before the ball.
    pub(crate) fn step(&mut self, spec: &SubjectSpec, eta: f64, gradient: &Matrix) -> f64 {
        for ((w, s), g) in self.w.iter_mut().zip(&mut self.squares).zip(gradient) {
            for ((w, s), &g) in w.iter_mut().zip(s).zip(g) {
                *w -= match spec.optimizer {
                    OptimizerName::Ogd => eta * g,
                    OptimizerName::Adagrad => {
                        *s += g * g;
                        eta * g / (s.sqrt() + ADAGRAD.1)
                    }
                };
            }
        }
        let norm = frobenius(&self.w);
        if norm > spec.radius {
            self.w.iter_mut().flatten().for_each(|w| *w *= spec.radius / norm);
        }
        norm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_relative_and_zero_agrees_with_zero() {
        assert!(!apart(1e3, 1e3 + 5e-7, 1e3) && apart(1e3, 1e3 + 5e-6, 1e3));
        assert!(!apart(1e-3, 1e-3 + 5e-13, 1e-3) && apart(1e-3, 1e-3 + 5e-12, 1e-3));
        assert!(!apart(0.0, 0.0, 0.0));
        assert_eq!((relative(-2.0, 4.0), relative(0.0, 0.0)), (0.5, 0.0));
    }

    #[test]
    fn at_the_kink_the_coefficient_is_zero() {
        // Raw coefficients (0, 0) at u = (-1, 1) with target 1, and (1, 0) just above the kink.
        assert_eq!(coefficients(&[-1.0, 1.0], &[0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(coefficients(&[-0.5, 0.5], &[0.0, 1.0]), [0.5, -0.5]);
    }
}

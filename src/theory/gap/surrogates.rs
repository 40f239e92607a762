//! The convex surrogates: how each becomes rows of a conic program, and its value and slope by
//! plain code. The program and the plain code meet only in the certificate.

use super::program::{Program, Variable};
use crate::theory::stream::complements;

/// A surrogate of App. E whose conditional risk is convex in the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convex {
    /// `sum_{b != a} max(0, 1 + u_b)`, zero-sum scores.
    CstndHinge,
    /// `sum_{b != a} max(0, 1 + u_b)^2`, zero-sum scores.
    CstndSq,
    /// `sum_{b != a} max(0, 1 - (u_a - u_b))^2`.
    SumSq,
    /// `sum_{b != a} exp(u_b - u_a)`: `comp_exp` and `sum_exp` are the same function.
    Exp,
    /// `log sum_b exp(u_b - u_a)`.
    Log,
}

impl Convex {
    /// Whether the scores are centred over the active actions.
    pub fn is_constrained(self) -> bool {
        matches!(self, Convex::CstndHinge | Convex::CstndSq)
    }

    /// Adds `weight * C_phi(u)` to the program, where `u_a = score[a] - mean`. For the hinge,
    /// returns for each action the position of the multiplier of `xi_a >= 1 + u_a`.
    pub fn add_cell(
        self,
        program: &mut Program,
        weight: f64,
        s: &[f64],
        score: &[Variable],
        mean: Variable,
    ) -> Vec<Option<usize>> {
        match self {
            Convex::CstndHinge | Convex::CstndSq => complements(s)
                .iter()
                .zip(score)
                .map(|(&c, &z)| {
                    (c > 0.0).then(|| {
                        let xi = program.variable(0.0);
                        if self == Convex::CstndHinge {
                            program.add_linear(xi, weight * c);
                            program.at_most(&[(xi, -1.0)], 0.0);
                        } else {
                            program.add_square(xi, weight * c);
                        }
                        program.at_most(&[(z, 1.0), (mean, -1.0), (xi, -1.0)], -1.0)
                    })
                })
                .collect(),
            Convex::SumSq | Convex::Exp => {
                for (a, &s_a) in s.iter().enumerate().filter(|&(_, &s_a)| s_a > 0.0) {
                    for b in (0..s.len()).filter(|&b| b != a) {
                        if self == Convex::Exp {
                            let bound = program.variable(weight * s_a);
                            program.exponential(&[(score[b], 1.0), (score[a], -1.0)], bound);
                        } else {
                            let xi = program.variable(0.0);
                            program.add_square(xi, weight * s_a);
                            let excess = [(score[b], 1.0), (score[a], -1.0), (xi, -1.0)];
                            program.at_most(&excess, -1.0);
                        }
                    }
                }
                Vec::new()
            }
            Convex::Log => {
                // S log sum_b exp(u_b) - <s, u>, through sum_b exp(u_b - l) <= 1.
                let level = program.variable(weight * s.iter().sum::<f64>());
                let mut total = Vec::with_capacity(s.len());
                for (&s_a, &z) in s.iter().zip(score) {
                    program.add_linear(z, -weight * s_a);
                    let bound = program.variable(0.0);
                    program.exponential(&[(z, 1.0), (level, -1.0)], bound);
                    total.push((bound, 1.0));
                }
                program.at_most(&total, 1.0);
                Vec::new()
            }
        }
    }

    /// `C_phi(u) = sum_a s_a phi(u, a)` (Lem. D.2).
    pub fn value(self, s: &[f64], u: &[f64]) -> f64 {
        let hinge = |v: f64| (1.0 + v).max(0.0);
        let weighted = |f: &dyn Fn(f64) -> f64| -> f64 {
            complements(s).iter().zip(u).map(|(c, &v)| c * f(v)).sum()
        };
        match self {
            Convex::CstndHinge => weighted(&hinge),
            Convex::CstndSq => weighted(&|v| hinge(v) * hinge(v)),
            Convex::SumSq => pairs(s, u, |v| hinge(v) * hinge(v)),
            Convex::Exp => pairs(s, u, libm::exp),
            Convex::Log => {
                let top = crate::theory::stream::largest(u);
                let mass = u.iter().map(|&v| libm::exp(v - top)).sum::<f64>();
                s.iter().zip(u).map(|(s, v)| s * (top - v + libm::log(mass))).sum()
            }
        }
    }

    /// A subgradient of [`Convex::value`] in `u`, before centring (hinge kink: 0).
    pub fn slope(self, s: &[f64], u: &[f64]) -> Vec<f64> {
        let k = u.len();
        match self {
            Convex::CstndHinge => {
                let step = |v: f64| if 1.0 + v > 0.0 { 1.0 } else { 0.0 };
                complements(s).iter().zip(u).map(|(c, &v)| c * step(v)).collect()
            }
            Convex::CstndSq => {
                complements(s).iter().zip(u).map(|(c, &v)| 2.0 * c * (1.0 + v).max(0.0)).collect()
            }
            Convex::SumSq | Convex::Exp => {
                let mut slope = vec![0.0; k];
                for a in 0..k {
                    for b in (0..k).filter(|&b| b != a) {
                        let v = u[b] - u[a];
                        let derivative = match self {
                            Convex::Exp => libm::exp(v),
                            _ => 2.0 * (1.0 + v).max(0.0),
                        };
                        slope[b] += s[a] * derivative;
                        slope[a] -= s[a] * derivative;
                    }
                }
                slope
            }
            Convex::Log => {
                let top = crate::theory::stream::largest(u);
                let e: Vec<f64> = u.iter().map(|&v| libm::exp(v - top)).collect();
                let (mass, total) = (e.iter().sum::<f64>(), s.iter().sum::<f64>());
                e.iter().zip(s).map(|(e, s)| total * e / mass - s).collect()
            }
        }
    }
}

fn pairs(s: &[f64], u: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut total = 0.0;
    for a in 0..u.len() {
        for b in (0..u.len()).filter(|&b| b != a) {
            total += s[a] * f(u[b] - u[a]);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Convex; 5] =
        [Convex::CstndHinge, Convex::CstndSq, Convex::SumSq, Convex::Exp, Convex::Log];

    #[test]
    fn slopes_match_finite_differences() {
        let (s, u) = ([0.3, 0.7, 0.45, 0.0], [0.4, -1.7, 0.1, 1.2]);
        for surrogate in ALL {
            let slope = surrogate.slope(&s, &u);
            for a in 0..4 {
                let shifted = |by: f64| {
                    let mut v = u;
                    v[a] += by;
                    surrogate.value(&s, &v)
                };
                let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((numeric - slope[a]).abs() < 1e-7, "{surrogate:?} {a}");
            }
        }
    }

    #[test]
    fn values_by_hand() {
        let (s, u) = ([0.25, 0.75], [0.5, -0.5]);
        // S - s = (0.75, 0.25); 1 + u = (1.5, 0.5); 1 + u_b - u_a = 0 and 2.
        assert_eq!(Convex::CstndHinge.value(&s, &u), 0.75 * 1.5 + 0.25 * 0.5);
        assert_eq!(Convex::CstndSq.value(&s, &u), 0.75 * 2.25 + 0.25 * 0.25);
        assert_eq!(Convex::SumSq.value(&s, &u), 0.75 * 4.0);
        let e = std::f64::consts::E;
        assert!((Convex::Exp.value(&s, &u) - 0.25 / e - 0.75 * e).abs() < 1e-15);
        let log = 0.25 * (1.0 + 1.0 / e).ln() + 0.75 * (1.0 + e).ln();
        assert!((Convex::Log.value(&s, &u) - log).abs() < 1e-15);
    }
}

//! The convex surrogates: how each becomes rows of a conic program, and its slope by plain code.
//! The program and the plain code meet only in the certificate.

use super::program::{Program, Variable};
use crate::SurrogateId;
use crate::pointwise::weights as complements;
use crate::stream::largest;

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

/// One hinge of a cell, `weight * max(0, 1 + u_up - u_down)` or its square (per unit of the cell's
/// weight), with the position of the multiplier of `xi >= 1 + u_up - u_down`.
pub(super) struct Piece {
    pub row: usize,
    pub up: usize,
    pub down: Option<usize>,
    pub weight: f64,
}

/// `sum_i values_i (e_up - e_down)`, a vector over `actions` active actions.
pub(super) fn gather(pieces: &[Piece], values: &[f64], actions: usize) -> Vec<f64> {
    let mut total = vec![0.0; actions];
    for (piece, value) in pieces.iter().zip(values) {
        total[piece.up] += value;
        if let Some(down) = piece.down {
            total[down] -= value;
        }
    }
    total
}

/// `xi >= 1 + margin`; returns the position of its multiplier.
fn add_hinge(program: &mut Program, mut margin: Vec<(Variable, f64)>, xi: Variable) -> usize {
    margin.push((xi, -1.0));
    program.at_most(&margin, -1.0)
}

impl Convex {
    /// `None` for the surrogates that are not convex.
    pub(crate) fn of(surrogate: SurrogateId) -> Option<Self> {
        match surrogate {
            SurrogateId::CstndHinge => Some(Convex::CstndHinge),
            SurrogateId::CstndSq => Some(Convex::CstndSq),
            SurrogateId::SumSq => Some(Convex::SumSq),
            SurrogateId::CompExp | SurrogateId::SumExp => Some(Convex::Exp),
            SurrogateId::CompLog => Some(Convex::Log),
            _ => None,
        }
    }

    /// The surrogate whose value this is.
    pub(crate) fn id(self) -> SurrogateId {
        match self {
            Convex::CstndHinge => SurrogateId::CstndHinge,
            Convex::CstndSq => SurrogateId::CstndSq,
            Convex::SumSq => SurrogateId::SumSq,
            Convex::Exp => SurrogateId::CompExp,
            Convex::Log => SurrogateId::CompLog,
        }
    }

    /// Whether the surrogate is made of [`Piece`]s.
    pub(crate) fn has_pieces(self) -> bool {
        !matches!(self, Convex::Exp | Convex::Log)
    }

    /// Adds `weight * C_phi(u)` to the program, where `u_a = score[a] - mean`, and says where the
    /// multipliers of its hinges will be found.
    pub(crate) fn add_cell(
        self,
        program: &mut Program,
        weight: f64,
        s: &[f64],
        score: &[Variable],
        mean: Option<Variable>,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match self {
            Convex::CstndHinge | Convex::CstndSq => {
                for (a, c) in complements(s).into_iter().enumerate().filter(|&(_, c)| c > 0.0) {
                    let xi = program.variable(0.0);
                    if self == Convex::CstndHinge {
                        program.add_linear(xi, weight * c);
                        program.at_most(&[(xi, -1.0)], 0.0);
                    } else {
                        program.add_square(xi, weight * c);
                    }
                    let mut margin = vec![(score[a], 1.0)];
                    margin.extend(mean.map(|m| (m, -1.0)));
                    let row = add_hinge(program, margin, xi);
                    pieces.push(Piece { row, up: a, down: None, weight: c });
                }
            }
            Convex::SumSq | Convex::Exp => {
                for (a, &s_a) in s.iter().enumerate().filter(|&(_, &s_a)| s_a > 0.0) {
                    for b in (0..s.len()).filter(|&b| b != a) {
                        let difference = [(score[b], 1.0), (score[a], -1.0)];
                        if self == Convex::Exp {
                            let bound = program.variable(weight * s_a);
                            program.exponential(&difference, bound);
                            continue;
                        }
                        let xi = program.variable(0.0);
                        program.add_square(xi, weight * s_a);
                        let row = add_hinge(program, difference.to_vec(), xi);
                        pieces.push(Piece { row, up: b, down: Some(a), weight: s_a });
                    }
                }
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
            }
        }
        pieces
    }

    /// A subgradient of `C_phi(u)` in `u`, before centring (hinge kink: 0).
    pub(crate) fn slope(self, s: &[f64], u: &[f64]) -> Vec<f64> {
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
                let top = largest(u);
                let e: Vec<f64> = u.iter().map(|&v| libm::exp(v - top)).collect();
                let (mass, total) = (e.iter().sum::<f64>(), s.iter().sum::<f64>());
                e.iter().zip(s).map(|(e, s)| total * e / mass - s).collect()
            }
        }
    }

    /// Second derivative of `C_phi` at `u` along `v`, before centring (kinks: 0, and so the hinge).
    pub(crate) fn curvature(self, s: &[f64], u: &[f64], v: &[f64]) -> Vec<f64> {
        let k = u.len();
        let active = |t: f64| if t > 0.0 { 2.0 } else { 0.0 };
        match self {
            Convex::CstndHinge => vec![0.0; k],
            Convex::CstndSq => {
                let c = complements(s);
                (0..k).map(|a| active(1.0 + u[a]) * c[a] * v[a]).collect()
            }
            Convex::SumSq | Convex::Exp => {
                let mut image = vec![0.0; k];
                for a in 0..k {
                    for b in (0..k).filter(|&b| b != a) {
                        let t = u[b] - u[a];
                        let second = match self {
                            Convex::Exp => libm::exp(t),
                            _ => active(1.0 + t),
                        };
                        image[b] += s[a] * second * (v[b] - v[a]);
                        image[a] -= s[a] * second * (v[b] - v[a]);
                    }
                }
                image
            }
            Convex::Log => {
                let top = largest(u);
                let e: Vec<f64> = u.iter().map(|&t| libm::exp(t - top)).collect();
                let (mass, total) = (e.iter().sum::<f64>(), s.iter().sum::<f64>());
                let mean = e.iter().zip(v).map(|(e, v)| e * v).sum::<f64>() / mass;
                e.iter().zip(v).map(|(e, v)| total * e / mass * (v - mean)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Convex; 5] =
        [Convex::CstndHinge, Convex::CstndSq, Convex::SumSq, Convex::Exp, Convex::Log];

    /// Scores on both sides of every kink, and negative ones above it.
    const SCORES: [[f64; 4]; 2] = [[0.4, -1.7, 0.1, 1.2], [-0.5, 0.8, -0.75, 0.25]];

    #[test]
    fn slopes_match_finite_differences() {
        let s = [0.3, 0.7, 0.45, 0.0];
        for (surrogate, u) in ALL.into_iter().flat_map(|convex| SCORES.map(|u| (convex, u))) {
            let slope = surrogate.slope(&s, &u);
            for a in 0..4 {
                let shifted = |by: f64| {
                    let mut v = u;
                    v[a] += by;
                    surrogate.id().conditional_risk(&s, &v)
                };
                let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((numeric - slope[a]).abs() < 1e-7, "{surrogate:?} {a}");
            }
        }
    }

    #[test]
    fn curvatures_match_differences_of_slopes() {
        let (s, v) = ([0.3, 0.7, 0.45, 0.0], [0.5, -0.25, 1.0, -0.75]);
        for (surrogate, u) in ALL.into_iter().flat_map(|convex| SCORES.map(|u| (convex, u))) {
            let at = |h: f64| {
                let moved: Vec<f64> = u.iter().zip(v).map(|(u, v)| u + h * v).collect();
                surrogate.slope(&s, &moved)
            };
            let (up, down) = (at(1e-6), at(-1e-6));
            for (a, c) in surrogate.curvature(&s, &u, &v).into_iter().enumerate() {
                assert!(((up[a] - down[a]) / 2e-6 - c).abs() < 1e-7, "{surrogate:?} {a}");
            }
        }
    }

    #[test]
    fn on_a_kink_slope_and_curvature_are_those_of_the_flat_side() {
        // The canonical vector: two of the complements 1/2, 3/4, 3/4 are on their kink.
        let (s, u) = ([0.5, 0.25, 0.25], [2.0, -1.0, -1.0]);
        assert_eq!(Convex::CstndHinge.slope(&s, &u), [0.5, 0.0, 0.0]);
        assert_eq!(Convex::CstndSq.curvature(&s, &u, &[1.0, 1.0, 1.0]), [1.0, 0.0, 0.0]);
        // max(0, 1 - (u_0 - u_1))^2 is on its kink, max(0, 1 - (u_1 - u_0))^2 is not.
        let curvature = Convex::SumSq.curvature(&[0.5, 0.5], &[1.0, 0.0], &[1.0, 0.0]);
        assert_eq!(curvature, [1.0, -1.0]);
    }

    #[test]
    fn the_logistic_slope_survives_scores_whose_exponential_overflows() {
        let (s, u) = ([0.5, 0.25, 0.25], [800.0, 0.0, -800.0]);
        assert_eq!(Convex::Log.slope(&s, &u), [0.5, -0.25, -0.25]);
        assert_eq!(Convex::Log.curvature(&s, &u, &[1.0, 2.0, 3.0]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn multipliers_are_gathered_with_the_sign_of_their_score() {
        let piece = |up, down| Piece { row: 0, up, down, weight: 1.0 };
        let pieces = [piece(1, Some(0)), piece(0, Some(2)), piece(2, None)];
        // (-5 + 3, 5, -3 + 1/2)
        assert_eq!(gather(&pieces, &[5.0, 3.0, 0.5], 3), [-2.0, 5.0, -2.5]);
    }

    #[test]
    fn hinges_without_weight_are_left_out() {
        let hinges = |surrogate: Convex| -> Vec<(usize, Option<usize>)> {
            let mut program = Program::default();
            let score: Vec<Variable> = (0..3).map(|_| program.variable(0.0)).collect();
            let pieces = surrogate.add_cell(&mut program, 1.0, &[1.0, 0.0, 0.0], &score, None);
            pieces.iter().map(|piece| (piece.up, piece.down)).collect()
        };
        // Action 0 has no rivals with mass, so nothing is lost by a high score of it.
        assert_eq!(hinges(Convex::CstndHinge), [(1, None), (2, None)]);
        assert_eq!(hinges(Convex::CstndSq), [(1, None), (2, None)]);
        // Only action 0 can be the target.
        assert_eq!(hinges(Convex::SumSq), [(1, Some(0)), (2, Some(0))]);
    }
}

//! What the interior-point method leaves undone for a tight certificate: Newton steps on the
//! smooth surrogates, and multipliers of the hinge that are stationary to rounding.
//!
//! No matrix is factorised here: the curvature is only applied to a vector, cell by cell on the rows of
//! its active actions, and the rest are dot products. faer would take these with fused multiply-adds
//! where the CPU has them, and the ledger shows what comes out with digits that must not depend on that.

use super::surrogates::{Convex, Piece, gather};
use crate::matrix::{ScoreMatrix, norm};
use crate::prec;
use crate::stream::{Cell, FiniteStream};

/// Newton's method with conjugate gradients, accepted only while the gradient shrinks. The ball is
/// not looked at: the caller asks for this only where it does not bind.
pub(super) fn newton(stream: &FiniteStream, surrogate: Convex, w: &mut ScoreMatrix, damping: f64) {
    let mut gradient = total_slope(stream, surrogate, w);
    for _ in 0..prec::NEWTON_STEPS {
        let step = conjugate_gradients(&gradient, damping, |v| curvature(stream, surrogate, w, v));
        // The squared hinges have kinks, where a full step may go too far.
        let shorter = (0..prec::NEWTON_HALVINGS).find_map(|halvings| {
            let length = 0.5f64.powi(halvings);
            let mut moved = w.clone();
            moved.values.iter_mut().zip(&step).for_each(|(w, s)| *w -= length * s);
            let slope = total_slope(stream, surrogate, &moved);
            // A NaN is not smaller either, and ends the descent.
            (norm(&slope) < norm(&gradient)).then_some((moved, slope))
        });
        match shorter {
            Some((moved, slope)) => (*w, gradient) = (moved, slope),
            None => break,
        }
    }
}

/// The same on the sphere `||W||_F = radius`, where a ball binds: Newton's method on
/// `G + lambda W = 0`, accepted while that residual shrinks.
pub(super) fn newton_on_sphere(
    stream: &FiniteStream,
    surrogate: Convex,
    w: &mut ScoreMatrix,
    damping: f64,
    radius: f64,
) {
    let residual = |w: &ScoreMatrix| {
        let slope = total_slope(stream, surrogate, w);
        let lambda = (-dot(&slope, &w.values) / (radius * radius)).max(0.0);
        let r: Vec<f64> = slope.iter().zip(&w.values).map(|(g, w)| g + lambda * w).collect();
        (lambda, r)
    };
    w.scale(radius / w.frobenius_norm().max(f64::MIN_POSITIVE));
    let (mut lambda, mut r) = residual(w);
    for _ in 0..prec::NEWTON_STEPS {
        let solve = |rhs: &[f64]| {
            conjugate_gradients(rhs, damping, |v| {
                let mut image = curvature(stream, surrogate, w, v);
                image.iter_mut().zip(v).for_each(|(i, v)| *i += lambda * v);
                image
            })
        };
        // The multiplier moves so that the step stays tangent to the sphere.
        let (a, b) = (solve(&r), solve(&w.values));
        let change = -dot(&w.values, &a) / dot(&w.values, &b);
        let mut moved = w.clone();
        let step = a.iter().zip(&b).map(|(a, b)| a + change * b);
        moved.values.iter_mut().zip(step).for_each(|(w, s)| *w -= s);
        moved.scale(radius / moved.frobenius_norm().max(f64::MIN_POSITIVE));
        let (next_lambda, next) = residual(&moved);
        if norm(&next) < norm(&r) {
            (*w, lambda, r) = (moved, next_lambda, next);
        } else {
            break;
        }
    }
}

/// Gradient of the per-round objective, row-major.
pub(super) fn total_slope(stream: &FiniteStream, surrogate: Convex, w: &ScoreMatrix) -> Vec<f64> {
    accumulate(stream, |x, cell| {
        let u = w.projected_scores(x, cell.active);
        surrogate.slope(&cell.s, &u)
    })
}

/// Hessian times `v`.
fn curvature(stream: &FiniteStream, surrogate: Convex, w: &ScoreMatrix, v: &[f64]) -> Vec<f64> {
    let direction = ScoreMatrix::from_values(stream.space(), stream.dim, v.to_vec())
        .expect("a direction has as many entries as the matrix");
    accumulate(stream, |x, cell| {
        let u = w.projected_scores(x, cell.active);
        surrogate.curvature(&cell.s, &u, &direction.projected_scores(x, cell.active))
    })
}

/// `sum_cells (w / sum w) Pi_A(g_cell) x~^T` for a vector `g` over each cell's active actions.
pub(super) fn accumulate(
    stream: &FiniteStream,
    mut of_cell: impl FnMut(&[f64], &Cell) -> Vec<f64>,
) -> Vec<f64> {
    let mut total = ScoreMatrix::zeros(stream.space(), stream.dim);
    for cell in stream.cells() {
        let x = stream.input(cell);
        let g = of_cell(x, cell);
        let mean = g.iter().sum::<f64>() / g.len() as f64;
        let weight = cell.weight / stream.total_weight;
        for (action, g) in cell.active.iter().zip(g) {
            let row = total.row_mut(action.index());
            let c = weight * (g - mean);
            row.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(r, x)| *r += c * x);
        }
    }
    total.values
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `(H + damping |H|) v = rhs` for a positive semidefinite `H`. It has a null space here (equal
/// moves of all rows, inputs that span too little); the damping keeps rounding noise in it from
/// becoming a step.
fn conjugate_gradients(rhs: &[f64], damping: f64, apply: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let damping = damping * norm(&apply(rhs)) / norm(rhs).max(f64::MIN_POSITIVE);
    let mut solution = vec![0.0; rhs.len()];
    let mut residual = rhs.to_vec();
    let mut direction = residual.clone();
    let (mut square, start) = (dot(&residual, &residual), dot(rhs, rhs));
    for _ in 0..(prec::CG_SWEEPS * rhs.len()).min(prec::CG_STEPS) {
        let mut image = apply(&direction);
        image.iter_mut().zip(&direction).for_each(|(i, d)| *i += damping * d);
        let bend = dot(&direction, &image);
        if bend <= 0.0 || square <= prec::CG_RESIDUAL * prec::CG_RESIDUAL * start {
            break;
        }
        let step = square / bend;
        solution.iter_mut().zip(&direction).for_each(|(s, d)| *s += step * d);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
        let next = dot(&residual, &residual);
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
        square = next;
    }
    solution
}

/// Moves multipliers of the constrained hinge (per unit of cell weight) towards
/// `sum_t Pi_A(alpha_t) x~_t^T = 0`, each in proportion to its distance from the bounds `0` and
/// `S - s_a`, so that none is pushed out.
pub(super) fn make_stationary(
    stream: &FiniteStream,
    pieces: &[Vec<Piece>],
    alpha: &mut [Vec<f64>],
    damping: f64,
) {
    for (pieces, alpha) in pieces.iter().zip(alpha.iter_mut()) {
        alpha.iter_mut().zip(pieces).for_each(|(a, piece)| *a = a.clamp(0.0, piece.weight));
    }
    let square_room = |(a, piece): (&f64, &Piece)| a.min(piece.weight - a).max(0.0).powi(2);
    let room: Vec<Vec<f64>> = pieces
        .iter()
        .zip(alpha.iter())
        .map(|(pieces, alpha)| alpha.iter().zip(pieces).map(square_room).collect())
        .collect();
    let spread = |y: &[f64]| -> Vec<Vec<f64>> {
        let y = ScoreMatrix::from_values(stream.space(), stream.dim, y.to_vec())
            .expect("a residual has as many entries as the matrix");
        let cells = stream.cells().iter().zip(pieces).zip(&room);
        cells
            .map(|((cell, pieces), room)| {
                let u = y.projected_scores(stream.input(cell), cell.active);
                pieces.iter().zip(room).map(|(piece, r)| u[piece.up] * r).collect()
            })
            .collect()
    };
    let collect = |values: &[Vec<f64>]| {
        let mut cells = pieces.iter().zip(values);
        accumulate(stream, |_, cell| match cells.next() {
            Some((pieces, values)) => gather(pieces, values, cell.active.len()),
            None => vec![0.0; cell.active.len()],
        })
    };
    for _ in 0..prec::STATIONARITY_SWEEPS {
        let residual = collect(alpha);
        let step = spread(&conjugate_gradients(&residual, damping, |y| collect(&spread(y))));
        let mut moved = alpha.to_vec();
        moved.iter_mut().flatten().zip(step.iter().flatten()).for_each(|(a, s)| *a -= s);
        if norm(&collect(&moved)) >= norm(&residual) {
            break;
        }
        alpha.clone_from_slice(&moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_singular_system_is_solved_where_it_can_be() {
        // [[2, 1, 0], [1, 2, 0], [0, 0, 0]] v = (3, 3, noise): v = (1, 1, not huge).
        let apply = |v: &[f64]| vec![2.0 * v[0] + v[1], v[0] + 2.0 * v[1], 0.0];
        let v = conjugate_gradients(&[3.0, 3.0, 1e-17], 1e-10, apply);
        assert!((v[0] - 1.0).abs() < 1e-8 && (v[1] - 1.0).abs() < 1e-8 && v[2].abs() < 1e-6);
    }

    #[test]
    fn the_damping_is_relative_to_the_curvature() {
        // H = 2: (2 + 2/2) v = 3.
        let v = conjugate_gradients(&[3.0], 0.5, |v| vec![2.0 * v[0]]);
        assert!((v[0] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn without_curvature_there_is_no_step() {
        assert_eq!(conjugate_gradients(&[3.0, -1.0], 1e-9, |v| vec![0.0; v.len()]), [0.0, 0.0]);
    }

    #[test]
    fn a_badly_conditioned_system_is_solved_to_the_residual_asked_for() {
        // Curvatures from 1 down to 1e-12, four a decade: in exact arithmetic as many steps as
        // unknowns would do, here it takes several times as many.
        let curvature: Vec<f64> = (0..=48).map(|i| libm::pow(10.0, -f64::from(i) / 4.0)).collect();
        let apply =
            |v: &[f64]| -> Vec<f64> { v.iter().zip(&curvature).map(|(v, c)| v * c).collect() };
        let rhs = vec![1.0; curvature.len()];
        let image = apply(&conjugate_gradients(&rhs, 0.0, apply));
        let off: Vec<f64> = image.iter().zip(&rhs).map(|(i, r)| i - r).collect();
        assert!(norm(&off) < 10.0 * prec::CG_RESIDUAL * norm(&rhs), "{}", norm(&off));
    }
}

//! A conic program built row by row, and the one place where the solver is called.
//!
//! ```text
//! minimise 1/2 sum_i p_i v_i^2 + <q, v>   subject to   b - A v in K
//! ```
//! with `K` a product of zero, nonnegative, second-order and exponential cones. Rows are kept by
//! kind, because the solver wants each cone's rows together.

use crate::prec;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, *};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};

/// A column of the program.
pub(crate) type Variable = usize;
/// `sum coefficient * variable`.
pub(crate) type Linear = [(Variable, f64)];

#[derive(Default)]
struct Rows {
    triplets: Vec<(usize, Variable, f64)>,
    rhs: Vec<f64>,
}

impl Rows {
    fn push(&mut self, expression: &Linear, rhs: f64) -> usize {
        let row = self.rhs.len();
        self.triplets.extend(expression.iter().map(|&(v, c)| (row, v, c)));
        self.rhs.push(rhs);
        row
    }
}

/// Under construction.
#[derive(Default)]
pub(crate) struct Program {
    linear: Vec<f64>,
    quadratic: Vec<f64>,
    equal: Rows,
    at_most: Rows,
    conic: Rows,
    cones: Vec<SupportedConeT<f64>>,
}

/// What the solver came back with, all zeros if it was nothing. Its own verdict is not kept: every
/// caller checks what it needs from the numbers.
pub(crate) struct Outcome {
    pub values: Vec<f64>,
    /// Multipliers of the `at_most` rows, in the order they were added.
    pub multipliers: Vec<f64>,
}

impl Program {
    /// A new variable with its linear cost `q`.
    pub(crate) fn variable(&mut self, linear: f64) -> Variable {
        self.linear.push(linear);
        self.quadratic.push(0.0);
        self.linear.len() - 1
    }

    /// Adds `cost * v`.
    pub(crate) fn add_linear(&mut self, variable: Variable, cost: f64) {
        self.linear[variable] += cost;
    }

    /// Adds `cost * v^2`.
    pub(crate) fn add_square(&mut self, variable: Variable, cost: f64) {
        self.quadratic[variable] += 2.0 * cost;
    }

    /// `expression = rhs`.
    pub(crate) fn equal(&mut self, expression: &Linear, rhs: f64) {
        self.equal.push(expression, rhs);
    }

    /// `expression <= rhs`; returns the position of its multiplier.
    pub(crate) fn at_most(&mut self, expression: &Linear, rhs: f64) -> usize {
        self.at_most.push(expression, rhs)
    }

    /// `||variables||_2 <= radius`.
    pub(crate) fn ball(&mut self, variables: std::ops::Range<Variable>, radius: f64) {
        self.cones.push(SecondOrderConeT(variables.len() + 1));
        self.conic.push(&[], radius);
        for v in variables {
            self.conic.push(&[(v, -1.0)], 0.0);
        }
    }

    /// `exp(exponent) <= bound`.
    pub(crate) fn exponential(&mut self, exponent: &Linear, bound: Variable) {
        self.cones.push(ExponentialConeT());
        let negated: Vec<_> = exponent.iter().map(|&(v, c)| (v, -c)).collect();
        self.conic.push(&negated, 0.0);
        self.conic.push(&[], 1.0);
        self.conic.push(&[(bound, -1.0)], 0.0);
    }

    /// Runs the interior-point method; one thread and a fixed factorisation keep it deterministic.
    pub(crate) fn solve(&self) -> Outcome {
        let columns = self.linear.len();
        let (equalities, inequalities) = (self.equal.rhs.len(), self.at_most.rhs.len());
        let rows = equalities + inequalities + self.conic.rhs.len();
        let mut triplets: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
        let mut rhs = Vec::with_capacity(rows);
        for part in [&self.equal, &self.at_most, &self.conic] {
            let offset = rhs.len();
            for &(row, column, value) in part.triplets.iter().filter(|t| t.2 != 0.0) {
                triplets.0.push(offset + row);
                triplets.1.push(column);
                triplets.2.push(value);
            }
            rhs.extend_from_slice(&part.rhs);
        }
        let a = CscMatrix::new_from_triplets(rows, columns, triplets.0, triplets.1, triplets.2);
        let curved: Vec<usize> = (0..columns).filter(|&v| self.quadratic[v] != 0.0).collect();
        let diagonal = curved.iter().map(|&v| self.quadratic[v]).collect();
        let p = CscMatrix::new_from_triplets(columns, columns, curved.clone(), curved, diagonal);
        let mut cones = vec![ZeroConeT(equalities), NonnegativeConeT(inequalities)];
        cones.retain(|cone| !matches!(cone, ZeroConeT(0) | NonnegativeConeT(0)));
        cones.extend(self.cones.iter().cloned());
        let failed =
            || Outcome { values: vec![0.0; columns], multipliers: vec![0.0; inequalities] };
        match DefaultSolver::new(&p, &self.linear, &a, &rhs, &cones, settings()) {
            Err(_) => failed(),
            Ok(mut solver) => {
                solver.solve();
                let found = &solver.solution;
                if found.x.iter().chain(&found.z).any(|v| !v.is_finite()) {
                    return failed();
                }
                Outcome {
                    values: found.x.clone(),
                    multipliers: found.z[equalities..equalities + inequalities].to_vec(),
                }
            }
        }
    }
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
        direct_solve_method: "qdldl".into(),
        tol_gap_abs: prec::SOLVER,
        tol_gap_rel: prec::SOLVER,
        tol_feas: prec::SOLVER,
        ..DefaultSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solver_is_quiet_deterministic_and_asked_for_all_its_digits() {
        let settings = settings();
        // Its table of iterations would end up among the results on standard output.
        assert!(!settings.verbose);
        // Neither the number of cores nor the features of a build choose the order of sums.
        assert_eq!((settings.max_threads, settings.direct_solve_method.as_str()), (1, "qdldl"));
        for tolerance in [settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas] {
            assert_eq!(tolerance, prec::SOLVER);
        }
    }
}

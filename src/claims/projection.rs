//! Prop. 6.1: the projection on matrices whose active rows sum to zero.
//!
//! The projection acts on each column separately and is linear, so it is an `N x N` matrix `P` for
//! every active set, and every property is an identity of that matrix.

use super::exact::{bit, integer, show};
use super::{Claim, Grade, Kind, Outcome, Tally, Verdict, refuted};
use crate::theory::Rational;
use num_traits::{One, Zero};
use serde_json::{Value, json};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "prop-6.1-formula",
        reference: "Prop. 6.1 (1)",
        statement: "Subtracting the mean of the active rows from each active row is the Euclidean \
                    projection on the matrices whose active rows sum to zero. The result lies in \
                    that subspace, and the difference is orthogonal to it.",
        hypotheses: &[],
        kind: Kind::Theorem,
        check: |_| Ok(formula(centring)),
        saboteurs: &[
            refuted("mean-over-all", "the mean of all rows is subtracted", |_| {
                Ok(formula(mean_over_all))
            }),
            refuted("shift-first", "only the first active row is changed", |_| {
                Ok(formula(shift_first))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "prop-6.1-idempotent",
        reference: "Prop. 6.1",
        statement: "Projecting twice is projecting once, and the projection is self-adjoint.",
        hypotheses: &[],
        kind: Kind::Theorem,
        check: |_| Ok(idempotent(centring)),
        saboteurs: &[
            refuted("mean-over-all", "the mean of all rows is subtracted", |_| {
                Ok(idempotent(mean_over_all))
            }),
            refuted("shift-first", "only the first active row is changed", |_| {
                Ok(idempotent(shift_first))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "prop-6.1-nonexpansive",
        reference: "App. C (last paragraph)",
        statement: "The projection never increases the Frobenius norm, so projected matrices stay \
                    in the ball.",
        hypotheses: &[],
        kind: Kind::Theorem,
        check: |_| Ok(nonexpansive(centring)),
        saboteurs: &[
            refuted("mean-over-all", "the mean of all rows is subtracted", |_| {
                Ok(nonexpansive(mean_over_all))
            }),
            refuted("shift-first", "only the first active row is changed", |_| {
                Ok(nonexpansive(shift_first))
            }),
        ],
        ..Claim::BLANK
    },
    Claim {
        id: "prop-6.1-maxima",
        reference: "Prop. 6.1 (2)",
        statement: "The projection keeps every difference of active scores. So it keeps the \
                    predicted action and the true loss.",
        hypotheses: &[],
        kind: Kind::Theorem,
        check: |_| Ok(maxima(centring)),
        saboteurs: &[refuted("shift-first", "only the first active row is changed", |_| {
            Ok(maxima(shift_first))
        })],
        ..Claim::BLANK
    },
];

type Matrix = Vec<Vec<Rational>>;

/// `I - 1_A 1_A^T / K`.
fn centring(active: &[bool]) -> Matrix {
    let share = Rational::one() / integer(active.iter().filter(|&&a| a).count());
    let entry = |i: usize, j: usize| {
        let both = active[i] && active[j];
        bit(i == j) - if both { share.clone() } else { Rational::zero() }
    };
    (0..active.len()).map(|i| (0..active.len()).map(|j| entry(i, j)).collect()).collect()
}

/// The mean of all rows instead of the active ones, taken from the active ones.
fn mean_over_all(active: &[bool]) -> Matrix {
    let n = active.len();
    let entry = |i: usize, j: usize| {
        bit(i == j) - if active[i] { Rational::one() / integer(n) } else { Rational::zero() }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// Shifts only the first active row: also maps into the subspace, not orthogonally.
fn shift_first(active: &[bool]) -> Matrix {
    let n = active.len();
    let entry = |i: usize, j: usize| bit(i == j) - bit(i == 0 && active[j]);
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// Every active set of every space with up to seven actions.
fn active_sets() -> impl Iterator<Item = Vec<bool>> {
    let spaces = (2..=7).flat_map(|n| (0..=7 - n).map(move |n_e| (n, n_e)));
    spaces.flat_map(|(n, n_e)| {
        (0..1usize << n_e).map(move |mask| {
            (0..n).map(|_| true).chain((0..n_e).map(|j| mask >> j & 1 == 1)).collect()
        })
    })
}

fn case(active: &[bool], what: &str, row: &[Rational]) -> Value {
    json!({ "active": active, "what": what, "row": show(row) })
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<Rational>, j: usize| -> Rational {
        row.iter().zip(b).map(|(x, b_row)| x * &b_row[j]).sum()
    };
    a.iter().map(|row| (0..b.len()).map(|j| entry(row, j)).collect()).collect()
}

/// Image in the subspace; `I - P` orthogonal to a basis of it (`e_i - e_j` over active rows, `e_i`
/// over the others).
fn formula(projection: impl Fn(&[bool]) -> Matrix) -> Outcome {
    let mut tally = Tally::default();
    for active in active_sets() {
        let p = projection(&active);
        let n = active.len();
        for j in 0..n {
            let column: Vec<Rational> = p.iter().map(|row| row[j].clone()).collect();
            let sum: Rational =
                column.iter().zip(&active).filter(|&(_, &a)| a).map(|(v, _)| v).sum();
            tally.equal(&sum, &Rational::zero(), || case(&active, "active sum", &column));
            let rest: Vec<Rational> = (0..n).map(|i| bit(i == j) - &column[i]).collect();
            let first = (0..n).find(|&i| active[i]).unwrap_or(0);
            for i in (0..n).filter(|&i| i != first) {
                let inner = if active[i] { &rest[i] - &rest[first] } else { rest[i].clone() };
                tally.equal(&inner, &Rational::zero(), || case(&active, "not orthogonal", &rest));
            }
        }
    }
    proved(&tally)
}

fn idempotent(projection: impl Fn(&[bool]) -> Matrix) -> Outcome {
    let mut tally = Tally::default();
    for active in active_sets() {
        let p = projection(&active);
        let square = product(&p, &p);
        for (i, row) in p.iter().enumerate() {
            tally.truth(square[i] == *row, || case(&active, "P P != P", row));
            let transposed: Vec<Rational> = p.iter().map(|r| r[i].clone()).collect();
            tally.truth(transposed == *row, || case(&active, "P != P^T", row));
        }
    }
    proved(&tally)
}

/// `|W|^2 - |P W|^2 = |(I - P) W|^2` for every `W` exactly when `P^T P + (I - P)^T (I - P) = I`.
fn nonexpansive(projection: impl Fn(&[bool]) -> Matrix) -> Outcome {
    let mut tally = Tally::default();
    for active in active_sets() {
        let p = projection(&active);
        let n = active.len();
        let rest: Matrix =
            (0..n).map(|i| (0..n).map(|j| bit(i == j) - &p[i][j]).collect()).collect();
        let gram = |m: &Matrix, i: usize, j: usize| -> Rational {
            m.iter().map(|row| &row[i] * &row[j]).sum()
        };
        for i in 0..n {
            for j in 0..n {
                let sum = gram(&p, i, j) + gram(&rest, i, j);
                tally.equal(&sum, &bit(i == j), || case(&active, "Pythagoras", &p[i]));
            }
        }
    }
    proved(&tally)
}

fn maxima(projection: impl Fn(&[bool]) -> Matrix) -> Outcome {
    let mut tally = Tally::default();
    for active in active_sets() {
        let p = projection(&active);
        let rows: Vec<usize> = (0..active.len()).filter(|&i| active[i]).collect();
        for pair in rows.windows(2) {
            let difference: Vec<Rational> =
                p[pair[0]].iter().zip(&p[pair[1]]).map(|(a, b)| a - b).collect();
            for (j, value) in difference.iter().enumerate() {
                let expected = bit(j == pair[0]) - bit(j == pair[1]);
                tally.equal(value, &expected, || case(&active, "difference", &difference));
            }
        }
    }
    proved(&tally)
}

fn proved(tally: &Tally) -> Outcome {
    tally.outcome(Verdict::Holds, Grade::Argued, "entries of exact matrices").with("actions", "N <= 7").with(
        "argument",
        "the projection is linear and acts on columns one by one, so identities of its matrix are \
         identities for every W; every active set with N <= 7, and the matrix I - 1 1^T / K has \
         the same entries whatever N is",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_projections_are_refused() {
        let verdicts = |p: fn(&[bool]) -> Matrix| {
            [formula(p), idempotent(p), nonexpansive(p), maxima(p)].map(|o| o.verdict())
        };
        use Verdict::{Fails, Holds};
        assert_eq!(verdicts(centring), [Holds; 4]);
        // It keeps differences of active scores, and nothing else.
        assert_eq!(verdicts(mean_over_all), [Fails, Fails, Fails, Holds]);
        assert_eq!(verdicts(shift_first), [Fails; 4]);
    }
}

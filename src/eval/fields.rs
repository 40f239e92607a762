//! Checks that several kinds of request share.

use super::EvalError;
use crate::problem::{Action, ActionSpace, ActiveSet};

/// `Y_A` for `n` classes, `n_e` experts and the list `A`, which may be in any order but names
/// nobody twice.
pub(super) fn active_set(
    n: usize,
    n_e: usize,
    available: &[usize],
) -> Result<ActiveSet, EvalError> {
    let space = ActionSpace::new(n, n_e)?.of_the_paper()?;
    let mut seen = 0u128;
    for (i, &j) in available.iter().enumerate() {
        let field = format!("A[{i}]");
        let bit = space.expert(j).map_err(|error| EvalError::new(&field, error.to_string()))?;
        if seen >> bit.index() & 1 == 1 {
            return Err(EvalError::new(&field, format!("expert {j} is listed twice")));
        }
        seen |= 1 << bit.index();
    }
    Ok(space.active(available.iter().copied())?)
}

/// Values that are all finite numbers.
pub(super) fn finite(field: &str, values: &[f64]) -> Result<(), EvalError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(EvalError::new(format!("{field}[{i}]"), "the value is not a finite number")),
    }
}

pub(super) fn length(field: &str, got: usize, expected: usize) -> Result<(), EvalError> {
    if got == expected {
        Ok(())
    } else {
        Err(EvalError::new(field, format!("has {got} entries, expected {expected}")))
    }
}

/// A matrix with `rows` rows of equal length; returns that length.
pub(super) fn matrix(field: &str, w: &[Vec<f64>], rows: usize) -> Result<usize, EvalError> {
    length(field, w.len(), rows)?;
    let columns = w.first().map_or(0, Vec::len);
    for (i, row) in w.iter().enumerate() {
        let name = format!("{field}[{i}]");
        length(&name, row.len(), columns)?;
        finite(&name, row)?;
    }
    if columns == 0 {
        return Err(EvalError::new(field, "has no columns, expected at least the bias"));
    }
    Ok(columns)
}

/// `B`, a positive radius.
pub(super) fn radius(value: f64) -> Result<f64, EvalError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(EvalError::new("B", format!("{value} is not a positive number")))
    }
}

/// The action with index `index`, which must be active.
pub(super) fn active_action(
    field: &str,
    active: ActiveSet,
    index: usize,
) -> Result<Action, EvalError> {
    let action = active.space().action(index);
    match action.map_err(|error| EvalError::new(field, error.to_string()))? {
        action if active.contains(action) => Ok(action),
        _ => Err(EvalError::new(field, format!("action {index} is not active"))),
    }
}

//! The small streams on which theorems are tried.

use super::exact::ExactLaw;
use super::trial::{Cycle, Item};
use crate::problem::{ActionSpace, ProblemError};
use crate::theory::{Rational, ratio};

/// A fraction as `(numerator, denominator)`.
type Fraction = (i64, i64);

fn fractions(values: &[Fraction]) -> Vec<Rational> {
    values.iter().map(|&(p, q)| ratio(p, q)).collect()
}

/// A round: input, available experts (bits), label law, and the cost of each expert at each label.
type Spec<'a> = (&'a [Fraction], u128, &'a [Fraction], &'a [&'a [Fraction]]);

fn cycle(
    name: &'static str,
    (n, n_e): (usize, usize),
    rounds: &[Spec<'_>],
) -> Result<Cycle, ProblemError> {
    let space = ActionSpace::new(n, n_e)?;
    let item = |&(x, mask, p, c): &Spec<'_>| {
        let law = ExactLaw { p: fractions(p), c: c.iter().map(|c| fractions(c)).collect() };
        Ok(Item { x: fractions(x), active: space.active_from_mask(mask)?, law })
    };
    let items = rounds.iter().map(item).collect::<Result<_, ProblemError>>()?;
    Ok(Cycle { name, space, items, hold: 1 })
}

/// One input, two classes, an expert that is the best action and always there.
pub(crate) fn steady_expert() -> Result<Cycle, ProblemError> {
    let cost: &[Fraction] = &[(1, 4), (1, 4)];
    cycle("one input, expert best", (2, 1), &[(&[(0, 1)], 1, &[(3, 5), (2, 5)], &[cost])])
}

/// Two inputs: a class is best at one of them, the expert at the other.
pub(crate) fn two_regions() -> Result<Cycle, ProblemError> {
    let (weak, strong): (&[Fraction], &[Fraction]) = (&[(1, 2), (1, 2)], &[(1, 8), (1, 8)]);
    let rounds: [Spec<'_>; 2] =
        [(&[(1, 1)], 1, &[(7, 8), (1, 8)], &[weak]), (&[(-1, 1)], 1, &[(1, 2), (1, 2)], &[strong])];
    cycle("two inputs, class best at one, expert at the other", (2, 1), &rounds)
}

/// Two inputs, three classes, nobody to ask.
pub(crate) fn classes_alone() -> Result<Cycle, ProblemError> {
    let rounds: [Spec<'_>; 2] = [
        (&[(1, 1)], 0, &[(3, 4), (1, 8), (1, 8)], &[]),
        (&[(-1, 1)], 0, &[(1, 8), (1, 8), (3, 4)], &[]),
    ];
    cycle("two inputs, three classes, no expert", (3, 0), &rounds)
}

/// Streams with a hinge gap of exactly zero in the ball of radius `B = N = 3`.
pub(crate) fn zero_gap() -> Result<Vec<Cycle>, ProblemError> {
    Ok(vec![steady_expert()?, two_regions()?, classes_alone()?])
}

/// One input, a free expert that is always right and there every other round.
pub(crate) fn comes_and_goes() -> Result<Cycle, ProblemError> {
    let (p, free): (&[Fraction], &[Fraction]) = (&[(4, 5), (1, 5)], &[(0, 1), (0, 1)]);
    let x: &[Fraction] = &[(0, 1)];
    cycle(
        "one input, a perfect expert every other round",
        (2, 1),
        &[(x, 1, p, &[free]), (x, 0, p, &[free])],
    )
}

/// Two experts with overlapping availability at two inputs: nothing special holds.
pub(crate) fn drifting_pool() -> Result<Cycle, ProblemError> {
    let c: [&[Fraction]; 2] = [&[(1, 11), (1, 1), (6, 11)], &[(1, 1), (1, 11), (1, 11)]];
    let (p, r): (&[Fraction], &[Fraction]) =
        (&[(1, 2), (1, 4), (1, 4)], &[(1, 10), (7, 10), (1, 5)]);
    let (x, z): (&[Fraction], &[Fraction]) = (&[(1, 1), (0, 1)], &[(-1, 2), (1, 2)]);
    let rounds: [Spec<'_>; 6] =
        [(x, 3, p, &c), (z, 1, r, &c), (x, 0, p, &c), (z, 2, r, &c), (x, 2, p, &c), (z, 0, r, &c)];
    cycle("two inputs, two experts that come and go", (3, 2), &rounds)
}

/// Scores as concentrated as the theorem asks at horizon `root^2`: a sure label, one that misses by
/// exactly `1 / root`, and two inputs with sure labels.
pub(crate) fn concentrated(root: i64) -> Result<Vec<Cycle>, ProblemError> {
    let useless: &[Fraction] = &[(1, 1), (1, 1)];
    let x: &[Fraction] = &[(0, 1)];
    let rare: &[Fraction] = &[(1, root), (root - 1, root)];
    let sides: [Spec<'_>; 2] = [
        (&[(1, 1)], 0, &[(0, 1), (1, 1), (0, 1)], &[]),
        (&[(-1, 1)], 0, &[(0, 1), (0, 1), (1, 1)], &[]),
    ];
    Ok(vec![
        cycle("a sure label, a useless expert", (2, 1), &[(x, 1, &[(0, 1), (1, 1)], &[useless])])?,
        cycle("concentrated to the last digit", (2, 1), &[(x, 1, rare, &[useless])])?,
        cycle("two inputs with sure labels", (3, 0), &sides)?,
    ])
}

/// A stream that turns: half the active actions earn everything, and after a fifteenth of the rounds it is
/// the other half. `n` actions of which `active` can be played, input `x`. The learner is far on the wrong
/// side by then, and its steps have become small.
pub(crate) fn turning(n: usize, active: usize, x: i64) -> Result<Cycle, ProblemError> {
    let space = ActionSpace::new(2, n - 2)?;
    let mask = (1u128 << (active - 2)) - 1;
    let item = |second: bool| {
        let p = fractions(if second { &[(0, 1), (1, 1)] } else { &[(1, 1), (0, 1)] });
        let free = |j: usize| (j < (active - 2) / 2) != second;
        let c = (0..n - 2).map(|j| vec![ratio(i64::from(!free(j)), 1); 2]).collect();
        let active = space.active_from_mask(mask)?;
        Ok(Item { x: vec![ratio(x, 1)], active, law: ExactLaw { p, c } })
    };
    let mut items = vec![item(false)?];
    items.extend(vec![item(true)?; 14]);
    Ok(Cycle {
        name: "half the actions earn everything, then the other half",
        space,
        items,
        hold: 1,
    })
}

/// A sure label at the last class of two, experts that are always wrong: nothing is earned until the
/// label is found.
pub(crate) fn sure_label(n: usize) -> Result<Cycle, ProblemError> {
    let space = ActionSpace::new(2, n - 2)?;
    let law = ExactLaw { p: fractions(&[(0, 1), (1, 1)]), c: vec![vec![ratio(1, 1); 2]; n - 2] };
    let items = vec![Item { x: vec![ratio(0, 1)], active: space.all_active(), law }];
    Ok(Cycle { name: "a sure label among many actions", space, items, hold: 1 })
}

/// Two classes, six experts of different quality and the first `patterns` of their 64 sets in turn.
pub(crate) fn patterns(patterns: u128) -> Result<Cycle, ProblemError> {
    let space = ActionSpace::new(2, 6)?;
    let law = || ExactLaw {
        p: fractions(&[(3, 5), (2, 5)]),
        c: (0..6).map(|j| vec![ratio(j, 6), ratio(5 - j, 6)]).collect(),
    };
    let item = |mask: u128| {
        Ok(Item { x: vec![ratio(0, 1)], active: space.active_from_mask(63 - mask)?, law: law() })
    };
    let items = (0..patterns).map(item).collect::<Result<_, ProblemError>>()?;
    Ok(Cycle { name: "experts come and go in many patterns", space, items, hold: 1 })
}

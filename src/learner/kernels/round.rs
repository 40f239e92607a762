//! What a round does with the scores of all lanes, and with the coefficients of a step: centring over the
//! active actions, the mixture, the constrained hinge.
//!
//! Lanes stand for actions, and those that are not active stay zero. Every loop is as long as the lanes
//! or the experts, the same in every round: one over the active actions ends elsewhere each time, and an
//! end that a processor guesses wrong costs as much as the arithmetic. For the same reason nothing here
//! is moved together and spread out again. Only sums follow the active actions: the position of one among
//! them says which of four sums it belongs to, as in `zero_sum::center`.
//!
//! The twins are [`ActiveSet::gather`], [`ActiveSet::scatter`] and the slices of `zero_sum`,
//! `exploration` and `estimator`.

use super::lanes::{dispatch, kernel, quads, quads_mut, total};
use super::{Cpu, Motion};
use problem::ActiveSet;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Scores of a round and what follows from them. All arrays are as long as the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The lane of the largest score.
    pub greedy: usize,
    /// What it was when the same experts were available last, which is tried first.
    guesses: [u8; GUESSES],
    /// Scores of the active lanes, less their mean; zero elsewhere.
    pub centred: Vec<f64>,
    /// The same, moved together.
    pub u: Vec<f64>,
    /// The mixture of Sec. 4.1, likewise.
    pub q: Vec<f64>,
}

/// Sets of experts that are told apart: those of the first four, or of a few more.
const GUESSES: usize = 16;

impl Chosen {
    pub(crate) fn new(lanes: usize) -> Self {
        let zeros = || vec![0.0; lanes];
        let guesses = [0; GUESSES];
        Chosen { greedy: 0, guesses, centred: zeros(), u: zeros(), q: zeros() }
    }
}

/// Coefficients of a gradient.
#[derive(Clone, Copy)]
pub(crate) enum Gradient<'a> {
    /// Those of `weight` times the constrained hinge with the lane `target` as its target, not yet centred.
    Hinge { centred: &'a [f64], target: usize, weight: f64 },
    /// In the array that the step goes to, centred and spread over the lanes.
    There,
}

kernel!(
    Choose = choose_lanes(
        scores: (&'a [f64], f64), active: &'a ActiveSet, gamma: f64, chosen: &'a mut Chosen
    ) -> ()
);
kernel!(
    Step = step_lanes(
        gradient: Gradient<'a>, active: &'a ActiveSet, eta: &'a f64, unscale: f64,
        scores: &'a [f64], c: &'a mut [f64]
    ) -> Motion
);

/// Centres `scale` times the active `scores` and mixes around the largest.
#[inline]
pub(crate) fn choose(
    cpu: Cpu,
    (scores, scale): (&[f64], f64),
    active: &ActiveSet,
    gamma: f64,
    chosen: &mut Chosen,
) {
    if scores.len() == 4 {
        return choose_lanes::<4, 4>((scores, scale), active, gamma, chosen);
    }
    dispatch!(cpu, scores.len(), Choose((scores, scale), active, gamma, chosen))
}

/// `c_a = -eta g_a unscale` for the centred coefficients `g`. Returns `<c, scores>` and `|c|^2`, or
/// [`Motion::NONE`] if all coefficients were zero before.
// The rate is borrowed: written now and read in a vector with its neighbour, it would be waited for.
#[inline]
pub(crate) fn step(
    cpu: Cpu,
    gradient: Gradient<'_>,
    active: &ActiveSet,
    (eta, unscale): (&f64, f64),
    scores: &[f64],
    c: &mut [f64],
) -> Motion {
    if scores.len() == 4 {
        return step_lanes::<4, 4>(gradient, active, eta, unscale, scores, c);
    }
    dispatch!(cpu, scores.len(), Step(gradient, active, eta, unscale, scores, c))
}

#[inline(always)]
fn choose_lanes<const L: usize, const P: usize>(
    (scores, scale): (&[f64], f64),
    active: &ActiveSet,
    gamma: f64,
    chosen: &mut Chosen,
) {
    let (active, scores) = (*active, lanes::<L>(scores));
    // A number that is needed out of turn is worked out again, so that the others stay in registers.
    let at = |lane: usize| scale * scores[lane];
    let mut values = *scores;
    for quad in quads_mut(&mut values) {
        *quad = std::array::from_fn(|a| scale * quad[a]);
    }
    let mean = center(&mut values, at, active);
    keep_active(&mut values, active);
    let centred = lanes_mut::<L>(&mut chosen.centred);
    *centred = values;
    let known = &mut chosen.guesses[(active.bits() >> experts::<L>(active).0) as usize % GUESSES];
    let guess = usize::from(*known);
    // A mean that is finite says that all scores are numbers: they can be compared in any order.
    chosen.greedy = if !mean.is_finite() {
        first_largest_in_order(centred, active)
    } else if is_active(active, guess) == 1
        && is_first_largest(&values, at(guess) - mean, active, guess)
    {
        guess
    } else {
        first_largest(centred, active)
    };
    *known = chosen.greedy as u8;
    let share = gamma / active.len() as f64;
    let q = lanes_mut::<L>(&mut chosen.q);
    *q = [share; L];
    q[position(active, chosen.greedy)] = share + (1.0 - gamma);
    let u = lanes_mut::<L>(&mut chosen.u);
    *u = values;
    let (begin, end) = experts::<L>(active);
    let mut place = begin;
    for lane in begin..end {
        u[place] = centred[lane];
        place += is_active(active, lane) as usize;
    }
}

#[inline(always)]
fn step_lanes<const L: usize, const P: usize>(
    gradient: Gradient<'_>,
    active: &ActiveSet,
    eta: &f64,
    unscale: f64,
    scores: &[f64],
    c: &mut [f64],
) -> Motion {
    let (rate, active, c) = (-*eta, *active, lanes_mut::<L>(c));
    let mut g = *c;
    if let Gradient::Hinge { centred, target, weight } = gradient {
        g = *lanes::<L>(centred);
        let mut flat = [0u64; 4];
        for quad in quads(&g) {
            flat = std::array::from_fn(|a| flat[a] | !all(1.0 + quad[a] > 0.0));
        }
        // Often no loss is flat, and then the coefficients need not wait for the scores.
        if flat == [0; 4] {
            g = [weight; L];
        } else {
            for quad in quads_mut(&mut g) {
                let derivative = |u: f64| if 1.0 + u > 0.0 { -1.0 } else { 0.0 };
                *quad = std::array::from_fn(|a| 0.0 - weight * derivative(quad[a]));
            }
        }
        keep(&mut g, window(&OTHER, target));
        keep_active(&mut g, active);
        if is_zero(&g) {
            return Motion::NONE;
        }
        *c = g;
        center(&mut g, |lane| c[lane], active);
    }
    let scores: &[f64; L] = lanes(scores);
    let (mut dot, mut norm2) = ([0.0; 4], [0.0; 4]);
    for (q, c) in quads_mut(c).iter_mut().enumerate() {
        let (g, score, mask) = (quads(&g)[q], quads(scores)[q], active_four(active, q));
        let moved: [f64; 4] =
            std::array::from_fn(|a| f64::from_bits((rate * g[a] * unscale).to_bits() & mask[a]));
        dot = std::array::from_fn(|a| dot[a] + moved[a] * score[a]);
        norm2 = std::array::from_fn(|a| norm2[a] + moved[a] * moved[a]);
        *c = moved;
    }
    Motion { dot: total(&dot), norm2: total(&norm2) }
}

#[inline(always)]
fn lanes<const L: usize>(slice: &[f64]) -> &[f64; L] {
    slice[..L].try_into().expect("an array as long as the lanes")
}

#[inline(always)]
fn lanes_mut<const L: usize>(slice: &mut [f64]) -> &mut [f64; L] {
    (&mut slice[..L]).try_into().expect("an array as long as the lanes")
}

/// All bits where `yes`, none otherwise.
#[inline(always)]
fn all(yes: bool) -> u64 {
    if yes { u64::MAX } else { 0 }
}

/// All bits of 128 numbers, and none of 128 more: a window of it keeps the first few of an array.
static FIRST: [u64; 256] = {
    let mut first = [0; 256];
    let mut p = 0;
    while p < 128 {
        first[p] = u64::MAX;
        p += 1;
    }
    first
};

/// All bits of all numbers but one in the middle: a window of it keeps all of an array but that one.
static OTHER: [u64; 256] = {
    let mut other = [u64::MAX; 256];
    other[128] = 0;
    other
};

/// One of four, and none.
static ONE_OF_FOUR: [[u64; 4]; 5] = {
    let mut one = [[0; 4]; 5];
    let mut p = 0;
    while p < 4 {
        one[p][p] = u64::MAX;
        p += 1;
    }
    one
};

/// `L` numbers of a table whose middle falls on `at`.
#[inline(always)]
fn window<const L: usize>(table: &'static [u64; 256], at: usize) -> &'static [u64; L] {
    table[128 - at..][..L].try_into().expect("at most 128 lanes")
}

/// Turns the entries to zero for which `mask` has no bits.
#[inline(always)]
fn keep<const L: usize>(values: &mut [f64; L], mask: &[u64; L]) {
    for (quad, mask) in quads_mut(values).iter_mut().zip(mask.as_chunks::<4>().0) {
        *quad = std::array::from_fn(|a| f64::from_bits(quad[a].to_bits() & mask[a]));
    }
}

/// Turns the lanes to zero that are not active.
#[inline(always)]
fn keep_active<const L: usize>(values: &mut [f64; L], active: ActiveSet) {
    for (q, quad) in quads_mut(values).iter_mut().enumerate() {
        let mask = active_four(active, q);
        *quad = std::array::from_fn(|a| f64::from_bits(quad[a].to_bits() & mask[a]));
    }
}

/// All bits for the active ones among lanes `4 q ..`.
#[inline(always)]
fn active_four(active: ActiveSet, q: usize) -> [u64; 4] {
    std::array::from_fn(|a| 0u64.wrapping_sub(is_active(active, 4 * q + a)))
}

#[inline(always)]
fn is_zero<const L: usize>(values: &[f64; L]) -> bool {
    let mut nonzero = [0u64; 4];
    for quad in quads(values) {
        nonzero = std::array::from_fn(|a| nonzero[a] | all(quad[a] != 0.0));
    }
    nonzero == [0; 4]
}

/// Where the experts begin among the lanes, and where they end. The classes before them are always
/// active.
#[inline(always)]
fn experts<const L: usize>(active: ActiveSet) -> (usize, usize) {
    let space = active.space();
    (space.classes().min(L), space.len().min(L))
}

/// One if the lane is active, else zero.
#[inline(always)]
fn is_active(active: ActiveSet, lane: usize) -> u64 {
    // Shifts of 128 bits are many instructions.
    let word = if lane < 64 { active.bits() as u64 } else { (active.bits() >> 64) as u64 };
    word >> (lane % 64) & 1
}

/// Position of an active lane among the active ones.
#[inline(always)]
fn position(active: ActiveSet, lane: usize) -> usize {
    let (low, high) = (active.bits() as u64, (active.bits() >> 64) as u64);
    let below = |word: u64, end: usize| (word & !(u64::MAX << end)).count_ones() as usize;
    if lane < 64 { below(low, lane) } else { low.count_ones() as usize + below(high, lane - 64) }
}

/// Subtracts the mean of the active lanes, and returns it. `at` says once more what stands in a lane.
#[inline(always)]
fn center<const L: usize>(
    values: &mut [f64; L],
    at: impl Fn(usize) -> f64,
    active: ActiveSet,
) -> f64 {
    let (begin, end) = experts::<L>(active);
    let mut classes = *values;
    keep(&mut classes, window(&FIRST, begin));
    let mut sums = [0.0; 4];
    for quad in quads(&classes) {
        sums = std::array::from_fn(|a| sums[a] + quad[a]);
    }
    let mut position = begin;
    for lane in begin..end {
        let here = is_active(active, lane) as usize;
        let mask = &ONE_OF_FOUR[if here == 1 { position % 4 } else { 4 }];
        let value = at(lane).to_bits();
        sums = std::array::from_fn(|a| sums[a] + f64::from_bits(value & mask[a]));
        position += here;
    }
    let mean = ((sums[0] + sums[1]) + (sums[2] + sums[3])) / active.len() as f64;
    for quad in quads_mut(values) {
        *quad = std::array::from_fn(|a| quad[a] - mean);
    }
    mean
}

/// Whether no active lane has more than `most`, which the lane `guess` has, and none before it as much.
/// Where it is so, which is nearly always, whatever follows need not wait for a search.
#[inline(always)]
fn is_first_largest<const L: usize>(
    values: &[f64; L],
    most: f64,
    active: ActiveSet,
    guess: usize,
) -> bool {
    let mut beaten = [0u64; 4];
    let before = window::<L>(&FIRST, guess).as_chunks::<4>().0;
    for (q, (quad, before)) in quads(values).iter().zip(before).enumerate() {
        let mask = active_four(active, q);
        beaten = std::array::from_fn(|a| {
            let more = all(quad[a] > most) | (all(quad[a] == most) & before[a]);
            beaten[a] | (more & mask[a])
        });
    }
    beaten == [0; 4]
}

/// The active lane with the largest value, the lowest at a tie. All of them must be numbers.
#[inline(always)]
fn first_largest<const L: usize>(values: &[f64; L], active: ActiveSet) -> usize {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut most = [f64::NEG_INFINITY; 4];
    for (q, quad) in quads(values).iter().enumerate() {
        let mask = active_four(active, q);
        most = std::array::from_fn(|a| {
            let lowest = f64::NEG_INFINITY.to_bits() & !mask[a];
            larger(f64::from_bits(quad[a].to_bits() & mask[a] | lowest), most[a])
        });
    }
    let most = larger(larger(most[0], most[1]), larger(most[2], most[3]));
    (0..L).find(|&lane| values[lane] == most && is_active(active, lane) == 1).unwrap_or(0)
}

/// The same where a score may be no number, one after the other as in `exploration::greedy_position`.
#[cold]
fn first_largest_in_order(values: &[f64], active: ActiveSet) -> usize {
    let mut lanes = active.iter().map(|action| action.index());
    let first = lanes.next().unwrap_or(0);
    lanes.fold(first, |best, lane| if values[lane] > values[best] { lane } else { best })
}

#[cfg(test)]
mod tests;

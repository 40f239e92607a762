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

use super::lanes::{self, copy_and_square, rank_one_then_scores};
use super::{Columns, Cpu, Motion};
use problem::{ActiveSet, Features, SparseRow};
use pulp::{Simd, WithSimd};

/// Scores of a round and what follows from them. All arrays are as long as the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The lane of the largest score.
    pub greedy: usize,
    /// What it was when the same experts were available last for an input like this, which is tried first.
    guesses: [u8; GUESSES],
    /// Scores of the active lanes, less their mean; zero elsewhere.
    pub centred: Vec<f64>,
    /// The same, moved together.
    pub u: Vec<f64>,
    /// The mixture of Sec. 4.1, likewise.
    pub q: Vec<f64>,
}

/// Kinds of rounds that are told apart: sixteen sets of experts or more of them, and eight kinds of inputs.
const GUESSES: usize = 128;

/// The kind of an input, from its first and its last value: streams of a few inputs have a greedy action
/// for each of them.
#[inline(always)]
fn kind(x: &[f64]) -> usize {
    let (first, last) = (x.first().unwrap_or(&0.0), x.last().unwrap_or(&0.0));
    let mixed = first.to_bits() ^ last.to_bits().rotate_left(5);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61) as usize
}

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

/// A round up to the decision.
///
/// Borrowed by the kernels: of one that is handed over some fields would be read in one go just after
/// they were written one by one, and a processor waits for that.
pub(crate) struct Asked<'a> {
    /// The weights, and their scale.
    pub v: (&'a mut Columns, f64),
    /// The dense input of a step that is still to be taken, and its coefficients: only where `x` is dense.
    pub step: Option<(&'a [f64], &'a [f64])>,
    /// The values of the input.
    pub x: &'a [f64],
    /// Becomes a copy of `x`.
    pub copy: &'a mut Vec<f64>,
    /// The scores of all lanes.
    pub scores: &'a mut [f64],
    pub active: &'a ActiveSet,
    pub gamma: f64,
    pub chosen: &'a mut Chosen,
}

/// [`score_and_choose`] of `L = 4 Q` lanes, for a dense input.
struct ScoreAndChoose<'a, 'b, const L: usize, const Q: usize>(&'a mut Asked<'b>);

impl<const L: usize, const Q: usize> WithSimd for ScoreAndChoose<'_, '_, L, Q> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Asked { ref mut v, step, x, ref mut copy, ref mut scores, .. } = *self.0;
        let squares = lanes::score_dense::<S, L, 4>(simd, v.0, step, x, copy, scores);
        choose_if_finite::<S, Q>(simd, self.0, squares, kind(x));
        squares
    }
}

/// The same for a sparse one. (Not one kernel for both: the dense one would get slower.)
struct ScoreSparseAndChoose<'a, 'b, const L: usize, const Q: usize>(
    &'a mut Asked<'b>,
    SparseRow<'a>,
);

impl<const L: usize, const Q: usize> WithSimd for ScoreSparseAndChoose<'_, '_, L, Q> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Asked { ref v, ref mut copy, ref mut scores, .. } = *self.0;
        let squares = lanes::score_sparse::<S, L, 4>(simd, v.0, self.1, copy, scores);
        // Documents are many, and all of one kind.
        choose_if_finite::<S, Q>(simd, self.0, squares, 0);
        squares
    }
}

#[inline(always)]
fn choose_if_finite<S: Simd, const Q: usize>(
    simd: S,
    asked: &mut Asked<'_>,
    squares: f64,
    kind: usize,
) {
    let Asked { ref v, ref scores, active, gamma, ref mut chosen, .. } = *asked;
    if are_finite(squares, scores) {
        choose_fours::<S, Q>(simd, (scores, v.1), active, gamma, kind, chosen);
    }
}

/// Whether an input, of which `squares` is the sum of the squared values, and its scores are finite.
/// Lane 0 sums over every feature, and a sum that met NaN or infinity never gets rid of it.
#[inline(always)]
pub(crate) fn are_finite(squares: f64, scores: &[f64]) -> bool {
    (1.0 + squares).is_finite() && scores[0].is_finite()
}

/// Takes the step, scores the input and chooses if that is finite. Every weight is read once and written
/// once where the input is dense; a sparse one says where its values stand. Returns the sum of their squares.
#[inline]
pub(crate) fn score_and_choose(
    cpu: Cpu,
    mut asked: Asked<'_>,
    sparse: Option<SparseRow<'_>>,
) -> f64 {
    asked.copy.resize(asked.x.len(), 0.0);
    match (asked.scores.len(), sparse) {
        (4, None) => return cpu.run(ScoreAndChoose::<4, 1>(&mut asked)),
        (8, None) => return cpu.run(ScoreAndChoose::<8, 2>(&mut asked)),
        (12, None) => return cpu.run(ScoreAndChoose::<12, 3>(&mut asked)),
        (4, Some(row)) => return cpu.run(ScoreSparseAndChoose::<4, 1>(&mut asked, row)),
        (8, Some(row)) => return cpu.run(ScoreSparseAndChoose::<8, 2>(&mut asked, row)),
        (12, Some(row)) => return cpu.run(ScoreSparseAndChoose::<12, 3>(&mut asked, row)),
        _ => {}
    }
    let Asked { v: (v, scale), step, x, copy, scores, active, gamma, chosen } = asked;
    match (sparse, step) {
        (Some(row), _) => lanes::scores(cpu, v, Features::Sparse(row), scores),
        (None, Some(step)) => rank_one_then_scores(cpu, v, step, x, scores),
        (None, None) => lanes::scores(cpu, v, Features::Dense(x), scores),
    }
    let squares = copy_and_square(cpu, x, copy);
    if are_finite(squares, scores) {
        choose(cpu, (scores, scale), active, gamma, chosen);
    }
    squares
}

/// [`choose`] of `Q` times four lanes.
struct Choose<'a, const Q: usize>((&'a [f64], f64), &'a ActiveSet, f64, &'a mut Chosen);

impl<const Q: usize> WithSimd for Choose<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        choose_fours::<S, Q>(simd, self.0, self.1, self.2, 0, self.3);
    }
}

/// [`step`] of `Q` times four lanes.
struct Step<'a, const Q: usize>(&'a mut StepTask<'a>);

/// Borrowed, like [`Asked`].
struct StepTask<'a> {
    gradient: Gradient<'a>,
    active: &'a ActiveSet,
    eta: f64,
    unscale: f64,
    scores: &'a [f64],
    c: &'a mut [f64],
}

impl<const Q: usize> WithSimd for Step<'_, Q> {
    type Output = Motion;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Motion {
        step_fours::<S, Q>(simd, self.0)
    }
}

/// Runs a kernel compiled for `$lanes` lanes on the given instruction set.
macro_rules! dispatch {
    ($cpu:expr, $lanes:expr, $kernel:ident($($arg:expr),*)) => {
        match $lanes {
            4 => $cpu.run($kernel::<1>($($arg),*)),
            8 => $cpu.run($kernel::<2>($($arg),*)),
            12 => $cpu.run($kernel::<3>($($arg),*)),
            16 => $cpu.run($kernel::<4>($($arg),*)),
            24 => $cpu.run($kernel::<6>($($arg),*)),
            32 => $cpu.run($kernel::<8>($($arg),*)),
            48 => $cpu.run($kernel::<12>($($arg),*)),
            64 => $cpu.run($kernel::<16>($($arg),*)),
            96 => $cpu.run($kernel::<24>($($arg),*)),
            _ => $cpu.run($kernel::<32>($($arg),*)),
        }
    };
}

/// Centres `scale` times the active `scores` and mixes around the largest.
#[inline]
pub(super) fn choose(
    cpu: Cpu,
    scores: (&[f64], f64),
    active: &ActiveSet,
    gamma: f64,
    chosen: &mut Chosen,
) {
    dispatch!(cpu, scores.0.len(), Choose(scores, active, gamma, chosen))
}

/// `c_a = -eta g_a unscale` for the centred coefficients `g`. Returns `<c, scores>` and `|c|^2`, or
/// [`Motion::NONE`] if all coefficients were zero before.
// Always: a gradient that has just been written piece by piece would be copied in larger ones.
#[inline(always)]
pub(crate) fn step(
    cpu: Cpu,
    gradient: Gradient<'_>,
    active: &ActiveSet,
    (eta, unscale): (f64, f64),
    scores: &[f64],
    c: &mut [f64],
) -> Motion {
    let mut task = StepTask { gradient, active, eta, unscale, scores, c };
    dispatch!(cpu, scores.len(), Step(&mut task))
}

#[inline(always)]
fn choose_fours<S: Simd, const Q: usize>(
    simd: S,
    (scores, scale): (&[f64], f64),
    active: &ActiveSet,
    gamma: f64,
    kind: usize,
    chosen: &mut Chosen,
) {
    let (active, scores) = (*active, fours::<Q>(scores));
    // A number that is needed out of turn is worked out again, so that the others stay in registers.
    let at = |lane: usize| scale * scores.as_flattened()[lane];
    let scales = simd.splat_f64s(scale);
    let mut values = load::<S, Q>(scores);
    for value in &mut values {
        *value = simd.mul_f64s(scales, *value);
    }
    let mean = center(simd, &mut values, at, active);
    keep_active(simd, &mut values, active);
    let centred = fours_mut::<Q>(&mut chosen.centred);
    store::<S, Q>(&values, centred);
    // Behind 128 classes there is nobody, and by how far it is shifted does not matter.
    let available = active.bits().wrapping_shr(active.space().classes() as u32) as usize;
    let known = &mut chosen.guesses[8 * (available % 16) + kind];
    let guess = usize::from(*known);
    // A mean that is finite says that all scores are numbers: they can be compared in any order.
    chosen.greedy = if !mean.is_finite() {
        first_largest_in_order(centred.as_flattened(), active)
    } else if is_active(active, guess) == 1
        && is_first_largest(simd, &values, at(guess) - mean, active, guess)
    {
        guess
    } else {
        first_largest(centred.as_flattened(), active)
    };
    *known = chosen.greedy as u8;
    let share = gamma / active.len() as f64;
    let q = fours_mut::<Q>(&mut chosen.q);
    store::<S, Q>(&[simd.splat_f64s(share); Q], q);
    q.as_flattened_mut()[position(active, chosen.greedy)] = share + (1.0 - gamma);
    let u = fours_mut::<Q>(&mut chosen.u);
    store::<S, Q>(&values, u);
    let (centred, u) = (centred.as_flattened(), u.as_flattened_mut());
    let (begin, end) = experts::<Q>(active);
    let mut place = begin;
    for lane in begin..end {
        u[place] = centred[lane];
        place += is_active(active, lane) as usize;
    }
}

#[inline(always)]
fn step_fours<S: Simd, const Q: usize>(simd: S, task: &mut StepTask<'_>) -> Motion {
    let StepTask { gradient, active, eta, unscale, scores, ref mut c } = *task;
    let (rate, active) = (simd.splat_f64s(-eta), *active);
    let (scores, c) = (fours::<Q>(scores), fours_mut::<Q>(c));
    let mut g = load::<S, Q>(c);
    if let Gradient::Hinge { centred, target, weight } = gradient {
        let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
        let slope = simd.splat_f64s(weight);
        let centred = load::<S, Q>(fours::<Q>(centred));
        let mut steep = [simd.less_than_f64s(zero, one); Q];
        let mut all_steep = steep[0];
        for (steep, u) in steep.iter_mut().zip(centred) {
            *steep = simd.greater_than_f64s(simd.add_f64s(one, u), zero);
            all_steep = simd.and_m64s(all_steep, *steep);
        }
        // Often no loss is flat, and then the coefficients need not wait for the scores.
        g = [slope; Q];
        let no_loss_is_flat = !any(simd, simd.not_m64s(all_steep));
        if !no_loss_is_flat {
            for (g, steep) in g.iter_mut().zip(steep) {
                *g = simd.select_f64s(steep, slope, zero);
            }
        }
        keep(simd, &mut g, window(&OTHER, target));
        keep_active(simd, &mut g, active);
        let zero = if no_loss_is_flat {
            // The target is active.
            weight == 0.0 || active.len() == 1
        } else {
            is_zero(simd, &g)
        };
        if zero {
            return Motion::NONE;
        }
        store::<S, Q>(&g, c);
        center(simd, &mut g, |lane| c.as_flattened()[lane], active);
    }
    let unscale = simd.splat_f64s(unscale);
    let (mut dot, mut norm2) = (simd.splat_f64s(0.0), simd.splat_f64s(0.0));
    for q in 0..Q {
        let moved = simd.mul_f64s(simd.mul_f64s(rate, g[q]), unscale);
        let moved = simd.and_f64s(moved, pulp::cast(*active_four(active, q)));
        dot = simd.add_f64s(dot, simd.mul_f64s(moved, pulp::cast(scores[q])));
        norm2 = simd.add_f64s(norm2, simd.mul_f64s(moved, moved));
        c[q] = pulp::cast(moved);
    }
    Motion { dot: total::<S>(dot), norm2: total::<S>(norm2) }
}

#[inline(always)]
fn fours<const Q: usize>(slice: &[f64]) -> &[[f64; 4]; Q] {
    slice[..4 * Q].as_chunks().0.try_into().expect("an array as long as the lanes")
}

#[inline(always)]
fn fours_mut<const Q: usize>(slice: &mut [f64]) -> &mut [[f64; 4]; Q] {
    slice[..4 * Q].as_chunks_mut().0.try_into().expect("an array as long as the lanes")
}

#[inline(always)]
fn load<S: Simd, const Q: usize>(fours: &[[f64; 4]; Q]) -> [S::f64s; Q] {
    std::array::from_fn(|q| pulp::cast(fours[q]))
}

#[inline(always)]
fn store<S: Simd, const Q: usize>(values: &[S::f64s; Q], fours: &mut [[f64; 4]; Q]) {
    for q in 0..Q {
        fours[q] = pulp::cast(values[q]);
    }
}

/// The sum of four lanes.
#[inline(always)]
fn total<S: Simd>(four: S::f64s) -> f64 {
    let four: [f64; 4] = pulp::cast(four);
    (four[0] + four[1]) + (four[2] + four[3])
}

/// Whether any of four lanes is marked.
#[inline(always)]
fn any<S: Simd>(simd: S, mask: S::m64s) -> bool {
    let words: [u64; 4] = pulp::cast(simd.transmute_u64s_m64s(mask));
    words != [0; 4]
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

/// All bits of those numbers of a four whose bit is set.
static SOME_OF_FOUR: [[u64; 4]; 16] = {
    let mut some = [[0; 4]; 16];
    let mut p = 0;
    while p < 64 {
        some[p / 4][p % 4] = if (p / 4) >> (p % 4) & 1 == 1 { u64::MAX } else { 0 };
        p += 1;
    }
    some
};

/// `Q` fours of a table whose middle falls on `at`.
#[inline(always)]
fn window<const Q: usize>(table: &'static [u64; 256], at: usize) -> &'static [[u64; 4]; Q] {
    table[128 - at..][..4 * Q].as_chunks().0.try_into().expect("at most 128 lanes")
}

/// Turns the entries to zero for which `mask` has no bits.
#[inline(always)]
fn keep<S: Simd, const Q: usize>(simd: S, values: &mut [S::f64s; Q], mask: &[[u64; 4]; Q]) {
    for q in 0..Q {
        values[q] = simd.and_f64s(values[q], pulp::cast(mask[q]));
    }
}

/// Turns the lanes to zero that are not active.
#[inline(always)]
fn keep_active<S: Simd, const Q: usize>(simd: S, values: &mut [S::f64s; Q], active: ActiveSet) {
    for q in 0..Q {
        values[q] = simd.and_f64s(values[q], pulp::cast(*active_four(active, q)));
    }
}

/// All bits for the active ones among lanes `4 q ..`.
#[inline(always)]
fn active_four(active: ActiveSet, q: usize) -> &'static [u64; 4] {
    // Shifts of 128 bits are many instructions.
    let word = if q < 16 { active.bits() as u64 } else { (active.bits() >> 64) as u64 };
    &SOME_OF_FOUR[(word >> (4 * q % 64)) as usize % 16]
}

#[inline(always)]
fn is_zero<S: Simd, const Q: usize>(simd: S, values: &[S::f64s; Q]) -> bool {
    let zero = simd.splat_f64s(0.0);
    let mut all = simd.equal_f64s(zero, zero);
    for &value in values {
        all = simd.and_m64s(all, simd.equal_f64s(value, zero));
    }
    !any(simd, simd.not_m64s(all))
}

/// Where the experts begin among the lanes, and where they end. The classes before them are always
/// active.
#[inline(always)]
fn experts<const Q: usize>(active: ActiveSet) -> (usize, usize) {
    let space = active.space();
    (space.classes().min(4 * Q), space.len().min(4 * Q))
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
fn center<S: Simd, const Q: usize>(
    simd: S,
    values: &mut [S::f64s; Q],
    at: impl Fn(usize) -> f64,
    active: ActiveSet,
) -> f64 {
    let (begin, end) = experts::<Q>(active);
    let mut classes = *values;
    keep(simd, &mut classes, window(&FIRST, begin));
    let mut sums = simd.splat_f64s(0.0);
    for value in classes {
        sums = simd.add_f64s(sums, value);
    }
    let mut position = begin;
    for lane in begin..end {
        let here = is_active(active, lane) as usize;
        let mask = SOME_OF_FOUR[here << (position % 4)];
        let value = simd.and_f64s(simd.splat_f64s(at(lane)), pulp::cast(mask));
        sums = simd.add_f64s(sums, value);
        position += here;
    }
    let mean = total::<S>(sums) / active.len() as f64;
    let means = simd.splat_f64s(mean);
    for value in values {
        *value = simd.sub_f64s(*value, means);
    }
    mean
}

/// Whether no active lane has more than `most`, which the lane `guess` has, and none before it as much.
/// Where it is so, which is nearly always, whatever follows need not wait for a search.
#[inline(always)]
fn is_first_largest<S: Simd, const Q: usize>(
    simd: S,
    values: &[S::f64s; Q],
    most: f64,
    active: ActiveSet,
    guess: usize,
) -> bool {
    let most = simd.splat_f64s(most);
    let before = window::<Q>(&FIRST, guess);
    let words = |mask| simd.transmute_u64s_m64s(mask);
    let mut beaten = simd.splat_u64s(0);
    for q in 0..Q {
        let equal = words(simd.equal_f64s(values[q], most));
        let more = words(simd.greater_than_f64s(values[q], most));
        let more = simd.or_u64s(more, simd.and_u64s(equal, pulp::cast(before[q])));
        let more = simd.and_u64s(more, pulp::cast(*active_four(active, q)));
        beaten = simd.or_u64s(beaten, more);
    }
    let beaten: [u64; 4] = pulp::cast(beaten);
    beaten == [0; 4]
}

/// The active lane with the largest value, the lowest at a tie. All of them must be numbers.
#[inline(always)]
fn first_largest(values: &[f64], active: ActiveSet) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (lane, &value) in values.iter().enumerate() {
        let larger = is_active(active, lane) == 1 && value > best.0;
        best = if larger { (value, lane) } else { best };
    }
    best.1
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

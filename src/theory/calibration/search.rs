//! The largest ratio of zero-one gap to stated calibration function.

use super::cheapest::{Cheapest, cheapest, cheapest_gap};
use super::compass::{Bounds, climb_best};
use super::{check_actions, sharp_supremum};
use crate::TheoryError;
use crate::loss::SurrogateId;
use crate::prec;
use rand::RngExt;
use rand_pcg::Pcg64;
use serde::Serialize;
use std::sync::LazyLock;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CalibrationEffort {
    /// Random distributions tried besides the structured ones.
    pub random_starts: usize,
    /// How many of the best starts are improved by local search.
    pub refined: usize,
}

impl Default for CalibrationEffort {
    fn default() -> Self {
        CalibrationEffort { random_starts: 200, refined: 16 }
    }
}

/// What a search found. The chosen action is 0 and the best one is 1, so that a tie between them
/// goes to the chosen one under the lowest-index rule too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationReport {
    /// The surrogate with its parameter.
    pub surrogate: String,
    /// `K`, which also stands for the paper's `N` in `Gamma`.
    pub k: usize,
    /// `zero_one_gap / Gamma(surrogate_gap)`: the largest found.
    pub ratio: f64,
    /// Whether the ratio is above one by more than rounding.
    pub exceeds: bool,
    /// The least upper bound of the ratio where it is known in closed form.
    pub supremum: Option<f64>,
    /// The distribution.
    pub s: Vec<f64>,
    /// The scores.
    pub u: Vec<f64>,
    /// `max s - s_0`.
    pub zero_one_gap: f64,
    /// `C_Phi(u) - inf C_Phi`.
    pub surrogate_gap: f64,
    /// Scores close to `u` whose only maximiser is action 0, so that no tie is left to break.
    pub strict_u: Vec<f64>,
    /// The ratio at those.
    pub strict_ratio: f64,
    /// Distributions for which the cheapest wrong scores were computed.
    pub evaluations: usize,
    /// How many of them the numerical minimisation did not solve.
    pub unsolved: usize,
}

/// Searches all distributions on `k` actions and all score vectors for the largest
/// `zero-one gap / Gamma(surrogate gap)`, with `Gamma` as App. E states it and `N = k`.
///
/// For a given distribution the scores are optimal ([`super::cheapest_scores`]), so only distributions are
/// searched: near-uniform ones, two points, faces, plateaus, random ones, then local search.
///
/// # Errors
/// `k` outside `2..=12`.
pub fn search(
    id: SurrogateId,
    k: usize,
    effort: CalibrationEffort,
) -> Result<CalibrationReport, TheoryError> {
    check_actions(k)?;
    let mut tally = Tally { id, gamma: id.gamma(k), evaluations: 0, solved: 0 };
    let mut rng = Pcg64::new(0xca11_b2a7, k as u128);
    let low = lower_corner(k);
    let high = vec![0.0; k - 1];

    let mut starts = structured_starts(k);
    starts.extend((0..effort.random_starts).map(|_| random_start(&low, &mut rng)));
    let bounds = Bounds { low: &low, high: &high };
    let (best_at, best_ratio) =
        climb_best(starts, &bounds, effort.refined, &mut rng, &mut |x| tally.ratio(x))
            .unwrap_or((high.clone(), f64::NEG_INFINITY));
    let s = distribution(&best_at);
    // The best point was solved when it was ranked; an unsolvable search reports no gap at all.
    let found = cheapest(id, &s, 0).unwrap_or(Cheapest { u: vec![0.0; k], gap: f64::NAN });
    let zero_one_gap = zero_one_gap(&s);
    let (strict_u, strict_ratio) = strict_neighbour(id, &s, &found, zero_one_gap);
    Ok(CalibrationReport {
        surrogate: id.to_string(),
        k,
        ratio: best_ratio,
        exceeds: exceeds(best_ratio),
        supremum: sharp_supremum(id, k),
        s,
        u: found.u,
        zero_one_gap,
        surrogate_gap: found.gap,
        strict_u,
        strict_ratio,
        evaluations: tally.evaluations,
        unsolved: tally.evaluations - tally.solved,
    })
}

/// Whether a ratio is above one by more than rounding.
fn exceeds(ratio: f64) -> bool {
    ratio > 1.0 + prec::CALIBRATION_RATIO
}

struct Tally<Gamma> {
    id: SurrogateId,
    gamma: Gamma,
    evaluations: usize,
    solved: usize,
}

impl<Gamma: Fn(f64) -> f64> Tally<Gamma> {
    fn ratio(&mut self, x: &[f64]) -> f64 {
        let s = distribution(x);
        self.evaluations += 1;
        match cheapest_gap(self.id, &s, 0) {
            Some(gap) => {
                self.solved += 1;
                zero_one_gap(&s) / (self.gamma)(gap)
            }
            None => f64::NEG_INFINITY,
        }
    }
}

/// `max s - s_0`.
pub(super) fn zero_one_gap(s: &[f64]) -> f64 {
    s.iter().copied().fold(0.0, f64::max) - s[0]
}

/// Coordinates of a distribution whose best action is 1: `x_0` is the logarithm of the zero-one
/// gap as a fraction of the largest possible one, the others are logarithms of `t_a = s_a / s_1`.
///
/// ```text
/// gap = b / (1 + sum t),  s_1 = (1 + gap) / (2 + sum t),  s_0 = s_1 - gap,  s_a = t_a s_1
/// ```
pub(super) fn distribution(x: &[f64]) -> Vec<f64> {
    let mut s = vec![0.0; x.len() + 1];
    s[2..].iter_mut().zip(&x[1..]).for_each(|(t, &x_a)| *t = fraction(x_a));
    let sum: f64 = s[2..].iter().sum();
    from_gap(libm::exp(x[0]) / (1.0 + sum), &mut s);
    s
}

/// The distribution with zero-one gap `gap`, where the others are given as fractions of the best score.
pub(super) fn from_gap(gap: f64, s: &mut [f64]) {
    let (pair, others) = s.split_at_mut(2);
    let best = (1.0 + gap) / (2.0 + others.iter().sum::<f64>());
    pair.copy_from_slice(&[(best - gap).max(0.0), best]);
    others.iter_mut().for_each(|t| *t *= best);
}

/// `exp(x)`, and zero at the lower edge of the box: faces of the simplex belong to the search.
pub(super) fn fraction(x: f64) -> f64 {
    static EDGE: LazyLock<f64> = LazyLock::new(|| libm::log(prec::SMALLEST_SCORE_FRACTION));
    if x <= *EDGE { 0.0 } else { libm::exp(x) }
}

pub(super) fn lower_corner(k: usize) -> Vec<f64> {
    let mut low = vec![libm::log(prec::SMALLEST_SCORE_FRACTION); k - 1];
    low[0] = libm::log(prec::SMALLEST_GAP_FRACTION);
    low
}

/// A point of the box between `low` and 0. Products of two uniform numbers, so that half of the
/// logarithms lie in the upper quarter of their range.
pub(super) fn random_start(low: &[f64], rng: &mut Pcg64) -> Vec<f64> {
    low.iter().map(|&l| l * rng.random_range(0.0..1.0f64) * rng.random_range(0.0..1.0)).collect()
}

/// Every mix of a plateau of best actions, a plateau at some lower level and a zero face, at zero-one
/// gaps from the largest possible to nearly none.
fn structured_starts(k: usize) -> Vec<Vec<f64>> {
    let mut starts = Vec::new();
    for b in [1.0, 0.7, 0.3, 0.1, 1e-2, 1e-3, 1e-4, prec::SMALLEST_GAP_FRACTION] {
        for plateau in plateaus(k - 2) {
            let mut x = vec![libm::log(b)];
            x.extend(plateau);
            starts.push(x);
        }
    }
    starts
}

pub(super) fn plateaus(others: usize) -> Vec<Vec<f64>> {
    let zero = libm::log(prec::SMALLEST_SCORE_FRACTION);
    let mut out = Vec::new();
    for top in 0..=others {
        for middle in 0..=others - top {
            let levels: &[f64] = if middle == 0 { &[1.0] } else { &[1e-6, 1e-3, 1e-2, 0.1, 0.5] };
            for &level in levels {
                let mut x = vec![0.0; top];
                x.extend(std::iter::repeat_n(libm::log(level), middle));
                x.resize(others, zero);
                out.push(x);
            }
        }
    }
    out
}

/// Scores that leave no tie to break, and the ratio there: the chosen score is raised by a thousandth of
/// the zero-one gap, keeping the sum.
fn strict_neighbour(
    id: SurrogateId,
    s: &[f64],
    found: &Cheapest,
    zero_one_gap: f64,
) -> (Vec<f64>, f64) {
    let rise = 1e-3 * zero_one_gap;
    let others = (s.len() - 1) as f64;
    let u: Vec<f64> = found
        .u
        .iter()
        .enumerate()
        .map(|(a, &u_a)| if a == 0 { u_a + rise } else { u_a - rise / others })
        .collect();
    let more = id.conditional_risk(s, &u) - id.conditional_risk(s, &found.u);
    let surrogate_gap = found.gap + more;
    let ratio = zero_one_gap / id.gamma_stated(surrogate_gap, s.len());
    (u, ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: SurrogateId, k: usize) -> CalibrationReport {
        let report = search(id, k, CalibrationEffort { random_starts: 100, refined: 6 }).unwrap();
        assert_eq!(report.unsolved, 0);
        assert!(report.evaluations >= 100 + structured_starts(k).len());
        report
    }

    #[test]
    fn stated_functions_that_are_tight_come_out_at_one() {
        for id in SurrogateId::all(0.5, 2.0).unwrap() {
            if matches!(id, SurrogateId::CompGce { .. }) {
                continue;
            }
            for k in [2, 4] {
                let report = run(id, k);
                let supremum = report.supremum.unwrap_or(f64::INFINITY);
                assert!(report.ratio <= supremum * (1.0 + 1e-9), "{report:?}");
                assert!(report.ratio > 0.9999, "{report:?}");
                let squared = matches!(id, SurrogateId::SumSq | SurrogateId::CstndSq);
                assert_eq!(report.exceeds, squared && k > 2, "{report:?}");
            }
        }
    }

    #[test]
    fn the_generalised_cross_entropy_is_worst_on_two_actions() {
        // Two actions: the ratio is a function of the zero-one gap alone, scanned here.
        for (alpha, k) in [(0.3, 2), (0.3, 5), (0.5, 3), (0.9, 4)] {
            let q = 1.0 / (1.0 - alpha);
            let scan = (1..=1000)
                .map(|i| {
                    let gap01 = f64::from(i) / 1000.0;
                    let (p, m) = ((1.0 + gap01) / 2.0, (1.0 - gap01) / 2.0);
                    let norm = libm::pow(libm::pow(p, q) + libm::pow(m, q), 1.0 / q);
                    let gap = (norm - libm::pow(2.0, -alpha)) / alpha;
                    gap01 * gap01 / (2.0 * libm::pow(k as f64, alpha) * gap)
                })
                .fold(0.0, f64::max);
            let ratio = run(SurrogateId::CompGce { alpha }, k).ratio;
            let (near, far) = (
                libm::pow(2.0, 1.0 + alpha) * (1.0 - alpha),
                alpha / (1.0 - libm::pow(2.0, -alpha)),
            );
            let free = near.max(far) / (2.0 * libm::pow(k as f64, alpha));
            assert!((ratio / free.sqrt() - 1.0).abs() < 1e-5, "{alpha} {k}: {ratio} {free}");
            assert!((ratio / scan.sqrt() - 1.0).abs() < 1e-4, "{alpha} {k}: {ratio} {scan}");
        }
    }

    #[test]
    fn the_constrained_square_is_worst_at_equal_scores() {
        // With u = 0 the risk is K - 1 and the infimum K^2 / sum 1/(1 - s): scanned over s_1.
        for k in [3usize, 5] {
            let n = k as f64;
            let scan = (1..1000)
                .map(|i| {
                    let best = f64::from(i) / 1000.0;
                    let other = (1.0 - best) / (n - 2.0);
                    let inverse = 1.0 + 1.0 / (1.0 - best) + (n - 2.0) / (1.0 - other);
                    if other > best { 0.0 } else { best * best / (n - 1.0 - n * n / inverse) }
                })
                .fold(0.0, f64::max);
            let report = run(SurrogateId::CstndSq, k);
            assert!((report.ratio / scan.sqrt() - 1.0).abs() < 1e-5, "{scan} {report:?}");
            assert!(report.strict_ratio > 1.0);
            assert!(report.strict_u[1..].iter().all(|&u| u < report.strict_u[0]));
        }
    }

    #[test]
    fn the_squared_sum_approaches_its_supremum_and_repeats_to_the_bit() {
        let report = run(SurrogateId::SumSq, 4);
        assert!((report.ratio - 1.5f64.sqrt()).abs() < 1e-4, "{report:?}");
        assert_eq!(report, run(SurrogateId::SumSq, 4));
    }

    #[test]
    fn rounding_does_not_count_as_exceeding() {
        assert!(!exceeds(1.0) && !exceeds(1.0 + prec::CALIBRATION_RATIO) && exceeds(1.0 + 1e-7));
    }

    #[test]
    fn plateaus_are_all_mixes_of_best_middle_and_zero() {
        let ends = [0.0, libm::log(prec::SMALLEST_SCORE_FRACTION)];
        for others in 0..=4 {
            let all = plateaus(others);
            // With t at the top and m > 0 in the middle there are five levels for the middle.
            assert_eq!(all.len(), others + 1 + 5 * others * (others + 1) / 2);
            for (i, x) in all.iter().enumerate() {
                assert_eq!(x.len(), others);
                assert!(!all[..i].contains(x), "{x:?} twice");
                assert!(x.is_sorted_by(|a, b| a >= b), "{x:?}");
                let mut middle: Vec<f64> =
                    x.iter().copied().filter(|v| !ends.contains(v)).collect();
                middle.dedup();
                assert!(middle.len() <= 1, "{x:?}");
            }
        }
        // Every plateau at every one of eight gaps, the largest first.
        let starts = structured_starts(5);
        assert_eq!(starts.len(), 8 * plateaus(3).len());
        assert_eq!(starts[0][0], 0.0);
        assert_eq!(starts[starts.len() - 1][0], lower_corner(5)[0]);
        assert!(starts.iter().all(|x| plateaus(3).contains(&x[1..].to_vec())));
    }

    #[test]
    fn random_starts_fill_the_box_and_prefer_its_upper_end() {
        let low = lower_corner(4);
        let mut rng = Pcg64::new(3, 4);
        let starts: Vec<Vec<f64>> = (0..400).map(|_| random_start(&low, &mut rng)).collect();
        for (a, &l) in low.iter().enumerate() {
            assert!(starts.iter().all(|x| l <= x[a] && x[a] <= 0.0));
            // A product of two uniform numbers is below 1/4 with probability (1 + ln 4) / 4 = 0.60
            // and above 1/2 with probability (1 - ln 2) / 2 = 0.15.
            let share = |inside: fn(f64) -> bool| {
                starts.iter().filter(|x| inside(x[a] / l)).count() as f64 / 400.0
            };
            assert!((share(|part| part < 0.25) - 0.60).abs() < 0.08);
            assert!((share(|part| part > 0.5) - 0.15).abs() < 0.06);
        }
    }

    #[test]
    fn the_strict_neighbour_keeps_the_sum_and_says_what_it_costs() {
        let s = [0.15, 0.4, 0.35, 0.1];
        for id in SurrogateId::all(0.5, 0.5).unwrap() {
            let found = cheapest(id, &s, 0).unwrap();
            let (u, ratio) = strict_neighbour(id, &s, &found, 0.25);
            assert!((u[0] - found.u[0] - 0.25e-3).abs() < 1e-13, "{id} {u:?}");
            let sum = |u: &[f64]| u.iter().sum::<f64>();
            assert!((sum(&u) - sum(&found.u)).abs() < 1e-12, "{id} {u:?}");
            assert!(u[1..].iter().all(|&u_a| u_a < u[0]), "{id} {u:?}");
            // Scores that choose the best action cost nothing.
            let free = cheapest(id, &s, 1).unwrap().u;
            let gap = id.conditional_risk(&s, &u) - id.conditional_risk(&s, &free);
            assert!((ratio * id.gamma_stated(gap, 4) - 0.25).abs() < 1e-10, "{id}");
        }
    }

    #[test]
    fn coordinates_reach_every_corner() {
        assert_eq!(distribution(&[0.0, libm::log(1e-12)]), [0.0, 1.0, 0.0]);
        assert_eq!(distribution(&[0.0, 0.0]), [0.0, 0.5, 0.5]);
        let s = distribution(&[-1.0, -0.3, -2.0]);
        assert!((s.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(s[1] > s[2] && s[2] > s[3] && s[0] > 0.0);
        let error = search(SurrogateId::SumSq, 1, CalibrationEffort::default()).unwrap_err();
        assert!(error.to_string().starts_with("k = 1"));
    }
}

//! Streams given by their law: a weighted list of `(x, A, p, c)`, drawn independently.

use super::adversary::Adversary;
use super::phases::Phases;
use super::{Right, Stream, StreamRound};
use problem::{ActionSpace, ActiveSet, Features, ProblemError, RoundLaw};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One kind of round and how often it comes.
#[derive(Clone, Debug)]
pub struct LawItem {
    /// Relative frequency.
    pub weight: f64,
    /// The input, dense.
    pub x: Vec<f64>,
    /// The active actions.
    pub active: ActiveSet,
    /// Label probabilities and expert costs.
    pub law: RoundLaw,
}

impl LawItem {
    /// The scores `s` of all actions: probabilities of the classes, one minus the mean cost of the
    /// experts.
    #[must_use]
    pub fn scores(&self) -> Vec<f64> {
        let p = &self.law.p;
        let expert = |j| 1.0 - p.iter().zip(self.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
        p.iter().copied().chain((0..self.law.space.experts()).map(expert)).collect()
    }
}

/// Conditional laws, and how rounds come from them.
#[derive(Clone, Debug)]
pub enum Laws {
    /// Independent draws.
    Drawn(Vec<LawItem>),
    /// Each round the one on which the learner is about to lose most.
    Adversary(Vec<LawItem>),
    /// Phases of independent draws, over and over: their lengths and laws, and how many times as long
    /// they are each time.
    Phases(Vec<(u64, Vec<LawItem>)>, f64),
}

impl Laws {
    /// The rounds of one seed. Endless.
    ///
    /// # Errors
    /// No items, items of different spaces or dimensions, weights that are negative or sum to 0 or to
    /// more than a number holds.
    pub fn open(&self, seed: u64) -> Result<Box<dyn Stream>, ProblemError> {
        Ok(match self {
            Laws::Drawn(items) => Box::new(LawStream::new(items.clone(), seed)?),
            Laws::Adversary(items) => Box::new(Adversary::new(items, seed)?),
            Laws::Phases(phases, grow) => Box::new(Phases::new(phases, *grow, seed)?),
        })
    }

    /// All kinds of rounds.
    pub(crate) fn items(&self) -> impl Iterator<Item = &LawItem> {
        let (items, phases): (&[LawItem], &[(u64, Vec<LawItem>)]) = match self {
            Laws::Drawn(items) | Laws::Adversary(items) => (items, &[]),
            Laws::Phases(phases, _) => (&[], phases),
        };
        items.iter().chain(phases.iter().flat_map(|(_, items)| items))
    }
}

/// Independent draws from a finite list of [`LawItem`]s. Endless.
///
/// A law has no correctness bit for experts; an expert counts as right when its cost is below 1.
#[derive(Clone, Debug)]
pub(crate) struct LawStream {
    space: ActionSpace,
    dim: usize,
    items: Vec<Prepared>,
    /// Of the items, and their sum.
    weights: Vec<f64>,
    total: f64,
    rng: Pcg64,
}

/// What does not depend on the draw of a round is worked out before the first one.
#[derive(Clone, Debug)]
struct Prepared {
    item: LawItem,
    scores: Vec<f64>,
    /// The costs of all experts at each label, and bits of who is right.
    costs: Vec<Vec<f64>>,
    right: Vec<u128>,
}

impl LawStream {
    /// # Errors
    /// No items, items of different spaces or dimensions, weights that are negative or sum to 0 or to
    /// more than a number holds.
    pub(crate) fn new(items: Vec<LawItem>, seed: u64) -> Result<Self, ProblemError> {
        let wrong =
            |field: String, got, expected| ProblemError::WrongLength { field, got, expected };
        let first = items.first().ok_or_else(|| wrong("items".into(), 0, 1))?;
        let (space, dim) = (first.law.space, first.x.len());
        for (i, item) in items.iter().enumerate() {
            if item.law.space != space || item.active.space() != space {
                let got = item.law.space.len();
                return Err(wrong(format!("items[{i}] actions"), got, space.len()));
            }
            if item.x.len() != dim {
                return Err(wrong(format!("items[{i}].x"), item.x.len(), dim));
            }
            Features::from(&item.x).check_finite()?;
            if !(item.weight >= 0.0 && item.weight.is_finite()) {
                let field = "items.weight";
                return Err(ProblemError::NegativeCost { field, value: item.weight });
            }
        }
        let total: f64 = items.iter().map(|item| item.weight).sum();
        // An infinite sum would make every draw fall on the last item.
        if total <= 0.0 || total.is_infinite() {
            return Err(ProblemError::NotADistribution { field: "items.weight", sum: total });
        }
        let weights = items.iter().map(|item| item.weight).collect();
        let items = items.into_iter().map(Prepared::new).collect();
        Ok(LawStream { space, dim, items, weights, total, rng: Pcg64::seed_from_u64(seed) })
    }

    /// The item in which a draw from `[0, total)` falls: how many weights it can be lowered by without
    /// falling below zero. Eight at a time, because nobody can guess where it ends.
    #[inline]
    fn item_at(&self, mut at: f64) -> usize {
        let mut passed = 0;
        for eight in self.weights.chunks(8) {
            for weight in eight {
                at -= weight;
                passed += usize::from(at >= 0.0);
            }
            if at < 0.0 {
                break;
            }
        }
        // Rounding can leave a draw that all of them do not use up.
        passed.min(self.items.len() - 1)
    }
}

impl Prepared {
    fn new(item: LawItem) -> Self {
        let (scores, classes) = (item.scores(), item.law.p.len());
        let costs_at = |y: usize| -> Vec<f64> {
            (0..item.law.space.experts()).map(|j| item.law.cost(j)[y]).collect()
        };
        let costs: Vec<Vec<f64>> = (0..classes).map(costs_at).collect();
        let bit = |(j, &cost): (usize, &f64)| u128::from(cost < 1.0) << j;
        let right = costs.iter().map(|c| c.iter().enumerate().map(bit).sum()).collect();
        Prepared { item, scores, costs, right }
    }
}

impl Stream for LawStream {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.dim
    }

    // Always: otherwise a round is written to memory only to be copied from there.
    #[inline(always)]
    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let at = self.rng.random::<f64>() * self.total;
        let prepared = &self.items[self.item_at(at)];
        let item = &prepared.item;
        let label = item.law.label_at(self.rng.random());
        Some(StreamRound {
            x: Features::Dense(&item.x),
            active: item.active,
            label: Some(label),
            costs: &prepared.costs[label],
            right: Right::Bits(prepared.right[label]),
            answers: None,
            scores: Some(&prepared.scores),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_whose_sum_overflows_are_refused() {
        let space = ActionSpace::new(2, 0).unwrap();
        let item = |weight: f64, x: f64| {
            let law = RoundLaw::new(space, &[0.5, 0.5], &[] as &[Vec<f64>]).unwrap();
            LawItem { weight, x: vec![x], active: space.all_active(), law }
        };
        let stream = |weight| LawStream::new(vec![item(weight, 1.0), item(weight, 2.0)], 1);
        assert!(stream(9e307).unwrap_err().to_string().contains("items.weight sums to inf"));
        assert!(stream(f64::INFINITY).is_err() && stream(0.0).is_err());
        // Just below, both items still come.
        let mut stream = stream(8e307).unwrap();
        let mut seen = [0; 2];
        (0..100).for_each(|_| seen[stream.next_round().unwrap().x.values()[0] as usize - 1] += 1);
        assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
    }

    /// One after the other, up to the first that takes the draw below zero.
    #[test]
    fn a_draw_falls_into_its_item() {
        let space = ActionSpace::new(2, 0).unwrap();
        let law = RoundLaw::new(space, &[0.5, 0.5], &[] as &[Vec<f64>]).unwrap();
        let active = space.all_active();
        for count in [1, 2, 7, 8, 9, 20] {
            let weight = |i: usize| if i % 3 == 1 { 0.0 } else { 0.1 * (i + 1) as f64 };
            let item = |i| LawItem { weight: weight(i), x: vec![1.0], active, law: law.clone() };
            let stream = LawStream::new((0..count).map(item).collect(), 1).unwrap();
            for draw in 0..=1000 {
                let at = stream.total * f64::from(draw) / 1000.0;
                let mut left = at;
                let first = (0..count).position(|i| {
                    left -= weight(i);
                    left < 0.0
                });
                assert_eq!(stream.item_at(at), first.unwrap_or(count - 1), "{count} {draw}");
            }
        }
    }
}

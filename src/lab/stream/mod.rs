//! Where rounds come from.

mod adversary;
mod change;
mod cifar10h;
mod crew;
mod edges;
mod epochs;
mod labelled;
mod law;
mod phases;
mod recorded;
mod synthetic;
mod walk;

pub(crate) use change::{Change, ChangeConfig};
pub(crate) use cifar10h::{Cifar10h, Cifar10hConfig, Cifar10hError, HumanImages};
#[cfg(test)]
pub(crate) use crew::Moving;
pub(crate) use crew::{Availability, CrewConfig, Drift};
#[cfg(test)]
pub(crate) use edges::ImageFeatures;
pub(crate) use labelled::{Labelled, LabelledError, LabelledInputs};
pub(crate) use law::LawStream;
pub use law::{LawItem, Laws};
pub(crate) use recorded::{
    DiskFault, DiskRecording, FromDisk, LineFormat, Recorded, RecordedError, Recording, Seasons,
};
pub(crate) use synthetic::SyntheticFault;
pub use synthetic::{Synthetic, SyntheticConfig};
pub(crate) use walk::Boundary;
pub use walk::Normal;

use crate::data::DataError;
use problem::{ActionSpace, ActiveRef, Features};
use serde::{Deserialize, Serialize};

/// Which experts would have answered right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Right<'a> {
    /// Bit `j` is set when expert `j` would have.
    Bits(u128),
    /// One entry per expert.
    Each(&'a [bool]),
    /// One entry per expert, and what its answer earned and took.
    Priced(&'a [bool], &'a Earnings<Vec<f64>>),
    /// Nobody knows, and experts have grades instead.
    Graded(&'a Earnings<Vec<f64>>),
    /// Nobody knows: what experts earn is graded, or there is no label.
    Unknown,
}

/// What was earned and what that took: rewards in `[0, 1]` and prices in the unit of the stream, one of each
/// or sums of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earnings<T> {
    /// Rewards.
    pub reward: T,
    /// Prices.
    pub price: T,
}

/// How good experts were, in place of right and wrong or beside it; `NaN` for whoever was not there. Both lists are
/// empty where only costs are known.
pub(crate) type Grades = Earnings<Vec<f64>>;

impl<'a> Right<'a> {
    /// What experts earned and took, where that is known.
    #[must_use]
    #[inline]
    pub(crate) fn grades(self) -> Option<&'a Grades> {
        match self {
            Right::Priced(_, grades) | Right::Graded(grades) => Some(grades),
            Right::Bits(_) | Right::Each(_) | Right::Unknown => None,
        }
    }

    /// Whether expert `j` would have answered right.
    #[must_use]
    #[inline]
    pub(crate) fn expert(self, j: usize) -> Option<bool> {
        match self {
            Right::Bits(bits) => Some(bits >> j & 1 != 0),
            Right::Each(each) | Right::Priced(each, _) => each.get(j).copied(),
            Right::Graded(_) | Right::Unknown => None,
        }
    }
}

/// Everything about one round. A policy sees `x` and `active`; the rest stays with whoever runs
/// the round.
#[derive(Clone, Copy, Debug)]
pub struct StreamRound<'a> {
    /// The input.
    pub x: Features<'a>,
    /// Who may be asked.
    pub active: ActiveRef<'a>,
    /// The label that was drawn, unless there are no classes.
    pub label: Option<usize>,
    /// `c_j(x, y)` at that label, for all `n_e` experts.
    pub costs: &'a [f64],
    /// Which experts would have answered right.
    pub right: Right<'a>,
    /// What each expert answers, where that is known; `None` for whoever was not there.
    pub answers: Option<&'a [Option<usize>]>,
    /// The scores `s` of all `N` actions given `x`, where the stream knows its own law.
    pub scores: Option<&'a [f64]>,
}

impl StreamRound<'_> {
    /// Whether `action` gives the right answer, if there is such a thing.
    #[must_use]
    #[inline]
    pub fn is_right(&self, action: problem::Action) -> Option<bool> {
        match self.active.space().expert_of(action) {
            None => self.label.map(|label| action.index() == label),
            Some(j) => self.right.expert(j),
        }
    }

    /// Reward and price of `action`, where experts have grades: a class earns 1 when it is right, for
    /// nothing.
    #[must_use]
    #[inline]
    pub(crate) fn earned(&self, action: problem::Action) -> Option<(f64, f64)> {
        let grades = self.right.grades()?;
        match self.active.space().expert_of(action) {
            None => self.label.map(|label| (f64::from(action.index() == label), 0.0)),
            Some(j) => Some((*grades.reward.get(j)?, *grades.price.get(j)?)),
        }
    }

    /// The true deferral loss of `action` (Def. 4.1).
    #[must_use]
    #[inline]
    pub fn loss(&self, action: problem::Action) -> f64 {
        match self.active.space().expert_of(action) {
            None if Some(action.index()) == self.label => 0.0,
            None => 1.0,
            Some(j) => self.costs[j],
        }
    }
}

/// A source of rounds.
pub trait Stream {
    /// Classes and experts of every round.
    fn space(&self) -> ActionSpace;

    /// `d`, without the bias.
    fn dim(&self) -> usize;

    /// Called before every round. `ask` tells what the learner, as it is now, would lose in
    /// expectation at an input with these active actions and these scores of all actions. Only an
    /// adversary wants to know.
    fn challenge(&mut self, _ask: &mut dyn FnMut(Features<'_>, ActiveRef<'_>, &[f64]) -> f64) {}

    /// The next round, or `None` when there are no more.
    fn next_round(&mut self) -> Option<StreamRound<'_>>;

    /// Why there are no more rounds, if that is not how it should be.
    fn fault(&mut self) -> Option<DataError> {
        None
    }

    /// The probability, in the round that came last, that each expert (row) answers right in each
    /// region (column), where the stream has regions and knows it.
    fn regional_accuracy(&self) -> Option<Vec<Vec<f64>>> {
        None
    }
}

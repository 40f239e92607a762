//! Actions and availability.
//!
//! Classes are `0..n`, expert `j` is action `n + j`, and `N = n + n_e`. The types are built
//! from one another, so that an action outside its space, an active set without its classes or
//! with an expert that does not exist cannot be expressed.
//!
//! A space of at most [`SMALL_ACTIONS`] actions keeps a set of them in one `u128`: an [`ActiveSet`],
//! which owns all it knows. In a larger space the bits of the first 128 actions stand in the same
//! place and those of all actions in words that an [`ActiveRef`] borrows, from an [`ActiveBuffer`] for
//! example. Whoever takes an `ActiveRef` serves both.

mod active;
#[cfg(test)]
mod tests;

pub use active::{ActiveBuffer, ActiveRef, ActiveSet};

use super::ProblemError;
use serde::{Deserialize, Serialize};

/// The most actions `N = n + n_e` a space can hold.
pub const MAX_ACTIONS: usize = 4096;

/// The most actions of a space whose active sets are one `u128`.
pub const SMALL_ACTIONS: usize = 128;

/// The augmented label space: `n` classes followed by `n_e` experts. There are at least two classes,
/// as in the paper, or none at all and at least one expert: routing without an answer of one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawSpace", into = "RawSpace")]
pub struct ActionSpace {
    classes: u16,
    experts: u16,
}

#[derive(Serialize, Deserialize)]
struct RawSpace {
    n: usize,
    n_e: usize,
}

impl TryFrom<RawSpace> for ActionSpace {
    type Error = ProblemError;
    fn try_from(raw: RawSpace) -> Result<Self, ProblemError> {
        ActionSpace::new(raw.n, raw.n_e)
    }
}

impl From<ActionSpace> for RawSpace {
    fn from(space: ActionSpace) -> Self {
        RawSpace { n: space.classes(), n_e: space.experts() }
    }
}

/// One action of a space: a class or an expert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Action(u16);

impl Action {
    /// Position in `0..N`: the class, or `n + j` for expert `j`.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ActionSpace {
    /// A space of `n` classes and `n_e` experts.
    ///
    /// # Errors
    /// One class, nobody and nothing at all, or more than [`MAX_ACTIONS`] actions.
    pub fn new(n: usize, n_e: usize) -> Result<Self, ProblemError> {
        if n == 1 {
            return Err(ProblemError::TooFewClasses { n });
        }
        if n == 0 && n_e == 0 {
            return Err(ProblemError::NoActions);
        }
        if n.saturating_add(n_e) > MAX_ACTIONS {
            return Err(ProblemError::TooManyActions { n, n_e });
        }
        Ok(ActionSpace { classes: n as u16, experts: n_e as u16 })
    }

    /// The space itself if it has classes, which the paper's algorithm and theory need, and if its sets
    /// are [`ActiveSet`]s.
    ///
    /// # Errors
    /// No classes, or more than [`SMALL_ACTIONS`] actions.
    pub fn of_the_paper(self) -> Result<Self, ProblemError> {
        if self.classes == 0 {
            return Err(ProblemError::NoClasses);
        }
        self.small()
    }

    /// The space itself if its sets are [`ActiveSet`]s.
    ///
    /// # Errors
    /// More than [`SMALL_ACTIONS`] actions.
    #[inline]
    pub(crate) fn small(self) -> Result<Self, ProblemError> {
        if self.len() > SMALL_ACTIONS {
            return Err(ProblemError::NotSmall { n: self.classes(), n_e: self.experts() });
        }
        Ok(self)
    }

    /// `n`, the number of classes.
    #[inline]
    #[must_use]
    pub fn classes(self) -> usize {
        self.classes as usize
    }

    /// `n_e`, the number of experts.
    #[inline]
    #[must_use]
    pub fn experts(self) -> usize {
        self.experts as usize
    }

    /// `N = n + n_e`.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // never empty: there is one action at least
    #[must_use]
    pub fn len(self) -> usize {
        self.classes() + self.experts()
    }

    /// The action with index `index` in `0..N`.
    pub fn action(self, index: usize) -> Result<Action, ProblemError> {
        if index < self.len() {
            Ok(Action(index as u16))
        } else {
            Err(ProblemError::NoSuchAction { index, actions: self.len() })
        }
    }

    /// The action that answers with class `y`.
    pub fn class(self, y: usize) -> Result<Action, ProblemError> {
        if y < self.classes() {
            Ok(Action(y as u16))
        } else {
            Err(ProblemError::NoSuchClass { label: y, classes: self.classes() })
        }
    }

    /// The action that defers to expert `j`.
    pub fn expert(self, j: usize) -> Result<Action, ProblemError> {
        if j < self.experts() {
            Ok(Action(self.classes + j as u16))
        } else {
            Err(ProblemError::NoSuchExpert { expert: j, experts: self.experts() })
        }
    }

    /// The expert behind `action`, or `None` for a class.
    #[inline]
    #[must_use]
    pub fn expert_of(self, action: Action) -> Option<usize> {
        action.index().checked_sub(self.classes())
    }

    /// `Y_A` for the experts listed in `available` (order and repetition do not matter).
    ///
    /// # Errors
    /// An expert that does not exist, or a space that is not small: use an [`ActiveBuffer`].
    pub fn active(
        self,
        available: impl IntoIterator<Item = usize>,
    ) -> Result<ActiveSet, ProblemError> {
        self.small()?;
        let mut experts = 0;
        for j in available {
            self.expert(j)?;
            experts |= 1u128 << j;
        }
        Ok(self.with(experts))
    }

    /// `Y_A` when nobody is available: the classes alone.
    #[must_use]
    pub fn classes_only(self) -> ActiveSet {
        self.first(self.classes())
    }

    /// `Y_A` when everybody is available: the batch setting of Def. 3.2.
    #[must_use]
    pub fn all_active(self) -> ActiveSet {
        self.first(self.len())
    }

    /// `Y_A` from a mask over experts (bit `j` = expert `j`), the cheap way inside generators.
    #[inline]
    pub fn active_from_mask(self, experts: u128) -> Result<ActiveSet, ProblemError> {
        if self.small()?.experts() < 128 && experts & !low_bits(self.experts()) != 0 {
            let expert = 127 - experts.leading_zeros() as usize;
            return Err(ProblemError::NoSuchExpert { expert, experts: self.experts() });
        }
        Ok(self.with(experts))
    }

    #[inline]
    fn with(self, experts: u128) -> ActiveSet {
        // The mask has no bit above n_e, and n + n_e <= 128, so the shift loses nothing; with 128 classes
        // there is no bit to shift, and by how far does not matter.
        let bits = self.class_bits() | experts.wrapping_shl(self.classes() as u32);
        ActiveRef::new(self, bits, self.classes + count(experts), &[], 0)
    }

    /// The actions `0..count`.
    fn first(self, count: usize) -> ActiveSet {
        let bits = low_bits(count.min(SMALL_ACTIONS));
        let words = if self.len() > SMALL_ACTIONS { &EVERYBODY[..] } else { &[] };
        ActiveRef::new(self, bits, count as u16, words, count as u16)
    }

    #[inline]
    fn class_bits(self) -> u128 {
        low_bits(self.classes().min(SMALL_ACTIONS))
    }
}

#[inline]
fn low_bits(count: usize) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

/// Words of a set that lacks nobody below its end.
static EVERYBODY: [u64; MAX_ACTIONS / 64] = [u64::MAX; MAX_ACTIONS / 64];

/// How many bits are set. Not every x86-64 has an instruction for that, and most sets are small.
#[inline]
fn count(bits: u128) -> u16 {
    // The counts of 0 to 15, four bits each.
    const COUNTS: u64 = 0x4332_3221_3221_2110;
    if bits < 16 { (COUNTS >> (4 * bits as u32) & 15) as u16 } else { bits.count_ones() as u16 }
}

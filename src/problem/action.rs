//! Actions and availability.
//!
//! Classes are `0..n`, expert `j` is action `n + j`, and `N = n + n_e`. The three types are built
//! from one another, so that an action outside its space, an active set without its classes or
//! with an expert that does not exist cannot be expressed.

use super::ProblemError;
use serde::{Deserialize, Serialize};

/// The most actions `N = n + n_e` a space can hold: one bit of a `u128` each.
pub const MAX_ACTIONS: usize = 128;

/// The augmented label space: `n >= 2` classes followed by `n_e` experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawSpace", into = "RawSpace")]
pub struct ActionSpace {
    classes: u8,
    experts: u8,
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
pub struct Action(u8);

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
    /// `n < 2` (the paper's label space), or more than [`MAX_ACTIONS`] actions.
    pub fn new(n: usize, n_e: usize) -> Result<Self, ProblemError> {
        if n < 2 {
            return Err(ProblemError::TooFewClasses { n });
        }
        if n.saturating_add(n_e) > MAX_ACTIONS {
            return Err(ProblemError::TooManyActions { n, n_e });
        }
        Ok(ActionSpace { classes: n as u8, experts: n_e as u8 })
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
    #[allow(clippy::len_without_is_empty)] // never empty: there are two classes at least
    #[must_use]
    pub fn len(self) -> usize {
        self.classes() + self.experts()
    }

    /// The action with index `index` in `0..N`.
    pub fn action(self, index: usize) -> Result<Action, ProblemError> {
        if index < self.len() {
            Ok(Action(index as u8))
        } else {
            Err(ProblemError::NoSuchAction { index, actions: self.len() })
        }
    }

    /// The action that answers with class `y`.
    pub fn class(self, y: usize) -> Result<Action, ProblemError> {
        if y < self.classes() {
            Ok(Action(y as u8))
        } else {
            Err(ProblemError::NoSuchClass { label: y, classes: self.classes() })
        }
    }

    /// The action that defers to expert `j`.
    pub fn expert(self, j: usize) -> Result<Action, ProblemError> {
        if j < self.experts() {
            Ok(Action(self.classes + j as u8))
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
    pub fn active(
        self,
        available: impl IntoIterator<Item = usize>,
    ) -> Result<ActiveSet, ProblemError> {
        let mut bits = self.class_bits();
        for j in available {
            bits |= 1u128 << self.expert(j)?.index();
        }
        Ok(self.set(bits))
    }

    /// `Y_A` when nobody is available: the classes alone.
    #[must_use]
    pub fn classes_only(self) -> ActiveSet {
        self.set(self.class_bits())
    }

    /// `Y_A` when everybody is available: the batch setting of Def. 3.2.
    #[must_use]
    pub fn all_active(self) -> ActiveSet {
        self.set(low_bits(self.len()))
    }

    /// `Y_A` from a mask over experts (bit `j` = expert `j`), the cheap way inside generators.
    pub fn active_from_mask(self, experts: u128) -> Result<ActiveSet, ProblemError> {
        if experts & !low_bits(self.experts()) != 0 {
            let expert = 127 - experts.leading_zeros() as usize;
            return Err(ProblemError::NoSuchExpert { expert, experts: self.experts() });
        }
        // The mask has no bit above n_e, and n + n_e <= 128, so the shift loses nothing.
        Ok(self.set(self.class_bits() | (experts << self.classes())))
    }

    #[inline]
    fn set(self, bits: u128) -> ActiveSet {
        ActiveSet { space: self, bits, len: bits.count_ones() as u8 }
    }

    #[inline]
    fn class_bits(self) -> u128 {
        low_bits(self.classes())
    }
}

#[inline]
fn low_bits(count: usize) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

/// The active actions `Y_A` of a round: every class and the available experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActiveSet {
    space: ActionSpace,
    bits: u128,
    /// Number of set bits, asked for many times a round.
    len: u8,
}

impl ActiveSet {
    /// The space this set belongs to.
    #[inline]
    #[must_use]
    pub fn space(self) -> ActionSpace {
        self.space
    }

    /// `K = |Y_A|`.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // never empty: the classes are always active
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether everybody is available.
    #[inline]
    #[must_use]
    pub fn is_full(self) -> bool {
        self.len() == self.space.len()
    }

    /// Whether `action` may be chosen this round.
    #[inline]
    #[must_use]
    pub fn contains(self, action: Action) -> bool {
        let index = action.index();
        // Shifts of 128 bits are many instructions, and hardly any space needs them.
        if index < 64 { self.bits as u64 >> index & 1 == 1 } else { self.bits >> index & 1 == 1 }
    }

    /// Bit `a` is set when action `a` is active.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// Position of `action` among the active ones, the order of every aligned array.
    #[inline]
    #[must_use]
    pub fn position(self, action: Action) -> Option<usize> {
        let index = action.index();
        // In an order that everybody is part of, each stands at its own place.
        if index < self.space.classes() || self.is_full() && index < self.space.len() {
            return Some(index);
        }
        let before = match index {
            ..64 => (self.bits as u64 & !(u64::MAX << index)).count_ones(),
            _ => (self.bits & low_bits(index)).count_ones(),
        };
        self.contains(action).then_some(before as usize)
    }

    /// The active action at `position` in `0..K`.
    #[inline]
    #[must_use]
    pub fn nth(self, position: usize) -> Option<Action> {
        let n = self.space.classes();
        if position < n || self.is_full() && position < self.space.len() {
            return Some(Action(position as u8));
        }
        self.expert_actions().nth(position - n)
    }

    /// The active entries of a `0..N` array, times `factor`, in aligned order.
    #[inline]
    pub fn gather(self, factor: f64, per_action: &[f64], aligned: &mut [f64]) {
        let n = self.space.classes();
        for (value, &entry) in aligned[..n].iter_mut().zip(&per_action[..n]) {
            *value = factor * entry;
        }
        for (value, action) in aligned[n..].iter_mut().zip(self.expert_actions()) {
            *value = factor * per_action[action.index()];
        }
    }

    /// An aligned array, times `factor`, spread over the actions; everything else becomes zero.
    #[inline]
    pub fn scatter(self, factor: f64, aligned: &[f64], per_action: &mut [f64]) {
        let n = self.space.classes();
        for (entry, &value) in per_action[..n].iter_mut().zip(&aligned[..n]) {
            *entry = factor * value;
        }
        per_action[n..].fill(0.0);
        for (&value, action) in aligned[n..].iter().zip(self.expert_actions()) {
            per_action[action.index()] = factor * value;
        }
    }

    /// The available experts as actions, in increasing order.
    #[inline]
    pub(crate) fn expert_actions(self) -> ActiveIter {
        let n = self.space.classes();
        let (low, high) = (self.bits as u64, (self.bits >> 64) as u64);
        if n < 64 {
            return ActiveIter { low: low & (u64::MAX << n), high };
        }
        ActiveIter { low: 0, high: high & u64::MAX.checked_shl(n as u32 - 64).unwrap_or(0) }
    }

    /// Active actions in increasing order: `[0..n] + [n + j for j in sorted(A)]`.
    #[inline]
    #[must_use]
    pub fn iter(self) -> ActiveIter {
        ActiveIter { low: self.bits as u64, high: (self.bits >> 64) as u64 }
    }

    /// The available experts `A`, in increasing order.
    #[inline]
    pub fn experts(self) -> impl Iterator<Item = usize> {
        let n = self.space.classes();
        self.expert_actions().map(move |a| a.index() - n)
    }

    /// The bandit bit identifies the label: `K = 2`, which means two classes and no expert.
    #[inline]
    #[must_use]
    pub fn label_is_identified(self) -> bool {
        self.len() == 2
    }
}

impl IntoIterator for ActiveSet {
    type Item = Action;
    type IntoIter = ActiveIter;
    fn into_iter(self) -> ActiveIter {
        self.iter()
    }
}

/// Iterator over the actions of an [`ActiveSet`].
#[derive(Clone, Debug)]
pub struct ActiveIter {
    low: u64,
    high: u64,
}

impl Iterator for ActiveIter {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        if self.low != 0 {
            let index = self.low.trailing_zeros();
            self.low &= self.low - 1;
            return Some(Action(index as u8));
        }
        if self.high != 0 {
            let index = 64 + self.high.trailing_zeros();
            self.high &= self.high - 1;
            return Some(Action(index as u8));
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.low.count_ones() + self.high.count_ones()) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for ActiveIter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_make_no_sense_cannot_be_built() {
        assert!(matches!(ActionSpace::new(1, 3), Err(ProblemError::TooFewClasses { n: 1 })));
        assert!(matches!(ActionSpace::new(0, 0), Err(ProblemError::TooFewClasses { n: 0 })));
        assert!(ActionSpace::new(2, 126).is_ok());
        assert!(matches!(ActionSpace::new(2, 127), Err(ProblemError::TooManyActions { .. })));
        assert!(ActionSpace::new(usize::MAX, 2).is_err());
        assert!(serde_json::from_str::<ActionSpace>(r#"{"n":1,"n_e":0}"#).is_err());
    }

    #[test]
    fn active_sets_list_classes_then_sorted_experts() {
        let space = ActionSpace::new(3, 4).unwrap();
        let set = space.active([3, 1, 3]).unwrap();
        let listed: Vec<usize> = set.iter().map(Action::index).collect();
        assert_eq!(listed, [0, 1, 2, 4, 6]);
        assert_eq!(set.len(), 5);
        assert_eq!(set.experts().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(set.position(space.expert(3).unwrap()), Some(4));
        assert_eq!(set.position(space.expert(0).unwrap()), None);
        assert_eq!(set.nth(3), Some(space.expert(1).unwrap()));
        assert_eq!(set.nth(1), Some(space.class(1).unwrap()));
        assert_eq!(set.nth(5), None);
        let per_action = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut aligned = [f64::NAN; 5];
        set.gather(2.0, &per_action, &mut aligned);
        assert_eq!(aligned, [0.0, 2.0, 4.0, 8.0, 12.0]);
        let mut back = [9.0; 8];
        set.scatter(0.5, &aligned, &mut back);
        assert_eq!(back, [0.0, 1.0, 2.0, 0.0, 4.0, 0.0, 6.0, 0.0]);
        assert_eq!(set, space.active_from_mask(0b1010).unwrap());
        assert!(matches!(
            space.active([4]),
            Err(ProblemError::NoSuchExpert { expert: 4, experts: 4 })
        ));
        assert!(matches!(
            space.active_from_mask(1 << 100),
            Err(ProblemError::NoSuchExpert { expert: 100, experts: 4 })
        ));
    }

    #[test]
    fn the_full_width_is_usable() {
        let space = ActionSpace::new(2, 126).unwrap();
        let all = space.all_active();
        assert_eq!(all.len(), 128);
        assert_eq!(all, space.active_from_mask(low_bits(126)).unwrap());
        assert_eq!(all.position(space.action(127).unwrap()), Some(127));
        assert_eq!(all.iter().last().unwrap().index(), 127);
    }

    #[test]
    fn two_classes_alone_identify_the_label() {
        let binary = ActionSpace::new(2, 1).unwrap();
        assert!(binary.classes_only().label_is_identified());
        assert!(!binary.all_active().label_is_identified());
        assert!(!ActionSpace::new(3, 0).unwrap().classes_only().label_is_identified());
    }
}

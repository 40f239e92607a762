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
    pub fn small(self) -> Result<Self, ProblemError> {
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
        let mut bits = self.small()?.class_bits();
        for j in available {
            bits |= 1u128 << self.expert(j)?.index();
        }
        Ok(self.set(bits))
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
        // The mask has no bit above n_e, and n + n_e <= 128, so the shift loses nothing.
        Ok(self.set(self.class_bits() | (experts << self.classes())))
    }

    #[inline]
    fn set(self, bits: u128) -> ActiveSet {
        ActiveRef::new(self, bits, bits.count_ones() as u16, &[], 0)
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

/// The active actions `Y_A` of a round: every class and the available experts.
#[derive(Clone, Copy)]
pub struct ActiveRef<'a> {
    /// The first 128 actions.
    bits: u128,
    /// All actions, in a space that is not small; what the words say from `end` on does not count.
    words: &'a [u64],
    /// Classes, experts, active actions and `end`, 16 bits each, from the lowest on. In one word, because
    /// a set is copied several times a round: a copy of fields that were just written one by one has to
    /// wait until they are all in the cache.
    shape: u64,
}

/// An active set that owns all it knows: every one of a small space, and in a large space the two that
/// can be told by counting.
pub type ActiveSet = ActiveRef<'static>;

impl<'a> ActiveRef<'a> {
    #[inline]
    fn new(space: ActionSpace, bits: u128, len: u16, words: &'a [u64], end: u16) -> Self {
        let ActionSpace { classes, experts } = space;
        let [classes, experts, len, end] = [classes, experts, len, end].map(u64::from);
        ActiveRef { bits, words, shape: classes | experts << 16 | len << 32 | end << 48 }
    }

    /// The space this set belongs to.
    #[inline]
    #[must_use]
    pub fn space(self) -> ActionSpace {
        ActionSpace { classes: self.shape as u16, experts: (self.shape >> 16) as u16 }
    }

    #[inline]
    fn end(self) -> u16 {
        (self.shape >> 48) as u16
    }

    /// `K = |Y_A|`.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        (self.shape >> 32) as u16 as usize
    }

    /// Whether there is nothing to choose from: no classes, and nobody is available.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether everybody is available.
    #[inline]
    #[must_use]
    pub fn is_full(self) -> bool {
        self.len() == self.space().len()
    }

    /// The same set without a borrow, in a small space.
    ///
    /// # Errors
    /// The space is not small.
    #[inline]
    pub fn small(self) -> Result<ActiveSet, ProblemError> {
        self.space().small()?;
        let ActiveRef { bits, shape, .. } = self;
        Ok(ActiveRef { bits, words: &[], shape: shape & !(0xffff << 48) })
    }

    /// Whether `action` may be chosen this round.
    #[inline]
    #[must_use]
    pub fn contains(self, action: Action) -> bool {
        let index = action.index();
        // Shifts of 128 bits are many instructions, and hardly any space needs them.
        match index {
            ..64 => self.bits as u64 >> index & 1 == 1,
            64..SMALL_ACTIONS => self.bits >> index & 1 == 1,
            _ => index < self.end() as usize && self.words[index / 64] >> (index % 64) & 1 == 1,
        }
    }

    /// Bit `a` is set when action `a` is active, for the first 128 actions.
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
        if index < self.space().classes() || self.is_full() && index < self.space().len() {
            return Some(index);
        }
        let before = match index {
            ..64 => (self.bits as u64 & !(u64::MAX << index)).count_ones(),
            64..SMALL_ACTIONS => (self.bits & low_bits(index)).count_ones(),
            _ if index >= self.end() as usize => return None,
            _ => {
                let whole: u32 = self.words[..index / 64].iter().map(|w| w.count_ones()).sum();
                whole + (self.words[index / 64] & !(u64::MAX << (index % 64))).count_ones()
            }
        };
        self.contains(action).then_some(before as usize)
    }

    /// The active action at `position` in `0..K`.
    #[inline]
    #[must_use]
    pub fn nth(self, position: usize) -> Option<Action> {
        let n = self.space().classes();
        if position < n || self.is_full() && position < self.space().len() {
            return Some(Action(position as u16));
        }
        if position >= self.len() {
            return None;
        }
        if let Some(mut bits) = self.few_experts() {
            for _ in n..position {
                bits &= bits.wrapping_sub(1);
            }
            return Some(Action(bits.trailing_zeros() as u16));
        }
        self.expert_actions().nth(position - n)
    }

    /// The active entries of a `0..N` array, times `factor`, in aligned order.
    #[inline]
    pub fn gather(self, factor: f64, per_action: &[f64], aligned: &mut [f64]) {
        let n = self.space().classes();
        for (value, &entry) in aligned[..n].iter_mut().zip(&per_action[..n]) {
            *value = factor * entry;
        }
        if let Some(mut bits) = self.few_experts() {
            for value in &mut aligned[n..] {
                *value = factor * per_action[bits.trailing_zeros() as usize];
                bits &= bits.wrapping_sub(1);
            }
            return;
        }
        for (value, action) in aligned[n..].iter_mut().zip(self.expert_actions()) {
            *value = factor * per_action[action.index()];
        }
    }

    /// The experts' bits where 64 are enough for all actions. An iterator that also serves larger
    /// spaces goes through memory, and a round of a small problem waits for it.
    #[inline]
    fn few_experts(self) -> Option<u64> {
        let n = self.space().classes();
        (self.space().len() <= 64 && n < 64).then(|| self.bits as u64 & (u64::MAX << n))
    }

    /// An aligned array, times `factor`, spread over the actions; everything else becomes zero.
    #[inline]
    pub fn scatter(self, factor: f64, aligned: &[f64], per_action: &mut [f64]) {
        let n = self.space().classes();
        for (entry, &value) in per_action[..n].iter_mut().zip(&aligned[..n]) {
            *entry = factor * value;
        }
        per_action[n..].fill(0.0);
        if let Some(mut bits) = self.few_experts() {
            for &value in &aligned[n..] {
                per_action[bits.trailing_zeros() as usize] = factor * value;
                bits &= bits.wrapping_sub(1);
            }
            return;
        }
        for (&value, action) in aligned[n..].iter().zip(self.expert_actions()) {
            per_action[action.index()] = factor * value;
        }
    }

    /// The available experts as actions, in increasing order.
    #[inline]
    pub(crate) fn expert_actions(self) -> ActiveIter<'a> {
        let n = self.space().classes();
        let mut all = self.iter();
        if n < 64 {
            all.low &= u64::MAX << n;
            return all;
        }
        all.low = 0;
        all.high &= u64::MAX.checked_shl(n as u32 - 64).unwrap_or(0);
        all.skip_to(n);
        all
    }

    /// Active actions in increasing order: `[0..n] + [n + j for j in sorted(A)]`.
    #[inline]
    #[must_use]
    pub fn iter(self) -> ActiveIter<'a> {
        ActiveIter {
            low: self.bits as u64,
            high: (self.bits >> 64) as u64,
            next: SMALL_ACTIONS as u16,
            end: self.end(),
            words: self.words,
        }
    }

    /// The available experts `A`, in increasing order.
    #[inline]
    pub fn experts(self) -> impl Iterator<Item = usize> {
        let n = self.space().classes();
        self.expert_actions().map(move |a| a.index() - n)
    }

    /// The bandit bit identifies the label: `K = 2`, which means two classes and no expert.
    #[inline]
    #[must_use]
    pub fn label_is_identified(self) -> bool {
        self.len() == 2 && self.space().classes() == 2
    }
}

/// Two sets are equal when they hold the same actions of the same space.
impl PartialEq for ActiveRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same =
            (self.space(), self.bits, self.len()) == (other.space(), other.bits, other.len());
        same && (self.words.is_empty() && other.words.is_empty() || self.iter().eq(other.iter()))
    }
}

impl Eq for ActiveRef<'_> {}

impl std::fmt::Debug for ActiveRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let experts: Vec<usize> = self.experts().collect();
        f.debug_struct("ActiveSet")
            .field("space", &self.space())
            .field("experts", &experts)
            .finish()
    }
}

impl<'a> IntoIterator for ActiveRef<'a> {
    type Item = Action;
    type IntoIter = ActiveIter<'a>;
    fn into_iter(self) -> ActiveIter<'a> {
        self.iter()
    }
}

/// Iterator over the actions of an [`ActiveRef`].
#[derive(Clone, Debug)]
pub struct ActiveIter<'a> {
    low: u64,
    high: u64,
    /// Where to go on in the words.
    next: u16,
    end: u16,
    words: &'a [u64],
}

impl ActiveIter<'_> {
    #[inline]
    fn skip_to(&mut self, index: usize) {
        self.next = self.next.max(index as u16);
    }

    /// The next action that only the words know.
    #[cold]
    fn beyond(&mut self) -> Option<Action> {
        while self.next < self.end {
            let (word, bit) = (self.next as usize / 64, self.next % 64);
            let rest = self.words[word] >> bit;
            if rest != 0 {
                let index = self.next + rest.trailing_zeros() as u16;
                self.next = index + 1;
                return (index < self.end).then_some(Action(index));
            }
            self.next += 64 - bit;
        }
        None
    }
}

impl Iterator for ActiveIter<'_> {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        if self.low != 0 {
            let index = self.low.trailing_zeros();
            self.low &= self.low - 1;
            return Some(Action(index as u16));
        }
        if self.high != 0 {
            let index = 64 + self.high.trailing_zeros();
            self.high &= self.high - 1;
            return Some(Action(index as u16));
        }
        if self.next < self.end { self.beyond() } else { None }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let mut left = (self.low.count_ones() + self.high.count_ones()) as usize;
        if self.next < self.end {
            let mut rest = ActiveIter { low: 0, high: 0, ..self.clone() };
            left += std::iter::from_fn(|| rest.beyond()).count();
        }
        (left, Some(left))
    }
}

impl ExactSizeIterator for ActiveIter<'_> {}

/// Room for one active set of a space of any size.
#[derive(Clone, Debug)]
pub struct ActiveBuffer {
    space: ActionSpace,
    bits: u128,
    len: u16,
    words: Vec<u64>,
    end: u16,
}

impl ActiveBuffer {
    /// The classes alone.
    #[must_use]
    pub fn new(space: ActionSpace) -> Self {
        let mut buffer = ActiveBuffer { space, bits: 0, len: 0, words: Vec::new(), end: 0 };
        buffer.copy(space.classes_only());
        buffer
    }

    /// Becomes `Y_A` for the experts listed in `available` (order and repetition do not matter). After
    /// an error the set is the classes alone.
    ///
    /// # Errors
    /// An expert that does not exist.
    pub fn fill(
        &mut self,
        available: impl IntoIterator<Item = usize>,
    ) -> Result<ActiveRef<'_>, ProblemError> {
        self.copy(self.space.classes_only());
        let mut filled = self.clone();
        for j in available {
            filled.insert(self.space.expert(j)?);
        }
        *self = filled;
        Ok(self.get())
    }

    fn insert(&mut self, action: Action) {
        let index = action.index();
        if self.get().contains(action) {
            return;
        }
        self.len += 1;
        if index < SMALL_ACTIONS {
            self.bits |= 1u128 << index;
        }
        if let Some(word) = self.words.get_mut(index / 64) {
            *word |= 1u64 << (index % 64);
        }
    }

    /// Becomes a copy of `active`.
    #[inline]
    pub fn copy(&mut self, active: ActiveRef<'_>) {
        (self.space, self.bits, self.len) = (active.space(), active.bits, active.len() as u16);
        self.words.clear();
        self.end = 0;
        if active.space().len() > SMALL_ACTIONS {
            self.copy_words(active);
        }
    }

    /// The words of the set itself, so that an action can be added to them.
    #[cold]
    fn copy_words(&mut self, active: ActiveRef<'_>) {
        let actions = active.space().len();
        self.words.resize(actions.div_ceil(64), 0);
        self.end = actions as u16;
        for action in active {
            self.words[action.index() / 64] |= 1u64 << (action.index() % 64);
        }
    }

    /// The set.
    #[inline]
    #[must_use]
    pub fn get(&self) -> ActiveRef<'_> {
        let ActiveBuffer { space, bits, len, end, .. } = *self;
        ActiveRef::new(space, bits, len, &self.words, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_make_no_sense_cannot_be_built() {
        assert!(matches!(ActionSpace::new(1, 3), Err(ProblemError::TooFewClasses { n: 1 })));
        assert!(matches!(ActionSpace::new(0, 0), Err(ProblemError::NoActions)));
        assert!(ActionSpace::new(0, 1).is_ok() && ActionSpace::new(2, 4094).is_ok());
        assert!(matches!(ActionSpace::new(2, 4095), Err(ProblemError::TooManyActions { .. })));
        let paper = |n, n_e| ActionSpace::new(n, n_e).unwrap().of_the_paper();
        assert!(paper(2, 126).is_ok());
        assert!(matches!(paper(2, 127), Err(ProblemError::NotSmall { .. })));
        assert!(matches!(paper(0, 2), Err(ProblemError::NoClasses)));
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

    #[test]
    fn without_classes_a_set_may_be_empty_and_two_experts_identify_no_label() {
        let space = ActionSpace::new(0, 3).unwrap();
        assert!(space.classes_only().is_empty() && !space.all_active().is_empty());
        let two = space.active([0, 2]).unwrap();
        assert!(!two.label_is_identified());
        assert_eq!(two.nth(1), Some(space.expert(2).unwrap()));
        assert_eq!(two.position(space.expert(2).unwrap()), Some(1));
        assert_eq!(space.classes_only().nth(0), None);
        let widest = ActionSpace::new(0, 128).unwrap();
        assert_eq!(widest.active_from_mask(u128::MAX).unwrap(), widest.all_active());
    }

    #[test]
    fn large_spaces_say_so_where_a_small_one_is_needed() {
        let space = ActionSpace::new(2, 200).unwrap();
        assert!(matches!(space.active([1]), Err(ProblemError::NotSmall { n: 2, n_e: 200 })));
        assert!(space.active_from_mask(1).is_err() && space.all_active().small().is_err());
        let mut buffer = ActiveBuffer::new(space);
        assert!(matches!(buffer.fill([3, 200]), Err(ProblemError::NoSuchExpert { .. })));
        assert_eq!(buffer.get(), space.classes_only());
    }

    use proptest::prelude::*;

    /// A space, large or small, and experts of it.
    fn spaces() -> impl Strategy<Value = (ActionSpace, Vec<usize>)> {
        let shapes = prop_oneof![
            (2usize..8, 0usize..40),
            (0usize..200, 1usize..900),
            (2usize..4, 4000usize..4092)
        ];
        shapes.prop_flat_map(|(n, n_e)| {
            let n = if n == 1 { 0 } else { n };
            let space = ActionSpace::new(n, n_e).unwrap();
            (Just(space), prop::collection::vec(0..n_e.max(1), 0..=n_e.min(60)))
        })
    }

    proptest! {
        /// A set says what a sorted list of its actions says.
        #[test]
        fn sets_of_any_size_are_sorted_lists((space, experts) in spaces()) {
            let experts: std::collections::BTreeSet<usize> =
                experts.into_iter().filter(|&j| j < space.experts()).collect();
            let n = space.classes();
            let list: Vec<usize> = (0..n).chain(experts.iter().map(|j| n + j)).collect();
            let mut buffer = ActiveBuffer::new(space);
            let set = buffer.fill(experts.iter().copied()).unwrap();
            prop_assert_eq!(set.iter().map(Action::index).collect::<Vec<_>>(), list.clone());
            prop_assert_eq!(set.iter().len(), list.len());
            prop_assert_eq!((set.len(), set.is_empty()), (list.len(), list.is_empty()));
            prop_assert_eq!(set.experts().collect::<Vec<_>>(), experts.iter().copied().collect::<Vec<_>>());
            for index in 0..space.len() {
                let action = space.action(index).unwrap();
                let place = list.iter().position(|&a| a == index);
                prop_assert_eq!(set.position(action), place);
                prop_assert_eq!(set.contains(action), place.is_some());
            }
            for position in 0..=list.len() {
                prop_assert_eq!(set.nth(position).map(Action::index), list.get(position).copied());
            }
            if space.len() <= SMALL_ACTIONS {
                prop_assert_eq!(set, space.active(experts.iter().copied()).unwrap());
            }
            let mut copy = ActiveBuffer::new(space);
            copy.copy(set);
            prop_assert_eq!(copy.get(), set);
            prop_assert_eq!(space.all_active().iter().map(Action::index).collect::<Vec<_>>(), (0..space.len()).collect::<Vec<_>>());
            prop_assert_eq!(space.classes_only().iter().count(), n);
            let everybody = copy.fill(0..space.experts()).unwrap();
            prop_assert_eq!(everybody, space.all_active());
            prop_assert!(everybody.is_full());
        }
    }
}

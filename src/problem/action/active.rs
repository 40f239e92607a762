//! Which actions are there: sets of actions, their iteration, and room for one.

use super::{Action, ActionSpace, SMALL_ACTIONS, low_bits};
use crate::ProblemError;

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
    pub(super) fn new(
        space: ActionSpace,
        bits: u128,
        len: u16,
        words: &'a [u64],
        end: u16,
    ) -> Self {
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
    pub(crate) fn is_full(self) -> bool {
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
    pub fn position(&self, action: Action) -> Option<usize> {
        let index = action.index();
        if index < self.space().classes() { Some(index) } else { self.expert_position(action) }
    }

    /// The position of an action that is no class. Apart, so that the rest can be part of its callers.
    #[inline(never)]
    fn expert_position(&self, action: Action) -> Option<usize> {
        let index = action.index();
        // In an order that everybody is part of, each stands at its own place.
        if self.is_full() && index < self.space().len() {
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
        if position < self.space().classes() {
            return Some(Action(position as u16));
        }
        self.nth_expert(position)
    }

    /// The active action at a position behind the classes. Apart, like [`Self::expert_position`].
    #[inline(never)]
    fn nth_expert(self, position: usize) -> Option<Action> {
        let n = self.space().classes();
        if self.is_full() && position < self.space().len() {
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

    /// The experts' bits where 64 are enough for all actions. An iterator that also serves larger
    /// spaces goes through memory, and a round of a small problem waits for it.
    #[inline]
    fn few_experts(self) -> Option<u64> {
        let n = self.space().classes();
        (self.space().len() <= 64 && n < 64).then(|| self.bits as u64 & (u64::MAX << n))
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

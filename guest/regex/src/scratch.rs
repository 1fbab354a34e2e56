//! Working memory of the matcher: the backtracking stack and its frames, group slots, loop counters. After a match
//! it holds the outcome.

use crate::error::MatchError;

/// "No position", "no barrier".
pub const NONE: u32 = u32::MAX;

/// What is on the stack; see [`Frame`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Tag {
    /// Go on at instruction `index`, position `a`.
    Goto,
    /// Switch `index` (an instruction) at position `a`: its ways from number `b` on.
    Way,
    /// Run `index` (an instruction): give back down to `a`, having tried `b`.
    GiveBack,
    /// Run `index` (an instruction): take more at `a`, up to `b`.
    TakeMore,
    /// Lazy loop `index`: one more iteration at `a`.
    Again,
    /// Slot `index` was `a`.
    Slot,
    /// Slot `index` was `a`, and the last group `b`.
    Closed,
    /// Counter `index` was (`a`, `b`).
    Counter,
    /// Entry of look-around `index` (or [`PLAIN_BARRIER`]) at `a`; the next barrier below is `b`.
    Barrier,
}

const TAGS: [Tag; 9] = [
    Tag::Goto,
    Tag::Way,
    Tag::GiveBack,
    Tag::TakeMore,
    Tag::Again,
    Tag::Slot,
    Tag::Closed,
    Tag::Counter,
    Tag::Barrier,
];

const INDEX_BITS: u32 = 28;

/// The index of an atomic group's barrier.
pub(crate) const PLAIN_BARRIER: u32 = (1 << INDEX_BITS) - 1;

/// An entry of the stack: a tag and an index in one word, and two operands.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    head: u32,
    pub a: u32,
    pub b: u32,
}

impl Frame {
    #[inline]
    pub fn new(tag: Tag, index: u32, a: u32, b: u32) -> Frame {
        Frame {
            head: (tag as u32) << INDEX_BITS | index,
            a,
            b,
        }
    }

    #[inline]
    pub fn tag(self) -> Tag {
        TAGS[(self.head >> INDEX_BITS) as usize % TAGS.len()]
    }

    #[inline]
    pub fn index(self) -> u32 {
        self.head & PLAIN_BARRIER
    }
}

/// Working memory of matches, to be reused, and the outcome of the last one.
pub struct Scratch {
    /// All of it is initialised; the matcher knows how much is in use.
    pub(crate) stack: Vec<Frame>,
    /// Frames that the stack may hold.
    pub(crate) limit: usize,
    /// Start and end of each group, group 0 being the whole match.
    pub(crate) slots: Vec<u32>,
    pub(crate) last_group: u32,
    /// Per loop, the iterations begun and where the last of them began.
    pub(crate) counters: Vec<(u32, u32)>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::with_stack_limit(64 << 20)
    }
}

impl Scratch {
    /// Working memory whose backtracking stack takes at most so many bytes.
    pub fn with_stack_limit(bytes: usize) -> Scratch {
        Scratch {
            stack: Vec::new(),
            limit: bytes / size_of::<Frame>(),
            slots: Vec::new(),
            last_group: 0,
            counters: Vec::new(),
        }
    }

    /// Where a group of the last match begins and ends; none if it took no part.
    pub fn span(&self, group: usize) -> Option<(usize, usize)> {
        match self.slots.get(2 * group..2 * group + 2) {
            Some(&[start, end]) if start != NONE && end != NONE => {
                Some((start as usize, end as usize))
            }
            _ => None,
        }
    }

    /// The group closed last in the last match (`Match.lastindex`).
    pub fn last_index(&self) -> Option<usize> {
        (self.last_group != 0).then_some(self.last_group as usize)
    }

    /// Gives back memory that an unusual match took.
    pub fn shrink(&mut self) {
        self.stack.truncate(4096);
        self.stack.shrink_to_fit();
    }
}

/// Pushes onto a full stack, which makes room up to the limit.
#[cold]
pub(crate) fn grow(stack: &mut Vec<Frame>, limit: usize, frame: Frame) -> Result<(), MatchError> {
    let room = limit.saturating_sub(stack.len()).min(stack.len().max(64));
    if room == 0 || stack.try_reserve_exact(room).is_err() {
        return Err(MatchError::StackLimit);
    }
    stack.push(frame);
    stack.resize(
        stack.len() + room - 1,
        Frame {
            head: 0,
            a: 0,
            b: 0,
        },
    );
    Ok(())
}

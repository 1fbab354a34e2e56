//! What a pattern is compiled to: a list of instructions and the tables they point into.
//!
//! A match runs the instructions from the first, with a position in the subject. Where more than one way is
//! open, the matcher (`matcher.rs`) takes the first and stacks the others; when an instruction fails it goes on
//! with the way stacked last. Ways that cannot succeed, judged by the next character, are not stacked: the
//! [`Split`] and [`Switch`] tables and [`Run::next`] say what a way can begin with.

use crate::ast::At;
use crate::class::{Class, Fold};
use crate::first::FirstSet;

/// Index of an instruction.
pub type Pc = u32;

/// An instruction. Numbers without a comment index the table of the same name in [`Program`].
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// One given character.
    Char(u32),
    /// A sequence of characters.
    Text(u32),
    /// Any character but a newline.
    AnyButNewline,
    /// Any character.
    AnyChar,
    /// A member of a class.
    Set(u32),
    /// A zero-width assertion.
    At(At),
    /// Start of a capturing group, by its number.
    Open(u32),
    /// End of a capturing group.
    Close(u32),
    /// Goes on elsewhere.
    Jump(Pc),
    /// One of two ways.
    Split(u32),
    /// One of many ways.
    Switch(u32),
    /// A quantified single character.
    Run(u32),
    /// Enters a counted loop.
    LoopStart(u32),
    /// Decides whether to go round again.
    LoopNext(u32),
    /// Enters a look-around.
    Look(u32),
    /// End of a positive look-around: drops its other ways and returns to where it began.
    LookEnd,
    /// End of a negative look-around: it fails.
    NotLookEnd,
    /// Enters an atomic group.
    Atomic,
    /// End of an atomic group: drops its other ways.
    AtomicEnd,
    /// The text of a group.
    Backref(u32, Fold),
    /// Goes on at `no` unless the group took part.
    Cond { group: u32, no: Pc },
    /// Fails.
    Fail,
    /// The match is complete.
    Accept,
}

/// The way to try first, and the other.
pub const FIRST: u8 = 1;
/// See [`FIRST`].
pub const SECOND: u8 = 2;

/// Two ways, in order of preference.
#[derive(Debug)]
pub struct Split {
    pub first: Pc,
    pub second: Pc,
    pub guard: Guard,
}

/// Which of two ways are open before each character: a mask of [`FIRST`] and [`SECOND`].
#[derive(Debug)]
pub struct Guard {
    pub table: [u8; 256],
    pub wide: [Option<u32>; 2],
    pub wide_mask: u8,
    pub end: u8,
}

impl Guard {
    /// The guard for two ways that begin with the given sets.
    pub fn new(first: &FirstSet, second: &FirstSet) -> Guard {
        let mask = |a: bool, b: bool| if a { FIRST } else { 0 } | if b { SECOND } else { 0 };
        let mut table = [0; 256];
        for (c, entry) in table.iter_mut().enumerate() {
            *entry = mask(first.has(c as u32), second.has(c as u32));
        }
        let wide = [first, second].map(|set| set.only.filter(|&c| c > 255));
        let wide_mask = mask(first.atoms.0 != 0, second.atoms.0 != 0);
        Guard {
            table,
            wide,
            wide_mask,
            end: mask(first.at_end, second.at_end),
        }
    }

    /// Ways open before a character.
    #[inline]
    pub fn ways(&self, c: u32) -> u8 {
        match self.table.get(c as usize) {
            Some(&mask) => mask,
            None => {
                let mut mask = self.wide_mask;
                for (way, only) in [FIRST, SECOND].iter().zip(self.wide) {
                    if only.is_some_and(|only| only != c) {
                        mask &= !way;
                    }
                }
                mask
            }
        }
    }
}

/// Up to 64 ways, in order of preference.
#[derive(Debug)]
pub struct Switch {
    pub ways: Vec<Pc>,
    /// For the characters 0..256, an index into `masks`.
    pub table: [u8; 256],
    /// Sets of ways, as bits.
    pub masks: Vec<u64>,
    pub wide: u64,
    pub end: u64,
}

/// What a single-character instruction accepts.
#[derive(Clone, Copy, Debug)]
pub enum Single {
    Char(u32),
    AnyButNewline,
    AnyChar,
    Set(u32),
}

/// How a run gives characters back, or takes more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunKind {
    /// As many as possible first, then fewer.
    Greedy,
    /// As few as possible first, then more.
    Lazy,
    /// As many as possible only; also where fewer could not help.
    Possessive,
}

/// A quantified single character.
#[derive(Debug)]
pub struct Run {
    pub single: Single,
    pub min: u32,
    /// May be `UNBOUNDED`.
    pub max: u32,
    pub kind: RunKind,
    /// What can follow; none if anything can.
    pub next: Option<Box<FirstSet>>,
    /// Whether the pattern begins with this run, so that a failed search can go on behind it.
    pub leading: bool,
}

/// A loop with a counter.
#[derive(Debug)]
pub struct Loop {
    pub min: u32,
    pub max: u32,
    pub greedy: bool,
    pub body: Pc,
    /// Its [`Op::LoopNext`]; the way out is behind it.
    pub next: Pc,
    /// FIRST is the body, SECOND the way out.
    pub guard: Guard,
}

/// A look-around.
#[derive(Debug)]
pub struct Look {
    /// How far back it begins.
    pub behind: u32,
    pub negated: bool,
    /// What follows it.
    pub end: Pc,
}

/// Where a search can find candidates without running the program.
#[derive(Debug)]
pub enum Prefilter {
    /// Nowhere in particular.
    None,
    /// At the start of the subject only.
    Start,
    /// At starts of lines.
    LineStart,
    /// Where a text stands; `whole` if that is all there is to the pattern.
    Text { text: Text, whole: bool },
    /// Before a character of a set.
    Set(Box<FirstSet>, Vec<u8>),
}

/// A sequence of characters to compare or to look for.
#[derive(Debug)]
pub struct Text {
    pub chars: Box<[u32]>,
    /// The same as bytes, if they all fit; else a byte subject cannot contain it.
    pub bytes: Option<Box<[u8]>>,
    pub finder: Option<Box<memchr::memmem::Finder<'static>>>,
}

impl Text {
    /// A text to compare.
    pub fn new(chars: &[u32]) -> Text {
        let bytes = chars
            .iter()
            .map(|&c| u8::try_from(c).ok())
            .collect::<Option<Vec<u8>>>();
        Text {
            chars: chars.into(),
            bytes: bytes.map(Into::into),
            finder: None,
        }
    }

    /// A text to look for.
    pub fn to_find(chars: &[u32]) -> Text {
        let mut text = Text::new(chars);
        text.finder = text
            .bytes
            .as_deref()
            .map(|b| Box::new(memchr::memmem::Finder::new(b).into_owned()));
        text
    }
}

/// A compiled pattern.
#[derive(Debug, Default)]
pub struct Program {
    pub ops: Vec<Op>,
    pub texts: Vec<Text>,
    pub classes: Vec<Class>,
    pub splits: Vec<Split>,
    pub switches: Vec<Switch>,
    pub runs: Vec<Run>,
    pub loops: Vec<Loop>,
    pub looks: Vec<Look>,
}

//! The tree that a pattern is parsed into. Flags are already resolved in it.

use crate::class::{Class, Fold};
use crate::first::{First, FirstSet};

/// Repetition without upper bound; as a number it takes part in width arithmetic, as in CPython.
pub const UNBOUNDED: u32 = u32::MAX;

/// How many characters a node matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    pub min: u64,
    pub max: u64,
}

impl Width {
    pub const ZERO: Width = Width { min: 0, max: 0 };
    pub const ONE: Width = Width { min: 1, max: 1 };

    fn plus(self, other: Width) -> Width {
        Width {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    fn or(self, other: Width) -> Width {
        Width {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn times(self, min: u32, max: u32) -> Width {
        Width {
            min: self.min.saturating_mul(min.into()),
            max: self.max.saturating_mul(max.into()),
        }
    }
}

/// Which matches a repetition tries, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Greed {
    /// Longest first.
    Greedy,
    /// Shortest first.
    Lazy,
    /// The longest only; each iteration is atomic.
    Possessive,
}

/// What a zero-width assertion looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// `\A`, and `^` without MULTILINE.
    Start,
    /// `^` with MULTILINE.
    LineStart,
    /// `\Z`, `\z`.
    End,
    /// `$` without MULTILINE: the end, or before a newline at the end.
    EndOrNewline,
    /// `$` with MULTILINE.
    LineEnd,
    /// `\b`; ASCII only if set.
    Boundary { ascii: bool },
    /// `\B`; ASCII only if set.
    NotBoundary { ascii: bool },
}

/// A node with what is known of it.
#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    pub width: Width,
    pub first: First,
}

/// What a node is.
#[derive(Debug)]
pub enum Kind {
    /// One character, case counting.
    Char(u32),
    /// One character of a class.
    Set(Box<Class>),
    /// `.` without DOTALL.
    AnyButNewline,
    /// `.` with DOTALL.
    AnyChar,
    /// A zero-width assertion.
    At(At),
    /// One after the other.
    Seq(Vec<Node>),
    /// The first that leads to a match.
    Alt(Vec<Node>),
    /// A capturing group.
    Group(u32, Box<Node>),
    /// `(?>...)`
    Atomic(Box<Node>),
    /// A quantifier; `max` may be [`UNBOUNDED`].
    Repeat {
        min: u32,
        max: u32,
        greed: Greed,
        body: Box<Node>,
    },
    /// Look-ahead and look-behind.
    Look {
        behind: bool,
        negated: bool,
        body: Box<Node>,
    },
    /// The text of an earlier group.
    Backref(u32, Fold),
    /// `(?(1)yes|no)`
    Cond {
        group: u32,
        yes: Box<Node>,
        no: Option<Box<Node>>,
    },
    /// Never matches.
    Fail,
}

impl Node {
    /// A node whose width follows from its kind; not for back-references.
    pub fn new(kind: Kind) -> Node {
        let width = match &kind {
            Kind::Char(_) | Kind::Set(_) | Kind::AnyButNewline | Kind::AnyChar => Width::ONE,
            Kind::At(_) | Kind::Look { .. } | Kind::Fail | Kind::Backref(..) => Width::ZERO,
            Kind::Seq(items) => items
                .iter()
                .fold(Width::ZERO, |sum, item| sum.plus(item.width)),
            Kind::Alt(items) => items
                .iter()
                .map(|item| item.width)
                .reduce(Width::or)
                .unwrap_or(Width::ZERO),
            Kind::Group(_, body) | Kind::Atomic(body) => body.width,
            Kind::Repeat { min, max, body, .. } => body.width.times(*min, *max),
            Kind::Cond { yes, no, .. } => {
                yes.width.or(no.as_ref().map_or(Width::ZERO, |no| no.width))
            }
        };
        let first = first(&kind);
        Node { kind, width, first }
    }

    /// A back-reference to a group of the given width.
    pub fn backref(group: u32, fold: Fold, width: Width) -> Node {
        let mut node = Node::new(Kind::Backref(group, fold));
        node.width = width;
        node
    }

    /// A sequence, or its only item.
    pub fn seq(mut items: Vec<Node>) -> Node {
        match items.len() {
            1 => items.remove(0),
            _ => Node::new(Kind::Seq(items)),
        }
    }

    /// An alternation, or its only branch.
    pub fn alt(mut branches: Vec<Node>) -> Node {
        match branches.len() {
            1 => branches.remove(0),
            _ => Node::new(Kind::Alt(branches)),
        }
    }

    /// Whether it matches exactly one character and nothing else.
    pub fn is_single(&self) -> bool {
        matches!(
            self.kind,
            Kind::Char(_) | Kind::Set(_) | Kind::AnyButNewline | Kind::AnyChar
        )
    }

    /// Whether it is the empty sequence.
    pub fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Seq(items) if items.is_empty())
    }
}

/// What a node of the kind can begin with, judging by its children.
fn first(kind: &Kind) -> First {
    let one = |set| First {
        set,
        transparent: false,
    };
    let transparent = || First {
        set: FirstSet::NOTHING,
        transparent: true,
    };
    match kind {
        Kind::Char(c) => one(FirstSet::of_char(*c)),
        Kind::Set(class) => one(FirstSet::of_class(class)),
        Kind::AnyButNewline => one(FirstSet::not_newline()),
        Kind::AnyChar => one(FirstSet::ANY_CHAR),
        Kind::At(At::End) => one(FirstSet::end(false)),
        Kind::At(At::EndOrNewline | At::LineEnd) => one(FirstSet::end(true)),
        Kind::At(_) | Kind::Look { .. } => transparent(),
        Kind::Seq(items) => {
            let mut set = FirstSet::NOTHING;
            for item in items {
                set = set.union(&item.first.set);
                if !item.first.transparent {
                    return one(set);
                }
            }
            First {
                set,
                transparent: true,
            }
        }
        Kind::Alt(branches) => {
            let mut all = First {
                set: FirstSet::NOTHING,
                transparent: false,
            };
            for branch in branches {
                all.set = all.set.union(&branch.first.set);
                all.transparent |= branch.first.transparent;
            }
            all
        }
        Kind::Group(_, body) | Kind::Atomic(body) => body.first.clone(),
        Kind::Repeat { max: 0, .. } => transparent(),
        Kind::Repeat { min, body, .. } => {
            let mut body = body.first.clone();
            body.transparent |= *min == 0;
            body
        }
        Kind::Backref(..) => one(FirstSet::ANYTHING),
        Kind::Cond { yes, no, .. } => {
            let mut both = yes.first.clone();
            match no {
                Some(no) => {
                    both.set = both.set.union(&no.first.set);
                    both.transparent |= no.first.transparent;
                }
                None => both.transparent = true,
            }
            both
        }
        Kind::Fail => one(FirstSet::NOTHING),
    }
}

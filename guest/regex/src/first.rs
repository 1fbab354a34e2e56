//! Which characters a piece of a pattern can begin with.
//!
//! A [`FirstSet`] is always a superset of the truth: it is used to rule out paths that cannot match, never to
//! accept one.

use crate::class::{Atoms, Class};

/// The characters with which a continuation of the match can begin, and whether it can begin at the end.
#[derive(Clone, Debug)]
pub struct FirstSet {
    /// Bits of the code points 0..256.
    pub bits: [u64; 4],
    /// Atoms of the code points above 255.
    pub atoms: Atoms,
    /// Whether it can succeed where no character is left.
    pub at_end: bool,
    /// The only character, if there is just one and the end does not do.
    pub only: Option<u32>,
}

impl FirstSet {
    /// Nothing at all.
    pub const NOTHING: FirstSet = FirstSet {
        bits: [0; 4],
        atoms: Atoms::NONE,
        at_end: false,
        only: None,
    };
    /// Any character and the end.
    pub const ANYTHING: FirstSet = FirstSet {
        bits: [u64::MAX; 4],
        atoms: Atoms::ALL,
        at_end: true,
        only: None,
    };
    /// Any character.
    pub const ANY_CHAR: FirstSet = FirstSet {
        at_end: false,
        ..FirstSet::ANYTHING
    };

    /// One character.
    pub fn of_char(c: u32) -> FirstSet {
        let mut set = FirstSet {
            only: Some(c),
            ..FirstSet::NOTHING
        };
        if c < 256 {
            set.bits[(c >> 6) as usize] |= 1 << (c & 63);
        } else {
            set.atoms = Atoms::of(c);
        }
        set
    }

    /// The members of a class.
    pub fn of_class(class: &Class) -> FirstSet {
        let mut set = FirstSet {
            atoms: class.atoms,
            ..FirstSet::NOTHING
        };
        for (c, _) in class
            .table
            .iter()
            .enumerate()
            .filter(|(_, inside)| **inside)
        {
            set.bits[c >> 6] |= 1 << (c & 63);
        }
        set
    }

    /// Any character but a newline.
    pub fn not_newline() -> FirstSet {
        let mut set = FirstSet::ANY_CHAR;
        set.bits[0] &= !(1 << 10);
        set
    }

    /// The end of the subject, and a newline if `newline`.
    pub fn end(newline: bool) -> FirstSet {
        let mut set = if newline {
            FirstSet::of_char(10)
        } else {
            FirstSet::NOTHING
        };
        set.at_end = true;
        set.only = None;
        set
    }

    /// Either of two.
    pub fn union(&self, other: &FirstSet) -> FirstSet {
        let mut bits = self.bits;
        for (to, from) in bits.iter_mut().zip(other.bits) {
            *to |= from;
        }
        let is_nothing =
            |set: &FirstSet| set.bits == [0; 4] && set.atoms == Atoms::NONE && !set.at_end;
        let only = if self.only == other.only || is_nothing(other) {
            self.only
        } else if is_nothing(self) {
            other.only
        } else {
            None
        };
        FirstSet {
            bits,
            atoms: Atoms(self.atoms.0 | other.atoms.0),
            at_end: self.at_end || other.at_end,
            only,
        }
    }

    /// Whether no character can begin both.
    pub fn disjoint(&self, other: &FirstSet) -> bool {
        let bits = self.bits.iter().zip(other.bits).all(|(a, b)| a & b == 0);
        let wide = self.atoms.0 & other.atoms.0 == 0
            || matches!((self.only, other.only), (Some(a), Some(b)) if a != b);
        bits && wide
    }

    /// Whether the set rules out nothing.
    pub fn is_everything(&self) -> bool {
        self.bits == [u64::MAX; 4] && self.atoms == Atoms::ALL && self.at_end
    }

    /// Whether the character can begin it.
    #[inline]
    pub fn has(&self, c: u32) -> bool {
        match self.bits.get((c >> 6) as usize) {
            Some(word) => word >> (c & 63) & 1 != 0,
            None => match self.only {
                Some(only) => c == only,
                None => self.atoms != Atoms::NONE,
            },
        }
    }
}

/// The first set of a node, not yet joined with what follows the node.
#[derive(Clone, Debug)]
pub struct First {
    /// With what the node itself can begin.
    pub set: FirstSet,
    /// Whether it can match without consuming, so that what follows counts too.
    pub transparent: bool,
}

impl First {
    /// The set of the node followed by `follow`.
    pub fn then(&self, follow: &FirstSet) -> FirstSet {
        if self.transparent {
            self.set.union(follow)
        } else {
            self.set.clone()
        }
    }
}

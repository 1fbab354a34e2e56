//! The flags of a pattern, with the numeric values that Python's `re` module exposes.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of `re` flags; the bits are those of `re.RegexFlag`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u32);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// `re.I`
    pub const IGNORECASE: Flags = Flags(2);
    /// `re.L`
    pub const LOCALE: Flags = Flags(4);
    /// `re.M`
    pub const MULTILINE: Flags = Flags(8);
    /// `re.S`
    pub const DOTALL: Flags = Flags(16);
    /// `re.U`
    pub const UNICODE: Flags = Flags(32);
    /// `re.X`
    pub const VERBOSE: Flags = Flags(64);
    /// `re.DEBUG`
    pub const DEBUG: Flags = Flags(128);
    /// `re.A`
    pub const ASCII: Flags = Flags(256);
    /// The flags of which only one can be in force: what `\w` and friends mean.
    pub(crate) const TYPE: Flags = Flags(4 | 32 | 256);

    /// Whether any flag of `other` is set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The flag of an inline flag letter, as in `(?i)`.
    pub(crate) fn from_letter(letter: u32) -> Option<Flags> {
        Some(match char::from_u32(letter)? {
            'i' => Flags::IGNORECASE,
            'L' => Flags::LOCALE,
            'm' => Flags::MULTILINE,
            's' => Flags::DOTALL,
            'x' => Flags::VERBOSE,
            'a' => Flags::ASCII,
            'u' => Flags::UNICODE,
            _ => return None,
        })
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

impl BitAnd for Flags {
    type Output = Flags;
    fn bitand(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }
}

impl Not for Flags {
    type Output = Flags;
    fn not(self) -> Flags {
        Flags(!self.0)
    }
}
